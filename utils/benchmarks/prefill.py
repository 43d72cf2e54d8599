#!/usr/bin/env python3
"""How long a prefill without a cap takes, beside PyTorch on the same weights.

Runs SmolLM2-135M-Instruct on `host` with all parameters on the device, and the
same model in plain torch operations (torch_prefill.py) with as many threads.
Rounds are interleaved: each runs either side several times and takes the median;
the figures are medians of rounds. Logits are compared first.

OpenBLAS chooses its kernels by the processor; `automatic` lets it, and a name such
as Haswell (AVX2, what x86-64-v3 has) restricts it. The environment's own
OPENBLAS_CORETYPE is ignored.

Torch runs in its own interpreter, Debian's by default, which needs the package
`gguf`; nothing else of Turnip needs torch:

    apt-get install python3-torch libopenblas0-pthread
    python3 -m pip install --no-deps --target build/.cache/gguf gguf tqdm
    PYTHONPATH=build/.cache/gguf utils/benchmarks/prefill.py
"""

import json
import os
import pathlib
import subprocess

import toolchain
from toolchain import median, milliseconds


class Torch:
    """A torch_prefill.py process that waits for commands."""

    def __init__(self, python, model, threads, length, core):
        # Threads of torch and of OpenBLAS that spin while they wait take processors from each other.
        environment = dict(
            os.environ, OPENBLAS_NUM_THREADS=str(threads), OMP_NUM_THREADS=str(threads), OMP_WAIT_POLICY="passive")
        environment.pop("OPENBLAS_CORETYPE", None)
        if core != "automatic":
            environment["OPENBLAS_CORETYPE"] = core
        script = pathlib.Path(__file__).resolve().parent / "torch_prefill.py"
        self.process = subprocess.Popen(
            [python, script, model, str(threads), json.dumps(toolchain.prompt(length))], env=environment, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def ask(self, command):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            toolchain.fail("torch_prefill.py ended; see above")
        return json.loads(answer)

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class Turnip:
    """An artifact for one kind of processor."""

    def __init__(self, tools, arguments, model, cpu):
        self.tools = tools
        self.repeat = arguments.repeat
        source = tools.import_model(model, arguments.length)
        tasks = tools.compile_tasks(source, f"prefill-{cpu}-tasks", arguments.tile_budget, cpu)
        self.artifact = tools.place(tasks, f"prefill-{cpu}")
        self.flags = [
            f"--parameters={model}", toolchain.tokens_input(arguments.length), f"--lanes={arguments.threads}"]

    def logits(self, path):
        self.tools.run(self.artifact, *self.flags, f"--output=logits=@{path}")

    def time(self):
        """The median of several runs, without the first."""
        report = self.tools.run(self.artifact, *self.flags, f"--repeat={self.repeat + 1}")
        return median(report["times_seconds"][1:])

    def kernels(self):
        """Time and arithmetic per kernel in one run: [name, calls, seconds, flops]."""
        trace = self.tools.scratch / "prefill-trace.json"
        self.tools.run(self.artifact, *self.flags, "--repeat=3", f"--trace={trace}")
        table = {}
        for event in json.loads(trace.read_text())["traceEvents"]:
            if event["ph"] == "X":
                row = table.setdefault(event["name"], [event["name"], 0, 0.0, 0.0])
                row[1] += 1
                row[2] += event["dur"] * 1e-6
                row[3] += event["args"].get("flops", 0)
        return sorted(table.values(), key=lambda row: -row[2])


def print_kernels(turnip, cpu):
    print(f"\nkernels, {cpu} (operations overlap where a device has several in flight)")
    rows = [
        [name, calls, milliseconds(seconds), f"{flops / seconds / 1e9:.1f}"]
        for name, calls, seconds, flops in turnip.kernels() if seconds > 1e-4]
    toolchain.print_table(["operation", "calls", "ms", "GF/s"], rows)


def main():
    parser = toolchain.model_parser(__doc__, 5, "runs per round", length=128)
    parser.add_argument("--threads", default=2, type=int)
    parser.add_argument("--cpus", default="x86-64-v3,x86-64-v4", help="what kernels are compiled for")
    parser.add_argument("--cores", default="automatic,Haswell", help="OpenBLAS kernels")
    parser.add_argument("--python", default="/usr/bin/python3", help="an interpreter that has torch")
    parser.add_argument("--kernels", action="store_true", help="print a table of kernels as well")
    arguments = parser.parse_args()
    model = toolchain.model(arguments.model)
    tools = toolchain.Toolchain(arguments.build)
    ours = {cpu: Turnip(tools, arguments, model, cpu) for cpu in arguments.cpus.split(",")}
    theirs = {
        core: Torch(arguments.python, model, arguments.threads, arguments.length, core)
        for core in arguments.cores.split(",")}
    for core, torch in theirs.items():
        about = torch.ask("describe")
        if core == next(iter(theirs)):
            print(f"torch {about['torch']}: {about['config']}")
        print(f"{core}: {about['blas']}; core {about['core']}, {about['blas_threads']} threads; "
              f"torch {about['threads']} threads")
    logits = tools.scratch / "prefill-logits.npy"
    for cpu, turnip in ours.items():
        turnip.logits(logits)
        match = next(iter(theirs.values())).ask(f"compare {logits}")
        print(f"{cpu}: largest difference of logits {match['difference']:.2e} of the largest, "
              f"same argmax at {match['argmax']:.0%} of the positions")
    times = {key: [] for key in (*ours, *theirs)}
    for _ in range(arguments.rounds):
        for cpu, turnip in ours.items():
            times[cpu].append(turnip.time())
        for core, torch in theirs.items():
            times[core].append(median(torch.ask(f"run {arguments.repeat + 1}")[1:]))
    rows = [
        [cpu, milliseconds(median(times[cpu])), core, milliseconds(median(times[core])),
         f"{median(times[cpu]) / median(times[core]):.3f}", f"{min(times[cpu]) / min(times[core]):.3f}"]
        for cpu in ours for core in theirs]
    toolchain.print_table(
        ["Turnip for", "ms", "OpenBLAS kernels", "ms", "Turnip / PyTorch", "of best rounds"], rows)
    for torch in theirs.values():
        torch.close()
    if arguments.kernels:
        for cpu, turnip in ours.items():
            print_kernels(turnip, cpu)


if __name__ == "__main__":
    main()
