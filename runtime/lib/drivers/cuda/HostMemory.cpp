//===- HostMemory.cpp - Memory of the host, pinned as far as allowed ------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostMemory.h"

using namespace turnip;
using namespace turnip::runtime::cuda;

Expected<std::unique_ptr<HostMemory>>
HostMemory::allocate(const Library &library, uint64_t bytes, bool prefault) {
  Expected<Arena> arena = Arena::allocate(bytes, prefault);
  if (!arena)
    return arena.status();
  return std::unique_ptr<HostMemory>(
      new HostMemory(library, std::move(*arena)));
}

HostMemory::~HostMemory() {
  if (pinned > 0)
    library->cuMemHostUnregister(arena.base());
}

Status HostMemory::pin(uint64_t bytes) {
  if (bytes == 0)
    return Status::ok();
  Status status = library.check(
      library->cuMemHostRegister_v2(arena.base(), bytes, pinnedForAllContexts),
      "cuMemHostRegister");
  if (!status)
    return Status::error(StatusCode::DoesNotFit,
                         "cannot pin " + std::to_string(bytes) +
                             " bytes: " + status.message() +
                             "; is the limit of locked memory (ulimit -l) too "
                             "low? --pinned-memory= asks for less");
  pinned = bytes;
  return status;
}
