#!/usr/bin/env python3
# Part of the Turnip Project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles random programs for GPUs, runs them on the stand-in for CUDA and
compares with the host.

    utils/device-programs.py --cases=100 [--first=0] [--build=build/release]
                             [--chips=sm_80,sm_90,sm_100]

The programs are those of turnip-stress. For the chips, every kernel becomes PTX
and, where ptxas is found, a cubin. Prints what fails, and a line of sums; exits
with 1 where anything failed.
"""

import argparse
import os
import random
import re
import struct
import subprocess
import sys
import tempfile

FORMATS = {"f32": ("<f4", "f"), "f16": ("<f2", "e"), "i1": ("|b1", "?"),
           "i8": ("|i1", "b"), "i32": ("<i4", "i"), "i64": ("<i8", "q")}


def write_npy(path, kind, shape, values):
    """Writes an array of one of FORMATS."""
    name, code = FORMATS[kind]
    dims = "".join(f"{size}," for size in shape)
    header = f"{{'descr': '{name}', 'fortran_order': False, 'shape': ({dims}), }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)))
        file.write(header.encode())
        file.write(struct.pack(f"<{len(values)}{code}", *values))


def tensors(signature):
    """Pairs (type, name) of the named tensors in a part of a signature."""
    pattern = r'tensor<([^>]*)> \{[^}]*ein.name = "(\w+)"'
    return re.findall(pattern, signature)


class Checker:
    def __init__(self, build, chips, folder):
        self.bin = os.path.join(build, "bin")
        self.folder = folder
        self.targets = ["x86-64-v3", "cuda:stand-in"]
        self.targets += [f"cuda:{chip}" for chip in chips]
        library = os.path.abspath(
            os.path.join(build, "lib", "libturnip-cuda-stand-in.so"))
        self.environment = dict(os.environ, TURNIP_CUDA_LIBRARY=library,
                                TURNIP_CUBLASLT_LIBRARY=library)

    def path(self, name):
        return os.path.join(self.folder, name)

    def run(self, tool, *arguments):
        return subprocess.run([os.path.join(self.bin, tool), *arguments],
                              capture_output=True, text=True, check=False,
                              env=self.environment)

    def inputs(self, signature, case):
        """The flags that give every input of a program random values."""
        generator = random.Random(case)
        flags = ["--parameters=random:1"]
        for kind, name in tensors(signature):
            *sizes, element = kind.split("x")
            shape = [int(size) for size in sizes]
            count = 1
            for size in shape:
                count *= size
            if element.startswith("i"):
                top = 1 if element == "i1" else 2
                values = [generator.randint(0, top) for _ in range(count)]
            else:
                values = [generator.randint(-64, 64) / 64 for _ in range(count)]
            if element in FORMATS:
                write_npy(self.path(name + ".npy"), element, shape, values)
                flags.append(f"--input={name}=@{self.path(name + '.npy')}")
            else:
                text = ",".join(f"{value:g}" for value in values)
                flags.append(f"--input={name}={kind}={text}")
        return flags

    def check(self, case):
        """Returns what went wrong, or nothing."""
        printed = self.run("turnip-stress", f"--case={case}", "--print",
                           "--until=evaluate").stdout
        begin, end = printed.find("module"), printed.find("\n}\n")
        if begin < 0 or end < 0:
            return "no program: " + printed[:200]
        text = printed[begin:end + 3]
        with open(self.path("p.mlir"), "w", encoding="utf-8") as file:
            file.write(text)
        artifact = self.path("p.memgraph")
        made = self.run("turnip-compile", self.path("p.mlir"),
                        "--tile-budget=16KiB",
                        "--target=" + ",".join(self.targets), "-o", artifact)
        if made.returncode:
            return "turnip-compile: " + made.stderr[:500]
        head = text[text.find("func.func @main("):].split("\n", 1)[0]
        arguments, results = head.split(") ->")
        flags = self.inputs(arguments, case)
        outputs, expected = [], []
        for _, name in tensors(results):
            file = self.path(f"host-{name}.npy")
            outputs.append(f"--output={name}=@{file}")
            expected.append(f"--expected-output={name}=@{file}")
        host = self.run("turnip-run", artifact, "--device=host", *flags,
                        *outputs)
        if host.returncode:
            return "turnip-run --device=host: " + host.stderr[:500]
        # Narrow types magnify another order of sums.
        tolerance = "5e-2" if "f16" in text else "1e-4"
        device = self.run("turnip-run", artifact, "--device=cuda:0", *flags,
                          *expected, "--tolerance=" + tolerance)
        if device.returncode:
            output = device.stderr + device.stdout
            return "turnip-run --device=cuda:0: " + output[:500]
        return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--cases", type=int, default=20)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--chips", default="sm_80,sm_90,sm_100")
    options = parser.parse_args()
    chips = [chip for chip in options.chips.split(",") if chip]
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        checker = Checker(options.build, chips, folder)
        for case in range(options.first, options.first + options.cases):
            problem = checker.check(case)
            if problem:
                failed += 1
                print(f"case {case}: {problem}")
    print(f"{options.cases} programs, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
