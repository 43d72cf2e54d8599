// RUN: turnip-opt %s --cse | FileCheck %s

// Equal operations are one, whatever they are.
// CHECK-LABEL: @equal
func.func @equal(%x: tensor<4x8xf32>, %i: tensor<2xi32>) -> tensor<2x16xf32> {
  // CHECK-NEXT: %[[E:.*]] = ein.einsum "ab->ab"
  // CHECK: %[[G:.*]] = ein.gather %[[E]]
  // CHECK-NEXT: %[[C:.*]] = ein.concat %[[G]], %[[G]] dim 1
  // CHECK-NEXT: return %[[C]]
  %0 = ein.einsum "ab->ab"(%x) {
  ^bb0(%a: f32):
    %n = arith.negf %a : f32
    ein.yield %n : f32
  } : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = ein.einsum "ab->ab"(%x) {
  ^bb0(%a: f32):
    %n = arith.negf %a : f32
    ein.yield %n : f32
  } : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %2 = ein.gather %0[%i] : (tensor<4x8xf32>, tensor<2xi32>) -> tensor<2x8xf32>
  %3 = ein.gather %1[%i] : (tensor<4x8xf32>, tensor<2xi32>) -> tensor<2x8xf32>
  %4 = ein.concat %2, %3 dim 1 : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x16xf32>
  return %4 : tensor<2x16xf32>
}

// CHECK-LABEL: @parameters
func.func @parameters() -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  // CHECK-NEXT: %[[A:.*]] = ein.parameter "a"
  // CHECK-NEXT: %[[B:.*]] = ein.parameter "b"
  // CHECK-NEXT: return %[[A]], %[[A]], %[[B]]
  %0 = ein.parameter "a" : tensor<4xf32>
  %1 = ein.parameter "a" : tensor<4xf32>
  %2 = ein.parameter "b" : tensor<4xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
