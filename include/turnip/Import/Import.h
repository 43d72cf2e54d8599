//===- Import.h - Model files to ein IR ------------------------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_IMPORT_IMPORT_H
#define TURNIP_IMPORT_IMPORT_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "turnip/Import/ModelBuilder.h"
#include "turnip/parameters/GgufFile.h"
#include "turnip/support/Status.h"

#include <optional>
#include <string>
#include <string_view>

namespace turnip::import {

/// What to make of a model.
struct ImportOptions {
  /// Number of tokens that the entry point takes.
  int64_t sequenceLength = 64;
  /// Number of sequences. With more than one, tensors have a leading dimension
  /// for them.
  int64_t batch = 1;
  /// What activations are between operations: f32, f16 or bf16. Products take
  /// this type and sum in f32, so that matrices of parameters are read as it,
  /// too; everything else computes in f32 and rounds its result once.
  ElementType activationType = ElementType::F32;
  /// Name of the entry point's function.
  std::string entry = "main";
};

/// Builds the forward pass of the model in \p file: a function from "tokens"
/// ([batch,] sequence length) i32 to "logits" ([batch,] sequence length,
/// vocabulary) f32, whatever the activations' type. The weights stay in the
/// file; the module names them
/// (`ein.parameter`). Errors name the metadata key or tensor that is missing,
/// wrong or not supported.
Expected<mlir::OwningOpRef<mlir::ModuleOp>>
importGguf(mlir::MLIRContext &context, const parameters::GgufFile &file,
           const ImportOptions &options);

/// The architectures that importGguf knows, separated by ", ".
std::string knownArchitectures();

/// A model of the Llama family as a configuration describes it.
struct ModelConfig {
  LlamaShape shape;
  /// What the parameters are stored and, as far as the activations' type does
  /// not say otherwise, read as.
  ElementType elementType = ElementType::F32;
  /// Whether the embedding table is the output head.
  bool isTied = false;
  /// Whether the projections of attention, and of the feed-forward network,
  /// have biases.
  bool hasAttentionBias = false;
  bool hasFeedForwardBias = false;
};

/// Reads a configuration with the names of Hugging Face's config.json. Errors
/// name the field that is missing, of the wrong type, out of range or does not
/// go with another.
Expected<ModelConfig> parseConfig(std::string_view text);

/// The configuration that ships under \p name, such as "llama-7b", as text that
/// parseConfig reads, or nothing.
std::optional<std::string> findKnownConfig(std::string_view name);

/// The names that findKnownConfig knows, separated by ", ".
std::string knownConfigs();

/// Builds the forward pass of \p config like importGguf, with the names that a
/// GGUF file of such a model uses. There are no weights: plans and simulations
/// need none, and a run takes made-up ones or those of a file.
Expected<mlir::OwningOpRef<mlir::ModuleOp>>
importConfig(mlir::MLIRContext &context, const ModelConfig &config,
             const ImportOptions &options);

/// Sizes of a forward pass.
struct ModelSummary {
  /// Elements and bytes of all parameters.
  int64_t parameters = 0;
  int64_t parameterBytes = 0;
  /// Multiplications and additions of the products with parameters, and of
  /// attention's two products of activations (over all pairs of positions: the
  /// mask saves nothing). Elementwise work is not counted.
  double linearFlops = 0;
  double attentionFlops = 0;
};

/// Counts what \p module, made by one of the functions above, is made of.
ModelSummary summarize(mlir::ModuleOp module);

} // namespace turnip::import

#endif // TURNIP_IMPORT_IMPORT_H
