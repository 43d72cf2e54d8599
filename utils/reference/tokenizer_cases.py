#!/usr/bin/env python3
"""Writes the expected values of runtime/test/TokenizerCases.inc.

The `tokenizers` package encodes a set of texts: with the vocabulary of a GGUF
file (SmolLM2), and with a small vocabulary that it trains, under every
pre-tokenizer that the runtime knows.

    pip install gguf tokenizers
    utils/reference/tokenizer_cases.py model.gguf > runtime/test/TokenizerCases.inc
"""

import json
import random
import sys
import unicodedata

from gguf import GGUFReader
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, trainers
from tokenizers.pre_tokenizers import ByteLevel, Digits, Sequence, Split

LLAMA3 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,%s}|"
    r" ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]

TEXTS = [
    "",
    " ",
    "   ",
    "Hello, world!",
    "The turnip is a root vegetable commonly grown in temperate climates.",
    "In 1781 the swede was brought from Sweden; it weighed 12.5 kg (27 lb).",
    "I'm sure they'll say it's what we've got, don't you? YOU'RE I'LL 'S'",
    "'s't're've'm'll'd 'x '",
    "def f(n):\n    if n < 2:\n        return 1\n    return n * f(n - 1)\n",
    "a  b   c    d\te\t\tf \t g",
    "line one\nline two\r\nline three\n\n\nline four   \n   indented \n",
    "trailing spaces   ",
    "trailing newline\n",
    "\n\n  \n x",
    "x\n \n\ny\r\n\r\n z",
    "!!!???...,,, ;;--==++ ->=> #include <a>//b\n!\n\n!",
    "3.14159265358979 1,000,000 0x1F 1e-5 2024-11-30 12:34:56",
    "12345678901234567890 123 45 6",
    "naïve café Ångström Größe œuvre ﬁne",
    "Привет, мир! Как дела в 2024 году?",
    "你好，世界！我有3个苹果。",
    "こんにちは世界 カタカナ ｆｕｌｌ",
    "안녕하세요 세계",
    "مرحبا بالعالم ١٢٣",
    "नमस्ते दुनिया १२३",
    "שלום עולם",
    "Ⅷ ½ ² ٣ 五 ①",
    "emoji 😀👩‍👩‍👧‍👦🇩🇪 ❤️ done",
    "zero\u200bwidth no\u00a0break\u2003em\u3000ideographic\u0085next\u2028line",
    "e\u0301 combining a\u0308\u0323 Z\u0351\u036b\u0343\u036a",
    "tabs\tand\u000bvertical\u000cform\u001cseparator\u0000null\u007fdelete",
    "<|im_start|>user\nHi there<|im_end|>\n<|im_start|>assistant\n",
    "<|im_start<|im_end|>|><|endoftext|><|endoftext|> <|unknown|>",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    "ththththeinineranandand the and a the the",
    "https://example.org/path?q=1&r=two#three user@example.com",
    "CamelCaseWord snake_case_word kebab-case-word SCREAMING",
    "\\frac{a}{b} $x^2$ \"quoted\" `code` ~tilde~ @at %percent &amp;",
]


def random_texts():
    """Characters of every category, in runs and mixed."""
    rng = random.Random(3)
    by_category = {}
    for point in range(0x20000):
        category = unicodedata.category(chr(point))
        if category not in ("Cn", "Co", "Cs"):
            by_category.setdefault(category, []).append(chr(point))
    kinds = sorted(by_category)
    for _ in range(60):
        text = ""
        for _ in range(rng.randint(3, 12)):
            kind = rng.choice(kinds + ["Zs", "Nd", "Lu", "Cc"])
            pool = by_category[kind]
            if kind == "Zs":
                pool = [" "] * 40 + pool
            run = [rng.choice(pool) for _ in range(rng.randint(1, 3))]
            text += "".join(run) + rng.choice(["", "", " ", "a", "7", "\n"])
        yield text


