//===- CheckTest.cpp - One test per message of checkMeaning ---------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sample.h"
#include "turnip/artifact/Artifact.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

using namespace turnip;
using namespace turnip::artifact;

namespace {
/// A way to break a rule, and what checkMeaning says about it.
struct Case {
  const char *name;
  void (*breakRule)(Module &);
  const char *message;
};
} // namespace

static Entry &graph(Module &module) { return module.entries[0]; }
static Vertex &vertex(Module &module, size_t index) {
  return graph(module).vertices[index];
}
static Access &access(Module &module, size_t vertexIndex, size_t index) {
  return graph(module)
      .accesses[vertex(module, vertexIndex).accesses.first + index];
}
static Edge &edge(Module &module, size_t vertexIndex, size_t index) {
  return graph(module).edges[vertex(module, vertexIndex).edges.first + index];
}

static const Case machineCases[] = {
    {"MemoryWithoutName", [](Module &m) { m.machine.memories[1].name = ""; },
     "machine.memories[1].name: expected a name, but got none"},
    {"MemoryNameTwice", [](Module &m) { m.machine.memories[2].name = "dev0"; },
     "machine.memories[2].name: 'dev0' is also the name of element 0"},
    {"MemoryKind",
     [](Module &m) { m.machine.memories[0].kind = MemoryKind(3); },
     "machine.memories[0].kind: expected an enumerator below 3, but got 3"},
    {"MemoryAlignment", [](Module &m) { m.machine.memories[0].alignment = 96; },
     "machine.memories[0].alignment: expected a power of two from 64 to 2^30, "
     "but got 96"},
    {"MemoryCapacity",
     [](Module &m) { m.machine.memories[0].capacity = uint64_t(1) << 63; },
     "machine.memories[0].capacity: expected at most 2^63 - 1, but got "
     "9223372036854775808"},
    {"WritableParameters",
     [](Module &m) { m.machine.memories[2].writable = true; },
     "machine.memories[2].writable: a memory of kind parameters is not"},
    {"DeviceNameTwice", [](Module &m) { m.machine.devices[1].name = "gpu"; },
     "machine.devices[1].name: 'gpu' is also the name of element 0"},
    {"DeviceKind", [](Module &m) { m.machine.devices[0].kind = DeviceKind(2); },
     "machine.devices[0].kind: expected an enumerator below 2, but got 2"},
    {"DeviceMemory", [](Module &m) { m.machine.devices[0].memory = 3; },
     "machine.devices[0].memory: expected an index below 3, but got 3"},
    {"DeviceMemoryKind", [](Module &m) { m.machine.devices[0].memory = 1; },
     "machine.devices[0].memory: expected a memory of kind device, but got one "
     "of kind host"},
    {"DeviceBacking", [](Module &m) { m.machine.devices[0].backing = none; },
     "machine.devices[0].backing: expected an index below 3, but got none"},
    {"HostDeviceBacking", [](Module &m) { m.machine.devices[1].backing = 1; },
     "machine.devices[1].backing: expected none for a host device, but got 1"},
    {"LinkSource", [](Module &m) { m.machine.links[0].source = 9; },
     "machine.links[0].source: expected an index below 3, but got 9"},
    {"LinkDestination", [](Module &m) { m.machine.links[0].destination = 9; },
     "machine.links[0].destination: expected an index below 3, but got 9"},
    {"LinkChannel", [](Module &m) { m.machine.links[0].channel = 3; },
     "machine.links[0].channel: expected an index below 3, but got 3"},
    {"LinkBandwidth", [](Module &m) { m.machine.links[0].bytesPerSecond = -1; },
     "machine.links[0].bytes_per_second: expected a number from 0 upwards, but "
     "got -1.000000"},
    {"LinkLatency",
     [](Module &m) {
       m.machine.links[0].latency = std::numeric_limits<double>::infinity();
     },
     "machine.links[0].latency: expected a number from 0 upwards, but got inf"},
    {"TooManyMemories", [](Module &m) { m.machine.memories.resize(65536); },
     "machine.memories: expected at most 65535 elements, but got 65536"},
};

