//===- KernelLibrary.cpp - A module's kernels, loaded ---------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/artifact/KernelLibrary.h"

#include <cerrno>
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace turnip;
using namespace turnip::artifact;

#if defined(__x86_64__)
constexpr Elf64_Half hostMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr Elf64_Half hostMachine = EM_AARCH64;
#else
constexpr Elf64_Half hostMachine = EM_NONE;
#endif

/// Checks what the loader takes for granted before it looks closer.
static Status checkHeader(const std::string &code) {
  Elf64_Ehdr header;
  if (code.size() < sizeof(header))
    return Status::error(StatusCode::BadInput,
                         "expected a shared object, but got " +
                             std::to_string(code.size()) + " bytes");
  std::memcpy(&header, code.data(), sizeof(header));
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_type != ET_DYN)
    return Status::error(StatusCode::BadInput,
                         "the code is no 64-bit shared object");
  if (header.e_machine != hostMachine)
    return Status::error(StatusCode::BadInput,
                         "expected code for ELF machine " +
                             std::to_string(hostMachine) + ", but got " +
                             std::to_string(header.e_machine));
  return Status::ok();
}

/// An anonymous file that may be mapped for execution, or -1 and errno.
static int makeFile() {
#ifndef MFD_EXEC
  constexpr unsigned MFD_EXEC = 0x10;
#endif
  int fd = ::memfd_create("turnip-kernel", MFD_CLOEXEC | MFD_EXEC);
  // Kernels before 6.3 do not know the flag, and need none.
  if (fd < 0 && errno == EINVAL)
    fd = ::memfd_create("turnip-kernel", MFD_CLOEXEC);
  return fd;
}

static bool writeAll(int fd, const std::string &bytes) {
  size_t done = 0;
  while (done < bytes.size()) {
    ssize_t written = ::write(fd, bytes.data() + done, bytes.size() - done);
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0)
      return false;
    done += static_cast<size_t>(written);
  }
  return true;
}

Expected<LoadedObject> LoadedObject::load(const KernelObject &object) {
  TURNIP_RETURN_IF_ERROR(checkHeader(object.code));
  LoadedObject loaded;
  loaded.fd = makeFile();
  if (loaded.fd < 0 || !writeAll(loaded.fd, object.code))
    return Status::error(StatusCode::Device,
                         std::string("cannot store the code in memory: ") +
                             std::strerror(errno));
  std::string path = "/proc/self/fd/" + std::to_string(loaded.fd);
  loaded.handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!loaded.handle)
    return Status::error(StatusCode::Device,
                         std::string("cannot load the code: ") + ::dlerror());
  void *symbol = ::dlsym(loaded.handle, object.symbol.c_str());
  if (!symbol)
    return Status::error(StatusCode::BadInput,
                         "the code does not export '" + object.symbol + "'");
  loaded.entry = reinterpret_cast<runtime::KernelFunction>(symbol);
  return loaded;
}

LoadedObject::LoadedObject(LoadedObject &&other) noexcept {
  *this = std::move(other);
}

LoadedObject &LoadedObject::operator=(LoadedObject &&other) noexcept {
  std::swap(fd, other.fd);
  std::swap(handle, other.handle);
  std::swap(entry, other.entry);
  return *this;
}

LoadedObject::~LoadedObject() {
  if (handle)
    ::dlclose(handle);
  if (fd >= 0)
    ::close(fd);
}

Expected<KernelLibrary> KernelLibrary::load(const Module &module,
                                            const CpuFeatures &cpu) {
  KernelLibrary library;
  library.objects.reserve(module.kernels.size());
  for (const Kernel &kernel : module.kernels) {
    Expected<const KernelObject *> object = selectObject(kernel, cpu);
    if (!object)
      return object.status();
    Expected<LoadedObject> loaded = LoadedObject::load(**object);
    if (!loaded)
      return loaded.status().withContext("kernel " + kernel.name);
    library.objects.push_back(*std::move(loaded));
  }
  return library;
}
