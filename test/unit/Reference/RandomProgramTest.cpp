//===- RandomProgramTest.cpp - Random programs are what they promise ------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/Testing/RandomProgram.h"
#include "turnip/Testing/Minimize.h"

#include "turnip/Dialect/Ein/IR/Ein.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringMap.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace turnip;
using namespace turnip::testing;

static std::string print(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  module.print(os);
  return text;
}

TEST(RandomProgramTest, SeedsAreRepeatable) {
  MLIRContext context;
  context.loadDialect<ein::EinDialect, func::FuncDialect>();
  auto first = makeRandomProgram(&context, 5);
  auto again = makeRandomProgram(&context, 5);
  auto other = makeRandomProgram(&context, 6);
  EXPECT_EQ(print(*first), print(*again));
  EXPECT_NE(print(*first), print(*other));
}

TEST(RandomProgramTest, EveryKindOfProgramOccurs) {
  MLIRContext context;
  context.loadDialect<ein::EinDialect, func::FuncDialect>();
  llvm::StringMap<int> operations, elements, combiners;
  int ranks[6] = {}, sizesOfOne = 0, severalResults = 0, shared = 0;
  for (uint64_t seed = 0; seed < 400; ++seed) {
    auto module = makeRandomProgram(&context, seed);
    ASSERT_TRUE(succeeded(verify(*module))) << print(*module);
    module->walk([&](Operation *op) {
      ++operations[op->getName().getStringRef()];
      if (auto einsum = dyn_cast<ein::EinsumOp>(op))
        ++combiners[ein::stringifyCombiner(einsum.getCombiner())];
      if (isa<func::ReturnOp>(op))
        severalResults += op->getNumOperands() > 1;
      for (Value result : op->getResults()) {
        auto type = dyn_cast<RankedTensorType>(result.getType());
        if (!type)
          continue;
        std::string element;
        llvm::raw_string_ostream(element) << type.getElementType();
        ++elements[element];
        ASSERT_LE(type.getRank(), 5);
        ++ranks[type.getRank()];
        sizesOfOne += llvm::is_contained(type.getShape(), 1);
        shared += !result.use_empty() && !result.hasOneUse();
      }
    });
  }
  for (const char *name :
       {"ein.parameter", "ein.constant", "ein.einsum", "ein.index", "ein.slice",
        "ein.concat", "ein.reshape", "ein.gather"})
    EXPECT_GT(operations[name], 20) << name;
  for (const char *name : {"f32", "f16", "bf16", "i8", "i32", "i64", "i1"})
    EXPECT_GT(elements[name], 20) << name;
  for (const char *name :
       {"none", "sum", "prod", "max", "min", "and", "or", "xor"})
    EXPECT_GT(combiners[name], 5) << name;
  for (int count : ranks)
    EXPECT_GT(count, 20);
  EXPECT_GT(sizesOfOne, 100);
  EXPECT_GT(severalResults, 50);
  EXPECT_GT(shared, 100);
}

/// Whether a result of the program needs \p op.
static bool isLive(Operation *op) {
  return isa<func::ReturnOp>(op) || llvm::any_of(op->getUsers(), isLive);
}

TEST(RandomProgramTest, MinimizingKeepsWhatFails) {
  MLIRContext context;
  context.loadDialect<ein::EinDialect, func::FuncDialect>();
  auto countGathers = [](ModuleOp module) {
    int count = 0;
    module->walk([&](ein::GatherOp op) { count += isLive(op); });
    return count;
  };
  int numTried = 0;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    auto program = makeRandomProgram(&context, seed);
    if (countGathers(*program) == 0)
      continue;
    ++numTried;
    auto smallest = minimizeProgram(*program, [&](ModuleOp candidate) {
      return succeeded(verify(candidate)) && countGathers(candidate) > 0;
    });
    EXPECT_EQ(countGathers(*smallest), 1);
    auto function = *smallest->getOps<func::FuncOp>().begin();
    // The gather, its operands if they are parameters or constants, return.
    EXPECT_LE(function.front().getOperations().size(), 4u) << print(*smallest);
    EXPECT_EQ(function.getNumResults(), 1u);
  }
  EXPECT_GT(numTried, 5);
}
