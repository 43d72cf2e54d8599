//===- MemMachine.cpp - mem.machine ---------------------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/Dialect/Mem/IR/Machine.h"

#include "mlir/IR/Builders.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace turnip::mem;

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

void MachineOp::build(OpBuilder &, OperationState &state) {
  state.addRegion()->emplaceBlock();
}

LogicalResult MemoryOp::verify() {
  if (static_cast<int64_t>(getCapacity()) < 0)
    return emitOpError("expected a capacity of at least 0, but got ")
           << static_cast<int64_t>(getCapacity());
  int64_t alignment = getAlignment();
  if (alignment < 1 || !llvm::isPowerOf2_64(alignment))
    return emitOpError("expected an alignment that is a power of 2, but got ")
           << alignment;
  if (getKind() == MemoryKind::Parameters && !getReadonly())
    return emitOpError("expected a memory of parameters to be readonly");
  return success();
}

LogicalResult DeviceOp::verify() {
  if ((getKind() == DeviceKind::Accelerator) != getBacking().has_value())
    return emitOpError("expected a backing memory of an accelerator, and none "
                       "of a host device");
  return success();
}

LogicalResult LinkOp::verify() {
  int64_t channel = getChannel();
  if (channel < 0 || channel >= UINT32_MAX)
    return emitOpError("expected a channel below ")
           << UINT32_MAX << ", but got " << channel;
  double bandwidth = getBandwidth().convertToDouble();
  double latency = getLatency().convertToDouble();
  if (!(bandwidth >= 0) || !(latency >= 0))
    return emitOpError("expected bandwidth and latency of at least 0, but got ")
           << bandwidth << " and " << latency;
  return success();
}

/// Checks that \p name is a memory of the machine, of kind \p kind if given.
static LogicalResult verifyMemory(Operation *op, Machine &machine,
                                  StringRef what, FlatSymbolRefAttr name,
                                  std::optional<MemoryKind> kind = {}) {
  std::optional<uint32_t> index = machine.findMemory(name);
  if (!index)
    return op->emitOpError("expected ")
           << what << " to be a memory of the machine, but there is no "
           << name;
  MemoryOp memory = machine.getMemories()[*index];
  if (!kind || memory.getKind() == *kind)
    return success();
  InFlightDiagnostic diag = op->emitOpError("expected ")
                            << what << " " << name << " to be of kind "
                            << stringifyMemoryKind(*kind) << ", but it is of "
                            << "kind " << stringifyMemoryKind(memory.getKind());
  diag.attachNote(memory.getLoc()) << "the memory is defined here";
  return diag;
}

static LogicalResult verifyDevice(DeviceOp device, Machine &machine) {
  bool isHost = device.getKind() == DeviceKind::Host;
  if (failed(verifyMemory(device, machine, "memory", device.getMemoryAttr(),
                          isHost ? MemoryKind::Host : MemoryKind::Device)))
    return failure();
  if (isHost)
    return success();
  return verifyMemory(device, machine, "backing", device.getBackingAttr(),
                      MemoryKind::Host);
}

LogicalResult MachineOp::verifyRegions() {
  Machine machine(*this);
  llvm::DenseMap<StringAttr, Operation *> names;
  for (Operation &op : getBody().front()) {
    if (auto device = dyn_cast<DeviceOp>(op)) {
      auto [it, inserted] = names.try_emplace(device.getNameAttr(), &op);
      if (!inserted) {
        InFlightDiagnostic diag =
            op.emitOpError("expected devices of different names, but got ")
            << device.getNameAttr() << " again";
        diag.attachNote(it->second->getLoc()) << "the other device";
        return diag;
      }
      if (failed(verifyDevice(device, machine)))
        return failure();
    } else if (auto link = dyn_cast<LinkOp>(op)) {
      if (failed(verifyMemory(link, machine, "source", link.getSourceAttr())) ||
          failed(verifyMemory(link, machine, "destination",
                              link.getDestinationAttr())))
        return failure();
    } else if (!isa<MemoryOp>(op)) {
      return op.emitOpError(
          "expected only memories, devices and links in a mem.machine");
    }
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Look-up
//===----------------------------------------------------------------------===//

MachineOp turnip::mem::getMachine(ModuleOp module) {
  auto machines = module.getOps<MachineOp>();
  return machines.empty() ? MachineOp() : *machines.begin();
}

Machine::Machine(MachineOp op) {
  for (Operation &entry : op.getBody().front()) {
    if (auto memory = dyn_cast<MemoryOp>(entry)) {
      memoryIndex.try_emplace(FlatSymbolRefAttr::get(memory.getSymNameAttr()),
                              memories.size());
      memories.push_back(memory);
    } else if (auto device = dyn_cast<DeviceOp>(entry)) {
      deviceIndex.try_emplace(device.getNameAttr(), devices.size());
      if (device.getKind() == DeviceKind::Accelerator)
        accelerators.push_back(devices.size());
      else if (!hostDevice)
        hostDevice = devices.size();
      devices.push_back(device);
    } else if (auto link = dyn_cast<LinkOp>(entry)) {
      linkIndex.try_emplace({link.getSourceAttr(), link.getDestinationAttr()},
                            links.size());
      links.push_back(link);
    }
  }
}

template <typename Map, typename Key>
static std::optional<uint32_t> find(const Map &map, const Key &key) {
  auto it = map.find(key);
  return it == map.end() ? std::nullopt : std::optional(it->second);
}

std::optional<uint32_t> Machine::findMemory(FlatSymbolRefAttr name) const {
  return find(memoryIndex, Attribute(name));
}

std::optional<uint32_t> Machine::findDevice(StringAttr name) const {
  return find(deviceIndex, Attribute(name));
}

std::optional<uint32_t> Machine::findDevice(task::PlaceAttr place) const {
  if (place.isHost())
    return hostDevice;
  auto index = static_cast<size_t>(place.getIndex());
  return index < accelerators.size() ? std::optional(accelerators[index])
                                     : std::nullopt;
}

std::optional<uint32_t> Machine::findLink(FlatSymbolRefAttr source,
                                          FlatSymbolRefAttr destination) const {
  return find(linkIndex, std::pair<Attribute, Attribute>(source, destination));
}

std::optional<uint32_t> Machine::linkOf(CopyOp copy) const {
  if (copy.getVia())
    return static_cast<uint32_t>(*copy.getVia());
  return findLink(copy.getSource().getMemory(),
                  copy.getDestination().getMemory());
}