static const Case kernelCases[] = {
    {"KernelNameTwice", [](Module &m) { m.kernels[1].name = "lookup"; },
     "kernels[1].name: 'lookup' is also the name of element 0"},
    {"KernelOperandBytes", [](Module &m) { m.kernels[0].operandBytes[1] = 0; },
     "kernels[0].operand_bytes[1]: expected 1 to 2^63 - 1, but got 0"},
    {"KernelResultBytes", [](Module &m) { m.kernels[0].resultBytes[0] = 0; },
     "kernels[0].result_bytes[0]: expected 1 to 2^63 - 1, but got 0"},
    {"KernelGrid", [](Module &m) { m.kernels[0].gridSize = 0; },
     "kernels[0].grid_size: expected 1 to 2^63 - 1, but got 0"},
    {"KernelSeconds", [](Module &m) { m.kernels[0].seconds = std::nan(""); },
     "kernels[0].seconds: expected a number from 0 upwards, but got nan"},
    {"KernelClass",
     [](Module &m) {
       m.kernels[0].kernelClass = static_cast<machine::KernelClass>(6);
     },
     "kernels[0].kernel_class: expected an enumerator below 6, but got 6"},
    {"KernelType",
     [](Module &m) { m.kernels[0].type = static_cast<ElementType>(7); },
     "kernels[0].type: expected an enumerator below 7, but got 7"},
    {"InPlaceOperand", [](Module &m) { m.kernels[2].inPlace[1].operand = 2; },
     "kernels[2].in_place[1].operand: expected an index below 2, but got 2"},
    {"InPlaceResult", [](Module &m) { m.kernels[2].inPlace[1].result = 1; },
     "kernels[2].in_place[1].result: expected an index below 1, but got 1"},
    {"InPlaceBytes", [](Module &m) { m.kernels[2].operandBytes[1] = 64; },
     "kernels[2].in_place[1]: the operand has 64 bytes, but the result has "
     "128"},
    {"InPlaceTwice", [](Module &m) { m.kernels[2].inPlace[1].operand = 0; },
     "kernels[2].in_place[1]: occurs twice"},
    {"ObjectTriple", [](Module &m) { m.kernels[0].objects[0].triple = ""; },
     "kernels[0].objects[0].triple: is empty"},
    {"ObjectFormat", [](Module &m) { m.kernels[0].objects[0].format = ""; },
     "kernels[0].objects[0].format: is empty"},
    {"ObjectSymbol", [](Module &m) { m.kernels[0].objects[0].symbol = ""; },
     "kernels[0].objects[0].symbol: is empty"},
    {"ObjectCode", [](Module &m) { m.kernels[0].objects[0].code = ""; },
     "kernels[0].objects[0].code: is empty"},
    {"ObjectSymbolZero",
     [](Module &m) { m.kernels[0].objects[0].symbol = std::string("a\0b", 3); },
     "kernels[0].objects[0].symbol: contains a zero byte"},
    {"ObjectFeatures",
     [](Module &m) { m.kernels[0].objects[0].features = {"fma", "avx2"}; },
     "kernels[0].objects[0].features[1]: expected a feature after 'fma' in "
     "sorted order, but got 'avx2'"},
    {"ObjectTwice",
     [](Module &m) { m.kernels[1].objects[1] = m.kernels[1].objects[0]; },
     "kernels[1].objects[1]: is another object for the same triple, features "
     "and format"},
    {"ObjectWorkspace",
     [](Module &m) { m.kernels[1].objects[0].workspaceBytes = 101; },
     "kernels[1].objects[0].workspace_bytes: expected at most 100, the "
     "kernel's, but got 101"},
};

/// The object of the sample that has launches.
static KernelObject &launched(Module &module) {
  return module.kernels[1].objects[2];
}
static Launch &fill(Module &module) { return launched(module).launches[0]; }
static Launch &product(Module &module) { return launched(module).launches[1]; }

