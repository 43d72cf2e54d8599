//===- DriverModules.cpp - Functions on modules, functions and launches ---===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Memory.h"
#include "Stream.h"

#include <cerrno>
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace turnip::standin;

/// The ELF machine number of code for NVIDIA's GPUs.
static constexpr Elf64_Half cudaMachine = 190;

/// The size of the ELF file at \p image, by what its headers say.
static uint64_t imageBytes(const char *image, const Elf64_Ehdr &header) {
  uint64_t end = header.e_shoff + uint64_t(header.e_shnum) * header.e_shentsize;
  end = std::max(end, header.e_phoff +
                          uint64_t(header.e_phnum) * header.e_phentsize);
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr part;
    std::memcpy(&part, image + header.e_phoff + uint64_t(i) * sizeof(part),
                sizeof(part));
    end = std::max(end, part.p_offset + part.p_filesz);
  }
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr part;
    std::memcpy(&part, image + header.e_shoff + uint64_t(i) * sizeof(part),
                sizeof(part));
    if (part.sh_type != SHT_NOBITS)
      end = std::max(end, part.sh_offset + part.sh_size);
  }
  return end;
}

/// What kind of image this is: CUDA_SUCCESS for one that can be loaded here.
static CUresult checkImage(const char *image, Elf64_Ehdr &header) {
  if (std::memcmp(image, ELFMAG, SELFMAG) != 0) {
    // PTX is text: its first word is a comment or a directive.
    const char *text = image + std::strspn(image, " \t\r\n");
    if (*text == '.' || *text == '/')
      return fail(CUDA_ERROR_INVALID_PTX,
                  "the image is PTX, which the stand-in cannot run");
    return fail(CUDA_ERROR_INVALID_IMAGE, "the image is no ELF file");
  }
  std::memcpy(&header, image, sizeof(header));
  if (header.e_machine == cudaMachine)
    return fail(CUDA_ERROR_NO_BINARY_FOR_GPU,
                "the image is for a GPU, which the stand-in cannot run");
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_type != ET_DYN ||
      header.e_machine != EM_X86_64)
    return fail(CUDA_ERROR_INVALID_IMAGE,
                "the image is no shared object for x86-64");
  return CUDA_SUCCESS;
}

/// An anonymous file with the image in it, or -1 and errno.
static int storeImage(const char *image, uint64_t bytes) {
  int fd = ::memfd_create("turnip-stand-in", MFD_CLOEXEC);
  while (fd >= 0 && bytes > 0) {
    const ssize_t written = ::write(fd, image, bytes);
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0) {
      ::close(fd);
      return -1;
    }
    image += written;
    bytes -= static_cast<uint64_t>(written);
  }
  return fd;
}

static CUresult loadModule(Module **module, const void *image) {
  Context *context = nullptr;
  if (CUresult result = needContext(context))
    return result;
  if (!image)
    return fail(CUDA_ERROR_INVALID_VALUE, "cuModuleLoadData: no image");
  const auto *bytes = static_cast<const char *>(image);
  Elf64_Ehdr header = {};
  if (CUresult result = checkImage(bytes, header))
    return result;
  const int fd = storeImage(bytes, imageBytes(bytes, header));
  if (fd < 0)
    return fail(CUDA_ERROR_OPERATING_SYSTEM,
                "cannot store the image in memory: %s", std::strerror(errno));
  const std::string path = "/proc/self/fd/" + std::to_string(fd);
  void *handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    ::close(fd);
    return fail(CUDA_ERROR_INVALID_IMAGE, "cannot load the image: %s",
                ::dlerror());
  }
  BlockRunner::installFaultHandler();
  auto *made = new Module;
  made->context = context;
  made->handle = handle;
  made->fd = fd;
  {
    std::lock_guard<std::mutex> lock(world().mutex);
    world().objects.push_back(made);
  }
  std::lock_guard<std::mutex> lock(context->mutex);
  context->modules.push_back(made);
  ++world().counters.modules;
  *module = made;
  return CUDA_SUCCESS;
}

