//===- Session.cpp - A program on a machine -------------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/runtime/Session.h"

#include "../drivers/host/Arena.h"
#include "Guard.h"
#include "MappedParameters.h"
#include "PlacedEntry.h"
#include "Slices.h"
#include "TileNames.h"

#include <algorithm>
#include <cstring>
#include <optional>

using namespace turnip;
using namespace turnip::runtime;

struct Session::Contents {
  explicit Contents(Program program) : program(std::move(program)) {}

  Status prepare(const SessionOptions &options);
  bool callsFunctions() const;
  Status bindParameters(const parameters::ParameterProvider &provider,
                        bool mayBeMapped);
  Status checkParameter(const artifact::Binding &binding,
                        const parameters::ParameterProvider &provider) const;
  Status readPiece(const artifact::Binding &binding,
                   const artifact::Piece &piece,
                   const parameters::ParameterProvider &provider);
  bool mapPiece(const artifact::Binding &binding, const artifact::Piece &piece,
                const parameters::ParameterProvider &provider,
                bool mayBeMapped);
  unsigned char *addressOf(const artifact::Piece &piece) const;
  bool isOnDevice(const artifact::Piece &piece) const;
  Status checkReady() const;
  bool hasWritableParameters() const;
  void writeInputs();
  OperationNames nameOf(uint32_t vertex) const;
  std::string describeFailure(uint32_t vertex) const;
  Expected<const artifact::Binding *> findResult(const std::string &name) const;

  Program program;
  const artifact::Entry *entry = nullptr;
  MachineDescription machine;
  std::unique_ptr<Driver> driver;
  /// The driver, where it is a guard.
  Guard *guard = nullptr;
  PlacedEntry placed;
  std::unique_ptr<Executor> executor;

  ParameterReaders readers;
  /// Where copies take parameters from, if not from memory.
  std::shared_ptr<const parameters::ParameterProvider> mappedFrom;
  bool parametersBound = false;
  /// A run that did not finish may have overwritten parameters.
  bool parametersLost = false;
  /// One per input of the entry; null until it is set.
  std::vector<std::unique_ptr<const parameters::Tensor>> inputs;
  std::vector<int64_t> arguments;
  bool hasResults = false;
};

static Status invalidArgument(const std::string &message) {
  return Status::error(StatusCode::InvalidArgument, message);
}

//===----------------------------------------------------------------------===//
// Making a session
//===----------------------------------------------------------------------===//

Session::Session(std::unique_ptr<Contents> contents)
    : contents(std::move(contents)) {}

Session::~Session() = default;

Expected<std::unique_ptr<Session>>
Session::create(Program program, std::unique_ptr<Driver> driver,
                const SessionOptions &options) {
  auto contents = std::make_unique<Contents>(std::move(program));
  contents->driver = std::move(driver);
  TURNIP_RETURN_IF_ERROR(contents->prepare(options));
  return std::unique_ptr<Session>(new Session(std::move(contents)));
}

/// True if the driver calls functions of this process.
bool Session::Contents::callsFunctions() const {
  const DriverProperties &properties = driver->properties();
  if (!properties.movesData || !properties.launchesObjects)
    return properties.movesData;
  const artifact::Machine &described = program.module().machine;
  return std::any_of(entry->vertices.begin(), entry->vertices.end(),
                     [&](const artifact::Vertex &vertex) {
                       return vertex.kind == artifact::VertexKind::Call &&
                              described.devices[vertex.engine].kind ==
                                  artifact::DeviceKind::Host;
                     });
}

