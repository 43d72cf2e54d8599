// RUN: turnip-opt %s --partition-ein=tile-budget=64KiB | FileCheck %s

// A matrix product with a wide parameter is cut along the result's columns, the
// consumer follows its producer's cut, and equal tiles share kernels.

// CHECK: module attributes {task.options = "tile-budget=65536"} {
// CHECK: task.kernel @einsum_lk_nk_ln(%{{.*}}: tensor<16x64xf32>, %{{.*}}: tensor<176x64xf32>) -> tensor<16x176xf32>
// CHECK: task.kernel @einsum_lk_nk_ln_0(%{{.*}}: tensor<16x64xf32>, %{{.*}}: tensor<144x64xf32>) -> tensor<16x144xf32>
// CHECK: task.kernel @einsum_ln_ln(
// CHECK: task.kernel @einsum_ln_ln_1(
// CHECK-NOT: task.kernel
// CHECK: task.graph @main devices 1
// CHECK: %[[X:.*]] = task.input "x" [16, 64] offsets [0, 0] sizes [16, 64] : <16x64xf32, dev 0>
// CHECK: %[[W:.*]] = task.parameter "w" [1024, 64] offsets [0, 0] sizes [176, 64] : <176x64xf32, dev 0>
// CHECK: %[[Y:.*]] = task.call @einsum_lk_nk_ln(%[[X]], %[[W]]) on dev 0
// CHECK-COUNT-4: task.call @einsum_lk_nk_ln(
// CHECK: task.call @einsum_lk_nk_ln_0(
// CHECK: %[[Z:.*]] = task.call @einsum_ln_ln(%[[Y]]) on dev 0
// CHECK: task.result %[[Z]] "y" [16, 1024] offsets [0, 0] sizes [16, 176]
// CHECK-COUNT-4: task.result
// CHECK: task.result %{{.*}} "y" [16, 1024] offsets [0, 880] sizes [16, 144]

func.func @main(%x: tensor<16x64xf32> {ein.name = "x"}) -> (tensor<16x1024xf32> {ein.name = "y"}) {
  %w = ein.parameter "w" : tensor<1024x64xf32>
  %y = ein.einsum "lk,nk->ln" sum(%x, %w) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    ein.yield %p : f32
  } : (tensor<16x64xf32>, tensor<1024x64xf32>) -> tensor<16x1024xf32>
  %z = ein.einsum "ln->ln"(%y) {
  ^bb0(%a: f32):
    %p = arith.mulf %a, %a : f32
    ein.yield %p : f32
  } : (tensor<16x1024xf32>) -> tensor<16x1024xf32>
  return %z : tensor<16x1024xf32>
}
