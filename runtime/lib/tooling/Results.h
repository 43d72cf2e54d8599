//===- Results.h - Results without a copy of the whole ----------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_TOOLING_RESULTS_H
#define TURNIP_LIB_TOOLING_RESULTS_H

#include "turnip/runtime/Session.h"

namespace turnip::tooling {

/// The 64-bit FNV-1a hash of the type, the shape and the bytes of \p result.
Expected<uint64_t> hashResult(const runtime::Session &session,
                              const artifact::Binding &result);

/// \p hash as 16 hexadecimal digits.
std::string hashText(uint64_t hash);

/// Writes result \p name to the .npy file \p path, whole or not at all.
Status writeResult(const runtime::Session &session, const std::string &name,
                   const std::string &path);

} // namespace turnip::tooling

#endif // TURNIP_LIB_TOOLING_RESULTS_H
