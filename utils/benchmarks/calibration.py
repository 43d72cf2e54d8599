#!/usr/bin/env python3
"""How well the simulator predicts runs on `host` after a calibration.

Calibrates this machine with a prefill of SmolLM2-135M-Instruct at one cap and
without an emulated link (`turnip-run --calibrate`), then runs the same model at
several caps over emulated links of several speeds, on `host` and on the simulated
machine. Rounds on `host` are interleaved; `measured` is the median of all rounds,
each the median of a process's runs but the first. `simulated` is one run on `sim`.

    utils/benchmarks/calibration.py --caps=12MiB,24MiB,64MiB,160MiB --gbps=2,3.5,8
"""

import sys

import toolchain
from toolchain import median, milliseconds


class Calibration:
    def __init__(self, arguments):
        self.arguments = arguments
        self.tools = toolchain.Toolchain(arguments.build)
        tasks, inputs = self.tools.model_tasks(arguments, "calibration-tasks")
        self.artifacts = {
            cap: self.tools.place(tasks, f"calibration-{cap}", device_memory=cap)
            for cap in arguments.caps.split(",")}
        self.lanes = f"--lanes={arguments.lanes}"
        self.host = [*inputs, self.lanes]
        self.machine = self.tools.scratch / "calibration-machine.json"

    def calibrate(self):
        """Uses the cap in the middle."""
        caps = list(self.artifacts)
        artifact = self.artifacts[caps[len(caps) // 2]]
        self.tools.call("turnip-run", artifact, *self.host, f"--calibrate={self.machine}")

    def link(self, gbps):
        return [f"--link-gbps={gbps}", f"--link-latency-us={self.arguments.latency_us}"]

    def measure(self, cap, gbps):
        report = self.tools.run(
            self.artifacts[cap], *self.host, *self.link(gbps), f"--repeat={self.arguments.repeat + 1}")
        return median(report["times_seconds"][1:])

    def simulate(self, cap, gbps):
        report = self.tools.run(self.artifacts[cap], f"--device=sim:{self.machine}", *self.link(gbps))
        return report["run"]["seconds"]


def main():
    parser = toolchain.capped_parser(__doc__, "12MiB,24MiB,64MiB,160MiB", 2, "runs per process that count")
    parser.add_argument("--gbps", default="2,3.5,8", help="speeds of the emulated link in 10^9 bytes per second")
    parser.add_argument("--lanes", default=1, type=int, help="compute threads; copies need a processor, too")
    parser.add_argument("--limit", default=0.15, type=float, help="fail if any ratio is farther than this from 1")
    arguments = parser.parse_args()
    benchmark = Calibration(arguments)
    benchmark.calibrate()
    configurations = [
        (cap, float(gbps)) for cap in arguments.caps.split(",") for gbps in arguments.gbps.split(",")]
    times = {configuration: [] for configuration in configurations}
    for _ in range(arguments.rounds):
        for configuration, values in times.items():
            values.append(benchmark.measure(*configuration))
    rows = []
    worst = 0
    for cap, gbps in configurations:
        measured, simulated = median(times[cap, gbps]), benchmark.simulate(cap, gbps)
        worst = max(worst, abs(simulated / measured - 1))
        rows.append([cap, f"{gbps:g}", milliseconds(measured), milliseconds(simulated), f"{simulated / measured:.3f}"])
    toolchain.print_table(["cap", "GB/s", "measured ms", "simulated ms", "simulated / measured"], rows)
    print(f"largest error: {worst:.1%}")
    if worst > arguments.limit:
        sys.exit(f"calibration.py: an error is larger than {arguments.limit:.0%}")


if __name__ == "__main__":
    main()
