#!/usr/bin/env python3
"""Compares logits with what `reference.py store` wrote. Needs nothing but Python.

    utils/reference/compare.py logits.npy test/Integration/Inputs/smollm2

Holds if the same token has the largest logit at every position and no stored
logit differs by more than --tolerance (1e-3) of the largest logit of all.
Prints what it found; the exit status is 1 where it does not hold.
"""

import argparse
import array
import ast
import sys

TYPES = {"<f4": "f", "<i4": "i"}


def load(path):
    """Returns the shape and the elements of a .npy file in C order."""
    with open(path, "rb") as file:
        data = file.read()
    if data[:6] != b"\x93NUMPY":
        sys.exit(f"compare.py: '{path}' is not a .npy file")
    size = 2 if data[6] == 1 else 4
    start = 8 + size + int.from_bytes(data[8 : 8 + size], "little")
    header = ast.literal_eval(data[8 + size : start].decode())
    if header["fortran_order"] or header["descr"] not in TYPES:
        sys.exit(f"compare.py: '{path}' has elements {header['descr']}")
    values = array.array(TYPES[header["descr"]])
    values.frombytes(data[start:])
    return header["shape"], values


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("logits", help="f32 [positions, vocabulary]")
    parser.add_argument("stored", help="what `store -o` was given")
    parser.add_argument("--tolerance", type=float, default=1e-3)
    args = parser.parse_args()
    (length, vocabulary), logits = load(args.logits)
    _, columns = load(args.stored + "-columns.npy")
    (stored_length, _), expected = load(args.stored + "-logits.npy")
    _, argmax = load(args.stored + "-argmax.npy")
    largest = load(args.stored + "-largest.npy")[1][0]
    if length != stored_length or max(columns) >= vocabulary:
        sys.exit(f"compare.py: logits of shape {length}x{vocabulary} do not match")
    worst, where = 0.0, (0, 0)
    agree = 0
    for row in range(length):
        values = logits[row * vocabulary : (row + 1) * vocabulary]
        agree += values.index(max(values)) == argmax[row]
        for k, column in enumerate(columns):
            difference = abs(values[column] - expected[row * len(columns) + k])
            if not difference <= worst:  # a NaN counts as the worst
                worst, where = difference, (row, column)
    holds = agree == length and worst <= args.tolerance * largest
    print(f"largest difference {worst:.3g} at position {where[0]}, token {where[1]}: "
          f"{worst / largest:.3g} of the largest logit {largest:.6g}")
    print(f"same argmax at {agree} of {length} positions")
    print("PASS" if holds else "FAIL")
    sys.exit(0 if holds else 1)


if __name__ == "__main__":
    main()
