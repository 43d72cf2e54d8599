//===- MadeUpParameters.cpp - Splat and random parameters -----------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/parameters/ParameterProvider.h"
#include "turnip/parameters/Tensor.h"

#include <cstring>
#include <functional>
#include <limits>

using namespace turnip;
using namespace turnip::parameters;

namespace {
/// A value for every name and index.
class MadeUpParameters : public ParameterProvider {
public:
  /// Gives the value of the element \p index of \p name.
  using Rule =
      std::function<double(uint64_t nameHash, int64_t index, ElementType type)>;

  MadeUpParameters(const char *storage, Rule rule)
      : storage(storage), rule(std::move(rule)) {}

  Expected<ParameterInfo> find(const std::string &name) const override {
    ParameterInfo info;
    info.name = name;
    info.storage = storage;
    info.anyShape = true;
    return info;
  }

  Status read(const std::string &name, int64_t first, int64_t count,
              ElementType type, void *dst) const override {
    if (first < 0 || count < 0 ||
        count > std::numeric_limits<int64_t>::max() - first)
      return Status::error(StatusCode::InvalidArgument,
                           "parameter '" + name + "': a range of " +
                               std::to_string(count) +
                               " elements from element " +
                               std::to_string(first) + " on makes no sense");
    uint64_t hash = 0xcbf29ce484222325; // FNV-1a
    for (char c : name)
      hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    auto *bytes = static_cast<unsigned char *>(dst);
    Tensor element = Tensor::zeros({}, type);
    for (int64_t i = 0; i < count; ++i) {
      element.setFromDouble(0, rule(hash, first + i, type));
      std::memcpy(bytes, element.data.data(), element.data.size());
      bytes += element.data.size();
    }
    return Status::ok();
  }

  std::vector<std::string> names() const override { return {}; }

private:
  const char *storage;
  Rule rule;
};
} // namespace

/// The output function of splitmix64.
static uint64_t mix(uint64_t x) {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

static double randomValue(uint64_t key, int64_t index, ElementType type) {
  uint64_t bits =
      mix(key + static_cast<uint64_t>(index + 1) * 0x9e3779b97f4a7c15);
  if (type == ElementType::I1)
    return static_cast<double>(bits & 1);
  if (!isFloat(type))
    return static_cast<double>(bits % 100);
  // Four uniform 16-bit numbers add up to a deviation of 65536 / sqrt(3).
  int64_t sum = 0;
  for (int i = 0; i < 4; ++i)
    sum += static_cast<int64_t>(bits >> (16 * i) & 0xffff);
  constexpr double scale = 0.05 * 1.7320508075688772 / 65536;
  return static_cast<double>(2 * sum - int64_t(4) * 65535) * 0.5 * scale;
}

std::unique_ptr<ParameterProvider>
turnip::parameters::makeSplatParameters(double value) {
  return std::make_unique<MadeUpParameters>(
      "splat", [=](uint64_t, int64_t, ElementType) { return value; });
}

std::unique_ptr<ParameterProvider>
turnip::parameters::makeRandomParameters(uint64_t seed) {
  return std::make_unique<MadeUpParameters>(
      "random", [=](uint64_t nameHash, int64_t index, ElementType type) {
        return randomValue(mix(nameHash ^ mix(seed)), index, type);
      });
}
