//===- PeerStager.h - Copies between devices through the host ---*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_DRIVERS_CUDA_PEERSTAGER_H
#define TURNIP_LIB_DRIVERS_CUDA_PEERSTAGER_H

#include "StreamQueue.h"

#include <memory>

namespace turnip::runtime::cuda {

/// Copies from one device to another where neither can reach the other's
/// memory: piece by piece into two pieces of pinned memory and out of them. All
/// of it is put on streams at once; no thread of the host is involved.
class PeerStager {
public:
  /// \p memory: two pieces of \p pieceBytes of pinned memory. Error: Device.
  static Expected<std::unique_ptr<PeerStager>>
  create(const Library &library, Device &source, Device &target,
         unsigned char *memory, uint64_t pieceBytes);
  ~PeerStager();
  PeerStager(const PeerStager &) = delete;
  PeerStager &operator=(const PeerStager &) = delete;

  /// Puts the copy on \p stream of the target's device, whose context is
  /// current on return.
  Status copy(const Command &command, CUstream stream);

  void synchronize() const;

private:
  PeerStager(const Library &library, Device &source, Device &target,
             unsigned char *memory, uint64_t pieceBytes)
      : library(library), source(source), target(target), memory(memory),
        pieceBytes(pieceBytes) {}

  const Library &library;
  Device &source;
  Device &target;
  unsigned char *const memory;
  const uint64_t pieceBytes;
  /// Of the source's device.
  CUstream outgoing = nullptr;
  CUevent begun = nullptr;
  CUevent filled[2] = {};
  CUevent taken[2] = {};
  uint64_t pieces = 0;
};

} // namespace turnip::runtime::cuda

#endif // TURNIP_LIB_DRIVERS_CUDA_PEERSTAGER_H
