//===- KernelKind.h - What a kernel mostly does --------------- -*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_DIALECT_TASK_ANALYSIS_KERNELKIND_H
#define TURNIP_DIALECT_TASK_ANALYSIS_KERNELKIND_H

#include "turnip/Dialect/Task/IR/Task.h"
#include "turnip/machine/Machine.h"

namespace turnip::task {

/// What decides how fast a machine runs a kernel, and how much there is to do
/// in one call.
struct KernelKind {
  machine::KernelClass kernelClass = machine::KernelClass::Other;
  /// What most of the work computes with.
  ElementType type = ElementType::F32;
  double flops = 0;
  double bytes = 0;
};

/// Finds the kind of \p kernel. The operation with the most points (or result
/// elements) in its body decides, the more demanding class where several have
/// as many; without a body, or with operations other than those of `ein`, the
/// class is Other. Work and bytes are the kernel's own where it says them, else
/// they are estimated from points and from the sizes of operands and results.
KernelKind getKernelKind(KernelOp kernel);

/// The type of \p kernel, and its body without what else is known of it (empty
/// if there is none), as artifacts keep them.
std::string printSignature(KernelOp kernel);
std::string printSource(KernelOp kernel);

/// The hash by which machine descriptions know \p kernel if it was timed; that
/// of the kernel in an artifact.
uint64_t getKernelHash(KernelOp kernel);

} // namespace turnip::task

#endif // TURNIP_DIALECT_TASK_ANALYSIS_KERNELKIND_H
