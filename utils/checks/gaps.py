#!/usr/bin/env python3
"""Fails when an operation, a pass or a message has no test.

 * every operation has a round-trip test (a file named *roundtrip*), an invalid
   test (*invalid*) where its verifier or parser can reject it, and an execution
   test where it is an operation of `ein`;
 * every canonicalised operation has a test in a *canonicalize* file;
 * every pass has a test whose RUN line names it and that uses FileCheck or
   -verify-diagnostics;
 * every message a verifier, parser or pass emits appears in a test;
 * every message of the planner's and the artifact's checks appears in a unit test;
 * every message of the driver for GPUs is explained in docs/gpu.md.

A message that no test can afford to provoke says so in a comment above it, `Not tested:`
and why; these are listed. Errors of code Internal are exempt.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
TESTS = ROOT / "test"
problems = []
untested = []


def read(paths):
    return {p: p.read_text(errors="replace") for p in paths}


lit_tests = read(p for p in TESTS.rglob("*") if p.suffix in (".mlir", ".test"))
unit_tests = read([*(ROOT / "runtime/test").rglob("*.cpp"), *(ROOT / "runtime/test").rglob("*.h"),
                   *(TESTS / "unit").rglob("*.cpp")])


def any_test(predicate, text):
    return any(predicate(path) and text in content for path, content in lit_tests.items())


def check_operations():
    for td in (ROOT / "include/turnip/Dialect").rglob("*Ops.td"):
        content = td.read_text()
        dialect = td.parts[-3].lower()
        folder = TESTS / "Dialect" / td.parts[-3]
        starts = list(re.finditer(r'^def\s+\w+\s*:\s*\w+Op?<"([\w.]+)"', content, re.M))
        for index, match in enumerate(starts):
            end = starts[index + 1].start() if index + 1 < len(starts) else len(content)
            body, name = content[match.start():end], f"{dialect}.{match.group(1)}"

            def in_kind(kind):
                return any_test(lambda p: folder in p.parents and kind in p.name, name)

            if not in_kind("roundtrip"):
                problems.append(f"{name}: no round-trip test under {folder.relative_to(ROOT)}")
            if ("hasVerifier = 1" in body or "hasCustomAssemblyFormat = 1" in body) and not in_kind("invalid"):
                problems.append(f"{name}: has a verifier but no invalid test")
            if ("hasFolder = 1" in body or "hasCanonicaliz" in body) and not in_kind("canonicalize"):
                problems.append(f"{name}: folds or canonicalises but has no canonicalize test")
            executed = any_test(lambda p: TESTS / "Integration" in p.parents, name)
            if dialect == "ein" and not executed:
                problems.append(f"{name}: no execution test under test/Integration")
            if "let summary" not in body and "summary = " not in body:
                problems.append(f"{name}: no summary")
            if "let description" not in body:
                problems.append(f"{name}: no description")


def check_passes():
    for td in (ROOT / "include/turnip").rglob("*Passes.td"):
        for match in re.finditer(r'Pass<"([\w-]+)"', td.read_text()):
            name = match.group(1)
            tested = any(
                any(name in line and "RUN" in line for line in content.splitlines())
                and ("FileCheck" in content or "verify-diagnostics" in content)
                for content in lit_tests.values())
            if not tested:
                problems.append(f"pass {name}: no lit test runs it")


def literals(call):
    """The string literals of one emitted message, adjacent ones joined."""
    joined = re.sub(r'"\s*\n\s*"', "", call)
    return re.findall(r'"((?:[^"\\]|\\.)*)"', joined)


def longest(parts):
    text = max(parts, key=len) if parts else ""
    return text.replace('\\"', '"').replace("\\'", "'").strip()


def normalise(text):
    """Test sources hold messages escaped for regular expressions or C++."""
    return re.sub(r'\\', "", text)


def check_messages(files, pattern, corpus, where):
    corpus = [normalise(re.sub(r'"\s*\n\s*"', "", c)) for c in corpus]
    for path in files:
        content = path.read_text()
        for match in re.finditer(pattern, content):
            end = content.find(";", match.end())
            call = content[match.start():end]
            text = longest(literals(call))
            # A broken promise inside Turnip itself is nothing that input provokes.
            if len(text) < 6 or "StatusCode::Internal" in call:
                continue
            before = content[content.rfind("\n\n", 0, match.start()) + 1:match.start()]
            if "Not tested:" in before:
                untested.append(f"{path.relative_to(ROOT)}: '{text}'")
                continue
            if not any(normalise(text) in c for c in corpus):
                line = content.count("\n", 0, match.start()) + 1
                problems.append(f"{path.relative_to(ROOT)}:{line}: message '{text}' appears in no {where}")


def main():
    check_operations()
    check_passes()
    compiler = [p for folder in ("lib/Dialect", "lib/Conversion", "lib/Target")
                for p in (ROOT / folder).rglob("*.cpp")]
    check_messages(compiler, r"\b(emitOpError|emitError)\(", [*lit_tests.values(), *unit_tests.values()], "test")
    runtime = [p for folder in ("runtime/lib/planner", "runtime/lib/artifact") for p in (ROOT / folder).rglob("*.cpp")]
    check_messages(runtime, r"\bStatus::error\(", [*unit_tests.values(), *lit_tests.values()], "unit test")
    gpu = [*(ROOT / "runtime/lib/drivers/cuda").rglob("*.cpp"), ROOT / "runtime/lib/tooling/Calibrate.cpp"]
    check_messages(gpu, r"\b(Status::error|deviceError|invalidArgument)\(", [(ROOT / "docs/gpu.md").read_text()],
                   "table of docs/gpu.md")
    for problem in problems:
        print(problem)
    for row in untested:
        print(f"not tested: {row}")
    print(f"{len(problems)} gaps")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
