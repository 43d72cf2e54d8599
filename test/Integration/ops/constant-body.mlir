// Bodies that do not depend on an operand, or on what was combined so far.
//
// RUN: turnip-eval %s --seed=1 | FileCheck %s
// RUN: turnip-opt %s --partition-ein --task-compile-kernels --place-memory | turnip-translate --mem-to-memgraph -o %t.memgraph
// RUN: turnip-run %t.memgraph --input=x=13x3xi1=1 --input=y=2x3xf32=1 | FileCheck %s

// CHECK: always: 3xi1=1 1 1
// CHECK-NEXT: count: 2xf32=6 6
// CHECK-NEXT: zero: 2x3xf32=[0 0 0][0 0 0]
func.func @main(%x: tensor<13x3xi1> {ein.name = "x"}, %y: tensor<2x3xf32> {ein.name = "y"})
    -> (tensor<3xi1> {ein.name = "always"}, tensor<2xf32> {ein.name = "count"}, tensor<2x3xf32> {ein.name = "zero"}) {
  %always = ein.einsum "ab->b" or(%x) {
  ^bb0(%a: i1):
    %true = arith.constant true
    %r = arith.ori %a, %true : i1
    ein.yield %r : i1
  } : (tensor<13x3xi1>) -> tensor<3xi1>
  %count = ein.einsum "ab->a" sum(%y) {
  ^bb0(%a: f32):
    %two = arith.constant 2.0 : f32
    ein.yield %two : f32
  } : (tensor<2x3xf32>) -> tensor<2xf32>
  %zero = ein.einsum "ab->ab"(%y) {
  ^bb0(%a: f32):
    %none = arith.constant 0.0 : f32
    ein.yield %none : f32
  } : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %always, %count, %zero : tensor<3xi1>, tensor<2xf32>, tensor<2x3xf32>
}
