// RUN: turnip-opt %s --test-ein-tile="sizes=l=3,k=5,d0=2,d1=4" | FileCheck %s
// RUN: turnip-eval %s --entry=numbers --seed=3 --output=y=@%t.npy
// RUN: turnip-opt %s --test-ein-tile="sizes=l=3,k=5,d0=2,d1=4" | turnip-eval --entry=numbers --seed=3 --compare=y=@%t.npy
// RUN: turnip-opt %s --test-ein-tile="sizes=l=1,k=1,d0=1,d1=1" | turnip-eval --entry=numbers --seed=3 --compare=y=@%t.npy

// Partial sums are joined from left to right, tiles of the result concatenated.
// CHECK-LABEL: @contraction
// CHECK-SAME: (%[[X:.*]]: tensor<4x8xf32>, %[[W:.*]]: tensor<6x8xf32>)
func.func @contraction(%x: tensor<4x8xf32>, %w: tensor<6x8xf32>) -> tensor<4x6xf32> {
  // CHECK: %[[X0:.*]] = ein.slice %[[X]] [0, 0] [3, 5] [1, 1]
  // CHECK: %[[W0:.*]] = ein.slice %[[W]] [0, 0] [6, 5] [1, 1]
  // CHECK: %[[P0:.*]] = ein.einsum "lk,nk->ln" sum(%[[X0]], %[[W0]])
  // CHECK: } : (tensor<3x5xf32>, tensor<6x5xf32>) -> tensor<3x6xf32>
  // CHECK: %[[X1:.*]] = ein.slice %[[X]] [0, 5] [3, 3] [1, 1]
  // CHECK: %[[W1:.*]] = ein.slice %[[W]] [0, 5] [6, 3] [1, 1]
  // CHECK: %[[P1:.*]] = ein.einsum "lk,nk->ln" sum(%[[X1]], %[[W1]])
  // CHECK: %[[S0:.*]] = ein.einsum "ab,ab->ab"(%[[P0]], %[[P1]])
  // CHECK: arith.addf
  // CHECK: ein.slice %[[X]] [3, 0] [1, 5] [1, 1]
  // CHECK: ein.slice %[[X]] [3, 5] [1, 3] [1, 1]
  // CHECK: %[[S1:.*]] = ein.einsum "ab,ab->ab"
  // CHECK: %[[Y:.*]] = ein.concat %[[S0]], %[[S1]] dim 0 : (tensor<3x6xf32>, tensor<1x6xf32>) -> tensor<4x6xf32>
  // CHECK: return %[[Y]]
  %y = ein.einsum "lk,nk->ln" sum(%x, %w) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    ein.yield %p : f32
  } : (tensor<4x8xf32>, tensor<6x8xf32>) -> tensor<4x6xf32>
  return %y : tensor<4x6xf32>
}

// A sum that is rounded once is not split.
// CHECK-LABEL: @rounded_once
func.func @rounded_once(%x: tensor<4x8xbf16>, %w: tensor<6x8xbf16>)
    -> tensor<4x6xbf16> {
  // CHECK: ein.slice %{{.*}} [0, 0] [3, 8] [1, 1]
  // CHECK: ein.einsum "lk,nk->ln" sum
  // CHECK: } : (tensor<3x8xbf16>, tensor<6x8xbf16>) -> tensor<3x6xbf16>
  // CHECK: ein.concat
  %y = ein.einsum "lk,nk->ln" sum(%x, %w) {
  ^bb0(%a: bf16, %b: bf16):
    %e = arith.extf %a : bf16 to f32
    %f = arith.extf %b : bf16 to f32
    %p = arith.mulf %e, %f : f32
    ein.yield %p : f32
  } : (tensor<4x8xbf16>, tensor<6x8xbf16>) -> tensor<4x6xbf16>
  return %y : tensor<4x6xbf16>
}

