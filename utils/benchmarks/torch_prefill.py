#!/usr/bin/env python3
"""The forward pass of Llama models in plain torch operations: prefill.py's yardstick.

Started by prefill.py, which writes commands to the standard input, one per
line, and reads one line of JSON per command:

    run N             N forward passes: their times in seconds
    compare X.npy     largest difference to these logits, and agreement of argmax
    describe          versions, threads and the linear algebra library

Weights are expanded by the `gguf` package (see utils/reference/reference.py).
"""

import ctypes
import json
import pathlib
import sys
import time

import numpy as np
import torch
from torch.nn.functional import embedding, linear, silu

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "reference"))
from reference import Llama  # noqa: E402


class TorchLlama:
    """A model for prompts of one length; what depends on the length only is made once."""

    def __init__(self, path, length):
        self.model = model = Llama(path, np.float32)
        self.weights = {name: torch.from_numpy(np.ascontiguousarray(w)) for name, w in model.weights.items()}
        pairs = torch.arange(model.rotated // 2, dtype=torch.float64)
        frequency = model.rope_base ** (-2 * pairs / model.rotated) / model.rope_divisor
        angle = torch.arange(length)[:, None, None] * frequency
        self.cos, self.sin = torch.cos(angle).float(), torch.sin(angle).float()
        self.mask = torch.full((length, length), float("-inf")).triu(1)

    def apply(self, x, name):
        return linear(x, self.weights[name + ".weight"], self.weights.get(name + ".bias"))

    def norm(self, x, name):
        scale = torch.rsqrt(x.square().mean(-1, keepdim=True) + self.model.epsilon)
        return x * scale * self.weights[name + ".weight"]

    def rotate(self, x):
        """Turns the pairs (2i, 2i + 1) of x [position, head, feature]; all features are rotated."""
        even, odd = x[..., 0::2], x[..., 1::2]
        return torch.stack((even * self.cos - odd * self.sin, even * self.sin + odd * self.cos), -1).flatten(-2)

    def attention(self, x, prefix):
        model, length = self.model, x.shape[0]
        q = self.rotate(self.apply(x, prefix + "attn_q").view(length, model.heads, -1))
        k = self.rotate(self.apply(x, prefix + "attn_k").view(length, model.groups, -1))
        v = self.apply(x, prefix + "attn_v").view(length, model.groups, -1)
        # [group, head of the group, position, feature]; keys and values are shared by a group's heads.
        q = q.view(length, model.groups, model.heads // model.groups, -1).permute(1, 2, 0, 3)
        k, v = k.permute(1, 2, 0)[:, None], v.permute(1, 0, 2)[:, None]
        scores = (q @ k) * model.head_size**-0.5 + self.mask
        mixed = torch.softmax(scores, -1) @ v
        return self.apply(mixed.permute(2, 0, 1, 3).reshape(length, -1), prefix + "attn_output")

    def feed_forward(self, x, prefix):
        gate = silu(self.apply(x, prefix + "ffn_gate"))
        return self.apply(gate * self.apply(x, prefix + "ffn_up"), prefix + "ffn_down")

    def forward(self, tokens):
        x = embedding(tokens, self.weights["token_embd.weight"])
        for layer in range(self.model.layers):
            prefix = f"blk.{layer}."
            x = x + self.attention(self.norm(x, prefix + "attn_norm"), prefix)
            x = x + self.feed_forward(self.norm(x, prefix + "ffn_norm"), prefix)
        x = self.norm(x, "output_norm")
        return linear(x, self.weights.get("output.weight", self.weights["token_embd.weight"]))


def describe():
    blas = ctypes.CDLL("libopenblas.so.0")
    blas.openblas_get_config.restype = blas.openblas_get_corename.restype = ctypes.c_char_p
    return {
        "torch": torch.__version__,
        "config": torch.__config__.show(),
        "threads": torch.get_num_threads(),
        "blas": blas.openblas_get_config().decode(),
        "core": blas.openblas_get_corename().decode(),
        "blas_threads": blas.openblas_get_num_threads(),
    }


def compare(logits, path):
    theirs = np.load(path)
    ours = logits.numpy()
    return {
        "difference": float(np.abs(ours - theirs).max() / np.abs(ours).max()),
        "argmax": float((ours.argmax(1) == theirs.argmax(1)).mean()),
    }


def main():
    path, threads, tokens = sys.argv[1], int(sys.argv[2]), json.loads(sys.argv[3])
    torch.set_num_threads(threads)
    tokens = torch.tensor(tokens)
    model = TorchLlama(path, len(tokens))
    with torch.inference_mode():
        for line in sys.stdin:
            command, *arguments = line.split()
            if command == "describe":
                answer = describe()
            elif command == "compare":
                answer = compare(model.forward(tokens), arguments[0])
            else:
                answer = []
                for _ in range(int(arguments[0])):
                    begin = time.perf_counter()
                    model.forward(tokens)
                    answer.append(time.perf_counter() - begin)
            print(json.dumps(answer), flush=True)

if __name__ == "__main__":
    main()
