//===- DeviceRunner.h - Compile, run and check one device kernel ----------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Runs the stand-in's code of a kernel, one block after the other, every
/// thread a context of its own. Threads take turns in an order drawn from a
/// seed, so that a missing barrier shows.
///
//===----------------------------------------------------------------------===//

#ifndef TURNIP_TEST_UNIT_CODEGEN_DEVICERUNNER_H
#define TURNIP_TEST_UNIT_CODEGEN_DEVICERUNNER_H

#include "KernelRunner.h"
#include "turnip/Codegen/DeviceCompiler.h"

namespace turnip::test {

/// Compiles `text` for the stand-in, compares with the interpreter, and checks
/// that the bits do not depend on addresses or on the order of threads, that
/// nothing outside of buffers is touched, and that in-place pairs are what they
/// claim to be. Where `ptx` says so, compiles for three GPUs as well.
codegen::DeviceBinary checkDeviceKernel(const std::string &text,
                                        const CheckOptions &options = {},
                                        bool ptx = true);

/// Products of warps on tensor cores in the runs so far.
extern int64_t numMmas;

/// PTX of `text` for `chip`.
std::string compileToPtx(const std::string &text, const std::string &chip);

} // namespace turnip::test

#endif // TURNIP_TEST_UNIT_CODEGEN_DEVICERUNNER_H
