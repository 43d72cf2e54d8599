//===- RandomProgram.cpp - Random ein programs ----------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/Testing/RandomProgram.h"

#include "ProgramGrower.h"

using namespace mlir;
using namespace turnip;
using namespace turnip::testing;

OwningOpRef<ModuleOp>
turnip::testing::makeRandomProgram(MLIRContext *context, uint64_t seed,
                                   const RandomProgramOptions &options) {
  OpBuilder builder(context);
  Location loc = builder.getUnknownLoc();
  OwningOpRef<ModuleOp> module = ModuleOp::create(builder, loc);
  builder.setInsertionPointToEnd(module->getBody());
  auto function = func::FuncOp::create(builder, loc, "main",
                                       builder.getFunctionType({}, {}));
  function.addEntryBlock();
  Random random(seed);
  ProgramGrower grower(function, random, options);
  for (int64_t i = 0, e = random.between(options.minSteps, options.maxSteps);
       i < e; ++i)
    grower.step();
  grower.finish();
  return module;
}

reference::Tensor turnip::testing::makeRandomTensor(RankedTensorType type,
                                                    uint64_t seed,
                                                    StringRef name) {
  uint64_t start = seed;
  for (char c : name)
    start = (start ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  Random random(start);
  int64_t count = type.getNumElements();
  if (isa<FloatType>(type.getElementType())) {
    std::vector<double> values(count);
    for (double &value : values)
      value = 2 * random.unit() - 1;
    return reference::Tensor::ofReals(type, values);
  }
  bool isBool = type.getElementType().isInteger(1);
  std::vector<int64_t> values(count);
  for (int64_t &value : values)
    value = isBool ? random.between(0, 1) : random.between(-9, 12);
  return reference::Tensor::ofIntegers(type, values);
}
