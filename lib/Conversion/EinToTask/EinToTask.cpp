//===- EinToTask.cpp - Whole tensors to graphs of tasks on tiles ----------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/Conversion/EinToTask/Passes.h"
#include "turnip/Conversion/EinToTask/Splitting.h"
#include "turnip/support/ByteSize.h"

#include "FunctionCuts.h"
#include "KernelTable.h"
#include "TiledValues.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"

namespace turnip {
#define GEN_PASS_DEF_PARTITIONEIN
#include "turnip/Conversion/EinToTask/Passes.h.inc"
} // namespace turnip

using namespace mlir;
using namespace turnip;
using turnip::ein::LabelKind;
using turnip::ein::PartitionableOpInterface;

/// Every memory rounds sizes up to this many bytes.
static constexpr int64_t kAlignment = 64;

/// Graphs of more tasks than this would not be placed in any useful time.
static constexpr int64_t kMaxTasks = int64_t(1) << 20;

namespace {

/// Walks the tiles of an operation: positions along the labels, those of
/// reduction labels fastest, so that the partial results of one tile follow
/// each other.
class TileWalk {
public:
  TileWalk(const OpCut &cut, ArrayRef<int64_t> tileSizes)
      : cut(cut), tileSizes(tileSizes), position(cut.labels.size(), 0) {
    for (bool reductions : {false, true})
      for (auto [index, label] : llvm::enumerate(cut.labels))
        if ((label.kind == LabelKind::Reduction) == reductions)
          order.push_back(index);
  }

  int64_t offset(unsigned label) const {
    return position[label] * tileSizes[label];
  }
  int64_t extent(unsigned label) const {
    return std::min(tileSizes[label], cut.labels[label].size - offset(label));
  }
  SmallVector<int64_t> extents() const {
    return llvm::map_to_vector(llvm::seq<unsigned>(0, position.size()),
                               [&](unsigned label) { return extent(label); });
  }

  /// The rectangle of a tensor whose dimensions have \p labels.
  Box box(ArrayRef<unsigned> labels) const {
    Box result;
    for (unsigned label : labels) {
      result.offsets.push_back(offset(label));
      result.sizes.push_back(extent(label));
    }
    return result;
  }

  /// The tile's place in the row-major grid of such a tensor.
  int64_t index(ArrayRef<unsigned> labels) const {
    int64_t result = 0;
    for (unsigned label : labels)
      result = result * numTiles(cut.labels[label].size, tileSizes[label]) +
               position[label];
    return result;
  }

  /// Goes to the next tile; false after the last one.
  bool advance() {
    for (unsigned label : llvm::reverse(order)) {
      if (++position[label] <
          numTiles(cut.labels[label].size, tileSizes[label]))
        return true;
      position[label] = 0;
    }
    return false;
  }

private:
  const OpCut &cut;
  ArrayRef<int64_t> tileSizes;
  SmallVector<int64_t> position;
  SmallVector<unsigned> order;
};

/// Turns one function into a graph.
class FunctionPartitioner {
public:
  FunctionPartitioner(func::FuncOp function, KernelTable &kernels,
                      Splitter &splitter, int64_t tileBudget)
      : function(function), kernels(kernels), cuts(splitter),
        tileBudget(tileBudget), builder(function.getContext()),
        values(builder, kernels, tileBudget),
        host(task::PlaceAttr::getHost(function.getContext())),
        device(task::PlaceAttr::get(function.getContext(), 0)) {}

  LogicalResult run();

  int64_t getNumTasks() const { return values.numTasks; }
  int64_t getNumRepartitions() const { return values.numRepartitions; }

private:
  LogicalResult checkTypes();
  LogicalResult tooMany(Operation *op, double count, double before);
  LogicalResult checkCuts();
  LogicalResult checkCount(Operation *op, int64_t before);
  LogicalResult bindArguments();
  LogicalResult convert(Operation *op);
  bool convertView(Operation *op);
  void convertPartitionable(PartitionableOpInterface op);
  void convertWhole(Operation *op);
  LogicalResult emitResults(func::ReturnOp returnOp);
  void emitResult(Value value, StringRef name, bool copy, Location loc);
  void emitUnusedInputs();

  func::FuncOp function;
  KernelTable &kernels;
  FunctionCuts cuts;
  int64_t tileBudget;
  OpBuilder builder;
  TiledValues values;
  task::PlaceAttr host, device;
  task::GraphOp graph;
};

} // namespace

/// The name that the attribute `ein.name` gives, or a made-up one.
static StringAttr interfaceName(Attribute given, StringRef kind, unsigned index,
                                MLIRContext *context) {
  if (auto name = llvm::dyn_cast_or_null<StringAttr>(given))
    return name;
  return StringAttr::get(context, kind + Twine(index));
}

