//===- Execution.cpp - Plans, serialises, loads and runs ------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Execution.h"

#include "turnip/Target/MemGraph.h"
#include "turnip/artifact/Artifact.h"
#include "turnip/runtime/Drivers.h"

#include "mlir/IR/Verifier.h"

#include <cstring>

using namespace mlir;
using namespace turnip;
using namespace turnip::testing;

static Status executionError(const Twine &text) {
  return Status::error(StatusCode::BadInput, text.str());
}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

void StoredParameters::add(const std::string &name, parameters::Tensor tensor) {
  tensors.push_back({name, std::move(tensor)});
}

Expected<parameters::ParameterInfo>
StoredParameters::find(const std::string &name) const {
  for (const auto &[known, tensor] : tensors) {
    if (known != name)
      continue;
    parameters::ParameterInfo info;
    info.name = name;
    info.shape = tensor.shape;
    info.storage = toString(tensor.type);
    info.type = tensor.type;
    info.storedBytes = static_cast<int64_t>(tensor.data.size());
    return info;
  }
  return executionError("no parameter '" + name + "'");
}

Status StoredParameters::read(const std::string &name, int64_t first,
                              int64_t count, ElementType type,
                              void *dst) const {
  for (const auto &[known, tensor] : tensors) {
    if (known != name)
      continue;
    if (type != tensor.type || first < 0 || count < 0 ||
        first > tensor.numElements() - count)
      return executionError("parameter '" + name + "' is read wrongly");
    int64_t size = byteSize(type);
    std::memcpy(dst, tensor.data.data() + first * size, count * size);
    return Status::ok();
  }
  return executionError("no parameter '" + name + "'");
}

std::vector<std::string> StoredParameters::names() const {
  std::vector<std::string> result;
  for (const auto &[name, tensor] : tensors)
    result.push_back(name);
  return result;
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

Expected<PlacedProgram> PlacedProgram::make(ModuleOp module) {
  FailureOr<artifact::Module> exported = exportMemGraph(module);
  if (failed(exported))
    return executionError("cannot export the placed graph");
  Expected<std::string> bytes = artifact::serialize(*exported);
  if (!bytes)
    return bytes.status().withContext("serialize");
  Expected<artifact::Module> loaded = artifact::load(*bytes);
  if (!loaded)
    return loaded.status().withContext("load");
  OwningOpRef<ModuleOp> imported = importMemGraph(*loaded, module.getLoc());
  if (!imported || failed(verify(*imported)))
    return executionError("the artifact gives no valid IR");
  FailureOr<std::string> again = serializeMemGraph(*imported);
  if (failed(again))
    return executionError("cannot export what was imported");
  if (*again != *bytes)
    return executionError("the artifact changes on its way through IR");
  return PlacedProgram(std::move(*loaded));
}

Expected<PlacedProgram> PlacedProgram::make(const artifact::Module &module) {
  Expected<std::string> bytes = artifact::serialize(module);
  if (!bytes)
    return bytes.status().withContext("serialize");
  Expected<artifact::Module> loaded = artifact::load(*bytes);
  if (!loaded)
    return loaded.status().withContext("load");
  return PlacedProgram(std::move(*loaded));
}

/// The index of the first device that is no host; none where there is none.
static uint32_t acceleratorOf(const artifact::Module &module) {
  for (uint32_t i = 0; i < module.machine.devices.size(); ++i)
    if (module.machine.devices[i].kind == artifact::DeviceKind::Accelerator)
      return i;
  return artifact::none;
}

uint64_t PlacedProgram::smallestCap() const {
  uint32_t device = acceleratorOf(module);
  const auto &caps = entry().statistics.smallestCaps;
  return device < caps.size() ? caps[device].bytes : 0;
}

uint64_t PlacedProgram::deviceCapacity() const {
  uint32_t device = acceleratorOf(module);
  if (device == artifact::none)
    return 0;
  return module.machine.memories[module.machine.devices[device].memory]
      .capacity;
}

uint64_t PlacedProgram::devicePeak() const {
  uint32_t device = acceleratorOf(module);
  if (device == artifact::none)
    return 0;
  return touchedBytes(module, entry())[module.machine.devices[device].memory];
}

static Status bind(runtime::Session &session, const ExecutionInputs &inputs) {
  TURNIP_RETURN_IF_ERROR(session.bindParameters(*inputs.parameters));
  for (const reference::NamedTensor &input : inputs.inputs)
    TURNIP_RETURN_IF_ERROR(
        session.setInput(input.name, reference::toHost(input.tensor)));
  return Status::ok();
}

Expected<std::unique_ptr<runtime::Session>>
PlacedProgram::open(const ExecutionInputs &inputs, unsigned lanes, bool guard,
                    KernelTable kernels) const {
  std::vector<runtime::KernelFunction> functions;
  if (kernels)
    for (const artifact::Kernel &kernel : module.kernels)
      functions.push_back(kernels(kernel.name));
  Expected<runtime::Program> program =
      runtime::Program::create(module, std::move(functions));
  if (!program)
    return program.status().withContext("program");
  runtime::HostOptions hostOptions;
  hostOptions.lanes = lanes;
  hostOptions.trapFaults = guard;
  runtime::SessionOptions sessionOptions;
  sessionOptions.guard = guard;
  Expected<std::unique_ptr<runtime::Session>> session =
      runtime::Session::create(*program, runtime::createHostDriver(hostOptions),
                               sessionOptions);
  if (!session)
    return session.status().withContext("session");
  TURNIP_RETURN_IF_ERROR(bind(**session, inputs));
  return session;
}

Expected<std::unique_ptr<runtime::Session>>
PlacedProgram::open(std::unique_ptr<runtime::Driver> driver,
                    const ExecutionInputs *inputs) const {
  Expected<runtime::Program> program = runtime::Program::create(module);
  if (!program)
    return program.status().withContext("program");
  Expected<std::unique_ptr<runtime::Session>> session =
      runtime::Session::create(*program, std::move(driver));
  if (session && inputs)
    TURNIP_RETURN_IF_ERROR(bind(**session, *inputs));
  return session;
}

Expected<std::vector<parameters::Tensor>>
turnip::testing::runOnce(runtime::Session &session,
                         const runtime::Schedule &schedule,
                         const ExecutionInputs &inputs) {
  TURNIP_RETURN_IF_ERROR(session.setSchedule(schedule));
  TURNIP_RETURN_IF_ERROR(session.run());
  std::vector<parameters::Tensor> results;
  for (const std::string &name : inputs.results) {
    Expected<parameters::Tensor> result = session.result(name);
    if (!result)
      return result.status();
    results.push_back(std::move(*result));
  }
  return results;
}