def rules_of(style):
    byte_level = ByteLevel(add_prefix_space=False, use_regex=True)
    if style == "gpt-2":
        return byte_level
    if style == "smollm":
        return Sequence([Digits(individual_digits=True), byte_level])
    pattern = Regex(LLAMA3 % {"llama-bpe": 3, "qwen2": 1}[style])
    return Sequence([
        Split(pattern, behavior="isolated", invert=False),
        ByteLevel(add_prefix_space=False, use_regex=False),
    ])


def tokenizer_of(tokens, merges, special, style):
    vocabulary = {token: i for i, token in enumerate(tokens)}
    pairs = [tuple(merge.split(" ")) for merge in merges]
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=pairs,
                                     ignore_merges=style == "llama-bpe"))
    tokenizer.pre_tokenizer = rules_of(style)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens(
        [AddedToken(token, special=True, normalized=False) for token in special])
    return tokenizer


def train():
    """A vocabulary of about 500 merges over the texts, with all bytes."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = ByteLevel(add_prefix_space=False, use_regex=False)
    trainer = trainers.BpeTrainer(
        vocab_size=256 + 500, show_progress=False, min_frequency=1,
        max_token_length=12,
        initial_alphabet=ByteLevel.alphabet(), special_tokens=[])
    # No merge may spell a control token.
    tokenizer.train_from_iterator([t for t in TEXTS if "<|" not in t], trainer)
    model = json.loads(tokenizer.to_str())["model"]
    vocabulary = sorted(model["vocab"], key=model["vocab"].get)
    return SPECIAL + vocabulary, [" ".join(merge) for merge in model["merges"]]


def literal(text):
    """A C++ string literal of the UTF-8 bytes, in printable ASCII."""
    out = ""
    for byte in text.encode():
        plain = 32 <= byte < 127 and chr(byte) not in '"\\?'
        out += chr(byte) if plain else f"\\{byte:03o}"
    lines = []
    while len(out) > 66:
        cut = 66
        while "\\" in out[cut - 3 : cut]:
            cut -= 1
        lines.append(f'"{out[:cut]}"')
        out = out[cut:]
    return "\n     ".join(lines + [f'"{out}"'])


def write_cases(name, style, tokenizer, texts):
    for text in texts:
        ids = tokenizer.encode(text, add_special_tokens=False).ids
        if name == "small":  # the model's vocabulary lacks some bytes
            assert tokenizer.decode(ids, skip_special_tokens=False) == text, text
        size = len(text.encode())
        rows = [", ".join(map(str, ids[i : i + 12])) for i in range(0, len(ids), 12)]
        print(f'{{"{style}",\n std::string({literal(text)}, {size}),\n'
              f" {{{(',' + chr(10) + '  ').join(rows)}}}}},")


def main():
    print("// Generated by utils/reference/tokenizer_cases.py. Do not edit.")
    texts = TEXTS + list(random_texts())
    tokens, merges = train()
    print("#ifdef SMALL_TOKENS")
    for token in tokens:
        print(literal(token) + ",")
    print("#endif\n#ifdef SMALL_MERGES")
    for merge in merges:
        print(literal(merge) + ",")
    print("#endif\n#ifdef SMALL_CASES")
    for style in ["gpt-2", "smollm", "llama-bpe", "qwen2"]:
        write_cases("small", style, tokenizer_of(tokens, merges, SPECIAL, style), texts)
    print("#endif\n#ifdef MODEL_CASES")
    fields = GGUFReader(sys.argv[1]).fields
    tokens = fields["tokenizer.ggml.tokens"].contents()
    types = fields["tokenizer.ggml.token_type"].contents()
    special = [token for token, kind in zip(tokens, types) if kind == 3]
    merges = fields["tokenizer.ggml.merges"].contents()
    assert fields["tokenizer.ggml.pre"].contents() == "smollm"
    write_cases("model", "smollm", tokenizer_of(tokens, merges, special, "smollm"), texts)
    print("#endif")


if __name__ == "__main__":
    main()
