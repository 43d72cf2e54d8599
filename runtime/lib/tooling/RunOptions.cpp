//===- RunOptions.cpp - What turnip-run is asked to do --------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunOptions.h"

#include "FlagParser.h"

#include "turnip/support/ByteSize.h"

#include <algorithm>
#include <charconv>

using namespace turnip;
using namespace turnip::tooling;

static Status usage(const std::string &message) {
  return Status::error(StatusCode::InvalidArgument, message);
}

/// Splits "NAME=VALUE".
static Status splitPair(const std::string &text, RunOptions::NameValue &pair) {
  size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    return usage("expected NAME=VALUE, but got '" + text + "'");
  pair = {text.substr(0, equals), text.substr(equals + 1)};
  return Status::ok();
}

/// Adds a flag that collects name and value pairs.
static void addPairs(FlagParser &parser, const char *name,
                     const char *placeholder, const char *help,
                     std::vector<RunOptions::NameValue> &pairs) {
  parser.addValue(name, placeholder, help, [&pairs](const std::string &text) {
    pairs.emplace_back();
    return splitPair(text, pairs.back());
  });
}

static Status addOutput(const std::string &text, RunOptions &options) {
  RunOptions::NameValue pair;
  TURNIP_RETURN_IF_ERROR(splitPair(text, pair));
  if (pair.second.size() < 2 || pair.second[0] != '@')
    return usage("expected NAME=@FILE.npy, but got '" + text + "'");
  pair.second.erase(0, 1);
  options.outputs.push_back(std::move(pair));
  return Status::ok();
}

static Status addArgument(const std::string &text, RunOptions &options) {
  RunOptions::NameValue pair;
  TURNIP_RETURN_IF_ERROR(splitPair(text, pair));
  int64_t value = 0;
  const char *last = pair.second.data() + pair.second.size();
  auto [end, error] = std::from_chars(pair.second.data(), last, value);
  if (error != std::errc() || end != last)
    return usage("expected a whole number, but got '" + pair.second + "'");
  options.arguments.emplace_back(pair.first, value);
  return Status::ok();
}

static void addProgramFlags(FlagParser &parser, RunOptions &options) {
  parser.addString("entry", "NAME",
                   "the graph to run; default: the only one, "
                   "or main",
                   options.entry);
  parser.addString("parameters", "WHERE",
                   "a .gguf file, a directory of .npy files, random:SEED or "
                   "splat:VALUE",
                   options.parameters);
  addPairs(parser, "input", "NAME=VALUE", "@x.npy, or as text 2x2xf32=1,2,3,4",
           options.inputs);
  parser.addValue("argument", "NAME=N", "a number the invocation passes",
                  [&options](const std::string &text) {
                    return addArgument(text, options);
                  });
  parser.addValue(
      "output", "NAME=@FILE.npy", "write a result to a file",
      [&options](const std::string &text) { return addOutput(text, options); });
  addPairs(parser, "expected-output", "NAME=VALUE",
           "compare a result with @y.npy or text", options.expected);
  parser.addNumber("tolerance", "T",
                   "largest difference allowed, as a share of the largest "
                   "expected value (default 1e-5; integers must be equal)",
                   0, 1e30, options.tolerance);
  parser.addSwitch("hash-results", "print a 64-bit hash of each result",
                   options.hashResults);
}

static void addDeviceFlags(FlagParser &parser, RunOptions &options) {
  parser.addString("device", "host|cuda:N|null|sim:MACHINE",
                   "what to run on (default host); a GPU for each of the "
                   "program's devices (cuda:0,cuda:1); a machine is a name "
                   "such as h100 or a file",
                   options.device);
  parser.addSwitch("list-devices", "print what there is to run on, run nothing",
                   options.listDevices);
  parser.addValue("pinned-memory", "N",
                  "cuda: pin at most N bytes of host memory (default: half of "
                  "what is free)",
                  [&options](const std::string &text) {
                    Expected<int64_t> bytes = parseByteSize(text);
                    if (bytes)
                      options.pinnedMemory = static_cast<uint64_t>(*bytes);
                    return bytes.status();
                  });
  parser.addString("schedule", "POLICY",
                   "dynamic (default), fixed, random:SEED or replay:FILE",
                   options.schedule);
  parser.addUnsigned("lanes", "N",
                     "host: compute threads per device (default: one per "
                     "processor); cuda: streams per device that compute (2)",
                     1, 1024, options.lanes);
  parser.addNumber("link-gbps", "G",
                   "host, sim: emulate links of G * 10^9 bytes per second", 0,
                   1e6, options.linkGbps);
  parser.addNumber("link-latency-us", "T",
                   "host, sim: microseconds before a copy's first byte", 0, 1e9,
                   options.linkLatencyUs);
  parser.addNumber(
      "link-jitter", "J",
      "host, sim: vary emulated copy times by a factor of 1 - J to "
      "1 + J",
      0, 1, options.linkJitter);
  parser.addNumber("kernel-jitter", "J",
                   "sim: vary kernel times by a factor of 1 - J to 1 + J", 0, 1,
                   options.kernelJitter);
  parser.addSwitch("guard",
                   "host: a guarded mapping for every buffer, freed ranges "
                   "poisoned",
                   options.guard);
  parser.addUnsigned("seed", "N", "seed of --runs and of emulated jitter", 0,
                     UINT64_MAX, options.seed);
}

