//===- turnip-opt.cpp - Every pass, every dialect -------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "turnip/Pipelines/Registration.h"

#ifdef TURNIP_INCLUDE_TESTS
namespace turnip::test {
void registerTestEinTile();
} // namespace turnip::test
#endif

int main(int argc, char **argv) {
  turnip::registerAllPasses();
#ifdef TURNIP_INCLUDE_TESTS
  turnip::test::registerTestEinTile();
#endif
  mlir::DialectRegistry registry;
  turnip::registerAllDialects(registry);
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "Turnip optimizer driver\n", registry));
}
