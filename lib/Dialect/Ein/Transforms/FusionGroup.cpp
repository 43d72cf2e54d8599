//===- FusionGroup.cpp - Einsums that are computed together ---------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FusionGroup.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace turnip::ein;

/// What labels are spelt with.
static constexpr llvm::StringLiteral alphabet =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
/// Readers outside a group that an intermediate may have.
static constexpr unsigned maxOtherReaders = 2;

FusionGroup::FusionGroup(EinsumOp op) {
  Notation notation = op.getParsedNotation();
  Member member;
  member.op = op;
  member.letters = notation.labels();
  for (char letter : member.letters) {
    member.labels.push_back(sizes.size());
    sizes.push_back(op.getLabelSize(letter));
  }
  auto translate = [&](StringRef part) {
    Labels labels;
    for (char letter : part)
      labels.push_back(member.letters.find(letter));
    return labels;
  };
  for (const std::string &part : notation.operands)
    member.operands.push_back(translate(part));
  member.result = translate(notation.results[0]);
  members.push_back(std::move(member));
}

void FusionGroup::forEach(llvm::function_ref<void(EinsumOp)> function) const {
  for (const Member &member : members)
    function(member.op);
}

const FusionGroup::Member *FusionGroup::findMember(Value value) const {
  for (const Member &member : members)
    if (member.op->getResult(0) == value)
      return &member;
  return nullptr;
}

bool FusionGroup::contains(Operation *op) const {
  return llvm::any_of(members,
                      [&](const Member &member) { return member.op == op; });
}

bool FusionGroup::isUsedOutside(EinsumOp op) const {
  return llvm::any_of(op->getUsers(),
                      [&](Operation *user) { return !contains(user); });
}

bool FusionGroup::isUsed() const {
  return llvm::any_of(
      members, [&](const Member &member) { return isUsedOutside(member.op); });
}

//===----------------------------------------------------------------------===//
// Merging
//===----------------------------------------------------------------------===//

static unsigned findRoot(ArrayRef<unsigned> parents, unsigned label) {
  while (parents[label] != label)
    label = parents[label];
  return label;
}

static void unify(MutableArrayRef<unsigned> parents, ArrayRef<unsigned> left,
                  ArrayRef<unsigned> right) {
  for (auto [a, b] : llvm::zip_equal(left, right)) {
    unsigned first = findRoot(parents, a), second = findRoot(parents, b);
    parents[std::max(first, second)] = std::min(first, second);
  }
}

/// Both groups, their labels still apart.
FusionGroup FusionGroup::unite(const FusionGroup &first,
                               const FusionGroup &second) {
  FusionGroup all = first;
  unsigned shift = first.sizes.size();
  auto shifted = [&](Labels labels) {
    for (unsigned &label : labels)
      label += shift;
    return labels;
  };
  for (Member member : second.members) {
    for (Labels &labels : member.operands)
      labels = shifted(labels);
    member.result = shifted(member.result);
    member.labels = shifted(member.labels);
    all.members.push_back(std::move(member));
  }
  llvm::append_range(all.sizes, second.sizes);
  return all;
}

/// A value has the same labels where it is made and where it is read.
bool FusionGroup::unifyEdges(MutableArrayRef<unsigned> parents) const {
  for (const Member &member : members)
    for (auto [input, labels] :
         llvm::zip_equal(EinsumOp(member.op).getInputs(), member.operands))
      if (const Member *producer = findMember(input))
        unify(parents, producer->result, labels);
  return areDistinct(parents);
}

/// No two labels of one einsum may have become one.
bool FusionGroup::areDistinct(ArrayRef<unsigned> parents) const {
  for (const Member &member : members) {
    Labels roots;
    for (unsigned label : member.labels) {
      unsigned root = findRoot(parents, label);
      if (llvm::is_contained(roots, root))
        return false;
      roots.push_back(root);
    }
  }
  return true;
}