#define FILL "kernels[1].objects[2].launches[0]"
#define PRODUCT "kernels[1].objects[2].launches[1]"
static const Case launchCases[] = {
    {"LaunchOfHostCode",
     [](Module &m) { m.kernels[1].objects[0].launches = launched(m).launches; },
     "kernels[1].objects[0].launches: an object of format elf-so has none"},
    {"LaunchKind", [](Module &m) { fill(m).kind = LaunchKind(2); },
     FILL ".kind: expected an enumerator below 2, but got 2"},
    {"LaunchWithoutCode", [](Module &m) { launched(m).code = ""; },
     FILL ": calls a function, but the object has no code"},
    {"LaunchBuffer", [](Module &m) { fill(m).buffers[1].buffer = 4; },
     FILL ".buffers[1].buffer: expected an index below 4, but got 4"},
    {"LaunchWorkspaceOfAnother",
     [](Module &m) {
       launched(m).workspaceBytes = 0;
       product(m).matmul.workspaceBytes = 0;
       product(m).matmul.workspaceOffset = 0;
     },
     FILL ".buffers[1].buffer: expected an index below 3, but got 3"},
    {"LaunchOffset", [](Module &m) { fill(m).buffers[1].offset = 64; },
     FILL ".buffers[1].offset: expected less than 64, the bytes of buffer 3, "
          "but got 64"},
    {"LaunchSymbol", [](Module &m) { fill(m).symbol = ""; },
     FILL ".symbol: is empty"},
    {"LaunchSymbolZero",
     [](Module &m) { fill(m).symbol = std::string("a\0b", 3); },
     FILL ".symbol: contains a zero byte"},
    {"LaunchGrid", [](Module &m) { fill(m).grid[1] = 65536; },
     FILL ".grid.y: expected 1 to 65535, but got 65536"},
    {"LaunchBlock", [](Module &m) { fill(m).block[2] = 0; },
     FILL ".block.z: expected 1 to 64, but got 0"},
    {"LaunchThreads", [](Module &m) { fill(m).block[1] = 33; },
     FILL ".block: expected at most 1024 threads, but got 1056"},
    {"LaunchShared", [](Module &m) { fill(m).sharedBytes = 232449; },
     FILL ".shared_bytes: expected at most 232448, but got 232449"},
    {"LaunchArguments", [](Module &m) { fill(m).scalars.assign(511, 0); },
     FILL ": expected at most 512 buffers and scalars, but got 513"},
    {"LaunchScalar", [](Module &m) { fill(m).scalars[0] = 1; },
     FILL ".scalars[0]: expected an index below 1, but got 1"},
    {"MatmulSize", [](Module &m) { product(m).matmul.n = 0; },
     PRODUCT ".n: expected 1 to 2147483647, but got 0"},
    {"MatmulBatch", [](Module &m) { product(m).matmul.batch = 1u << 31; },
     PRODUCT ".batch: expected 1 to 2147483647, but got 2147483648"},
    {"MatmulCompute",
     [](Module &m) { product(m).matmul.compute = MatmulCompute(2); },
     PRODUCT ".compute: expected an enumerator below 2, but got 2"},
    {"MatmulEpilogue",
     [](Module &m) { product(m).matmul.epilogue = MatmulEpilogue(4); },
     PRODUCT ".epilogue: expected an enumerator below 4, but got 4"},
    {"MatmulAlpha", [](Module &m) { product(m).matmul.alpha = std::nanf(""); },
     PRODUCT ".alpha: expected a finite number, but got nan"},
    {"MatmulStride", [](Module &m) { product(m).matmul.batch = 2; },
     PRODUCT ".stride_d: expected matrices D at different places, but got 0"},
    {"MatmulWorkspace",
     [](Module &m) { product(m).matmul.workspaceOffset = 17; },
     PRODUCT ".workspace_bytes: expected bytes within the 64 of the object's "
             "workspace, but got 48 at offset 17"},
    {"MatmulBuffers", [](Module &m) { product(m).matmul.beta = 1; },
     PRODUCT ".buffers: expected 4 matrices, but got 3"},
    {"MatmulBias",
     [](Module &m) { product(m).matmul.epilogue = MatmulEpilogue::Bias; },
     PRODUCT ".buffers: expected 4 matrices, but got 3"},
    {"MatmulType",
     [](Module &m) { product(m).matmul.typeB = ElementType::I32; },
     PRODUCT ": expected f32, f16 or bf16 as the type of B, but got "
             "enumerator 4"},
    {"MatmulLeadingDimension", [](Module &m) { product(m).matmul.lda = 7; },
     PRODUCT ": expected a leading dimension of A of at least 8, its rows, but "
             "got 7"},
    {"MatmulEnd", [](Module &m) { product(m).matmul.ldb = 9; },
     PRODUCT ": B does not end within the 128 bytes at offset 0 of buffer 0"},
    {"MatmulEndOverflow",
     [](Module &m) { product(m).matmul.ldd = (uint64_t(1) << 63) / 3 + 1; },
     PRODUCT ": D does not end within the 128 bytes at offset 0 of buffer 2"},
    {"MatmulBatchEnd",
     [](Module &m) {
       product(m).matmul.batch = 3;
       product(m).matmul.strideD = 1;
       product(m).matmul.strideA = uint64_t(1) << 63;
     },
     PRODUCT ": A does not end within the 256 bytes at offset 0 of buffer 1"},
    {"MatmulOffset",
     [](Module &m) {
       product(m).matmul.n = 1;
       product(m).buffers[2].offset = 2;
     },
     PRODUCT ": expected an offset of D that is a multiple of 4, but got 2"},
    {"MatmulWritesOperand", [](Module &m) { product(m).buffers[2].buffer = 0; },
     PRODUCT ": expected D in a result or the workspace, but got operand 0"},
};
#undef FILL
#undef PRODUCT