static Box wholeBox(ArrayRef<int64_t> shape) {
  Box box;
  box.offsets.assign(shape.size(), 0);
  box.sizes.assign(shape.begin(), shape.end());
  return box;
}

static SourceView makeSource(bool isParameter, StringAttr name,
                             RankedTensorType type) {
  SourceView view;
  view.isParameter = isParameter;
  view.name = name;
  view.elementType = type.getElementType();
  view.shape.assign(type.getShape().begin(), type.getShape().end());
  view.declaredShape = view.shape;
  view.box = wholeBox(type.getShape());
  return view;
}

/// Arguments and results are tensors that ein can hold.
LogicalResult FunctionPartitioner::checkTypes() {
  auto check = [&](TypeRange types, StringRef kind) -> LogicalResult {
    for (auto [index, type] : llvm::enumerate(types))
      if (!ein::isEinTensor(type))
        return function.emitError("expected ")
               << kind << " #" << index
               << " to be a ranked static tensor, sizes at least 1, of f32, "
                  "f16, bf16, i8, i32, i64 or i1, but got "
               << type;
    return success();
  };
  if (failed(check(function.getArgumentTypes(), "argument")))
    return failure();
  return check(function.getResultTypes(), "result");
}

LogicalResult FunctionPartitioner::tooMany(Operation *op, double count,
                                           double before) {
  std::string text;
  llvm::raw_string_ostream(text)
      << llvm::format("%.0f, after %.0f others", count, before);
  return op->emitError("expected at most ")
         << kMaxTasks << " tasks in a graph, but a tile budget of "
         << tileBudget << " bytes cuts this operation into " << text;
}

/// Whether the graph will be of a sensible size. Tasks that cut tiles anew may
/// be shared, so that they are counted too high, and what is over is left to
/// checkCount.
LogicalResult FunctionPartitioner::checkCuts() {
  double tasks = 0;
  for (Operation &op : function.getBody().front().without_terminator()) {
    if (!cuts.contains(&op))
      continue;
    double count = cuts.countTasks(&op);
    if (tasks + count > 4.0 * kMaxTasks)
      return tooMany(&op, count, tasks);
    tasks += count;
  }
  return success();
}

/// Whether the graph is still of a sensible size after \p op, before which it
/// had \p before tasks.
LogicalResult FunctionPartitioner::checkCount(Operation *op, int64_t before) {
  if (values.numTasks <= kMaxTasks)
    return success();
  return tooMany(op, static_cast<double>(values.numTasks - before),
                 static_cast<double>(before));
}

LogicalResult FunctionPartitioner::bindArguments() {
  llvm::SmallDenseSet<StringAttr> names;
  for (BlockArgument argument : function.getArguments()) {
    StringAttr name =
        interfaceName(function.getArgAttr(argument.getArgNumber(), "ein.name"),
                      "arg", argument.getArgNumber(), function.getContext());
    if (!names.insert(name).second)
      return function.emitError("argument #")
             << argument.getArgNumber() << " has the name '" << name.getValue()
             << "' of another argument";
    values.setSource(argument,
                     makeSource(/*isParameter=*/false, name,
                                cast<RankedTensorType>(argument.getType())));
  }
  return success();
}

/// Views of parameters and inputs cost nothing: another shape of all of it, or
/// a rectangle of it. Returns false when \p op is no such view.
bool FunctionPartitioner::convertView(Operation *op) {
  if (auto parameter = dyn_cast<ein::ParameterOp>(op)) {
    values.setSource(parameter,
                     makeSource(/*isParameter=*/true, parameter.getNameAttr(),
                                parameter.getResult().getType()));
    return true;
  }
  if (auto reshape = dyn_cast<ein::ReshapeOp>(op)) {
    const SourceView *view = values.getSource(reshape.getSource());
    if (!view || !(view->box == wholeBox(view->shape)))
      return false;
    SourceView result = *view;
    ArrayRef<int64_t> shape = reshape.getResult().getType().getShape();
    result.shape.assign(shape.begin(), shape.end());
    result.box = wholeBox(shape);
    values.setSource(reshape, std::move(result));
    return true;
  }
  if (auto slice = dyn_cast<ein::SliceOp>(op)) {
    const SourceView *view = values.getSource(slice.getSource());
    if (!view || !llvm::all_of(slice.getStrides(),
                               [](int64_t stride) { return stride == 1; }))
      return false;
    SourceView result = *view;
    for (auto [dim, offset] : llvm::enumerate(slice.getOffsets()))
      result.box.offsets[dim] += offset;
    result.box.sizes.assign(slice.getSizes().begin(), slice.getSizes().end());
    values.setSource(slice, std::move(result));
    return true;
  }
  return false;
}

