// RUN: turnip-opt %s --partition-ein=tile-budget=64KiB --split-input-file | FileCheck %s

// A matrix product with a wide parameter is cut along the result's columns, the
// consumer follows its producer's cut, and equal tiles share kernels.

// CHECK: module attributes {task.options = "tile-budget=65536"} {
// CHECK: task.kernel @einsum_lk_nk_ln(%{{.*}}: tensor<16x64xf32>, %{{.*}}: tensor<176x64xf32>) -> tensor<16x176xf32>
// CHECK: task.kernel @einsum_lk_nk_ln_0(%{{.*}}: tensor<16x64xf32>, %{{.*}}: tensor<138x64xf32>) -> tensor<16x138xf32>
// CHECK: task.kernel @einsum_ln_ln(
// CHECK: task.kernel @einsum_ln_ln_1(
// CHECK-NOT: task.kernel
// CHECK: task.graph @main devices 1
// CHECK: %[[X:.*]] = task.input "x" [16, 64] offsets [0, 0] sizes [16, 64] : <16x64xf32, dev 0>
// CHECK: %[[W:.*]] = task.parameter "w" [1018, 64] offsets [0, 0] sizes [176, 64] : <176x64xf32, dev 0>
// CHECK: %[[Y:.*]] = task.call @einsum_lk_nk_ln(%[[X]], %[[W]]) on dev 0
// CHECK-COUNT-4: task.call @einsum_lk_nk_ln(
// CHECK: task.call @einsum_lk_nk_ln_0(
// CHECK: %[[Z:.*]] = task.call @einsum_ln_ln(%[[Y]]) on dev 0
// CHECK: task.result %[[Z]] "y" [16, 1018] offsets [0, 0] sizes [16, 176]
// CHECK-COUNT-4: task.result
// CHECK: task.result %{{.*}} "y" [16, 1018] offsets [0, 880] sizes [16, 138]

func.func @main(%x: tensor<16x64xf32> {ein.name = "x"}) -> (tensor<16x1018xf32> {ein.name = "y"}) {
  %w = ein.parameter "w" : tensor<1018x64xf32>
  %y = ein.einsum "lk,nk->ln" sum(%x, %w) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    ein.yield %p : f32
  } : (tensor<16x64xf32>, tensor<1018x64xf32>) -> tensor<16x1018xf32>
  %z = ein.einsum "ln->ln"(%y) {
  ^bb0(%a: f32):
    %p = arith.mulf %a, %a : f32
    ein.yield %p : f32
  } : (tensor<16x1018xf32>) -> tensor<16x1018xf32>
  return %z : tensor<16x1018xf32>
}

// -----

// Parts are of one size where that is possible, and an operation that is wanted
// in other tiles than it would choose itself is cut as they are.

// CHECK-LABEL: task.kernel @einsum_ab_ab
// CHECK-SAME: tensor<8x512xf32>) -> tensor<8x512xf32>
// CHECK-NOT: task.kernel @assemble
// CHECK: task.graph @wanted
func.func @wanted(%x: tensor<64x512xf32>) -> tensor<64x512xf32> {
  %y = ein.einsum "ab->ab"(%x) {
  ^bb0(%e: f32):
    %p = arith.mulf %e, %e : f32
    ein.yield %p : f32
  } : (tensor<64x512xf32>) -> tensor<64x512xf32>
  %z = ein.fused "ab,ab->ab" parallel "a"(%y, %x) {
  ^bb0(%t: tensor<64x512xf32>, %u: tensor<64x512xf32>):
    %m = ein.einsum "ab->a" max(%t) {
    ^bb0(%e: f32):
      ein.yield %e : f32
    } : (tensor<64x512xf32>) -> tensor<64xf32>
    %d = ein.einsum "ab,ab,a->ab"(%t, %u, %m) {
    ^bb0(%e: f32, %g: f32, %f: f32):
      %h = arith.subf %e, %f : f32
      %s = arith.addf %h, %g : f32
      ein.yield %s : f32
    } : (tensor<64x512xf32>, tensor<64x512xf32>, tensor<64xf32>) -> tensor<64x512xf32>
    ein.yield %d : tensor<64x512xf32>
  } : (tensor<64x512xf32>, tensor<64x512xf32>) -> tensor<64x512xf32>
  return %z : tensor<64x512xf32>
}
