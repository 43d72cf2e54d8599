//===- GraphTasks.cpp - A mem.graph against its task.graph ----------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphTasks.h"

#include "turnip/Dialect/Task/IR/TileNumbering.h"

using namespace mlir;
using namespace turnip;
using namespace turnip::mem;

namespace {
class TaskVerifier {
public:
  TaskVerifier(GraphOp graph, task::GraphOp tasks, Machine &machine)
      : graph(graph), tasks(tasks), machine(machine), numbering(tasks),
        values(numbering.getValues()), done(numbering.getTasks().size()) {}

  LogicalResult verify();

private:
  InFlightDiagnostic differs(Operation *op, Operation *task);
  FailureOr<Operation *> taskOf(Operation *op, std::optional<int64_t> number);
  LogicalResult verifyPlaces();
  LogicalResult verifyCall(CallOp call);
  LogicalResult verifyCopy(CopyOp copy);
  LogicalResult verifyValues(Operation *op, Operation *task, StringRef what,
                             ArrayRef<RangeAttr> ranges, ValueRange tiles);
  template <typename TaskOp, typename MemOp>
  LogicalResult verifyPiece(MemOp op);
  LogicalResult verifyResults();

  GraphOp graph;
  task::GraphOp tasks;
  Machine &machine;
  task::TileNumbering numbering;
  SmallVector<uint32_t> values;
  SmallVector<bool> done;
};
} // namespace

/// Starts an error at \p op, with a note at the \p task that it differs from.
InFlightDiagnostic TaskVerifier::differs(Operation *op, Operation *task) {
  InFlightDiagnostic diag = op->emitOpError();
  diag.attachNote(task->getLoc()) << "the task in " << graph.getTasksAttr();
  return diag;
}

LogicalResult TaskVerifier::verifyPlaces() {
  auto check = [&](task::PlaceAttr place) -> LogicalResult {
    if (machine.findDevice(place))
      return success();
    return graph.emitOpError("expected a machine with the devices of ")
           << graph.getTasksAttr() << ", but it has no " << place;
  };
  for (uint32_t tile = 0; tile < numbering.getNumTiles(); ++tile)
    if (failed(
            check(cast<task::TileType>(numbering.getDefinition(tile).getType())
                      .getPlace())))
      return failure();
  return success();
}

FailureOr<Operation *> TaskVerifier::taskOf(Operation *op,
                                            std::optional<int64_t> number) {
  auto count = static_cast<int64_t>(numbering.getTasks().size());
  if (!number)
    return op->emitOpError("expected the number of a task of ")
           << graph.getTasksAttr();
  if (*number >= count)
    return op->emitOpError("expected a task of ")
           << graph.getTasksAttr() << " below " << count << ", but got "
           << *number;
  done[*number] = true;
  return numbering.getTasks()[*number];
}

LogicalResult TaskVerifier::verifyValues(Operation *op, Operation *task,
                                         StringRef what,
                                         ArrayRef<RangeAttr> ranges,
                                         ValueRange tiles) {
  for (auto [index, pair] : llvm::enumerate(llvm::zip_equal(ranges, tiles))) {
    auto [range, tile] = pair;
    uint32_t expected = values[numbering.getTile(tile)];
    if (range.getValue() == expected)
      continue;
    InFlightDiagnostic diag = differs(op, task);
    diag << "expected number " << index << " of " << what << " to be value v"
         << expected << " as in " << graph.getTasksAttr() << ", but got v"
         << range.getValue();
    return diag;
  }
  return success();
}

LogicalResult TaskVerifier::verifyCall(CallOp call) {
  FailureOr<Operation *> op = taskOf(call, call.getTask());
  if (failed(op))
    return failure();
  auto task = dyn_cast<task::CallOp>(*op);
  auto mismatch = [&](StringRef what) -> LogicalResult {
    InFlightDiagnostic diag = differs(call, *op);
    diag << "expected the " << what << " of task " << *call.getTask() << " of "
         << graph.getTasksAttr();
    return diag;
  };
  if (!task || task.getKernelAttr() != call.getKernelAttr())
    return mismatch("kernel");
  if (call.getScalars().value_or(ArrayRef<int64_t>()) != task.getScalars())
    return mismatch("scalars");
  if (machine.findDevice(task.getPlace()) !=
      machine.findDevice(call.getDeviceAttr()))
    return mismatch("device");
  auto reads = llvm::to_vector(call.getReads().getAsRange<RangeAttr>());
  auto writes = llvm::to_vector(call.getWrites().getAsRange<RangeAttr>());
  return success(
      succeeded(verifyValues(call, task, "reads", reads, task.getOperands())) &&
      succeeded(verifyValues(call, task, "writes", writes, task.getResults())));
}