void FunctionPartitioner::convertPartitionable(PartitionableOpInterface op) {
  const OpCut &cut = cuts.get(op).op;
  task::PlaceAttr place = cuts.get(op).onHost ? host : device;
  ArrayRef<int64_t> tileSizes = cuts.get(op).tileSizes;
  unsigned numResults = op->getNumResults();

  SmallVector<TiledTensor> results(numResults);
  for (auto [result, tensor] : llvm::zip_equal(cut.results, results)) {
    int64_t count = 1;
    for (unsigned label : result.labels) {
      tensor.tiling.push_back(tileSizes[label]);
      count *= numTiles(cut.labels[label].size, tileSizes[label]);
    }
    tensor.place = place;
    tensor.tiles.resize(count);
  }
  SmallVector<bool> needsScalar;
  for (auto [index, label] : llvm::enumerate(cut.labels))
    needsScalar.push_back(tileSizes[index] < label.size &&
                          op.needsOffset(index));

  TileWalk walk(cut, tileSizes);
  do {
    SmallVector<Value> operands;
    for (auto [operand, value] :
         llvm::zip_equal(cut.operands, op->getOperands()))
      operands.push_back(
          values.fetch(value, walk.box(operand.labels), place, op.getLoc()));
    SmallVector<int64_t> scalars;
    for (auto [label, needed] : llvm::enumerate(needsScalar))
      if (needed)
        scalars.push_back(walk.offset(label));
    task::KernelOp kernel = kernels.getTile(op, walk.extents(), needsScalar);
    ValueRange tiles =
        values.call(kernel, operands, scalars, place, op.getLoc());
    for (unsigned index = 0; index < numResults; ++index) {
      Value &slot = results[index].tiles[walk.index(cut.results[index].labels)];
      if (!slot) {
        slot = tiles[index];
        continue;
      }
      // A further part of a split reduction: joined from left to right.
      auto type = cast<task::TileType>(slot.getType()).getTensorType();
      task::KernelOp combine =
          kernels.getCombine(op.getLoc(), op.getPartitionCombiner(), type);
      slot =
          values.call(combine, {slot, tiles[index]}, {}, place, op.getLoc())[0];
    }
  } while (walk.advance());
  for (auto [value, tensor] : llvm::zip_equal(op->getResults(), results))
    values.setTiles(value, std::move(tensor));
}

/// An operation that does not say how it may be split is one task.
void FunctionPartitioner::convertWhole(Operation *op) {
  SmallVector<Value> operands;
  for (Value value : op->getOperands())
    operands.push_back(values.fetch(
        value, wholeBox(cast<RankedTensorType>(value.getType()).getShape()),
        device, op->getLoc()));
  ValueRange tiles =
      values.call(kernels.getWhole(op), operands, {}, device, op->getLoc());
  for (auto [value, tile] : llvm::zip_equal(op->getResults(), tiles)) {
    ArrayRef<int64_t> shape =
        cast<RankedTensorType>(value.getType()).getShape();
    values.setTiles(value,
                    {Tiling(shape.begin(), shape.end()), device, {tile}});
  }
}

LogicalResult FunctionPartitioner::convert(Operation *op) {
  if (!isa_and_present<ein::EinDialect>(op->getDialect()))
    return op->emitError("expected only ein operations in a function that is "
                         "partitioned, but got '")
           << op->getName() << "'";
  if (convertView(op))
    return success();
  if (auto partitionable = dyn_cast<PartitionableOpInterface>(op))
    convertPartitionable(partitionable);
  else
    convertWhole(op);
  return success();
}

/// Names the tiles of \p value as parts of the result \p name. A view of a
/// parameter or input, and a value returned a second time, is copied first.
void FunctionPartitioner::emitResult(Value value, StringRef name, bool copy,
                                     Location loc) {
  auto type = cast<RankedTensorType>(value.getType());
  ArrayRef<int64_t> shape = type.getShape();
  auto emit = [&](Value tile, const Box &box) {
    if (copy) {
      auto tileType = cast<task::TileType>(tile.getType());
      tile = values.call(kernels.getCopy(loc, tileType.getTensorType()), tile,
                         {}, tileType.getPlace(), loc)[0];
    }
    task::ResultOp::create(builder, loc, tile, name, shape, shape, box.offsets,
                           box.sizes);
  };
  const TiledTensor *tensor = values.getTiles(value);
  if (!tensor) {
    copy = true;
    emit(values.fetch(value, wholeBox(shape), host, loc), wholeBox(shape));
    return;
  }
  // The tiles in row-major order, each with its box.
  OpCut grid;
  TensorCut cut;
  for (auto [dim, size] : llvm::enumerate(shape)) {
    grid.labels.push_back({"", size, LabelKind::Parallel});
    cut.labels.push_back(dim);
  }
  SmallVector<int64_t> tileSizes(tensor->tiling.begin(), tensor->tiling.end());
  TileWalk walk(grid, tileSizes);
  do
    emit(tensor->tiles[walk.index(cut.labels)], walk.box(cut.labels));
  while (walk.advance());
}

