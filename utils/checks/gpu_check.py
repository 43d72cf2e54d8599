#!/usr/bin/env python3
"""Packs the archive for machines with a GPU, unpacks it somewhere else and runs
its gpu-check.sh in an environment that has a compiler, cmake and ninja only: no
LLVM, no CUDA toolkit, nothing of the user's settings.

The device is the stand-in. The model of the benchmark is tiny, the runtime is
built without optimisation: what is tested is the procedure. Then what a broken
result and a missing device do. Prints a line for each check.
"""

import argparse
import json
import pathlib
import shutil
import subprocess
import sys
import time

from limited import TIMED_OUT, run_limited

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIMIT_S = 600
ENVIRONMENT = {"PATH": "/usr/bin:/bin", "HOME": "/nonexistent"}
# Answers as torch_offload.py does, without torch.
PLAYED_TORCH = """#!/usr/bin/python3
import json, sys
if sys.argv[1] == "-c":
    sys.exit(0)
for line in sys.stdin:
    words = line.split()
    if words[0] == "describe":
        answer = {"torch": "played", "variants": ["resident", "offload", "prefetch"]}
    elif words[1] == "resident":
        answer = {"variant": "resident", "error": 'out of "memory" ' + chr(92)}
    else:
        seconds = [3.0, 1.0, 2.0] if words[1] == "offload" else [1.5, 1.25, 1.75]
        answer = {"variant": words[1], "seconds": seconds, "difference": 0.0}
    print(json.dumps(answer), flush=True)
"""


