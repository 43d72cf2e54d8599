//===- TestEinTile.cpp - Tiles every ein operation ------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"
#include "turnip/Dialect/Ein/IR/Ein.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace turnip;

namespace {
/// Splits one operation along its labels and puts the whole results together
/// again, from slices and concatenations.
class Tiler {
public:
  Tiler(OpBuilder &builder, ein::PartitionableOpInterface op,
        const llvm::StringMap<int64_t> &sizes)
      : builder(builder), loc(op->getLoc()), op(op),
        labels(op.getPartitionLabels()) {
    for (const ein::PartitionLabel &label : labels) {
      int64_t size = label.size;
      auto it = sizes.find(label.name);
      if (it != sizes.end() && label.kind != ein::LabelKind::Whole)
        size = std::min(size, it->second);
      steps.push_back(size);
      offsets.push_back(0);
      extents.push_back(label.size);
    }
  }

  bool isSplit() const {
    for (auto [label, step] : llvm::zip_equal(labels, steps))
      if (label.size != step)
        return true;
    return false;
  }

  /// The results for the labels from `index` on, the others being fixed.
  SmallVector<Value> tile(unsigned index = 0) {
    if (index == labels.size())
      return buildTile();
    SmallVector<SmallVector<Value>> parts(op->getNumResults());
    int64_t size = labels[index].size;
    for (int64_t at = 0; at < size; at += steps[index]) {
      offsets[index] = at;
      extents[index] = std::min(steps[index], size - at);
      for (auto [result, value] : llvm::enumerate(tile(index + 1)))
        parts[result].push_back(value);
    }
    offsets[index] = 0;
    extents[index] = size;
    SmallVector<Value> joined;
    for (auto [result, values] : llvm::enumerate(parts))
      joined.push_back(join(index, result, values));
    return joined;
  }

private:
  Value join(unsigned index, unsigned result, ArrayRef<Value> values) {
    if (values.size() == 1)
      return values.front();
    if (labels[index].kind == ein::LabelKind::Reduction) {
      Value sum = values.front();
      for (Value value : values.drop_front())
        sum = ein::buildCombine(builder, loc, op.getPartitionCombiner(), sum,
                                value);
      return sum;
    }
    SmallVector<unsigned> resultLabels = op.getResultLabels(result);
    unsigned dim = llvm::find(resultLabels, index) - resultLabels.begin();
    auto type = cast<RankedTensorType>(values.front().getType());
    SmallVector<int64_t> shape(type.getShape());
    shape[dim] = labels[index].size;
    return ein::ConcatOp::create(builder, loc, type.clone(shape), values, dim);
  }

  SmallVector<Value> buildTile() {
    SmallVector<Value> operands, positions;
    for (auto [i, operand] : llvm::enumerate(op->getOperands()))
      operands.push_back(slice(operand, op.getOperandLabels(i)));
    for (unsigned i = 0; i < labels.size(); ++i) {
      bool needed = op.needsOffset(i) && offsets[i] != 0;
      positions.push_back(
          needed ? arith::ConstantIndexOp::create(builder, loc, offsets[i])
                       .getResult()
                 : Value());
    }
    return op.buildTile(builder, loc, operands, extents, positions);
  }

  Value slice(Value operand, ArrayRef<unsigned> operandLabels) {
    auto type = cast<RankedTensorType>(operand.getType());
    SmallVector<int64_t> at, shape, strides(type.getRank(), 1);
    for (unsigned label : operandLabels) {
      at.push_back(offsets[label]);
      shape.push_back(extents[label]);
    }
    return ein::SliceOp::create(builder, loc, type.clone(shape), operand, at,
                                shape, strides);
  }

  OpBuilder &builder;
  Location loc;
  ein::PartitionableOpInterface op;
  SmallVector<ein::PartitionLabel> labels;
  SmallVector<int64_t> steps, offsets, extents;
};

struct TestEinTile : PassWrapper<TestEinTile, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestEinTile)

  TestEinTile() = default;
  TestEinTile(const TestEinTile &other) : PassWrapper(other) {}

  StringRef getArgument() const override { return "test-ein-tile"; }
  StringRef getDescription() const override {
    return "split ein operations along their labels, by label and size";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<ein::EinDialect, arith::ArithDialect>();
  }

  void runOnOperation() override {
    llvm::StringMap<int64_t> parsed;
    for (StringRef entry : sizes) {
      auto [name, size] = entry.split('=');
      int64_t value;
      if (size.getAsInteger(10, value) || value < 1) {
        getOperation().emitError("expected label=size, but got ") << entry;
        return signalPassFailure();
      }
      parsed[name] = value;
    }
    SmallVector<ein::PartitionableOpInterface> ops(
        getOperation().getOps<ein::PartitionableOpInterface>());
    for (ein::PartitionableOpInterface op : ops) {
      OpBuilder builder(op);
      Tiler tiler(builder, op, parsed);
      if (!tiler.isSplit())
        continue;
      op->replaceAllUsesWith(tiler.tile());
      op->erase();
    }
  }

  ListOption<std::string> sizes{*this, "sizes",
                                llvm::cl::desc("Tile sizes, as label=size")};
};
} // namespace

namespace turnip::test {
void registerTestEinTile() { PassRegistration<TestEinTile>(); }
} // namespace turnip::test
