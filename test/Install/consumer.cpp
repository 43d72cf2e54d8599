//===- consumer.cpp - Uses an installed Turnip ----------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/support/ByteSize.h"

int main() {
  auto size = turnip::parseByteSize("64MiB");
  return size && *size == 67108864 ? 0 : 1;
}
