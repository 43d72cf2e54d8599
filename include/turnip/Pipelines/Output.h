//===- Output.h - Where a tool's result goes ------------------ -*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_PIPELINES_OUTPUT_H
#define TURNIP_PIPELINES_OUTPUT_H

#include "turnip/support/Status.h"
#include "llvm/ADT/StringRef.h"

namespace turnip {

/// Writes \p bytes to the file \p path, whole or not at all; to stdout where
/// it is "-". Devices and pipes are written as they are. Error: Io.
Status writeOutput(llvm::StringRef path, llvm::StringRef bytes);

/// What main() of a tool calls first: where LLVM itself writes and cannot, the
/// process ends with a message of \p tool's, which has to stay valid, and the
/// exit code of Io.
void reportLostOutput(const char *tool);

} // namespace turnip

#endif // TURNIP_PIPELINES_OUTPUT_H