Status Session::Contents::prepare(const SessionOptions &options) {
  Expected<const artifact::Entry *> found = program.findEntry(options.entry);
  if (!found)
    return found.status();
  entry = *found;
  const artifact::Module &module = program.module();
  machine = describeMachine(module, *entry);

  static const std::vector<KernelFunction> noKernels;
  const std::vector<KernelFunction> *kernels = &noKernels;
  if (callsFunctions()) {
    Expected<const std::vector<KernelFunction> *> loaded = program.kernels();
    if (!loaded)
      return loaded.status();
    kernels = *loaded;
  }
  if (options.guard) {
    Expected<std::unique_ptr<Guard>> made =
        Guard::create(std::move(driver), module, *entry);
    if (!made)
      return made.status();
    guard = made->get();
    driver = std::move(*made);
  }
  TURNIP_RETURN_IF_ERROR(driver->open(machine));

  auto address = [&](uint32_t vertex,
                     const artifact::Access &access) -> void * {
    if (guard)
      return guard->address(vertex, access);
    auto *base = static_cast<unsigned char *>(driver->base(access.memory));
    return base ? base + access.offset : nullptr;
  };
  Expected<PlacedEntry> built =
      PlacedEntry::build(module, *entry, *kernels, address);
  if (!built)
    return built.status();
  placed = std::move(*built);
  executor = std::make_unique<Executor>(placed.graph, *driver);
  if (driver->properties().launchesObjects)
    readers = ParameterReaders(module, *entry);

  parametersBound = entry->parameters.empty();
  inputs.resize(entry->inputs.size());
  for (const artifact::Argument &argument : entry->arguments)
    arguments.push_back(
        std::clamp<int64_t>(0, argument.minimum, argument.maximum));
  return Status::ok();
}

unsigned char *
Session::Contents::addressOf(const artifact::Piece &piece) const {
  if (guard)
    return static_cast<unsigned char *>(guard->address(piece));
  return static_cast<unsigned char *>(driver->base(piece.memory)) +
         piece.offset;
}

/// True if the bytes of \p piece, of a parameter, are in a device, out of the
/// host's reach. Inputs and results never are.
bool Session::Contents::isOnDevice(const artifact::Piece &piece) const {
  return driver->properties().launchesObjects &&
         machine.memories[piece.memory].kind == MemoryKind::Device;
}

//===----------------------------------------------------------------------===//
// Binding
//===----------------------------------------------------------------------===//

Status Session::bindParameters(const parameters::ParameterProvider &provider) {
  TURNIP_RETURN_IF_ERROR(
      contents->bindParameters(provider, /*mayBeMapped=*/false));
  contents->mappedFrom.reset();
  return Status::ok();
}

Status Session::bindParameters(
    std::shared_ptr<const parameters::ParameterProvider> provider) {
  TURNIP_RETURN_IF_ERROR(
      contents->bindParameters(*provider, /*mayBeMapped=*/true));
  contents->mappedFrom = std::move(provider);
  return Status::ok();
}

Status
Session::Contents::bindParameters(const parameters::ParameterProvider &provider,
                                  bool mayBeMapped) {
  const artifact::Module &module = program.module();
  auto protectParameters = [&](bool writable) {
    for (uint32_t m = 0; m < module.machine.memories.size(); ++m)
      if (module.machine.memories[m].kind == artifact::MemoryKind::Parameters &&
          !module.machine.memories[m].writable)
        TURNIP_RETURN_IF_ERROR(driver->protect(m, writable));
    return Status::ok();
  };
  parametersBound = false;
  for (const artifact::Binding &binding : entry->parameters)
    TURNIP_RETURN_IF_ERROR(checkParameter(binding, provider));
  if (!driver->properties().movesData) {
    parametersBound = true;
    return Status::ok();
  }
  // First what stays where it is: the rest has to fit.
  std::vector<std::pair<const artifact::Binding *, const artifact::Piece *>>
      toRead;
  uint64_t newBytes = 0;
  for (const artifact::Binding &binding : entry->parameters)
    for (const artifact::Piece &piece : binding.pieces) {
      if (mapPiece(binding, piece, provider, mayBeMapped))
        continue;
      toRead.emplace_back(&binding, &piece);
      uint64_t bytes = artifact::pieceBytes(binding, piece);
      if (driver->readsFromAnywhere(piece.memory, piece.offset, bytes))
        newBytes += bytes;
    }
  uint64_t available = availableHostBytes().value_or(UINT64_MAX);
  if (newBytes > available)
    return Status::error(StatusCode::DoesNotFit,
                         "parameters take " + std::to_string(newBytes) +
                             " bytes of host memory that is not pinned, but " +
                             std::to_string(available) + " are available");
  TURNIP_RETURN_IF_ERROR(protectParameters(/*writable=*/true));
  for (auto [binding, piece] : toRead)
    TURNIP_RETURN_IF_ERROR(readPiece(*binding, *piece, provider));
  TURNIP_RETURN_IF_ERROR(protectParameters(/*writable=*/false));
  parametersBound = true;
  parametersLost = false;
  return Status::ok();
}

