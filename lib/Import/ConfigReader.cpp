//===- ConfigReader.cpp - Hugging Face's config.json ----------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/Import/Import.h"
#include "turnip/support/Json.h"

#include <cmath>

using namespace turnip;
using namespace turnip::import;
using Kind = json::Value::Kind;

namespace {
/// Reads and checks a configuration; the first error sticks.
class Reader {
public:
  explicit Reader(const json::Value &config) : config(config) {}

  Expected<ModelConfig> run();

private:
  /// The field \p name of \p object; null where it is absent or null.
  const json::Value *find(const json::Value &object, const char *name) const {
    const json::Value *value = object.find(name);
    return value && value->kind != Kind::Null ? value : nullptr;
  }
  int64_t size(const char *name, int64_t largest);
  int64_t size(const char *name, int64_t largest, int64_t absent);
  double number(const json::Value &object, const char *name,
                std::optional<double> absent);
  bool flag(const char *name);
  std::string string(const json::Value &object, const char *name,
                     const char *absent);
  void expect(const char *name, const char *only);
  void divides(const char *name, int64_t divisor, const char *of, int64_t size);
  void attention();
  void rotary();
  void scaling(const json::Value &object);
  void elementType();

  void fail(std::string message) {
    if (failure.isOk())
      failure = Status::error(StatusCode::BadInput, std::move(message));
  }
  void wrongKind(const char *name, const char *wanted,
                 const json::Value &value) {
    fail("'" + std::string(name) + "': expected " + wanted + ", but got " +
         json::toString(value.kind));
  }

  const json::Value &config;
  ModelConfig result;
  Status failure;
};
} // namespace

/// A number as a person would write it.
static std::string spell(double number) {
  json::Writer writer;
  return writer.value(number).take();
}

int64_t Reader::size(const char *name, int64_t largest) {
  const json::Value *value = find(config, name);
  if (!value) {
    fail("'" + std::string(name) + "' is missing");
    return 1;
  }
  if (value->kind != Kind::Number) {
    wrongKind(name, "a whole number", *value);
    return 1;
  }
  double number = value->number;
  if (number >= 1 && number <= static_cast<double>(largest) &&
      number == std::floor(number))
    return static_cast<int64_t>(number);
  fail("'" + std::string(name) + "': expected a whole number between 1 and " +
       std::to_string(largest) + ", but got " + spell(number));
  return 1;
}

int64_t Reader::size(const char *name, int64_t largest, int64_t absent) {
  return find(config, name) ? size(name, largest) : absent;
}

/// A positive number; an error if it is absent and \p absent is nothing.
double Reader::number(const json::Value &object, const char *name,
                      std::optional<double> absent) {
  const json::Value *value = find(object, name);
  if (!value && absent)
    return *absent;
  if (!value)
    fail("'" + std::string(name) + "' is missing");
  else if (value->kind != Kind::Number)
    wrongKind(name, "a number", *value);
  else if (value->number > 0 && value->number < 1e30)
    return value->number;
  else
    fail("'" + std::string(name) + "': expected a number above 0, but got " +
         spell(value->number));
  return 1;
}

bool Reader::flag(const char *name) {
  const json::Value *value = find(config, name);
  if (value && value->kind != Kind::Bool)
    wrongKind(name, "true or false", *value);
  return value && value->boolean;
}

std::string Reader::string(const json::Value &object, const char *name,
                           const char *absent) {
  const json::Value *value = find(object, name);
  if (!value)
    return absent;
  if (value->kind != Kind::String)
    wrongKind(name, "a string", *value);
  return value->string;
}

/// Fails if the field \p name is there and is not \p only.
void Reader::expect(const char *name, const char *only) {
  std::string value = string(config, name, only);
  if (value != only)
    fail("'" + std::string(name) + "': '" + value +
         "' is not supported; supported is " + only);
}

void Reader::divides(const char *name, int64_t divisor, const char *of,
                     int64_t size) {
  if (size % divisor != 0)
    fail("expected '" + std::string(of) + "' to be a multiple of '" + name +
         "', but got " + std::to_string(size) + " and " +
         std::to_string(divisor));
}

