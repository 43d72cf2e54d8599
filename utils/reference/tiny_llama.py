#!/usr/bin/env python3
"""Writes a small Llama model with random weights as a GGUF file.

What tests import, compile and run in a moment. Needs nothing but Python; the
same options give the same bytes everywhere.

    utils/reference/tiny_llama.py -o tiny.gguf
    utils/reference/tiny_llama.py --heads=6 --kv-heads=3 --untied --bias -o odd.gguf

The weights of a linear layer have a deviation of about 1 / sqrt(inputs), so
that activations stay in the range of a trained model's. The vocabulary has the
256 bytes, a few merges and two control tokens.
"""

import argparse
import math
import struct
import sys

F32, F16, Q4_1, Q8_0 = 0, 1, 3, 8
U32, INT32, FLOAT, BOOL, STRING, ARRAY = 4, 5, 6, 7, 8, 9
MERGES = ["t h", "th e", "i n", "e r", "a n", "an d", "Ġ the", "Ġ and", "Ġ a"]


class Random:
    """splitmix64: the same numbers in every version of Python."""

    def __init__(self, seed):
        self.state = seed

    def bits(self):
        mask = (1 << 64) - 1
        self.state = (self.state + 0x9E3779B97F4A7C15) & mask
        z = self.state
        z = ((z ^ z >> 30) * 0xBF58476D1CE4E5B9) & mask
        z = ((z ^ z >> 27) * 0x94D049BB133111EB) & mask
        return z ^ z >> 31

    def normal(self):
        """The sum of four uniform numbers, with mean 0 and deviation 1."""
        z = self.bits()
        total = sum(z >> 16 * i & 0xFFFF for i in range(4)) - 2 * 65535
        return total / 65536 * 3**0.5


def text(value):
    data = value.encode()
    return struct.pack("<Q", len(data)) + data


def array(kind, items):
    return struct.pack("<IQ", kind, len(items)) + b"".join(items)


