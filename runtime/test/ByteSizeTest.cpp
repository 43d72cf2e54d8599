//===- ByteSizeTest.cpp - Sizes as people write them ----------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/support/ByteSize.h"

#include <gtest/gtest.h>

using namespace turnip;

TEST(ByteSize, ReadsUnits) {
  EXPECT_EQ(*parseByteSize("0"), 0);
  EXPECT_EQ(*parseByteSize("1048576"), 1048576);
  EXPECT_EQ(*parseByteSize("7B"), 7);
  EXPECT_EQ(*parseByteSize("3KiB"), 3072);
  EXPECT_EQ(*parseByteSize("64MiB"), 67108864);
  EXPECT_EQ(*parseByteSize("1.5GiB"), 1610612736);
  EXPECT_EQ(*parseByteSize("2TiB"), int64_t(2) << 40);
  EXPECT_EQ(*parseByteSize("9223372036854775807"), INT64_MAX);
}

TEST(ByteSize, RefusesTheRest) {
  for (const char *text : {"", "MiB", "-1", "64MB", "64 MiB", "1.", "1.5",
                           ".5GiB", "0x10", "64mib", "9223372036854775808",
                           "8388608TiB", "1.0000000001GiB", "1MiB "}) {
    Expected<int64_t> size = parseByteSize(text);
    ASSERT_FALSE(size.isOk()) << text;
    EXPECT_EQ(size.status().message(),
              "expected a size such as 64MiB, 1.5GiB or 1048576, but got '" +
                  std::string(text) + "'");
  }
}

TEST(ByteSize, WritesForPeople) {
  EXPECT_EQ(formatBytes(0), "0 bytes");
  EXPECT_EQ(formatBytes(1023), "1023 bytes");
  EXPECT_EQ(formatBytes(1024), "1.00 KiB");
  EXPECT_EQ(formatBytes((1 << 20) - 1), "1024.00 KiB");
  EXPECT_EQ(formatBytes(67108864), "64.00 MiB");
  EXPECT_EQ(formatExactBytes(640), "640 bytes");
  EXPECT_EQ(formatExactBytes(1536), "1536 bytes (1.50 KiB)");
  EXPECT_EQ(formatExactBytes(67108864), "67108864 bytes (64.00 MiB)");
}
