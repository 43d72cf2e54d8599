//===- Replanning.cpp - Flags for planning an artifact again --------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Replanning.h"

#include "turnip/artifact/Artifact.h"
#include "turnip/runtime/AutomaticMemory.h"
#include "turnip/runtime/PlanCache.h"
#include "turnip/support/ByteSize.h"
#include "turnip/support/Json.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>

using namespace turnip;
using namespace turnip::tooling;

/// Reads a size into \p bytes.
static Status readSize(const std::string &text,
                       std::optional<uint64_t> &bytes) {
  Expected<int64_t> size = parseByteSize(text);
  if (!size)
    return size.status();
  bytes = static_cast<uint64_t>(*size);
  return Status::ok();
}

/// Reads a whole number from 0 to \p maximum into \p number.
template <typename T>
static Status readNumber(const std::string &text, T maximum, T &number) {
  const char *last = text.data() + text.size();
  auto [end, error] = std::from_chars(text.data(), last, number);
  if (error == std::errc() && end == last && number <= maximum)
    return Status::ok();
  return Status::error(StatusCode::InvalidArgument,
                       "expected a whole number from 0 to " +
                           std::to_string(maximum) + ", but got '" + text +
                           "'");
}

void ReplanFlags::addTo(FlagParser &parser) {
  auto add =
      [&](const char *name, const char *placeholder, const char *help,
          Status (*read)(const std::string &, runtime::ReplanOptions &)) {
        parser.addValue(name, placeholder, help,
                        [this, read](const std::string &text) {
                          given = true;
                          return read(text, options);
                        });
      };
  using Options = runtime::ReplanOptions;
  parser.addValue("device-memory", "N|auto",
                  "plan again for devices with N bytes of memory each, such as "
                  "64MiB; auto: "
                  "what is free",
                  [this](const std::string &text) {
                    given = true;
                    automaticMemory = text == "auto";
                    if (!automaticMemory)
                      return readSize(text, options.deviceMemory);
                    options.deviceMemory.reset();
                    return Status::ok();
                  });
  add("host-memory", "N",
      "plan again for N bytes of host memory, parameters included",
      [](const std::string &text, Options &to) {
        return readSize(text, to.hostMemory);
      });
  add("machine", "NAME|FILE",
      "plan again for a machine: its speeds, costs and capacities",
      [](const std::string &text, Options &to) {
        Expected<machine::Machine> machine = machine::Machine::find(text);
        if (!machine)
          return machine.status();
        to.machine = std::move(*machine);
        return Status::ok();
      });
  add("policy", "NAME", "plan again with another policy (see turnip-compile)",
      [](const std::string &text, Options &to) {
        Expected<planner::Policy> policy = planner::parsePolicy(text);
        if (policy)
          to.plan.policy = *policy;
        return policy.status();
      });
  add("plan-effort", "N",
      "plan again and try N times as many plans as usual (1)",
      [](const std::string &text, Options &to) {
        return readNumber(text, planner::maxEffort, to.plan.effort);
      });
  add("plan-seed", "N", "plan again; chooses among equally good searches (0)",
      [](const std::string &text, Options &to) {
        return readNumber(text, UINT64_MAX, to.plan.seed);
      });
  add("rematerialize", "BOOL",
      "plan again; whether to try to compute cheap tiles again (true)",
      [](const std::string &text, Options &to) {
        to.plan.rematerialize = text == "true";
        if (text == "true" || text == "false")
          return Status::ok();
        return Status::error(StatusCode::InvalidArgument,
                             "expected true or false, but got '" + text + "'");
      });
  parser.addString("plan-cache", "DIR",
                   "keep plans in DIR instead of TURNIP_PLAN_CACHE or "
                   "~/.cache/turnip/plans",
                   cacheFolder);
  parser.addSwitch("no-plan-cache", "neither look for a plan nor keep it",
                   noCache);
}

/// Where the program's devices have their memory, its capacity.
static uint64_t deviceCapacity(const artifact::Machine &machine) {
  uint64_t bytes = 0;
  for (const artifact::Device &device : machine.devices)
    if (device.kind == artifact::DeviceKind::Accelerator)
      bytes = std::max(bytes, machine.memories[device.memory].capacity);
  return bytes;
}

static Expected<LoadedProgram> replanLoaded(artifact::Module module,
                                            const std::string &entry,
                                            const ReplanFlags &flags,
                                            const runtime::Driver &driver) {
  runtime::ReplanOptions options = flags.options;
  std::string reason;
  if (flags.automaticMemory) {
    Expected<const artifact::Entry *> found =
        artifact::findEntry(module, entry);
    if (!found)
      return found.status();
    // Without a task graph planning says what is wrong.
    if ((*found)->taskGraph) {
      runtime::AutomaticMemory chosen =
          runtime::automaticDeviceMemory(module, **found, driver);
      options.deviceMemory = chosen.bytes;
      reason = chosen.reason;
    }
  }
  std::string folder;
  if (!flags.noCache)
    folder = flags.cacheFolder.empty() ? runtime::PlanCache::defaultFolder()
                                       : flags.cacheFolder;
  auto start = std::chrono::steady_clock::now();
  bool cached = false;
  Expected<artifact::Module> planned = runtime::PlanCache(folder).replan(
      std::move(module), entry, options, &cached);
  if (!planned)
    return reason.empty()
               ? planned.status()
               : planned.status().withContext(
                     "--device-memory=auto chose " +
                     formatExactBytes(*options.deviceMemory) + ", " + reason);
  uint64_t capacity = deviceCapacity(planned->machine);
  Expected<runtime::Program> program =
      runtime::Program::create(std::move(*planned));
  if (!program)
    return program.status();
  std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  return LoadedProgram{*program,     /*replanned=*/true, cached,
                       time.count(), capacity,           reason};
}

Expected<LoadedProgram> tooling::loadProgram(const std::string &path,
                                             const std::string &entry,
                                             const ReplanFlags &flags,
                                             const runtime::Driver &driver) {
  if (flags.given) {
    // The plan in the file will not run, so it need not be proved.
    artifact::LoadOptions unproved;
    unproved.verifyPlacement = false;
    Expected<artifact::Module> module = artifact::loadFile(path, unproved);
    if (!module)
      return module.status();
    return replanLoaded(std::move(*module), entry, flags, driver);
  }
  Expected<runtime::Program> program = runtime::Program::load(path);
  if (!program)
    return program.status();
  return LoadedProgram{*program, false, false, 0, 0, ""};
}

std::string LoadedProgram::toText() const {
  if (!replanned)
    return "";
  char time[64];
  std::snprintf(time, sizeof(time), "%.1f ms", seconds * 1e3);
  std::string text = "planned again for " + formatExactBytes(deviceMemory);
  if (!reason.empty())
    text += " (" + reason + ")";
  return text + " in " + time + (cached ? ", from the cache\n" : "\n");
}

std::string LoadedProgram::toJson() const {
  json::Writer writer;
  writer.beginObject()
      .member("device_memory", deviceMemory)
      .member("seconds", seconds)
      .member("cached", cached);
  if (!reason.empty())
    writer.member("reason", reason);
  writer.endObject();
  return writer.take();
}