def byte_symbols():
    """The printable stand-ins of the 256 bytes in a byte-level vocabulary."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    symbols, extra = [], 0
    for byte in range(256):
        symbols.append(chr(byte if byte in plain else 256 + extra))
        extra += byte not in plain
    return symbols


def vocabulary():
    """Tokens and their types: 1 normal, 3 control."""
    tokens = ["<|endoftext|>", "<|end|>"]
    types = [3, 3]
    for token in byte_symbols() + [merge.replace(" ", "") for merge in MERGES]:
        tokens.append(token)
        types.append(1)
    return tokens, types


def pack_row(random, kind, inputs, scale):
    """Random weights of one row, as stored."""
    if kind == F32:
        return struct.pack(f"<{inputs}f", *(random.normal() * scale for _ in range(inputs)))
    if kind == F16:
        return struct.pack(f"<{inputs}e", *(random.normal() * scale for _ in range(inputs)))
    blocks = []
    for _ in range(inputs // 32):
        if kind == Q8_0:
            quants = bytes(round(random.normal() * 40) & 0xFF for _ in range(32))
            blocks.append(struct.pack("<e", scale / 40) + quants)
        else:
            nibbles = bytes(random.bits() & 0xFF for _ in range(16))
            step = scale * 12**0.5 / 15
            blocks.append(struct.pack("<ee", step, -7.5 * step) + nibbles)
    return b"".join(blocks)


def tensors(args, tokens):
    """Names, shapes (outermost first), formats and scales of all tensors.

    Rows that do not divide into blocks are stored as F16.
    """
    for name, shape, kind, scale in wanted_tensors(args, tokens):
        yield name, shape, F16 if kind in (Q4_1, Q8_0) and shape[-1] % 32 else kind, scale


def wanted_tensors(args, tokens):
    """The tensors with the formats that they have where sizes allow it."""
    dim, hidden, head = args.dim, args.hidden, args.head_size
    queries, keys = args.heads * head, args.kv_heads * head
    yield "token_embd.weight", [len(tokens), dim], Q8_0, 1.0
    for layer in range(args.layers):
        prefix = f"blk.{layer}."
        yield prefix + "attn_norm.weight", [dim], F32, 1.0
        for name, rows, inputs, kind in [
            ("attn_q", queries, dim, Q4_1),
            ("attn_k", keys, dim, Q4_1),
            ("attn_v", keys, dim, F16),
            ("attn_output", dim, queries, Q4_1),
        ]:
            yield prefix + name + ".weight", [rows, inputs], kind, inputs**-0.5
            if args.bias and name != "attn_output":
                yield prefix + name + ".bias", [rows], F32, 0.5
        yield prefix + "ffn_norm.weight", [dim], F32, 1.0
        yield prefix + "ffn_gate.weight", [hidden, dim], Q4_1, dim**-0.5
        yield prefix + "ffn_up.weight", [hidden, dim], Q8_0, dim**-0.5
        yield prefix + "ffn_down.weight", [dim, hidden], Q4_1, hidden**-0.5
    yield "output_norm.weight", [dim], F32, 1.0
    if args.rope_factors:
        yield "rope_freqs.weight", [head // 2], F32, 0.0
    if args.untied:
        yield "output.weight", [len(tokens), dim], F16, dim**-0.5


def llama3_factors(args):
    """What Llama 3 divides the frequency of each pair by: 8 where a turn takes
    more than 64 positions, 1 where it takes fewer than 16, and in between."""
    for pair in range(args.head_size // 2):
        wavelength = 2 * math.pi * args.rope_base ** (2 * pair / args.head_size)
        if wavelength > 64:
            yield 8.0
        elif wavelength < 16:
            yield 1.0
        else:
            smooth = (64 / wavelength - 1) / (4 - 1)
            yield 1 / ((1 - smooth) / 8 + smooth)


def metadata(args, tokens, types):
    def pair(key, kind, payload):
        return text(key) + struct.pack("<I", kind) + payload

    def u32(key, value):
        return pair(key, U32, struct.pack("<I", value))

    def f32(key, value):
        return pair(key, FLOAT, struct.pack("<f", value))

    yield pair("general.architecture", STRING, text(args.architecture))
    yield pair("general.name", STRING, text("tiny random llama"))
    yield u32("llama.block_count", args.layers)
    yield u32("llama.context_length", 512)
    yield u32("llama.embedding_length", args.dim)
    yield u32("llama.feed_forward_length", args.claim_hidden or args.hidden)
    yield u32("llama.attention.head_count", args.heads)
    yield u32("llama.attention.head_count_kv", args.kv_heads)
    yield f32("llama.attention.layer_norm_rms_epsilon", 1e-5)
    if args.head_size * args.heads != args.dim:
        yield u32("llama.attention.key_length", args.head_size)
        yield u32("llama.attention.value_length", args.head_size)
    yield u32("llama.rope.dimension_count", args.rotated or args.head_size)
    yield f32("llama.rope.freq_base", args.rope_base)
    if args.rope_scaling != "none":
        yield pair("llama.rope.scaling.type", STRING, text(args.rope_scaling))
        yield f32("llama.rope.scaling.factor", 2.0)
    if args.experts:
        yield u32("llama.expert_count", args.experts)
    yield pair("tokenizer.ggml.model", STRING, text("gpt2"))
    yield pair("tokenizer.ggml.pre", STRING, text("smollm"))
    yield pair("tokenizer.ggml.tokens", ARRAY, array(STRING, [text(t) for t in tokens]))
    yield pair("tokenizer.ggml.token_type", ARRAY,
               array(INT32, [struct.pack("<i", t) for t in types]))
    yield pair("tokenizer.ggml.merges", ARRAY, array(STRING, [text(m) for m in MERGES]))
    yield u32("tokenizer.ggml.bos_token_id", 0)
    yield u32("tokenizer.ggml.eos_token_id", 1)
    yield pair("tokenizer.ggml.add_bos_token", BOOL, b"\0")


def build(args):
    random = Random(args.seed)
    tokens, types = vocabulary()
    pairs = list(metadata(args, tokens, types))
    table, data, count = b"", b"", 0
    for name, shape, kind, scale in tensors(args, tokens):
        if name.startswith(args.drop or "\0"):
            continue
        inputs = shape[-1]
        norm = len(shape) == 1 and name.endswith("_norm.weight")
        rows = shape[0] if len(shape) == 2 else 1
        packed = []
        for _ in range(rows):
            if name == "rope_freqs.weight" and args.rope_factors == "llama3":
                packed.append(struct.pack(f"<{inputs}f", *llama3_factors(args)))
            elif norm or name == "rope_freqs.weight":
                values = [1 + abs(random.normal()) / 4 for _ in range(inputs)]
                packed.append(struct.pack(f"<{inputs}f", *values))
            else:
                packed.append(pack_row(random, kind, inputs, scale))
        old, new = args.rename.split(":")
        table += text(new if name == old else name) + struct.pack("<I", len(shape))
        table += struct.pack(f"<{len(shape)}Q", *reversed(shape))
        table += struct.pack("<IQ", kind, len(data))
        data += b"".join(packed)
        data += bytes(-len(data) % 32)
        count += 1
    head = b"GGUF" + struct.pack("<IQQ", 3, count, len(pairs)) + b"".join(pairs) + table
    return head + bytes(-len(head) % 32) + data


def parse(argv):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("-o", "--output", required=True)
    parser.add_argument("--layers", type=int, default=2)
    parser.add_argument("--dim", type=int, default=64)
    parser.add_argument("--heads", type=int, default=4)
    parser.add_argument("--kv-heads", type=int, default=2)
    parser.add_argument("--head-size", type=int, help="default: dim / heads")
    parser.add_argument("--hidden", type=int, default=96)
    parser.add_argument("--rotated", type=int, help="rotary dimensions, if not all")
    parser.add_argument("--rope-base", type=float, default=10000)
    parser.add_argument("--rope-scaling", default="none")
    parser.add_argument("--rope-factors", nargs="?", const="random",
                        choices=["random", "llama3"])
    parser.add_argument("--untied", action="store_true")
    parser.add_argument("--bias", action="store_true")
    parser.add_argument("--experts", type=int, default=0)
    # For tests of errors.
    parser.add_argument("--architecture", default="llama")
    parser.add_argument("--claim-hidden", type=int, help="what the metadata says")
    parser.add_argument("--drop", help="leave out tensors whose names begin so")
    parser.add_argument("--rename", default=":", help="OLD:NEW name of a tensor")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args(argv)
    args.head_size = args.head_size or args.dim // args.heads
    return args


def main():
    args = parse(sys.argv[1:])
    with open(args.output, "wb") as file:
        file.write(build(args))


if __name__ == "__main__":
    main()
