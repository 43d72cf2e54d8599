#!/usr/bin/env python3
"""The forward pass of Llama models in plain numpy: what Turnip is compared with.

Written from the architecture's description, independently of the compiler.
Weights are expanded by the `gguf` package; everything is computed in double
precision unless --precision=f32 is given. With --activations=bf16 or f16, what
turnip-import --activation-type rounds is rounded: matrices of weights, and the result
of each step, once; what is within a step is not.

    pip install numpy gguf
    utils/reference/reference.py logits model.gguf --tokens=1,2,3 -o logits.npy
    utils/reference/reference.py greedy model.gguf --tokens=1,2,3 --generate=16
    utils/reference/reference.py store model.gguf --tokens=1,2,3 -o DIRECTORY/NAME

`greedy` prints the prompt's ids and those of its continuation, and writes them
(i32) where -o is given. `store` writes what tests compare with: NAME-tokens.npy (i32 [L]),
NAME-argmax.npy (i32 [L], the token with the largest logit at each position),
NAME-columns.npy (i32 [C], tokens), NAME-logits.npy (f32 [L, C], the logits of
those tokens) and NAME-largest.npy (f32 [1], the largest magnitude of all logits). The
columns are spread over the vocabulary: with V tokens, column k of C = min(256, V)
is token k * V // C + (37 * k) % max(1, V // C).
"""

import argparse
import sys

import numpy as np
from gguf import GGUFReader, quants


def round_bf16(x):
    """To the nearest bf16, ties to even."""
    bits = x.astype(np.float32).view(np.uint32)
    bits = bits + np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))
    return (bits & np.uint32(0xFFFF0000)).view(np.float32).astype(x.dtype)


ROUNDINGS = {
    "f32": lambda x: x,
    "bf16": round_bf16,
    "f16": lambda x: x.astype(np.float32).astype(np.float16).astype(x.dtype),
}


