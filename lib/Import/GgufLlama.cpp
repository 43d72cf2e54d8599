//===- GgufLlama.cpp - The Llama family in GGUF files ---------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Architectures.h"

using namespace mlir;
using namespace turnip;
using namespace turnip::import;

namespace {
/// Reads and checks the metadata under a prefix; the first error sticks.
class Reader {
public:
  Reader(const parameters::GgufFile &file, std::string prefix)
      : file(file), prefix(std::move(prefix)) {}

  Expected<LlamaShape> run();

private:
  int64_t size(const std::string &name);
  int64_t size(const std::string &name, int64_t absent);
  double number(const std::string &name, double absent);
  void attention(LlamaShape &model);
  void rotary(LlamaShape &model);
  void refuse(const std::string &name, int64_t harmless);
  void fail(Status error) {
    if (failure.isOk())
      failure = std::move(error);
  }
  void fail(std::string message) {
    fail(Status::error(StatusCode::BadInput, std::move(message)));
  }

  const parameters::GgufFile &file;
  std::string prefix;
  Status failure;
};
} // namespace

int64_t Reader::size(const std::string &name) {
  Expected<uint64_t> value = file.unsignedValue(prefix + name);
  if (!value) {
    fail(value.status());
    return 1;
  }
  constexpr uint64_t largest = uint64_t(1) << 31;
  if (*value >= 1 && *value <= largest)
    return static_cast<int64_t>(*value);
  fail("metadata key '" + prefix + name + "': expected a value between 1 and " +
       std::to_string(largest) + ", but got " + std::to_string(*value));
  return 1;
}

int64_t Reader::size(const std::string &name, int64_t absent) {
  return file.find(prefix + name) ? size(name) : absent;
}

double Reader::number(const std::string &name, double absent) {
  Expected<double> value = file.floatValue(prefix + name, absent);
  if (!value) {
    fail(value.status());
    return absent;
  }
  if (*value > 0 && *value < 1e30)
    return *value;
  fail("metadata key '" + prefix + name +
       "': expected a positive number, but got " + std::to_string(*value));
  return absent;
}

/// Fails if the model uses a feature: the key is there and not \p harmless.
void Reader::refuse(const std::string &name, int64_t harmless) {
  if (!file.find(prefix + name))
    return;
  Expected<uint64_t> value = file.unsignedValue(prefix + name);
  if (!value)
    fail(value.status());
  else if (*value != static_cast<uint64_t>(harmless))
    fail("metadata key '" + prefix + name + "': the value " +
         std::to_string(*value) + " is not supported");
}

void Reader::attention(LlamaShape &model) {
  int64_t heads = size("attention.head_count");
  int64_t groups = size("attention.head_count_kv", heads);
  if (heads % groups != 0)
    fail("expected '" + prefix + "attention.head_count' to be a multiple of '" +
         prefix + "attention.head_count_kv', but got " + std::to_string(heads) +
         " and " + std::to_string(groups));
  if (!file.find(prefix + "attention.key_length") &&
      model.features % heads != 0)
    fail("expected '" + prefix + "embedding_length' to be a multiple of '" +
         prefix + "attention.head_count', but got " +
         std::to_string(model.features) + " and " + std::to_string(heads));
  model.attention.groups = groups;
  model.attention.queriesPerGroup = heads / groups;
  int64_t natural = model.features / heads;
  model.attention.headSize = size("attention.key_length", natural);
  model.attention.valueSize =
      size("attention.value_length", model.attention.headSize);
  model.attention.layout = RotaryLayout::Interleaved;
  if (model.attention.headSize % 2 != 0)
    fail("expected an even size of heads, but got " +
         std::to_string(model.attention.headSize));
}

void Reader::rotary(LlamaShape &model) {
  RotaryEmbedding &rotary = model.rotary;
  int64_t headSize = model.attention.headSize;
  rotary.rotated = size("rope.dimension_count", headSize);
  if (rotary.rotated % 2 != 0 || rotary.rotated > headSize)
    fail("metadata key '" + prefix +
         "rope.dimension_count': expected an even number of at most " +
         std::to_string(headSize) + ", but got " +
         std::to_string(rotary.rotated));
  rotary.base = number("rope.freq_base", 10000);
  if (file.findTensor("rope_freqs.weight")) {
    rotary.factors = "rope_freqs.weight";
    if (rotary.rotated != headSize)
      fail("tensor 'rope_freqs.weight' is supported only where the whole head "
           "is rotated, but " +
           std::to_string(rotary.rotated) + " of " + std::to_string(headSize) +
           " dimensions are");
  }

  std::string_view scaling = "none";
  if (file.find(prefix + "rope.scaling.type")) {
    Expected<std::string_view> value =
        file.stringValue(prefix + "rope.scaling.type");
    if (!value)
      return fail(value.status());
    scaling = *value;
  }
  if (scaling == "linear")
    rotary.divisor = number("rope.scaling.factor", 1);
  else if (scaling != "none")
    fail("metadata key '" + prefix + "rope.scaling.type': scaling '" +
         std::string(scaling) +
         "' is not supported; supported are none and linear");
  if (file.find(prefix + "rope.scale_linear"))
    rotary.divisor = number("rope.scale_linear", 1);
}

Expected<LlamaShape> Reader::run() {
  LlamaShape model;
  model.layers = size("block_count");
  model.features = size("embedding_length");
  model.hidden = size("feed_forward_length");
  model.epsilon = number("attention.layer_norm_rms_epsilon", 1e-5);
  attention(model);
  rotary(model);
  refuse("expert_count", 0);
  refuse("attention.causal", 1);
  if (const parameters::GgufTensor *table =
          file.findTensor("token_embd.weight"))
    model.vocabulary = table->shape.empty() ? 0 : table->shape[0];
  else
    fail("the file has no tensor 'token_embd.weight'");
  if (model.vocabulary < 1)
    fail("tensor 'token_embd.weight' has no rows");
  if (!failure)
    return failure;
  return model;
}

Value turnip::import::buildGgufLlama(ModelBuilder &model,
                                     const parameters::GgufFile &file,
                                     Value tokens) {
  Expected<LlamaShape> shape = Reader(file, "llama.").run();
  if (shape)
    return buildLlama(model, *shape, tokens);
  model.fail(shape.status());
  return {};
}
