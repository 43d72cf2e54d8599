//===- Status.h - The one error type of the runtime -------------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// No exception crosses the runtime's API: a call that can fail returns a Status
// or an Expected<T>. A Status carries a code, which decides a tool's exit code,
// and a message to which every level may prepend context.
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_SUPPORT_STATUS_H
#define TURNIP_SUPPORT_STATUS_H

#include <cassert>
#include <optional>
#include <string>
#include <utility>

namespace turnip {

/// What went wrong, coarsely: it decides what a caller can do about it.
enum class StatusCode {
  Ok,
  /// The caller's request makes no sense (unknown flag, wrong shape).
  InvalidArgument,
  /// A file or artifact is malformed or does not match what was asked of it.
  BadInput,
  /// The program does not fit the memory it was given.
  DoesNotFit,
  /// A device, driver or kernel failed, or is not there.
  Device,
  /// The user or another thread asked to stop.
  Cancelled,
  /// A file could not be read or written.
  Io,
  /// A broken promise inside Turnip itself.
  Internal,
};

/// Returns the code's name as messages spell it, such as "bad input".
const char *toString(StatusCode code);

/// Returns the process exit code of a tool that ends with \p code:
/// 0 ok, 1 bad input, 2 usage, 3 does not fit, 4 device, 5 input/output,
/// 70 internal, 130 cancelled.
int exitCode(StatusCode code);

/// Success, or a code and a message (lower case, no full stop).
class [[nodiscard]] Status {
public:
  Status() = default;
  static Status ok() { return Status(); }
  static Status error(StatusCode code, std::string message) {
    Status status;
    status.statusCode = code;
    status.text = std::move(message);
    return status;
  }

  bool isOk() const { return statusCode == StatusCode::Ok; }
  explicit operator bool() const { return isOk(); }
  StatusCode code() const { return statusCode; }
  const std::string &message() const { return text; }

  /// Prepends "\p context: " to the message of an error; keeps success as is.
  Status withContext(const std::string &context) const;

private:
  StatusCode statusCode = StatusCode::Ok;
  std::string text;
};

/// A value, or the Status that says why there is none.
template <typename T> class [[nodiscard]] Expected {
public:
  Expected(T value) : value(std::move(value)) {}
  Expected(Status error) : failure(std::move(error)) {
    assert(!failure.isOk() && "an Expected without value needs an error");
  }

  bool isOk() const { return value.has_value(); }
  explicit operator bool() const { return isOk(); }
  const Status &status() const { return failure; }
  Expected withContext(const std::string &context) && {
    if (isOk())
      return std::move(*this);
    return failure.withContext(context);
  }

  // The caller has looked whether there is a value.
  // NOLINTBEGIN(bugprone-unchecked-optional-access)
  T &operator*() & { return *value; }
  const T &operator*() const & { return *value; }
  T &&operator*() && { return std::move(*value); }
  T *operator->() { return &*value; }
  const T *operator->() const { return &*value; }
  // NOLINTEND(bugprone-unchecked-optional-access)

private:
  std::optional<T> value;
  Status failure;
};

} // namespace turnip

/// Returns from the enclosing function when \p expr is an error Status.
#define TURNIP_RETURN_IF_ERROR(expr)                                           \
  do {                                                                         \
    ::turnip::Status turnipStatus_ = (expr);                                   \
    if (!turnipStatus_)                                                        \
      return turnipStatus_;                                                    \
  } while (false)

#endif // TURNIP_SUPPORT_STATUS_H