Status Session::Contents::checkParameter(
    const artifact::Binding &binding,
    const parameters::ParameterProvider &provider) const {
  Expected<parameters::ParameterInfo> info = provider.find(binding.name);
  if (!info)
    return info.status();
  if (!info->anyShape && info->shape != binding.fileShape)
    return Status::error(
        StatusCode::BadInput,
        "parameter '" + binding.name + "': expected shape " +
            describe(binding.fileShape, binding.type) + ", but got " +
            describe(info->shape, info->type.value_or(binding.type)));
  return Status::ok();
}

/// Has the copies of \p piece read it from where \p provider has it mapped, if
/// they may; else from memory, and returns false.
bool Session::Contents::mapPiece(const artifact::Binding &binding,
                                 const artifact::Piece &piece,
                                 const parameters::ParameterProvider &provider,
                                 bool mayBeMapped) {
  if (!driver->properties().launchesObjects)
    return false;
  const uint64_t bytes = artifact::pieceBytes(binding, piece);
  const std::vector<uint32_t> &copies =
      readers.copiesOf(piece.memory, piece.offset, bytes);
  const void *source = nullptr;
  if (mayBeMapped && !copies.empty() &&
      driver->readsFromAnywhere(piece.memory, piece.offset, bytes))
    source = findMapped(provider, binding, piece);
  for (uint32_t vertex : copies)
    placed.graph.commands[vertex].source = source ? source : addressOf(piece);
  return source != nullptr;
}

Status
Session::Contents::readPiece(const artifact::Binding &binding,
                             const artifact::Piece &piece,
                             const parameters::ParameterProvider &provider) {
  const int64_t elementBytes = byteSize(binding.type);
  const uint64_t bytes = artifact::pieceBytes(binding, piece);
  std::vector<unsigned char> staged;
  if (isOnDevice(piece))
    staged.resize(bytes);
  unsigned char *data = staged.empty() ? addressOf(piece) : staged.data();
  Status status;
  forEachRun(binding.shape, piece.offsets, piece.sizes,
             [&](int64_t whole, int64_t part, int64_t count) {
               status = provider.read(binding.name, whole, count, binding.type,
                                      data + part * elementBytes);
               return status.isOk();
             });
  if (!status || staged.empty())
    return status;
  return driver->write(piece.memory, piece.offset, bytes, staged.data());
}

/// Lists the names of \p bindings for a message.
static std::string listNames(const std::vector<artifact::Binding> &bindings) {
  std::string names;
  for (const artifact::Binding &binding : bindings)
    names += (names.empty() ? "" : ", ") + binding.name;
  return names.empty() ? "none" : names;
}

Status Session::setInput(const std::string &name, parameters::Tensor value) {
  const std::vector<artifact::Binding> &bindings = contents->entry->inputs;
  std::unique_ptr<const parameters::Tensor> *last = nullptr;
  for (size_t i = 0; i < bindings.size(); ++i) {
    const artifact::Binding &binding = bindings[i];
    if (binding.name != name)
      continue;
    if (value.type != binding.type || value.shape != binding.fileShape)
      return invalidArgument("input '" + name + "': expected " +
                             describe(binding.fileShape, binding.type) +
                             ", but got " + describe(value.shape, value.type));
    if (last)
      *last = std::make_unique<parameters::Tensor>(value);
    last = &contents->inputs[i];
  }
  if (!last)
    return invalidArgument("no input '" + name +
                           "'; there are: " + listNames(bindings));
  *last = std::make_unique<parameters::Tensor>(std::move(value));
  return Status::ok();
}

