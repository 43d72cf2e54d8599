//===- MemOps.td - Operations of mem --------------------- -*- tablegen -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_DIALECT_MEM_IR_MEMOPS_TD
#define TURNIP_DIALECT_MEM_IR_MEMOPS_TD

include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "turnip/Dialect/Mem/IR/MemTypes.td"

class Mem_Op<string mnemonic, list<Trait> traits = []>
    : Op<Mem_Dialect, mnemonic, traits>;

//===----------------------------------------------------------------------===//
// The machine
//===----------------------------------------------------------------------===//

def Mem_MachineOp : Mem_Op<"machine", [HasParent<"::mlir::ModuleOp">,
    IsolatedFromAbove, SymbolTable, SingleBlock, NoTerminator,
    NoRegionArguments]> {
  let summary = "the memories, devices and links that graphs are placed for";
  let description = [{
    One per module. Memories are symbols; devices have names; a link is known
    by the memories it joins. Their order is that of the artifact.

    ```mlir
    mem.machine {
      mem.memory @dev0 device capacity 67108864 alignment 64
      mem.memory @host host capacity 1048576 alignment 64
      mem.memory @params parameters capacity 8388608 alignment 64 readonly
      mem.device "dev0" accelerator memory @dev0 backing @host
      mem.device "host" host memory @host
      mem.link @params to @dev0 channel 0 bandwidth 2.5e+10 latency 1.0e-05
    }
    ```
  }];
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "attr-dict-with-keyword $body";
  let hasRegionVerifier = 1;
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins)>];
}

