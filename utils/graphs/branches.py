#!/usr/bin/env python3
"""Prints an ein program of independent branches.

Every branch is a chain of contractions with weights of its own. Nothing orders
the branches, so that a runtime which reacts to events can work on one while the
weights of another are late.
"""

import argparse


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--branches", type=int, default=8)
    parser.add_argument("--layers", type=int, default=12)
    parser.add_argument("--rows", type=int, default=64)
    parser.add_argument("--width", type=int, default=256)
    a = parser.parse_args()
    x, w = f"tensor<{a.rows}x{a.width}xf32>", f"tensor<{a.width}x{a.width}xf32>"
    results = ", ".join(f'{x} {{ein.name = "y{b}"}}' for b in range(a.branches))
    print(f'func.func @main(%x: {x} {{ein.name = "x"}}) -> ({results}) {{')
    for b in range(a.branches):
        value = "%x"
        for i in range(a.layers):
            print(f"""  %w{b}_{i} = ein.parameter "w{b}_{i}" : {w}
  %h{b}_{i} = ein.einsum "lk,nk->ln" sum({value}, %w{b}_{i}) {{
  ^bb0(%p: f32, %q: f32):
    %r = arith.mulf %p, %q : f32
    ein.yield %r : f32
  }} : ({x}, {w}) -> {x}""")
            value = f"%h{b}_{i}"
    names = ", ".join(f"%h{b}_{a.layers - 1}" for b in range(a.branches))
    print(f"  return {names} : {', '.join([x] * a.branches)}\n}}")


if __name__ == "__main__":
    main()