class Check:
    def __init__(self, arguments):
        self.arguments = arguments
        self.work = arguments.work.resolve()
        self.unpacked = self.work / "turnip-gpu-check"
        self.rows = []

    def record(self, name, passed, detail=""):
        self.rows.append({"name": name, "passed": bool(passed)})
        print(f"{'ok    ' if passed else 'FAILED'} {name}" + (f": {detail}" if detail and not passed else ""), flush=True)

    def package(self):
        shutil.rmtree(self.work, ignore_errors=True)
        self.work.mkdir(parents=True)
        archive = self.work / "archive.tar.gz"
        subprocess.run(
            [ROOT / "utils/package-gpu-check.sh", "--benchmark=tiny", f"--target={self.arguments.target}", "-o", archive,
             f"--build={self.arguments.build}"], check=True)
        subprocess.run(["tar", "-xzf", archive, "-C", self.work], check=True)

    def call(self, *flags, **environment):
        """Runs the script and returns its exit code and what it printed."""
        log = self.work / "log.txt"
        with open(log, "w") as output:
            code = run_limited(
                ["./gpu-check.sh", *flags], LIMIT_S, cwd=self.unpacked, env=dict(ENVIRONMENT, **environment),
                stdout=output, stderr=subprocess.STDOUT)
        text = log.read_text()
        print(text, flush=True)
        return ("timed out" if code == TIMED_OUT else code), text

    def results(self):
        return json.loads((self.unpacked / "results/results.json").read_text())

    def whole(self):
        python = self.work / "played-python"
        python.write_text(PLAYED_TORCH)
        python.chmod(0o755)
        code, _ = self.call(
            *self.arguments.device, "--runs=20", "--rounds=1", f"--python={python}",
            "--cmake-flag=-DCMAKE_CXX_FLAGS_RELEASE=-O0", "--cmake-flag=-DCMAKE_CXX_FLAGS=-w")
        self.record("exit code", code == 0, f"expected 0, but got {code}")
        results = self.results()
        for row in results["steps"]:
            self.record(f"step {row['step']}", row["result"] == "passed", row["message"])
        self.record("seven steps", len(results["steps"]) == 7)
        for row in results["cases"]:
            self.record(f"program {row['case']}", row["result"] == "passed", row["message"])
        self.record("six programs", len(results["cases"]) == 6)
        rates = {row["name"]: row["value"] for row in results["rates"]}
        wanted = ("launch", "flops_f32", "flops_f16", "flops_bf16", "copy_to_device", "copy_from_device")
        self.record("rates", all(rates.get(name, 0) > 0 for name in wanted), str(rates))
        rows = results["benchmark"]
        self.record("benchmark", len(rows) == 8 and all(row["seconds"] > 0 and row["over_bound"] > 0 for row in rows), rows)
        torch = [(row["resident"], row["offload"], row["prefetch"]) for row in rows]
        ahead = all(abs(row["ahead"] * row["seconds"] / 1.5 - 1) < 1e-3 for row in rows)
        self.record("times beside it", torch == [(None, 2, 1.5)] * 8 and ahead, rows)
        notes = {row["note"] for row in results["runs"] if row["who"] == "resident"}
        self.record("what could not be run beside it", notes == {'out of "memory" \\'}, notes)
        markdown = (self.unpacked / "results/results.md").read_text()
        self.record("table", all(f"| {row['tokens']} | {row['cap']} |" in markdown for row in rows))

    def broken(self):
        """A wrong value is found, under every cap, and said."""
        expected = self.unpacked / "cases/expected/kernels"
        (expected / "silu.npy").write_bytes((expected / "softmax.npy").read_bytes())
        code, _ = self.call(*self.arguments.device, "--runs=1", "--only=cases,rates")
        results = self.results()
        steps = {row["step"]: row["result"] for row in results["steps"]}
        self.record("exit code with a wrong value", code == 1, f"expected 1, but got {code}")
        self.record("only cases failed", [name for name in steps if steps[name] != "passed"] == ["cases"], steps)
        row = next(row for row in results["cases"] if row["case"] == "kernels")
        self.record("the value is named", row["result"] == "failed" and "silu" in row["message"], row["message"])

    def resume(self):
        """Only what failed runs again; nothing of it has time."""
        code, text = self.call(*self.arguments.device, "--resume", "--runs=20000", "--seconds=3")
        self.record("passed steps are left out", "build passed before" in text and "rates passed before" in text)
        self.record("a step that takes too long is ended", code == 1 and "ended after" in text, code)

    def interrupt(self):
        """Ends it in the middle of a step."""
        process = subprocess.Popen(
            ["./gpu-check.sh", *self.arguments.device, "--runs=20000", "--only=cases"], cwd=self.unpacked, env=ENVIRONMENT,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(1)
        process.terminate()
        try:
            code = process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            process.kill()
            code = "none"
        self.record("exit code when it is interrupted", code == 130, f"expected 130, but got {code}")
        steps = {row["step"]: row["result"] for row in self.results()["steps"]}
        self.record("it is reported", steps.get("interrupted") == "failed", steps)

    def no_device(self):
        code, text = self.call("--device=cuda:0", "--only=device,cases", TURNIP_CUDA_LIBRARY="/nonexistent/libcuda.so")
        self.record("exit code without a device", code == 4, f"expected 4, but got {code}")
        self.record("why there is none", "cases        skipped" in text, text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--work", default=ROOT / "build/gpu-check", type=pathlib.Path)
    parser.add_argument("--target", default="x86-64-v3,cuda:sm_90,cuda:stand-in")
    parser.add_argument("--device", default=["--stand-in"], type=lambda text: [text], help="the flag that names the device")
    parser.add_argument("--report", help="write the results as JSON")
    arguments = parser.parse_args()
    check = Check(arguments)
    try:
        check.package()
        check.whole()
        check.broken()
        check.resume()
        check.interrupt()
        check.no_device()
    except (subprocess.CalledProcessError, OSError, ValueError, KeyError, StopIteration) as error:
        check.record("the check itself", False, f"{type(error).__name__}: {error}")
    if arguments.report:
        pathlib.Path(arguments.report).write_text(json.dumps(check.rows))
    failed = sum(not row["passed"] for row in check.rows)
    print(f"{len(check.rows)} checks, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
