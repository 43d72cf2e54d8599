//===- ConfigImport.cpp - Configurations to ein IR ------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ForwardModule.h"

using namespace mlir;
using namespace turnip;
using namespace turnip::import;

namespace {
/// The parameters that a configuration implies, of whatever shape is asked for.
class ConfigSource : public ParameterSource {
public:
  explicit ConfigSource(const ModelConfig &config) : config(config) {}

  bool has(StringRef name) const override {
    if (name == "output.weight")
      return !config.isTied;
    if (!name.ends_with(".bias"))
      return true;
    return name.contains(".attn_")
               ? config.hasAttentionBias
               : name.contains(".ffn_") && config.hasFeedForwardBias;
  }

  Expected<ElementType> find(StringRef, ArrayRef<int64_t>) const override {
    return config.elementType;
  }

private:
  const ModelConfig &config;
};
} // namespace

/// Scores are the tensor that grows fastest.
static Status checkScores(const AttentionShape &attention,
                          const ImportOptions &options) {
  constexpr double largest = 1e15;
  auto tokens = static_cast<double>(options.sequenceLength);
  double scores = static_cast<double>(options.batch) *
                  static_cast<double>(attention.queryHeads()) * tokens * tokens;
  if (scores <= largest)
    return Status::ok();
  return Status::error(StatusCode::InvalidArgument,
                       std::to_string(options.batch) + " sequences of " +
                           std::to_string(options.sequenceLength) +
                           " tokens make more than " +
                           "10^15 scores in each layer's attention with " +
                           std::to_string(attention.queryHeads()) + " heads");
}

Expected<OwningOpRef<ModuleOp>>
turnip::import::importConfig(MLIRContext &context, const ModelConfig &config,
                             const ImportOptions &options) {
  TURNIP_RETURN_IF_ERROR(checkScores(config.shape.attention, options));
  return buildForwardModule(context, options, ConfigSource(config),
                            [&](ModelBuilder &model, Value tokens) {
                              return buildLlama(model, config.shape, tokens);
                            });
}

//===----------------------------------------------------------------------===//
// Summary
//===----------------------------------------------------------------------===//

static bool isParameter(Value value) {
  if (auto reshape = value.getDefiningOp<ein::ReshapeOp>())
    value = reshape.getSource();
  return value.getDefiningOp<ein::ParameterOp>() != nullptr;
}

/// Two operations for every point of the label space.
static double productFlops(ein::EinsumOp op) {
  double flops = 2;
  for (char label : op.getParsedNotation().labels())
    flops *= static_cast<double>(op.getLabelSize(label));
  return flops;
}

ModelSummary turnip::import::summarize(ModuleOp module) {
  ModelSummary summary;
  llvm::StringSet<> seen;
  module.walk([&](ein::ParameterOp op) {
    if (!seen.insert(op.getName()).second)
      return;
    auto type = cast<RankedTensorType>(op.getResult().getType());
    summary.parameters += type.getNumElements();
    summary.parameterBytes +=
        type.getNumElements() * type.getElementTypeBitWidth() / 8;
  });
  module.walk([&](ein::EinsumOp op) {
    if (op.getCombiner() != ein::Combiner::Sum || op.getInputs().size() != 2)
      return;
    if (llvm::any_of(op.getInputs(), isParameter))
      summary.linearFlops += productFlops(op);
    else if (llvm::is_contained(op.getParsedNotation().labels(), 'm'))
      summary.attentionFlops += productFlops(op);
  });
  return summary;
}
