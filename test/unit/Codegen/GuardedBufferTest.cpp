//===- GuardedBufferTest.cpp - Whether straying is noticed ----------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/Testing/GuardedBuffer.h"
#include <gtest/gtest.h>

using turnip::testing::GuardedBuffer;
using Near = GuardedBuffer::Near;

TEST(GuardedBuffer, IsAlignedAndHolds) {
  for (size_t size : {0, 1, 63, 64, 4095, 4096, 4097, 100000})
    for (size_t distance : {0, 1, 9, 100})
      for (Near near : {Near::Begin, Near::End}) {
        GuardedBuffer buffer(size, near, distance);
        EXPECT_EQ(reinterpret_cast<uintptr_t>(buffer.data()) % 64, 0u);
        std::memset(buffer.data(), 1, size);
        EXPECT_TRUE(buffer.isGuardIntact());
        EXPECT_EQ(buffer.contents().size(), size);
      }
}

TEST(GuardedBuffer, NoticesAByteOnEitherSide) {
  GuardedBuffer before(100, Near::Begin, 1), behind(100, Near::End);
  before.data()[-1] = 0;
  EXPECT_FALSE(before.isGuardIntact());
  behind.data()[100] = 0;
  EXPECT_FALSE(behind.isGuardIntact());
}

TEST(GuardedBufferDeathTest, EndsWhoReadsBeyondAPage) {
  GuardedBuffer before(64, Near::Begin), behind(64, Near::End);
  volatile char *first = before.data(), *last = behind.data() + 63;
  EXPECT_EQ(*first, *last);
  EXPECT_DEATH((void)first[-1], "");
  EXPECT_DEATH((void)last[1], "");
}
