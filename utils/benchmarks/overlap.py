#!/usr/bin/env python3
"""How well transfers hide behind compute: a run's time over the longer of the two.

Runs a prefill of SmolLM2-135M-Instruct on one compute lane of `host`. T_c is the
sum of the kernels' times in a run without a cap and without an emulated link (the
parameters stay on the device). Then caps hold, every parameter crosses an
emulated link in every run, and the link's bandwidth is chosen so that T_x is 0.5,
1 and 2 times T_c. T_x is the busiest link's: bytes it carried / bandwidth +
copies * latency. Plans are made twice: told the link's speed (`told`), and
with the planner's defaults (`default`). Rounds are interleaved, each
row is a median of all rounds; T_c is measured in each round as well.

    utils/benchmarks/overlap.py --caps=64MiB,24MiB
"""

import toolchain
from toolchain import engines, median, milliseconds


def kernel_seconds(report):
    return max(engine["operation_seconds"] for engine in engines(report, "compute"))


def transfer_seconds(report, bandwidth, latency):
    return max(engine["bytes"] / bandwidth + engine["operations"] * latency for engine in engines(report, "transfer"))


class Overlap:
    def __init__(self, arguments):
        self.arguments = arguments
        self.latency = arguments.latency_us * 1e-6
        self.tools = toolchain.Toolchain(arguments.build)
        self.tasks, inputs = self.tools.model_tasks(arguments, "overlap-tasks")
        self.flags = [*inputs, "--lanes=1", f"--repeat={arguments.repeat}"]
        self.uncapped = self.tools.place(self.tasks, "overlap-uncapped")

    def measure_compute(self):
        return kernel_seconds(self.tools.run(self.uncapped, *self.flags))

    def configurations(self, compute):
        """Yields (cap, ratio, what the plan knows, bandwidth, artifact)."""
        for cap in self.arguments.caps.split(","):
            plain = self.tools.place(self.tasks, f"overlap-{cap}", device_memory=cap)
            carried = self.tools.run(plain, *self.flags)
            for ratio in map(float, self.arguments.ratios.split(",")):
                # T_x falls with the bandwidth: ratio * T_c = bytes / bandwidth + copies * latency.
                seconds = [
                    (engine["bytes"], ratio * compute - engine["operations"] * self.latency)
                    for engine in engines(carried, "transfer") if engine["bytes"]]
                if min(rest for _, rest in seconds) <= 0:
                    toolchain.fail(f"latencies alone exceed {ratio} * T_c; give a smaller --latency-us")
                bandwidth = max(size / rest for size, rest in seconds)
                told = self.tools.place(
                    self.tasks, f"overlap-{cap}-{ratio}", device_memory=cap, link_bandwidth=f"{bandwidth:.0f}",
                    link_latency=self.latency)
                yield cap, ratio, "told", bandwidth, told
                yield cap, ratio, "default", bandwidth, plain

    def run(self, bandwidth, artifact):
        report = self.tools.run(
            artifact, *self.flags, f"--link-gbps={bandwidth / 1e9}", f"--link-latency-us={self.arguments.latency_us}")
        return report["run"]["seconds"], transfer_seconds(report, bandwidth, self.latency)


def main():
    parser = toolchain.capped_parser(__doc__, "64MiB,24MiB", 3, "runs per process; the last one counts")
    parser.add_argument("--ratios", default="0.5,1,2", help="T_x / T_c")
    arguments = parser.parse_args()
    overlap = Overlap(arguments)
    configurations = list(overlap.configurations(median([overlap.measure_compute() for _ in range(3)])))
    computes, times, transfers = [], [[] for _ in configurations], [[] for _ in configurations]
    for _ in range(arguments.rounds):
        computes.append(overlap.measure_compute())
        for i, (*_, bandwidth, artifact) in enumerate(configurations):
            seconds, transfer = overlap.run(bandwidth, artifact)
            times[i].append(seconds)
            transfers[i].append(transfer)
    compute = median(computes)
    print(f"T_c = {milliseconds(compute)} ms, median of {arguments.rounds} rounds")
    rows = []
    for i, (cap, ratio, plan, bandwidth, _) in enumerate(configurations):
        time, transfer = median(times[i]), median(transfers[i])
        rows.append([
            cap, ratio, plan, f"{bandwidth / 1e9:.3f}", milliseconds(transfer), milliseconds(time),
            f"{time / max(compute, transfer):.3f}"])
    toolchain.print_table(
        ["cap", "asked T_x/T_c", "plan", "GB/s", "T_x ms", "time ms", "time / max(T_c, T_x)"], rows)


if __name__ == "__main__":
    main()
