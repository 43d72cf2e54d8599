#!/usr/bin/env python3
"""Prints an ein program with a forward and a reverse pass.

Every layer is a map over a large activation with a global sum in between, so
that no part of a layer can run before the whole layer below is done, and the
reverse pass uses every activation again, last one first. With the defaults the
24 activations take 96 MiB: on a device with less memory each of them must be
written to the host once and read back once.

    forward:  s_i = sum(a_i) / n,  a_{i+1} = tanh(w_i * a_i + s_i)
    reverse:  t_i = sum(g_{i+1} * a_i) / n,
              g_i = g_{i+1} * (1 - a_{i+1}^2) * w_i + t_i
"""

import argparse


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--layers", type=int, default=24)
    parser.add_argument("--rows", type=int, default=1024)
    parser.add_argument("--columns", type=int, default=1024)
    a = parser.parse_args()
    big, row, one = f"tensor<{a.rows}x{a.columns}xf32>", f"tensor<{a.columns}xf32>", "tensor<f32>"
    scale = 1.0 / (a.rows * a.columns)

    print(f'func.func @main(%a0: {big} {{ein.name = "x"}}) -> ({big} {{ein.name = "gradient"}}) {{')
    for i in range(a.layers):
        print(f"""  %w{i} = ein.parameter "w{i}" : {row}
  %s{i} = ein.einsum "rc->" sum(%a{i}) {{
  ^bb0(%p: f32):
    %n = arith.constant {scale!r} : f32
    %q = arith.mulf %p, %n : f32
    ein.yield %q : f32
  }} : ({big}) -> {one}
  %a{i + 1} = ein.einsum "rc,c,->rc"(%a{i}, %w{i}, %s{i}) {{
  ^bb0(%p: f32, %w: f32, %s: f32):
    %q = arith.mulf %p, %w : f32
    %u = arith.addf %q, %s : f32
    %v = math.tanh %u : f32
    ein.yield %v : f32
  }} : ({big}, {row}, {one}) -> {big}""")
    print(f"""  %g{a.layers} = ein.einsum "rc->rc"(%a{a.layers}) {{
  ^bb0(%p: f32):
    %q = arith.addf %p, %p : f32
    ein.yield %q : f32
  }} : ({big}) -> {big}""")
    for i in reversed(range(a.layers)):
        print(f"""  %t{i} = ein.einsum "rc,rc->" sum(%g{i + 1}, %a{i}) {{
  ^bb0(%p: f32, %q: f32):
    %n = arith.constant {scale!r} : f32
    %u = arith.mulf %p, %q : f32
    %v = arith.mulf %u, %n : f32
    ein.yield %v : f32
  }} : ({big}, {big}) -> {one}
  %g{i} = ein.einsum "rc,rc,c,->rc"(%g{i + 1}, %a{i + 1}, %w{i}, %t{i}) {{
  ^bb0(%p: f32, %q: f32, %w: f32, %t: f32):
    %one = arith.constant 1.0 : f32
    %u = arith.mulf %q, %q : f32
    %v = arith.subf %one, %u : f32
    %x = arith.mulf %p, %v : f32
    %y = arith.mulf %x, %w : f32
    %z = arith.addf %y, %t : f32
    ein.yield %z : f32
  }} : ({big}, {big}, {row}, {one}) -> {big}""")
    print(f"  return %g0 : {big}\n}}")


if __name__ == "__main__":
    main()
