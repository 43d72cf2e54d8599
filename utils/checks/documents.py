#!/usr/bin/env python3
"""Runs every command of README.md and docs/.

Each fenced block whose language is `sh` is run by bash, in order, from the root
of the repository, with the build's programs on the PATH; a failing command
fails its block. A block that needs the network or root says so on the line
before it, and is listed instead of run:

    <!-- not run: needs root -->

Output goes under build/; a document's blocks see each other's files.
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

from limited import run_limited

ROOT = pathlib.Path(__file__).resolve().parents[2]
BLOCK_LIMIT_S = 600
SLOWEST = 5
BLOCK = re.compile(r"(?:<!-- not run: (?P<reason>[^>]*?) -->\s*\n)?```(?P<lang>\w*)\n(?P<body>.*?)^```", re.S | re.M)


def documents():
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def blocks(path):
    text = path.read_text()
    for match in BLOCK.finditer(text):
        line = text.count("\n", 0, match.start("body")) + 1
        yield line, match["lang"], match["reason"], match["body"]


def run(body):
    """Runs a block and returns its exit code and what it printed."""
    # LLVM's programs come last: in front, they would stand for other compilers than
    # those that the build was configured with, and everything would be built again.
    path = f"{ROOT}/build/release/bin:{os.environ['PATH']}:/usr/lib/llvm-22/bin"
    environment = dict(os.environ, PATH=path)
    with tempfile.TemporaryFile("w+", errors="replace") as output:
        code = run_limited(
            ["bash", "-euo", "pipefail", "-c", body], BLOCK_LIMIT_S, cwd=ROOT, env=environment,
            stdout=output, stderr=subprocess.STDOUT)
        output.seek(0)
        return code, output.read()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--report", help="write the results as JSON")
    parser.add_argument("--document", help="only documents whose path contains this")
    arguments = parser.parse_args()
    rows, not_run = [], []
    for path in documents():
        relative = str(path.relative_to(ROOT))
        if arguments.document and arguments.document not in relative:
            continue
        for line, language, reason, body in blocks(path):
            name = f"{relative}:{line}"
            if language in ("bash", "shell", "console"):
                rows.append({"name": f"{name}: fenced as '{language}', write 'sh'", "result": "failed"})
                continue
            if language != "sh":
                continue
            if reason is not None:
                not_run.append((name, reason))
                rows.append({"name": name, "result": "skipped"})
                continue
            start = time.monotonic()
            code, output = run(body)
            seconds = time.monotonic() - start
            rows.append({"name": name, "result": "passed" if code == 0 else "failed", "seconds": seconds})
            print(f"{'ok    ' if code == 0 else 'FAILED'} {seconds:6.1f} s {name}", flush=True)
            if code != 0:
                print(body.rstrip())
                print(f"exit {code}\n" + "\n".join(output.splitlines()[-20:]))
    for name, reason in not_run:
        print(f"not run {name}: {reason}")
    if arguments.report:
        pathlib.Path(arguments.report).write_text(json.dumps(rows))
    for row in sorted(rows, key=lambda row: -row.get("seconds", 0))[:SLOWEST]:
        print(f"slow: {row.get('seconds', 0):6.1f} s {row['name']}")
    failed = sum(row["result"] == "failed" for row in rows)
    print(f"{len(rows)} blocks, {failed} failed, {len(not_run)} not run")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