static const Case vertexCases[] = {
    {"EntryNameTwice", [](Module &m) { m.entries[1].name = "main"; },
     "entries[1].name: 'main' is also the name of element 0"},
    {"ArgumentRange", [](Module &m) { graph(m).arguments[0].minimum = 1001; },
     "entries[0].arguments[0]: the minimum 1001 exceeds the maximum 1000"},
    {"ArgumentName", [](Module &m) { graph(m).arguments[0].name = ""; },
     "entries[0].arguments[0].name: expected a name, but got none"},
    {"RangeFirst", [](Module &m) { vertex(m, 3).accesses.first = 6; },
     "entries[0].vertices[3].accesses.first: expected 7, but got 6"},
    {"RangeCount", [](Module &m) { vertex(m, 9).edges.count = 2; },
     "entries[0].vertices[9].edges.count: expected at most 1, the elements "
     "left, but got 2"},
    {"RangeLeftover", [](Module &m) { graph(m).scalars.push_back({}); },
     "entries[0].scalars: has 3 elements, but the vertices own 2"},
    {"VertexKind", [](Module &m) { vertex(m, 0).kind = VertexKind(3); },
     "entries[0].vertices[0].kind: expected an enumerator below 3, but got 3"},
    {"VertexRole", [](Module &m) { vertex(m, 1).role = CopyRole(7); },
     "entries[0].vertices[1].role: expected an enumerator below 7, but got 7"},
    {"CopyWithoutRole",
     [](Module &m) { vertex(m, 1).role = CopyRole::NotACopy; },
     "entries[0].vertices[1].role: expected the role of a copy, but got none"},
    {"CallWithRole", [](Module &m) { vertex(m, 0).role = CopyRole::Load; },
     "entries[0].vertices[0].role: expected none, for this is not a copy, but "
     "got load"},
    {"VertexTask", [](Module &m) { vertex(m, 0).task = 5; },
     "entries[0].vertices[0].task: expected an index below 5, but got 5"},
    {"VertexLocation", [](Module &m) { vertex(m, 0).location = 2; },
     "entries[0].vertices[0].location: expected an index below 2, but got 2"},
    {"EdgeForward", [](Module &m) { edge(m, 1, 0).source = 1; },
     "entries[0].vertices[1].edges[0].source: expected an earlier vertex than "
     "1, but got 1"},
    {"EdgeOrder", [](Module &m) { edge(m, 3, 1).source = 1; },
     "entries[0].vertices[3].edges[1].source: expected a vertex after 1, but "
     "got 1"},
    {"EdgeKind", [](Module &m) { edge(m, 3, 1).kind = EdgeKind(2); },
     "entries[0].vertices[3].edges[1].kind: expected an enumerator below 2, "
     "but got 2"},
    {"ScalarArgument", [](Module &m) { graph(m).scalars[1].argument = 1; },
     "entries[0].scalars[1].argument: expected an index below 1, but got 1"},
    {"CallDevice", [](Module &m) { vertex(m, 0).engine = 2; },
     "entries[0].vertices[0].engine: expected an index below 2, but got 2"},
    {"CallKernel", [](Module &m) { vertex(m, 0).kernel = 99; },
     "entries[0].vertices[0].kernel: expected an index below 3, but got 99"},
    {"CallArity", [](Module &m) { vertex(m, 0).kernel = 1; },
     "entries[0].vertices[0].accesses: kernel multiply has 4 buffers, but the "
     "call has 3"},
    {"CallScalars", [](Module &m) { m.kernels[1].scalarCount = 2; },
     "entries[0].vertices[3].scalars: kernel multiply has 2 scalars, but the "
     "call has 1"},
    {"CopyLink", [](Module &m) { vertex(m, 1).engine = 3; },
     "entries[0].vertices[1].engine: expected an index below 3, but got 3"},
    {"CopyKernel", [](Module &m) { vertex(m, 1).kernel = 0; },
     "entries[0].vertices[1].kernel: expected none, but got 0"},
    {"CopyScalars",
     [](Module &m) {
       vertex(m, 9).scalars.count = 1;
       graph(m).scalars.push_back({});
     },
     "entries[0].vertices[9].scalars: expected no elements, but got 1"},
    {"CopyAccesses",
     [](Module &m) {
       vertex(m, 9).accesses.count = 3;
       graph(m).accesses.push_back(graph(m).accesses.back());
     },
     "entries[0].vertices[9].accesses: expected 2 elements, but got 3"},
    {"JoinEngine", [](Module &m) { vertex(m, 4).engine = 0; },
     "entries[0].vertices[4].engine: expected none for a join, but got 0"},
    {"JoinKernel", [](Module &m) { vertex(m, 4).kernel = 0; },
     "entries[0].vertices[4].kernel: expected none, but got 0"},
};

