#!/usr/bin/env python3
"""SmolLM2-135M-Instruct, end to end: what the README promises, on a real model.

Imports the model for 64 tokens, compiles it with one tile budget for several
caps, and checks
 * the logits against those of the reference (test/Integration/Inputs/smollm2-*),
 * equal bits for caps of 1024, 256, 64 and 24 MiB, for `fixed` and `dynamic`, and
   for many random schedules with distinct completion orders,
 * the mode in which every buffer lies between guard pages,
 * the smallest cap: it works, and one alignment unit less is refused,
 * --host-memory, and resident memory against the figures reported,
 * traffic: nothing but results leaves the device, parameters come once,
 * artifact -> mem -> artifact, byte for byte,
 * the greedy continuation of the reference's prompt,
 * kernels for GPUs, on the stand-in for CUDA: logits, and equal bits for two caps,
   three schedules and random delays.

Needs a release build; fetches the model where it is missing. Files go to
build/model-check.
"""

import argparse
import array
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = ROOT / "build/release/bin"
WORK = ROOT / "build/model-check"
STORED = ROOT / "test/Integration/Inputs/smollm2"
MIB = 1 << 20
ALIGNMENT = 64
TILE_BUDGET = "4MiB"
RESULT_BYTES = 64 * 49152 * 4
GENERATED = 16


def call(*command, limit=600, env=None):
    """Runs a program; returns exit code, stdout and stderr."""
    process = subprocess.Popen(
        [str(part) for part in command], cwd=ROOT, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=dict(os.environ, **(env or {})))
    try:
        out, err = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        process.kill()
        out, err = process.communicate()
        err += f"\ntimed out after {limit} s"
    return process.returncode, out, err


class Checks:
    def __init__(self):
        self.rows = []

    def row(self, name, passed, detail=""):
        self.rows.append({"name": name, "passed": bool(passed), "detail": detail})
        print(f"{'ok    ' if passed else 'FAILED'} {name}" + (f": {detail}" if detail else ""), flush=True)
        return passed


def fetch_and_import():
    code, out, err = call("bash", "utils/fetch-model.sh")
    if code:
        sys.exit(f"model.py: cannot fetch the model: {err}")
    model = ROOT / out.strip().splitlines()[-1]
    program = WORK / "model.mlir"
    code, _, err = call(BIN / "turnip-import", model, "--sequence-length=64", "-o", program)
    if code:
        sys.exit(f"model.py: cannot import the model: {err}")
    return model, program


def compile_for(program, cap, *flags):
    """Compiles for a cap in bytes; returns the artifact's path, code and stderr."""
    artifact = WORK / f"model-{cap}{'-other' if flags else ''}.memgraph"
    artifact.unlink(missing_ok=True)
    code, _, err = call(BIN / "turnip-compile", program, f"--device-memory={cap}",
                        f"--tile-budget={TILE_BUDGET}", *flags, "-o", artifact)
    return artifact, code, err


def run(artifact, model, *flags, env=None):
    """Runs an artifact on the stored tokens; returns code, JSON figures, stdout, stderr."""
    figures = WORK / "figures.json"
    figures.unlink(missing_ok=True)
    code, out, err = call(BIN / "turnip-run", artifact, f"--parameters={model}",
                          f"--input=tokens=@{STORED}-tokens.npy", f"--json={figures}", *flags, env=env)
    return code, json.loads(figures.read_text()) if figures.exists() else {}, out, err


def check_logits(checks, artifact, model):
    logits = WORK / "logits.npy"
    code, _, _, err = run(artifact, model, f"--output=logits=@{logits}")
    if not checks.row("64 MiB: runs", code == 0, err.strip()[-300:]):
        return
    code, out, err = call(sys.executable, "utils/reference/compare.py", logits, STORED)
    checks.row("64 MiB: logits against the reference", code == 0, (out + err).strip().replace("\n", "; ")[-300:])


def result_hash(out):
    found = re.search(r"\b([0-9a-f]{16})\b", out)
    return found.group(1) if found else None