LogicalResult FunctionPartitioner::emitResults(func::ReturnOp returnOp) {
  llvm::SmallPtrSet<void *, 8> returned;
  llvm::SmallDenseSet<StringAttr> names;
  for (auto [index, value] : llvm::enumerate(returnOp.getOperands())) {
    StringAttr name = interfaceName(function.getResultAttr(index, "ein.name"),
                                    "result", index, function.getContext());
    if (!names.insert(name).second)
      return function.emitError("result #")
             << index << " has the name '" << name.getValue()
             << "' of another result";
    bool copy = !returned.insert(value.getAsOpaquePointer()).second;
    emitResult(value, name, copy, returnOp.getLoc());
  }
  return success();
}

/// An input that nothing reads stays part of the signature.
void FunctionPartitioner::emitUnusedInputs() {
  llvm::SmallDenseSet<StringRef> used;
  for (auto input : graph.getBody().getOps<task::InputOp>())
    used.insert(input.getName());
  for (BlockArgument argument : function.getArguments()) {
    const SourceView *view = values.getSource(argument);
    if (!used.contains(view->name.getValue()))
      task::InputOp::create(builder, argument.getLoc(), view->name.getValue(),
                            view->shape, view->declaredShape, view->box.offsets,
                            view->box.sizes, view->elementType, host);
  }
}

LogicalResult FunctionPartitioner::run() {
  if (!function.getBody().hasOneBlock())
    return function.emitError("expected a body of one block, but got ")
           << function.getBody().getBlocks().size();
  if (failed(checkTypes()))
    return failure();
  builder.setInsertionPointAfter(function);
  graph = task::GraphOp::create(builder, function.getLoc(), function.getName(),
                                /*devices=*/1);
  if (graph.getBody().empty())
    graph.getBody().emplaceBlock();
  builder.setInsertionPointToStart(&graph.getBody().front());
  if (failed(bindArguments()))
    return failure();
  cuts.choose(function.getBody().front());
  if (failed(checkCuts()))
    return failure();
  for (Operation &op : function.getBody().front().without_terminator()) {
    int64_t before = values.numTasks;
    if (failed(convert(&op)) || failed(checkCount(&op, before)))
      return failure();
  }
  auto returnOp =
      dyn_cast<func::ReturnOp>(function.getBody().front().getTerminator());
  if (!returnOp || failed(emitResults(returnOp)))
    return failure();
  emitUnusedInputs();
  return success();
}

namespace {

struct PartitionEinPass : turnip::impl::PartitionEinBase<PartitionEinPass> {
  using PartitionEinBase::PartitionEinBase;

  void runOnOperation() override {
    Expected<int64_t> budget = parseByteSize(tileBudget.getValue());
    if (!budget || *budget <= 0) {
      getOperation().emitError("invalid tile budget: ")
          << (budget ? "expected more than 0 bytes"
                     : budget.status().message());
      return signalPassFailure();
    }
    KernelTable kernels(getOperation());
    Splitter splitter(*budget, kAlignment);
    SmallVector<func::FuncOp> functions(getOperation().getOps<func::FuncOp>());
    for (func::FuncOp function : functions) {
      if (function.isExternal()) {
        function.emitError("expected a function with a body");
        return signalPassFailure();
      }
      FunctionPartitioner partitioner(function, kernels, splitter, *budget);
      if (failed(partitioner.run()))
        return signalPassFailure();
      numTasks += partitioner.getNumTasks();
      numRepartitions += partitioner.getNumRepartitions();
    }
    numKernels += kernels.size();
    // What shapes the tasks is a part of the program from here on.
    getOperation()->setAttr(
        task::TaskDialect::kOptions,
        StringAttr::get(&getContext(),
                        "tile-budget=" + std::to_string(*budget)));
    // Kernels are shared between functions, and made from their operations.
    for (func::FuncOp function : functions)
      function.erase();
  }
};

} // namespace
