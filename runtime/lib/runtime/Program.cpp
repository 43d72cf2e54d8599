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

namespace {
/// The functions of a module's kernels, for all programs that are made of it.
struct KernelTable {
  /// Guards what the first call of kernels() makes.
  std::mutex mutex;
  std::optional<artifact::KernelLibrary> library;
  std::vector<KernelFunction> functions;
  bool isReady = false;
};
} // namespace

struct Program::Contents {
  artifact::Module module;
  std::shared_ptr<KernelTable> kernels = std::make_shared<KernelTable>();
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
    contents->kernels->functions = std::move(kernels);
    contents->kernels->isReady = true;
  }
  contents->module = std::move(module);
  return Program(std::move(contents));
}

Expected<Program> Program::replanned(const std::string &name,
                                     const ReplanOptions &options) const {
  Expected<artifact::Module> module = replan(contents->module, name, options);
  if (!module)
    return module.status();
  Expected<Program> program = create(std::move(*module));
  if (program)
    program->contents->kernels = contents->kernels;
  return program;
}

const artifact::Module &Program::module() const { return contents->module; }

Expected<const artifact::Entry *>
Program::findEntry(const std::string &name) const {
  return artifact::findEntry(contents->module, name);
}

Expected<const std::vector<KernelFunction> *> Program::kernels() const {
  KernelTable &table = *contents->kernels;
  std::lock_guard<std::mutex> lock(table.mutex);
  if (!table.isReady) {
    Expected<artifact::KernelLibrary> library =
        artifact::KernelLibrary::load(contents->module);
    if (!library)
      return library.status();
    table.library.emplace(std::move(*library));
    for (uint32_t k = 0; k < contents->module.kernels.size(); ++k)
      table.functions.push_back(table.library->function(k));
    table.isReady = true;
  }
  return &table.functions;
}
