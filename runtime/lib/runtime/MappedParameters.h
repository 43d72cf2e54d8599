//===- MappedParameters.h - Parameters copied from their file ---*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A copy to a device may take a parameter's bytes from where its file is mapped
// instead of from the memory for parameters, which then has nothing there.
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_RUNTIME_MAPPEDPARAMETERS_H
#define TURNIP_LIB_RUNTIME_MAPPEDPARAMETERS_H

#include "turnip/artifact/Module.h"
#include "turnip/parameters/ParameterProvider.h"

#include <map>
#include <vector>

namespace turnip::runtime {

/// Who reads which ranges of the memories for parameters in one entry.
class ParameterReaders {
public:
  ParameterReaders() = default;
  /// Both outlive this object.
  ParameterReaders(const artifact::Module &module,
                   const artifact::Entry &entry);

  /// The copies to other memories that read exactly \p bytes at \p offset of
  /// \p memory; empty if anything else reads a byte of that.
  const std::vector<uint32_t> &copiesOf(uint32_t memory, uint64_t offset,
                                        uint64_t bytes) const;

private:
  struct Range {
    uint64_t offset = 0;
    uint64_t bytes = 0;
    std::vector<uint32_t> copies;
    /// Something else than copies reads it.
    bool isCalledOn = false;
  };
  /// Per memory: different ranges by offset, and the largest end so far.
  std::map<uint32_t, std::vector<Range>> ranges;
  std::map<uint32_t, std::vector<uint64_t>> ends;
};

/// Where \p piece of \p binding lies in a file of \p provider, or null.
const void *findMapped(const parameters::ParameterProvider &provider,
                       const artifact::Binding &binding,
                       const artifact::Piece &piece);

} // namespace turnip::runtime

#endif // TURNIP_LIB_RUNTIME_MAPPEDPARAMETERS_H
