//===- ArrayView.h - A view of consecutive elements -------------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_PLANNER_ARRAYVIEW_H
#define TURNIP_PLANNER_ARRAYVIEW_H

#include <cstddef>
#include <initializer_list>
#include <vector>

namespace turnip::planner {

/// A read-only view of consecutive elements that somebody else owns. It is
/// valid for as long as the owner neither moves nor grows them.
template <typename T> class ArrayView {
public:
  ArrayView() = default;
  ArrayView(const T *data, size_t count) : first(data), count(count) {}
  ArrayView(const std::vector<T> &values)
      : first(values.data()), count(values.size()) {}
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winit-list-lifetime"
#endif
  /// Only good for an argument: the list dies with the full expression.
  ArrayView(std::initializer_list<T> values)
      : first(values.begin()), count(values.size()) {}
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

  const T *begin() const { return first; }
  const T *end() const { return first + count; }
  size_t size() const { return count; }
  bool empty() const { return count == 0; }
  const T &operator[](size_t index) const { return first[index]; }

private:
  const T *first = nullptr;
  size_t count = 0;
};

} // namespace turnip::planner

#endif // TURNIP_PLANNER_ARRAYVIEW_H