LogicalResult TaskVerifier::verifyCopy(CopyOp copy) {
  if (copy.getRole() != CopyRole::Transfer) {
    if (!copy.getTask())
      return success();
    return copy.emitOpError("expected no task for a copy of role ")
           << stringifyCopyRole(copy.getRole());
  }
  FailureOr<Operation *> op = taskOf(copy, copy.getTask());
  if (failed(op))
    return failure();
  auto task = dyn_cast<task::TransferOp>(*op);
  if (!task) {
    InFlightDiagnostic diag = differs(copy, *op);
    diag << "expected a task.transfer as task " << *copy.getTask() << " of "
         << graph.getTasksAttr();
    return diag;
  }
  return verifyValues(copy, task, "sources", {copy.getSource()},
                      task.getSource());
}

/// Whether \p op holds the slice that \p task states.
template <typename TaskOp, typename MemOp>
static bool isSameSlice(TaskOp task, MemOp op) {
  return task.getNameAttr() == op.getNameAttr() &&
         task.getShapeAttr() == op.getShapeAttr() &&
         task.getOuterShapeAttr() == op.getOuterShapeAttr() &&
         task.getOffsetsAttr() == op.getOffsetsAttr() &&
         task.getSizesAttr() == op.getSizesAttr() &&
         task.getTile().getType().getElementType() == op.getElementType();
}

/// A piece holds the tile that its value is named after.
template <typename TaskOp, typename MemOp>
LogicalResult TaskVerifier::verifyPiece(MemOp op) {
  int64_t value = op.getRange().getValue();
  auto isSame = [&](TaskOp other) {
    return numbering.getTile(other.getTile()) == value &&
           isSameSlice(other, op);
  };
  if (value < static_cast<int64_t>(numbering.getNumTiles())) {
    // Other views of the tile come later, if at all.
    auto first = numbering.getDefinition(static_cast<uint32_t>(value))
                     .template getDefiningOp<TaskOp>();
    if (first &&
        (isSame(first) || llvm::any_of(tasks.getOps<TaskOp>(), isSame)))
      return success();
  }
  return op.emitOpError("expected a slice that ")
         << graph.getTasksAttr() << " has as tile " << value;
}

LogicalResult TaskVerifier::verifyResults() {
  auto wanted = llvm::to_vector(tasks.getOps<task::ResultOp>());
  auto actual = llvm::to_vector(graph.getOps<ResultOp>());
  if (wanted.size() != actual.size())
    return graph.emitOpError("expected ")
           << wanted.size() << " mem.result as " << graph.getTasksAttr()
           << " has, but got " << actual.size();
  for (auto [task, op] : llvm::zip_equal(wanted, actual)) {
    if (!isSameSlice(task, op)) {
      InFlightDiagnostic diag = differs(op, task);
      diag << "expected the slices of " << graph.getTasksAttr()
           << " in their order";
      return diag;
    }
    if (failed(
            verifyValues(op, task, "results", {op.getRange()}, task.getTile())))
      return failure();
  }
  return success();
}

LogicalResult TaskVerifier::verify() {
  if (failed(verifyPlaces()))
    return failure();
  for (Operation &op : graph.getBody().front()) {
    LogicalResult result = success();
    if (auto call = dyn_cast<CallOp>(op))
      result = verifyCall(call);
    else if (auto copy = dyn_cast<CopyOp>(op))
      result = verifyCopy(copy);
    else if (auto parameter = dyn_cast<ParameterOp>(op))
      result = verifyPiece<task::ParameterOp>(parameter);
    else if (auto input = dyn_cast<InputOp>(op))
      result = verifyPiece<task::InputOp>(input);
    if (failed(result))
      return failure();
  }
  for (auto [index, isDone] : llvm::enumerate(done))
    if (!isDone) {
      InFlightDiagnostic diag = differs(graph, numbering.getTasks()[index]);
      diag << "expected an operation that carries out task " << index << " of "
           << graph.getTasksAttr();
      return diag;
    }
  return verifyResults();
}

LogicalResult turnip::mem::verifyTasks(GraphOp graph, Machine &machine,
                                       SymbolTableCollection &symbols) {
  if (!graph.getTasksAttr())
    return success();
  auto tasks = symbols.lookupNearestSymbolFrom<task::GraphOp>(
      graph, graph.getTasksAttr());
  if (!tasks)
    return graph.emitOpError("expected a task.graph, but there is no ")
           << graph.getTasksAttr();
  return TaskVerifier(graph, tasks, machine).verify();
}
