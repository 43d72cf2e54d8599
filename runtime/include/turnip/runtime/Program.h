//===- Program.h - A loaded artifact ----------------------------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_RUNTIME_PROGRAM_H
#define TURNIP_RUNTIME_PROGRAM_H

#include "turnip/artifact/Module.h"
#include "turnip/runtime/KernelABI.h"
#include "turnip/runtime/Replan.h"
#include "turnip/support/Status.h"

#include <memory>
#include <string>
#include <vector>

namespace turnip::runtime {

/// A program: the graphs, kernels and tables of one artifact, checked and ready
/// to be run by any number of sessions. Cheap to copy; never changes, so every
/// thread may use it at any time.
class Program {
public:
  /// Loads the artifact at \p path and proves it right. Errors: Io when it
  /// cannot be read; BadInput, naming what is wrong, when it is no good.
  static Expected<Program> load(const std::string &path);

  /// Makes a program of \p module, which is checked as load() does. With
  /// \p kernels, one per kernel of the module, these functions of the process
  /// are called instead of the module's object code.
  static Expected<Program> create(artifact::Module module,
                                  std::vector<KernelFunction> kernels = {});

  /// This program with the entry \p name (as findEntry) alone, planned again as
  /// \p options say (see Replan.h); its kernels are shared. Errors: as
  /// replan().
  Expected<Program> replanned(const std::string &name,
                              const ReplanOptions &options) const;

  const artifact::Module &module() const;

  /// Finds the entry \p name; with an empty name the only one, or else "main".
  /// The error lists the entries there are.
  Expected<const artifact::Entry *> findEntry(const std::string &name) const;

  /// The function of each kernel; the object code is loaded into the process
  /// by the first call. Errors: Device when this processor lacks a feature that
  /// the code needs; BadInput when the code cannot be loaded.
  Expected<const std::vector<KernelFunction> *> kernels() const;

private:
  struct Contents;
  explicit Program(std::shared_ptr<Contents> contents);

  std::shared_ptr<Contents> contents;
};

} // namespace turnip::runtime

#endif // TURNIP_RUNTIME_PROGRAM_H