Status Session::setArgument(const std::string &name, int64_t value) {
  std::string known;
  const std::vector<artifact::Argument> &declared = contents->entry->arguments;
  for (size_t i = 0; i < declared.size(); ++i) {
    const artifact::Argument &argument = declared[i];
    known += (known.empty() ? "" : ", ") + argument.name;
    if (argument.name != name)
      continue;
    if (value < argument.minimum || value > argument.maximum)
      return invalidArgument("argument '" + name + "': expected " +
                             std::to_string(argument.minimum) + " to " +
                             std::to_string(argument.maximum) + ", but got " +
                             std::to_string(value));
    contents->arguments[i] = value;
    return Status::ok();
  }
  return invalidArgument("no argument '" + name +
                         "'; there are: " + (known.empty() ? "none" : known));
}

Status Session::setSchedule(const Schedule &schedule) {
  return contents->executor->setSchedule(schedule);
}

/// Copies \p data, a dense tensor, into the pieces of \p binding.
template <typename Address>
static void scatter(const artifact::Binding &binding, const unsigned char *data,
                    const Address &address) {
  const int64_t elementBytes = byteSize(binding.type);
  for (const artifact::Piece &piece : binding.pieces) {
    unsigned char *target = address(piece);
    forEachRun(binding.shape, piece.offsets, piece.sizes,
               [&](int64_t whole, int64_t part, int64_t count) {
                 std::memcpy(target + part * elementBytes,
                             data + whole * elementBytes,
                             static_cast<size_t>(count * elementBytes));
                 return true;
               });
  }
}

