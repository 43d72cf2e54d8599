//===- PeerStager.cpp - Copies between devices through the host -----------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PeerStager.h"

#include <algorithm>

using namespace turnip;
using namespace turnip::runtime;
using namespace turnip::runtime::cuda;

Expected<std::unique_ptr<PeerStager>>
PeerStager::create(const Library &library, Device &source, Device &target,
                   unsigned char *memory, uint64_t pieceBytes) {
  std::unique_ptr<PeerStager> stager(
      new PeerStager(library, source, target, memory, pieceBytes));
  auto makeEvent = [&](CUevent &event) {
    return library.check(
        library->cuEventCreate(&event, CU_EVENT_DISABLE_TIMING),
        "cuEventCreate");
  };
  TURNIP_RETURN_IF_ERROR(source.enter());
  TURNIP_RETURN_IF_ERROR(library.check(
      library->cuStreamCreate(&stager->outgoing, CU_STREAM_NON_BLOCKING),
      "cuStreamCreate"));
  for (CUevent &event : stager->filled)
    TURNIP_RETURN_IF_ERROR(makeEvent(event));
  TURNIP_RETURN_IF_ERROR(target.enter());
  for (CUevent &event : stager->taken)
    TURNIP_RETURN_IF_ERROR(makeEvent(event));
  TURNIP_RETURN_IF_ERROR(makeEvent(stager->begun));
  return stager;
}

PeerStager::~PeerStager() {
  synchronize();
  for (CUevent event : {filled[0], filled[1], taken[0], taken[1], begun})
    if (event)
      library->cuEventDestroy_v2(event);
  if (outgoing)
    library->cuStreamDestroy_v2(outgoing);
}

void PeerStager::synchronize() const {
  library->cuCtxSetCurrent(source.handle());
  if (outgoing)
    library->cuStreamSynchronize(outgoing);
}

Status PeerStager::copy(const Command &command, CUstream stream) {
  auto from = reinterpret_cast<CUdeviceptr>(command.source);
  auto to = reinterpret_cast<CUdeviceptr>(command.target);
  auto check = [&](CUresult result, const char *call) {
    return library.check(result, call);
  };
  // What the command waits for is on its own stream.
  TURNIP_RETURN_IF_ERROR(
      check(library->cuEventRecord(begun, stream), "cuEventRecord"));
  TURNIP_RETURN_IF_ERROR(check(library->cuStreamWaitEvent(outgoing, begun, 0),
                               "cuStreamWaitEvent"));
  for (uint64_t done = 0; done < command.bytes; ++pieces) {
    const uint64_t bytes = std::min(command.bytes - done, pieceBytes);
    const size_t piece = pieces % 2;
    unsigned char *place = memory + piece * pieceBytes;
    TURNIP_RETURN_IF_ERROR(source.enter());
    if (pieces >= 2)
      TURNIP_RETURN_IF_ERROR(
          check(library->cuStreamWaitEvent(outgoing, taken[piece], 0),
                "cuStreamWaitEvent"));
    TURNIP_RETURN_IF_ERROR(check(
        library->cuMemcpyDtoHAsync_v2(place, from + done, bytes, outgoing),
        "cuMemcpyDtoHAsync"));
    TURNIP_RETURN_IF_ERROR(check(
        library->cuEventRecord(filled[piece], outgoing), "cuEventRecord"));
    TURNIP_RETURN_IF_ERROR(target.enter());
    TURNIP_RETURN_IF_ERROR(
        check(library->cuStreamWaitEvent(stream, filled[piece], 0),
              "cuStreamWaitEvent"));
    TURNIP_RETURN_IF_ERROR(
        check(library->cuMemcpyHtoDAsync_v2(to + done, place, bytes, stream),
              "cuMemcpyHtoDAsync"));
    TURNIP_RETURN_IF_ERROR(
        check(library->cuEventRecord(taken[piece], stream), "cuEventRecord"));
    done += bytes;
  }
  return Status::ok();
}
