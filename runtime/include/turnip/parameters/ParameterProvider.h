//===- ParameterProvider.h - Parameters by name -----------------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program names its parameters; where their bytes come from is decided when
// it runs. A provider finds a parameter by name and expands ranges of it into
// the element type asked for, so that no caller needs to know how a file
// stores it.
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_PARAMETERS_PARAMETERPROVIDER_H
#define TURNIP_PARAMETERS_PARAMETERPROVIDER_H

#include "turnip/support/ElementType.h"
#include "turnip/support/Status.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace turnip::parameters {

/// What a provider knows of one parameter without reading it.
struct ParameterInfo {
  std::string name;
  /// Extents, outermost first. Empty together with anyShape set: the provider
  /// gives values for whatever shape is asked.
  std::vector<int64_t> shape;
  /// How the elements are stored: "f32", "bf16", "q4_1", ...
  std::string storage;
  /// The storage as an element type; nothing for quantised blocks.
  std::optional<ElementType> type;
  /// Bytes the parameter takes as stored.
  int64_t storedBytes = 0;
  /// True for providers that make up values (splat, random): shape is empty
  /// and any element index may be read.
  bool anyShape = false;

  /// Number of elements; 0 if anyShape.
  int64_t numElements() const;
};

/// A source of parameters. All member functions are const and may be called
/// from several threads at once.
class ParameterProvider {
public:
  virtual ~ParameterProvider();

  /// Finds the parameter \p name. The error names it and, where there is one,
  /// the file and a name that is close.
  virtual Expected<ParameterInfo> find(const std::string &name) const = 0;

  /// Expands the elements [\p first, \p first + \p count), counted in row-major
  /// order, into \p dst as \p type (count * byteSize(type) bytes, no alignment
  /// needed). Float storage reads as f32, f16 or bf16 (rounded to nearest
  /// even); integer storage only as its own type. A range outside the parameter
  /// is an error and leaves dst alone. Any range may be read, also one that
  /// begins or ends within a quantised block.
  virtual Status read(const std::string &name, int64_t first, int64_t count,
                      ElementType type, void *dst) const = 0;

  /// Where the elements [\p first, \p first + \p count) lie in a file that is
  /// mapped, dense and as \p type, for as long as the provider lives; null
  /// where read() would convert them or make them up, and outside the
  /// parameter.
  virtual const void *mapped(const std::string &name, int64_t first,
                             int64_t count, ElementType type) const;

  /// Names of all parameters in the order of the file; empty for providers
  /// that make up values.
  virtual std::vector<std::string> names() const = 0;
};

/// Opens what --parameters= accepts: "model.gguf", a directory of .npy files
/// ("blk.0.attn_q.weight" is the file blk.0.attn_q.weight.npy), "random:SEED"
/// (normally distributed with deviation 0.05) or "splat:VALUE". The kind of a
/// file is told by its first bytes, not by its name.
Expected<std::unique_ptr<ParameterProvider>>
openParameters(const std::string &spec);

/// A provider in which every element is \p value.
std::unique_ptr<ParameterProvider> makeSplatParameters(double value);

/// A provider of normally distributed values (integers: 0 .. 99). A value
/// depends on the seed, the name and the element's index only, so that every
/// way of reading a parameter in pieces gives the same values.
std::unique_ptr<ParameterProvider> makeRandomParameters(uint64_t seed);

/// Opens a directory of .npy files.
Expected<std::unique_ptr<ParameterProvider>>
openNpyDirectory(const std::string &path);

} // namespace turnip::parameters

#endif // TURNIP_PARAMETERS_PARAMETERPROVIDER_H
