//===- run-artifact.cpp - Load, bind, run, read back ----------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs the entry `main` of an artifact on this machine's processors, with every
// input filled with one number, and prints the results:
//   run-artifact mlp.memgraph random:1 0.5
//
//===----------------------------------------------------------------------===//

#include "turnip/runtime/Drivers.h"
#include "turnip/runtime/Session.h"

#include <cstdio>
#include <cstdlib>

using namespace turnip;

static Status run(const char *artifact, const char *where, double value) {
  Expected<runtime::Program> program = runtime::Program::load(artifact);
  if (!program)
    return program.status();
  auto parameters = parameters::openParameters(where);
  if (!parameters)
    return parameters.status();
  auto session =
      runtime::Session::create(*program, runtime::createHostDriver({}));
  if (!session)
    return session.status();
  TURNIP_RETURN_IF_ERROR((*session)->bindParameters(**parameters));
  for (const artifact::Binding &input : (*session)->entry().inputs) {
    auto tensor = parameters::Tensor::zeros(input.fileShape, input.type);
    for (int64_t i = 0; i < tensor.numElements(); ++i)
      tensor.setFromDouble(i, value);
    TURNIP_RETURN_IF_ERROR((*session)->setInput(input.name, tensor));
  }
  TURNIP_RETURN_IF_ERROR((*session)->run());
  for (const artifact::Binding &result : (*session)->entry().results) {
    auto tensor = (*session)->result(result.name);
    if (!tensor)
      return tensor.status();
    std::printf("%s: %s\n", result.name.c_str(), toText(*tensor, 8).c_str());
  }
  return Status::ok();
}

int main(int argc, char **argv) {
  if (argc != 4)
    return std::fprintf(stderr, "usage: %s ARTIFACT WHERE VALUE\n", argv[0]), 2;
  Status status = run(argv[1], argv[2], std::strtod(argv[3], nullptr));
  if (!status)
    std::fprintf(stderr, "error: %s\n", status.message().c_str());
  return exitCode(status.code());
}
