#!/usr/bin/env python3
"""Planning an artifact again as it is loaded: how long it takes, and that no bit changes.

One artifact is compiled once. Then it is run for many caps of the device's memory, from
the smallest upwards: planned again for each, the first time anew and the second time
from the cache, with the results compared by hash. Below the smallest cap it must be
refused. The program fails where any of that does not hold.

    utils/benchmarks/replan.py                          SmolLM2, 64 tokens
    utils/benchmarks/replan.py --artifact=x.memgraph --caps=10 -- --input=...
"""

import re
import subprocess
import tempfile

import toolchain

MIB = 1 << 20


def options():
    parser = toolchain.parser(__doc__)
    parser.add_argument("--model", help="a .gguf file; default: SmolLM2, which is fetched")
    parser.add_argument("--sequence-length", type=int, default=64)
    parser.add_argument("--artifact", help="run this one instead, with the flags after --")
    parser.add_argument("--caps", type=int, default=8, help="how many caps")
    parser.add_argument("flags", nargs="*", help="of turnip-run, such as --parameters=")
    return parser.parse_args()


def prepare(tools, arguments):
    """The artifact and the flags that it runs with."""
    if arguments.artifact:
        return arguments.artifact, arguments.flags
    model = toolchain.model(arguments.model)
    length = arguments.sequence_length
    source = tools.import_model(model, length)
    artifact = tools.scratch / f"replan-{length}.memgraph"
    tools.call("turnip-compile", source, "--tile-budget=4MiB", "--device-memory=64MiB", "-o", artifact)
    return artifact, [f"--parameters={model}", toolchain.tokens_input(length)]


def smallest_cap(tools, artifact):
    """The bytes that the largest task needs."""
    done = subprocess.run(
        [str(tools.binaries / "turnip-run"), str(artifact), "--device=null", "--device-memory=64", "--no-plan-cache"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    found = re.search(r"the smallest capacity for these tasks is (\d+) bytes", done.stderr)
    if done.returncode != 3 or not found:
        toolchain.fail(f"64 bytes of device memory are not refused: {done.stderr}")
    return int(found.group(1))


def largest_cap(tools, artifact):
    """A capacity that holds every tile at once."""
    report = tools.run(artifact, "--device=sim:h200", "--device-memory=auto", "--no-plan-cache")
    return report["replan"]["device_memory"]


def results(report):
    return [(result["name"], result["hash"]) for result in report["results"]]


def must_be_refused(tools, artifact, cap):
    done = subprocess.run(
        [str(tools.binaries / "turnip-run"), str(artifact), "--device=null", f"--device-memory={cap}"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 3 or "smallest capacity" not in done.stderr:
        toolchain.fail(f"{cap} bytes of device memory are not refused: {done.stderr}")


def main():
    arguments = options()
    tools = toolchain.Toolchain(arguments.build)
    artifact, flags = prepare(tools, arguments)
    smallest = smallest_cap(tools, artifact)
    must_be_refused(tools, artifact, smallest - 1)
    ratio = max(largest_cap(tools, artifact) / smallest, 1) ** (1 / max(arguments.caps - 1, 1))
    caps = sorted({int(smallest * ratio**i) for i in range(arguments.caps)})
    expected = results(tools.run(artifact, *flags))
    rows, worst, differing = [], 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for cap in caps:
            again = [f"--device-memory={cap}", f"--plan-cache={folder}", *flags]
            first, second = tools.run(artifact, *again), tools.run(artifact, *again)
            if first["replan"]["cached"] or not second["replan"]["cached"]:
                toolchain.fail(f"cap {cap}: the second plan, and no other, should come from the cache")
            equal = results(first) == expected and results(second) == expected
            differing += not equal
            worst = max(worst, first["replan"]["seconds"])
            rows.append([
                f"{cap / MIB:.3f}",
                toolchain.milliseconds(first["replan"]["seconds"]),
                toolchain.milliseconds(second["replan"]["seconds"]),
                first["run"]["bytes_to_devices"] // 1024,
                first["run"]["peak_device_bytes"],
                "yes" if equal else "NO",
            ])
    toolchain.print_table(
        ["cap MiB", "plan ms", "cached ms", "KiB to device", "peak bytes", "bits equal"], rows)
    print(f"{len(caps)} caps from the smallest, {smallest} bytes; {differing} with other bits; "
          f"slowest plan {toolchain.milliseconds(worst)} ms; {smallest - 1} bytes are refused")
    if differing:
        toolchain.fail("results differ")
    if worst >= 1:
        toolchain.fail("a plan took a second or more")


if __name__ == "__main__":
    main()
