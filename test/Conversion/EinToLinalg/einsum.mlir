// RUN: turnip-opt %s --convert-ein-to-linalg | FileCheck %s

// CHECK-DAG: #[[LK:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-DAG: #[[NK:.*]] = affine_map<(d0, d1, d2) -> (d1, d2)>
// CHECK-DAG: #[[LN:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-DAG: #[[ID1:.*]] = affine_map<(d0) -> (d0)>
// CHECK-DAG: #[[SCALAR1:.*]] = affine_map<(d0) -> ()>

// CHECK-LABEL: func.func @contraction(
// CHECK-SAME: %[[X:.*]]: tensor<4x8xbf16>, %[[W:.*]]: tensor<6x8xbf16>
func.func @contraction(%x: tensor<4x8xbf16>, %w: tensor<6x8xbf16>)
    -> tensor<4x6xf32> {
  // CHECK: %[[E:.*]] = tensor.empty() : tensor<4x6xf32>
  // CHECK: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
  // CHECK: %[[FILL:.*]] = linalg.fill ins(%[[ZERO]] : f32) outs(%[[E]]
  // CHECK: linalg.generic {indexing_maps = [#[[LK]], #[[NK]], #[[LN]]]
  // CHECK-SAME: iterator_types = ["parallel", "parallel", "reduction"]
  // CHECK-SAME: ins(%[[X]], %[[W]] : {{.*}}) outs(%[[FILL]] : tensor<4x6xf32>)
  // CHECK-NEXT: ^bb0(%[[A:.*]]: bf16, %[[B:.*]]: bf16, %[[OUT:.*]]: f32):
  // CHECK-NEXT: %[[AE:.*]] = arith.extf %[[A]]
  // CHECK-NEXT: %[[BE:.*]] = arith.extf %[[B]]
  // CHECK-NEXT: %[[P:.*]] = arith.mulf %[[AE]], %[[BE]] : f32
  // CHECK-NEXT: %[[S:.*]] = arith.addf %[[OUT]], %[[P]] : f32
  // CHECK-NEXT: linalg.yield %[[S]] : f32
  %y = ein.einsum "lk,nk->ln" sum(%x, %w) {
  ^bb0(%a: bf16, %b: bf16):
    %e = arith.extf %a : bf16 to f32
    %f = arith.extf %b : bf16 to f32
    %p = arith.mulf %e, %f : f32
    ein.yield %p : f32
  } : (tensor<4x8xbf16>, tensor<6x8xbf16>) -> tensor<4x6xf32>
  return %y : tensor<4x6xf32>
}

// Sums are f32; the result is rounded after that.
// CHECK-LABEL: func.func @rounded_once(
func.func @rounded_once(%x: tensor<4x8xbf16>, %w: tensor<6x8xbf16>)
    -> tensor<4x6xbf16> {
  // CHECK: linalg.fill ins(%{{.*}} : f32)
  // CHECK: %[[SUM:.*]] = linalg.generic {indexing_maps = [#[[LK]], #[[NK]], #[[LN]]]
  // CHECK: linalg.yield %{{.*}} : f32
  // CHECK-NEXT: } -> tensor<4x6xf32>
  // CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]} ins(%[[SUM]] : tensor<4x6xf32>)
  // CHECK: %[[R:.*]] = arith.truncf %{{.*}} : f32 to bf16
  // CHECK-NEXT: linalg.yield %[[R]] : bf16
  %y = ein.einsum "lk,nk->ln" sum(%x, %w) {
  ^bb0(%a: bf16, %b: bf16):
    %e = arith.extf %a : bf16 to f32
    %f = arith.extf %b : bf16 to f32
    %p = arith.mulf %e, %f : f32
    ein.yield %p : f32
  } : (tensor<4x8xbf16>, tensor<6x8xbf16>) -> tensor<4x6xbf16>
  return %y : tensor<4x6xbf16>
}

// CHECK-LABEL: @integer_combiners
func.func @integer_combiners(%x: tensor<4xi32>)
    -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) {
  // CHECK: arith.constant 0 : i32
  // CHECK: linalg.generic {indexing_maps = [#[[ID1]], #[[SCALAR1]]], iterator_types = ["reduction"]}
  // CHECK: arith.addi %{{out.*}}, %{{in.*}}
  %0 = ein.einsum "k->" sum(%x) {
  ^bb0(%a: i32):
    ein.yield %a : i32
  } : (tensor<4xi32>) -> tensor<i32>
  // CHECK: arith.constant 1 : i32
  // CHECK: arith.muli
  %1 = ein.einsum "k->" prod(%x) {
  ^bb0(%a: i32):
    ein.yield %a : i32
  } : (tensor<4xi32>) -> tensor<i32>
  // CHECK: arith.constant -2147483648 : i32
  // CHECK: arith.maxsi
  %2 = ein.einsum "k->" max(%x) {
  ^bb0(%a: i32):
    ein.yield %a : i32
  } : (tensor<4xi32>) -> tensor<i32>
  // CHECK: arith.constant 2147483647 : i32
  // CHECK: arith.minsi
  %3 = ein.einsum "k->" min(%x) {
  ^bb0(%a: i32):
    ein.yield %a : i32
  } : (tensor<4xi32>) -> tensor<i32>
  // CHECK: arith.constant -1 : i32
  // CHECK: arith.andi
  %4 = ein.einsum "k->" and(%x) {
  ^bb0(%a: i32):
    ein.yield %a : i32
  } : (tensor<4xi32>) -> tensor<i32>
  // CHECK: arith.constant 0 : i32
  // CHECK: arith.ori
  %5 = ein.einsum "k->" or(%x) {
  ^bb0(%a: i32):
    ein.yield %a : i32
  } : (tensor<4xi32>) -> tensor<i32>
  // CHECK: arith.constant 0 : i32
  // CHECK: arith.xori
  %6 = ein.einsum "k->" xor(%x) {
  ^bb0(%a: i32):
    ein.yield %a : i32
  } : (tensor<4xi32>) -> tensor<i32>
  return %0, %1, %2, %3, %4, %5, %6
      : tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>
}

