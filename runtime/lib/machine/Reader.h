//===- Reader.h - Reading JSON objects field by field -----------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_MACHINE_READER_H
#define TURNIP_LIB_MACHINE_READER_H

#include "turnip/machine/Machine.h"
#include "turnip/support/Json.h"

#include <set>

namespace turnip::machine {

// What a description may say; more would be a mistake.
constexpr double maxBandwidth = 1e18;
constexpr double maxFlops = 1e24;
constexpr double maxSeconds = 1000;
constexpr uint64_t maxCapacity = uint64_t(1) << 50;
constexpr uint32_t maxLanes = 1024;

/// A BadInput error: "path: message".
Status invalidAt(const std::string &path, const std::string &message);

/// Checks that \p value, which is at \p path, is of kind \p kind.
Status expectKind(const json::Value &value, const std::string &path,
                  json::Value::Kind kind);

/// One JSON object. Each field that is asked for counts as known; finish()
/// refuses the others. Fields that are not there leave their variable as it is,
/// unless they are needed. Errors are BadInput and begin with the field's path.
class ObjectReader {
public:
  enum Need { Optional, Needed };

  ObjectReader(const json::Value &object, std::string path)
      : object(object), where(std::move(path)) {}

  /// Checks that there is an object at all.
  Status check() const {
    return expectKind(object, where.empty() ? "machine" : where,
                      json::Value::Kind::Object);
  }
  /// The value of field \p name, or null.
  const json::Value *find(const char *name);
  Status number(const char *name, double minimum, double maximum, double &value,
                Need need = Optional);
  Status whole(const char *name, uint64_t minimum, uint64_t maximum,
               uint64_t &value, Need need = Optional);
  Status whole(const char *name, uint32_t minimum, uint32_t maximum,
               uint32_t &value);
  Status text(const char *name, std::string &value, Need need = Optional);
  Status flag(const char *name, bool &value);
  /// A number of bytes, or a string such as "16GiB"; at least 1.
  Status bytes(const char *name, uint64_t maximum, uint64_t &value, Need need);
  /// Refuses fields that nobody asked for.
  Status finish() const;

  /// The path of field \p name.
  std::string pathOf(const std::string &name) const {
    return where.empty() ? name : where + "." + name;
  }
  const std::string &path() const { return where; }

private:
  Status missing(const char *name) const;

  const json::Value &object;
  std::string where;
  std::set<std::string> known;
};

/// Reads the form of description that turnip-run had first: objects of devices
/// and links by name.
Expected<Machine> readOldForm(const json::Value &root);

/// Checks what single fields do not show: names, references, that there is a
/// device.
Status checkMachine(const Machine &machine);

} // namespace turnip::machine

#endif // TURNIP_LIB_MACHINE_READER_H
