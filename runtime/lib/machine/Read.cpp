//===- Read.cpp - Machine descriptions from JSON --------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reader.h"

#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <vector>

using namespace turnip;
using namespace turnip::machine;

/// Reads the array \p name of \p parent: \p readElement gets each element and
/// its path.
template <typename Function>
static Status readArray(ObjectReader &parent, const char *name,
                        const Function &readElement) {
  const json::Value *array = parent.find(name);
  if (!array)
    return Status::ok();
  TURNIP_RETURN_IF_ERROR(
      expectKind(*array, parent.pathOf(name), json::Value::Kind::Array));
  for (size_t i = 0; i < array->elements.size(); ++i) {
    std::string path = parent.pathOf(name);
    path += "[" + std::to_string(i) + "]";
    TURNIP_RETURN_IF_ERROR(readElement(array->elements[i], path));
  }
  return Status::ok();
}

/// The first of \p names, for a message.
static std::string listNames(const std::vector<std::string> &names) {
  constexpr size_t few = 16;
  std::string list;
  for (size_t i = 0; i < names.size() && i < few; ++i)
    list += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > few)
    list += ", and " + std::to_string(names.size() - few) + " more";
  return names.empty() ? "none" : list;
}

/// Reads field \p field, the name of something in \p list, a list of \p what.
template <typename T>
static Status readReference(ObjectReader &reader, const char *field,
                            const char *what, const std::vector<T> &list,
                            uint32_t &index) {
  std::string name;
  TURNIP_RETURN_IF_ERROR(reader.text(field, name, ObjectReader::Needed));
  std::vector<std::string> names;
  for (uint32_t i = 0; i < list.size(); ++i) {
    if (list[i].name == name) {
      index = i;
      return Status::ok();
    }
    names.push_back(list[i].name);
  }
  return invalidAt(reader.pathOf(field),
                   std::string("no ") + what + " '" + name +
                       "'; there are: " + listNames(names));
}

//===----------------------------------------------------------------------===//
// Memories and devices
//===----------------------------------------------------------------------===//

static Status readMemory(const json::Value &value, const std::string &path,
                         Machine &machine) {
  ObjectReader reader(value, path);
  TURNIP_RETURN_IF_ERROR(reader.check());
  Memory memory;
  std::string kind = "device";
  TURNIP_RETURN_IF_ERROR(
      reader.text("name", memory.name, ObjectReader::Needed));
  TURNIP_RETURN_IF_ERROR(reader.text("kind", kind));
  TURNIP_RETURN_IF_ERROR(reader.bytes("capacity", maxCapacity, memory.capacity,
                                      ObjectReader::Needed));
  TURNIP_RETURN_IF_ERROR(reader.bytes("alignment", uint64_t(1) << 30,
                                      memory.alignment,
                                      ObjectReader::Optional));
  if (memory.alignment < 64 || (memory.alignment & (memory.alignment - 1)) != 0)
    return invalidAt(reader.pathOf("alignment"),
                     "expected a power of 2 from 64 on, but got " +
                         std::to_string(memory.alignment));
  if (kind != "device" && kind != "host")
    return invalidAt(reader.pathOf("kind"),
                     "expected device or host, but got '" + kind + "'");
  memory.kind = kind == "host" ? MemoryKind::Host : MemoryKind::Device;
  machine.memories.push_back(memory);
  return reader.finish();
}

static Status readFlops(const json::Value &value, const std::string &path,
                        ClassRates &rates) {
  ObjectReader reader(value, path);
  TURNIP_RETURN_IF_ERROR(reader.check());
  for (unsigned i = 0; i < numElementTypes; ++i) {
    auto type = static_cast<ElementType>(i);
    double rate = 0;
    TURNIP_RETURN_IF_ERROR(reader.number(toString(type), 1, maxFlops, rate));
    if (rate > 0)
      rates.flops[type] = rate;
  }
  return reader.finish();
}

static Status readRates(const json::Value &value, const std::string &path,
                        ClassRates &rates) {
  ObjectReader reader(value, path);
  TURNIP_RETURN_IF_ERROR(reader.check());
  if (const json::Value *flops = reader.find("flops"))
    TURNIP_RETURN_IF_ERROR(readFlops(*flops, reader.pathOf("flops"), rates));
  TURNIP_RETURN_IF_ERROR(
      reader.number("efficiency", 1e-6, 1, rates.efficiency));
  TURNIP_RETURN_IF_ERROR(
      reader.number("bandwidth", 1, maxBandwidth, rates.bandwidth));
  return reader.finish();
}

