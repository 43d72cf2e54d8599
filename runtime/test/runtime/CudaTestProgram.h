//===- CudaTestProgram.h - A program for the cuda driver's tests -*- C++
//-*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program for two devices and the host, written by hand, and what runs it on
// the stand-in.
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_TEST_CUDATESTPROGRAM_H
#define TURNIP_TEST_CUDATESTPROGRAM_H

#include "../artifact/Sample.h"
#include "CudaTestKernels.h"
#include "turnip/runtime/Session.h"
#include "turnip/standin/StandIn.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <map>

namespace turnip::runtime::cudaTest {

using namespace artifact;
using artifact::none;

enum MemoryIndex : uint16_t { Dev0, Dev1, Ram, Params };
enum DeviceIndex : uint16_t { Gpu0, Gpu1, Cpu };
enum LinkIndex : uint16_t {
  RamTo0,
  RamTo1,
  ParamsTo0,
  ParamsTo1,
  From0,
  From1,
  Across01,
  Across10
};

/// Appends vertices whose edges follow from what they access.
class Builder {
public:
  explicit Builder(Entry &entry) : entry(entry) {}

  static Access read(uint16_t memory, uint64_t slot, uint32_t value) {
    return {slot * bytes, bytes, value, memory, AccessRole::Read};
  }
  static Access write(uint16_t memory, uint64_t slot, uint32_t value) {
    return {slot * bytes, bytes, value, memory, AccessRole::Write};
  }
  void call(uint16_t device, const std::vector<Access> &accesses,
            int64_t scalar) {
    Vertex vertex;
    vertex.kernel = 0;
    vertex.engine = device;
    vertex.task = static_cast<uint32_t>(entry.tasks.size());
    entry.tasks.push_back("task " + std::to_string(entry.tasks.size()));
    add(vertex, accesses, {{scalar, none}});
  }
  void copy(uint16_t link, CopyRole role, const Access &from,
            const Access &to) {
    Vertex vertex;
    vertex.kind = VertexKind::Copy;
    vertex.engine = link;
    vertex.role = role;
    add(vertex, {from, to}, {});
  }
  uint32_t value() { return values++; }

  static constexpr uint64_t bytes = 1024;

private:
  void add(const Vertex &vertex, const std::vector<Access> &accesses,
           const std::vector<Scalar> &scalars) {
    auto index = static_cast<uint32_t>(entry.vertices.size());
    std::map<uint32_t, EdgeKind> sources;
    for (const Access &access : accesses) {
      Place &place = places[{access.memory, access.offset}];
      if (access.role == AccessRole::Read) {
        if (place.writer != none)
          sources[place.writer] = EdgeKind::Data;
        place.readers.push_back(index);
        continue;
      }
      for (uint32_t reader : place.readers)
        if (reader != index)
          sources.emplace(reader, EdgeKind::Memory);
      if (place.writer != none)
        sources.emplace(place.writer, EdgeKind::Memory);
      place = {index, {}};
    }
    std::vector<Edge> edges;
    edges.reserve(sources.size());
    for (auto [source, kind] : sources)
      edges.push_back({source, kind});
    addVertex(entry, vertex, accesses, edges, scalars);
  }

