//===- KnownConfigs.cpp - Configurations that ship by name ----------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The sizes are those of the models' own papers: LLaMA (arXiv 2302.13971, table
// 2) and Llama 3 (arXiv 2407.21783, table 3).
//
//===----------------------------------------------------------------------===//

#include "turnip/Import/Import.h"

#include "llvm/Support/FormatVariadic.h"

using namespace turnip;

namespace {
/// What tells the shipped models apart.
struct KnownConfig {
  std::string_view name;
  unsigned hidden, intermediate, layers, heads, keyValueHeads, vocabulary;
  std::string_view epsilon;
  unsigned ropeTheta, positions;
  std::string_view type;
};
} // namespace

static constexpr KnownConfig configs[] = {
    {"llama-7b", 4096, 11008, 32, 32, 32, 32000, "1e-06", 10000, 2048,
     "float16"},
    {"llama-13b", 5120, 13824, 40, 40, 40, 32000, "1e-06", 10000, 2048,
     "float16"},
    {"llama-30b", 6656, 17920, 60, 52, 52, 32000, "1e-06", 10000, 2048,
     "float16"},
    {"llama-65b", 8192, 22016, 80, 64, 64, 32000, "1e-05", 10000, 2048,
     "float16"},
    {"llama-3-8b", 4096, 14336, 32, 32, 8, 128256, "1e-05", 500000, 8192,
     "bfloat16"},
    {"llama-3-70b", 8192, 28672, 80, 64, 8, 128256, "1e-05", 500000, 8192,
     "bfloat16"},
};

/// The config.json of a model, with the fields of Hugging Face.
static std::string toJson(const KnownConfig &config) {
  return llvm::formatv("{{\n"
                       "  \"model_type\": \"llama\",\n"
                       "  \"hidden_size\": {0},\n"
                       "  \"intermediate_size\": {1},\n"
                       "  \"num_hidden_layers\": {2},\n"
                       "  \"num_attention_heads\": {3},\n"
                       "  \"num_key_value_heads\": {4},\n"
                       "  \"vocab_size\": {5},\n"
                       "  \"rms_norm_eps\": {6},\n"
                       "  \"rope_theta\": {7},\n"
                       "  \"max_position_embeddings\": {8},\n"
                       "  \"tie_word_embeddings\": false,\n"
                       "  \"torch_dtype\": \"{9}\"\n"
                       "}",
                       config.hidden, config.intermediate, config.layers,
                       config.heads, config.keyValueHeads, config.vocabulary,
                       config.epsilon, config.ropeTheta, config.positions,
                       config.type)
      .str();
}

std::optional<std::string>
turnip::import::findKnownConfig(std::string_view name) {
  for (const KnownConfig &config : configs)
    if (config.name == name)
      return toJson(config);
  return std::nullopt;
}

std::string turnip::import::knownConfigs() {
  std::string names;
  for (const KnownConfig &config : configs)
    names += (names.empty() ? "" : ", ") + std::string(config.name);
  return names;
}