TURNIP_STANDIN_EXPORT CUresult cuModuleLoadData(Module **module,
                                                const void *image) {
  TURNIP_STANDIN_ENTER(CUDA_ERROR_INVALID_IMAGE);
  return loadModule(module, image);
}

TURNIP_STANDIN_EXPORT CUresult cuModuleLoadDataEx(Module **module,
                                                  const void *image, unsigned,
                                                  int *, void **) {
  TURNIP_STANDIN_ENTER(CUDA_ERROR_INVALID_IMAGE);
  return loadModule(module, image);
}

TURNIP_STANDIN_EXPORT CUresult cuModuleUnload(Module *module) {
  TURNIP_STANDIN_ENTER_RELEASE(CUDA_ERROR_UNKNOWN);
  if (!module || !module->alive())
    return fail(CUDA_ERROR_INVALID_HANDLE, "no module, or unloaded");
  // Nothing that runs may lose its code.
  synchronizeContext(*module->context);
  std::lock_guard<std::mutex> lock(module->context->mutex);
  unloadModule(*module);
  const int sticky = module->context->sticky.load();
  return sticky ? static_cast<CUresult>(sticky) : injected;
}

TURNIP_STANDIN_EXPORT CUresult cuModuleGetFunction(Function **function,
                                                   Module *module,
                                                   const char *name) {
  TURNIP_STANDIN_ENTER(CUDA_ERROR_NOT_FOUND);
  Context *context = nullptr;
  if (CUresult result = needContext(context))
    return result;
  if (!module || !module->alive())
    return fail(CUDA_ERROR_INVALID_HANDLE, "no module, or unloaded");
  void *entry = ::dlsym(module->handle, name);
  const std::string countName = std::string(name) + "_params";
  void *count = ::dlsym(module->handle, countName.c_str());
  if (!entry || !count)
    return fail(CUDA_ERROR_NOT_FOUND, "the image does not export '%s'",
                entry ? countName.c_str() : name);
  auto *made = new Function;
  made->module = module;
  made->name = name;
  made->entry = entry;
  std::memcpy(&made->numParams, count, sizeof(made->numParams));
  {
    std::lock_guard<std::mutex> lock(world().mutex);
    world().objects.push_back(made);
  }
  std::lock_guard<std::mutex> lock(module->context->mutex);
  module->functions.push_back(made);
  *function = made;
  return CUDA_SUCCESS;
}

static CUresult checkFunction(const Function *function) {
  Context *context = nullptr;
  if (CUresult result = needContext(context))
    return result;
  if (!function || !function->alive())
    return fail(CUDA_ERROR_INVALID_HANDLE, "no function, or unloaded");
  return CUDA_SUCCESS;
}

/// As much shared memory as a launch can ask for on the chip that is played.
static int mostSharedBytes() {
  return world().config.capabilityMajor >= 9 ? BlockRunner::maxSharedBytes
                                             : 166912;
}

TURNIP_STANDIN_EXPORT CUresult cuFuncGetAttribute(
    int *value, CUfunction_attribute attribute, Function *function) {
  TURNIP_STANDIN_ENTER(CUDA_ERROR_UNKNOWN);
  if (CUresult result = checkFunction(function))
    return result;
  switch (attribute) {
  case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
    *value = BlockRunner::maxThreads;
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
  case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
  case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
    *value = 0;
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_NUM_REGS:
    *value = 32;
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
    *value = function->maxDynamicShared;
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
    *value = -1;
    return CUDA_SUCCESS;
  }
  return fail(CUDA_ERROR_INVALID_VALUE, "function attribute %d is not played",
              static_cast<int>(attribute));
}