static Status readClasses(ObjectReader &parent, Device &device) {
  const std::string path = parent.pathOf("classes");
  const json::Value *classes = parent.find("classes");
  if (!classes)
    return invalidAt(path, "expected a value, but there is none");
  ObjectReader reader(*classes, path);
  TURNIP_RETURN_IF_ERROR(reader.check());
  for (unsigned i = 0; i < numKernelClasses; ++i) {
    auto kernelClass = static_cast<KernelClass>(i);
    const char *name = toString(kernelClass);
    if (const json::Value *rates = reader.find(name))
      TURNIP_RETURN_IF_ERROR(
          readRates(*rates, reader.pathOf(name), device.classes[kernelClass]));
  }
  TURNIP_RETURN_IF_ERROR(reader.finish());
  auto other = device.classes.find(KernelClass::Other);
  if (other == device.classes.end() ||
      other->second.flops.count(ElementType::F32) == 0)
    return invalidAt(path, "expected other.flops.f32, which stands for what "
                           "is not listed");
  return Status::ok();
}

static Status readDevice(const json::Value &value, const std::string &path,
                         Machine &machine) {
  ObjectReader reader(value, path);
  TURNIP_RETURN_IF_ERROR(reader.check());
  Device device;
  TURNIP_RETURN_IF_ERROR(
      reader.text("name", device.name, ObjectReader::Needed));
  TURNIP_RETURN_IF_ERROR(readReference(reader, "memory", "memory",
                                       machine.memories, device.memory));
  TURNIP_RETURN_IF_ERROR(reader.number("memory_bandwidth", 1, maxBandwidth,
                                       device.memoryBandwidth,
                                       ObjectReader::Needed));
  TURNIP_RETURN_IF_ERROR(
      reader.number("launch_overhead", 0, maxSeconds, device.launchOverhead));
  TURNIP_RETURN_IF_ERROR(
      reader.number("submit_latency", 0, maxSeconds, device.submitLatency));
  TURNIP_RETURN_IF_ERROR(reader.whole("lanes", 1, maxLanes, device.lanes));
  TURNIP_RETURN_IF_ERROR(reader.whole("queue", 0, maxLanes, device.queue));
  TURNIP_RETURN_IF_ERROR(reader.flag("waits", device.waits));
  TURNIP_RETURN_IF_ERROR(reader.flag("shared_launches", device.sharedLaunches));
  TURNIP_RETURN_IF_ERROR(
      reader.number("interference", 0, 1, device.interference));
  TURNIP_RETURN_IF_ERROR(readClasses(reader, device));
  machine.devices.push_back(device);
  return reader.finish();
}

//===----------------------------------------------------------------------===//
// Links
//===----------------------------------------------------------------------===//

static Status readSwitch(const json::Value &value, const std::string &path,
                         Machine &machine) {
  ObjectReader reader(value, path);
  TURNIP_RETURN_IF_ERROR(reader.check());
  Switch result;
  TURNIP_RETURN_IF_ERROR(
      reader.text("name", result.name, ObjectReader::Needed));
  TURNIP_RETURN_IF_ERROR(reader.number("bandwidth", 1, maxBandwidth,
                                       result.bandwidth, ObjectReader::Needed));
  machine.switches.push_back(result);
  return reader.finish();
}

static Status readSwitches(ObjectReader &reader, const Machine &machine,
                           Link &link) {
  return readArray(
      reader, "switches",
      [&](const json::Value &value, const std::string &path) -> Status {
        TURNIP_RETURN_IF_ERROR(
            expectKind(value, path, json::Value::Kind::String));
        std::vector<std::string> names;
        for (uint32_t i = 0; i < machine.switches.size(); ++i) {
          names.push_back(machine.switches[i].name);
          if (names.back() != value.string)
            continue;
          link.switches.push_back(i);
          return Status::ok();
        }
        return invalidAt(path, "no switch '" + value.string +
                                   "'; there are: " + listNames(names));
      });
}

static Status readLink(const json::Value &value, const std::string &path,
                       Machine &machine) {
  ObjectReader reader(value, path);
  TURNIP_RETURN_IF_ERROR(reader.check());
  Link link;
  TURNIP_RETURN_IF_ERROR(
      readReference(reader, "source", "memory", machine.memories, link.source));
  TURNIP_RETURN_IF_ERROR(readReference(reader, "destination", "memory",
                                       machine.memories, link.destination));
  TURNIP_RETURN_IF_ERROR(reader.number("bandwidth", 1, maxBandwidth,
                                       link.bandwidth, ObjectReader::Needed));
  TURNIP_RETURN_IF_ERROR(reader.number("latency", 0, maxSeconds, link.latency,
                                       ObjectReader::Needed));
  TURNIP_RETURN_IF_ERROR(reader.whole("queue", 0, maxLanes, link.queue));
  TURNIP_RETURN_IF_ERROR(readSwitches(reader, machine, link));
  machine.links.push_back(link);
  return reader.finish();
}

static Status readKernel(const json::Value &value, const std::string &path,
                         Machine &machine) {
  ObjectReader reader(value, path);
  TURNIP_RETURN_IF_ERROR(reader.check());
  KernelTime kernel;
  std::string hash;
  TURNIP_RETURN_IF_ERROR(reader.text("name", kernel.name));
  TURNIP_RETURN_IF_ERROR(reader.text("hash", hash, ObjectReader::Needed));
  TURNIP_RETURN_IF_ERROR(reader.number("seconds", 0, maxSeconds, kernel.seconds,
                                       ObjectReader::Needed));
  const char *last = hash.data() + hash.size();
  auto [end, error] = std::from_chars(hash.data(), last, kernel.hash, 16);
  if (error != std::errc() || end != last)
    return invalidAt(reader.pathOf("hash"),
                     "expected up to 16 hexadecimal digits, but got '" + hash +
                         "'");
  machine.kernels.push_back(kernel);
  return reader.finish();
}

