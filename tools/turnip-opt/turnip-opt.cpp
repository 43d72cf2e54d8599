//===- turnip-opt.cpp - Every pass, every dialect -------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "turnip/Pipelines/Output.h"
#include "turnip/Pipelines/Registration.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#ifdef TURNIP_INCLUDE_TESTS
namespace turnip::test {
void registerTestEinTile();
} // namespace turnip::test
#endif

/// Messages name a place in the file, so they do not print operations as well,
/// which may be whole modules, unless the command line says otherwise.
static llvm::SmallVector<char *> withDefaults(int argc, char **argv) {
  static char quiet[] = "--mlir-print-op-on-diagnostic=false";
  llvm::SmallVector<char *> arguments(argv, argv + argc);
  bool isGiven = llvm::any_of(arguments, [](llvm::StringRef argument) {
    return argument.ltrim('-').starts_with("mlir-print-op-on-diagnostic");
  });
  if (!isGiven)
    arguments.insert(arguments.begin() + 1, quiet);
  arguments.push_back(nullptr);
  return arguments;
}

int main(int argc, char **argv) {
  turnip::reportLostOutput("turnip-opt");
  turnip::registerAllPasses();
#ifdef TURNIP_INCLUDE_TESTS
  turnip::test::registerTestEinTile();
#endif
  mlir::DialectRegistry registry;
  turnip::registerAllDialects(registry);
  llvm::SmallVector<char *> arguments = withDefaults(argc, argv);
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(arguments.size() - 1, arguments.data(),
                        "Turnip optimizer driver\n", registry));
}