// A tile away from the origin adds its offset to positions.
// CHECK-LABEL: @positions
func.func @positions() -> tensor<4x3xi64> {
  // CHECK: ein.einsum "->ln"() {
  // CHECK-NEXT: %[[L0:.*]] = ein.index "l"
  // CHECK-NEXT: ein.index "n"
  // CHECK-NEXT: arith.muli %[[L0]],
  // CHECK: } : () -> tensor<3x3xi64>
  // CHECK: %[[C3:.*]] = arith.constant 3 : index
  // CHECK: ein.einsum "->ln"() {
  // CHECK-NEXT: %[[L1:.*]] = ein.index "l"
  // CHECK-NEXT: %[[O:.*]] = arith.addi %[[L1]], %[[C3]] : index
  // CHECK-NEXT: ein.index "n"
  // CHECK-NEXT: arith.muli %[[O]],
  // CHECK: } : () -> tensor<1x3xi64>
  %0 = ein.einsum "->ln"() {
    %i = ein.index "l" : index
    %j = ein.index "n" : index
    %k = arith.muli %i, %j : index
    %l = arith.index_cast %k : index to i64
    ein.yield %l : i64
  } : () -> tensor<4x3xi64>
  return %0 : tensor<4x3xi64>
}

// CHECK-LABEL: @fused
func.func @fused(%x: tensor<4x8xf32>, %w: tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4xf32>) {
  // CHECK: %[[A:.*]]:2 = ein.fused "lk,k->lk,l" parallel "l"
  // CHECK-NEXT: ^bb0(%{{.*}}: tensor<3x8xf32>, %{{.*}}: tensor<8xf32>):
  // CHECK: } : (tensor<3x8xf32>) -> tensor<3xf32>
  // CHECK: } : (tensor<3x8xf32>, tensor<3xf32>, tensor<8xf32>) -> tensor<3x8xf32>
  // CHECK: } : (tensor<3x8xf32>, tensor<8xf32>) -> (tensor<3x8xf32>, tensor<3xf32>)
  // CHECK: %[[B:.*]]:2 = ein.fused "lk,k->lk,l" parallel "l"
  // CHECK: %[[C0:.*]] = ein.concat %[[A]]#0, %[[B]]#0 dim 0
  // CHECK: %[[C1:.*]] = ein.concat %[[A]]#1, %[[B]]#1 dim 0
  // CHECK: return %[[C0]], %[[C1]]
  %y:2 = ein.fused "lk,k->lk,l" parallel "l"(%x, %w) {
  ^bb0(%t: tensor<4x8xf32>, %v: tensor<8xf32>):
    %m = ein.einsum "lk->l" max(%t) {
    ^bb0(%a: f32):
      ein.yield %a : f32
    } : (tensor<4x8xf32>) -> tensor<4xf32>
    %r = ein.einsum "lk,l,k->lk"(%t, %m, %v) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %i = ein.index "l" : index
      %j = arith.index_cast %i : index to i32
      %f = arith.sitofp %j : i32 to f32
      %d = arith.subf %a, %b : f32
      %e = arith.mulf %d, %c : f32
      %g = arith.addf %e, %f : f32
      ein.yield %g : f32
    } : (tensor<4x8xf32>, tensor<4xf32>, tensor<8xf32>) -> tensor<4x8xf32>
    ein.yield %r, %m : tensor<4x8xf32>, tensor<4xf32>
  } : (tensor<4x8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4xf32>)
  return %y#0, %y#1 : tensor<4x8xf32>, tensor<4xf32>
}

// Indices are split, the table is whole.
// CHECK-LABEL: @gather
// CHECK-SAME: (%[[T:.*]]: tensor<5x6xf32>, %[[I:.*]]: tensor<3x7xi32>)
func.func @gather(%t: tensor<5x6xf32>, %i: tensor<3x7xi32>) -> tensor<3x7x6xf32> {
  // CHECK: %[[T0:.*]] = ein.slice %[[T]] [0, 0] [5, 6] [1, 1]
  // CHECK: %[[I0:.*]] = ein.slice %[[I]] [0, 0] [2, 4] [1, 1]
  // CHECK: ein.gather %[[T0]][%[[I0]]] : (tensor<5x6xf32>, tensor<2x4xi32>) -> tensor<2x4x6xf32>
  // CHECK: ein.slice %[[I]] [2, 4] [1, 3] [1, 1]
  %0 = ein.gather %t[%i] : (tensor<5x6xf32>, tensor<3x7xi32>) -> tensor<3x7x6xf32>
  return %0 : tensor<3x7x6xf32>
}