//===----------------------------------------------------------------------===//
// The whole
//===----------------------------------------------------------------------===//

static Status readSources(ObjectReader &reader, Machine &machine) {
  return readArray(
      reader, "sources",
      [&](const json::Value &value, const std::string &path) -> Status {
        TURNIP_RETURN_IF_ERROR(
            expectKind(value, path, json::Value::Kind::String));
        machine.sources.push_back(value.string);
        return Status::ok();
      });
}

/// Reads each element of array \p field with \p read.
static Status readAll(ObjectReader &reader, const char *field, Machine &machine,
                      Status (*read)(const json::Value &, const std::string &,
                                     Machine &)) {
  return readArray(reader, field,
                   [&](const json::Value &value, const std::string &path) {
                     return read(value, path, machine);
                   });
}

static Expected<Machine> readMachine(const json::Value &root) {
  Machine machine;
  ObjectReader reader(root, "");
  TURNIP_RETURN_IF_ERROR(reader.text("name", machine.name));
  TURNIP_RETURN_IF_ERROR(reader.text("description", machine.description));
  TURNIP_RETURN_IF_ERROR(readSources(reader, machine));
  TURNIP_RETURN_IF_ERROR(readAll(reader, "memories", machine, readMemory));
  TURNIP_RETURN_IF_ERROR(readAll(reader, "devices", machine, readDevice));
  TURNIP_RETURN_IF_ERROR(readAll(reader, "switches", machine, readSwitch));
  TURNIP_RETURN_IF_ERROR(readAll(reader, "links", machine, readLink));
  TURNIP_RETURN_IF_ERROR(readAll(reader, "kernels", machine, readKernel));
  TURNIP_RETURN_IF_ERROR(
      reader.number("kernel_jitter", 0, 1, machine.kernelJitter));
  TURNIP_RETURN_IF_ERROR(
      reader.number("transfer_jitter", 0, 1, machine.transferJitter));
  TURNIP_RETURN_IF_ERROR(reader.whole("seed", 0, uint64_t(1) << 50,
                                      machine.seed, ObjectReader::Optional));
  TURNIP_RETURN_IF_ERROR(reader.finish());
  TURNIP_RETURN_IF_ERROR(checkMachine(machine));
  return machine;
}

/// The form of turnip-run's first descriptions has objects where there are
/// arrays now, or neither devices nor memories.
static bool isOldForm(const json::Value &root) {
  const json::Value *devices = root.find("devices");
  return devices ? devices->kind == json::Value::Kind::Object
                 : !root.find("memories") && !root.find("name");
}

Expected<Machine> Machine::parse(const std::string &text) {
  Expected<json::Value> root = json::parse(text);
  if (!root)
    return root.status();
  TURNIP_RETURN_IF_ERROR(ObjectReader(*root, "").check());
  return isOldForm(*root) ? readOldForm(*root) : readMachine(*root);
}

Expected<Machine> Machine::read(const std::string &path) {
  // An empty file fails to be copied too, but without a reason.
  errno = 0;
  std::ifstream file(path);
  // What goes on for ever, such as /dev/zero, must not fill the memory.
  constexpr size_t limit = size_t(64) << 20;
  std::string text;
  std::vector<char> part(size_t(1) << 16);
  while (file && text.size() <= limit) {
    file.read(part.data(), static_cast<std::streamsize>(part.size()));
    text.append(part.data(), static_cast<size_t>(file.gcount()));
  }
  if (text.size() > limit)
    return Status::error(StatusCode::BadInput,
                         "'" + path + "': a machine description has at most " +
                             std::to_string(limit) + " bytes");
  if (!file.is_open() || (text.empty() && errno != 0))
    return Status::error(StatusCode::Io,
                         "cannot read '" + path + "': " + strerror(errno));
  return parse(text).withContext("'" + path + "'");
}

Expected<Machine> Machine::find(const std::string &nameOrPath) {
  std::vector<std::string> names;
  for (const ShippedMachine &shipped : shippedMachines()) {
    if (shipped.name == nameOrPath)
      return parse(std::string(shipped.json))
          .withContext("machine '" + nameOrPath + "'");
    names.emplace_back(shipped.name);
  }
  // What looks like a path is one, for the sake of the message.
  if (nameOrPath.find_first_of("/.") != std::string::npos ||
      std::ifstream(nameOrPath))
    return read(nameOrPath);
  return Status::error(StatusCode::InvalidArgument,
                       "no machine '" + nameOrPath +
                           "': expected a file or one of " + listNames(names));
}
