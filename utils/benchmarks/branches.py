#!/usr/bin/env python3
"""What reacting to events is worth: the planner's fixed order over the dynamic one.

The graph has independent branches. A branch is a chain of steps; each step moves
64 KiB to another device and computes on it there, and each branch takes a way of
its own through the devices. A move takes 1 ms, give or take up to half of it at
random, and which one will be late is known to nobody beforehand. The plan is told
the mean, and to keep the order in which the graph lists its tasks, one step of all
branches after the other: an order that is good for `fixed`, which keeps each engine
to it. `dynamic` starts whatever is ready.

Runs on `sim` (a description of the machine, on a virtual clock) and on `host` (kernels
and copies are real, links are emulated). Each seed makes another graph and other
delays; both policies see the same ones. Figures are medians over the seeds.

    utils/benchmarks/branches.py --seeds=25
"""

import json
import random

import toolchain
from toolchain import median, milliseconds

ELEMENTS = 16384
BYTES = 4 * ELEMENTS
SECONDS = 1e-3


def graph(branches, steps, devices, seed):
    """A task graph, as text."""
    generator = random.Random(seed)
    tile = f"{ELEMENTS}xf32"
    lines = [
        f"task.kernel @step(%x: tensor<{tile}>) -> tensor<{tile}> {{",
        '  %y = ein.einsum "i->i" (%x) {',
        "  ^bb0(%a: f32):",
        "    %half = arith.constant 0.5 : f32",
        "    %b = arith.mulf %a, %half : f32",
        "    ein.yield %b : f32",
        f"  }} : (tensor<{tile}>) -> tensor<{tile}>",
        f"  task.yield %y : tensor<{tile}>",
        "}",
        f"task.graph @main devices {devices} {{",
    ]
    places = [generator.randrange(devices) for _ in range(branches)]
    for b, place in enumerate(places):
        lines.append(
            f'  %v{b}_0 = task.input "x{b}" [{ELEMENTS}] offsets [0] sizes [{ELEMENTS}] '
            f": !task.tile<{tile}, dev {place}>")
    for step in range(1, steps + 1):
        for b, place in enumerate(places):
            places[b] = (place + generator.randrange(1, devices)) % devices
            before, after = (f"!task.tile<{tile}, dev {p}>" for p in (place, places[b]))
            lines.append(f"  %m{b}_{step} = task.transfer %v{b}_{step - 1} : {before} to {after}")
            lines.append(
                f"  %v{b}_{step} = task.call @step(%m{b}_{step}) on dev {places[b]} : ({after}) -> {after}")
    for b, place in enumerate(places):
        lines.append(
            f'  task.result %v{b}_{steps} "y{b}" [{ELEMENTS}] offsets [0] sizes [{ELEMENTS}] '
            f": !task.tile<{tile}, dev {place}>")
    return "\n".join([*lines, "}", ""])


class Branches:
    def __init__(self, arguments):
        self.arguments = arguments
        self.tools = toolchain.Toolchain(arguments.build)
        self.inputs = [f"--input=x{b}={ELEMENTS}xf32=1" for b in range(arguments.branches)]

    def artifact(self, seed):
        source = self.tools.scratch / "branches.mlir"
        source.write_text(graph(self.arguments.branches, self.arguments.steps, self.arguments.devices, seed))
        tasks = self.tools.optimize(source, "branches-tasks", "--task-compile-kernels")
        return self.tools.place(
            tasks, "branches", device_memory="64MiB", order="given", link_bandwidth=BYTES / SECONDS, link_latency=0)

    def flags(self, device, seed):
        if device == "host":
            return [
                "--lanes=1", f"--link-gbps={BYTES / SECONDS / 1e9}", f"--link-jitter={self.arguments.jitter}",
                f"--seed={seed}"]
        machine = {
            "devices": {"default": {"flops": 1e10, "memory_bandwidth": 1e10, "lanes": 1}},
            "links": {"default": {"bandwidth": BYTES / SECONDS, "latency": 0}},
            "jitter": self.arguments.jitter, "seed": seed,
        }
        description = self.tools.scratch / "branches-machine.json"
        description.write_text(json.dumps(machine))
        return [f"--device=sim:{description}"]

    def compare(self, artifact, device, seed):
        """The times of `fixed` and `dynamic`: of several runs each, interleaved, where time is real."""
        times = {"fixed": [], "dynamic": []}
        for _ in range(self.arguments.rounds if device == "host" else 1):
            for policy, values in times.items():
                report = self.tools.run(
                    artifact, *self.inputs, *self.flags(device, seed), f"--schedule={policy}", "--repeat=2")
                values.append(report["times_seconds"][-1])
        return median(times["fixed"]), median(times["dynamic"])


def main():
    parser = toolchain.parser(__doc__)
    parser.add_argument("--devices", default=3, type=int)
    parser.add_argument("--branches", default=8, type=int)
    parser.add_argument("--steps", default=25, type=int)
    parser.add_argument("--jitter", default=0.5, type=float)
    parser.add_argument("--seeds", default=25, type=int)
    parser.set_defaults(rounds=3)
    arguments = parser.parse_args()
    benchmark = Branches(arguments)
    rows = []
    results = {"sim": [], "host": []}
    for seed in range(arguments.seeds):
        artifact = benchmark.artifact(seed)
        for device, pairs in results.items():
            pairs.append(benchmark.compare(artifact, device, seed))
    for device, pairs in results.items():
        ratios = sorted(fixed / dynamic for fixed, dynamic in pairs)
        rows.append([
            device, milliseconds(median([fixed for fixed, _ in pairs])),
            milliseconds(median([dynamic for _, dynamic in pairs])), f"{median(ratios):.3f}", f"{ratios[0]:.3f}",
            f"{ratios[-1]:.3f}"])
    print(f"{arguments.branches} branches of {arguments.steps} steps, {arguments.devices} devices, "
          f"jitter {arguments.jitter:.0%}, {arguments.seeds} seeds")
    toolchain.print_table(
        ["device", "fixed ms", "dynamic ms", "fixed / dynamic: median", "smallest", "largest"], rows)


if __name__ == "__main__":
    main()
