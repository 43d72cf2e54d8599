//===- WriteSample.cpp - Writes the sample module -------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// usage: write-sample FILE
// A seed for utils/fuzz.sh.
//
//===----------------------------------------------------------------------===//

#include "Sample.h"
#include "turnip/artifact/Artifact.h"

#include <cstdio>

using namespace turnip;

int main(int argc, char **argv) {
  if (argc != 2)
    return exitCode(StatusCode::InvalidArgument);
  Status status = artifact::saveFile(artifact::makeSample(), argv[1]);
  if (!status)
    std::fprintf(stderr, "%s\n", status.message().c_str());
  return exitCode(status.code());
}
