//===- Status.cpp - The one error type of the runtime ---------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/support/Status.h"

using namespace turnip;

namespace {
struct CodeInfo {
  const char *name;
  int exit;
};
} // namespace

static CodeInfo info(StatusCode code) {
  switch (code) {
  case StatusCode::Ok:
    return {"ok", 0};
  case StatusCode::BadInput:
    return {"bad input", 1};
  case StatusCode::InvalidArgument:
    return {"invalid argument", 2};
  case StatusCode::DoesNotFit:
    return {"does not fit", 3};
  case StatusCode::Device:
    return {"device", 4};
  case StatusCode::Io:
    return {"input/output", 5};
  case StatusCode::Internal:
    return {"internal", 70};
  case StatusCode::Cancelled:
    return {"cancelled", 130};
  }
  return {"unknown", 70};
}

const char *turnip::toString(StatusCode code) { return info(code).name; }

int turnip::exitCode(StatusCode code) { return info(code).exit; }

Status Status::withContext(const std::string &context) const {
  if (isOk())
    return *this;
  return error(statusCode, context + ": " + text);
}
