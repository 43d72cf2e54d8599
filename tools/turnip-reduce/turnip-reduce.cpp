//===- turnip-reduce.cpp - Makes failing programs small -------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Tools/mlir-reduce/MlirReduceMain.h"
#include "turnip/Pipelines/Output.h"
#include "turnip/Pipelines/Registration.h"

int main(int argc, char **argv) {
  turnip::reportLostOutput("turnip-reduce");
  turnip::registerAllPasses();
  mlir::DialectRegistry registry;
  turnip::registerAllDialects(registry);
  mlir::MLIRContext context(registry);
  return mlir::failed(mlir::mlirReduceMain(argc, argv, context));
}
