//===- Flows.cpp - Work that shares switches and memory -------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Flows.h"

#include <algorithm>
#include <cmath>

using namespace turnip::runtime;

void Flows::add(const Flow &flow) {
  flows.push_back(flow);
  changed = true;
}

/// Gives copies that pass through switches their shares, largest bottleneck
/// first: the copies that the tightest switch (or their own link) holds back
/// most get their even share of it, then what is left is shared among the rest.
void Flows::shareSwitches() {
  left = capacities;
  sharing.assign(capacities.size(), 0);
  open.clear();
  for (Flow &flow : flows) {
    if (!flow.isCopying() || !flow.switches || flow.switches->empty())
      continue;
    open.push_back(&flow);
    for (uint32_t index : *flow.switches)
      ++sharing[index];
  }
  while (!open.empty()) {
    size_t tightest = 0;
    double least = 0;
    for (size_t i = 0; i < open.size(); ++i) {
      double share = open[i]->bandwidth;
      for (uint32_t index : *open[i]->switches)
        share = std::min(share, left[index] / sharing[index]);
      if (i == 0 || share < least) {
        least = share;
        tightest = i;
      }
    }
    Flow &flow = *open[tightest];
    flow.rate = std::max(least / flow.bandwidth, 1e-9);
    for (uint32_t index : *flow.switches) {
      left[index] -= least;
      --sharing[index];
    }
    open.erase(open.begin() + static_cast<std::ptrdiff_t>(tightest));
  }
}

void Flows::setRates() {
  changed = false;
  for (Flow &flow : flows)
    flow.rate = 1;
  if (!capacities.empty())
    shareSwitches();
  double bytesPerSecond = 0;
  for (const Flow &flow : flows)
    if (flow.isCopying())
      bytesPerSecond += flow.bandwidth * flow.rate;
  // However much is copied, a tenth of the speed remains.
  for (Flow &flow : flows)
    if (flow.interference > 0)
      flow.rate = std::max(0.1, 1 - flow.interference * bytesPerSecond);
}

int64_t Flows::nextChange() {
  if (changed)
    setRates();
  double least = INFINITY;
  for (const Flow &flow : flows)
    least = std::min(least,
                     flow.latency > 0 ? flow.latency : flow.work / flow.rate);
  // A little less than a nanosecond more is what rounding leaves behind.
  return std::max<int64_t>(
      1, static_cast<int64_t>(std::ceil(std::min(least, 1e18) - 1e-6)));
}

void Flows::advance(int64_t nanoseconds, std::vector<Flow> &done) {
  if (changed)
    setRates();
  auto passed = static_cast<double>(nanoseconds);
  size_t kept = 0;
  for (Flow &flow : flows) {
    if (flow.latency > 0) {
      flow.latency -= passed;
      changed |= flow.latency <= 0;
    } else {
      flow.work -= passed * flow.rate;
    }
    if (flow.latency <= 0 && flow.work <= 1e-6) {
      done.push_back(flow);
      changed = true;
    } else {
      flows[kept++] = flow;
    }
  }
  flows.resize(kept);
}