void Reader::attention() {
  constexpr int64_t largest = 65536;
  AttentionShape &attention = result.shape.attention;
  int64_t heads = size("num_attention_heads", largest);
  attention.groups = size("num_key_value_heads", largest, heads);
  divides("num_key_value_heads", attention.groups, "num_attention_heads",
          heads);
  attention.queriesPerGroup = heads / attention.groups;
  if (!find(config, "head_dim"))
    divides("num_attention_heads", heads, "hidden_size", result.shape.features);
  attention.headSize = size("head_dim", largest, result.shape.features / heads);
  attention.valueSize = attention.headSize;
  if (attention.headSize % 2 != 0)
    fail("expected an even size of heads, but got " +
         std::to_string(attention.headSize));
}

/// What changes the frequencies of the rotary embedding.
void Reader::scaling(const json::Value &object) {
  RotaryEmbedding &rotary = result.shape.rotary;
  std::string type = string(object, "rope_type", "");
  if (type.empty())
    type = string(object, "type", "default");
  if (type == "linear") {
    rotary.divisor = number(object, "factor", std::nullopt);
  } else if (type == "llama3") {
    RotaryRamp ramp;
    ramp.factor = number(object, "factor", std::nullopt);
    ramp.lowest = number(object, "low_freq_factor", std::nullopt);
    ramp.highest = number(object, "high_freq_factor", std::nullopt);
    ramp.length =
        number(object, "original_max_position_embeddings", std::nullopt);
    if (ramp.lowest >= ramp.highest)
      fail("expected 'low_freq_factor' to be below 'high_freq_factor', but "
           "got " +
           spell(ramp.lowest) + " and " + spell(ramp.highest));
    rotary.ramp = ramp;
  } else if (type != "default") {
    fail("'rope_type': '" + type +
         "' is not supported; supported are default, linear and llama3");
  }
}

void Reader::rotary() {
  RotaryEmbedding &rotary = result.shape.rotary;
  rotary.rotated = result.shape.attention.headSize;
  rotary.base = number(config, "rope_theta", 10000);
  // Newer files keep the base with the scaling.
  for (const char *name : {"rope_scaling", "rope_parameters"}) {
    const json::Value *object = find(config, name);
    if (!object)
      continue;
    if (object->kind != Kind::Object)
      return wrongKind(name, "an object", *object);
    rotary.base = number(*object, "rope_theta", rotary.base);
    scaling(*object);
  }
}

void Reader::elementType() {
  const char *name = find(config, "dtype") ? "dtype" : "torch_dtype";
  std::string type = string(config, name, "float32");
  if (type == "float32")
    result.elementType = ElementType::F32;
  else if (type == "float16")
    result.elementType = ElementType::F16;
  else if (type == "bfloat16")
    result.elementType = ElementType::BF16;
  else
    fail("'" + std::string(name) + "': '" + type +
         "' is not supported; supported are float32, float16 and bfloat16");
}

Expected<ModelConfig> Reader::run() {
  if (config.kind != Kind::Object)
    return Status::error(StatusCode::BadInput,
                         std::string("expected an object, but got ") +
                             json::toString(config.kind));
  expect("model_type", "llama");
  expect("hidden_act", "silu");
  LlamaShape &shape = result.shape;
  shape.features = size("hidden_size", 1 << 20);
  shape.hidden = size("intermediate_size", 1 << 22);
  shape.layers = size("num_hidden_layers", 1 << 12);
  attention();
  shape.vocabulary = size("vocab_size", 1 << 24);
  shape.epsilon = number(config, "rms_norm_eps", 1e-6);
  // How long sequences may be is the caller's choice, but nonsense is an error.
  size("max_position_embeddings", int64_t(1) << 31, 2048);
  rotary();
  elementType();
  result.isTied = flag("tie_word_embeddings");
  result.hasAttentionBias = flag("attention_bias");
  result.hasFeedForwardBias = flag("mlp_bias");
  if (find(config, "quantization_config"))
    fail("'quantization_config': quantised weights are not supported");
  if (!failure)
    return failure;
  return result;
}

Expected<ModelConfig> turnip::import::parseConfig(std::string_view text) {
  Expected<json::Value> config = json::parse(text);
  if (!config)
    return config.status();
  return Reader(*config).run();
}