TURNIP_STANDIN_EXPORT CUresult cuFuncSetAttribute(
    Function *function, CUfunction_attribute attribute, int value) {
  TURNIP_STANDIN_ENTER(CUDA_ERROR_UNKNOWN);
  if (CUresult result = checkFunction(function))
    return result;
  if (attribute == CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT)
    return CUDA_SUCCESS;
  if (attribute != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES ||
      value < 0 || value > mostSharedBytes())
    return fail(CUDA_ERROR_INVALID_VALUE,
                "function attribute %d cannot be set to %d",
                static_cast<int>(attribute), value);
  function->maxDynamicShared = value;
  return CUDA_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

static CUresult checkShape(const Function &function, const Work &work) {
  const uint32_t *grid = work.grid, *block = work.block;
  if (grid[0] == 0 || grid[1] == 0 || grid[2] == 0 || grid[0] > INT32_MAX ||
      grid[1] > 65535 || grid[2] > 65535)
    return fail(CUDA_ERROR_INVALID_VALUE, "%s: a grid of %ux%ux%u",
                function.name.c_str(), grid[0], grid[1], grid[2]);
  if (block[0] == 0 || block[1] == 0 || block[2] == 0 || block[2] > 64 ||
      uint64_t(block[0]) * block[1] * block[2] > BlockRunner::maxThreads ||
      block[0] > BlockRunner::maxThreads || block[1] > BlockRunner::maxThreads)
    return fail(CUDA_ERROR_INVALID_VALUE, "%s: a block of %ux%ux%u threads",
                function.name.c_str(), block[0], block[1], block[2]);
  if (work.shared > static_cast<uint32_t>(function.maxDynamicShared))
    return fail(CUDA_ERROR_INVALID_VALUE,
                "%s: %u bytes of shared memory, but at most %d were allowed "
                "with cuFuncSetAttribute",
                function.name.c_str(), work.shared, function.maxDynamicShared);
  return CUDA_SUCCESS;
}

/// Reads the packed arguments that \p extra points at; null if there are none
/// or not as many bytes as the function has.
static const void *packedParams(const Function &function, void **extra) {
  const void *buffer = nullptr;
  size_t bytes = 0;
  for (; extra && reinterpret_cast<uintptr_t>(*extra) != CU_LAUNCH_PARAM_END;
       extra += 2) {
    const auto what = reinterpret_cast<uintptr_t>(extra[0]);
    if (what == CU_LAUNCH_PARAM_BUFFER_POINTER)
      buffer = extra[1];
    else if (what == CU_LAUNCH_PARAM_BUFFER_SIZE)
      bytes = *static_cast<const size_t *>(extra[1]);
    else
      return nullptr;
  }
  return bytes == uint64_t(function.numParams) * 8 ? buffer : nullptr;
}

TURNIP_STANDIN_EXPORT CUresult cuLaunchKernel(Function *function,
                                              unsigned gridX, unsigned gridY,
                                              unsigned gridZ, unsigned blockX,
                                              unsigned blockY, unsigned blockZ,
                                              unsigned shared, void *handle,
                                              void **params, void **extra) {
  TURNIP_STANDIN_ENTER(CUDA_ERROR_UNKNOWN);
  Stream *stream = nullptr;
  if (CUresult result = useStream(handle, stream))
    return result;
  if (CUresult result = checkFunction(function))
    return result;
  if (&stream->context != currentContext() ||
      function->module->context != &stream->context)
    return fail(CUDA_ERROR_INVALID_HANDLE,
                "%s: function, stream and current context do not belong "
                "together",
                function->name.c_str());
  Work work;
  work.kind = Work::Kind::Launch;
  work.object = function;
  const uint32_t grid[3] = {gridX, gridY, gridZ};
  const uint32_t block[3] = {blockX, blockY, blockZ};
  std::memcpy(work.grid, grid, sizeof(grid));
  std::memcpy(work.block, block, sizeof(block));
  work.shared = shared;
  if (CUresult result = checkShape(*function, work))
    return result;
  constexpr uint32_t maxParams = 4096;
  uint64_t values[maxParams];
  const uint32_t count = function->numParams;
  const void *packed = params ? nullptr : packedParams(*function, extra);
  if (count > maxParams || (count > 0 && !params && !packed))
    return fail(CUDA_ERROR_INVALID_VALUE, "%s: %u arguments are missing",
                function->name.c_str(), count);
  for (uint32_t i = 0; i < count && params; ++i)
    std::memcpy(&values[i], params[i], sizeof(uint64_t));
  if (packed)
    std::memcpy(values, packed, uint64_t(count) * 8);
  work.payload = values;
  work.payloadWords = count;
  submit(*stream, work);
  return CUDA_SUCCESS;
}
