//===- WriteSample.cpp - Writes the sample module -------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// usage: write-sample FILE [KERNELS.so]
// With kernels, the sample can be executed: test/compat has how it was used.
// Without, it is a seed for utils/fuzz.sh.
//
//===----------------------------------------------------------------------===//

#include "Sample.h"
#include "turnip/artifact/Artifact.h"

#include <cstdio>
#include <fstream>
#include <iterator>

using namespace turnip;

int main(int argc, char **argv) {
  if (argc != 2 && argc != 3)
    return exitCode(StatusCode::InvalidArgument);
  artifact::Module module = artifact::makeSample();
  if (argc == 3) {
    std::ifstream file(argv[2], std::ios::binary);
    std::string code((std::istreambuf_iterator<char>(file)),
                     std::istreambuf_iterator<char>());
    for (artifact::Kernel &kernel : module.kernels)
      for (artifact::KernelObject &object : kernel.objects)
        if (object.format == "elf-so")
          object.code = code;
  }
  Status status = artifact::saveFile(module, argv[1]);
  if (!status)
    std::fprintf(stderr, "%s\n", status.message().c_str());
  return exitCode(status.code());
}
