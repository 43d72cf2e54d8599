// RUN: turnip-opt %s | turnip-opt | FileCheck %s
// RUN: turnip-opt %s --mlir-print-op-generic | turnip-opt | FileCheck %s
// RUN: turnip-opt %s --emit-bytecode | turnip-opt | FileCheck %s

// CHECK-LABEL: func.func @names(
// CHECK-SAME: %{{.*}}: tensor<4x8xf32> {ein.name = "x"})
// CHECK-SAME: -> (tensor<4x8xf32> {ein.name = "y"})
func.func @names(%x: tensor<4x8xf32> {ein.name = "x"})
    -> (tensor<4x8xf32> {ein.name = "y"}) {
  return %x : tensor<4x8xf32>
}

// CHECK-LABEL: @leaves
func.func @leaves() -> (tensor<3x4xf32>, tensor<2xi64>, tensor<i1>) {
  // CHECK: ein.parameter "blk.0.w" : tensor<3x4xf32>
  %w = ein.parameter "blk.0.w" : tensor<3x4xf32>
  // CHECK: ein.constant dense<[1, -2]> : tensor<2xi64>
  %c = ein.constant dense<[1, -2]> : tensor<2xi64>
  // CHECK: ein.constant dense<true> : tensor<i1>
  %t = ein.constant dense<true> : tensor<i1>
  return %w, %c, %t : tensor<3x4xf32>, tensor<2xi64>, tensor<i1>
}

// CHECK-LABEL: @contraction
func.func @contraction(%x: tensor<4x8xbf16>, %w: tensor<6x8xbf16>)
    -> tensor<4x6xf32> {
  // CHECK: ein.einsum "lk,nk->ln" sum(%{{.*}}, %{{.*}}) {
  // CHECK-NEXT: ^bb0(%{{.*}}: bf16, %{{.*}}: bf16):
  // CHECK: ein.yield %{{.*}} : f32
  // CHECK-NEXT: } : (tensor<4x8xbf16>, tensor<6x8xbf16>) -> tensor<4x6xf32>
  %y = ein.einsum "lk,nk->ln" sum(%x, %w) {
  ^bb0(%a: bf16, %b: bf16):
    %e = arith.extf %a : bf16 to f32
    %f = arith.extf %b : bf16 to f32
    %p = arith.mulf %e, %f : f32
    ein.yield %p : f32
  } : (tensor<4x8xbf16>, tensor<6x8xbf16>) -> tensor<4x6xf32>
  return %y : tensor<4x6xf32>
}

// CHECK-LABEL: @rounded_once
func.func @rounded_once(%x: tensor<4x8xbf16>, %w: tensor<6x8xbf16>)
    -> tensor<4x6xbf16> {
  // CHECK: ein.yield %{{.*}} : f32
  // CHECK-NEXT: } : (tensor<4x8xbf16>, tensor<6x8xbf16>) -> tensor<4x6xbf16>
  %y = ein.einsum "lk,nk->ln" sum(%x, %w) {
  ^bb0(%a: bf16, %b: bf16):
    %e = arith.extf %a : bf16 to f32
    %f = arith.extf %b : bf16 to f32
    %p = arith.mulf %e, %f : f32
    ein.yield %p : f32
  } : (tensor<4x8xbf16>, tensor<6x8xbf16>) -> tensor<4x6xbf16>
  return %y : tensor<4x6xbf16>
}

// CHECK-LABEL: @combiners
func.func @combiners(%x: tensor<4xi32>) {
  // CHECK: "k->" prod(
  %0 = ein.einsum "k->" prod(%x) {
  ^bb0(%a: i32):
    ein.yield %a : i32
  } : (tensor<4xi32>) -> tensor<i32>
  // CHECK: "k->" max(
  %1 = ein.einsum "k->" max(%x) {
  ^bb0(%a: i32):
    ein.yield %a : i32
  } : (tensor<4xi32>) -> tensor<i32>
  // CHECK: "k->" min(
  %2 = ein.einsum "k->" min(%x) {
  ^bb0(%a: i32):
    ein.yield %a : i32
  } : (tensor<4xi32>) -> tensor<i32>
  // CHECK: "k->" and(
  %3 = ein.einsum "k->" and(%x) {
  ^bb0(%a: i32):
    ein.yield %a : i32
  } : (tensor<4xi32>) -> tensor<i32>
  // CHECK: "k->" or(
  %4 = ein.einsum "k->" or(%x) {
  ^bb0(%a: i32):
    ein.yield %a : i32
  } : (tensor<4xi32>) -> tensor<i32>
  // CHECK: "k->" xor(
  %5 = ein.einsum "k->" xor(%x) {
  ^bb0(%a: i32):
    ein.yield %a : i32
  } : (tensor<4xi32>) -> tensor<i32>
  return
}