// Only a dimension that is taken whole is split.
// CHECK-LABEL: @slice
func.func @slice(%x: tensor<4x8xf32>) -> tensor<4x6xf32> {
  // CHECK: %[[X0:.*]] = ein.slice %{{.*}} [0, 0] [2, 8] [1, 1]
  // CHECK: ein.slice %[[X0]] [0, 1] [2, 6] [1, 1] : tensor<2x8xf32> to tensor<2x6xf32>
  // CHECK: %[[X1:.*]] = ein.slice %{{.*}} [2, 0] [2, 8] [1, 1]
  // CHECK: ein.slice %[[X1]] [0, 1] [2, 6] [1, 1] : tensor<2x8xf32> to tensor<2x6xf32>
  // CHECK: ein.concat %{{.*}} dim 0
  %0 = ein.slice %x [0, 1] [4, 6] [1, 1] : tensor<4x8xf32> to tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// Not along the dimension of the concatenation.
// CHECK-LABEL: @concat
func.func @concat(%x: tensor<4x8xf32>, %y: tensor<4x2xf32>) -> tensor<4x10xf32> {
  // CHECK: ein.concat %{{.*}} dim 1 : (tensor<2x8xf32>, tensor<2x2xf32>) -> tensor<2x10xf32>
  // CHECK: ein.concat %{{.*}} dim 1 : (tensor<2x8xf32>, tensor<2x2xf32>) -> tensor<2x10xf32>
  // CHECK: ein.concat %{{.*}} dim 0
  %0 = ein.concat %x, %y dim 1 : (tensor<4x8xf32>, tensor<4x2xf32>) -> tensor<4x10xf32>
  return %0 : tensor<4x10xf32>
}

// Along dimensions that stay what they are, in the front and in the middle.
// CHECK-LABEL: @reshape
func.func @reshape(%x: tensor<4x6x5x4xf32>, %y: tensor<6x4xf32>)
    -> (tensor<4x2x3x5x2x2xf32>, tensor<8x3xf32>) {
  // CHECK: ein.slice %{{.*}} [0, 0, 0, 0] [2, 6, 5, 4] [1, 1, 1, 1]
  // CHECK: ein.reshape %{{.*}} : tensor<2x6x5x4xf32> to tensor<2x2x3x5x2x2xf32>
  %0 = ein.reshape %x : tensor<4x6x5x4xf32> to tensor<4x2x3x5x2x2xf32>
  // CHECK: ein.reshape %{{.*}} : tensor<6x4xf32> to tensor<8x3xf32>
  %1 = ein.reshape %y : tensor<6x4xf32> to tensor<8x3xf32>
  return %0, %1 : tensor<4x2x3x5x2x2xf32>, tensor<8x3xf32>
}

func.func @numbers(%x: tensor<4x8xf32>, %i: tensor<7xi32>) -> (tensor<7x2xf32> {ein.name = "y"}) {
  %0 = ein.fused "lk->lk" parallel "l"(%x) {
  ^bb0(%t: tensor<4x8xf32>):
    %m = ein.einsum "lk->l" sum(%t) {
    ^bb0(%a: f32):
      ein.yield %a : f32
    } : (tensor<4x8xf32>) -> tensor<4xf32>
    %r = ein.einsum "lk,l->lk"(%t, %m) {
    ^bb0(%a: f32, %b: f32):
      %p = ein.index "l" : index
      %j = arith.index_cast %p : index to i32
      %f = arith.sitofp %j : i32 to f32
      %e = arith.mulf %a, %b : f32
      %g = arith.addf %e, %f : f32
      ein.yield %g : f32
    } : (tensor<4x8xf32>, tensor<4xf32>) -> tensor<4x8xf32>
    ein.yield %r : tensor<4x8xf32>
  } : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = ein.concat %0, %x dim 0 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
  %2 = ein.gather %1[%i] : (tensor<8x8xf32>, tensor<7xi32>) -> tensor<7x8xf32>
  %3 = ein.reshape %2 : tensor<7x8xf32> to tensor<7x2x4xf32>
  %4 = ein.slice %3 [0, 0, 1] [7, 2, 3] [1, 1, 1] : tensor<7x2x4xf32> to tensor<7x2x3xf32>
  %5 = ein.einsum "lnk->ln" sum(%4) {
  ^bb0(%a: f32):
    %p = ein.index "k" : index
    %j = arith.index_cast %p : index to i32
    %f = arith.sitofp %j : i32 to f32
    %g = arith.mulf %a, %f : f32
    ein.yield %g : f32
  } : (tensor<7x2x3xf32>) -> tensor<7x2xf32>
  return %5 : tensor<7x2xf32>
}
