// RUN: turnip-opt %s --inline | FileCheck %s

// A layer that is written once and called twice.
// CHECK-LABEL: func.func @main
// CHECK-NOT: call
// CHECK: ein.fused
// CHECK: ein.einsum
// CHECK: ein.fused
// CHECK: ein.einsum
// CHECK: return
func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = call @layer(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = call @layer(%0) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

func.func private @layer(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = ein.fused "ld->ld" parallel "ld"(%x) {
  ^bb0(%t: tensor<4x8xf32>):
    %r = ein.einsum "ld->ld"(%t) {
    ^bb0(%a: f32):
      %i = ein.index "l" : index
      %j = arith.index_cast %i : index to i32
      %f = arith.sitofp %j : i32 to f32
      %s = arith.addf %a, %f : f32
      ein.yield %s : f32
    } : (tensor<4x8xf32>) -> tensor<4x8xf32>
    ein.yield %r : tensor<4x8xf32>
  } : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
