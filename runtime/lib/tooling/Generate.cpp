//===- Generate.cpp - Continuing a prompt ---------------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Generate.h"

#include "turnip/parameters/GgufFile.h"

#include <charconv>
#include <cmath>
#include <ostream>

using namespace turnip;
using namespace turnip::tooling;
using parameters::Tensor;

static Status usage(const std::string &message) {
  return Status::error(StatusCode::InvalidArgument, message);
}

Expected<Generator> Generator::create(runtime::Session &session,
                                      const RunOptions &options) {
  Generator generator(session, options);
  TURNIP_RETURN_IF_ERROR(generator.findTensors());
  TURNIP_RETURN_IF_ERROR(generator.readPrompt());
  return generator;
}

/// Finds the binding \p name, or else the only one.
static const artifact::Binding *
findBinding(const std::vector<artifact::Binding> &bindings,
            const std::string &name) {
  for (const artifact::Binding &binding : bindings)
    if (binding.name == name)
      return &binding;
  return bindings.size() == 1 ? &bindings.front() : nullptr;
}

Status Generator::findTensors() {
  input = findBinding(session.entry().inputs, "tokens");
  if (!input || input->fileShape.size() != 1 || isFloat(input->type))
    return usage("the program has no input 'tokens' of rank 1 and integer "
                 "type, so it cannot continue a prompt");
  length = input->fileShape[0];
  logits = findBinding(session.entry().results, "logits");
  if (!logits || logits->fileShape.size() != 2 ||
      logits->fileShape[0] != length || !isFloat(logits->type))
    return usage("the program has no result 'logits' with a row of floats for "
                 "each of its " +
                 std::to_string(length) +
                 " tokens, so it cannot continue a prompt");
  vocabulary = logits->fileShape[1];
  return Status::ok();
}

/// Reads ids separated by commas.
static Expected<std::vector<int32_t>> parseIds(const std::string &text,
                                               int64_t vocabulary) {
  std::vector<int32_t> ids;
  const char *next = text.data();
  const char *last = text.data() + text.size();
  while (true) {
    int32_t id = 0;
    auto [end, error] = std::from_chars(next, last, id);
    if (error != std::errc() || (end != last && *end != ','))
      return usage("expected token ids separated by commas, but got '" + text +
                   "'");
    if (id < 0 || id >= vocabulary)
      return usage("token id " + std::to_string(id) +
                   " is not one of the vocabulary's " +
                   std::to_string(vocabulary));
    ids.push_back(id);
    if (end == last)
      return ids;
    next = end + 1;
  }
}

Status Generator::readPrompt() {
  if (!options.tokens.empty()) {
    Expected<std::vector<int32_t>> ids = parseIds(options.tokens, vocabulary);
    if (!ids)
      return ids.status();
    tokens = std::move(*ids);
  } else {
    const std::string &path =
        options.tokenizer.empty() ? options.parameters : options.tokenizer;
    Expected<parameters::GgufFile> file = parameters::GgufFile::open(path);
    if (!file)
      return file.status().withContext("the vocabulary of --prompt comes from "
                                       "the .gguf file of --tokenizer or "
                                       "--parameters");
    Expected<tokenizer::Tokenizer> created =
        tokenizer::Tokenizer::create(*file);
    if (!created)
      return created.status();
    tokenizer.emplace(std::move(*created));
    std::string text = options.prompt;
    if (options.chat) {
      Expected<std::string> formatted = tokenizer->formatChat(text);
      if (!formatted)
        return formatted.status();
      text = *formatted;
    }
    tokens = tokenizer->encode(text);
  }
  if (tokens.empty())
    return usage("the prompt has no tokens");
  if (static_cast<int64_t>(tokens.size()) > length)
    return usage("the prompt has " + std::to_string(tokens.size()) +
                 " tokens, but the program takes at most " +
                 std::to_string(length));
  return Status::ok();
}

/// Runs the program and returns the token with the largest logit at the last
/// token; the first of them if several are equal.
Expected<int32_t> Generator::next() {
  Tensor padded = Tensor::zeros(input->fileShape, input->type);
  std::optional<int32_t> padding;
  if (tokenizer)
    padding = tokenizer->padding();
  for (int64_t i = 0; i < length; ++i)
    padded.setFromInt(i, i < static_cast<int64_t>(tokens.size())
                             ? tokens[static_cast<size_t>(i)]
                             : padding.value_or(0));
  TURNIP_RETURN_IF_ERROR(session.setInput(input->name, padded));
  TURNIP_RETURN_IF_ERROR(session.run());
  Tensor row = Tensor::zeros({vocabulary}, logits->type);
  auto last = static_cast<int64_t>(tokens.size()) - 1;
  TURNIP_RETURN_IF_ERROR(session.readResult(logits->name, last * vocabulary,
                                            vocabulary, row.data.data()));
  int64_t best = 0;
  for (int64_t i = 0; i < vocabulary; ++i) {
    if (std::isnan(row.valueAsDouble(i)))
      return Status::error(StatusCode::BadInput,
                           "the logit of token " + std::to_string(i) +
                               " at position " + std::to_string(last) +
                               " is not a number");
    if (row.valueAsDouble(i) > row.valueAsDouble(best))
      best = i;
  }
  return static_cast<int32_t>(best);
}

Status Generator::run(std::ostream &out, std::ostream &err,
                      std::vector<double> &times) {
  std::optional<tokenizer::StreamDecoder> decoder;
  if (tokenizer) {
    decoder.emplace(*tokenizer);
    if (!options.chat)
      out << options.prompt << std::flush;
  }
  const char *separator = "";
  bool isFull = false;
  for (uint64_t i = 0; i < options.generate; ++i) {
    isFull = static_cast<int64_t>(tokens.size()) > length;
    if (isFull)
      break;
    Expected<int32_t> token = next();
    if (!token)
      return token.status();
    times.push_back(session.summary().seconds);
    if (tokenizer && tokenizer->isEnd(*token))
      break;
    tokens.push_back(*token);
    if (decoder) {
      out << decoder->push(*token);
    } else {
      out << separator << *token;
      separator = ",";
    }
    out << std::flush;
  }
  if (decoder)
    out << decoder->finish();
  out << "\n";
  if (isFull)
    err << "turnip-run: note: generation stopped after " << times.size()
        << " of " << options.generate << " tokens: the program takes at most "
        << length << "\n";
  return Status::ok();
}
