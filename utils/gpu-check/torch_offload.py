#!/usr/bin/env python3
"""A Llama-shaped prefill in PyTorch, in the ways that people run models that do
not fit their GPU: the yardstick of gpu-check.sh.

Started once, it makes random weights from a seed in pinned host memory, then
reads commands from the standard input, one a line, and answers each with one
line of JSON:

    describe                          versions, the device, what can be run
    run VARIANT TOKENS CAP REPEAT     seconds of REPEAT forward passes after one
                                      that does not count; CAP is in bytes, or 0

    resident    all weights on the device
    offload     accelerate's cpu_offload: each module's weights are fetched when
                it is called (they lie in pinned memory here, which is faster
                than what cpu_offload usually finds)
    prefetch    two buffers on the device; while one layer computes, a second
                stream fetches the next from pinned memory

CAP limits torch's allocator (set_per_process_memory_fraction). An answer has
`difference`: of the last token's logits from those of the first variant that
ran with as many tokens, as a share of the largest. What cannot be run says why
under `error`.

    echo "run prefetch 2048 0 3" | utils/gpu-check/torch_offload.py
"""

import argparse
import gc
import json
import sys
import time

import torch
from torch import nn
from torch.nn import functional

VARIANTS = ("resident", "offload", "prefetch")
EPSILON = 1e-6


def attend(q, k, v):
    """Causal attention of [head, position, feature]."""
    if hasattr(functional, "scaled_dot_product_attention"):
        return functional.scaled_dot_product_attention(q[None], k[None], v[None], is_causal=True)[0]
    length = q.shape[-2]
    mask = torch.full((length, length), float("-inf"), device=q.device).triu(1)
    scores = (q @ k.transpose(-1, -2)).float() * q.shape[-1] ** -0.5 + mask
    return torch.softmax(scores, -1).to(q.dtype) @ v


class Norm(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(width, device="meta"), requires_grad=False)

    def forward(self, x):
        wide = x.float()
        return (wide * torch.rsqrt(wide.square().mean(-1, keepdim=True) + EPSILON)).to(x.dtype) * self.weight


def linear(inputs, outputs):
    return nn.Linear(inputs, outputs, bias=False, device="meta")


class Block(nn.Module):
    """One layer. Its parameters are views of a flat tensor: see over()."""

    def __init__(self, sizes):
        super().__init__()
        width, hidden = sizes.hidden_size, sizes.intermediate_size
        self.heads = sizes.heads
        self.attention_norm, self.feed_forward_norm = Norm(width), Norm(width)
        self.q, self.k, self.v, self.o = (linear(width, width) for _ in range(4))
        self.gate, self.up, self.down = linear(width, hidden), linear(width, hidden), linear(hidden, width)

    def rotate(self, x, cos, sin):
        x = x.view(x.shape[0], self.heads, -1).transpose(0, 1)
        low, high = x.chunk(2, -1)
        return torch.cat((low * cos - high * sin, high * cos + low * sin), -1)

    def forward(self, x, cos, sin):
        y = self.attention_norm(x)
        v = self.v(y).view(x.shape[0], self.heads, -1).transpose(0, 1)
        mixed = attend(self.rotate(self.q(y), cos, sin), self.rotate(self.k(y), cos, sin), v)
        x = x + self.o(mixed.transpose(0, 1).reshape(x.shape))
        y = self.feed_forward_norm(x)
        return x + self.down(functional.silu(self.gate(y)) * self.up(y))


class Head(nn.Module):
    """The last norm and the logits of all positions."""

    def __init__(self, sizes):
        super().__init__()
        self.norm = Norm(sizes.hidden_size)
        self.output = linear(sizes.hidden_size, sizes.vocabulary)

    def forward(self, x):
        return self.output(self.norm(x))


def number_of_weights(module):
    return sum(parameter.numel() for parameter in module.parameters())


def over(module, flat):
    """Makes the parameters of `module` views of `flat`, in order."""
    at = 0
    for owner in module.modules():
        for name, parameter in list(owner.named_parameters(recurse=False)):
            view = flat[at:at + parameter.numel()].view(parameter.shape)
            setattr(owner, name, nn.Parameter(view, requires_grad=False))
            at += parameter.numel()
    return module


