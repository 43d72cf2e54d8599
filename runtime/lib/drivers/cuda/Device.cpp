//===- Device.cpp - One logical device of the CUDA driver -----------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Device.h"

#include <algorithm>

using namespace turnip;
using namespace turnip::runtime;
using namespace turnip::runtime::cuda;

Expected<std::unique_ptr<Device>> Device::create(const Library &library,
                                                 int ordinal) {
  Expected<int> count = library.deviceCount();
  if (!count)
    return count.status();
  if (ordinal < 0 || ordinal >= *count)
    return Status::error(StatusCode::InvalidArgument,
                         "no device cuda:" + std::to_string(ordinal) +
                             ": there are " + std::to_string(*count) +
                             " (see --list-devices)");
  CUdevice device = 0;
  char name[256] = "";
  Chip chip;
  chip.isStandIn = library.isStandIn();
  TURNIP_RETURN_IF_ERROR(
      library.check(library->cuDeviceGet(&device, ordinal), "cuDeviceGet"));
  TURNIP_RETURN_IF_ERROR(
      library.check(library->cuDeviceGetName(name, sizeof(name) - 1, device),
                    "cuDeviceGetName"));
  for (auto [attribute, value] :
       {std::make_pair(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
                       &chip.major),
        std::make_pair(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR,
                       &chip.minor)})
    TURNIP_RETURN_IF_ERROR(
        library.check(library->cuDeviceGetAttribute(value, attribute, device),
                      "cuDeviceGetAttribute"));
  std::string text = "cuda:" + std::to_string(ordinal) + " (" + name + ")";
  std::unique_ptr<Device> made(
      new Device(library, ordinal, chip, std::move(text)));
  made->gpu = device;
  TURNIP_RETURN_IF_ERROR(
      library.check(library->cuDevicePrimaryCtxRetain(&made->context, device),
                    "cuDevicePrimaryCtxRetain"));
  TURNIP_RETURN_IF_ERROR(made->enter());
  return made;
}

Device::~Device() {
  if (!context)
    return;
  // Each is tried whatever became of the others: after an error of the device
  // all of these report it.
  library->cuCtxSetCurrent(context);
  kernels.clear();
  if (ltHandle)
    (*lt)->cublasLtDestroy(ltHandle);
  for (CUmodule module : modules)
    library->cuModuleUnload(module);
  if (arenaBase)
    library->cuMemFree_v2(arenaBase);
  library->cuCtxSetCurrent(nullptr);
  library->cuDevicePrimaryCtxRelease_v2(gpu);
}

Expected<uint64_t> Device::freeBytes() const {
  size_t free = 0, total = 0;
  TURNIP_RETURN_IF_ERROR(enter());
  TURNIP_RETURN_IF_ERROR(
      library.check(library->cuMemGetInfo_v2(&free, &total), "cuMemGetInfo"));
  return uint64_t(free);
}

