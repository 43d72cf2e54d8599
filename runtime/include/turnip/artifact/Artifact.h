//===- Artifact.h - Writing and reading artifacts ---------------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bytes of an artifact file to and from artifact::Module. Loading trusts
// nothing: structure first, then the hash, then meaning, then the proof that
// the graph computes what it says in every order. The kernels are native code,
// which no check here covers: trust an artifact as you would an executable.
//
// Every function here may be called from any thread.
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_ARTIFACT_ARTIFACT_H
#define TURNIP_ARTIFACT_ARTIFACT_H

#include "turnip/artifact/Module.h"
#include "turnip/support/Status.h"

#include <string>
#include <string_view>

namespace turnip {
namespace artifact {

/// The format that this build writes. It reads the same major version with any
/// minor version up to this one.
constexpr uint32_t formatMajor = 1;
constexpr uint32_t formatMinor = 2;

struct LoadOptions {
  /// Prove that every read sees the value it names in every order the edges
  /// allow. Costs more time than all other checks.
  bool verifyPlacement = true;
};

/// The bytes of \p module as a file. Equal modules give equal bytes, and
/// serialize(load(bytes)) gives back bytes that this function made. A module
/// that breaks a rule of checkMeaning is an error: what is written can be read.
Expected<std::string> serialize(const Module &module);

/// The module in \p bytes, or BadInput with the path of what is wrong:
///   entries[0].vertices[17].kernel: expected an index below 12, but got 99
Expected<Module> load(std::string_view bytes, const LoadOptions &options = {});

/// Maps the file \p path and loads it. Errors: Io when it cannot be read,
/// BadInput as load; both begin with the path.
Expected<Module> loadFile(const std::string &path,
                          const LoadOptions &options = {});

/// Writes serialize(module) to \p path, through a temporary file beside it, so
/// that no partial file is left behind. Errors: as serialize; Io.
Status saveFile(const Module &module, const std::string &path);

/// Finds the entry \p name of \p module; with an empty name the only one, or
/// else "main". Error: InvalidArgument, listing the entries there are.
Expected<const Entry *> findEntry(const Module &module,
                                  const std::string &name);

/// The rules of docs/artifact.md that concern meaning: every index, offset,
/// size, arity and name. Error: BadInput with the path of what breaks a rule.
Status checkMeaning(const Module &module);

/// The placement proof of every entry. The module must pass checkMeaning.
/// Error: BadInput naming the vertices, ranges and bytes in conflict.
Status checkPlacement(const Module &module);

/// The hash that an artifact carries: of all \p bytes, with the 8 that begin
/// at \p hashOffset taken as zero. Differs for any two inputs of one size that
/// differ within one aligned group of 8 bytes, so it detects every flipped bit.
/// docs/artifact.md defines it.
uint64_t contentHash(std::string_view bytes, size_t hashOffset);

} // namespace artifact
} // namespace turnip

#endif // TURNIP_ARTIFACT_ARTIFACT_H
