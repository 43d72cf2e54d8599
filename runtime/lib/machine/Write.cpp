//===- Write.cpp - Machine descriptions as JSON ---------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/machine/Machine.h"
#include "turnip/support/Json.h"

#include <cinttypes>
#include <cstdio>

using namespace turnip;
using namespace turnip::machine;

static void writeMemories(json::Writer &writer, const Machine &machine) {
  writer.newLine().name("memories").beginArray();
  for (const Memory &memory : machine.memories)
    writer.newLine()
        .beginObject()
        .member("name", memory.name)
        .member("kind", memory.kind == MemoryKind::Host ? "host" : "device")
        .member("capacity", memory.capacity)
        .member("alignment", memory.alignment)
        .endObject();
  writer.endArray();
}

static void writeClasses(json::Writer &writer, const Device &device) {
  writer.newLine().name("classes").beginObject();
  for (const auto &[kernelClass, rates] : device.classes) {
    writer.newLine().name(toString(kernelClass)).beginObject();
    if (!rates.flops.empty()) {
      writer.name("flops").beginObject();
      for (auto [type, rate] : rates.flops)
        writer.member(toString(type), rate);
      writer.endObject();
    }
    if (rates.efficiency != 1)
      writer.member("efficiency", rates.efficiency);
    if (rates.bandwidth > 0)
      writer.member("bandwidth", rates.bandwidth);
    writer.endObject();
  }
  writer.endObject();
}

static void writeDevices(json::Writer &writer, const Machine &machine) {
  writer.newLine().name("devices").beginArray();
  for (const Device &device : machine.devices) {
    writer.newLine()
        .beginObject()
        .member("name", device.name)
        .member("memory", machine.memories[device.memory].name)
        .member("memory_bandwidth", device.memoryBandwidth)
        .member("launch_overhead", device.launchOverhead)
        .member("submit_latency", device.submitLatency)
        .member("lanes", device.lanes)
        .member("queue", device.queue)
        .member("waits", device.waits)
        .member("shared_launches", device.sharedLaunches)
        .member("interference", device.interference);
    writeClasses(writer, device);
    writer.endObject();
  }
  writer.endArray();
}

static void writeLinks(json::Writer &writer, const Machine &machine) {
  writer.newLine().name("switches").beginArray();
  for (const Switch &entry : machine.switches)
    writer.newLine()
        .beginObject()
        .member("name", entry.name)
        .member("bandwidth", entry.bandwidth)
        .endObject();
  writer.endArray();
  writer.newLine().name("links").beginArray();
  for (const Link &link : machine.links) {
    writer.newLine()
        .beginObject()
        .member("source", machine.memories[link.source].name)
        .member("destination", machine.memories[link.destination].name)
        .member("bandwidth", link.bandwidth)
        .member("latency", link.latency)
        .member("queue", link.queue);
    writer.name("switches").beginArray();
    for (uint32_t index : link.switches)
      writer.value(machine.switches[index].name);
    writer.endArray().endObject();
  }
  writer.endArray();
}

static void writeKernels(json::Writer &writer, const Machine &machine) {
  writer.newLine().name("kernels").beginArray();
  for (const KernelTime &kernel : machine.kernels) {
    char hash[24];
    std::snprintf(hash, sizeof(hash), "%016" PRIx64, kernel.hash);
    writer.newLine()
        .beginObject()
        .member("name", kernel.name)
        .member("hash", static_cast<const char *>(hash))
        .member("seconds", kernel.seconds)
        .endObject();
  }
  writer.endArray();
}

std::string Machine::toJson() const {
  json::Writer writer;
  writer.beginObject().member("name", name).newLine();
  writer.member("description", description);
  writer.newLine().name("sources").beginArray();
  for (const std::string &source : sources)
    writer.newLine().value(source);
  writer.endArray();
  writeMemories(writer, *this);
  writeDevices(writer, *this);
  writeLinks(writer, *this);
  writeKernels(writer, *this);
  writer.newLine()
      .member("kernel_jitter", kernelJitter)
      .member("transfer_jitter", transferJitter)
      .member("seed", seed)
      .endObject();
  return writer.take() + "\n";
}
