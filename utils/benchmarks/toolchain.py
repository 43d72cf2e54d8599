"""What the benchmarks share: the tools, the model, medians and tables.

Only the standard library is used. Programs are taken from build/release/bin
unless --build names another build directory.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = pathlib.Path(sys.argv[0]).stem


def fail(message):
    sys.exit(f"{PROGRAM}: error: {message}")


def parser(description):
    """An argument parser with the options that all benchmarks have."""
    result = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    result.add_argument("--build", default=ROOT / "build/release", type=pathlib.Path)
    result.add_argument("--rounds", default=5, type=int, help="runs of each kind, interleaved")
    return result


def model_parser(description, repeat, repeat_help, length=64):
    """The same, with the options of benchmarks that run a prefill of a model."""
    result = parser(description)
    result.add_argument("--model", help="a GGUF file; default: utils/fetch-model.sh")
    result.add_argument("--length", default=length, type=int, help="tokens of the prompt")
    result.add_argument("--tile-budget", default="4MiB")
    result.add_argument("--repeat", default=repeat, type=int, help=repeat_help)
    return result


def capped_parser(description, caps, repeat, repeat_help):
    """The same, for runs under several caps over an emulated link."""
    result = model_parser(description, repeat, repeat_help)
    result.add_argument("--caps", default=caps)
    result.add_argument("--latency-us", default=10, type=float)
    return result


def model(path):
    """The model's path; fetches it where none is given."""
    if path:
        return pathlib.Path(path)
    command = [str(ROOT / "utils/fetch-model.sh")]
    return pathlib.Path(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.strip())


def prompt(length):
    """Token ids of a made-up prompt; what they are does not matter for time."""
    return [(37 * i + 11) % 40000 for i in range(length)]


def tokens_input(length):
    return f"--input=tokens={length}xi32=" + ",".join(map(str, prompt(length)))


class Toolchain:
    """Runs the programs of one build directory in a scratch directory."""

    def __init__(self, build):
        self.binaries = pathlib.Path(build) / "bin"
        self.scratch = pathlib.Path(build) / "benchmarks"
        self.scratch.mkdir(exist_ok=True)

    def call(self, program, *arguments):
        command = [str(self.binaries / program), *map(str, arguments)]
        try:
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        except OSError as error:
            fail(f"{error}; is it built?")
        if done.returncode:
            fail(f"{program} failed with {done.returncode}:\n{done.stderr}")
        return done.stdout

    def optimize(self, source, name, *passes):
        """Writes SCRATCH/NAME.mlir: `source` after `passes`."""
        target = self.scratch / f"{name}.mlir"
        self.call("turnip-opt", source, *passes, "-mlir-elide-elementsattrs-if-larger=1000000000", "-o", target)
        return target

    def import_model(self, path, length):
        target = self.scratch / f"model-{length}.mlir"
        self.call("turnip-import", path, f"--sequence-length={length}", "-o", target)
        return target

    def compile_tasks(self, source, name, tile_budget="4MiB", cpu="x86-64-v3"):
        """From ein to a taskgraph with compiled kernels."""
        return self.optimize(
            source, name, "--canonicalize", "--cse", "--ein-fuse",
            f"--partition-ein=tile-budget={tile_budget}", f"--task-compile-kernels=target={cpu}")

    def model_tasks(self, arguments, name):
        """The taskgraph of the prefill that `arguments` of model_parser() ask for,
        and the flags with its parameters and its input."""
        path = model(arguments.model)
        source = self.import_model(path, arguments.length)
        tasks = self.compile_tasks(source, name, arguments.tile_budget)
        return tasks, [f"--parameters={path}", tokens_input(arguments.length)]

    def place(self, tasks, name, **options):
        """From a taskgraph to an artifact; options as place-memory has them, with _ for -."""
        text = " ".join(f"{key.replace('_', '-')}={value}" for key, value in options.items())
        placed = self.optimize(tasks, name, f"--place-memory={text}" if text else "--place-memory")
        target = self.scratch / f"{name}.memgraph"
        self.call("turnip-translate", "--mem-to-memgraph", placed, "-o", target)
        return target

    def run(self, artifact, *flags):
        """Runs an artifact. Returns turnip-run's figures: `times_seconds` of all
        runs, and under `run` those of the last one."""
        report = self.scratch / f"{PROGRAM}-{os.getpid()}.json"
        try:
            self.call("turnip-run", artifact, "--benchmark", f"--json={report}", *flags)
            return json.loads(report.read_text())
        finally:
            report.unlink(missing_ok=True)


def engines(report, kind):
    return [engine for engine in report["run"]["engines"] if engine["kind"] == kind]


def median(values):
    return statistics.median(values)


def print_table(header, rows):
    cells = [header, *[[str(cell) for cell in row] for row in rows]]
    widths = [max(len(row[i]) for row in cells) for i in range(len(header))]
    for row in cells:
        print("  ".join(cell.rjust(width) for cell, width in zip(row, widths)).rstrip())


def milliseconds(seconds):
    return f"{seconds * 1e3:.1f}"
