//===- Architectures.h - One builder per architecture ---------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_IMPORT_ARCHITECTURES_H
#define TURNIP_LIB_IMPORT_ARCHITECTURES_H

#include "turnip/Import/ModelBuilder.h"
#include "turnip/parameters/GgufFile.h"

namespace turnip::import {

/// Builds a forward pass from tokens [l] to logits [l, n] with what the
/// metadata of \p file says. Errors go to the builder; the value returned after
/// one means nothing (it may be null).
using ForwardPass = mlir::Value (*)(ModelBuilder &model,
                                    const parameters::GgufFile &file,
                                    mlir::Value tokens);

/// Llama and the models that share its architecture in GGUF.
mlir::Value buildGgufLlama(ModelBuilder &model,
                           const parameters::GgufFile &file,
                           mlir::Value tokens);

} // namespace turnip::import

#endif // TURNIP_LIB_IMPORT_ARCHITECTURES_H
