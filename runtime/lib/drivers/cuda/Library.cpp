//===- Library.cpp - The libraries of CUDA, loaded ------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Library.h"

#include <cstdlib>
#include <dlfcn.h>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

using namespace turnip;
using namespace turnip::runtime::cuda;

static Status deviceError(const std::string &message) {
  return Status::error(StatusCode::Device, message);
}

/// What an environment variable says, or \p fallback.
static std::vector<std::string> candidates(const char *variable,
                                           std::vector<std::string> fallback) {
  const char *value = std::getenv(variable);
  if (value && *value)
    return {value};
  return fallback;
}

/// Looks up \p name in \p handle; false where it is not there.
template <typename Function>
static bool lookUp(void *handle, const char *name, Function &function) {
  function = reinterpret_cast<Function>(::dlsym(handle, name));
  return function != nullptr;
}

/// A library stays loaded: what it owns may be in use until the process ends.
static void *loadForever(const std::string &path, std::string &error) {
  void *handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!handle)
    error = ::dlerror();
  return handle;
}

//===----------------------------------------------------------------------===//
// The driver
//===----------------------------------------------------------------------===//

Status Library::load(const std::string &path) {
  std::string error;
  void *handle = loadForever(path, error);
  if (!handle)
    return deviceError("no CUDA: cannot load NVIDIA's driver (" + error +
                       "): install it, or use --device=host");
#define TURNIP_CUDA_LOOK_UP(name, parameters)                                  \
  if (!lookUp(handle, #name, api.name))                                        \
    return deviceError("no CUDA: '" + path +                                   \
                       "' lacks " #name ": a newer driver is needed");
  TURNIP_CUDA_FUNCTIONS(TURNIP_CUDA_LOOK_UP)
#undef TURNIP_CUDA_LOOK_UP
  standIn = ::dlsym(handle, "turnipStandInConfigure") != nullptr;
  return Status::ok();
}

Expected<int> Library::deviceCount() const {
  int count = 0;
  TURNIP_RETURN_IF_ERROR(
      check(api.cuDeviceGetCount(&count), "cuDeviceGetCount"));
  return count;
}

Status Library::initialise() const {
  CUresult result = api.cuInit(0);
  int count = 0;
  if (result == CUDA_SUCCESS) {
    Expected<int> counted = deviceCount();
    if (!counted)
      return counted.status().withContext("no CUDA");
    count = *counted;
  }
  if (result == CUDA_ERROR_NO_DEVICE || (result == CUDA_SUCCESS && count == 0))
    return deviceError("no CUDA: the driver finds no device; is one visible "
                       "(nvidia-smi, CUDA_VISIBLE_DEVICES)? use --device=host "
                       "otherwise");
  return check(result, "cuInit").withContext("no CUDA");
}

Expected<const Library *> Library::find() {
  static std::mutex mutex;
  // Never freed: handles of the driver may outlive every owner of this map.
  static auto &loaded = *new std::map<std::string, std::unique_ptr<Library>>();
  std::lock_guard<std::mutex> lock(mutex);
  const std::string path =
      candidates("TURNIP_CUDA_LIBRARY", {"libcuda.so.1"}).front();
  std::unique_ptr<Library> &library = loaded[path];
  if (!library) {
    auto made = std::make_unique<Library>();
    TURNIP_RETURN_IF_ERROR(made->load(path));
    library = std::move(made);
  }
  TURNIP_RETURN_IF_ERROR(library->initialise());
  return library.get();
}

Status Library::failure(CUresult result, const char *call) const {
  const char *name = nullptr;
  const char *text = nullptr;
  api.cuGetErrorName(result, &name);
  api.cuGetErrorString(result, &text);
  std::string message = std::string(call) + ": ";
  message += name ? name : "error " + std::to_string(result);
  if (text)
    message += " (" + std::string(text) + ")";
  return deviceError(message);
}

//===----------------------------------------------------------------------===//
// cuBLASLt
//===----------------------------------------------------------------------===//

Expected<const LtLibrary *> LtLibrary::find() {
  static std::mutex mutex;
  static auto &loaded =
      *new std::map<std::string, std::unique_ptr<LtLibrary>>();
  std::lock_guard<std::mutex> lock(mutex);
  // The entry points in use are the same in both versions.
  const std::vector<std::string> paths = candidates(
      "TURNIP_CUBLASLT_LIBRARY",
      {"libcublasLt.so.13", "/usr/local/cuda/lib64/libcublasLt.so.13",
       "libcublasLt.so.12", "/usr/local/cuda/lib64/libcublasLt.so.12"});
  std::string problem;
  for (const std::string &path : paths) {
    std::unique_ptr<LtLibrary> &library = loaded[path];
    if (library)
      return library.get();
    std::string error;
    void *handle = loadForever(path, error);
    if (!handle) {
      problem += (problem.empty() ? "" : "; ") + error;
      continue;
    }
    auto made = std::make_unique<LtLibrary>();
#define TURNIP_CUDA_LOOK_UP(name, parameters)                                  \
  if (!lookUp(handle, #name, made->api.name))                                  \
    return deviceError("'" + path + "' lacks " #name);
    TURNIP_CUBLASLT_FUNCTIONS(TURNIP_CUDA_LOOK_UP)
#undef TURNIP_CUDA_LOOK_UP
    library = std::move(made);
    return library.get();
  }
  return deviceError("cannot load cuBLASLt (" + problem +
                     "): install it, or name it in TURNIP_CUBLASLT_LIBRARY");
}

Status LtLibrary::failure(cublasStatus_t result, const char *call) {
  static const std::map<int, const char *> names = {
      {CUBLAS_STATUS_NOT_INITIALIZED, "CUBLAS_STATUS_NOT_INITIALIZED"},
      {CUBLAS_STATUS_ALLOC_FAILED, "CUBLAS_STATUS_ALLOC_FAILED"},
      {CUBLAS_STATUS_INVALID_VALUE, "CUBLAS_STATUS_INVALID_VALUE"},
      {CUBLAS_STATUS_ARCH_MISMATCH, "CUBLAS_STATUS_ARCH_MISMATCH"},
      {CUBLAS_STATUS_MAPPING_ERROR, "CUBLAS_STATUS_MAPPING_ERROR"},
      {CUBLAS_STATUS_EXECUTION_FAILED, "CUBLAS_STATUS_EXECUTION_FAILED"},
      {CUBLAS_STATUS_INTERNAL_ERROR, "CUBLAS_STATUS_INTERNAL_ERROR"},
      {CUBLAS_STATUS_NOT_SUPPORTED, "CUBLAS_STATUS_NOT_SUPPORTED"}};
  auto name = names.find(result);
  return deviceError(std::string(call) + ": " +
                     (name != names.end()
                          ? name->second
                          : "status " + std::to_string(result)));
}