class Llama:
    """Metadata and expanded weights of a GGUF file."""

    def __init__(self, path, dtype, activations="f32"):
        self.round = ROUNDINGS[activations]
        reader = GGUFReader(path)
        self.dtype = dtype
        self.fields = reader.fields
        self.weights = {}
        for tensor in reader.tensors:
            values = quants.dequantize(tensor.data, tensor.tensor_type)
            shape = [int(n) for n in reversed(tensor.shape)]
            values = values.reshape(shape).astype(dtype)
            self.weights[tensor.name] = self.round(values) if len(shape) > 1 else values
        self.layers = self.value("block_count")
        self.features = self.value("embedding_length")
        self.heads = self.value("attention.head_count")
        self.groups = self.value("attention.head_count_kv", self.heads)
        self.head_size = self.value("attention.key_length", self.features // self.heads)
        self.value_size = self.value("attention.value_length", self.head_size)
        self.epsilon = self.value("attention.layer_norm_rms_epsilon")
        self.rotated = self.value("rope.dimension_count", self.head_size)
        self.rope_base = self.value("rope.freq_base", 10000.0)
        scaling = self.value("rope.scaling.type", "none")
        assert scaling in ("none", "linear"), scaling
        self.rope_divisor = (
            self.value("rope.scaling.factor", 1.0) if scaling == "linear" else 1.0
        )

    def value(self, key, absent=None):
        field = self.fields.get("llama." + key)
        return absent if field is None else field.contents()

    def linear(self, x, name):
        y = self.round(x @ self.weights[name + ".weight"].T)
        bias = self.weights.get(name + ".bias")
        return y if bias is None else self.round(y + bias)

    def norm(self, x, name):
        mean = np.mean(x * x, axis=-1, keepdims=True)
        scale = self.weights[name + ".weight"]
        return self.round(x / np.sqrt(mean + self.epsilon) * scale)

    def rotate(self, x):
        """Turns the pairs (2i, 2i + 1) of x [position, head, feature]."""
        pairs = np.arange(self.rotated // 2)
        frequency = self.rope_base ** (-2.0 * pairs / self.rotated) / self.rope_divisor
        if "rope_freqs.weight" in self.weights:
            frequency = frequency / self.weights["rope_freqs.weight"]
        angle = np.arange(x.shape[0])[:, None, None] * frequency
        cos, sin = np.cos(angle).astype(self.dtype), np.sin(angle).astype(self.dtype)
        y = x.copy()
        even, odd = x[..., 0 : self.rotated : 2], x[..., 1 : self.rotated : 2]
        y[..., 0 : self.rotated : 2] = even * cos - odd * sin
        y[..., 1 : self.rotated : 2] = even * sin + odd * cos
        return self.round(y)

    def attention(self, x, prefix):
        length = x.shape[0]
        q = self.linear(x, prefix + "attn_q").reshape(length, self.heads, -1)
        k = self.linear(x, prefix + "attn_k").reshape(length, self.groups, -1)
        v = self.linear(x, prefix + "attn_v").reshape(length, self.groups, -1)
        q, k = self.rotate(q), self.rotate(k)
        hidden = np.triu(np.ones((length, length), dtype=bool), 1)
        mixed = np.empty((length, self.heads, self.value_size), self.dtype)
        for head in range(self.heads):
            group = head // (self.heads // self.groups)
            scores = q[:, head] @ k[:, group].T / self.head_size**0.5
            scores[hidden] = -np.inf
            weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
            weights /= weights.sum(axis=-1, keepdims=True)
            mixed[:, head] = self.round(self.round(weights) @ v[:, group])
        return self.linear(mixed.reshape(length, -1), prefix + "attn_output")

    def feed_forward(self, x, prefix):
        gate = self.linear(x, prefix + "ffn_gate")
        up = self.linear(x, prefix + "ffn_up")
        gated = self.round(gate / (1 + np.exp(-gate)) * up)
        return self.linear(gated, prefix + "ffn_down")

    def forward(self, tokens):
        """Logits [position, token] of a sequence of token ids."""
        x = self.weights["token_embd.weight"][np.asarray(tokens)]
        for layer in range(self.layers):
            prefix = f"blk.{layer}."
            attended = self.attention(self.norm(x, prefix + "attn_norm"), prefix)
            x = self.round(x + attended)
            transformed = self.feed_forward(self.norm(x, prefix + "ffn_norm"), prefix)
            x = self.round(x + transformed)
        x = self.norm(x, "output_norm")
        head = "output" if "output.weight" in self.weights else "token_embd"
        return x @ self.weights[head + ".weight"].T


def columns(vocabulary):
    count = min(256, vocabulary)
    step = vocabulary // count
    return [k * vocabulary // count + 37 * k % max(1, step) for k in range(count)]


def greedy(model, tokens, count):
    tokens = list(tokens)
    for _ in range(count):
        tokens.append(int(model.forward(tokens)[-1].argmax()))
    return tokens


def store(model, tokens, output):
    logits = model.forward(tokens)
    chosen = columns(logits.shape[1])
    np.save(output + "-tokens.npy", np.asarray(tokens, np.int32))
    np.save(output + "-argmax.npy", logits.argmax(axis=1).astype(np.int32))
    np.save(output + "-columns.npy", np.asarray(chosen, np.int32))
    stored = np.ascontiguousarray(logits[:, chosen], np.float32)
    np.save(output + "-logits.npy", stored)
    largest = np.abs(logits).max()
    np.save(output + "-largest.npy", np.asarray([largest], np.float32))
    ordered = np.sort(logits, axis=1)
    margin = (ordered[:, -1] - ordered[:, -2]).min()
    print(f"largest logit {largest:.6g}, smallest lead of an argmax {margin:.3g}")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("command", choices=["logits", "greedy", "store"])
    parser.add_argument("model")
    parser.add_argument("--tokens", required=True, help="1,2,3 or @tokens.npy")
    parser.add_argument("--generate", type=int, default=16)
    parser.add_argument("--precision", choices=["f32", "f64"], default="f64")
    parser.add_argument("--activations", choices=list(ROUNDINGS), default="f32")
    parser.add_argument("-o", "--output")
    args = parser.parse_args()
    if args.tokens.startswith("@"):
        tokens = np.load(args.tokens[1:]).tolist()
    else:
        tokens = [int(token) for token in args.tokens.split(",")]
    dtype = np.float32 if args.precision == "f32" else np.float64
    model = Llama(args.model, dtype, args.activations)
    if args.command == "greedy":
        tokens = greedy(model, tokens, args.generate)
        print(",".join(map(str, tokens)))
        if args.output:
            np.save(args.output, np.asarray(tokens, np.int32))
    elif not args.output:
        sys.exit("reference.py: expected -o OUTPUT")
    elif args.command == "logits":
        np.save(args.output, model.forward(tokens).astype(np.float32))
    else:
        store(model, tokens, args.output)


if __name__ == "__main__":
    main()