static const Case accessCases[] = {
    {"AccessRole", [](Module &m) { access(m, 0, 0).role = AccessRole(3); },
     "entries[0].vertices[0].accesses[0].role: expected an enumerator below 3, "
     "but got 3"},
    {"AccessMemory", [](Module &m) { access(m, 0, 0).memory = 3; },
     "entries[0].vertices[0].accesses[0].memory: expected an index below 3, "
     "but got 3"},
    {"AccessOutside", [](Module &m) { access(m, 1, 1).offset = 897; },
     "entries[0].vertices[1].accesses[1]: expected bytes within the 1024 of "
     "dev0, but got 128 at offset 897"},
    {"AccessOverflow",
     [](Module &m) { access(m, 1, 1).offset = UINT64_MAX - 63; },
     "entries[0].vertices[1].accesses[1]: expected bytes within the 1024 of "
     "dev0, but got 128 at offset 18446744073709551552"},
    {"AccessEmpty", [](Module &m) { access(m, 1, 1).bytes = 0; },
     "entries[0].vertices[1].accesses[1]: expected at least 1 byte, but got "
     "0"},
    {"AccessReadOnly", [](Module &m) { access(m, 0, 2).memory = 2; },
     "entries[0].vertices[0].accesses[2]: a write access, but params is not "
     "writable"},
    {"AccessWithoutValue", [](Module &m) { access(m, 0, 0).value = none; },
     "entries[0].vertices[0].accesses[0].value: expected a value, but got "
     "none"},
    {"WorkspaceWithValue", [](Module &m) { access(m, 3, 3).value = 1; },
     "entries[0].vertices[3].accesses[3].value: expected none for a workspace, "
     "but got 1"},
    {"CallAccessRole",
     [](Module &m) { access(m, 0, 0).role = AccessRole::Write; },
     "entries[0].vertices[0].accesses[0].role: expected read, but got write"},
    {"CallAccessBytes", [](Module &m) { access(m, 0, 0).bytes = 20; },
     "entries[0].vertices[0].accesses[0].bytes: expected 16, but got 20"},
    {"CallWorkspaceBytes", [](Module &m) { access(m, 3, 3).bytes = 101; },
     "entries[0].vertices[3].accesses[3].bytes: expected 100, but got 101"},
    {"CallAccessMemory", [](Module &m) { access(m, 3, 0).memory = 1; },
     "entries[0].vertices[3].accesses[0].memory: expected dev0, the memory of "
     "device gpu, but got host"},
    {"DeviceReadsParameters", [](Module &m) { access(m, 3, 0).memory = 2; },
     "entries[0].vertices[3].accesses[0].memory: expected dev0, the memory of "
     "device gpu, but got params"},
    {"CallAccessAlignment", [](Module &m) { access(m, 0, 2).offset = 68; },
     "entries[0].vertices[0].accesses[2].offset: expected a multiple of 64, "
     "but got 68"},
    {"ResultOverlapsOperand", [](Module &m) { access(m, 3, 2).offset = 320; },
     "entries[0].vertices[3].accesses[2]: bytes [320, 448) of dev0 overlaps "
     "access 1, bytes [128, 384) of dev0"},
    {"InPlaceNotAllowed", [](Module &m) { m.kernels[2].inPlace.clear(); },
     "entries[0].vertices[7].accesses[2]: bytes [384, 512) of dev0 overlaps "
     "access 0, bytes [384, 512) of dev0"},
    {"InPlaceNotExact",
     [](Module &m) {
       access(m, 7, 2).offset = 448;
       access(m, 7, 1).offset = 640;
     },
     "entries[0].vertices[7].accesses[2]: bytes [448, 576) of dev0 overlaps "
     "access 0, bytes [384, 512) of dev0"},
    {"WorkspaceOverlapsResult", [](Module &m) { access(m, 3, 3).offset = 448; },
     "entries[0].vertices[3].accesses[3]: bytes [448, 548) of dev0 overlaps "
     "access 2, bytes [384, 512) of dev0"},
    {"CopyAccessRole",
     [](Module &m) { access(m, 1, 1).role = AccessRole::Read; },
     "entries[0].vertices[1].accesses[1].role: expected write, but got read"},
    {"CopyAccessMemory", [](Module &m) { access(m, 1, 0).memory = 2; },
     "entries[0].vertices[1].accesses[0].memory: expected host, as the link, "
     "but got params"},
    {"MoveBetweenMemories", [](Module &m) { access(m, 8, 1).memory = 1; },
     "entries[0].vertices[8].accesses[1].memory: expected dev0, as the source, "
     "but got host"},
    {"MoveWithoutDevice",
     [](Module &m) {
       m.machine.memories.push_back({"ram2", MemoryKind::Host, 4096, 64, true});
       access(m, 8, 0).memory = 3;
       access(m, 8, 1).memory = 3;
     },
     "entries[0].vertices[8].accesses: no device moves bytes within ram2"},
    {"CopyAccessBytes", [](Module &m) { access(m, 1, 1).bytes = 64; },
     "entries[0].vertices[1].accesses[1].bytes: expected 128, but got 64"},
    {"CopyAccessValue", [](Module &m) { access(m, 1, 1).value = 5; },
     "entries[0].vertices[1].accesses[1].value: expected 4, but got 5"},
    {"CopyOverlap", [](Module &m) { access(m, 8, 1).offset = 320; },
     "entries[0].vertices[8].accesses: the source and the destination "
     "overlap"},
};