class Whole(nn.Module):
    """A whole model for accelerate, which wants to see modules."""

    def __init__(self, sizes, table, blocks, head):
        super().__init__()
        self.embedding = nn.Embedding(sizes.vocabulary, sizes.hidden_size, device="meta")
        self.embedding.weight = nn.Parameter(table, requires_grad=False)
        self.blocks = nn.ModuleList(blocks)
        self.head = head

    def forward(self, tokens, cos, sin):
        x = self.embedding(tokens)
        for block in self.blocks:
            x = block(x, cos, sin)
        return self.head(x)


class Benchmark:
    def __init__(self, sizes):
        self.sizes = sizes
        self.device = torch.device(sizes.device)
        self.cuda = self.device.type == "cuda"
        self.type = getattr(torch, sizes.type)
        self.registered = []
        self.references = {}
        generator = torch.Generator(self.device).manual_seed(sizes.seed)
        block, head = number_of_weights(Block(sizes)), number_of_weights(Head(sizes))
        self.table = self.random(generator, sizes.vocabulary * sizes.hidden_size).view(sizes.vocabulary, -1)
        # The layers, and the head as the last of them.
        self.host = [self.random(generator, block) for _ in range(sizes.layers)]
        self.host.append(self.random(generator, head))

    def random(self, generator, count):
        """Pinned weights, made on the device, where that is fast."""
        host = torch.empty(count, dtype=self.type)
        if self.cuda:
            code = torch.cuda.cudart().cudaHostRegister(host.data_ptr(), host.numel() * host.element_size(), 0)
            if int(code) != 0:
                sys.exit(f"torch_offload.py: error: cudaHostRegister failed with {int(code)}")
            self.registered.append(host)
        for at in range(0, count, 1 << 26):
            part = host[at:at + (1 << 26)]
            values = torch.empty(part.numel(), device=self.device).normal_(0, 0.02, generator=generator)
            part.copy_(values.to(self.type))
        return host

    def empty_module(self, index):
        return Block(self.sizes) if index < self.sizes.layers else Head(self.sizes)

    def angles(self, tokens):
        half = self.sizes.hidden_size // self.sizes.heads // 2
        frequency = 10000.0 ** (-torch.arange(half, dtype=torch.float64) / half)
        angle = torch.arange(tokens, dtype=torch.float64)[:, None] * frequency
        return angle.cos().to(self.type).to(self.device), angle.sin().to(self.type).to(self.device)

    def resident(self):
        table = self.table.to(self.device)
        modules = [over(self.empty_module(i), flat.to(self.device)) for i, flat in enumerate(self.host)]
        whole = Whole(self.sizes, table, modules[:-1], modules[-1])
        return lambda tokens, cos, sin: whole(tokens.to(self.device), cos, sin)

    def offload(self):
        import accelerate
        modules = [over(self.empty_module(i), flat) for i, flat in enumerate(self.host)]
        whole = Whole(self.sizes, self.table, modules[:-1], modules[-1])
        whole = accelerate.cpu_offload(whole, execution_device=self.device)
        return lambda tokens, cos, sin: whole(tokens.to(self.device), cos, sin)

    def prefetch(self):
        largest = max(flat.numel() for flat in self.host)
        buffers = [torch.empty(largest, dtype=self.type, device=self.device) for _ in range(2)]
        modules = [over(self.empty_module(i), buffers[i % 2]) for i in range(len(self.host))]
        stream = torch.cuda.Stream(self.device) if self.cuda else None

        def fetch(index, free):
            """Starts to copy a layer once its buffer's last user is done; returns the event of its end."""
            if stream is None:
                buffers[index % 2][:self.host[index].numel()].copy_(self.host[index])
                return None
            with torch.cuda.stream(stream):
                if free is not None:
                    stream.wait_event(free)
                buffers[index % 2][:self.host[index].numel()].copy_(self.host[index], non_blocking=True)
                return stream.record_event()

        def forward(tokens, cos, sin):
            compute = torch.cuda.current_stream(self.device) if self.cuda else None
            begin = compute.record_event() if self.cuda else None
            ready = [fetch(0, begin), None]
            free = [None, begin]
            x = self.table[tokens].to(self.device)
            for i, module in enumerate(modules):
                if i + 1 < len(modules):
                    ready[(i + 1) % 2] = fetch(i + 1, free[(i + 1) % 2])
                if self.cuda:
                    compute.wait_event(ready[i % 2])
                x = module(x, cos, sin) if i < self.sizes.layers else module(x)
                if self.cuda:
                    free[i % 2] = compute.record_event()
            return x

        return forward

    def synchronize(self):
        if self.cuda:
            torch.cuda.synchronize(self.device)

    def limit(self, cap):
        if self.cuda:
            total = torch.cuda.get_device_properties(self.device).total_memory
            torch.cuda.set_per_process_memory_fraction(min(cap / total, 1.0) if cap else 1.0, self.device)
            torch.cuda.reset_peak_memory_stats(self.device)

    def release(self):
        """Gives the device's memory back, for whoever runs next."""
        gc.collect()
        if self.cuda:
            torch.cuda.empty_cache()

    def difference(self, tokens, logits):
        last = logits[-1].float().cpu()
        reference = self.references.setdefault(tokens, last)
        return float((last - reference).abs().max() / reference.abs().max())

    def times(self, variant, tokens, repeat):
        forward = getattr(self, variant)()
        cos, sin = self.angles(tokens)
        ids = torch.tensor([(37 * i + 11) % self.sizes.vocabulary for i in range(tokens)])
        difference = self.difference(tokens, forward(ids, cos, sin))
        seconds = []
        for _ in range(repeat):
            self.synchronize()
            begin = time.perf_counter()
            logits = forward(ids, cos, sin)
            self.synchronize()
            seconds.append(time.perf_counter() - begin)
            del logits
        return seconds, difference

    def run(self, variant, tokens, cap, repeat):
        answer = {"variant": variant, "tokens": tokens, "cap": cap}
        try:
            self.limit(cap)
            answer["seconds"], answer["difference"] = self.times(variant, tokens, repeat)
            answer["median"] = sorted(answer["seconds"])[repeat // 2]
            if self.cuda:
                answer["peak"] = torch.cuda.max_memory_reserved(self.device)
        except ImportError as error:
            answer["error"] = str(error)
        except RuntimeError as error:  # Out of memory is one.
            answer["error"] = str(error).splitlines()[0]
        self.release()
        return answer

    def describe(self):
        answer = {"torch": torch.__version__, "device": str(self.device), "variants": list(VARIANTS)}
        try:
            import accelerate
            answer["accelerate"] = accelerate.__version__
        except ImportError:
            answer["variants"].remove("offload")
        if self.cuda:
            answer["device"] = torch.cuda.get_device_name(self.device)
        answer["weights"] = sum(flat.numel() for flat in self.host) + self.table.numel()
        return answer

    def answer(self, line):
        words = line.split()
        if words == ["describe"]:
            return self.describe()
        if len(words) == 5 and words[0] == "run" and words[1] in VARIANTS and all(w.isdigit() for w in words[2:]):
            tokens, cap, repeat = map(int, words[2:])
            if tokens > 0 and repeat > 0:
                return self.run(words[1], tokens, cap, repeat)
        return {"error": f"expected 'describe' or 'run VARIANT TOKENS CAP REPEAT', but got '{line.strip()}'"}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--type", default="bfloat16")
    parser.add_argument("--layers", default=32, type=int)
    parser.add_argument("--hidden-size", default=4096, type=int)
    parser.add_argument("--intermediate-size", default=11008, type=int)
    parser.add_argument("--heads", default=32, type=int)
    parser.add_argument("--vocabulary", default=32000, type=int)
    parser.add_argument("--seed", default=1, type=int)
    arguments = parser.parse_args()
    if arguments.device == "cuda" and not torch.cuda.is_available():
        sys.exit("torch_offload.py: error: this PyTorch sees no GPU")
    benchmark = Benchmark(arguments)
    with torch.inference_mode():
        for line in sys.stdin:
            print(json.dumps(benchmark.answer(line)), flush=True)


if __name__ == "__main__":
    main()
