//===- Output.cpp - Where a tool's result goes ----------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/Pipelines/Output.h"

#include "turnip/parameters/Tensor.h"
#include "llvm/Support/raw_ostream.h"

using namespace turnip;

Status turnip::writeOutput(llvm::StringRef path, llvm::StringRef bytes) {
  if (path != "-")
    return parameters::writeFileAtomically(path.str(),
                                           {bytes.data(), bytes.size()});
  llvm::raw_fd_ostream &out = llvm::outs();
  out << bytes;
  out.flush();
  if (!out.has_error())
    return Status::ok();
  // A stream that is destroyed with an error ends the process.
  std::string reason = out.error().message();
  out.clear_error();
  return Status::error(StatusCode::Io, "cannot write to stdout: " + reason);
}