  struct Place {
    uint32_t writer = none;
    std::vector<uint32_t> readers;
  };
  Entry &entry;
  std::map<std::pair<uint16_t, uint64_t>, Place> places;
  uint32_t values = 0;
};

constexpr uint32_t rounds = 12;

inline artifact::Machine twoDevices() {
  artifact::Machine machine;
  machine.memories = {
      {"dev0", artifact::MemoryKind::Device, 1 << 16, 256, true},
      {"dev1", artifact::MemoryKind::Device, 1 << 16, 256, true},
      {"host", artifact::MemoryKind::Host, 1 << 16, 64, true},
      {"params", artifact::MemoryKind::Parameters, 1 << 20, 64, false}};
  machine.devices = {{"gpu0", DeviceKind::Accelerator, Dev0, Ram},
                     {"gpu1", DeviceKind::Accelerator, Dev1, Ram},
                     {"cpu", DeviceKind::Host, Ram, none}};
  machine.links = {{Ram, Dev0, 0, 1e9, 0},    {Ram, Dev1, 1, 1e9, 0},
                   {Params, Dev0, 0, 1e9, 0}, {Params, Dev1, 1, 1e9, 0},
                   {Dev0, Ram, 2, 1e9, 0},    {Dev1, Ram, 3, 1e9, 0},
                   {Dev0, Dev1, 4, 1e9, 0},   {Dev1, Dev0, 5, 1e9, 0}};
  return machine;
}

/// Each round: on device 0 x += 2 p, with the round's parameter p; over to
/// device 1, where x += 3 p over the same bytes; and back, in even rounds
/// through the host, where x += 1 p. Parameters are loaded over the round's
/// before.
inline Module twoDeviceModule() {
  Module module;
  module.producer = "a test";
  module.machine = twoDevices();
  module.kernels = {testKernel("addScaled", {1024, 1024}, {1024}, 1, 2, 128)};
  Entry entry;
  entry.name = "main";
  Builder make(entry);
  Binding parameter{"p", ElementType::F32, {rounds, 256}, {rounds, 256}, {}};
  uint32_t x = make.value();
  entry.inputs = {
      {"x", ElementType::F32, {256}, {256}, {{{0}, {256}, Ram, 0, x}}}};
  make.copy(RamTo0, CopyRole::Transfer, make.read(Ram, 0, x),
            make.write(Dev0, 0, x));
  for (uint32_t round = 0; round < rounds; ++round) {
    uint32_t p = make.value(), y = make.value(), z = make.value();
    parameter.pieces.push_back({{round, 0},
                                {1, 256},
                                Params,
                                uint64_t(8) * round * Builder::bytes,
                                p});
    for (uint16_t device : {Dev0, Dev1})
      make.copy(static_cast<uint16_t>(ParamsTo0 + device), CopyRole::Load,
                make.read(Params, uint64_t(8) * round, p),
                make.write(device, 1, p));
    make.call(
        Gpu0,
        {make.read(Dev0, 0, x), make.read(Dev0, 1, p), make.write(Dev0, 2, y)},
        2);
    make.copy(Across01, CopyRole::Transfer, make.read(Dev0, 2, y),
              make.write(Dev1, 0, y));
    make.call(
        Gpu1,
        {make.read(Dev1, 0, y), make.read(Dev1, 1, p), make.write(Dev1, 2, z)},
        3);
    x = z;
    if (round % 2 != 0) {
      make.copy(Across10, CopyRole::Transfer, make.read(Dev1, 2, z),
                make.write(Dev0, 0, z));
      continue;
    }
    x = make.value();
    make.copy(From1, CopyRole::Transfer, make.read(Dev1, 2, z),
              make.write(Ram, 1, z));
    make.call(Cpu,
              {make.read(Ram, 1, z), make.read(Params, uint64_t(8) * round, p),
               make.write(Ram, 2, x)},
              1);
    make.copy(RamTo0, CopyRole::Transfer, make.read(Ram, 2, x),
              make.write(Dev0, 0, x));
  }
  make.copy(From0, CopyRole::Result, make.read(Dev0, 0, x),
            make.write(Ram, 3, x));
  entry.parameters = {parameter};
  entry.results = {{"y",
                    ElementType::F32,
                    {256},
                    {256},
                    {{{0}, {256}, Ram, 3 * Builder::bytes, x}}}};
  module.entries = {entry};
  return module;
}

/// What kernels on the host call.
inline void addScaled(void *const *buffers, const int64_t *scalars,
                      int64_t /*point*/) {
  const auto *a = static_cast<const float *>(buffers[0]);
  const auto *b = static_cast<const float *>(buffers[1]);
  auto *out = static_cast<float *>(buffers[2]);
  for (int i = 0; i < 256; ++i)
    out[i] = a[i] + static_cast<float>(scalars[0]) * b[i];
}

/// Whole numbers, so that sums are exact.
inline float parameterAt(int64_t index) {
  return static_cast<float>(index % 17 - 8);
}
inline float inputAt(int64_t index) { return static_cast<float>(index); }

class TestParameters final : public parameters::ParameterProvider {
public:
  /// With \p isMapped, as if they lay in a file.
  explicit TestParameters(bool isMapped = false) {
    if (isMapped)
      file.resize(size_t(rounds) * 256);
    for (size_t i = 0; i < file.size(); ++i)
      file[i] = parameterAt(static_cast<int64_t>(i));
  }
  const void *mapped(const std::string & /*name*/, int64_t first,
                     int64_t /*count*/, ElementType /*type*/) const override {
    return file.empty() ? nullptr : file.data() + first;
  }
  Expected<parameters::ParameterInfo>
  find(const std::string &name) const override {
    parameters::ParameterInfo info;
    info.name = name;
    info.shape = {rounds, 256};
    info.anyShape = name == "big";
    info.type = ElementType::F32;
    return info;
  }
  Status read(const std::string & /*name*/, int64_t first, int64_t count,
              ElementType /*type*/, void *dst) const override {
    for (int64_t i = 0; i < count; ++i)
      static_cast<float *>(dst)[i] = parameterAt(first + i);
    elementsRead += count;
    return Status::ok();
  }
  std::vector<std::string> names() const override { return {"p"}; }

