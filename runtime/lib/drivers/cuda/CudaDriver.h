//===- CudaDriver.h - Devices made of GPUs ----------------------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_DRIVERS_CUDA_CUDADRIVER_H
#define TURNIP_LIB_DRIVERS_CUDA_CUDADRIVER_H

#include "../host/ComputeEngine.h"
#include "../host/TransferEngine.h"
#include "Completion.h"
#include "HostMemory.h"
#include "PeerStager.h"
#include "Stager.h"
#include "turnip/runtime/Clock.h"
#include "turnip/runtime/Drivers.h"

namespace turnip::runtime::cuda {

/// See createCudaDriver().
class CudaDriver final : public Driver {
public:
  CudaDriver(const Library &library, CudaOptions options);
  ~CudaDriver() override;

  /// Takes hold of the devices.
  Status takeDevices();

  const DriverProperties &properties() const override { return props; }
  std::optional<uint64_t> freeMemory(const std::string &name) const override;
  Status open(const MachineDescription &machine) override;
  void *base(uint32_t memory) const override;
  bool readsFromAnywhere(uint32_t memory, uint64_t offset,
                         uint64_t bytes) const override;
  Status read(uint32_t memory, uint64_t offset, uint64_t bytes,
              void *target) const override;
  Status write(uint32_t memory, uint64_t offset, uint64_t bytes,
               const void *source) override;
  Status protect(uint32_t memory, bool writable) override;
  int64_t now() const override { return monotonicNanoseconds(); }
  uint32_t queueDepth(uint32_t engine) const override {
    return engines[engine].depth;
  }
  Status start(EventSink &sink) override;
  void submit(const Command *const *commands, size_t count) override;
  uint32_t waitGroup(const Command &command) const override;
  void submitBehind(const Command &command, const uint32_t *waits,
                    size_t numWaits) override;
  void finish() override;

private:
  /// Of the two, the one that is there.
  struct Memory {
    Device *device = nullptr;
    std::unique_ptr<HostMemory> host;
    bool forParameters = false;
    uint64_t first = 0;
    uint64_t bytes = 0;
  };
  /// What an engine is made of: threads of the host, or streams of a device.
  struct Engine {
    std::unique_ptr<ComputeEngine> hostCompute;
    std::unique_ptr<TransferEngine> hostTransfer;
    Device *device = nullptr;
    uint32_t firstQueue = 0;
    uint32_t numQueues = 0;
    uint32_t depth = 1;
    /// For sources that are not pinned, where there may be some.
    std::unique_ptr<Stager> stager;
  };
  /// A command that another one is put behind.
  struct Awaited {
    uint32_t queue;
    uint64_t number;
  };

  // Opening, in this order.
  Status assignDevices(const MachineDescription &machine);
  Status allocateMemories(const MachineDescription &machine);
  Status findPeers();
  Expected<uint64_t> planPinned(const MachineDescription &machine);
  Status pinMemories(const MachineDescription &machine);
  Status loadKernels(const MachineDescription &machine);
  Status makeEngines(const MachineDescription &machine);
  Status makeStagers();

  Device *deviceAt(const void *address) const;
  bool isPinned(const void *address, uint64_t bytes) const;
  bool isStaged(const Engine &engine, const Command &command) const;
  void submitOne(const Command &command, const uint32_t *waits,
                 size_t numWaits);
  void findAwaited(const uint32_t *waits, size_t numWaits);
  StreamQueue &chooseQueue(const Engine &engine) const;
  Status issue(const Engine &engine, StreamQueue &queue,
               StreamQueue::Slot &slot, const Command &command);
  Status copy(StreamQueue &queue, const Command &command);
  size_t indexOf(const Device &device) const;
  void synchronize();

  const Library &library;
  const CudaOptions options;
  DriverProperties props;
  ErrorLog errors;
  std::vector<std::unique_ptr<Device>> devices;
  /// The device of each number that engines and memories give.
  std::vector<Device *> deviceOfNumber;
  std::vector<Memory> memories;
  /// For each pair of devices, by source and target: whether the one reaches
  /// the other, and how copies go where it does not.
  std::vector<bool> reaches;
  std::vector<std::unique_ptr<PeerStager>> peerStagers;
  /// Pinned memory for stagers: the bytes of a piece for peers, of one for a
  /// link, and of all.
  unsigned char *ring = nullptr;
  uint64_t peerPieceBytes = 0;
  uint64_t stagerBytes = 0;
  uint64_t ringBytes = 0;
  std::vector<std::unique_ptr<StreamQueue>> queues;
  std::vector<Engine> engines;
  std::unique_ptr<Completion> completion;
  std::vector<Awaited> awaited;
};

} // namespace turnip::runtime::cuda

#endif // TURNIP_LIB_DRIVERS_CUDA_CUDADRIVER_H
