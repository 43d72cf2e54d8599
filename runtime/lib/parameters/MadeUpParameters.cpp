//===- MadeUpParameters.cpp - Splat and random parameters -----------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/parameters/ParameterProvider.h"
#include "turnip/parameters/Tensor.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <mutex>
#include <thread>

using namespace turnip;
using namespace turnip::parameters;

namespace {
/// A provider that has every name, with as many elements as are asked for.
class MadeUpParameters : public ParameterProvider {
public:
  explicit MadeUpParameters(const char *storage) : storage(storage) {}

  Expected<ParameterInfo> find(const std::string &name) const override {
    ParameterInfo info;
    info.name = name;
    info.storage = storage;
    info.anyShape = true;
    return info;
  }

  Status read(const std::string &name, int64_t first, int64_t count,
              ElementType type, void *dst) const override;

  std::vector<std::string> names() const override { return {}; }

protected:
  /// Writes elements [\p first, \p first + \p count) of the parameter whose
  /// name hashes to \p nameHash. Called by several threads at once.
  virtual void fill(uint64_t nameHash, int64_t first, int64_t count,
                    ElementType type, unsigned char *dst) const = 0;

private:
  const char *storage;
};

class SplatParameters : public MadeUpParameters {
public:
  explicit SplatParameters(double value)
      : MadeUpParameters("splat"), value(value) {}

protected:
  void fill(uint64_t, int64_t, int64_t count, ElementType type,
            unsigned char *dst) const override {
    Tensor element = Tensor::zeros({}, type);
    element.setFromDouble(0, value);
    const size_t size = element.data.size();
    for (int64_t i = 0; i < count; ++i, dst += size)
      std::memcpy(dst, element.data.data(), size);
  }

private:
  double value;
};

class RandomParameters : public MadeUpParameters {
public:
  explicit RandomParameters(uint64_t seed)
      : MadeUpParameters("random"), seed(seed) {}

protected:
  void fill(uint64_t nameHash, int64_t first, int64_t count, ElementType type,
            unsigned char *dst) const override;

private:
  /// All values that a float type takes, by the sum of random numbers that
  /// stands for each.
  struct Table {
    std::once_flag once;
    std::vector<unsigned char> bytes;
  };
  const unsigned char *tableOf(ElementType type) const;

  uint64_t seed;
  mutable Table tables[3];
};
} // namespace

/// Fewer elements than this are not worth a thread.
static constexpr int64_t elementsPerThread = int64_t(1) << 20;

Status MadeUpParameters::read(const std::string &name, int64_t first,
                              int64_t count, ElementType type,
                              void *dst) const {
  if (first < 0 || count < 0 ||
      count > std::numeric_limits<int64_t>::max() - first)
    return Status::error(StatusCode::InvalidArgument,
                         "parameter '" + name + "': a range of " +
                             std::to_string(count) + " elements from element " +
                             std::to_string(first) + " on makes no sense");
  uint64_t hash = 0xcbf29ce484222325; // FNV-1a
  for (char c : name)
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  auto *bytes = static_cast<unsigned char *>(dst);
  const int64_t processors = std::thread::hardware_concurrency();
  const int64_t parts = std::clamp<int64_t>(count / elementsPerThread, 1,
                                            std::max<int64_t>(processors, 1));
  std::vector<std::thread> helpers;
  helpers.reserve(static_cast<size_t>(parts));
  for (int64_t part = 0; part < parts; ++part) {
    // 128 bits are not needed: there are few parts.
    const int64_t begin = count / parts * part;
    const int64_t end = part + 1 == parts ? count : count / parts * (part + 1);
    auto work = [=] {
      fill(hash, first + begin, end - begin, type,
           bytes + begin * byteSize(type));
    };
    if (part + 1 == parts)
      work();
    else
      helpers.emplace_back(work);
  }
  for (std::thread &helper : helpers)
    helper.join();
  return Status::ok();
}

/// The output function of splitmix64.
static uint64_t mix(uint64_t x) {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

/// Four uniform 16-bit numbers add up to a deviation of 65536 / sqrt(3).
static constexpr int64_t largestSum = int64_t(4) * 65535;

static int64_t sumOf(uint64_t bits) {
  return static_cast<int64_t>((bits & 0xffff) + (bits >> 16 & 0xffff) +
                              (bits >> 32 & 0xffff) + (bits >> 48));
}

static double valueOf(int64_t sum) {
  constexpr double scale = 0.05 * 1.7320508075688772 / 65536;
  return static_cast<double>(2 * sum - largestSum) * 0.5 * scale;
}

const unsigned char *RandomParameters::tableOf(ElementType type) const {
  Table &table = tables[type == ElementType::F32   ? 0
                        : type == ElementType::F16 ? 1
                                                   : 2];
  std::call_once(table.once, [&] {
    Tensor values = Tensor::zeros({largestSum + 1}, type);
    for (int64_t sum = 0; sum <= largestSum; ++sum)
      values.setFromDouble(sum, valueOf(sum));
    table.bytes.assign(values.data.begin(), values.data.end());
  });
  return table.bytes.data();
}

/// Looks up \p count values of \p Bytes bytes each. The state of the first is
/// \p state.
template <size_t Bytes>
static void lookUp(const unsigned char *table, uint64_t state, int64_t count,
                   unsigned char *dst) {
  for (int64_t i = 0; i < count; ++i, dst += Bytes) {
    std::memcpy(dst, table + Bytes * static_cast<uint64_t>(sumOf(mix(state))),
                Bytes);
    state += 0x9e3779b97f4a7c15;
  }
}

void RandomParameters::fill(uint64_t nameHash, int64_t first, int64_t count,
                            ElementType type, unsigned char *dst) const {
  const uint64_t key = mix(nameHash ^ mix(seed));
  uint64_t state = key + static_cast<uint64_t>(first + 1) * 0x9e3779b97f4a7c15;
  if (isFloat(type) && byteSize(type) == 4)
    return lookUp<4>(tableOf(type), state, count, dst);
  if (isFloat(type))
    return lookUp<2>(tableOf(type), state, count, dst);
  Tensor element = Tensor::zeros({}, type);
  const size_t size = element.data.size();
  for (int64_t i = 0; i < count; ++i, dst += size) {
    const uint64_t bits = mix(state);
    element.setFromDouble(
        0,
        static_cast<double>(type == ElementType::I1 ? bits & 1 : bits % 100));
    std::memcpy(dst, element.data.data(), size);
    state += 0x9e3779b97f4a7c15;
  }
}

std::unique_ptr<ParameterProvider>
turnip::parameters::makeSplatParameters(double value) {
  return std::make_unique<SplatParameters>(value);
}

std::unique_ptr<ParameterProvider>
turnip::parameters::makeRandomParameters(uint64_t seed) {
  return std::make_unique<RandomParameters>(seed);
}