// No operands, a scalar operand, a captured index, a position.
// CHECK-LABEL: @positions
func.func @positions(%s: tensor<f32>, %base: index)
    -> (tensor<5xi64>, tensor<2x3xf32>) {
  // CHECK: ein.einsum "->l"() {
  // CHECK-NEXT: ein.index "l" : index
  %0 = ein.einsum "->l"() {
    %i = ein.index "l" : index
    %j = arith.addi %i, %base : index
    %k = arith.index_cast %j : index to i64
    ein.yield %k : i64
  } : () -> tensor<5xi64>
  // CHECK: ein.einsum "->ab"(%{{.*}}) {
  %1 = ein.einsum "->ab"(%s) {
  ^bb0(%a: f32):
    ein.yield %a : f32
  } : (tensor<f32>) -> tensor<2x3xf32>
  return %0, %1 : tensor<5xi64>, tensor<2x3xf32>
}

// CHECK-LABEL: @data
func.func @data(%x: tensor<8x8xf32>, %i: tensor<3xi32>, %t: tensor<6x2xi8>) {
  // CHECK: ein.slice %{{.*}} [0, 4] [2, 2] [1, 2] : tensor<8x8xf32> to tensor<2x2xf32>
  %0 = ein.slice %x [0, 4] [2, 2] [1, 2] : tensor<8x8xf32> to tensor<2x2xf32>
  // CHECK: ein.concat %{{.*}}, %{{.*}} dim 1 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x16xf32>
  %1 = ein.concat %x, %x dim 1 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x16xf32>
  // CHECK: ein.reshape %{{.*}} : tensor<8x8xf32> to tensor<2x32xf32>
  %2 = ein.reshape %x : tensor<8x8xf32> to tensor<2x32xf32>
  // CHECK: ein.gather %{{.*}}[%{{.*}}] : (tensor<6x2xi8>, tensor<3xi32>) -> tensor<3x2xi8>
  %3 = ein.gather %t[%i] : (tensor<6x2xi8>, tensor<3xi32>) -> tensor<3x2xi8>
  return
}

// CHECK-LABEL: @windows
func.func @windows(%x: tensor<8x4x8xf32>, %i: index, %j: index) {
  // CHECK: ein.window %{{.*}}[%{{.*}}, %{{.*}}] : tensor<8x4x8xf32> to tensor<2x4x1xf32>
  %0 = ein.window %x[%i, %j] : tensor<8x4x8xf32> to tensor<2x4x1xf32>
  // CHECK: ein.window %{{.*}}[] : tensor<8x4x8xf32> to tensor<8x4x8xf32>
  %1 = ein.window %x[] : tensor<8x4x8xf32> to tensor<8x4x8xf32>
  return
}

// CHECK-LABEL: @scalars
func.func @scalars(%x: tensor<f16>, %t: tensor<6xf16>, %i: tensor<i64>) {
  // CHECK: ein.slice %{{.*}} [] [] [] : tensor<f16> to tensor<f16>
  %0 = ein.slice %x [] [] [] : tensor<f16> to tensor<f16>
  // CHECK: ein.reshape %{{.*}} : tensor<f16> to tensor<1x1xf16>
  %1 = ein.reshape %x : tensor<f16> to tensor<1x1xf16>
  // CHECK: ein.gather %{{.*}}[%{{.*}}] : (tensor<6xf16>, tensor<i64>) -> tensor<f16>
  %2 = ein.gather %t[%i] : (tensor<6xf16>, tensor<i64>) -> tensor<f16>
  return
}

// CHECK-LABEL: @fused
func.func @fused(%x: tensor<4x8xf32>, %w: tensor<8xf32>)
    -> (tensor<4x8xf32>, tensor<4xf32>) {
  // CHECK: ein.fused "ld,d->ld,l" parallel "l"(%{{.*}}, %{{.*}}) {
  // CHECK-NEXT: ^bb0(%{{.*}}: tensor<4x8xf32>, %{{.*}}: tensor<8xf32>):
  // CHECK: ein.yield %{{.*}}, %{{.*}} : tensor<4x8xf32>, tensor<4xf32>
  // CHECK-NEXT: } : (tensor<4x8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4xf32>)
  %y:2 = ein.fused "ld,d->ld,l" parallel "l"(%x, %w) {
  ^bb0(%t: tensor<4x8xf32>, %v: tensor<8xf32>):
    %m = ein.einsum "ld->l" max(%t) {
    ^bb0(%a: f32):
      ein.yield %a : f32
    } : (tensor<4x8xf32>) -> tensor<4xf32>
    %r = ein.einsum "ld,l,d->ld"(%t, %m, %v) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %d = arith.subf %a, %b : f32
      %e = arith.mulf %d, %c : f32
      ein.yield %e : f32
    } : (tensor<4x8xf32>, tensor<4xf32>, tensor<8xf32>) -> tensor<4x8xf32>
    ein.yield %r, %m : tensor<4x8xf32>, tensor<4xf32>
  } : (tensor<4x8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4xf32>)
  return %y#0, %y#1 : tensor<4x8xf32>, tensor<4xf32>
}