Status Device::allocate(const std::string &memory, uint64_t bytes) {
  Expected<uint64_t> free = freeBytes();
  if (!free)
    return free.status();
  // An empty arena has an address as well.
  bytes = std::max<uint64_t>(bytes, 256);
  CUresult result = library->cuMemAlloc_v2(&arenaBase, bytes);
  if (result == CUDA_ERROR_OUT_OF_MEMORY)
    return Status::error(StatusCode::DoesNotFit,
                         "memory '" + memory + "' needs " +
                             std::to_string(bytes) + " bytes, but " + text +
                             " has " + std::to_string(*free) + " free");
  return library.check(result, "cuMemAlloc")
      .withContext("memory '" + memory + "' on " + text);
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

Status Device::loadKernel(uint32_t index, const artifact::Kernel &kernel,
                          uint64_t alignment) {
  Expected<const artifact::KernelObject *> object = selectObject(kernel, chip);
  if (!object)
    return object.status();
  if (kernels.size() <= index)
    kernels.resize(index + 1);
  LoadedKernel &loaded = kernels[index];
  loaded.workspace = static_cast<uint32_t>(kernel.operandBytes.size() +
                                           kernel.resultBytes.size());
  loaded.hasWorkspace = kernel.workspaceBytes > 0;
  return loadSteps(**object, alignment, loaded.steps)
      .withContext("kernel " + kernel.name + " on " + text);
}

Status Device::loadSteps(const artifact::KernelObject &object,
                         uint64_t alignment, std::vector<Step> &steps) {
  TURNIP_RETURN_IF_ERROR(enter());
  CUmodule module = nullptr;
  for (const artifact::Launch &launch : object.launches) {
    Step step;
    step.launch = &launch;
    if (launch.kind == artifact::LaunchKind::Matmul) {
      if (!ltHandle) {
        Expected<const LtLibrary *> found = LtLibrary::find();
        if (!found)
          return found.status();
        lt = *found;
        TURNIP_RETURN_IF_ERROR(
            lt->check((*lt)->cublasLtCreate(&ltHandle), "cublasLtCreate"));
      }
      Expected<std::unique_ptr<MatmulPlan>> plan =
          MatmulPlan::create(*lt, ltHandle, launch, alignment);
      if (!plan)
        return plan.status();
      step.matmul = std::move(*plan);
      steps.push_back(std::move(step));
      continue;
    }
    if (!module) {
      // Text of PTX ends with a zero byte, which std::string has.
      TURNIP_RETURN_IF_ERROR(
          library.check(library->cuModuleLoadData(&module, object.code.c_str()),
                        "cuModuleLoadData"));
      modules.push_back(module);
    }
    TURNIP_RETURN_IF_ERROR(
        library
            .check(library->cuModuleGetFunction(&step.function, module,
                                                launch.symbol.c_str()),
                   "cuModuleGetFunction")
            .withContext("'" + launch.symbol + "'"));
    if (launch.sharedBytes > 48 << 10)
      TURNIP_RETURN_IF_ERROR(library.check(
          library->cuFuncSetAttribute(
              step.function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
              static_cast<int>(launch.sharedBytes)),
          "cuFuncSetAttribute"));
    values.resize(
        std::max(values.size(), launch.buffers.size() + launch.scalars.size()));
    steps.push_back(std::move(step));
  }
  arguments.resize(values.size());
  for (size_t i = 0; i < values.size(); ++i)
    arguments[i] = &values[i];
  return Status::ok();
}

/// The driver copies the arguments before it returns, so that one array of them
/// does for all launches.
Status Device::launchFunction(const Step &step, const Command &command,
                              CUstream stream) {
  const artifact::Launch &launch = *step.launch;
  size_t next = 0;
  for (const artifact::LaunchBuffer &at : launch.buffers)
    values[next++] =
        reinterpret_cast<uint64_t>(command.buffers[at.buffer]) + at.offset;
  for (uint32_t scalar : launch.scalars)
    values[next++] = static_cast<uint64_t>(command.scalars[scalar]);
  return library.check(
      library->cuLaunchKernel(step.function, launch.grid[0], launch.grid[1],
                              launch.grid[2], launch.block[0], launch.block[1],
                              launch.block[2], launch.sharedBytes, stream,
                              arguments.data(), nullptr),
      "cuLaunchKernel");
}

Status Device::launch(const Command &command, CUstream stream) {
  LoadedKernel &kernel = kernels[command.kernel];
  for (Step &step : kernel.steps) {
    if (step.matmul) {
      void *workspace =
          kernel.hasWorkspace ? command.buffers[kernel.workspace] : nullptr;
      TURNIP_RETURN_IF_ERROR(
          step.matmul->run(command.buffers, workspace, stream));
    } else {
      TURNIP_RETURN_IF_ERROR(launchFunction(step, command, stream));
    }
  }
  return Status::ok();
}
