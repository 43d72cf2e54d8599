//===- GuardedBuffer.h - A buffer that notices who strays ----- -*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_TESTING_GUARDEDBUFFER_H
#define TURNIP_TESTING_GUARDEDBUFFER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Process.h"

#include <algorithm>
#include <cstring>
#include <sys/mman.h>

namespace turnip::testing {

/// Bytes at a 64-byte boundary between two pages that cannot be touched: a
/// kernel that strays by much ends at once, and one that strays by less than
/// what is left of a page is found out by the rubbish around the bytes.
class GuardedBuffer {
public:
  /// Which of the two pages the bytes lie close to.
  enum class Near { Begin, End };

  /// \p size bytes, \p distance * 64 bytes from the page \p near, and up to 63
  /// more from the one behind. All are rubbish at first.
  GuardedBuffer(size_t size, Near near, size_t distance = 0)
      : size(size), page(llvm::sys::Process::getPageSizeEstimate()),
        body(llvm::alignTo(std::max<size_t>(size + distance * 64, 1), page)) {
    memory = ::mmap(nullptr, body + 2 * page, PROT_NONE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED ||
        ::mprotect(inside(), body, PROT_READ | PROT_WRITE))
      llvm::report_fatal_error("no memory for the buffers of a kernel");
    std::memset(inside(), kRubbish, body);
    size_t last = (body - size) / 64;
    start = inside() + 64 * (near == Near::Begin ? distance : last - distance);
  }
  ~GuardedBuffer() { ::munmap(memory, body + 2 * page); }
  GuardedBuffer(const GuardedBuffer &) = delete;
  GuardedBuffer &operator=(const GuardedBuffer &) = delete;

  char *data() { return start; }
  llvm::ArrayRef<char> contents() const { return {start, size}; }

  /// Whether everything around the bytes is as it was.
  bool isGuardIntact() const {
    auto isRubbish = [](char c) { return c == kRubbish; };
    const char *begin = inside(), *end = start + size;
    return std::all_of(begin, static_cast<const char *>(start), isRubbish) &&
           std::all_of(end, begin + body, isRubbish);
  }

private:
  char *inside() const { return static_cast<char *>(memory) + page; }

  static constexpr char kRubbish = 0x5a;
  size_t size, page, body;
  void *memory = nullptr;
  char *start = nullptr;
};

} // namespace turnip::testing

#endif // TURNIP_TESTING_GUARDEDBUFFER_H
