#!/usr/bin/env python3
"""How long models of full size take to compile, without weights, on one core.

Each case is MODEL:TOKENS:TILE_BUDGET:DEVICE_MEMORY[:BATCH]; the model is a
configuration that ships with turnip-import, or a config.json. Prints two
tables: seconds per phase with the peak of memory, and what was made: tasks,
vertices of the memgraph, the working set of the largest task (W), how many times
the device's memory holds it (c), and the bytes brought to the device beside what
no order could avoid (each parameter and input once).

    utils/benchmarks/compile_time.py
    utils/benchmarks/compile_time.py --cases=llama-7b:4096:128MiB:2GiB,llama-7b:4096:128MiB:4GiB

Phases: `import` makes ein IR from the configuration; `ein` simplifies and fuses;
`partition` cuts operations into tasks; `kernels` compiles them, without a cache;
`place` plans memory; `verify` proves the plan as IR; `other` reads, prints and
writes the artifact.
"""

import os
import pathlib
import re
import subprocess
import sys
import time

import toolchain

CASES = [
    "llama-7b:4096:128MiB:2GiB",
    "llama-7b:4096:128MiB:4GiB",
    "llama-7b:4096:128MiB:6GiB",
    "llama-7b:4096:128MiB:8GiB",
    "llama-7b:4096:128MiB:12GiB",
    "llama-13b:4096:256MiB:6GiB",
    "llama-30b:4096:256MiB:12GiB",
    "llama-65b:4096:256MiB:12GiB",
    "llama-65b:32768:1GiB:12GiB",
    "llama-65b:32768:1GiB:24GiB",
    "llama-3-8b:8192:256MiB:12GiB",
    "llama-3-70b:32768:1GiB:24GiB",
]


def run_on_one_core(command, report):
    """Seconds and the peak of memory in MiB of a command on one core, which
    writes to files named `report` with the suffixes .out and .err."""
    core = min(os.sched_getaffinity(0))
    environment = dict(os.environ)
    environment.pop("TURNIP_KERNEL_CACHE", None)
    start = time.monotonic()
    with open(f"{report}.out", "w") as output, open(f"{report}.err", "w") as errors:
        process = subprocess.Popen(
            list(map(str, command)), stdout=output, stderr=errors, env=environment,
            preexec_fn=lambda: os.sched_setaffinity(0, {core}))
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = status
    if status != 0:
        sys.exit(f"{command[0]} failed:\n" + pathlib.Path(f"{report}.err").read_text()[-2000:])
    return time.monotonic() - start, usage.ru_maxrss / 1024


def read_times(text):
    """Seconds of each phase, from one report of times per phase."""
    reports = text.split("... Execution time report ...")[1:]
    totals = [float(re.search(r"([\d.]+) \(100\.0%\)  Total", report)[1]) for report in reports]

    def of(name):
        return sum(float(s) for s in re.findall(r"([\d.]+) \([^)]*\)  " + name + r"\b", text))

    times = {"ein": totals[0], "partition": totals[1], "kernels": of("TaskCompileKernels"),
             "place": of("PlaceMemory"), "verify": of("VerifyMem")}
    return times, sum(totals)


def number(pattern, text):
    return sum(int(found) for found in re.findall(pattern, text))


class Case:
    """One model, imported and compiled."""

    def __init__(self, tools, text):
        parts = text.split(":")
        if len(parts) not in (4, 5):
            toolchain.fail(f"expected MODEL:TOKENS:TILE_BUDGET:DEVICE_MEMORY[:BATCH], but got {text}")
        self.model, self.tokens, self.budget, self.memory = parts[:4]
        self.batch = parts[4] if len(parts) == 5 else "1"
        source = tools.scratch / "compile-time.mlir"
        report = tools.scratch / "compile-time"
        self.import_seconds, _ = run_on_one_core(
            [tools.binaries / "turnip-import", f"--config={self.model}", f"--tokens={self.tokens}",
             f"--batch={self.batch}", "-o", source], report)
        self.seconds, self.peak = run_on_one_core(
            [tools.binaries / "turnip-compile", source, f"--tile-budget={self.budget}",
             f"--device-memory={self.memory}", "--mlir-timing", "--print-statistics",
             "-o", tools.scratch / "compile-time.memgraph"], report)
        self.text = "".join(pathlib.Path(f"{report}.{suffix}").read_text() for suffix in ("out", "err"))
        self.times, known = read_times(self.text)
        self.times["other"] = self.seconds - known

    def time_row(self):
        phases = [f"{seconds:.2f}" for seconds in self.times.values()]
        return [self.model, self.tokens, self.budget, self.memory, f"{self.import_seconds:.2f}", *phases,
                f"{self.import_seconds + self.seconds:.2f}", f"{self.peak:.0f}"]

    def plan_row(self):
        calls = number(r"operations: (\d+) calls", self.text)
        vertices = sum(number(r"operations:.*?(\d+) " + kind, self.text) for kind in ("calls", "copies", "joins"))
        largest = number(r'device "dev0": smallest cap (\d+) bytes', self.text)
        capacity = number(r"memory @dev0: peak .* of (\d+) bytes", self.text)
        brought = number(r"link @(?:params|host) to @dev0: .*?, (\d+) bytes", self.text)
        least = number(r"  parameters: \d+ slices, (\d+) bytes", self.text)
        least -= number(r"  parameters read on the host: \d+ slices, (\d+) bytes", self.text)
        least += number(r"  transfer: \d+ copies, (\d+) bytes", self.text)
        if " on host, " not in self.text:
            least += number(r"  inputs: \d+ slices, (\d+) bytes", self.text)
        order = re.search(r"order: (\S+)", self.text)
        return [self.model, self.tokens, self.budget, self.memory,
                len(set(re.findall(r"kernel @(\S+):", self.text))), calls, vertices,
                f"{largest / 2**20:.0f}", f"{capacity / largest:.1f}", f"{brought / 1e9:.2f}",
                f"{least / 1e9:.2f}", f"{brought / least:.3f}", order[1] if order else "-"]


def main():
    parser = toolchain.parser(__doc__)
    parser.add_argument("--cases", default=",".join(CASES))
    arguments = parser.parse_args()
    tools = toolchain.Toolchain(arguments.build)
    cases = [Case(tools, text) for text in arguments.cases.split(",")]
    toolchain.print_table(
        ["model", "tokens", "budget", "memory", "import", "ein", "partition", "kernels", "place", "verify",
         "other", "total s", "peak MiB"], [case.time_row() for case in cases])
    print()
    toolchain.print_table(
        ["model", "tokens", "budget", "memory", "kernels", "calls", "vertices", "W MiB", "c", "GB brought",
         "GB least", "ratio", "order"], [case.plan_row() for case in cases])


if __name__ == "__main__":
    main()
