//===- StressStandIn.cpp - Random programs on GPUs that are played --------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Execution.h"

#include "turnip/Testing/StressCase.h"
#include "turnip/runtime/Drivers.h"
#include "turnip/standin/StandIn.h"

#include <cstdlib>
#include <dlfcn.h>

using namespace mlir;
using namespace turnip;
using namespace turnip::testing;

static Status stageError(const Twine &text) {
  return Status::error(StatusCode::BadInput, text.str());
}

namespace {
/// The library that plays CUDA, loaded.
class StandIn {
public:
  static Expected<StandIn> load(const std::string &path) {
    StandIn library;
    library.handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library.handle)
      return stageError(::dlerror());
    ::setenv("TURNIP_CUDA_LIBRARY", path.c_str(), 1);
    ::setenv("TURNIP_CUBLASLT_LIBRARY", path.c_str(), 1);
    return library;
  }
  Status configure(const std::string &text) const {
    auto *function = find<const char *(const char *)>("turnipStandInConfigure");
    const char *problem = function(text.c_str());
    return problem ? stageError(text + ": " + problem) : Status::ok();
  }
  /// Errors if anything of CUDA's is still alive.
  Status checkNothingLeft() const {
    standin::Statistics seen;
    find<void(standin::Statistics *)>("turnipStandInStatistics")(&seen);
    const uint64_t left = seen.contexts + seen.streams + seen.events +
                          seen.modules + seen.deviceAllocations +
                          seen.hostAllocations + seen.hostRegistrations +
                          seen.ltObjects + seen.abandoned;
    return left == 0 ? Status::ok()
                     : stageError(Twine(left) + " objects are left behind");
  }
  std::string message() const {
    return find<const char *()>("turnipStandInMessage")();
  }

private:
  template <typename Function> Function *find(const char *name) const {
    return reinterpret_cast<Function *>(::dlsym(handle, name));
  }
  void *handle = nullptr;
};
} // namespace

static unsigned countAccelerators(const artifact::Module &module) {
  return llvm::count_if(
      module.machine.devices, [](const artifact::Device &device) {
        return device.kind == artifact::DeviceKind::Accelerator;
      });
}

Status StressCase::checkOnDevices(ModuleOp graph, uint64_t cap,
                                  uint64_t &smallest,
                                  const ExecutionInputs &execution) {
  Expected<OwningOpRef<ModuleOp>> placed = place(graph, cap);
  if (!placed)
    return placed.status();
  Expected<PlacedProgram> program = PlacedProgram::make(**placed);
  if (!program)
    return program.status();
  smallest = program->smallestCap();
  Expected<StandIn> library = StandIn::load(standIn);
  if (!library)
    return library.status();
  const unsigned count = std::max(1U, countAccelerators(program->artifact()));
  runtime::CudaOptions options;
  const bool apart = random.chance(50);
  for (unsigned i = 0; i < count; ++i)
    options.devices.push_back(apart ? static_cast<int>(i) : 0);
  options.lanes = random.between(1, 3);
  options.hostLanes = 1;
  TURNIP_RETURN_IF_ERROR(
      library->configure("devices=" + std::to_string(count) +
                         ",delay-us=" + std::to_string(random.between(0, 60)) +
                         ",seed=" + std::to_string(random.next()) +
                         ",peers=" + (random.chance(50) ? "1" : "0")));
  {
    Expected<std::unique_ptr<runtime::Driver>> driver =
        runtime::createCudaDriver(options);
    if (!driver)
      return driver.status();
    Expected<std::unique_ptr<runtime::Session>> session =
        program->open(std::move(*driver), &execution);
    if (!session)
      return session.status();
    for (const runtime::Schedule &schedule : makeSchedules(random)) {
      auto results = runOnce(**session, schedule, execution);
      if (!results)
        return results.status().withContext(library->message());
      TURNIP_RETURN_IF_ERROR(compareRun(*results).withContext(
          "schedule " + std::to_string(static_cast<int>(schedule.policy)) +
          ", seed " + std::to_string(schedule.seed)));
    }
  }
  return library->checkNothingLeft();
}

Status StressCase::checkStandIn() {
  if (standIn.empty())
    return Status::ok();
  const std::string pipeline =
      partitioning + ",task-compile-kernels{target=x86-64-v3,cuda:stand-in}";
  Expected<OwningOpRef<ModuleOp>> graph = lower(pipeline);
  if (!graph)
    return graph.status();
  StoredParameters stored;
  const ExecutionInputs execution = executionInputs(stored);
  // Kernels for GPUs add in another order than those for processors.
  firstResults.clear();
  uint64_t smallest = 0, ignored = 0;
  TURNIP_RETURN_IF_ERROR(
      checkOnDevices(**graph, 0, smallest, execution).withContext(pipeline));
  if (smallest == 0)
    return Status::ok();
  for (uint64_t cap : {smallest, smallest + 256 * random.between(1, 40)})
    TURNIP_RETURN_IF_ERROR(
        checkOnDevices(**graph, cap, ignored, execution)
            .withContext(pipeline + ", cap " + std::to_string(cap)));
  return Status::ok();
}