// CHECK-LABEL: @float_combiners
func.func @float_combiners(%x: tensor<4xf32>) -> (tensor<f32>, tensor<f32>, tensor<f32>) {
  // CHECK: arith.constant 1.000000e+00 : f32
  // CHECK: arith.mulf
  %0 = ein.einsum "k->" prod(%x) {
  ^bb0(%a: f32):
    ein.yield %a : f32
  } : (tensor<4xf32>) -> tensor<f32>
  // CHECK: arith.constant 0xFF800000 : f32
  // CHECK: arith.maximumf
  %1 = ein.einsum "k->" max(%x) {
  ^bb0(%a: f32):
    ein.yield %a : f32
  } : (tensor<4xf32>) -> tensor<f32>
  // CHECK: arith.constant 0x7F800000 : f32
  // CHECK: arith.minimumf
  %2 = ein.einsum "k->" min(%x) {
  ^bb0(%a: f32):
    ein.yield %a : f32
  } : (tensor<4xf32>) -> tensor<f32>
  return %0, %1, %2 : tensor<f32>, tensor<f32>, tensor<f32>
}

// Loops follow the result's labels, so that the writes are in order.
// CHECK-LABEL: @positions
// CHECK-SAME: , %[[BASE:.*]]: index
func.func @positions(%x: tensor<3x2xf32>, %base: index) -> tensor<2x3x4xi64> {
  // CHECK: %[[E:.*]] = tensor.empty() : tensor<2x3x4xi64>
  // CHECK: linalg.generic
  // CHECK-SAME: iterator_types = ["parallel", "parallel", "parallel"]
  // CHECK-SAME: outs(%[[E]]
  // CHECK: %[[I:.*]] = linalg.index 2 : index
  // CHECK: %[[J:.*]] = linalg.index 0 : index
  // CHECK: arith.addi %[[I]], %[[J]] : index
  // CHECK: arith.addi %{{.*}}, %[[BASE]] : index
  %0 = ein.einsum "ba->abc"(%x) {
  ^bb0(%e: f32):
    %i = ein.index "c" : index
    %j = ein.index "a" : index
    %k = arith.addi %i, %j : index
    %l = arith.addi %k, %base : index
    %m = arith.index_cast %l : index to i64
    ein.yield %m : i64
  } : (tensor<3x2xf32>) -> tensor<2x3x4xi64>
  return %0 : tensor<2x3x4xi64>
}

// CHECK-LABEL: @nothing
func.func @nothing() -> tensor<f32> {
  // CHECK: linalg.generic {indexing_maps = [#{{.*}}], iterator_types = []} outs(
  %0 = ein.einsum "->"() {
    %c = arith.constant 1.0 : f32
    ein.yield %c : f32
  } : () -> tensor<f32>
  return %0 : tensor<f32>
}

// CHECK-LABEL: @fused
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32>
func.func @fused(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4xf32>) {
  // CHECK: %[[M:.*]] = linalg.generic {{.*}} ins(%[[X]] : tensor<4x8xf32>)
  // CHECK: arith.maximumf
  // CHECK: %[[R:.*]] = linalg.generic {{.*}} ins(%[[X]], %[[M]] :
  // CHECK: arith.subf
  // CHECK: return %[[R]], %[[M]]
  %y:2 = ein.fused "ld->ld,l" parallel "l"(%x) {
  ^bb0(%t: tensor<4x8xf32>):
    %m = ein.einsum "ld->l" max(%t) {
    ^bb0(%a: f32):
      ein.yield %a : f32
    } : (tensor<4x8xf32>) -> tensor<4xf32>
    %r = ein.einsum "ld,l->ld"(%t, %m) {
    ^bb0(%a: f32, %b: f32):
      %d = arith.subf %a, %b : f32
      ein.yield %d : f32
    } : (tensor<4x8xf32>, tensor<4xf32>) -> tensor<4x8xf32>
    ein.yield %r, %m : tensor<4x8xf32>, tensor<4xf32>
  } : (tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4xf32>)
  return %y#0, %y#1 : tensor<4x8xf32>, tensor<4xf32>
}