void Session::Contents::writeInputs() {
  for (size_t i = 0; i < inputs.size(); ++i)
    scatter(entry->inputs[i], inputs[i]->data.data(),
            [&](const artifact::Piece &piece) { return addressOf(piece); });
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

Status Session::Contents::checkReady() const {
  if (!driver->properties().movesData)
    return Status::ok();
  if (parametersLost)
    return invalidArgument("the run before did not finish and may have left "
                           "parameters overwritten: bind them again");
  if (!parametersBound)
    return invalidArgument("the program has " +
                           std::to_string(entry->parameters.size()) +
                           " parameters, but none were bound");
  for (size_t i = 0; i < inputs.size(); ++i)
    if (!inputs[i])
      return invalidArgument(
          "input '" + entry->inputs[i].name + "' (" +
          describe(entry->inputs[i].fileShape, entry->inputs[i].type) +
          ") was not set");
  return Status::ok();
}

/// True if a parameter lies where operations may write; then the graph puts it
/// back by its end.
bool Session::Contents::hasWritableParameters() const {
  const artifact::Machine &memories = program.module().machine;
  for (const artifact::Binding &binding : entry->parameters)
    for (const artifact::Piece &piece : binding.pieces)
      if (memories.memories[piece.memory].writable)
        return true;
  return false;
}

Status Session::run() {
  TURNIP_RETURN_IF_ERROR(contents->checkReady());
  contents->hasResults = false;
  contents->placed.setArguments(*contents->entry, contents->arguments);
  if (contents->driver->properties().movesData)
    contents->writeInputs();
  RunOutcome outcome = contents->executor->run();
  contents->parametersLost =
      !outcome.status && contents->hasWritableParameters();
  if (outcome.vertex)
    return outcome.status.withContext(
        contents->describeFailure(*outcome.vertex));
  contents->hasResults = outcome.status.isOk();
  return outcome.status;
}

void Session::requestStop() { contents->executor->requestStop(); }
void Session::watchStopFlag(const std::atomic<bool> &flag) {
  contents->executor->watchStopFlag(flag);
}
void Session::clearStop() { contents->executor->clearStop(); }

//===----------------------------------------------------------------------===//
// Reading back
//===----------------------------------------------------------------------===//

Expected<const artifact::Binding *>
Session::Contents::findResult(const std::string &name) const {
  if (!driver->properties().movesData)
    return invalidArgument("driver '" + driver->properties().name +
                           "' moves no data, so there are no results");
  if (!hasResults)
    return invalidArgument("there are no results before a run that succeeded");
  for (const artifact::Binding &binding : entry->results)
    if (binding.name == name)
      return &binding;
  return invalidArgument("no result '" + name +
                         "'; there are: " + listNames(entry->results));
}

Status Session::readResult(const std::string &name, int64_t first,
                           int64_t count, void *destination) const {
  Expected<const artifact::Binding *> binding = contents->findResult(name);
  if (!binding)
    return binding.status();
  int64_t total = countElements((*binding)->shape).value_or(0);
  if (first < 0 || count < 0 || first > total || count > total - first)
    return invalidArgument("result '" + name + "' has " +
                           std::to_string(total) + " elements, but [" +
                           std::to_string(first) + ", " +
                           std::to_string(first + count) + ") were asked for");
  const int64_t elementBytes = byteSize((*binding)->type);
  auto *target = static_cast<unsigned char *>(destination);
  for (const artifact::Piece &piece : (*binding)->pieces) {
    const unsigned char *source = contents->addressOf(piece);
    forEachRun((*binding)->shape, piece.offsets, piece.sizes,
               [&](int64_t whole, int64_t part, int64_t length) {
                 int64_t begin = std::max(whole, first);
                 int64_t end = std::min(whole + length, first + count);
                 if (begin < end)
                   std::memcpy(
                       target + (begin - first) * elementBytes,
                       source + (part + begin - whole) * elementBytes,
                       static_cast<size_t>((end - begin) * elementBytes));
                 return true;
               });
  }
  return Status::ok();
}

Expected<parameters::Tensor> Session::result(const std::string &name) const {
  Expected<const artifact::Binding *> binding = contents->findResult(name);
  if (!binding)
    return binding.status();
  parameters::Tensor tensor =
      parameters::Tensor::zeros((*binding)->fileShape, (*binding)->type);
  TURNIP_RETURN_IF_ERROR(
      readResult(name, 0, tensor.numElements(), tensor.data.data()));
  return tensor;
}

//===----------------------------------------------------------------------===//
// Looking at a run
//===----------------------------------------------------------------------===//

OperationNames Session::Contents::nameOf(uint32_t vertex) const {
  const artifact::Module &module = program.module();
  const artifact::Vertex &v = entry->vertices[vertex];
  OperationNames names;
  switch (v.kind) {
  case artifact::VertexKind::Call:
    names.operation = module.kernels[v.kernel].name;
    break;
  case artifact::VertexKind::Copy:
    names.operation = artifact::toString(v.role);
    break;
  case artifact::VertexKind::Join:
    names.operation = "join";
    break;
  }
  if (v.task != artifact::none)
    names.task = entry->tasks[v.task];
  if (v.location != artifact::none)
    names.location = entry->locations[v.location];
  return names;
}

std::string Session::Contents::describeFailure(uint32_t vertex) const {
  OperationNames names = nameOf(vertex);
  std::string text =
      "operation " + std::to_string(vertex) + " (" + names.operation + ")";
  if (!names.task.empty())
    text += " of task '" + names.task + "'";
  text += " on " + machine.engines[placed.graph.commands[vertex].engine].name;
  if (!names.location.empty())
    text += " at " + names.location;
  return text;
}

const artifact::Entry &Session::entry() const { return *contents->entry; }
const Program &Session::program() const { return contents->program; }
const Driver &Session::driver() const { return *contents->driver; }
const MachineDescription &Session::machine() const { return contents->machine; }
const ExecutableGraph &Session::graph() const { return contents->placed.graph; }
const RunRecord &Session::record() const {
  return contents->executor->record();
}

RunSummary Session::summary() const {
  RunSummary summary =
      summarize(contents->placed.graph, contents->machine, record());
  const artifact::Machine &machine = contents->program.module().machine;
  for (size_t m = 0; m < machine.memories.size(); ++m)
    summary.memories[m].cap = machine.memories[m].capacity;
  return summary;
}

std::string Session::trace() const {
  const artifact::Entry &graph = *contents->entry;
  std::unordered_map<uint32_t, std::string> tiles = tileNames(graph);
  return chromeTrace(contents->placed.graph, contents->machine, record(),
                     [&](uint32_t vertex) {
                       OperationNames names = contents->nameOf(vertex);
                       const artifact::Vertex &v = graph.vertices[vertex];
                       if (v.kind == artifact::VertexKind::Copy)
                         names.tile = tiles[graph.accessesOf(v)[0].value];
                       return names;
                     });
}
