//===- Registration.cpp - What every tool registers -----------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/Pipelines/Registration.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "turnip/Codegen/Passes.h"
#include "turnip/Conversion/EinToLinalg/EinToLinalg.h"
#include "turnip/Conversion/EinToTask/Passes.h"
#include "turnip/Conversion/TaskToMem/Passes.h"
#include "turnip/Dialect/Ein/IR/Ein.h"
#include "turnip/Dialect/Ein/Transforms/Passes.h"
#include "turnip/Dialect/Mem/IR/Mem.h"
#include "turnip/Dialect/Mem/Transforms/Passes.h"
#include "turnip/Dialect/Task/IR/Task.h"
#include "turnip/Dialect/Task/Transforms/Passes.h"
#include "turnip/Pipelines/Phases.h"

void turnip::registerAllDialects(mlir::DialectRegistry &registry) {
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  registry.insert<ein::EinDialect, mem::MemDialect, task::TaskDialect>();
}

void turnip::registerAllPasses() {
  mlir::registerAllPasses();
  codegen::registerCodegenPasses();
  ein::registerEinPasses();
  registerEinToLinalgPasses();
  registerEinToTaskPasses();
  registerTaskToMemPasses();
  mem::registerMemPasses();
  task::registerTaskPasses();
  registerPhasePipelines();
}