static void addRunFlags(FlagParser &parser, RunOptions &options) {
  parser.addUnsigned("repeat", "N", "run N times", 1, 1000000, options.repeat);
  parser.addSwitch("benchmark",
                   "print smallest, median and largest time of the runs",
                   options.benchmark);
  parser.addUnsigned("runs", "N",
                     "run on N schedules (dynamic, fixed, random ones); count "
                     "distinct completion orders; results must be equal bits",
                     1, 1000000, options.runs);
  parser.addString("trace", "FILE", "write a trace for Perfetto",
                   options.trace);
  parser.addString("json", "FILE|-", "write exact figures as JSON",
                   options.json);
  parser.addString("record", "FILE", "write the dispatch order, for replay",
                   options.record);
  parser.addSwitch("summary", "print the figures of the (last) run",
                   options.summary);
  parser.addValue(
      "inject-failure", "N", "", [&options](const std::string &text) {
        uint64_t value = 0;
        const char *last = text.data() + text.size();
        auto [end, error] = std::from_chars(text.data(), last, value);
        if (error != std::errc() || end != last)
          return usage("expected a number");
        options.injectFailure = value;
        return Status::ok();
      });
}

static void addGenerationFlags(FlagParser &parser, RunOptions &options) {
  parser.addString("prompt", "TEXT",
                   "continue a text; the .gguf file of --parameters has the "
                   "vocabulary",
                   options.prompt);
  parser.addString("tokenizer", "FILE",
                   "another .gguf file with the vocabulary", options.tokenizer);
  parser.addSwitch("chat", "take the prompt as a user's message in a chat",
                   options.chat);
  parser.addString("tokens", "1,2,3", "continue token ids", options.tokens);
  parser.addUnsigned("generate", "N",
                     "tokens to continue a prompt by (default 16)", 1, 1000000,
                     options.generate);
}

static void addAllFlags(FlagParser &parser, RunOptions &options) {
  addProgramFlags(parser, options);
  addDeviceFlags(parser, options);
  addRunFlags(parser, options);
  addGenerationFlags(parser, options);
  options.replan.addTo(parser);
  parser.addOptionalValue(
      "calibrate", "FILE",
      "measure this machine, or a GPU (and the artifact's kernels, if one is "
      "given); write a description for sim:FILE",
      [&options](const std::string &text) {
        options.calibrate = text.empty() ? "-" : text;
        return Status::ok();
      });
  parser.addSwitch("inspect", "print what is in the artifact, run nothing",
                   options.inspect);
  parser.addSwitch("help", "print this", options.help);
  parser.addSwitch("version", "print the version", options.version);
}

