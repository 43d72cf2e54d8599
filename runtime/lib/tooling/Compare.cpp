//===- Compare.cpp - Comparing results ------------------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Compare.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

using namespace turnip;
using namespace turnip::tooling;

/// Element \p element of a tensor of shape \p shape as "[1, 2]".
static std::string indexText(const std::vector<int64_t> &shape,
                             int64_t element) {
  std::string text;
  for (size_t d = shape.size(); d-- > 0;) {
    text.insert(0, std::to_string(element % shape[d]) +
                       (text.empty() ? "" : ", "));
    element /= shape[d];
  }
  return "[" + text + "]";
}

static std::string valueText(const parameters::Tensor &tensor,
                             int64_t element) {
  if (!isFloat(tensor.type))
    return std::to_string(tensor.valueAsInt(element));
  char buffer[40];
  std::snprintf(buffer, sizeof(buffer), "%.9g", tensor.valueAsDouble(element));
  return buffer;
}

/// How far \p actual is from \p expected; infinite where one is not finite and
/// they are not the same.
static double distance(double expected, double actual) {
  if (expected == actual || (std::isnan(expected) && std::isnan(actual)))
    return 0;
  double difference = std::fabs(expected - actual);
  return std::isfinite(difference) ? difference : HUGE_VAL;
}

Status tooling::compareTensors(const std::string &name,
                               const parameters::Tensor &expected,
                               const parameters::Tensor &actual,
                               double tolerance) {
  auto mismatch = [&](const std::string &message) {
    return Status::error(StatusCode::BadInput,
                         "result '" + name + "': " + message);
  };
  if (expected.type != actual.type || expected.shape != actual.shape)
    return mismatch("expected " + describe(expected.shape, expected.type) +
                    ", but got " + describe(actual.shape, actual.type));
  const int64_t count = expected.numElements();
  double allowed = 0;
  if (isFloat(expected.type)) {
    for (int64_t i = 0; i < count; ++i) {
      double magnitude = std::fabs(expected.valueAsDouble(i));
      if (std::isfinite(magnitude))
        allowed = std::max(allowed, magnitude);
    }
    allowed *= tolerance;
  }
  int64_t numWrong = 0;
  int64_t worst = 0;
  double worstDistance = -1;
  for (int64_t i = 0; i < count; ++i) {
    double apart =
        isFloat(expected.type)
            ? distance(expected.valueAsDouble(i), actual.valueAsDouble(i))
            : (expected.valueAsInt(i) == actual.valueAsInt(i) ? 0.0 : HUGE_VAL);
    if (apart <= allowed)
      continue;
    ++numWrong;
    if (apart > worstDistance) {
      worstDistance = apart;
      worst = i;
    }
  }
  if (numWrong == 0)
    return Status::ok();
  return mismatch("element " + indexText(expected.shape, worst) +
                  ": expected " + valueText(expected, worst) + ", but got " +
                  valueText(actual, worst) + " (" + std::to_string(numWrong) +
                  " of " + std::to_string(count) + " elements differ)");
}
