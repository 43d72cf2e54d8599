//===- MemTypes.td - Types and attributes of mem --------- -*- tablegen -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_DIALECT_MEM_IR_MEMTYPES_TD
#define TURNIP_DIALECT_MEM_IR_MEMTYPES_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "turnip/Dialect/Mem/IR/MemBase.td"

class Mem_Attr<string name, string attrMnemonic> : AttrDef<Mem_Dialect, name> {
  let mnemonic = attrMnemonic;
}

def Mem_MemoryKind : I32EnumAttr<"MemoryKind", "what a memory is", [
  I32EnumAttrCase<"Device", 0, "device">,
  I32EnumAttrCase<"Host", 1, "host">,
  I32EnumAttrCase<"Parameters", 2, "parameters">
]> {
  let cppNamespace = "::turnip::mem";
  let genSpecializedAttr = 0;
}
def Mem_MemoryKindAttr : EnumAttr<Mem_Dialect, Mem_MemoryKind, "memory_kind">;

def Mem_DeviceKind : I32EnumAttr<"DeviceKind", "what a device is", [
  I32EnumAttrCase<"Host", 0, "host">,
  I32EnumAttrCase<"Accelerator", 1, "accelerator">
]> {
  let cppNamespace = "::turnip::mem";
  let genSpecializedAttr = 0;
}
def Mem_DeviceKindAttr : EnumAttr<Mem_Dialect, Mem_DeviceKind, "device_kind">;

def Mem_CopyRole : I32EnumAttr<"CopyRole", "why a copy is there", [
  I32EnumAttrCase<"Transfer", 1, "transfer">,
  I32EnumAttrCase<"Load", 2, "load">,
  I32EnumAttrCase<"Reload", 3, "reload">,
  I32EnumAttrCase<"Offload", 4, "offload">,
  I32EnumAttrCase<"Result", 5, "result">,
  I32EnumAttrCase<"Move", 6, "move">
]> {
  let cppNamespace = "::turnip::mem";
  let genSpecializedAttr = 0;
}
def Mem_CopyRoleAttr : EnumAttr<Mem_Dialect, Mem_CopyRole, "copy_role">;

// A 64-bit float that prints without its type.
def Mem_Seconds : AttrParameter<"::mlir::FloatAttr", "seconds"> {
  let parser = [{ [&]() -> ::mlir::FailureOr<::mlir::FloatAttr> {
    double value;
    if ($_parser.parseFloat(value))
      return ::mlir::failure();
    return $_parser.getBuilder().getF64FloatAttr(value);
  }() }];
  let printer = "$_printer.printFloat($_self.getValue())";
}

def Mem_RangeAttr : Mem_Attr<"Range", "range"> {
  let summary = "bytes of a memory and the value they hold";
  let description = [{
    A memory, an offset and a number of bytes, and the value that is meant to
    be there. Scratch memory has no value.

    ```mlir
    #mem.range<v3 @dev0[128 + 64]>
    #mem.range<@dev0[128 + 64]>
    ```
  }];
  let parameters = (ins "::mlir::FlatSymbolRefAttr":$memory, "int64_t":$offset,
                        "int64_t":$bytes, "int64_t":$value);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The value of bytes that hold none.
    static constexpr int64_t kNoValue = -1;
  }];
}

def Mem_SmallestCapAttr : Mem_Attr<"SmallestCap", "smallest_cap"> {
  let summary = "the least capacity of a device's memory that would have done";
  let description = [{
    Bytes, and the number of the task that needs them, if one does.

    ```mlir
    #mem.smallest_cap<4096 task 7>
    #mem.smallest_cap<0>
    ```
  }];
  let parameters = (ins "int64_t":$bytes, DefaultValuedParameter<"int64_t", "-1">:$task);
  let assemblyFormat = "`<` $bytes (`task` $task^)? `>`";
}

def Mem_StatisticsAttr : Mem_Attr<"Statistics", "statistics"> {
  let summary = "what the planner knew about a graph";
  let description = [{
    Figures of the plan. One per memory: the end of the highest byte that the
    graph touches, without what alignment adds. One
    per link: the bytes moved. A bound for the bytes brought to the devices. One
    per device: the smallest capacity that would have done. In seconds: the
    busiest device's computing, the busiest channel's copying that no order
    avoids, the longest chain, the largest of these three, and the predicted
    time. Then the order that the planner chose.

    ```mlir
    #mem.statistics<peak_bytes = [128, 64], link_bytes = [64, 64],
      incoming_bytes_bound = 64, smallest_caps = [#mem.smallest_cap<128 task 0>],
      compute_bound = 1.000000e-06, transfer_bound = 2.000000e-06,
      critical_path = 3.000000e-06, makespan_bound = 3.000000e-06,
      predicted_makespan = 4.000000e-06, order = "given">
    ```
  }];
  let parameters = (ins
    "::mlir::DenseI64ArrayAttr":$peak_bytes,
    "::mlir::DenseI64ArrayAttr":$link_bytes,
    "int64_t":$incoming_bytes_bound,
    "::mlir::ArrayAttr":$smallest_caps,
    Mem_Seconds:$compute_bound,
    Mem_Seconds:$transfer_bound,
    Mem_Seconds:$critical_path,
    Mem_Seconds:$makespan_bound,
    Mem_Seconds:$predicted_makespan,
    "::mlir::StringAttr":$order
  );
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Mem_TokenType : TypeDef<Mem_Dialect, "Token"> {
  let mnemonic = "token";
  let summary = "the completion of an operation";
  let description = "Available once the operation that it belongs to is done.";
}

#endif // TURNIP_DIALECT_MEM_IR_MEMTYPES_TD
