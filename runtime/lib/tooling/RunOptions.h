//===- RunOptions.h - What turnip-run is asked to do ------------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_TOOLING_RUNOPTIONS_H
#define TURNIP_LIB_TOOLING_RUNOPTIONS_H

#include "Replanning.h"
#include "turnip/machine/Machine.h"
#include "turnip/runtime/Drivers.h"
#include "turnip/support/Status.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace turnip::tooling {

/// The flags of turnip-run. Name and value pairs keep the order of the command
/// line.
struct RunOptions {
  using NameValue = std::pair<std::string, std::string>;

  std::string artifact;
  std::string entry;
  std::string device = "host";
  std::string schedule = "dynamic";
  std::string parameters;
  std::vector<NameValue> inputs;
  std::vector<std::pair<std::string, int64_t>> arguments;
  /// Values of outputs are paths; of expected outputs, tensors or @paths.
  std::vector<NameValue> outputs;
  std::vector<NameValue> expected;
  double tolerance = 1e-5;

  uint64_t repeat = 1;
  /// Runs on different schedules; 0: not asked for.
  uint64_t runs = 0;
  uint64_t seed = 0;

  /// Text generation.
  std::string prompt;
  std::string tokens;
  std::string tokenizer;
  uint64_t generate = 16;

  std::string trace;
  std::string json;
  std::string record;
  /// Where a description of this machine goes, "-" for stdout; empty: not asked
  /// for.
  std::string calibrate;

  uint64_t lanes = 0;
  /// cuda: the most bytes of host memory that may be pinned.
  std::optional<uint64_t> pinnedMemory;
  double linkGbps = 0;
  double linkLatencyUs = 0;
  double linkJitter = 0;
  double kernelJitter = 0;
  /// The number of the command to fail; for tests.
  std::optional<uint64_t> injectFailure;

  ReplanFlags replan;

  bool chat = false;
  bool hashResults = false;
  bool benchmark = false;
  bool summary = false;
  bool guard = false;
  bool inspect = false;
  bool listDevices = false;
  bool help = false;
  bool version = false;

  /// True if there is a prompt to continue.
  bool generates() const { return !prompt.empty() || !tokens.empty(); }

  /// Reads the flags. Errors are InvalidArgument.
  static Expected<RunOptions> parse(const std::vector<std::string> &arguments);

  /// What --help prints.
  static std::string helpText();

  /// Makes the driver that the flags ask for.
  Expected<std::unique_ptr<runtime::Driver>> createDriver() const;
  /// True if the program is to run on GPUs.
  bool onCuda() const { return device.compare(0, 5, "cuda:") == 0; }
  /// What the flags say of the host driver.
  runtime::HostOptions hostOptions() const;

private:
  Expected<machine::Machine> findMachine() const;
  Expected<runtime::CudaOptions> cudaOptions() const;
};

} // namespace turnip::tooling

#endif // TURNIP_LIB_TOOLING_RUNOPTIONS_H
