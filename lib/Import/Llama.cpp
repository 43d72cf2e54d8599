//===- Llama.cpp - The Llama family ---------------------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/Import/ModelBuilder.h"

using namespace mlir;
using namespace turnip;
using namespace turnip::import;

Value turnip::import::buildLlama(ModelBuilder &model, const LlamaShape &shape,
                                 Value tokens) {
  int64_t length = cast<RankedTensorType>(tokens.getType()).getShape().back();

  model.setLocation("token_embd");
  Value table =
      model.parameter("token_embd.weight", {shape.vocabulary, shape.features});
  Value x = model.lookUp(table, tokens);
  Value rotations =
      model.rotations(shape.rotary, length, shape.attention.headSize);
  for (int64_t layer = 0; layer < shape.layers; ++layer) {
    std::string prefix = "blk." + std::to_string(layer) + ".";
    Value normal = model.rmsNorm(x, prefix + "attn_norm", shape.epsilon);
    Value attended =
        model.attention(normal, prefix, shape.attention, rotations);
    model.setLocation(prefix + "attn.residual");
    x = model.add("%ln,%ln->%ln", x, attended);
    normal = model.rmsNorm(x, prefix + "ffn_norm", shape.epsilon);
    Value transformed = model.swiGlu(normal, prefix, shape.hidden);
    model.setLocation(prefix + "ffn.residual");
    x = model.add("%ln,%ln->%ln", x, transformed);
    if (!model.status())
      return {};
  }
  x = model.rmsNorm(x, "output_norm", shape.epsilon);
  if (model.hasTensor("output.weight"))
    return model.linear(x, "output", shape.vocabulary, model.f32());
  model.setLocation("output");
  return model.contract("%lk,nk->%ln", x, table, model.f32());
}