def Mem_MemoryOp : Mem_Op<"memory", [Symbol, HasParent<"MachineOp">]> {
  let summary = "a memory: a device's arena, host memory, or the parameters";
  let description = [{
    Capacity and alignment are bytes. `readonly`: no operation writes to it.

    ```mlir
    mem.memory @params parameters capacity 8388608 alignment 64 readonly
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, Mem_MemoryKindAttr:$kind,
                       I64Attr:$capacity, I64Attr:$alignment,
                       UnitAttr:$readonly);
  let assemblyFormat = [{
    $sym_name `` $kind `capacity` $capacity `alignment` $alignment
    (`readonly` $readonly^)? attr-dict
  }];
  let hasVerifier = 1;
}

def Mem_DeviceOp : Mem_Op<"device", [HasParent<"MachineOp">]> {
  let summary = "something that runs kernels on one memory";
  let description = [{
    Its calls access `memory`; what does not fit there is saved in `backing`, a
    host memory. A `host` device is the CPU computing in host memory: it needs
    no backing, and may also read the parameters in place.

    ```mlir
    mem.device "dev0" accelerator memory @dev0 backing @host
    mem.device "host" host memory @host
    ```
  }];
  let arguments = (ins StrAttr:$name, Mem_DeviceKindAttr:$kind,
                       FlatSymbolRefAttr:$memory,
                       OptionalAttr<FlatSymbolRefAttr>:$backing);
  let assemblyFormat = [{
    $name `` $kind `memory` $memory (`backing` $backing^)? attr-dict
  }];
  let hasVerifier = 1;
}

def Mem_LinkOp : Mem_Op<"link", [HasParent<"MachineOp">]> {
  let summary = "a way for bytes from one memory to another";
  let description = [{
    Links of one channel take turns. Bandwidth is bytes per second, latency
    seconds per copy, as the planner reckoned with them; 0: not known.

    ```mlir
    mem.link @params to @dev0 channel 0 bandwidth 2.5e+10 latency 1.0e-05
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$source,
                       FlatSymbolRefAttr:$destination, I64Attr:$channel,
                       DefaultValuedAttr<F64Attr, "0.0">:$bandwidth,
                       DefaultValuedAttr<F64Attr, "0.0">:$latency);
  let assemblyFormat = [{
    $source `to` $destination `channel` $channel
    (`bandwidth` $bandwidth^)? (`latency` $latency^)? attr-dict
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

def Mem_GraphOp : Mem_Op<"graph", [HasParent<"::mlir::ModuleOp">,
    IsolatedFromAbove, Symbol, SingleBlock, NoTerminator, NoRegionArguments,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "an entry point as operations on byte ranges, joined by tokens";
  let description = [{
    What lies where at entry (`mem.parameter`, `mem.input`), operations in the
    planner's order, and what lies where at exit (`mem.result`).

    The verifier proves the placement in every order that the tokens allow:

    - every range lies inside its memory, aligned, and only writable memory
      is written;
    - two accesses to common bytes, one of them a write, are ordered;
    - each read finds the value it names, and so does each result;
    - ranges of one call overlap only where its kernel allows the result in
      place of the operand;
    - each access of a call has the bytes of its kernel's operand or result,
      in the memory of its device; each copy has a link.

    `places` names the `task.graph` that was placed, kept so that it can be
    placed again. Then the verifier also proves that this graph carries out
    every task of that one, on the values of its tiles.

    ```mlir
    mem.graph @main {
      mem.input "x" [16] offsets [0] sizes [16] : f32 at v0 @host[0 + 64]
      %0 = mem.call @f task 0 on "host" reads(v0 @host[0 + 64])
             writes(v1 @host[64 + 64])
      mem.result "y" [16] offsets [0] sizes [16] : f32 at v1 @host[64 + 64]
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
                       OptionalAttr<FlatSymbolRefAttr>:$tasks,
                       OptionalAttr<Mem_StatisticsAttr>:$statistics);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sym_name (`places` $tasks^)? (`statistics` $statistics^)?
    attr-dict-with-keyword $body
  }];
  let hasRegionVerifier = 1;
  let skipDefaultBuilders = 1;
  let builders = [
    OpBuilder<(ins "::llvm::StringRef":$name, "StatisticsAttr":$statistics)>
  ];
}

def Mem_ArgumentOp : Mem_Op<"argument", [HasParent<"GraphOp">]> {
  let summary = "a number that each invocation passes";
  let description = [{
    Scalars of calls may add it. The bounds are the smallest and the largest
    value that the graph was compiled for.

    ```mlir
    mem.argument "position" from 0 to 63
    ```
  }];
  let arguments = (ins StrAttr:$name, I64Attr:$minimum, I64Attr:$maximum);
  let assemblyFormat = "$name `from` $minimum `to` $maximum attr-dict";
  let hasVerifier = 1;
}

def Mem_CostOp : Mem_Op<"cost", [HasParent<"GraphOp">]> {
  let summary = "what a call of a kernel on a device takes";
  let description = [{
    Seconds, as the planner reckoned with them.

    ```mlir
    mem.cost @f on "dev0" seconds 1.2e-05
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel, StrAttr:$device,
                       F64Attr:$seconds);
  let assemblyFormat = "$kernel `on` $device `seconds` $seconds attr-dict";
  let hasVerifier = 1;
}

class Mem_PieceOp<string mnemonic> : Mem_Op<mnemonic, [HasParent<"GraphOp">]> {
  let arguments = (ins StrAttr:$name, DenseI64ArrayAttr:$shape,
                       OptionalAttr<DenseI64ArrayAttr>:$outer_shape,
                       DenseI64ArrayAttr:$offsets, DenseI64ArrayAttr:$sizes,
                       TypeAttr:$element_type, Mem_RangeAttr:$range);
  let assemblyFormat = [{
    $name $shape (`of` $outer_shape^)? `offsets` $offsets `sizes` $sizes `:`
    $element_type `at` custom<PieceRange>($range) attr-dict
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The shape outside the program: the file's, or the declared one.
    ::llvm::ArrayRef<int64_t> getOuter() {
      return getOuterShape().value_or(getShape());
    }
  }];
}

def Mem_ParameterOp : Mem_PieceOp<"parameter"> {
  let summary = "bytes that hold a slice of a named parameter at entry";
  let description = [{
    The slice is written as for `task.parameter`; its bytes are dense and
    row-major, in a memory of kind `parameters`. Slices may share bytes.

    ```mlir
    mem.parameter "w" [16, 8] of [128] offsets [8, 0] sizes [8, 8] : f32
      at v3 @params[256 + 256]
    ```
  }];
}

def Mem_InputOp : Mem_PieceOp<"input"> {
  let summary = "bytes that hold a slice of a named input at entry";
  let description = [{
    As `mem.parameter`, in a memory of kind `host`.

    ```mlir
    mem.input "x" [16] offsets [0] sizes [16] : f32 at v0 @host[0 + 64]
    ```
  }];
}

def Mem_ResultOp : Mem_PieceOp<"result"> {
  let summary = "bytes that hold a slice of a named result at exit";
  let description = [{
    As `mem.input`, once every operation is done. The slices of a result
    cover each of its elements once.

    ```mlir
    mem.result "y" [16] offsets [0] sizes [16] : f32 at v1 @host[64 + 64]
    ```
  }];
}

class Mem_OperationOp<string mnemonic>
    : Mem_Op<mnemonic, [HasParent<"GraphOp">, AttrSizedOperandSegments]> {
  let results = (outs Mem_TokenType:$token);
  let hasCustomAssemblyFormat = 1;
}

def Mem_CallOp : Mem_OperationOp<"call"> {
  let summary = "a call of a kernel on byte ranges";
  let description = [{
    Reads are the kernel's operands, writes its results, in order. A read from
    and a write to the same range is the kernel working in place. `scalars` are
    the kernel's `index` arguments; where `arguments` follows, the invocation's
    argument of that number is added to the scalar (-1: none).

    `task` is the number of the task it carries out, followed by the task's
    name where that is not the kernel's. Several calls may carry out one task,
    on other ranges that hold the same values: a kernel leaves the same bits for
    the same operands and scalars on one device, so calls that agree in these
    may write one value.

    ```mlir
    %3 = mem.call @k task 7 "blk.0" on "dev0" reads(v3 @dev0[0 + 64])
           writes(v9 @dev0[64 + 64]) workspace(@dev0[128 + 256]) scalars [64]
           after(%1) memory(%2)
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel, OptionalAttr<I64Attr>:$task,
                       OptionalAttr<StrAttr>:$task_name, StrAttr:$device,
                       TypedArrayAttrBase<Mem_RangeAttr, "ranges">:$reads,
                       TypedArrayAttrBase<Mem_RangeAttr, "ranges">:$writes,
                       OptionalAttr<Mem_RangeAttr>:$workspace,
                       OptionalAttr<DenseI64ArrayAttr>:$scalars,
                       OptionalAttr<DenseI64ArrayAttr>:$scalar_arguments,
                       Variadic<Mem_TokenType>:$data_tokens,
                       Variadic<Mem_TokenType>:$memory_tokens);
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// What messages call the task: its own name, or the kernel's.
    ::llvm::StringRef getTaskLabel() {
      return getTaskName().value_or(getKernel());
    }
  }];
}

def Mem_CopyOp : Mem_OperationOp<"copy"> {
  let summary = "a copy of bytes from one memory to another";
  let description = [{
    One op for all moves of bytes. Its role says why it is there, and changes
    nothing:

    - `transfer`: a `task.transfer`;
    - `load`: brings a parameter or an input to a device;
    - `reload`: brings back a value that had been there before;
    - `offload`: saves a value that only the device holds;
    - `result`: writes a result to where it must be at exit;
    - `move`: moves a value inside its memory.

    It runs on the first link from the one memory to the other, or on the link
    whose number follows `via`. Within one memory that has no such link, the
    device moves the bytes itself.

    ```mlir
    %4 = mem.copy offload v9 @dev0[64 + 64] to @host[0 + 64] after(%3)
    ```
  }];
  let arguments = (ins Mem_CopyRoleAttr:$role, Mem_RangeAttr:$source,
                       Mem_RangeAttr:$destination, OptionalAttr<I64Attr>:$via,
                       OptionalAttr<I64Attr>:$task,
                       OptionalAttr<StrAttr>:$task_name,
                       Variadic<Mem_TokenType>:$data_tokens,
                       Variadic<Mem_TokenType>:$memory_tokens);
  let hasVerifier = 1;
}

def Mem_JoinOp : Mem_OperationOp<"join"> {
  let summary = "the completion of several operations";
  let description = [{
    Touches nothing. Where many operations wait for the same many others, one
    join between them saves most tokens.

    ```mlir
    %5 = mem.join memory(%1, %2, %3)
    ```
  }];
  let arguments = (ins Variadic<Mem_TokenType>:$data_tokens,
                       Variadic<Mem_TokenType>:$memory_tokens);
}

#endif // TURNIP_DIALECT_MEM_IR_MEMOPS_TD
