//===- OptionsText.h - How an artifact was planned again --------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_REPLAN_OPTIONSTEXT_H
#define TURNIP_LIB_REPLAN_OPTIONSTEXT_H

#include "turnip/runtime/Replan.h"

#include <string>

namespace turnip::runtime {

/// All options that matter to a plan, each after a space.
std::string optionsText(const ReplanOptions &options);

/// Adds \p options to those that \p module remembers.
void noteOptions(artifact::Module &module, const ReplanOptions &options);

} // namespace turnip::runtime

#endif // TURNIP_LIB_REPLAN_OPTIONSTEXT_H
