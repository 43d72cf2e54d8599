//===- RunTool.cpp - turnip-run as a library ------------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/tooling/RunTool.h"

#include "Calibrate.h"
#include "Compare.h"
#include "Generate.h"
#include "Interrupt.h"
#include "Results.h"
#include "RunOptions.h"
#include "turnip/artifact/Artifact.h"
#include "turnip/artifact/Print.h"
#include "turnip/runtime/Session.h"
#include "turnip/support/ByteSize.h"
#include "turnip/support/Json.h"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <ostream>
#include <set>
#include <unistd.h>

using namespace turnip;
using namespace turnip::tooling;
using runtime::Schedule;
using runtime::Session;

namespace {
/// One invocation of the tool.
class RunTool {
public:
  RunTool(RunOptions options, std::ostream &out, std::ostream &err)
      : options(std::move(options)), out(out), err(err) {}

  Status run();

private:
  Status inspect();
  Status listDevices();
  static Status checkInputFits(const std::string &name,
                               const std::string &text);
  Status prepare();
  Status prepare(std::unique_ptr<runtime::Driver> driver);
  Status calibrateMachine();
  Status generate();
  Status runRepeatedly();
  Status runOnSchedules();
  Status hashResults(std::vector<uint64_t> &hashes) const;
  Status compareResults();
  Status writeResults();
  Status printResults();
  Status writeReports();
  std::string report() const;
  void printTimes();
  void progress(const std::string &message);
  Status writeFile(const std::string &path, const std::string &text);

  const RunOptions options;
  std::ostream &out;
  std::ostream &err;
  std::optional<LoadedProgram> loaded;
  std::unique_ptr<Session> session;
  /// Seconds of each run.
  std::vector<double> times;
  /// What --runs found.
  uint64_t distinctOrders = 0;
};
} // namespace

/// On a terminal, says what takes time.
void RunTool::progress(const std::string &message) {
  if (isatty(STDERR_FILENO))
    err << message << "\n" << std::flush;
}

static bool isInput(const artifact::Entry &entry, const std::string &name) {
  return std::any_of(entry.inputs.begin(), entry.inputs.end(),
                     [&](const auto &input) { return input.name == name; });
}

/// Says whether host memory holds input \p name beside the program, which has
/// its memory already, before the system ends the process for it.
Status RunTool::checkInputFits(const std::string &name,
                               const std::string &text) {
  std::optional<uint64_t> available =
      runtime::createHostDriver(runtime::HostOptions())->freeMemory("");
  const uint64_t bytes = parameters::bytesOfTensorOrFile(text);
  if (bytes <= available.value_or(UINT64_MAX))
    return Status::ok();
  return Status::error(StatusCode::DoesNotFit,
                       "input '" + name + "' takes " + std::to_string(bytes) +
                           " bytes of host memory beside the program's, but " +
                           std::to_string(*available) + " are available");
}

Status RunTool::prepare() {
  Expected<std::unique_ptr<runtime::Driver>> driver = options.createDriver();
  if (!driver)
    return driver.status();
  return prepare(std::move(*driver));
}

