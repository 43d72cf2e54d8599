//===- ProgramGrower.h - Grows a random program -----------------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_TESTING_PROGRAMGROWER_H
#define TURNIP_LIB_TESTING_PROGRAMGROWER_H

#include "RandomBody.h"

#include "turnip/Dialect/Ein/IR/Ein.h"
#include "turnip/Testing/RandomProgram.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SmallString.h"

namespace turnip::testing {

/// Labels with sizes, as an operand or result of an einsum has them.
struct LabelledShape {
  std::string labels;
  llvm::SmallVector<int64_t> sizes;

  void add(char label, int64_t size) {
    labels.push_back(label);
    sizes.push_back(size);
  }
  int64_t numElements() const;
  size_t rank() const { return labels.size(); }
  /// The same labels in a random order.
  LabelledShape shuffled(Random &random) const;
};

/// An einsum about to be made.
struct EinsumSketch {
  llvm::SmallVector<Sized> inputs;
  llvm::SmallVector<std::string> operandLabels;
  LabelledShape result;
  ein::Combiner combiner = ein::Combiner::None;
  mlir::Type resultType;
};

/// Holds the values made so far; each step adds to them. A step that finds
/// nothing to work on does nothing.
class ProgramGrower {
public:
  ProgramGrower(mlir::func::FuncOp function, Random &random,
                const RandomProgramOptions &options);

  void step();
  /// Chooses results and ends the function.
  void finish();

private:
  using BodyFn = llvm::function_ref<Sized(
      BodyBuilder &, mlir::OpBuilder &, mlir::Location, llvm::ArrayRef<Sized>)>;

  // Einsums.
  void contraction();
  void map();
  void reduction();
  void transposition();
  void positions();
  // Everything else.
  void slice();
  void concat();
  void reshape();
  void gather();
  // Chains.
  void softmax();
  void normalisation();
  void attention();

  Sized softmaxOf(Sized input, const LabelledShape &shape, char over,
                  char query);
  Sized einsum(const EinsumSketch &sketch, BodyFn body);
  Sized keep(Sized value);

  mlir::Type randomElementType();
  int64_t randomSize(int64_t limit);
  llvm::SmallVector<int64_t> randomShape(int64_t maxRank);
  /// A value that \p isWanted; null if there is none.
  Sized pick(llvm::function_ref<bool(mlir::RankedTensorType)> isWanted);
  /// A value of exactly \p shape and \p type, new if need be.
  Sized obtain(llvm::ArrayRef<int64_t> shape, mlir::Type type);
  /// A new input, parameter or constant.
  Sized fresh(llvm::ArrayRef<int64_t> shape, mlir::Type type);
  Sized pickNumbers();
  Sized pickFloats();
  /// The labels a, b, ... on the dimensions of \p value.
  LabelledShape label(mlir::Value value);
  ein::Combiner randomCombiner(mlir::Type type, int64_t numReduced);

  mlir::func::FuncOp function;
  Random &random;
  RandomProgramOptions options;
  mlir::OpBuilder builder;
  mlir::Location loc;
  llvm::SmallVector<Sized> pool;
  unsigned numParameters = 0;
};

inline mlir::RankedTensorType typeOf(mlir::Value value) {
  return mlir::cast<mlir::RankedTensorType>(value.getType());
}

} // namespace turnip::testing

#endif // TURNIP_LIB_TESTING_PROGRAMGROWER_H
