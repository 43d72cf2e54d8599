#!/usr/bin/env python3
"""The forward pass of a Llama in PyTorch, as models are usually written there.

With --type=bfloat16 every operation takes and gives bf16, except that norms and
the softmax are computed in f32 and rounded after that: what the code that people
run does, and how much that differs from other roundings, can be compared.

    pip install torch numpy gguf
    utils/reference/torch_llama.py model.gguf --tokens=1,2,3 --type=bfloat16 -o logits.npy
"""

import argparse

import numpy as np
import torch
from torch.nn import functional

from reference import Llama


def norm(x, weight, epsilon):
    y = x.float()
    y = y * torch.rsqrt(y.pow(2).mean(-1, keepdim=True) + epsilon)
    return weight * y.to(x.dtype)


def rotate(x, cos, sin):
    """Turns the pairs (2i, 2i + 1) of x [position, head, feature]."""
    turned = torch.stack((-x[..., 1::2], x[..., 0::2]), dim=-1).flatten(-2)
    return x * cos + turned * sin


def attention(model, w, x, prefix, cos, sin):
    length = x.shape[0]
    repeat = model.heads // model.groups
    q, k, v = (
        functional.linear(x, w[f"{prefix}attn_{name}.weight"]).view(length, heads, -1)
        for name, heads in [("q", model.heads), ("k", model.groups), ("v", model.groups)]
    )
    q, k = rotate(q, cos, sin), rotate(k, cos, sin)
    k, v = k.repeat_interleave(repeat, 1), v.repeat_interleave(repeat, 1)
    scores = torch.matmul(q.transpose(0, 1), k.permute(1, 2, 0)) / model.head_size**0.5
    hidden = torch.ones(length, length, dtype=torch.bool).triu(1)
    scores = scores.masked_fill(hidden, torch.finfo(x.dtype).min)
    weights = functional.softmax(scores, dim=-1, dtype=torch.float32).to(x.dtype)
    mixed = torch.matmul(weights, v.transpose(0, 1)).transpose(0, 1).reshape(length, -1)
    return functional.linear(mixed, w[prefix + "attn_output.weight"])


def forward(model, tokens, dtype):
    w = {name: torch.tensor(value).to(dtype) for name, value in model.weights.items()}
    pairs = torch.arange(model.rotated // 2, dtype=torch.float32)
    frequency = model.rope_base ** (-2 * pairs / model.rotated)
    angle = torch.arange(len(tokens))[:, None] * frequency
    angle = angle.repeat_interleave(2, -1)[:, None]
    cos, sin = angle.cos().to(dtype), angle.sin().to(dtype)
    x = w["token_embd.weight"][torch.tensor(tokens)]
    for layer in range(model.layers):
        prefix = f"blk.{layer}."
        y = norm(x, w[prefix + "attn_norm.weight"], model.epsilon)
        x = x + attention(model, w, y, prefix, cos, sin)
        y = norm(x, w[prefix + "ffn_norm.weight"], model.epsilon)
        gate = functional.silu(functional.linear(y, w[prefix + "ffn_gate.weight"]))
        up = functional.linear(y, w[prefix + "ffn_up.weight"])
        x = x + functional.linear(gate * up, w[prefix + "ffn_down.weight"])
    x = norm(x, w["output_norm.weight"], model.epsilon)
    head = w.get("output.weight", w["token_embd.weight"])
    return functional.linear(x, head).float()


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("model")
    parser.add_argument("--tokens", required=True, help="1,2,3 or @tokens.npy")
    parser.add_argument("--type", default="bfloat16")
    parser.add_argument("-o", "--output", required=True)
    args = parser.parse_args()
    if args.tokens.startswith("@"):
        tokens = np.load(args.tokens[1:]).tolist()
    else:
        tokens = [int(token) for token in args.tokens.split(",")]
    model = Llama(args.model, np.float32)
    with torch.no_grad():
        logits = forward(model, tokens, getattr(torch, args.type))
    np.save(args.output, logits.numpy())


if __name__ == "__main__":
    main()
