//===- Module.h - What an artifact contains ---------------------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plain structs that mirror the artifact file (runtime/schema/memgraph.fbs):
// turnip-translate fills them from `mem` IR, the runtime executes them. Graphs
// are flat arrays of small records with 32-bit indices, so that a graph of 10^5
// vertices is a few array copies away from its file.
//
// Sizes and offsets are bytes unless a field says otherwise. Times are seconds.
// docs/artifact.md states every rule that a loaded module satisfies.
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_ARTIFACT_MODULE_H
#define TURNIP_ARTIFACT_MODULE_H

#include "turnip/machine/Machine.h"
#include "turnip/support/ElementType.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace turnip {
namespace artifact {

/// The index that stands for "there is none".
constexpr uint32_t none = UINT32_MAX;

/// A view of consecutive elements of an array owned by somebody else.
template <typename T> class Span {
public:
  Span() = default;
  Span(const T *data, size_t size) : first(data), count(size) {}
  const T *begin() const { return first; }
  const T *end() const { return first + count; }
  const T *data() const { return first; }
  size_t size() const { return count; }
  bool empty() const { return count == 0; }
  const T &operator[](size_t i) const { return first[i]; }

private:
  const T *first = nullptr;
  size_t count = 0;
};

//===----------------------------------------------------------------------===//
// The machine
//===----------------------------------------------------------------------===//

/// What a memory is: an arena of a device, plain host memory, or the read-only
/// host memory that parameters are bound to.
enum class MemoryKind : uint8_t { Device, Host, Parameters };
constexpr unsigned numMemoryKinds = 3;
const char *toString(MemoryKind kind);

struct Memory {
  /// Unique, such as "dev0"; a symbol in `mem` IR.
  std::string name;
  MemoryKind kind = MemoryKind::Device;
  /// The bytes it holds; no access ends beyond.
  uint64_t capacity = 0;
  /// The alignment of its first byte and of every buffer of a call in it; a
  /// power of two.
  uint64_t alignment = 64;
  /// False: no vertex may write to it.
  bool writable = true;
};

/// Host: the CPU, computing directly in host memory. Accelerator: a device with
/// a memory of its own, whichever driver stands for it.
enum class DeviceKind : uint8_t { Host, Accelerator };
constexpr unsigned numDeviceKinds = 2;
const char *toString(DeviceKind kind);

struct Device {
  /// Unique, such as "dev0".
  std::string name;
  DeviceKind kind = DeviceKind::Accelerator;
  /// The memory in which its calls access their buffers (index into
  /// Machine::memories). Calls of a device whose memory is of kind host may
  /// also read memories of kind parameters.
  uint32_t memory = 0;
  /// The host memory that its tiles are evicted to; none for a host device.
  uint32_t backing = none;
};

/// A way for bytes from one memory to another.
struct Link {
  /// Indices into Machine::memories.
  uint32_t source = 0;
  uint32_t destination = 0;
  /// Copies of links with equal channels take turns and share one bandwidth,
  /// as loads from parameters and from host memory do.
  uint32_t channel = 0;
  /// Bytes per second and seconds per copy that the planner reckoned with;
  /// 0 bytes per second: not known.
  double bytesPerSecond = 0;
  double latency = 0;
};

/// The machine that the graphs were placed for.
struct Machine {
  std::vector<Memory> memories;
  std::vector<Device> devices;
  std::vector<Link> links;
};

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// What a launch does: a device function of the object's code, or a matrix
/// product that a library carries out (cuBLASLt).
enum class LaunchKind : uint8_t { Kernel, Matmul };
constexpr unsigned numLaunchKinds = 2;
const char *toString(LaunchKind kind);

/// A place in one of a call's buffers. They are counted as turnip/runtime/
/// KernelABI.h passes them: operands, results, then the workspace.
struct LaunchBuffer {
  uint32_t buffer = 0;
  /// From the buffer's first byte.
  uint64_t offset = 0;
};

/// How products are summed: in f32, or in f32 of factors rounded to TF32.
enum class MatmulCompute : uint8_t { F32, TF32 };
constexpr unsigned numMatmulComputes = 2;
const char *toString(MatmulCompute compute);

/// What happens to D before it is stored: nothing; max(0, x); x times the
/// normal distribution function, approximated by tanh; a vector of m elements
/// of type D added to every column.
enum class MatmulEpilogue : uint8_t { None, Relu, Gelu, Bias };
constexpr unsigned numMatmulEpilogues = 4;
const char *toString(MatmulEpilogue epilogue);

/// D = epilogue(alpha * op(A) * op(B) + beta * C), batch times. Matrices are
/// column-major, as in BLAS: element (i, j) of a matrix is i + j * ld elements
/// behind its first. op(A) has m rows and k columns, op(B) k and n, C and D m
/// and n. C has the type, leading dimension and stride of D. The launch's
/// buffers are A, B, D, or A, B, C, D if beta is not 0; then the bias, if the
/// epilogue adds one.
struct Matmul {
  /// F32, F16 or BF16.
  ElementType typeA = ElementType::F32;
  ElementType typeB = ElementType::F32;
  ElementType typeD = ElementType::F32;
  MatmulCompute compute = MatmulCompute::F32;
  MatmulEpilogue epilogue = MatmulEpilogue::None;
  bool transposeA = false;
  bool transposeB = false;
  /// Each from 1 to 2^31 - 1.
  uint64_t m = 0, n = 0, k = 0;
  /// Elements from one column to the next, as stored.
  uint64_t lda = 0, ldb = 0, ldd = 0;
  uint32_t batch = 1;
  /// Elements from one matrix of a batch to the next; 0 for one matrix that
  /// all share (not D).
  uint64_t strideA = 0, strideB = 0, strideD = 0;
  float alpha = 1;
  float beta = 0;
  /// What the library may use of the object's workspace.
  uint64_t workspaceOffset = 0;
  uint64_t workspaceBytes = 0;
};

/// One step of a call on a device that is fed by launches. The steps of an
/// object follow each other on one stream.
struct Launch {
  LaunchKind kind = LaunchKind::Kernel;
  /// Kernel: the function's first arguments, each a pointer of 8 bytes. Matmul:
  /// the matrices (see there).
  std::vector<LaunchBuffer> buffers;