Expected<RunOptions>
RunOptions::parse(const std::vector<std::string> &arguments) {
  RunOptions options;
  FlagParser parser;
  addAllFlags(parser, options);
  std::vector<std::string> positional;
  TURNIP_RETURN_IF_ERROR(parser.parse(arguments, positional));
  if (options.help || options.version || options.listDevices)
    return options;
  const bool mayBeWithout = !options.calibrate.empty() && positional.empty();
  if (positional.size() != 1 && !mayBeWithout)
    return usage("expected one artifact, but got " +
                 std::to_string(positional.size()));
  if (!positional.empty())
    options.artifact = positional.front();
  if (!options.calibrate.empty() &&
      ((options.device != "host" && !options.onCuda()) || options.guard))
    return usage("--calibrate measures the host or GPUs, without a guard");
  if (!options.calibrate.empty() && (options.runs > 0 || options.generates()))
    return usage("--calibrate runs the program itself, so a prompt and --runs "
                 "cannot be given as well");
  if (options.runs > 0 && options.schedule != "dynamic")
    return usage("--runs chooses the schedules itself, so --schedule cannot "
                 "be given as well");
  // Times in nanoseconds must stay countable.
  if (options.linkGbps > 0 && options.linkGbps < 1e-6)
    return usage("flag '--link-gbps': expected 0 or at least 1e-06");
  if (!options.prompt.empty() && !options.tokens.empty())
    return usage("--prompt and --tokens cannot both be given");
  if (options.generates() && (options.runs > 0 || options.repeat > 1))
    return usage("a prompt is continued by runs of its own, so --runs and "
                 "--repeat cannot be given as well");
  if (options.pinnedMemory && !options.onCuda())
    return usage("--pinned-memory is for --device=cuda:N");
  if (options.generates() && options.device != "host" && !options.onCuda())
    return usage("a prompt can only be continued on a device that computes, "
                 "not on " +
                 options.device);
  return options;
}

std::string RunOptions::helpText() {
  RunOptions unused;
  FlagParser parser;
  addAllFlags(parser, unused);
  return "usage: turnip-run ARTIFACT [flags]\n"
         "Runs a compiled program (*.memgraph).\n\n" +
         parser.help() +
         "\nResults go to stdout, diagnostics to stderr. Without --output, "
         "--expected-output,\n--hash-results, --benchmark or --runs every "
         "result is printed.\n\n"
         "exit codes: 0 success, 1 bad input or wrong results, 2 usage, 3 does "
         "not fit,\n4 device failure, 5 input/output, 70 internal error, 130 "
         "interrupted\n";
}

/// The machine to simulate, with what the flags say about it.
Expected<machine::Machine> RunOptions::findMachine() const {
  Expected<machine::Machine> machine = machine::Machine::find(device.substr(4));
  if (!machine)
    return machine;
  if (linkJitter > 0)
    machine->transferJitter = linkJitter;
  if (kernelJitter > 0)
    machine->kernelJitter = kernelJitter;
  if (seed > 0)
    machine->seed = seed;
  return machine;
}

runtime::HostOptions RunOptions::hostOptions() const {
  runtime::HostOptions host;
  host.lanes = static_cast<unsigned>(lanes);
  host.linkGbps = linkGbps;
  host.linkLatencyUs = linkLatencyUs;
  host.linkJitter = linkJitter;
  host.seed = seed;
  host.trapFaults = guard;
  return host;
}

Expected<runtime::CudaOptions> RunOptions::cudaOptions() const {
  runtime::CudaOptions cuda;
  cuda.lanes = static_cast<unsigned>(lanes);
  cuda.pinnedMemory = pinnedMemory;
  for (size_t begin = 0; begin <= device.size();) {
    size_t end = std::min(device.find(',', begin), device.size());
    const std::string word = device.substr(begin, end - begin);
    int number = -1;
    const char *last = word.data() + word.size();
    if (word.compare(0, 5, "cuda:") == 0) {
      auto [stop, error] = std::from_chars(word.data() + 5, last, number);
      if (error != std::errc() || stop != last)
        number = -1;
    }
    if (number < 0)
      return usage("expected cuda:NUMBER in '" + device + "', but got '" +
                   word + "'");
    cuda.devices.push_back(number);
    begin = end + 1;
  }
  return cuda;
}

Expected<std::unique_ptr<runtime::Driver>> RunOptions::createDriver() const {
  std::unique_ptr<runtime::Driver> driver;
  if (device == "host") {
    driver = runtime::createHostDriver(hostOptions());
  } else if (onCuda()) {
    Expected<runtime::CudaOptions> cuda = cudaOptions();
    if (!cuda)
      return cuda.status();
    Expected<std::unique_ptr<runtime::Driver>> made =
        runtime::createCudaDriver(*cuda);
    if (!made)
      return made.status();
    driver = std::move(*made);
  } else if (device == "null") {
    driver = runtime::createNullDriver();
  } else if (device.compare(0, 4, "sim:") == 0) {
    Expected<machine::Machine> machine = findMachine();
    if (!machine)
      return machine.status();
    driver = runtime::createSimDriver(std::move(*machine),
                                      {linkGbps, linkLatencyUs});
  } else {
    return usage("unknown device '" + device +
                 "': expected host, cuda:N, null or sim:MACHINE");
  }
  if (injectFailure)
    driver = runtime::createFailingDriver(std::move(driver), *injectFailure);
  return driver;
}
