//===- Config.h - What TURNIP_STANDIN asks for ------------------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_STANDIN_CONFIG_H
#define TURNIP_LIB_STANDIN_CONFIG_H

#include "turnip/support/Status.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace turnip::standin {

/// How the stand-in behaves. docs/stand-in.md describes the keys.
struct Config {
  /// A failure to be injected: of call number `number` (from 1) of `function`,
  /// of all functions where that is empty. Nothing where `number` is 0.
  struct Failure {
    std::string function;
    uint64_t number = 0;
    /// The status returned; 0: one that the function is known for.
    int error = 0;
  };

  unsigned devices = 1;
  /// Bytes per device.
  uint64_t memory = uint64_t(4) << 30;
  int capabilityMajor = 9;
  int capabilityMinor = 0;
  int driverVersion = 13000;
  /// The longest time in microseconds that is added to a piece of work.
  uint64_t delayUs = 0;
  uint64_t seed = 0;
  /// Emulated speed of each direction of a link in 10^9 bytes per second; 0: a
  /// copy takes as long as it takes.
  double linkGbps = 0;
  bool peers = true;
  bool poison = true;
  /// Also print every explanation to stderr.
  bool log = false;
  Failure failure;
  /// The piece of work (from 1) that fails while the device is at it, and how.
  uint64_t failingWork = 0;
  int workError = 0;
  /// Where to write what is still alive at exit: empty, "stderr" or a path.
  std::string report;
};

/// Reads `key=value,key=value`. Errors (InvalidArgument) name the key.
Expected<Config> parseConfig(std::string_view text);

} // namespace turnip::standin

#endif // TURNIP_LIB_STANDIN_CONFIG_H