def check_bits(checks, artifacts, model, runs):
    hashes = {}
    for cap, artifact in artifacts.items():
        for schedule in ("dynamic", "fixed"):
            code, _, out, err = run(artifact, model, "--hash-results", f"--schedule={schedule}")
            hashes[f"{cap // MIB} MiB {schedule}"] = result_hash(out) if code == 0 else err
    first = next(iter(hashes.values()))
    checks.row("equal bits across caps and schedules", first and all(h == first for h in hashes.values()),
               f"{len(hashes)} runs, hash {first}")
    code, figures, out, err = run(artifacts[64 * MIB], model, "--hash-results", f"--runs={runs}")
    found = re.search(r"(\d+) distinct", out + err)
    orders = int(found.group(1)) if found else 0
    wanted = min(runs, 200) // 2
    checks.row(f"equal bits across {runs} runs", code == 0 and orders >= wanted and result_hash(out) == first,
               (out + err).strip().replace("\n", "; ")[-300:])


def check_smallest_cap(checks, program, model):
    _, code, err = compile_for(program, ALIGNMENT)
    found = re.search(r"smallest cap[a-z ]* (\d+)", err)
    if not checks.row("a cap of 64 bytes is refused", code == 3 and found, err.strip()[-300:]):
        return
    smallest = int(found.group(1))
    artifact, code, err = compile_for(program, smallest)
    checks.row("the smallest cap compiles", code == 0, f"{smallest} bytes {err.strip()[-200:]}")
    code, figures, out, err = run(artifact, model, "--hash-results")
    checks.row("the smallest cap runs", code == 0, err.strip()[-200:])
    _, code, err = compile_for(program, smallest - ALIGNMENT)
    checks.row("one alignment unit less is refused", code == 3 and str(smallest) in err and "task" in err,
               err.strip()[-300:])


def host_bytes(figures):
    """Bytes of host memory that a run used, parameters included, or None."""
    return figures.get("run", {}).get("peak_host_bytes")


def memory_bytes(figures, name):
    for memory in figures.get("run", {}).get("memories", []):
        if memory["name"] == name:
            return memory["bytes"]
    return None


def check_host_memory(checks, program, artifact, model, figures):
    host = host_bytes(figures)
    if not checks.row("host bytes are reported", isinstance(host, int), str(host)):
        return
    enough, code, err = compile_for(program, 64 * MIB, f"--host-memory={host}")
    checks.row("--host-memory of what is reported compiles", code == 0, err.strip()[-200:])
    # Parameters and results are there at the end, whatever the plan.
    least = memory_bytes(figures, "params") + RESULT_BYTES
    _, code, err = compile_for(program, 64 * MIB, f"--host-memory={least - ALIGNMENT}")
    checks.row("--host-memory below parameters and results is refused", code == 3, err.strip()[-300:])


def check_resident(checks, artifact, model, figures):
    """Peak anonymous resident memory against what the run says it needs."""
    script = (
        "import subprocess, sys, threading, time\n"
        "p = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)\n"
        "peak = 0\n"
        "while p.poll() is None:\n"
        "    try:\n"
        "        for line in open(f'/proc/{p.pid}/status'):\n"
        "            if line.startswith('RssAnon:'): peak = max(peak, int(line.split()[1]) * 1024)\n"
        "    except OSError: pass\n"
        "    time.sleep(0.002)\n"
        "print(peak)\n"
        "sys.exit(p.returncode)\n")
    code, out, err = call(sys.executable, "-c", script, BIN / "turnip-run", artifact, f"--parameters={model}",
                          f"--input=tokens=@{STORED}-tokens.npy", "--hash-results", "--repeat=3")
    reported = (host_bytes(figures) or 0) + figures.get("run", {}).get("peak_device_bytes", 0)
    peak = int(out) if out.strip().isdigit() else None
    checks.row("anonymous memory within what is reported + 32 MiB",
               code == 0 and peak and peak <= reported + 32 * MIB,
               f"peak {(peak or 0) / MIB:.1f} MiB, reported {reported / MIB:.1f} MiB {err.strip()[-200:]}")


def check_traffic(checks, figures):
    parameters = memory_bytes(figures, "params")
    loaded = figures.get("run", {}).get("bytes_to_devices")
    stored = figures.get("run", {}).get("bytes_from_devices")
    results = RESULT_BYTES
    ok = None not in (parameters, loaded, stored)
    checks.row("64 MiB: parameters come at most 1.02 times", ok and loaded <= 1.02 * parameters,
               f"{loaded} bytes of {parameters}")
    checks.row("64 MiB: nothing but results leaves the device", ok and stored == results, f"{stored} bytes, results {results}")