  mutable int64_t elementsRead = 0;

private:
  std::vector<float> file;
};

class CudaDriver : public testing::Test {
protected:
  void SetUp() override {
    library = ::dlopen(TURNIP_CUDA_STAND_IN, RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library, nullptr) << ::dlerror();
  }
  void TearDown() override {
    // Everything that the driver made is gone.
    const standin::Statistics seen = statistics();
    EXPECT_EQ(seen.contexts, 0U);
    EXPECT_EQ(seen.streams, 0U);
    EXPECT_EQ(seen.events, 0U);
    EXPECT_EQ(seen.modules, 0U);
    EXPECT_EQ(seen.deviceAllocations, 0U);
    EXPECT_EQ(seen.hostAllocations, 0U);
    EXPECT_EQ(seen.hostRegistrations, 0U);
    EXPECT_EQ(seen.ltObjects, 0U);
    EXPECT_EQ(seen.abandoned, 0U);
  }

  template <typename Function> Function *find(const char *name) const {
    return reinterpret_cast<Function *>(::dlsym(library, name));
  }
  void configure(const char *text) const {
    const char *error =
        find<const char *(const char *)>("turnipStandInConfigure")(text);
    ASSERT_EQ(error, nullptr);
  }
  standin::Statistics statistics() const {
    standin::Statistics seen = {};
    find<void(standin::Statistics *)>("turnipStandInStatistics")(&seen);
    return seen;
  }
  uint64_t calls(const char *function) const {
    return find<uint64_t(const char *)>("turnipStandInCalls")(function);
  }

  /// Opens the program on \p driver, ready to run.
  static Expected<std::unique_ptr<Session>>
  open(std::unique_ptr<Driver> driver, Module module = twoDeviceModule()) {
    Expected<Program> program = Program::create(std::move(module), {addScaled});
    if (!program)
      return program.status();
    Expected<std::unique_ptr<Session>> session =
        Session::create(*program, std::move(driver));
    if (!session)
      return session;
    TURNIP_RETURN_IF_ERROR((*session)->bindParameters(TestParameters()));
    parameters::Tensor x = parameters::Tensor::zeros({256}, ElementType::F32);
    for (int64_t i = 0; i < 256; ++i)
      reinterpret_cast<float *>(x.data.data())[i] = inputAt(i);
    TURNIP_RETURN_IF_ERROR((*session)->setInput("x", x));
    return session;
  }

  /// Runs \p session and looks at the result.
  static void runAndCheck(Session &session) {
    Status ran = session.run();
    ASSERT_TRUE(ran) << ran.message();
    checkResult(session);
  }

  /// Looks at the result of a run of \p session.
  static void checkResult(Session &session) {
    Expected<parameters::Tensor> y = session.result("y");
    ASSERT_TRUE(y);
    const auto *values = reinterpret_cast<const float *>(y->data.data());
    for (int64_t i = 0; i < 256; ++i) {
      float expected = inputAt(i);
      for (int64_t round = 0; round < rounds; ++round)
        expected +=
            (round % 2 == 0 ? 6.0f : 5.0f) * parameterAt(round * 256 + i);
      ASSERT_EQ(values[i], expected) << i;
    }
  }

  /// Runs on several schedules.
  static void runAll(std::unique_ptr<Driver> driver) {
    Expected<std::unique_ptr<Session>> session = open(std::move(driver));
    ASSERT_TRUE(session) << session.status().message();
    for (const char *policy :
         {"dynamic", "fixed", "random:1", "random:2", "random:3", "dynamic"}) {
      ASSERT_TRUE((*session)->setSchedule(*Schedule::parse(policy)));
      runAndCheck(**session);
    }
  }

  void *library = nullptr;
};

} // namespace turnip::runtime::cudaTest

#endif // TURNIP_TEST_CUDATESTPROGRAM_H
