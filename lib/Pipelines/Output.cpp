//===- Output.cpp - Where a tool's result goes ----------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/Pipelines/Output.h"

#include "turnip/parameters/Tensor.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/raw_ostream.h"

#include <unistd.h>

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

/// Ends the process if \p reason is that a stream failed. These messages of
/// LLVM's come from destructors, so nothing else is cleaned up.
static void onFatalError(void *tool, const char *reason, bool) {
  llvm::StringRef text = reason;
  if (!text.consume_front("IO failure on output stream: ")) {
    llvm::errs() << "LLVM ERROR: " << reason << "\n";
    return;
  }
  std::string message = std::string(static_cast<const char *>(tool)) +
                        ": error: cannot write the output: " + text.str() +
                        "\n";
  // Nothing can be done about stderr.
  (void)!::write(STDERR_FILENO, message.data(), message.size());
  ::_exit(exitCode(StatusCode::Io));
}

void turnip::reportLostOutput(const char *tool) {
  llvm::install_fatal_error_handler(onFatalError, const_cast<char *>(tool));
}