  // The rest of a Kernel.

  /// A function of the object's code.
  std::string symbol;
  /// Blocks and threads per block along x, y and z.
  std::array<uint32_t, 3> grid{{1, 1, 1}};
  std::array<uint32_t, 3> block{{1, 1, 1}};
  /// Dynamic shared memory of a block.
  uint32_t sharedBytes = 0;
  /// Which of the call's index scalars follow the pointers, each as a 64-bit
  /// integer.
  std::vector<uint32_t> scalars;

  /// The rest of a Matmul.
  Matmul matmul;
};

/// A kernel's code for one target.
struct KernelObject {
  /// Such as "x86_64-unknown-linux-gnu".
  std::string triple;
  /// What the processor must have, each a level ("x86-64-v3") or a feature
  /// ("avx2"); on a GPU its compute capability ("sm_90"). Sorted, no
  /// duplicates.
  std::vector<std::string> features;
  /// What `code` is. "elf-so": a shared object without dependencies other than
  /// the C library, which exports `symbol` (see turnip/runtime/KernelABI.h).
  /// "cubin", "ptx": what the CUDA driver loads. "stand-in": what the project's
  /// stand-in for the CUDA driver loads (turnip/standin/ThreadABI.h).
  std::string format = "elf-so";
  /// What an "elf-so" exports; not used where there are launches.
  std::string symbol;
  /// May be empty where all launches are products.
  std::string code;
  /// What this code needs of the kernel's workspace.
  uint64_t workspaceBytes = 0;
  /// The steps of a call, in order; empty for an "elf-so".
  std::vector<Launch> launches;
};

/// Result `result` may occupy exactly the bytes of operand `operand`.
struct InPlacePair {
  uint32_t operand = 0;
  uint32_t result = 0;
};

/// A function on tiles, called by any number of vertices. A call's buffers are
/// the operands, the results and, if workspaceBytes > 0, one workspace, in this
/// order.
struct Kernel {
  /// Unique; a symbol in `task` and `mem` IR.
  std::string name;
  /// The type in IR syntax, such as "(tensor<2x3xf32>, index) ->
  /// tensor<2xf32>"; opaque to the runtime.
  std::string signature;
  /// The body in IR syntax, or empty; opaque to the runtime.
  std::string source;
  /// Bytes of each operand and result.
  std::vector<uint64_t> operandBytes;
  std::vector<uint64_t> resultBytes;
  /// How many index scalars follow the operands.
  uint32_t scalarCount = 0;
  /// Grid points of one call, at least 1; they are independent of each other.
  uint64_t gridSize = 1;
  /// The most that any of the objects needs.
  uint64_t workspaceBytes = 0;
  /// Work of one call: floating point operations, bytes read and written, and
  /// the seconds that the planner reckoned with (0: not known).
  uint64_t flops = 0;
  uint64_t bytesMoved = 0;
  double seconds = 0;
  /// What the kernel mostly does, and with which type: what a machine
  /// description has speeds for.
  machine::KernelClass kernelClass = machine::KernelClass::Other;
  ElementType type = ElementType::F32;
  std::vector<InPlacePair> inPlace;
  /// At most one per (triple, features, format).
  std::vector<KernelObject> objects;
};

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

/// Read: an operand or the source of a copy. Write: a result or the
/// destination of a copy. Workspace: scratch bytes of a call.
enum class AccessRole : uint8_t { Read, Write, Workspace };
constexpr unsigned numAccessRoles = 3;
const char *toString(AccessRole role);

/// A range of bytes that a vertex touches.
struct Access {
  uint64_t offset = 0;
  uint64_t bytes = 0;
  /// The value that a read expects there or that a write leaves there: an id,
  /// equal for all copies of the same content. `none` for a workspace.
  uint32_t value = none;
  /// Index into Machine::memories.
  uint16_t memory = 0;
  AccessRole role = AccessRole::Read;
};

/// An index that a call passes to its kernel: `value`, plus the invocation
/// argument `argument` (index into Entry::arguments) unless that is `none`.
struct Scalar {
  int64_t value = 0;
  uint32_t argument = none;
};

/// Data: the vertex reads what the predecessor wrote. Memory: it overwrites
/// bytes that the predecessor still used.
enum class EdgeKind : uint8_t { Data, Memory };
constexpr unsigned numEdgeKinds = 2;
const char *toString(EdgeKind kind);

/// A dependency: the vertex that owns the edge starts after `source` is done.
struct Edge {
  /// A vertex of the same entry with a smaller index.
  uint32_t source = 0;
  EdgeKind kind = EdgeKind::Data;
};

/// Call: a kernel runs on a device. Copy: bytes move over a link. Join: nothing
/// happens; it stands for all of its predecessors, so that many vertices can
/// wait for many others with few edges.
enum class VertexKind : uint8_t { Call, Copy, Join };
constexpr unsigned numVertexKinds = 3;
const char *toString(VertexKind kind);

/// Why a copy is there (see planner::CopyRole); NotACopy for other vertices.
/// For people and traces: execution does not depend on it.
enum class CopyRole : uint8_t {
  NotACopy,
  Transfer,
  Load,
  Reload,
  Offload,
  Result,
  Move
};
constexpr unsigned numCopyRoles = 7;
const char *toString(CopyRole role);

/// The engine of a vertex that needs none.
constexpr uint16_t noEngine = UINT16_MAX;

/// Consecutive elements of one of an entry's arrays.
struct Range {
  uint32_t first = 0;
  uint32_t count = 0;
};

/// One operation of a graph. The ranges of consecutive vertices follow each
/// other without gaps, and the last one ends where the array does.
struct Vertex {
  /// Into Entry::accesses. A call: the buffers in the kernel's order. A copy:
  /// the source, then the destination. A join: empty.
  Range accesses;
  /// Into Entry::scalars; empty except for a call.
  Range scalars;
  /// Into Entry::edges: the predecessors, ascending without duplicates.
  Range edges;
  /// A call: index into Module::kernels. Otherwise none.
  uint32_t kernel = none;
  /// Index into Entry::tasks, or none for what only the planner knows.
  uint32_t task = none;
  /// Index into Entry::locations, or none.
  uint32_t location = none;
  /// A call: index into Machine::devices. A copy: index into Machine::links, or
  /// noEngine within one memory, where a device with that memory moves the
  /// bytes itself. A join: noEngine.
  uint16_t engine = noEngine;
  VertexKind kind = VertexKind::Call;
  CopyRole role = CopyRole::NotACopy;
};

/// A slice of a named tensor and the bytes that hold it, dense and row-major.
struct Piece {
  /// First index and extent along each dimension of Binding::shape.
  std::vector<int64_t> offsets;
  std::vector<int64_t> sizes;
  /// Where: a memory of kind host or parameters, and a byte offset in it.
  uint32_t memory = 0;
  uint64_t offset = 0;
  /// The value (see Access) that is there at entry (parameters, inputs) or at
  /// exit (results).
  uint32_t value = none;
};

/// A tensor that enters or leaves a graph by name. A name may occur more than
/// once with different shapes: views of one tensor.
struct Binding {
  std::string name;
  ElementType type = ElementType::F32;
  /// The shape that pieces refer to.
  std::vector<int64_t> shape;
  /// The shape outside: in the parameter file, or as the program declares it.
  /// As many elements as `shape`, in the same order.
  std::vector<int64_t> fileShape;
  /// Parameters and inputs: the slices that are used. Results: every element
  /// exactly once.
  std::vector<Piece> pieces;
};

/// A number that an invocation passes and that scalars may add.
struct Argument {
  std::string name;
  /// The smallest and largest value that the graph was compiled for.
  int64_t minimum = 0;
  int64_t maximum = 0;
};

/// The smallest capacity of a device's memory that would have done, and the
/// task that needs it (none: no task runs there).
struct SmallestCap {
  uint64_t bytes = 0;
  uint32_t task = none;
};

/// What the planner knew about a graph (see planner::Statistics). Every array
/// is empty (not known) or has an element for each memory, link or device.
struct Statistics {
  /// Per memory: the end of the highest byte that the graph touches, without
  /// what alignment adds.
  std::vector<uint64_t> peakBytes;
  /// Per link: bytes moved.
  std::vector<uint64_t> linkBytes;
  /// No plan with this order of tasks brings fewer bytes to the devices.
  uint64_t incomingBytesBound = 0;
  /// Per device.
  std::vector<SmallestCap> smallestCaps;
  /// Sum of the task costs of the busiest device, time of the busiest channel
  /// for what no order avoids, longest chain, the largest of these three, and
  /// the predicted time of the plan, all in seconds; 0: not known.
  double computeBound = 0;
  double transferBound = 0;
  double criticalPath = 0;
  double makespanBound = 0;
  double predictedMakespan = 0;
  /// The order of tasks that the planner chose, such as "depth-first".
  std::string order;
};

/// Where the value of a tile comes from.
enum class TileOrigin : uint8_t { Task, Parameter, Input };
constexpr unsigned numTileOrigins = 3;
const char *toString(TileOrigin origin);

/// A value at the place where tasks access it.
struct Tile {
  uint64_t bytes = 0;
  /// Where the program defines a parameter or an input: index into
  /// Entry::locations, or none. What a task makes is defined where the task is.
  uint32_t location = none;
  /// The memory in which tasks access it.
  uint16_t memory = 0;
  TileOrigin origin = TileOrigin::Task;
};

/// What one call of a kernel on a device takes, as the planner reckons.
struct Cost {
  double seconds = 0;
  uint32_t kernel = 0;
  /// Index into Machine::devices.
  uint16_t device = 0;
};

/// What the graph was planned from, so that it can be planned again. Task t is
/// the call, or the copy with role transfer, of the vertex whose `task` is t,
/// and Entry::tasks[t] is its name. Kernel, device and scalars are the
/// vertex's; here is which tiles it takes. A value is named after the first
/// tile that holds it: value v is that of tile v.
struct TaskGraph {
  /// Numbered in the order of their definition. Those of origin task are the
  /// results of all tasks, one task after the other.
  std::vector<Tile> tiles;
  /// The operands of all tasks, one task after the other: tiles before the
  /// task's results.
  std::vector<uint32_t> operands;
  /// The tile of each piece of each result of the entry, in their order.
  std::vector<uint32_t> results;
  /// Sorted by kernel and device, no pair twice; what is missing costs nothing.
  std::vector<Cost> costs;
  /// Where the program defines the graph: index into Entry::locations, or none.
  uint32_t location = none;
};

/// One graph. Vertices are in the planner's order, which is topological.
struct Entry {
  /// Unique; a symbol in `mem` IR.
  std::string name;
  std::vector<Vertex> vertices;
  std::vector<Access> accesses;
  std::vector<Scalar> scalars;
  std::vector<Edge> edges;
  std::vector<Argument> arguments;
  std::vector<Binding> parameters;
  std::vector<Binding> inputs;
  std::vector<Binding> results;
  /// What people call the tasks; need not be unique.
  std::vector<std::string> tasks;
  /// Source locations in IR syntax, such as `loc("model.mlir":3:8)`.
  std::vector<std::string> locations;
  Statistics statistics;
  /// Not there in files before format 1.1, and where it was not kept.
  std::optional<TaskGraph> taskGraph;

