//===- Program.cpp - A loaded artifact ------------------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/runtime/Program.h"

#include "turnip/artifact/Artifact.h"
#include "turnip/artifact/KernelLibrary.h"

#include <mutex>
#include <optional>

using namespace turnip;
using namespace turnip::runtime;

struct Program::Contents {
  artifact::Module module;
  /// Guards what the first call of kernels() makes.
  std::mutex mutex;
  std::optional<artifact::KernelLibrary> library;
  std::vector<KernelFunction> kernels;
  bool kernelsReady = false;
};

Program::Program(std::shared_ptr<Contents> contents)
    : contents(std::move(contents)) {}

Expected<Program> Program::load(const std::string &path) {
  Expected<artifact::Module> module = artifact::loadFile(path);
  if (!module)
    return module.status();
  auto contents = std::make_shared<Contents>();
  contents->module = std::move(*module);
  return Program(std::move(contents));
}

Expected<Program> Program::create(artifact::Module module,
                                  std::vector<KernelFunction> kernels) {
  TURNIP_RETURN_IF_ERROR(artifact::checkMeaning(module));
  TURNIP_RETURN_IF_ERROR(artifact::checkPlacement(module));
  auto contents = std::make_shared<Contents>();
  if (!kernels.empty()) {
    if (kernels.size() != module.kernels.size())
      return Status::error(StatusCode::InvalidArgument,
                           "expected " + std::to_string(module.kernels.size()) +
                               " kernels, but got " +
                               std::to_string(kernels.size()));
    contents->kernels = std::move(kernels);
    contents->kernelsReady = true;
  }
  contents->module = std::move(module);
  return Program(std::move(contents));
}

const artifact::Module &Program::module() const { return contents->module; }

Expected<const artifact::Entry *>
Program::findEntry(const std::string &name) const {
  const std::vector<artifact::Entry> &entries = contents->module.entries;
  if (name.empty() && entries.size() == 1)
    return &entries.front();
  const std::string &wanted = name.empty() ? "main" : name;
  std::string known;
  for (const artifact::Entry &entry : entries) {
    if (entry.name == wanted)
      return &entry;
    known += (known.empty() ? "" : ", ") + entry.name;
  }
  return Status::error(StatusCode::InvalidArgument,
                       "no entry '" + wanted + "'; there are: " + known);
}

Expected<const std::vector<KernelFunction> *> Program::kernels() const {
  std::lock_guard<std::mutex> lock(contents->mutex);
  if (!contents->kernelsReady) {
    Expected<artifact::KernelLibrary> library =
        artifact::KernelLibrary::load(contents->module);
    if (!library)
      return library.status();
    contents->library.emplace(std::move(*library));
    for (uint32_t k = 0; k < contents->module.kernels.size(); ++k)
      contents->kernels.push_back(contents->library->function(k));
    contents->kernelsReady = true;
  }
  return &contents->kernels;
}
