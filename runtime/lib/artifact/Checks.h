//===- Checks.h - What the checks of a module share -------------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks of a module's meaning are functions from a part of it to a Status
// whose message begins with the path of that part. Paths are rendered on
// failure only.
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_ARTIFACT_CHECKS_H
#define TURNIP_LIB_ARTIFACT_CHECKS_H

#include "turnip/artifact/Module.h"
#include "turnip/support/Status.h"

#include <string>
#include <string_view>
#include <vector>

namespace turnip {
namespace artifact {

/// Where something is within a module, such as entries[0].vertices[17].kernel:
/// a chain of steps on the stack.
class Path {
public:
  explicit Path(const char *field) : field(field) {}
  Path(const Path &parent, const char *field) : parent(&parent), field(field) {}
  Path(const Path &parent, size_t index) : parent(&parent), index(index) {}
  std::string str() const;

private:
  const Path *parent = nullptr;
  const char *field = nullptr;
  size_t index = 0;
};

/// A BadInput whose message is "PATH: WHAT".
Status badAt(const Path &path, const std::string &what);

/// "PATH: expected EXPECTED, but got GOT".
Status mismatchAt(const Path &path, const std::string &expected,
                  const std::string &got);
Status mismatchAt(const Path &path, uint64_t expected, uint64_t got);

/// Checks that \p index is one of \p count elements.
Status checkIndex(const Path &path, uint64_t index, uint64_t count);
/// As checkIndex; `none` is fine as well.
Status checkOptionalIndex(const Path &path, uint32_t index, uint64_t count);
/// Checks that \p value is one of the \p count enumerators of its type.
Status checkEnum(const Path &path, unsigned value, unsigned count);
/// Checks that \p seconds, or any other measure, is a number from 0 upwards.
Status checkMeasure(const Path &path, double value);
/// Checks that \p offset and \p bytes lie within \p memory.
Status checkWithin(const Path &path, const Memory &memory, uint64_t offset,
                   uint64_t bytes);

/// Checks that names are neither empty nor used twice. \p list is the path of
/// the elements, whose field `name` is meant.
Status checkNames(const Path &list, const std::vector<std::string_view> &names);

/// The names of \p elements, for checkNames.
template <typename T>
std::vector<std::string_view> namesOf(const std::vector<T> &elements) {
  std::vector<std::string_view> names;
  names.reserve(elements.size());
  for (const T &element : elements)
    names.push_back(element.name);
  return names;
}

/// "[OFFSET, END) of NAME", as messages spell a range of bytes.
std::string rangeText(const Memory &memory, uint64_t offset, uint64_t bytes);

Status checkMachine(const Path &path, const Machine &machine);
Status checkKernel(const Path &path, const Kernel &kernel);
/// The launches of \p object, one of \p kernel's.
Status checkLaunches(const Path &path, const Kernel &kernel,
                     const KernelObject &object);
/// Vertices, accesses, scalars and edges of \p entry.
Status checkGraph(const Path &path, const Module &module, const Entry &entry);
/// Parameters, inputs and results of \p entry.
Status checkBindings(const Path &path, const Module &module,
                     const Entry &entry);
/// The graph that \p entry was planned from, which it has.
Status checkTaskGraph(const Path &path, const Module &module,
                      const Entry &entry);
/// Calls of \p entry that compute the same value do so in the same way.
Status checkRepeats(const Path &path, const Entry &entry);
Status checkStatistics(const Path &path, const Module &module,
                       const Entry &entry);

} // namespace artifact
} // namespace turnip

#endif // TURNIP_LIB_ARTIFACT_CHECKS_H
