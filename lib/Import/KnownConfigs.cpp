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

using namespace turnip;

namespace {
struct KnownConfig {
  std::string_view name;
  std::string_view text;
};
} // namespace

static constexpr KnownConfig configs[] = {
    {"llama-7b", R"({
  "model_type": "llama",
  "hidden_size": 4096,
  "intermediate_size": 11008,
  "num_hidden_layers": 32,
  "num_attention_heads": 32,
  "num_key_value_heads": 32,
  "vocab_size": 32000,
  "rms_norm_eps": 1e-06,
  "rope_theta": 10000,
  "max_position_embeddings": 2048,
  "tie_word_embeddings": false,
  "torch_dtype": "float16"
})"},
    {"llama-13b", R"({
  "model_type": "llama",
  "hidden_size": 5120,
  "intermediate_size": 13824,
  "num_hidden_layers": 40,
  "num_attention_heads": 40,
  "num_key_value_heads": 40,
  "vocab_size": 32000,
  "rms_norm_eps": 1e-06,
  "rope_theta": 10000,
  "max_position_embeddings": 2048,
  "tie_word_embeddings": false,
  "torch_dtype": "float16"
})"},
    {"llama-30b", R"({
  "model_type": "llama",
  "hidden_size": 6656,
  "intermediate_size": 17920,
  "num_hidden_layers": 60,
  "num_attention_heads": 52,
  "num_key_value_heads": 52,
  "vocab_size": 32000,
  "rms_norm_eps": 1e-06,
  "rope_theta": 10000,
  "max_position_embeddings": 2048,
  "tie_word_embeddings": false,
  "torch_dtype": "float16"
})"},
    {"llama-65b", R"({
  "model_type": "llama",
  "hidden_size": 8192,
  "intermediate_size": 22016,
  "num_hidden_layers": 80,
  "num_attention_heads": 64,
  "num_key_value_heads": 64,
  "vocab_size": 32000,
  "rms_norm_eps": 1e-05,
  "rope_theta": 10000,
  "max_position_embeddings": 2048,
  "tie_word_embeddings": false,
  "torch_dtype": "float16"
})"},
    {"llama-3-8b", R"({
  "model_type": "llama",
  "hidden_size": 4096,
  "intermediate_size": 14336,
  "num_hidden_layers": 32,
  "num_attention_heads": 32,
  "num_key_value_heads": 8,
  "vocab_size": 128256,
  "rms_norm_eps": 1e-05,
  "rope_theta": 500000,
  "max_position_embeddings": 8192,
  "tie_word_embeddings": false,
  "torch_dtype": "bfloat16"
})"},
    {"llama-3-70b", R"({
  "model_type": "llama",
  "hidden_size": 8192,
  "intermediate_size": 28672,
  "num_hidden_layers": 80,
  "num_attention_heads": 64,
  "num_key_value_heads": 8,
  "vocab_size": 128256,
  "rms_norm_eps": 1e-05,
  "rope_theta": 500000,
  "max_position_embeddings": 8192,
  "tie_word_embeddings": false,
  "torch_dtype": "bfloat16"
})"},
};

std::optional<std::string_view>
turnip::import::findKnownConfig(std::string_view name) {
  for (const KnownConfig &config : configs)
    if (config.name == name)
      return config.text;
  return std::nullopt;
}

std::string turnip::import::knownConfigs() {
  std::string names;
  for (const KnownConfig &config : configs)
    names += (names.empty() ? "" : ", ") + std::string(config.name);
  return names;
}