/// A tensor from outside that is read twice is read with the same labels if one
/// of them is the same already and the others may be.
void FusionGroup::unifySharedOperands(MutableArrayRef<unsigned> parents) const {
  SmallVector<Tensor> outer = getOuterOperands();
  for (unsigned i = 0; i < outer.size(); ++i)
    for (unsigned j = i + 1; j < outer.size(); ++j) {
      if (outer[i].value != outer[j].value)
        continue;
      bool isRelated = false;
      for (auto [a, b] : llvm::zip_equal(outer[i].labels, outer[j].labels))
        isRelated |= findRoot(parents, a) == findRoot(parents, b);
      if (!isRelated)
        continue;
      SmallVector<unsigned> attempt(parents);
      unify(attempt, outer[i].labels, outer[j].labels);
      if (areDistinct(attempt))
        llvm::copy(attempt, parents.begin());
    }
}

/// Gives unified labels one number.
void FusionGroup::renumber(ArrayRef<unsigned> parents) {
  SmallVector<unsigned> numbers(parents.size());
  SmallVector<int64_t> kept;
  for (unsigned label = 0; label < parents.size(); ++label) {
    unsigned root = findRoot(parents, label);
    if (root == label) {
      numbers[label] = kept.size();
      kept.push_back(sizes[label]);
    } else {
      numbers[label] = numbers[root];
    }
  }
  auto apply = [&](Labels &labels) {
    for (unsigned &label : labels)
      label = numbers[label];
  };
  for (Member &member : members) {
    for (Labels &labels : member.operands)
      apply(labels);
    apply(member.result);
    apply(member.labels);
  }
  sizes = std::move(kept);
}

llvm::BitVector FusionGroup::getParallel() const {
  llvm::BitVector parallel(sizes.size(), true);
  for (const Member &member : members) {
    llvm::BitVector kept(sizes.size());
    for (unsigned label : member.result)
      kept.set(label);
    parallel &= kept;
  }
  return parallel;
}

/// Whether pieces along the parallel labels are contiguous in every result.
bool FusionGroup::isContiguous(const llvm::BitVector &parallel) const {
  for (const Member &member : members) {
    bool isPoint = member.labels.empty();
    if (!isPoint && (member.result.empty() || !parallel[member.result[0]]))
      return false;
  }
  return true;
}

/// Bytes of all tensors at one position along the parallel labels, saturated.
int64_t FusionGroup::getRowBytes(const llvm::BitVector &parallel) const {
  constexpr int64_t limit = int64_t(1) << 40;
  int64_t sum = 0;
  auto add = [&](Value value, const Labels &labels) {
    Type element = cast<RankedTensorType>(value.getType()).getElementType();
    int64_t bytes = (element.getIntOrFloatBitWidth() + 7) / 8;
    for (unsigned label : labels)
      if (!parallel[label])
        bytes = bytes > limit / sizes[label] ? limit : bytes * sizes[label];
    sum += bytes;
  };
  for (const Tensor &tensor : getOuterOperands())
    add(tensor.value, tensor.labels);
  for (const Member &member : members)
    add(member.op->getResult(0), member.result);
  return sum;
}

/// Whether every einsum that feeds another one of the group has few other
/// readers.
bool FusionGroup::hasFewOtherReaders() const {
  for (const Member &member : members) {
    llvm::SmallPtrSet<Operation *, 4> others;
    bool isIntermediate = false;
    for (Operation *user : member.op->getUsers()) {
      if (contains(user))
        isIntermediate = true;
      else
        others.insert(user);
    }
    if (isIntermediate && others.size() > maxOtherReaders)
      return false;
  }
  return true;
}

std::optional<FusionGroup> FusionGroup::merge(const FusionGroup &first,
                                              const FusionGroup &second,
                                              int64_t rowBudget) {
  FusionGroup group = unite(first, second);
  if (!group.hasFewOtherReaders())
    return std::nullopt;
  SmallVector<unsigned> parents(
      llvm::to_vector(llvm::seq<unsigned>(0, group.sizes.size())));
  if (!group.unifyEdges(parents))
    return std::nullopt;
  group.unifySharedOperands(parents);
  group.renumber(parents);
  llvm::BitVector parallel = group.getParallel();
  if (group.sizes.size() > alphabet.size() || !group.isContiguous(parallel) ||
      group.getRowBytes(parallel) > rowBudget)
    return std::nullopt;
  return group;
}

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