static const Case bindingCases[] = {
    {"BindingWithoutName", [](Module &m) { graph(m).inputs[0].name = ""; },
     "entries[0].inputs[0].name: expected a name, but got none"},
    {"BindingType", [](Module &m) { graph(m).inputs[0].type = ElementType(7); },
     "entries[0].inputs[0].type: expected an enumerator below 7, but got 7"},
    {"BindingShape", [](Module &m) { graph(m).parameters[0].shape[1] = 0; },
     "entries[0].parameters[0].shape[1]: expected an extent of at least 1, but "
     "got 0"},
    {"BindingTooLarge",
     [](Module &m) {
       graph(m).parameters[0].shape = {int64_t(1) << 40, int64_t(1) << 40};
     },
     "entries[0].parameters[0].shape: the tensor has 2^60 elements or more"},
    {"BindingFileShape",
     [](Module &m) { graph(m).parameters[1].fileShape[0] = 127; },
     "entries[0].parameters[1].file_shape: has 127 elements, but the shape has "
     "128"},
    {"PieceOffsetsRank",
     [](Module &m) { graph(m).parameters[1].pieces[1].offsets = {8}; },
     "entries[0].parameters[1].pieces[1].offsets: expected 2, but got 1"},
    {"PieceSizesRank",
     [](Module &m) { graph(m).parameters[1].pieces[1].sizes = {8}; },
     "entries[0].parameters[1].pieces[1].sizes: expected 2, but got 1"},
    {"PieceSize",
     [](Module &m) { graph(m).parameters[1].pieces[1].sizes[0] = 17; },
     "entries[0].parameters[1].pieces[1].sizes[0]: expected 1 to 16, but got "
     "17"},
    {"PieceOffset",
     [](Module &m) { graph(m).parameters[1].pieces[1].offsets[0] = 9; },
     "entries[0].parameters[1].pieces[1].offsets[0]: expected 0 to 8, but got "
     "9"},
    {"PieceMemory", [](Module &m) { graph(m).inputs[0].pieces[0].memory = 3; },
     "entries[0].inputs[0].pieces[0].memory: expected an index below 3, but "
     "got 3"},
    {"PieceOnDevice",
     [](Module &m) { graph(m).inputs[0].pieces[0].memory = 0; },
     "entries[0].inputs[0].pieces[0].memory: expected a memory of the host, "
     "but got dev0 of kind device"},
    {"PieceOutside",
     [](Module &m) { graph(m).inputs[0].pieces[0].offset = 4084; },
     "entries[0].inputs[0].pieces[0]: expected bytes within the 4096 of host, "
     "but got 16 at offset 4084"},
    {"PieceAlignment",
     [](Module &m) { graph(m).inputs[0].pieces[0].offset = 2; },
     "entries[0].inputs[0].pieces[0].offset: expected a multiple of 4, but got "
     "2"},
    {"PieceValue", [](Module &m) { graph(m).inputs[0].pieces[0].value = none; },
     "entries[0].inputs[0].pieces[0].value: expected a value, but got none"},
    {"ResultReadOnly",
     [](Module &m) { graph(m).results[0].pieces[0].memory = 2; },
     "entries[0].results[0].pieces[0].memory: a result is there, but params is "
     "not writable"},
    {"ResultIncomplete",
     [](Module &m) { graph(m).results[0].pieces[0].sizes[0] = 3; },
     "entries[0].results[0].pieces: the tensor has 32 elements, but the pieces "
     "have 24"},
    {"ResultTooMany",
     [](Module &m) {
       graph(m).results[0].pieces.push_back(graph(m).results[0].pieces[0]);
     },
     "entries[0].results[0].pieces: the tensor has 32 elements, but the pieces "
     "have 64 or more"},
    {"ResultOverlap",
     [](Module &m) {
       graph(m).results[0].pieces = {{{0, 0}, {2, 8}, 1, 192, 7},
                                     {{1, 0}, {2, 8}, 1, 256, 7}};
     },
     "entries[0].results[0].pieces[1]: holds elements that piece 0 holds as "
     "well"},
    {"ViewTwice",
     [](Module &m) { graph(m).parameters.push_back(graph(m).parameters[0]); },
     "entries[0].parameters[2]: 'table' with shape 100x8xf32 is already "
     "element 0"},
    {"ViewsDiffer",
     [](Module &m) {
       graph(m).parameters.push_back(graph(m).parameters[0]);
       graph(m).parameters[2].shape = {800};
       graph(m).parameters[2].fileShape = {800};
       graph(m).parameters[2].pieces.clear();
     },
     "entries[0].parameters[2]: 'table' is 800xf32 here, but 100x8xf32 in "
     "element 0"},
    {"PiecesShareBytes",
     [](Module &m) { graph(m).parameters[1].pieces[0].offset = 3136; },
     "entries[0].parameters[1].pieces[0]: bytes [3136, 3392) of params "
     "overlaps piece 0 of 'table', bytes [0, 3200) of params"},
    {"PiecesOfOneTensorShareBytes",
     [](Module &m) { graph(m).parameters[1].pieces[1].offset = 3392; },
     "entries[0].parameters[1].pieces[1]: bytes [3392, 3648) of params "
     "overlaps piece 0 of 'weight', bytes [3200, 3456) of params"},
};

