#!/usr/bin/env python3
"""Runs every test of the project as a list of named steps.

Each step runs commands, logs them under build/test-logs/, and counts what it
ran: GoogleTest programs and lit report their own counts, any other step counts
as one test. The last line printed is `N passed, N failed, N skipped`.
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import time

from limited import TIMED_OUT, run_limited

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / "build"
RELEASE = BUILD / "release"
LOGS = BUILD / "test-logs"
LIT = "/usr/lib/llvm-22/bin/lit"
# A step that takes longer than this many seconds has failed.
LIMIT_S = 1500
LIMITS_S = {"build": 2400, "format": 120, "gaps": 120, "fetch": 600, "install": 300, "documents": 900, "stress": 600}
TAIL_LINES = 100


class Counts:
    """Tests passed, failed and skipped, with the names of the failed ones."""

    def __init__(self, passed=0, failed=0, skipped=0):
        self.passed, self.failed, self.skipped = passed, failed, skipped
        self.failures = []

    def add(self, other):
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped
        self.failures += other.failures

    def fail(self, name):
        self.failed += 1
        self.failures.append(name)


class Log:
    """The log file of one step, and the way its commands are run."""

    def __init__(self, step):
        LOGS.mkdir(parents=True, exist_ok=True)
        self.step = step
        self.limit = LIMITS_S.get(step, LIMIT_S)
        self.deadline = time.monotonic() + self.limit
        self.path = LOGS / f"{step}.log"
        self.file = open(self.path, "w")

    def run(self, command, cwd=ROOT, env=None):
        """Runs a command, appends its output to the log, returns its exit code.

        Ends it when the step's time is over.
        """
        self.write("$ " + " ".join(map(str, command)))
        code = run_limited(
            list(map(str, command)), self.deadline - time.monotonic(), cwd=cwd, env=dict(os.environ, **(env or {})),
            stdout=self.file, stderr=subprocess.STDOUT)
        if code == TIMED_OUT:
            self.write(f"\nended: the step {self.step} may take {self.limit} s")
        return code

    def write(self, text):
        self.file.write(text + "\n")
        self.file.flush()


def single(ok, name):
    counts = Counts(passed=1 if ok else 0)
    if not ok:
        counts.fail(name)
    return counts


def commands(log, *steps, env=None):
    """One test that passes when every command exits with 0."""
    return single(all(log.run(step, env=env) == 0 for step in steps), log.step)


def build_release(log):
    """Builds. To configure and build again must find nothing to do, also where
    LLVM's programs are in front of the compilers' usual names."""
    configure, build = ["cmake", "--preset", "release"], ["cmake", "--build", "--preset", "release"]
    counts = commands(log, configure, build)
    if not counts.failed:
        log.run(configure, env={"PATH": f"/usr/lib/llvm-22/bin:{os.environ['PATH']}"})
        log.write("again")
        again = log.run(build)
        nothing = log.path.read_text().rpartition("again\n")[2]
        counts.add(single(again == 0 and "no work to do" in nothing, "build: twice"))
    return counts


def fetch(log):
    """Fetches the model, so that the tests that want it are not skipped."""
    return commands(log, ["bash", "utils/fetch-model.sh"])


def unit_programs(directory):
    return sorted(p for p in (directory / "bin").glob("*-tests") if os.access(p, os.X_OK))


def run_unit_tests(log, directory, env=None):
    """Runs every GoogleTest program of a build and adds up what they report."""
    counts = Counts()
    programs = unit_programs(directory)
    if not programs:
        counts.fail(f"{log.step}: no unit test program in {directory}/bin")
    for program in programs:
        report = LOGS / f"{log.step}-{program.name}.json"
        report.unlink(missing_ok=True)
        code = log.run([program, f"--gtest_output=json:{report}"], env=env)
        if not report.exists():
            counts.fail(f"{program.name}: no report (exit {code})")
            continue
        failed_before = counts.failed
        for suite in json.loads(report.read_text())["testsuites"]:
            for test in suite["testsuite"]:
                if test.get("failures"):
                    counts.fail(f"{program.name}: {suite['name']}.{test['name']}")
                    for failure in test["failures"]:
                        log.write(failure["failure"])
                elif test.get("result") == "SKIPPED" or test.get("status") == "NOTRUN":
                    counts.skipped += 1
                else:
                    counts.passed += 1
        if code != 0 and counts.failed == failed_before:
            counts.fail(f"{program.name}: exit {code}")
    return counts


def unit(log):
    return run_unit_tests(log, RELEASE)


def lit(log):
    report = LOGS / "lit.json"
    report.unlink(missing_ok=True)
    code = log.run([LIT, "-v", "-j2", "--timeout=900", "-o", report, RELEASE / "test"])
    counts = Counts()
    if not report.exists():
        counts.fail(f"lit: no report (exit {code})")
        return counts
    tests = json.loads(report.read_text())["tests"]
    if not tests:
        counts.fail("lit: no test was found")
    for test in tests:
        if test["code"] in ("PASS", "XFAIL", "FLAKYPASS"):
            counts.passed += 1
        elif test["code"] in ("UNSUPPORTED", "SKIPPED", "EXCLUDED"):
            counts.skipped += 1
        else:
            counts.fail("lit: " + test["name"])
            log.write(f"\n{test['name']}: {test['code']}\n" + test.get("output", "")[-4000:])
    return counts


def runtime_alone(log, name, *options, env=None):
    """Builds runtime/ by itself, without LLVM in sight, and runs its tests."""
    directory = BUILD / name
    configure = ["cmake", "-S", "runtime", "-B", directory, "-G", "Ninja", *options]
    if log.run(configure) or log.run(["cmake", "--build", directory]):
        return single(False, f"{name}: build")
    return run_unit_tests(log, directory, env=env)


def runtime_gcc(log):
    return runtime_alone(log, "runtime-gcc", "-DCMAKE_CXX_COMPILER=g++", "-DCMAKE_BUILD_TYPE=Release")


def sanitized(log, name, sanitizers, env):
    return runtime_alone(
        log, name, "-DCMAKE_C_COMPILER=clang-22", "-DCMAKE_CXX_COMPILER=clang++-22",
        "-DCMAKE_BUILD_TYPE=RelWithDebInfo", f"-DTURNIP_SANITIZE={sanitizers}", env=env)


def runtime_asan(log):
    return sanitized(log, "runtime-asan", "address,undefined",
                     {"UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1"})


def runtime_tsan(log):
    return sanitized(log, "runtime-tsan", "thread", {"TSAN_OPTIONS": "halt_on_error=1"})


def install(log):
    """Installs into a scratch prefix and builds a consumer with find_package(Turnip)."""
    prefix = BUILD / "install"
    consumer = BUILD / "install-consumer"
    return commands(
        log,
        ["rm", "-rf", prefix, consumer],
        ["cmake", "--install", RELEASE, "--prefix", prefix],
        ["cmake", "-S", "test/Install", "-B", consumer, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}"],
        ["cmake", "--build", consumer],
        [consumer / "consumer"])


def sources():
    listed = subprocess.run(
        ["git", "ls-files", "*.cpp", "*.h"], cwd=ROOT, capture_output=True, text=True, check=True)
    return [f for f in listed.stdout.split() if not f.endswith("_generated.h")]


def formatting(log):
    return commands(log, ["clang-format-22", "--dry-run", "-Werror", *sources()])


def tidy(log):
    """clang-tidy over runtime/, two files at a time."""
    files = [f for f in sources() if f.startswith("runtime/") and f.endswith(".cpp")]
    return commands(
        log,
        ["bash", "-c", 'printf "%s\\n" "$@" | xargs -P2 -n4 clang-tidy-22 --quiet -p build/runtime-gcc', "tidy", *files])


def gaps(log):
    return commands(log, [sys.executable, "utils/checks/gaps.py"])


def documents(log):
    report = LOGS / "documents.json"
    report.unlink(missing_ok=True)
    log.run([sys.executable, "utils/checks/documents.py", "--report", report])
    counts = Counts()
    if not report.exists():
        counts.fail("documents: no report")
        return counts
    for row in json.loads(report.read_text()):
        if row["result"] == "passed":
            counts.passed += 1
        elif row["result"] == "skipped":
            counts.skipped += 1
        else:
            counts.fail("documents: " + row["name"])
    return counts


def model(log):
    """SmolLM2 end to end: reference logits, caps, orders, smallest cap, traffic."""
    report = LOGS / "model.json"
    report.unlink(missing_ok=True)
    log.run([sys.executable, "utils/checks/model.py", "--report", report])
    counts = Counts()
    if not report.exists():
        counts.fail("model: no report")
        return counts
    for row in json.loads(report.read_text()):
        counts.add(single(row["passed"], "model: " + row["name"]))
    return counts


def gpu_check(log):
    """The archive for machines with a GPU: packed, built and run in a bare environment."""
    report = LOGS / "gpu-check.json"
    report.unlink(missing_ok=True)
    log.run([sys.executable, "utils/checks/gpu_check.py", "--target=x86-64-v3", "--device=--device=host", "--report", report])
    counts = Counts()
    if not report.exists():
        counts.fail("gpu-check: no report")
        return counts
    for row in json.loads(report.read_text()):
        counts.add(single(row["passed"], "gpu-check: " + row["name"]))
    return counts


def stress(log):
    stand_in = RELEASE / "lib/libturnip-cuda-stand-in.so"
    counts = commands(log, ["utils/stress.sh", "--seconds=330", "--cases=300", "--seed=1"])
    counts.add(single(
        log.run(["utils/stress.sh", "--seconds=30", "--cases=100", "--seed=2", f"--stand-in={stand_in}"]) == 0,
        "stress: stand-in"))
    return counts


STEPS = {
    "build": build_release,
    "format": formatting,
    "gaps": gaps,
    "fetch": fetch,
    "lit": lit,
    "unit": unit,
    "install": install,
    "runtime-gcc": runtime_gcc,
    "tidy": tidy,
    "runtime-asan": runtime_asan,
    "runtime-tsan": runtime_tsan,
    "model": model,
    "documents": documents,
    "gpu-check": gpu_check,
    "stress": stress,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", help="comma-separated steps to run")
    parser.add_argument("--list", action="store_true", help="print the steps and stop")
    arguments = parser.parse_args()
    if arguments.list:
        print("\n".join(STEPS))
        return 0
    chosen = arguments.only.split(",") if arguments.only else list(STEPS)
    unknown = [s for s in chosen if s not in STEPS]
    if unknown:
        parser.error(f"unknown step {unknown[0]}; the steps are {', '.join(STEPS)}")

    total, table = Counts(), []
    for name in chosen:
        print(f"== {name}", flush=True)
        start = time.monotonic()
        log = Log(name)
        try:
            counts = STEPS[name](log)
        except Exception as error:  # A broken step is a failed test, not the end of the run.
            log.write(f"\n{type(error).__name__}: {error}")
            counts = single(False, f"{name}: {error}")
        log.file.close()
        seconds = time.monotonic() - start
        table.append((name, seconds, counts))
        total.add(counts)
        if counts.failed:
            tail = log.path.read_text(errors="replace").splitlines()[-TAIL_LINES:]
            print("\n".join(tail))
            for failure in counts.failures:
                print(f"FAILED {failure}")
            print(f"(log: {log.path.relative_to(ROOT)})", flush=True)
        if name == "build" and counts.failed:
            break

    print("\nwhere the time went")
    print(f"{'step':<14} {'seconds':>8} {'passed':>7} {'failed':>7} {'skipped':>8}")
    for name, seconds, counts in table:
        print(f"{name:<14} {seconds:>8.1f} {counts.passed:>7} {counts.failed:>7} {counts.skipped:>8}")
    print(f"{'all':<14} {sum(row[1] for row in table):>8.1f}")
    print(f"{total.passed} passed, {total.failed} failed, {total.skipped} skipped")
    return 1 if total.failed else 0


if __name__ == "__main__":
    sys.exit(main())