Status RunTool::prepare(std::unique_ptr<runtime::Driver> driver) {
  Expected<LoadedProgram> program =
      loadProgram(options.artifact, options.entry, options.replan, *driver);
  if (!program)
    return program.status();
  loaded = *program;
  // What was chosen is said even where nobody asked for figures.
  if (!loaded->reason.empty() && !options.summary)
    err << loaded->toText();
  runtime::SessionOptions sessionOptions;
  sessionOptions.entry = options.entry;
  sessionOptions.guard = options.guard;
  Expected<std::unique_ptr<Session>> created =
      Session::create(loaded->program, std::move(driver), sessionOptions);
  if (!created)
    return created.status();
  session = std::move(*created);

  Expected<Schedule> schedule = Schedule::parse(options.schedule);
  if (!schedule)
    return schedule.status();
  TURNIP_RETURN_IF_ERROR(session->setSchedule(*schedule));
  if (!options.parameters.empty()) {
    progress("reading parameters");
    Expected<std::unique_ptr<parameters::ParameterProvider>> provider =
        parameters::openParameters(options.parameters);
    if (!provider)
      return provider.status();
    TURNIP_RETURN_IF_ERROR(session->bindParameters(
        std::shared_ptr<const parameters::ParameterProvider>(
            std::move(*provider))));
  } else if (!session->entry().parameters.empty() &&
             session->driver().properties().movesData) {
    return Status::error(
        StatusCode::InvalidArgument,
        "the program has " +
            std::to_string(session->entry().parameters.size()) +
            " parameters: give them with --parameters=");
  }
  for (const auto &[name, text] : options.inputs) {
    TURNIP_RETURN_IF_ERROR(checkInputFits(name, text));
    Expected<parameters::Tensor> tensor = parameters::parseTensorOrFile(text);
    // A name that is none explains more than what is wrong behind it.
    if (!tensor && !isInput(session->entry(), name))
      return session->setInput(name, parameters::Tensor());
    if (!tensor)
      return tensor.status().withContext("input '" + name + "'");
    TURNIP_RETURN_IF_ERROR(session->setInput(name, std::move(*tensor)));
  }
  for (const auto &[name, value] : options.arguments)
    TURNIP_RETURN_IF_ERROR(session->setArgument(name, value));
  return Status::ok();
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

Status RunTool::generate() {
  Expected<Generator> generator = Generator::create(*session, options);
  if (!generator)
    return generator.status();
  TURNIP_RETURN_IF_ERROR(generator->run(out, err, times));
  if (options.summary)
    printTimes();
  return Status::ok();
}

Status RunTool::runRepeatedly() {
  for (uint64_t i = 0; i < options.repeat; ++i) {
    TURNIP_RETURN_IF_ERROR(session->run());
    times.push_back(session->summary().seconds);
  }
  return Status::ok();
}

/// Hashes the order in which operations completed.
static uint64_t hashOrder(const std::vector<uint32_t> &order) {
  uint64_t hash = 0xcbf29ce484222325ULL;
  for (uint32_t vertex : order)
    hash = (hash ^ vertex) * 0x100000001b3ULL;
  return hash;
}

Status RunTool::runOnSchedules() {
  std::set<uint64_t> orders;
  std::vector<uint64_t> first;
  for (uint64_t i = 0; i < options.runs; ++i) {
    std::string name = i == 0   ? "dynamic"
                       : i == 1 ? "fixed"
                                : "random:" + std::to_string(options.seed + i);
    Expected<Schedule> schedule = Schedule::parse(name);
    if (!schedule)
      return schedule.status();
    TURNIP_RETURN_IF_ERROR(session->setSchedule(*schedule));
    TURNIP_RETURN_IF_ERROR(session->run());
    times.push_back(session->summary().seconds);
    orders.insert(hashOrder(session->record().completionOrder));
    if (!session->driver().properties().movesData)
      continue;
    std::vector<uint64_t> hashes;
    TURNIP_RETURN_IF_ERROR(hashResults(hashes));
    if (i == 0)
      first = hashes;
    for (size_t r = 0; r < hashes.size(); ++r)
      if (hashes[r] != first[r])
        return Status::error(
            StatusCode::Internal,
            "result '" + session->entry().results[r].name + "' of schedule " +
                name + " has hash " + hashText(hashes[r]) +
                ", but that of dynamic has " + hashText(first[r]));
  }
  distinctOrders = orders.size();
  out << options.runs << " runs, " << distinctOrders
      << " distinct completion orders, equal results\n";
  return Status::ok();
}

Status RunTool::hashResults(std::vector<uint64_t> &hashes) const {
  for (const artifact::Binding &binding : session->entry().results) {
    Expected<uint64_t> hash = hashResult(*session, binding);
    if (!hash)
      return hash.status();
    hashes.push_back(*hash);
  }
  return Status::ok();
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

Status RunTool::compareResults() {
  for (const auto &[name, text] : options.expected) {
    Expected<parameters::Tensor> expected = parameters::parseTensorOrFile(text);
    if (!expected)
      return expected.status().withContext("expected output '" + name + "'");
    Expected<parameters::Tensor> actual = session->result(name);
    if (!actual)
      return actual.status();
    TURNIP_RETURN_IF_ERROR(
        compareTensors(name, *expected, *actual, options.tolerance));
    out << "result '" << name << "' is as expected\n";
  }
  return Status::ok();
}

Status RunTool::writeResults() {
  for (const auto &[name, path] : options.outputs)
    TURNIP_RETURN_IF_ERROR(writeResult(*session, name, path));
  return Status::ok();
}

Status RunTool::printResults() {
  const bool quiet = options.benchmark || options.runs > 0 ||
                     options.generates() || options.hashResults ||
                     !options.outputs.empty() || !options.expected.empty();
  for (const artifact::Binding &binding : session->entry().results) {
    if (options.hashResults) {
      Expected<uint64_t> hash = hashResult(*session, binding);
      if (!hash)
        return hash.status();
      out << binding.name << ": " << describe(binding.fileShape, binding.type)
          << " hash " << hashText(*hash) << "\n";
    } else if (!quiet) {
      Expected<parameters::Tensor> tensor = session->result(binding.name);
      if (!tensor)
        return tensor.status();
      out << binding.name << ": " << parameters::toText(*tensor) << "\n";
    }
  }
  return Status::ok();
}

//===----------------------------------------------------------------------===//
// Reports
//===----------------------------------------------------------------------===//

void RunTool::printTimes() {
  std::vector<double> sorted = times;
  std::sort(sorted.begin(), sorted.end());
  char line[160];
  std::snprintf(line, sizeof(line),
                "%zu runs: smallest %.3f ms, median %.3f ms, largest %.3f ms\n",
                sorted.size(), sorted.front() * 1e3,
                sorted[sorted.size() / 2] * 1e3, sorted.back() * 1e3);
  out << line;
}

/// Everything as one JSON object.
std::string RunTool::report() const {
  json::Writer writer;
  writer.beginObject()
      .member("artifact", options.artifact)
      .member("entry", session->entry().name)
      .member("device", options.device)
      .member("schedule", options.schedule)
      .member("distinct_completion_orders", distinctOrders);
  if (loaded->replanned)
    writer.name("replan").raw(loaded->toJson());
  writer.name("run").raw(session->summary().toJson());
  writer.newLine().name("times_seconds").beginArray();
  for (double time : times)
    writer.value(time);
  writer.endArray();
  writer.newLine().name("results").beginArray();
  for (const artifact::Binding &binding : session->entry().results) {
    writer.newLine()
        .beginObject()
        .member("name", binding.name)
        .member("type", describe(binding.fileShape, binding.type));
    // Drivers that move no data have no results.
    if (Expected<uint64_t> hash = hashResult(*session, binding))
      writer.member("hash", hashText(*hash));
    writer.endObject();
  }
  writer.endArray().endObject();
  return writer.take() + "\n";
}

Status RunTool::writeFile(const std::string &path, const std::string &text) {
  if (path != "-")
    return parameters::writeFileAtomically(path, text);
  out << text;
  return Status::ok();
}

Status RunTool::writeReports() {
  if (options.benchmark)
    printTimes();
  if (options.summary)
    out << loaded->toText() << session->summary().toText();
  if (!options.json.empty())
    TURNIP_RETURN_IF_ERROR(writeFile(options.json, report()));
  if (!options.trace.empty())
    TURNIP_RETURN_IF_ERROR(writeFile(options.trace, session->trace()));
  if (!options.record.empty())
    TURNIP_RETURN_IF_ERROR(runtime::writeDispatchOrder(
        options.record, session->record().dispatchOrder));
  return Status::ok();
}

Status RunTool::inspect() {
  Expected<artifact::Module> module = artifact::loadFile(options.artifact);
  if (!module)
    return module.status();
  artifact::print(*module, out);
  return Status::ok();
}

/// What --device= takes here, one per line.
Status RunTool::listDevices() {
  std::unique_ptr<runtime::Driver> host =
      runtime::createHostDriver(runtime::HostOptions());
  out << "host: " << host->properties().lanes << " lanes";
  if (std::optional<uint64_t> free = host->freeMemory(""))
    out << ", " << formatBytes(*free) << " free";
  out << "\n";
  Expected<std::vector<runtime::CudaDeviceInfo>> found =
      runtime::listCudaDevices();
  if (!found)
    out << found.status().message() << "\n";
  else
    for (size_t i = 0; i < found->size(); ++i)
      out << "cuda:" << i << ": " << (*found)[i].name << ", "
          << formatBytes((*found)[i].bytes) << ", compute capability "
          << (*found)[i].major << "." << (*found)[i].minor << "\n";
  for (const machine::ShippedMachine &machine : machine::shippedMachines())
    out << "sim:" << machine.name << ": simulated\n";
  out << "null: completes everything at once\n";
  return Status::ok();
}

Status RunTool::calibrateMachine() {
  CalibrationRequest request;
  request.device = options.device;
  request.host = options.hostOptions();
  request.runs = static_cast<unsigned>(std::max<uint64_t>(options.repeat, 5));
  request.createDriver = [&](unsigned lanes) {
    RunOptions chosen = options;
    if (lanes > 0)
      chosen.lanes = lanes;
    return chosen.createDriver();
  };
  if (!options.artifact.empty())
    request.open = [&](std::unique_ptr<runtime::Driver> driver)
        -> Expected<std::unique_ptr<Session>> {
      TURNIP_RETURN_IF_ERROR(prepare(std::move(driver)));
      return std::move(session);
    };
  progress("measuring");
  Expected<machine::Machine> machine = calibrate(request);
  if (!machine)
    return machine.status();
  return writeFile(options.calibrate, machine->toJson());
}

Status RunTool::run() {
  if (options.listDevices)
    return listDevices();
  if (options.inspect)
    return inspect();
  // Not after a long run.
  for (const std::string *path :
       {&options.calibrate, &options.json, &options.trace, &options.record})
    if (!path->empty() && *path != "-")
      TURNIP_RETURN_IF_ERROR(parameters::checkWritable(*path));
  if (!options.calibrate.empty())
    return calibrateMachine();
  TURNIP_RETURN_IF_ERROR(prepare());
  // Only now, for nothing before looks at the flag: until here SIGINT ends the
  // process.
  InterruptHandler interrupts;
  session->watchStopFlag(InterruptHandler::flag());
  if (options.generates())
    TURNIP_RETURN_IF_ERROR(generate());
  else if (options.runs > 0)
    TURNIP_RETURN_IF_ERROR(runOnSchedules());
  else
    TURNIP_RETURN_IF_ERROR(runRepeatedly());
  if (session->driver().properties().movesData) {
    TURNIP_RETURN_IF_ERROR(printResults());
    TURNIP_RETURN_IF_ERROR(compareResults());
    TURNIP_RETURN_IF_ERROR(writeResults());
  }
  return writeReports();
}

int tooling::runTool(const std::vector<std::string> &arguments,
                     std::ostream &out, std::ostream &err) {
  Expected<RunOptions> options = RunOptions::parse(arguments);
  Status status = options.status().withContext("usage");
  if (options && options->help)
    out << RunOptions::helpText();
  else if (options && options->version)
    out << "turnip-run " TURNIP_VERSION "\n";
  else if (options)
    status = RunTool(*options, out, err).run();
  out << std::flush;
  if (!out && status)
    status = Status::error(StatusCode::Io, "cannot write to stdout");
  if (!status)
    err << "turnip-run: error: " << status.message() << "\n";
  return exitCode(status.code());
}
