//===- SessionTest.cpp - Load, bind, run, read back -----------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../artifact/Sample.h"

#include "turnip/runtime/Drivers.h"
#include "turnip/runtime/Session.h"
#include "turnip/support/Json.h"

#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>
#include <set>

using namespace turnip;
using namespace turnip::runtime;

//===----------------------------------------------------------------------===//
// The sample's kernels, as functions of this process
//===----------------------------------------------------------------------===//

extern "C" {
void lookup(void *const *buffers, const int64_t *scalars, int64_t point);
void multiply(void *const *buffers, const int64_t *scalars, int64_t row);
void add(void *const *buffers, const int64_t *scalars, int64_t point);
}

/// As add, but writes one element too many.
static void addTooMuch(void *const *buffers, const int64_t *scalars,
                       int64_t point) {
  add(buffers, scalars, point);
  static_cast<volatile float *>(buffers[2])[32] = 0;
}

/// As add, but also changes its second operand.
static void addOverOperand(void *const *buffers, const int64_t *scalars,
                           int64_t point) {
  add(buffers, scalars, point);
  static_cast<volatile float *>(buffers[1])[3] = 0;
}

/// As multiply, but reads before its workspace.
static void multiplyBeforeWorkspace(void *const *buffers,
                                    const int64_t *scalars, int64_t row) {
  multiply(buffers, scalars, row);
  (void)static_cast<volatile unsigned char *>(buffers[3])[-4096];
}

//===----------------------------------------------------------------------===//
// Helpers
//===----------------------------------------------------------------------===//

static Program makeProgram(std::vector<KernelFunction> kernels = {
                               lookup, multiply, add}) {
  Expected<Program> program =
      Program::create(artifact::makeSample(), std::move(kernels));
  EXPECT_TRUE(program) << program.status().message();
  return *program;
}

static SessionOptions mainEntry(bool guard = false) {
  SessionOptions options;
  options.entry = "main";
  options.guard = guard;
  return options;
}

static std::unique_ptr<Driver> hostDriver(bool trapFaults = false) {
  HostOptions options;
  options.lanes = 2;
  options.trapFaults = trapFaults;
  return createHostDriver(options);
}

static parameters::Tensor tokens() {
  Expected<parameters::Tensor> tensor =
      parameters::parseTensor("4xi32=7,99,0,42");
  EXPECT_TRUE(tensor);
  return *tensor;
}

static std::unique_ptr<Session> makeSession(const Program &program,
                                            std::unique_ptr<Driver> driver,
                                            const SessionOptions &options) {
  auto session = Session::create(program, std::move(driver), options);
  EXPECT_TRUE(session) << session.status().message();
  Status bound =
      (*session)->bindParameters(*parameters::makeRandomParameters(3));
  EXPECT_TRUE(bound) << bound.message();
  Status set = (*session)->setInput("tokens", tokens());
  EXPECT_TRUE(set) << set.message();
  return std::move(*session);
}

/// What the sample computes, with \p position for its argument.
static std::vector<float> expectedSum(int64_t position) {
  auto provider = parameters::makeRandomParameters(3);
  std::vector<float> table(800);
  std::vector<float> weight(128);
  EXPECT_TRUE(provider->read("table", 0, 800, ElementType::F32, table.data()));
  EXPECT_TRUE(
      provider->read("weight", 0, 128, ElementType::F32, weight.data()));
  std::vector<float> rows(32);
  std::vector<float> left(32);
  std::vector<float> right(32);
  std::vector<float> sum(32);
  std::vector<float> workspace(25);
  parameters::Tensor input = tokens();
  void *lookupBuffers[] = {input.data.data(), table.data(), rows.data()};
  lookup(lookupBuffers, nullptr, 0);
  void *leftBuffers[] = {rows.data(), weight.data(), left.data(),
                         workspace.data()};
  void *rightBuffers[] = {rows.data(), weight.data() + 64, right.data(),
                          workspace.data()};
  int64_t leftScalar = 0;
  int64_t rightScalar = 8 + position;
  for (int64_t row = 0; row < 4; ++row) {
    multiply(leftBuffers, &leftScalar, row);
    multiply(rightBuffers, &rightScalar, row);
  }
  void *addBuffers[] = {left.data(), right.data(), sum.data()};
  add(addBuffers, nullptr, 0);
  return sum;
}

