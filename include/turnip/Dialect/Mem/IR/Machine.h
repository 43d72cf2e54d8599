//===- Machine.h - The machine of a module, by index ---------- -*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a mem.machine lists, as the arrays that the planner and the artifact
// use.
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_DIALECT_MEM_IR_MACHINE_H
#define TURNIP_DIALECT_MEM_IR_MACHINE_H

#include "turnip/Dialect/Mem/IR/Mem.h"

#include <optional>

namespace turnip::mem {

/// Returns the machine of \p module, or null where it has none.
MachineOp getMachine(mlir::ModuleOp module);

/// The memories, devices and links of a mem.machine as arrays, and look-up by
/// what graphs call them.
class Machine {
public:
  explicit Machine(MachineOp op);

  llvm::MutableArrayRef<MemoryOp> getMemories() { return memories; }
  llvm::MutableArrayRef<DeviceOp> getDevices() { return devices; }
  llvm::MutableArrayRef<LinkOp> getLinks() { return links; }

  std::optional<uint32_t> findMemory(mlir::FlatSymbolRefAttr name) const;
  std::optional<uint32_t> findDevice(mlir::StringAttr name) const;
  /// The device that a task.graph calls \p place: its `dev N` is the N-th
  /// accelerator, its host the first host device.
  std::optional<uint32_t> findDevice(task::PlaceAttr place) const;
  /// The first link from one memory to another.
  std::optional<uint32_t> findLink(mlir::FlatSymbolRefAttr source,
                                   mlir::FlatSymbolRefAttr destination) const;
  /// The link that \p copy runs on; none where a device moves the bytes.
  std::optional<uint32_t> linkOf(CopyOp copy) const;

private:
  llvm::SmallVector<MemoryOp> memories;
  llvm::SmallVector<DeviceOp> devices;
  llvm::SmallVector<LinkOp> links;
  llvm::SmallVector<uint32_t> accelerators;
  std::optional<uint32_t> hostDevice;
  llvm::DenseMap<mlir::Attribute, uint32_t> memoryIndex, deviceIndex;
  llvm::DenseMap<std::pair<mlir::Attribute, mlir::Attribute>, uint32_t>
      linkIndex;
};

} // namespace turnip::mem

#endif // TURNIP_DIALECT_MEM_IR_MACHINE_H