static const Case statisticsCases[] = {
    {"PeakCount", [](Module &m) { graph(m).statistics.peakBytes.pop_back(); },
     "entries[0].statistics.peak_bytes: expected 0 or 3 elements, but got 2"},
    {"LinkCount", [](Module &m) { graph(m).statistics.linkBytes.pop_back(); },
     "entries[0].statistics.link_bytes: expected 0 or 3 elements, but got 2"},
    {"CapCount", [](Module &m) { graph(m).statistics.smallestCaps.pop_back(); },
     "entries[0].statistics.smallest_caps: expected 0 or 2 elements, but got "
     "1"},
    {"ComputeBound", [](Module &m) { graph(m).statistics.computeBound = -1; },
     "entries[0].statistics.compute_bound: expected a number from 0 upwards, "
     "but got -1.000000"},
    {"TransferBound", [](Module &m) { graph(m).statistics.transferBound = -1; },
     "entries[0].statistics.transfer_bound: expected a number from 0 upwards, "
     "but got -1.000000"},
    {"CriticalPath", [](Module &m) { graph(m).statistics.criticalPath = -1; },
     "entries[0].statistics.critical_path: expected a number from 0 upwards, "
     "but got -1.000000"},
    {"MakespanBound", [](Module &m) { graph(m).statistics.makespanBound = -1; },
     "entries[0].statistics.makespan_bound: expected a number from 0 upwards, "
     "but got -1.000000"},
    {"Predicted", [](Module &m) { graph(m).statistics.predictedMakespan = -1; },
     "entries[0].statistics.predicted_makespan: expected a number from 0 "
     "upwards, but got -1.000000"},
    {"CapTask", [](Module &m) { graph(m).statistics.smallestCaps[0].task = 5; },
     "entries[0].statistics.smallest_caps[0].task: expected an index below 5, "
     "but got 5"},
    {"PeakTooLow", [](Module &m) { graph(m).statistics.peakBytes[0] = 739; },
     "entries[0].statistics.peak_bytes[0]: expected from 740, the bytes "
     "touched, to 1024, the capacity of dev0, but got 739"},
    {"LinkBytes", [](Module &m) { graph(m).statistics.linkBytes[1] = 511; },
     "entries[0].statistics.link_bytes[1]: expected 512, the bytes of the "
     "copies over the link, but got 511"},
};

namespace {
class CheckMeaning : public ::testing::TestWithParam<Case> {};
} // namespace

TEST_P(CheckMeaning, NamesWhatIsWrong) {
  Module module = makeSample();
  ASSERT_TRUE(checkMeaning(module)) << checkMeaning(module).message();
  GetParam().breakRule(module);
  Status status = checkMeaning(module);
  EXPECT_EQ(status.message(), GetParam().message);
  EXPECT_EQ(status.code(), StatusCode::BadInput);
  // Nothing that could not be read again is written.
  Expected<std::string> bytes = serialize(module);
  ASSERT_FALSE(bytes);
  EXPECT_EQ(bytes.status().message(), GetParam().message);
}

static std::string caseName(const ::testing::TestParamInfo<Case> &info) {
  return info.param.name;
}

INSTANTIATE_TEST_SUITE_P(Machine, CheckMeaning,
                         ::testing::ValuesIn(machineCases), caseName);
