//===- PlanCache.cpp - Plans that were made before ------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/runtime/PlanCache.h"

#include "OptionsText.h"
#include "turnip/artifact/Artifact.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <tuple>

using namespace turnip;
using namespace turnip::runtime;

#include "PlannerDigest.inc"

std::string PlanCache::defaultFolder() {
  if (const char *folder = std::getenv("TURNIP_PLAN_CACHE"))
    return folder;
  if (const char *cache = std::getenv("XDG_CACHE_HOME"); cache && *cache)
    return std::string(cache) + "/turnip/plans";
  if (const char *home = std::getenv("HOME"); home && *home)
    return std::string(home) + "/.cache/turnip/plans";
  return "";
}

static std::string hexText(uint64_t number) {
  char text[20];
  std::snprintf(text, sizeof(text), "%016llx",
                static_cast<unsigned long long>(number));
  return text;
}

/// Everything that a plan depends on.
static std::string keyOf(const artifact::Module &module,
                         const std::string &entry,
                         const ReplanOptions &options) {
  return std::string("planner ") + plannerDigest + "; artifact " +
         hexText(module.contentHash) + "; entry " + entry + ";" +
         optionsText(options);
}

/// What is kept of \p planned: no code, which the artifact has.
static artifact::Module toKeep(const artifact::Module &planned,
                               const std::string &key) {
  artifact::Module kept;
  kept.producer = "plan cache";
  kept.options = key;
  kept.machine = planned.machine;
  kept.entries = planned.entries;
  for (const artifact::Kernel &kernel : planned.kernels) {
    artifact::Kernel bare = kernel;
    bare.objects.clear();
    bare.source.clear();
    kept.kernels.push_back(std::move(bare));
  }
  return kept;
}

static bool isSame(const artifact::Kernel &a, const artifact::Kernel &b) {
  return a.name == b.name && a.signature == b.signature &&
         a.operandBytes == b.operandBytes && a.resultBytes == b.resultBytes &&
         a.scalarCount == b.scalarCount && a.workspaceBytes == b.workspaceBytes;
}

static bool isSame(const artifact::Tile &a, const artifact::Tile &b) {
  return a.bytes == b.bytes && a.memory == b.memory && a.origin == b.origin;
}

/// Whether \p kept is a plan of \p entry, an entry of \p module: for the same
/// kernels and tasks. That its hash and its key are right makes it so but for
/// two artifacts with one hash.
static bool isPlanOf(const artifact::Module &kept,
                     const artifact::Module &module,
                     const artifact::Entry &entry) {
  auto same = [](const auto &a, const auto &b) { return isSame(a, b); };
  if (kept.entries.size() != 1 || !kept.entries[0].taskGraph ||
      !entry.taskGraph ||
      kept.machine.memories.size() != module.machine.memories.size() ||
      kept.machine.devices.size() != module.machine.devices.size() ||
      !std::equal(kept.kernels.begin(), kept.kernels.end(),
                  module.kernels.begin(), module.kernels.end(), same))
    return false;
  const artifact::Entry &other = kept.entries[0];
  const artifact::TaskGraph &a = *entry.taskGraph, &b = *other.taskGraph;
  return other.name == entry.name && other.tasks == entry.tasks &&
         other.parameters.size() == entry.parameters.size() &&
         other.inputs.size() == entry.inputs.size() &&
         other.results.size() == entry.results.size() &&
         a.operands == b.operands && a.results == b.results &&
         std::equal(a.tiles.begin(), a.tiles.end(), b.tiles.begin(),
                    b.tiles.end(), same);
}

/// Whether \p name is that of a plan: 16 hexadecimal digits and ".plan".
static bool isPlanName(const std::string &name) {
  return name.size() == 21 && name.compare(16, 5, ".plan") == 0 &&
         name.find_first_not_of("0123456789abcdef") == 16;
}

/// Deletes what was not used for longest, but not \p newest. Other processes
/// may delete at the same time: errors do not matter.
void PlanCache::makeRoom(const std::string &newest) const {
  namespace fs = std::filesystem;
  struct Kept {
    fs::file_time_type used;
    std::string path;
    uint64_t bytes;
  };
  std::vector<Kept> plans;
  uint64_t total = 0;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error)) {
    std::error_code ignored;
    const fs::path &path = it->path();
    if (!isPlanName(path.filename().string()) ||
        fs::symlink_status(path, ignored).type() != fs::file_type::regular)
      continue;
    uint64_t bytes = fs::file_size(path, ignored);
    fs::file_time_type used = fs::last_write_time(path, ignored);
    if (ignored)
      continue;
    total += bytes;
    if (path.string() != newest)
      plans.push_back({used, path.string(), bytes});
  }
  std::sort(plans.begin(), plans.end(), [](const Kept &a, const Kept &b) {
    return std::tie(a.used, a.path) < std::tie(b.used, b.path);
  });
  for (const Kept &plan : plans) {
    if (total <= capacity)
      return;
    fs::remove(plan.path, error);
    total -= plan.bytes;
  }
}

Expected<artifact::Module> PlanCache::replan(artifact::Module module,
                                             const std::string &name,
                                             const ReplanOptions &options,
                                             bool *found) const {
  if (found)
    *found = false;
  Expected<const artifact::Entry *> entry = artifact::findEntry(module, name);
  if (!entry)
    return entry.status();
  if (folder.empty() || module.contentHash == 0)
    return runtime::replan(std::move(module), name, options);
  std::string key = keyOf(module, (*entry)->name, options);
  std::string path =
      folder + "/" + hexText(artifact::contentHash(key, key.size())) + ".plan";
  Expected<artifact::Module> kept = artifact::loadFile(path);
  if (kept && kept->options == key && isPlanOf(*kept, module, **entry)) {
    module.machine = std::move(kept->machine);
    module.entries = std::move(kept->entries);
    noteOptions(module, options);
    std::error_code ignored;
    std::filesystem::last_write_time(
        path, std::filesystem::file_time_type::clock::now(), ignored);
    if (found)
      *found = true;
    return module;
  }
  Expected<artifact::Module> planned =
      runtime::replan(std::move(module), name, options);
  if (!planned)
    return planned;
  std::error_code ignored;
  std::filesystem::create_directories(folder, ignored);
  // Without a place to keep it, the plan is as good. What is no file stays as
  // it is: a pipe would wait for who reads it.
  if (auto type = std::filesystem::symlink_status(path, ignored).type();
      type == std::filesystem::file_type::not_found ||
      type == std::filesystem::file_type::regular)
    if (artifact::saveFile(toKeep(*planned, key), path))
      makeRoom(path);
  return planned;
}
