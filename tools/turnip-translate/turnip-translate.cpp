//===- turnip-translate.cpp - mem IR to artifact and back -----------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"
#include "turnip/Pipelines/Registration.h"
#include "turnip/Target/MemGraph.h"

int main(int argc, char **argv) {
  turnip::registerMemGraphTranslations(turnip::registerAllDialects);
  return mlir::failed(mlir::mlirTranslateMain(
      argc, argv, "Turnip: placed modules to artifacts and back"));
}
