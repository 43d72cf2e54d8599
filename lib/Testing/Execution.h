//===- Execution.h - Plans, serialises, loads and runs ----------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_TESTING_EXECUTION_H
#define TURNIP_LIB_TESTING_EXECUTION_H

#include "turnip/Reference/Program.h"
#include "turnip/Testing/Random.h"
#include "turnip/artifact/Module.h"
#include "turnip/runtime/KernelABI.h"
#include "turnip/runtime/Session.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace turnip::testing {

/// Parameters kept as bytes.
class StoredParameters : public parameters::ParameterProvider {
public:
  void add(const std::string &name, parameters::Tensor tensor);

  Expected<parameters::ParameterInfo>
  find(const std::string &name) const override;
  Status read(const std::string &name, int64_t first, int64_t count,
              ElementType type, void *dst) const override;
  std::vector<std::string> names() const override;

private:
  std::vector<std::pair<std::string, parameters::Tensor>> tensors;
};

/// What runs share.
struct ExecutionInputs {
  llvm::SmallVector<reference::NamedTensor> inputs;
  const StoredParameters *parameters = nullptr;
  /// The names of the results, in order.
  llvm::SmallVector<std::string> results;
};

/// A module on its way from IR to a program that can run.
class PlacedProgram {
public:
  /// Translates \p module to an artifact, writes and reads it back, turns that
  /// into IR and into an artifact again. Errors where any of it changes a byte.
  static Expected<PlacedProgram> make(mlir::ModuleOp module);

  /// Writes \p module as an artifact and reads it back.
  static Expected<PlacedProgram> make(const artifact::Module &module);

  const artifact::Module &artifact() const { return module; }
  const artifact::Entry &entry() const { return module.entries.front(); }
  /// The smallest capacity of the device's memory that the plan states; 0
  /// where nothing runs there.
  uint64_t smallestCap() const;
  uint64_t deviceCapacity() const;
  /// The highest byte in use on the device.
  uint64_t devicePeak() const;

  /// Makes a session on the host driver with \p lanes threads. \p kernels
  /// replace the object code of the kernels of the same name, unless empty.
  using KernelTable =
      llvm::function_ref<runtime::KernelFunction(llvm::StringRef)>;
  Expected<std::unique_ptr<runtime::Session>>
  open(const ExecutionInputs &inputs, unsigned lanes, bool guard,
       KernelTable kernels) const;
  /// Makes a session on \p driver, with \p inputs if it moves data.
  Expected<std::unique_ptr<runtime::Session>>
  open(std::unique_ptr<runtime::Driver> driver,
       const ExecutionInputs *inputs = nullptr) const;

private:
  explicit PlacedProgram(artifact::Module module) : module(std::move(module)) {}

  artifact::Module module;
};

/// The schedules that a program is run under.
llvm::SmallVector<runtime::Schedule> makeSchedules(Random &random);

/// Runs \p session once under \p schedule and returns its results.
Expected<std::vector<parameters::Tensor>>
runOnce(runtime::Session &session, const runtime::Schedule &schedule,
        const ExecutionInputs &inputs);

} // namespace turnip::testing

#endif // TURNIP_LIB_TESTING_EXECUTION_H