def check_round_trip(checks, artifact):
    text, again = WORK / "again.mlir", WORK / "again.memgraph"
    first = call(BIN / "turnip-translate", "--memgraph-to-mem", artifact, "-o", text)
    second = call(BIN / "turnip-translate", "--mem-to-memgraph", text, "-o", again)
    same = not first[0] and not second[0] and artifact.read_bytes() == again.read_bytes()
    checks.row("artifact -> mem -> artifact is byte-identical", same, (first[2] + second[2]).strip()[-200:])


def read_ids(path):
    """The i32 elements of a .npy file with one dimension."""
    data = pathlib.Path(path).read_bytes()
    start = 10 + int.from_bytes(data[8:10], "little")
    ids = array.array("i")
    ids.frombytes(data[start:])
    return list(ids)


def check_greedy(checks, artifact, model):
    """The stored ids are those of a prompt and of its continuation."""
    ids = read_ids(f"{STORED}-greedy.npy")
    prompt = ",".join(map(str, ids[:-GENERATED]))
    code, out, err = call(BIN / "turnip-run", artifact, f"--parameters={model}", f"--tokens={prompt}",
                          f"--generate={GENERATED}")
    printed = [int(word) for word in re.findall(r"\d+", out)]
    checks.row("greedy continuation equals the reference's", code == 0 and printed[-GENERATED:] == ids[-GENERATED:],
               f"{printed[-GENERATED:]} {err.strip()[-200:]}")


def check_stand_in(checks, program, model):
    """Kernels for GPUs, played on processors: another artifact for each cap."""
    library = ROOT / "build/release/lib/libturnip-cuda-stand-in.so"
    logits = WORK / "logits-stand-in.npy"
    hashes = {}
    for seed, (cap, schedule) in enumerate([(64, "dynamic"), (64, "random:1"), (24, "fixed")], 1):
        artifact, code, err = compile_for(program, cap * MIB, "--target=x86-64-v3,cuda:stand-in")
        if not checks.row(f"{cap} MiB: compiles for GPUs", code == 0, err.strip()[-300:]):
            return
        settings = f"delay-us=50,seed={seed},memory={cap}MiB,report=stderr"
        code, _, out, err = run(
            artifact, model, "--device=cuda:0", f"--schedule={schedule}", "--hash-results", f"--output=logits=@{logits}",
            env={"TURNIP_STANDIN": settings, "TURNIP_CUDA_LIBRARY": str(library),
                 "TURNIP_CUBLASLT_LIBRARY": str(library)})
        clean = code == 0 and "nothing is alive at exit" in err and "(0 pageable)" in err
        if not checks.row(f"{cap} MiB: runs on the stand-in, {schedule}", clean, err.strip()[-300:]):
            return
        hashes[settings] = result_hash(out)
    code, out, err = call(sys.executable, "utils/reference/compare.py", logits, STORED)
    checks.row("stand-in: logits against the reference", code == 0, (out + err).strip().replace("\n", "; ")[-300:])
    checks.row("stand-in: equal bits across caps, schedules and delays", len(set(hashes.values())) == 1,
               str(sorted(set(hashes.values()))))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--report", help="write the results as JSON")
    parser.add_argument("--runs", type=int, default=200, help="schedules to run for the comparison of bits")
    arguments = parser.parse_args()
    WORK.mkdir(parents=True, exist_ok=True)
    checks = Checks()
    model, program = fetch_and_import()
    artifacts = {}
    for cap in (1024, 256, 64, 24):
        artifact, code, err = compile_for(program, cap * MIB)
        if checks.row(f"{cap} MiB: compiles", code == 0, err.strip()[-300:]):
            artifacts[cap * MIB] = artifact
    if 64 * MIB in artifacts:
        artifact = artifacts[64 * MIB]
        _, figures, _, _ = run(artifact, model, "--hash-results")
        check_logits(checks, artifact, model)
        check_bits(checks, artifacts, model, arguments.runs)
        code, _, _, err = run(artifact, model, "--hash-results", "--guard")
        checks.row("64 MiB: runs between guard pages", code == 0, err.strip()[-300:])
        check_traffic(checks, figures)
        check_host_memory(checks, program, artifact, model, figures)
        check_resident(checks, artifact, model, figures)
        check_round_trip(checks, artifact)
        check_greedy(checks, artifact, model)
        check_stand_in(checks, program, model)
    check_smallest_cap(checks, program, model)
    if arguments.report:
        pathlib.Path(arguments.report).write_text(json.dumps(checks.rows))
    failed = sum(not row["passed"] for row in checks.rows)
    print(f"{len(checks.rows)} checks, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