  Span<Access> accessesOf(const Vertex &vertex) const {
    return {accesses.data() + vertex.accesses.first, vertex.accesses.count};
  }
  Span<Scalar> scalarsOf(const Vertex &vertex) const {
    return {scalars.data() + vertex.scalars.first, vertex.scalars.count};
  }
  Span<Edge> edgesOf(const Vertex &vertex) const {
    return {edges.data() + vertex.edges.first, vertex.edges.count};
  }
};

/// An artifact: graphs over one set of memories, parameters and kernels.
struct Module {
  /// What made it, such as "turnip 0.1.0".
  std::string producer;
  /// The options it was made with, one command line; opaque to the runtime.
  std::string options;
  Machine machine;
  std::vector<Kernel> kernels;
  std::vector<Entry> entries;
  /// The content hash of the file it was loaded from; 0 where it was not. Not
  /// written.
  uint64_t contentHash = 0;
};

/// The hash that machine::KernelTime tells \p kernel apart by.
uint64_t codeHash(const Kernel &kernel);

/// A task of an entry that has a task graph.
struct TaskView {
  /// The first vertex that carries it out: its kernel, device and scalars.
  const Vertex *vertex = nullptr;
  /// Tiles.
  Span<uint32_t> operands;
  uint32_t firstResult = 0;
  uint32_t numResults = 0;
};

/// The tasks of \p entry, whose module must be valid. They refer to the entry.
std::vector<TaskView> tasksOf(const Module &module, const Entry &entry);

/// The value that each tile of \p entry holds, by the tasks it has.
std::vector<uint32_t> valuesOf(const Entry &entry,
                               const std::vector<TaskView> &tasks);

/// The bytes of \p piece, a piece of \p binding. The module must be valid.
uint64_t pieceBytes(const Binding &binding, const Piece &piece);

/// The end of the highest byte of each memory that \p entry touches: accesses,
/// parameters, inputs and results. The module must be valid.
std::vector<uint64_t> touchedBytes(const Module &module, const Entry &entry);

} // namespace artifact
} // namespace turnip

#endif // TURNIP_ARTIFACT_MODULE_H
