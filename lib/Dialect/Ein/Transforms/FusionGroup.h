//===- FusionGroup.h - Einsums that are computed together ----- -*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_DIALECT_EIN_TRANSFORMS_FUSIONGROUP_H
#define TURNIP_LIB_DIALECT_EIN_TRANSFORMS_FUSIONGROUP_H

#include "mlir/IR/IRMapping.h"
#include "turnip/Dialect/Ein/IR/Ein.h"
#include "llvm/ADT/BitVector.h"
#include <optional>

namespace turnip::ein {

/// Einsums of one block, in its order, with labels that are common to all of
/// them. A common label is a number below `getNumLabels()`.
class FusionGroup {
public:
  /// The group of one einsum.
  explicit FusionGroup(EinsumOp op);

  /// The group of the einsums of `first` and `second`, where einsums of `first`
  /// feed some of `second`, unless the pass description forbids it. What lies
  /// between the two groups in the block is not looked at.
  static std::optional<FusionGroup>
  merge(const FusionGroup &first, const FusionGroup &second, int64_t rowBudget);

  size_t size() const { return members.size(); }
  EinsumOp front() const { return members.front().op; }
  EinsumOp back() const { return members.back().op; }
  unsigned getNumLabels() const { return sizes.size(); }

  /// Whether anything outside reads a result of the group.
  bool isUsed() const;

  /// Calls `function` with each einsum in order.
  void forEach(llvm::function_ref<void(EinsumOp)> function) const;

  /// Creates the fused operation and replaces all uses of the einsums.
  FusedOp build(mlir::OpBuilder &builder) const;

private:
  using Labels = llvm::SmallVector<unsigned, 6>;

  struct Member {
    EinsumOp op;
    /// The common labels of each operand's dimensions and of the result's.
    llvm::SmallVector<Labels, 2> operands;
    Labels result;
    /// The letters of the einsum's notation, and the common label of each.
    std::string letters;
    Labels labels;
  };

  /// A tensor that the group reads or writes, with its labels.
  struct Tensor {
    mlir::Value value;
    Labels labels;
    bool operator==(const Tensor &other) const {
      return value == other.value && labels == other.labels;
    }
  };

  FusionGroup() = default;
  static FusionGroup unite(const FusionGroup &first, const FusionGroup &second);
  bool unifyEdges(llvm::MutableArrayRef<unsigned> parents) const;
  void unifySharedOperands(llvm::MutableArrayRef<unsigned> parents) const;
  bool areDistinct(llvm::ArrayRef<unsigned> parents) const;
  void renumber(llvm::ArrayRef<unsigned> parents);
  llvm::BitVector getParallel() const;
  bool isContiguous(const llvm::BitVector &parallel) const;
  int64_t getRowBytes(const llvm::BitVector &parallel) const;
  bool hasFewOtherReaders() const;
  const Member *findMember(mlir::Value value) const;
  bool contains(mlir::Operation *op) const;
  bool isUsedOutside(EinsumOp op) const;
  llvm::SmallVector<Tensor> getOuterOperands() const;
  std::string chooseLetters() const;
  static std::string spell(const Labels &labels, llvm::StringRef letters);
  static void cloneMember(mlir::OpBuilder &builder, const Member &member,
                          llvm::StringRef letters, llvm::ArrayRef<Tensor> outer,
                          mlir::ValueRange arguments, mlir::IRMapping &mapping);

  llvm::SmallVector<Member, 2> members;
  llvm::SmallVector<int64_t> sizes;
};

} // namespace turnip::ein

#endif // TURNIP_LIB_DIALECT_EIN_TRANSFORMS_FUSIONGROUP_H
