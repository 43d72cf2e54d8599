// RUN: turnip-opt %s --place-memory | turnip-translate --mem-to-memgraph -o %t.memgraph
// RUN: turnip-run %t.memgraph --inspect | FileCheck %s

// The class and the type of a kernel follow from its body.

// CHECK-DAG: add: {{.*}} bytes moved, elementwise of f32
task.kernel @add(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
  %0 = ein.einsum "m,m->m"(%a, %b) {
  ^bb0(%x: f32, %y: f32):
    %p = arith.addf %x, %y : f32
    ein.yield %p : f32
  } : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  task.yield %0 : tensor<8xf32>
}

// CHECK-DAG: total: {{.*}} bytes moved, reduction of f32
task.kernel @total(%a: tensor<8xf32>) -> tensor<f32> {
  %0 = ein.einsum "m->" sum(%a) {
  ^bb0(%x: f32):
    ein.yield %x : f32
  } : (tensor<8xf32>) -> tensor<f32>
  task.yield %0 : tensor<f32>
}

// Most of the work decides.
// CHECK-DAG: contract: {{.*}} bytes moved, contraction of bf16
task.kernel @contract(%a: tensor<8x8xbf16>, %b: tensor<8x8xbf16>) -> tensor<8x8xf32> {
  %0 = ein.einsum "mk,kn->mn" sum(%a, %b) {
  ^bb0(%x: bf16, %y: bf16):
    %wx = arith.extf %x : bf16 to f32
    %wy = arith.extf %y : bf16 to f32
    %p = arith.mulf %wx, %wy : f32
    ein.yield %p : f32
  } : (tensor<8x8xbf16>, tensor<8x8xbf16>) -> tensor<8x8xf32>
  %1 = ein.einsum "mn->mn"(%0) {
  ^bb0(%x: f32):
    %e = math.exp %x : f32
    ein.yield %e : f32
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  task.yield %1 : tensor<8x8xf32>
}

// CHECK-DAG: move: {{.*}} bytes moved, copy of i8
task.kernel @move(%a: tensor<8x8xi8>) -> tensor<2x2xi8> {
  %0 = ein.slice %a [0, 4] [2, 2] [1, 1] : tensor<8x8xi8> to tensor<2x2xi8>
  task.yield %0 : tensor<2x2xi8>
}

// CHECK-DAG: pick: {{.*}} bytes moved, gather of f32
task.kernel @pick(%t: tensor<6x2xf32>, %i: tensor<3xi32>) -> tensor<3x2xf32> {
  %0 = ein.gather %t[%i] : (tensor<6x2xf32>, tensor<3xi32>) -> tensor<3x2xf32>
  task.yield %0 : tensor<3x2xf32>
}

// CHECK-DAG: unknown: {{.*}} bytes moved, other of f32
task.kernel @unknown(tensor<8xf32>) -> tensor<8xf32>

task.graph @main devices 1 {
  %x = task.input "x" [8] offsets [0] sizes [8] : !task.tile<8xf32, dev 0>
  %y = task.call @add(%x, %x) on dev 0 : (!task.tile<8xf32, dev 0>, !task.tile<8xf32, dev 0>) -> !task.tile<8xf32, dev 0>
  task.result %y "y" [8] offsets [0] sizes [8] : !task.tile<8xf32, dev 0>
}