static std::vector<float> readSum(const Session &session) {
  Expected<parameters::Tensor> sum = session.result("sum");
  EXPECT_TRUE(sum) << sum.status().message();
  std::vector<float> values(32);
  std::memcpy(values.data(), sum->data.data(), 128);
  return values;
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

TEST(Session, ComputesTheSameOnEveryScheduleAndArgument) {
  Program program = makeProgram();
  auto session = makeSession(program, hostDriver(), mainEntry());
  for (const char *policy : {"dynamic", "fixed", "random:1", "random:2"})
    for (int64_t position : {0, 5}) {
      Expected<Schedule> schedule = Schedule::parse(policy);
      ASSERT_TRUE(schedule);
      ASSERT_TRUE(session->setSchedule(*schedule));
      ASSERT_TRUE(session->setArgument("position", position));
      Status status = session->run();
      ASSERT_TRUE(status) << status.message();
      EXPECT_EQ(readSum(*session), expectedSum(position)) << policy;
    }
}

TEST(Session, ReadsPartsOfResults) {
  auto session = makeSession(makeProgram(), hostDriver(), mainEntry());
  ASSERT_TRUE(session->run());
  std::vector<float> all = readSum(*session);
  std::vector<float> part(5);
  ASSERT_TRUE(session->readResult("sum", 7, 5, part.data()));
  EXPECT_TRUE(std::equal(part.begin(), part.end(), all.begin() + 7));
  EXPECT_EQ(session->readResult("sum", 30, 3, part.data()).message(),
            "result 'sum' has 32 elements, but [30, 33) were asked for");
}

TEST(Session, MemoryIsWhatTheEntryUses) {
  auto session = makeSession(makeProgram(), hostDriver(), mainEntry());
  ASSERT_TRUE(session->run());
  RunSummary summary = session->summary();
  ASSERT_EQ(summary.memories.size(), 3U);
  EXPECT_EQ(summary.memories[0].bytes, 740U);
  EXPECT_EQ(summary.memories[1].bytes, 320U);
  EXPECT_EQ(summary.memories[2].bytes, 3712U);
  EXPECT_EQ(summary.peakDeviceBytes, 740U);
  EXPECT_EQ(summary.peakHostBytes, 320U + 3712U);
  EXPECT_EQ(summary.bytesToDevices, 640U);
  EXPECT_EQ(summary.bytesFromDevices, 128U);
  EXPECT_EQ(summary.operations, 9U);
}

TEST(Session, EmptyEntriesRun) {
  SessionOptions options;
  options.entry = "empty";
  auto session = Session::create(makeProgram(), hostDriver(), options);
  ASSERT_TRUE(session) << session.status().message();
  EXPECT_TRUE((*session)->run());
}

TEST(Session, DriversWithoutDataNeedNoBinding) {
  auto session = Session::create(
      makeProgram(), createSimDriver(machine::Machine::uniform()), mainEntry());
  ASSERT_TRUE(session);
  Status status = (*session)->run();
  EXPECT_TRUE(status) << status.message();
  EXPECT_EQ((*session)->result("sum").status().message(),
            "driver 'sim' moves no data, so there are no results");
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

TEST(Session, NamesWhatIsMissingOrWrong) {
  Program program = makeProgram();
  SessionOptions options;
  options.entry = "mian";
  EXPECT_EQ(Session::create(program, hostDriver(), options).status().message(),
            "no entry 'mian'; there are: main, empty");
  auto session = Session::create(program, hostDriver(), mainEntry());
  ASSERT_TRUE(session);
  EXPECT_EQ((*session)->result("sum").status().message(),
            "there are no results before a run that succeeded");
  EXPECT_EQ((*session)->run().message(),
            "the program has 2 parameters, but none were bound");
  ASSERT_TRUE((*session)->bindParameters(*parameters::makeSplatParameters(1)));
  EXPECT_EQ((*session)->run().message(), "input 'tokens' (4xi32) was not set");
  EXPECT_EQ((*session)->setInput("token", tokens()).message(),
            "no input 'token'; there are: tokens");
  Expected<parameters::Tensor> wrong = parameters::parseTensor("2x2xi32=1");
  ASSERT_TRUE(wrong);
  EXPECT_EQ((*session)->setInput("tokens", *wrong).message(),
            "input 'tokens': expected 4xi32, but got 2x2xi32");
  EXPECT_EQ((*session)->setArgument("position", 1001).message(),
            "argument 'position': expected 0 to 1000, but got 1001");
  EXPECT_EQ((*session)->setArgument("step", 1).message(),
            "no argument 'step'; there are: position");
  ASSERT_TRUE((*session)->setInput("tokens", tokens()));
  ASSERT_TRUE((*session)->run());
  EXPECT_EQ((*session)->result("total").status().message(),
            "no result 'total'; there are: sum");
}

namespace {
/// Parameters with fixed shapes and zeros.
class ShapedParameters final : public parameters::ParameterProvider {
public:
  std::map<std::string, std::vector<int64_t>> shapes;

  Expected<parameters::ParameterInfo>
  find(const std::string &name) const override {
    auto found = shapes.find(name);
    if (found == shapes.end())
      return Status::error(StatusCode::BadInput, "no parameter '" + name + "'");
    parameters::ParameterInfo info;
    info.name = name;
    info.shape = found->second;
    info.type = ElementType::F32;
    return info;
  }
  Status read(const std::string &, int64_t, int64_t count, ElementType type,
              void *dst) const override {
    std::memset(dst, 0, static_cast<size_t>(count * byteSize(type)));
    return Status::ok();
  }
  std::vector<std::string> names() const override { return {}; }
};
} // namespace

TEST(Session, ParametersMustMatch) {
  auto session = Session::create(makeProgram(), hostDriver(), mainEntry());
  ASSERT_TRUE(session);
  ShapedParameters provider;
  provider.shapes["table"] = {100, 8};
  Status missing = (*session)->bindParameters(provider);
  EXPECT_EQ(missing.code(), StatusCode::BadInput);
  EXPECT_EQ(missing.message(), "no parameter 'weight'");
  provider.shapes["weight"] = {8, 16};
  EXPECT_EQ((*session)->bindParameters(provider).message(),
            "parameter 'weight': expected shape 128xf32, but got 8x16xf32");
  provider.shapes["weight"] = {128};
  EXPECT_TRUE((*session)->bindParameters(provider));
}

TEST(Session, FailuresNameOperationTaskDeviceAndLocation) {
  std::set<std::string> messages;
  for (uint64_t failing = 0; failing < 9; ++failing) {
    auto session = makeSession(
        makeProgram(), createFailingDriver(hostDriver(), failing), mainEntry());
    Status status = session->run();
    EXPECT_EQ(status.code(), StatusCode::Device);
    messages.insert(status.message());
    EXPECT_FALSE(session->result("sum"));
  }
  EXPECT_EQ(messages.size(), 9U);
  EXPECT_TRUE(messages.count("operation 3 (multiply) of task 'left' on gpu at "
                             "loc(\"model.mlir\":4:8): injected failure"));
  EXPECT_TRUE(messages.count("operation 5 (load) on host->dev0: "
                             "injected failure"));
}

/// y = w + x, with the parameter w in the device's memory.
static artifact::Module residentModule() {
  using artifact::AccessRole;
  using artifact::EdgeKind;
  enum : uint32_t { W, X, Y };
  enum : uint16_t { Dev, Ram };
  artifact::Module module = artifact::makeSample();
  artifact::Entry entry;
  entry.name = "main";
  artifact::Vertex copy;
  copy.kind = artifact::VertexKind::Copy;
  copy.role = artifact::CopyRole::Load;
  copy.engine = 0;
  artifact::addVertex(entry, copy,
                      {{0, 128, X, Ram, AccessRole::Read},
                       {128, 128, X, Dev, AccessRole::Write}},
                      {});
  artifact::Vertex call;
  call.kernel = 2;
  call.engine = 0;
  artifact::addVertex(entry, call,
                      {{0, 128, W, Dev, AccessRole::Read},
                       {128, 128, X, Dev, AccessRole::Read},
                       {256, 128, Y, Dev, AccessRole::Write}},
                      {{0, EdgeKind::Data}});
  copy.role = artifact::CopyRole::Result;
  copy.engine = 2;
  artifact::addVertex(entry, copy,
                      {{256, 128, Y, Dev, AccessRole::Read},
                       {128, 128, Y, Ram, AccessRole::Write}},
                      {{1, EdgeKind::Data}});
  auto bind = [](const char *name, uint32_t memory, uint64_t offset,
                 uint32_t value) {
    artifact::Binding binding;
    binding.name = name;
    binding.shape = binding.fileShape = {32};
    binding.pieces = {{{0}, {32}, memory, offset, value}};
    return binding;
  };
  entry.parameters = {bind("w", Dev, 0, W)};
  entry.inputs = {bind("x", Ram, 0, X)};
  entry.results = {bind("y", Ram, 128, Y)};
  module.entries = {entry};
  return module;
}

TEST(Session, ParametersThatARunMayOverwriteAreBoundAgain) {
  Expected<Program> program =
      Program::create(residentModule(), {lookup, multiply, add});
  ASSERT_TRUE(program) << program.status().message();
  auto created = Session::create(*program, hostDriver());
  ASSERT_TRUE(created) << created.status().message();
  Session &session = **created;
  auto provider = parameters::makeSplatParameters(2);
  ASSERT_TRUE(session.bindParameters(*provider));
  Expected<parameters::Tensor> x = parameters::parseTensor("32xf32=1");
  ASSERT_TRUE(x);
  ASSERT_TRUE(session.setInput("x", *x));
  ASSERT_TRUE(session.run());
  EXPECT_EQ(session.result("y")->valueAsDouble(31), 3);
  session.requestStop();
  EXPECT_EQ(session.run().code(), StatusCode::Cancelled);
  session.clearStop();
  EXPECT_EQ(session.run().message(),
            "the run before did not finish and may have left parameters "
            "overwritten: bind them again");
  ASSERT_TRUE(session.bindParameters(*provider));
  ASSERT_TRUE(session.run());
  EXPECT_EQ(session.result("y")->valueAsDouble(0), 3);
}

TEST(Session, StopsAndGoesOn) {
  auto session = makeSession(makeProgram(), hostDriver(), mainEntry());
  session->requestStop();
  EXPECT_EQ(session->run().code(), StatusCode::Cancelled);
  session->clearStop();
  EXPECT_TRUE(session->run());
}

//===----------------------------------------------------------------------===//
// Guard
//===----------------------------------------------------------------------===//

TEST(Guard, CleanProgramsRunAndGiveTheSameBits) {
  auto session = makeSession(makeProgram(), hostDriver(true), mainEntry(true));
  for (int repeat = 0; repeat < 3; ++repeat) {
    Status status = session->run();
    ASSERT_TRUE(status) << status.message();
    EXPECT_EQ(readSum(*session), expectedSum(0));
  }
}

static std::string guardedFailure(std::vector<KernelFunction> kernels) {
  auto session = makeSession(makeProgram(std::move(kernels)), hostDriver(true),
                             mainEntry(true));
  Status status = session->run();
  EXPECT_EQ(status.code(), StatusCode::Device);
  return status.message();
}

TEST(Guard, ReportsWhatOperationsMustNotTouch) {
  EXPECT_EQ(guardedFailure({lookup, multiply, addTooMuch}),
            "operation 7 (add) of task 'sum' on gpu: touched byte 128 of "
            "buffer 2 (write, dev0 [384, 512)), which has 128 bytes");
  EXPECT_EQ(guardedFailure({lookup, multiply, addOverOperand}),
            "operation 7 (add) of task 'sum' on gpu: wrote to buffer 1 (read, "
            "dev0 [512, 640))");
  std::string message = guardedFailure({lookup, multiplyBeforeWorkspace, add});
  EXPECT_NE(message.find("bytes before buffer 3 (workspace, dev0 [640, 740))"),
            std::string::npos)
      << message;
}

TEST(Guard, NeedsDataToGuard) {
  EXPECT_EQ(Session::create(makeProgram(), createNullDriver(), mainEntry(true))
                .status()
                .message(),
            "driver 'null' moves no data, so there is nothing to guard");
}

//===----------------------------------------------------------------------===//
// Trace
//===----------------------------------------------------------------------===//

TEST(Trace, HasATrackPerEngineAndAnEventPerOperation) {
  auto session = makeSession(makeProgram(), hostDriver(), mainEntry());
  ASSERT_TRUE(session->run());
  Expected<json::Value> trace = json::parse(session->trace());
  ASSERT_TRUE(trace) << trace.status().message();
  std::set<std::string> tracks;
  std::multiset<std::string> operations;
  std::multiset<std::string> tiles;
  for (const json::Value &event : trace->find("traceEvents")->elements) {
    const json::Value *args = event.find("args");
    if (event.find("ph")->string == "X") {
      operations.insert(event.find("name")->string);
      if (const json::Value *tile = args->find("tile"))
        tiles.insert(event.find("name")->string + " " + tile->string);
      EXPECT_GT(args->find("bytes")->number, 0);
      EXPECT_GE(event.find("dur")->number, 0);
    } else if (event.find("name")->string == "thread_name") {
      tracks.insert(args->find("name")->string);
    }
  }
  EXPECT_EQ(tracks,
            (std::set<std::string>{"gpu", "cpu", "host->dev0", "dev0->host"}));
  EXPECT_EQ(operations, (std::multiset<std::string>{
                            "lookup", "transfer", "load", "load", "multiply",
                            "multiply", "add", "move", "result"}));
  EXPECT_EQ(tiles, (std::multiset<std::string>{
                       "transfer task lookup", "load weight[0:8, 0:8]",
                       "load weight[8:16, 0:8]", "move sum", "result sum"}));
}

TEST(Summary, IsExactInJsonAndReadableAsText) {
  auto session = makeSession(makeProgram(), hostDriver(), mainEntry());
  ASSERT_TRUE(session->run());
  RunSummary summary = session->summary();
  Expected<json::Value> parsed = json::parse(summary.toJson());
  ASSERT_TRUE(parsed) << parsed.status().message();
  EXPECT_EQ(parsed->find("peak_device_bytes")->number, 740);
  EXPECT_EQ(parsed->find("bytes_to_devices")->number, 640);
  EXPECT_EQ(parsed->find("engines")->elements.size(), 4U);
  EXPECT_NE(summary.toText().find("link host->dev0: busy"), std::string::npos);
}
