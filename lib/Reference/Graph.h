//===- Graph.h - Evaluates a task.graph -------------------------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_REFERENCE_GRAPH_H
#define TURNIP_LIB_REFERENCE_GRAPH_H

#include "turnip/Dialect/Task/IR/Task.h"
#include "turnip/Reference/Program.h"

namespace turnip::reference {

/// Returns the tensor called \p name; null if there is none.
const Tensor *findInput(llvm::ArrayRef<NamedTensor> inputs,
                        llvm::StringRef name);

Signature signatureOfGraph(task::GraphOp graph);

/// Runs the calls of \p graph in their textual order, on whole tiles, each with
/// \p run.
Expected<llvm::SmallVector<NamedTensor>>
evaluateGraph(task::GraphOp graph, llvm::ArrayRef<NamedTensor> inputs,
              const ParameterFn &parameters, const KernelFn &run);

} // namespace turnip::reference

#endif // TURNIP_LIB_REFERENCE_GRAPH_H