INSTANTIATE_TEST_SUITE_P(Kernel, CheckMeaning, ::testing::ValuesIn(kernelCases),
                         caseName);
INSTANTIATE_TEST_SUITE_P(Launch, CheckMeaning, ::testing::ValuesIn(launchCases),
                         caseName);
INSTANTIATE_TEST_SUITE_P(Vertex, CheckMeaning, ::testing::ValuesIn(vertexCases),
                         caseName);
INSTANTIATE_TEST_SUITE_P(Access, CheckMeaning, ::testing::ValuesIn(accessCases),
                         caseName);
INSTANTIATE_TEST_SUITE_P(Binding, CheckMeaning,
                         ::testing::ValuesIn(bindingCases), caseName);
INSTANTIATE_TEST_SUITE_P(Statistics, CheckMeaning,
                         ::testing::ValuesIn(statisticsCases), caseName);

TEST(CheckMeaningAccepts, SlicesOfAParameterPlacedWhole) {
  Module module = makeSample();
  graph(module).taskGraph.reset();
  // Rows 10 to 19 of the table, where they lie in it, and a flat view of it.
  Binding &table = graph(module).parameters[0];
  table.pieces.push_back({{10, 0}, {10, 8}, 2, 320, 20});
  Binding flat = table;
  flat.shape = {800};
  flat.pieces = {{{0}, {800}, 2, 0, 21}, {{8}, {16}, 2, 32, 22}};
  graph(module).parameters.push_back(flat);
  Status status = checkMeaning(module);
  EXPECT_TRUE(status) << status.message();
  // A slice that is not contiguous may not lie inside the whole.
  graph(module).parameters[0].pieces.push_back({{0, 0}, {2, 4}, 2, 0, 23});
  EXPECT_FALSE(checkMeaning(module));
}

TEST(CheckMeaningAccepts, ScalarsOfRankZero) {
  Module module = makeSample();
  graph(module).taskGraph.reset();
  graph(module).inputs.push_back(
      {"scale", ElementType::F32, {}, {}, {{{}, {}, 1, 512, 30}}});
  graph(module).results.push_back(
      {"norm", ElementType::F32, {}, {1, 1}, {{{}, {}, 1, 576, 31}}});
  graph(module).statistics.peakBytes.clear();
  Status status = checkMeaning(module);
  EXPECT_TRUE(status) << status.message();
}

TEST(CheckMeaningAccepts, ResultsInManyPieces) {
  Module module = makeSample();
  graph(module).taskGraph.reset();
  module.machine.memories[1].capacity = 1 << 20;
  graph(module).statistics.peakBytes.clear();
  Binding grid{"grid", ElementType::F32, {100, 90}, {9000}, {}};
  for (int64_t i = 0; i < 100; ++i)
    for (int64_t j = 0; j < 9; ++j)
      grid.pieces.push_back({{i, 10 * (8 - j)},
                             {1, 10},
                             1,
                             uint64_t(1024 + 64 * (9 * i + j)),
                             uint32_t(100 + 9 * i + j)});
  graph(module).results.push_back(grid);
  Status status = checkMeaning(module);
  EXPECT_TRUE(status) << status.message();
  graph(module).results[1].pieces[5].offsets[1] += 10;
  EXPECT_EQ(checkMeaning(module).message(),
            "entries[0].results[1].pieces[5]: holds elements that piece 4 "
            "holds as well");
}

TEST(CheckMeaningAccepts, ResultsInPiecesThatAreNoGrid) {
  // Four bricks around one in the middle.
  Module module = makeSample();
  graph(module).taskGraph.reset();
  module.machine.memories[1].capacity = 1 << 20;
  graph(module).statistics.peakBytes.clear();
  Binding bricks{"bricks", ElementType::F32, {3, 3}, {9}, {}};
  const int64_t boxes[5][4] = {
      {0, 0, 1, 2}, {0, 2, 2, 1}, {2, 1, 1, 2}, {1, 0, 2, 1}, {1, 1, 1, 1}};
  for (uint32_t i = 0; i < 5; ++i)
    bricks.pieces.push_back({{boxes[i][0], boxes[i][1]},
                             {boxes[i][2], boxes[i][3]},
                             1,
                             uint64_t(1024 + 64 * i),
                             100 + i});
  graph(module).results.push_back(bricks);
  Status status = checkMeaning(module);
  EXPECT_TRUE(status) << status.message();
  // As many elements, but one twice.
  graph(module).results[1].pieces[4].offsets = {2, 2};
  EXPECT_EQ(checkMeaning(module).message(),
            "entries[0].results[1].pieces[4]: holds elements that piece 2 "
            "holds as well");
}