/// The tensors from outside, each once per way in which it is labelled.
SmallVector<FusionGroup::Tensor> FusionGroup::getOuterOperands() const {
  SmallVector<Tensor> outer;
  for (const Member &member : members)
    for (auto [input, labels] :
         llvm::zip_equal(EinsumOp(member.op).getInputs(), member.operands)) {
      if (findMember(input))
        continue;
      Tensor tensor{input, labels};
      if (!llvm::is_contained(outer, tensor))
        outer.push_back(tensor);
    }
  return outer;
}

/// A letter per common label: the first that an einsum has for it, where two
/// labels do not share it, or else any that is free.
std::string FusionGroup::chooseLetters() const {
  std::string letters(sizes.size(), ' ');
  auto give = [&](unsigned label, char letter) {
    if (letters[label] == ' ' && letters.find(letter) == std::string::npos)
      letters[label] = letter;
  };
  for (const Member &member : members)
    for (auto [label, letter] : llvm::zip_equal(member.labels, member.letters))
      give(label, letter);
  for (unsigned label = 0; label < letters.size(); ++label)
    for (char letter : alphabet)
      give(label, letter);
  return letters;
}

/// The letters of `labels`.
std::string FusionGroup::spell(const Labels &labels, StringRef letters) {
  std::string text;
  for (unsigned label : labels)
    text.push_back(letters[label]);
  return text;
}

/// Copies an einsum, with its common labels spelt in `letters`. Operands from
/// outside are read through `outer`, those that einsums of the group make
/// through `mapping`, which learns the copy's result.
void FusionGroup::cloneMember(OpBuilder &builder, const Member &member,
                              StringRef letters, ArrayRef<Tensor> outer,
                              ValueRange arguments, IRMapping &mapping) {
  EinsumOp op = member.op;
  auto clone = cast<EinsumOp>(builder.clone(*op, mapping));
  Notation notation;
  for (auto [i, labels] : llvm::enumerate(member.operands)) {
    notation.operands.push_back(spell(labels, letters));
    const Tensor *it = llvm::find(outer, Tensor{op.getInputs()[i], labels});
    if (it != outer.end())
      clone.setOperand(i, arguments[it - outer.begin()]);
  }
  notation.results.push_back(spell(member.result, letters));
  clone.setNotation(notation.str());
  clone.getBody().walk([&](IndexOp index) {
    size_t position = member.letters.find(index.getLabel().front());
    index.setLabel(std::string(1, letters[member.labels[position]]));
  });
}

FusedOp FusionGroup::build(OpBuilder &builder) const {
  std::string letters = chooseLetters();
  Notation notation;
  SmallVector<Value> inputs, results;
  SmallVector<Location> locations;
  SmallVector<Tensor> outer = getOuterOperands();
  for (const Tensor &tensor : outer) {
    notation.operands.push_back(spell(tensor.labels, letters));
    inputs.push_back(tensor.value);
  }
  for (const Member &member : members) {
    locations.push_back(member.op->getLoc());
    if (!isUsedOutside(member.op))
      continue;
    notation.results.push_back(spell(member.result, letters));
    results.push_back(member.op->getResult(0));
  }
  llvm::BitVector parallel = getParallel();
  Labels split;
  for (unsigned label : members.back().result)
    if (parallel[label])
      split.push_back(label);

  Location loc = builder.getFusedLoc(locations);
  auto fused = FusedOp::create(builder, loc, ValueRange(results).getTypes(),
                               notation.str(), spell(split, letters), inputs);
  OpBuilder inner(builder.getContext());
  Block *block = inner.createBlock(&fused.getBody(), fused.getBody().end(),
                                   ValueRange(inputs).getTypes(),
                                   SmallVector<Location>(inputs.size(), loc));
  IRMapping mapping;
  for (const Member &member : members)
    cloneMember(inner, member, letters, outer, block->getArguments(), mapping);
  YieldOp::create(inner, loc, llvm::map_to_vector(results, [&](Value value) {
                    return mapping.lookup(value);
                  }));
  for (auto [from, to] : llvm::zip_equal(results, fused.getResults()))
    from.replaceAllUsesWith(to);
  return fused;
}
