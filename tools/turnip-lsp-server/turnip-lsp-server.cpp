//===- turnip-lsp-server.cpp - Language server for editors ----------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "turnip/Pipelines/Output.h"
#include "turnip/Pipelines/Registration.h"

int main(int argc, char **argv) {
  turnip::reportLostOutput("turnip-lsp-server");
  mlir::DialectRegistry registry;
  turnip::registerAllDialects(registry);
  return mlir::failed(mlir::MlirLspServerMain(argc, argv, registry));
}
