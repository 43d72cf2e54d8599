// RUN: turnip-opt %s --canonicalize --split-input-file | FileCheck %s

// CHECK-LABEL: @reshape_of_reshape
// CHECK-SAME: (%[[X:.*]]: tensor<4x6xf32>)
func.func @reshape_of_reshape(%x: tensor<4x6xf32>)
    -> (tensor<24xf32>, tensor<4x6xf32>) {
  // CHECK-NEXT: %[[R:.*]] = ein.reshape %[[X]] : tensor<4x6xf32> to tensor<24xf32>
  // CHECK-NEXT: return %[[R]], %[[X]]
  %0 = ein.reshape %x : tensor<4x6xf32> to tensor<2x12xf32>
  %1 = ein.reshape %0 : tensor<2x12xf32> to tensor<24xf32>
  %2 = ein.reshape %1 : tensor<24xf32> to tensor<4x6xf32>
  return %1, %2 : tensor<24xf32>, tensor<4x6xf32>
}

// -----

// CHECK-LABEL: @constants
func.func @constants() -> (tensor<2x2xi32>, tensor<2xi32>, tensor<3xf16>,
                           tensor<5xf32>, tensor<3xi1>) {
  // CHECK-DAG: ein.constant dense<{{\[\[}}1, 2], [3, 4]]> : tensor<2x2xi32>
  %0 = ein.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %1 = ein.reshape %0 : tensor<4xi32> to tensor<2x2xi32>
  // CHECK-DAG: ein.constant dense<[2, 4]> : tensor<2xi32>
  %2 = ein.slice %0 [1] [2] [2] : tensor<4xi32> to tensor<2xi32>
  // CHECK-DAG: ein.constant dense<1.000000e+00> : tensor<3xf16>
  %3 = ein.constant dense<1.0> : tensor<7xf16>
  %4 = ein.slice %3 [1] [3] [1] : tensor<7xf16> to tensor<3xf16>
  // CHECK-DAG: ein.constant dense<2.000000e+00> : tensor<5xf32>
  %5 = ein.constant dense<2.0> : tensor<2xf32>
  %6 = ein.constant dense<2.0> : tensor<3xf32>
  %7 = ein.concat %5, %6 dim 0 : (tensor<2xf32>, tensor<3xf32>) -> tensor<5xf32>
  // CHECK-DAG: ein.constant dense<[true, false, true]> : tensor<3xi1>
  %8 = ein.constant dense<[[true, false, false], [false, true, true]]> : tensor<2x3xi1>
  %9 = ein.reshape %8 : tensor<2x3xi1> to tensor<6xi1>
  %10 = ein.slice %9 [0] [3] [2] : tensor<6xi1> to tensor<3xi1>
  // CHECK-NOT: ein.slice
  // CHECK-NOT: ein.concat
  // CHECK-NOT: ein.reshape
  return %1, %2, %4, %7, %10
      : tensor<2x2xi32>, tensor<2xi32>, tensor<3xf16>, tensor<5xf32>, tensor<3xi1>
}

// -----

// CHECK-LABEL: @unequal_parts
func.func @unequal_parts() -> tensor<5xf32> {
  // CHECK: ein.concat
  %0 = ein.constant dense<2.0> : tensor<2xf32>
  %1 = ein.constant dense<3.0> : tensor<3xf32>
  %2 = ein.concat %0, %1 dim 0 : (tensor<2xf32>, tensor<3xf32>) -> tensor<5xf32>
  return %2 : tensor<5xf32>
}

// -----

// CHECK-LABEL: @slice_of_slice
// CHECK-SAME: (%[[X:.*]]: tensor<20x9xf32>)
func.func @slice_of_slice(%x: tensor<20x9xf32>)
    -> (tensor<3x1xf32>, tensor<20x9xf32>) {
  // CHECK-NEXT: %[[S:.*]] = ein.slice %[[X]] [4, 8] [3, 1] [6, 1] : tensor<20x9xf32> to tensor<3x1xf32>
  // CHECK-NEXT: return %[[S]], %[[X]]
  %0 = ein.slice %x [1, 2] [6, 3] [3, 3] : tensor<20x9xf32> to tensor<6x3xf32>
  %1 = ein.slice %0 [1, 2] [3, 1] [2, 7] : tensor<6x3xf32> to tensor<3x1xf32>
  %2 = ein.slice %x [0, 0] [20, 9] [1, 1] : tensor<20x9xf32> to tensor<20x9xf32>
  return %1, %2 : tensor<3x1xf32>, tensor<20x9xf32>
}

// -----

// CHECK-LABEL: @windows
// CHECK-SAME: (%[[X:.*]]: tensor<8x4x6xf32>, %[[I:.*]]: index)
func.func @windows(%x: tensor<8x4x6xf32>, %i: index)
    -> (tensor<2x4x1xf32>, tensor<2x4x1xf32>, tensor<8x4x6xf32>, tensor<2x4x1xf32>) {
  %c-1 = arith.constant -1 : index
  %c3 = arith.constant 3 : index
  %c7 = arith.constant 7 : index
  // CHECK-DAG: %[[A:.*]] = ein.slice %[[X]] [3, 0, 0] [2, 4, 1] [1, 1, 1]
  %0 = ein.window %x[%c3, %c-1] : tensor<8x4x6xf32> to tensor<2x4x1xf32>
  // CHECK-DAG: %[[B:.*]] = ein.slice %[[X]] [6, 0, 5] [2, 4, 1] [1, 1, 1]
  %1 = ein.window %x[%c7, %c7] : tensor<8x4x6xf32> to tensor<2x4x1xf32>
  %2 = ein.window %x[] : tensor<8x4x6xf32> to tensor<8x4x6xf32>
  // CHECK-DAG: %[[C:.*]] = ein.window %[[X]][%[[I]], %{{.*}}]
  %3 = ein.window %x[%i, %c3] : tensor<8x4x6xf32> to tensor<2x4x1xf32>
  // CHECK: return %[[A]], %[[B]], %[[X]], %[[C]]
  return %0, %1, %2, %3
      : tensor<2x4x1xf32>, tensor<2x4x1xf32>, tensor<8x4x6xf32>, tensor<2x4x1xf32>
}

// -----

// CHECK-LABEL: @slice_of_concat
// CHECK-SAME: (%[[A:.*]]: tensor<2x4xf32>, %[[B:.*]]: tensor<2x6xf32>)
func.func @slice_of_concat(%a: tensor<2x4xf32>, %b: tensor<2x6xf32>)
    -> (tensor<1x2xf32>, tensor<2x4xf32>, tensor<2x2xf32>) {
  %0 = ein.concat %a, %b dim 1 : (tensor<2x4xf32>, tensor<2x6xf32>) -> tensor<2x10xf32>
  // In the second part.
  // CHECK-DAG: %[[P:.*]] = ein.slice %[[B]] [1, 1] [1, 2] [1, 3] : tensor<2x6xf32> to tensor<1x2xf32>
  %1 = ein.slice %0 [1, 5] [1, 2] [1, 3] : tensor<2x10xf32> to tensor<1x2xf32>
  // All of the first part.
  %2 = ein.slice %0 [0, 0] [2, 4] [1, 1] : tensor<2x10xf32> to tensor<2x4xf32>
  // Across both.
  // CHECK-DAG: %[[C:.*]] = ein.concat %[[A]], %[[B]]
  // CHECK-DAG: %[[Q:.*]] = ein.slice %[[C]] [0, 3] [2, 2] [1, 1]
  %3 = ein.slice %0 [0, 3] [2, 2] [1, 1] : tensor<2x10xf32> to tensor<2x2xf32>
  // CHECK: return %[[P]], %[[A]], %[[Q]]
  return %1, %2, %3 : tensor<1x2xf32>, tensor<2x4xf32>, tensor<2x2xf32>
}

// -----

// CHECK-LABEL: @concats
// CHECK-SAME: (%[[A:.*]]: tensor<2xf32>, %[[B:.*]]: tensor<3xf32>)
func.func @concats(%a: tensor<2xf32>, %b: tensor<3xf32>)
    -> (tensor<2xf32>, tensor<7xf32>) {
  %0 = ein.concat %a dim 0 : (tensor<2xf32>) -> tensor<2xf32>
  %1 = ein.concat %a, %b dim 0 : (tensor<2xf32>, tensor<3xf32>) -> tensor<5xf32>
  // CHECK-NEXT: %[[C:.*]] = ein.concat %[[A]], %[[B]], %[[A]] dim 0
  %2 = ein.concat %1, %a dim 0 : (tensor<5xf32>, tensor<2xf32>) -> tensor<7xf32>
  // CHECK-NEXT: return %[[A]], %[[C]]
  return %0, %2 : tensor<2xf32>, tensor<7xf32>
}

// -----

// CHECK-LABEL: @cut_and_joined
// CHECK-SAME: (%[[X:.*]]: tensor<4x6xf32>)
func.func @cut_and_joined(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  // CHECK-NEXT: return %[[X]]
  %0 = ein.slice %x [0, 0] [4, 2] [1, 1] : tensor<4x6xf32> to tensor<4x2xf32>
  %1 = ein.slice %x [0, 2] [4, 1] [1, 1] : tensor<4x6xf32> to tensor<4x1xf32>
  %2 = ein.slice %x [0, 3] [4, 3] [1, 1] : tensor<4x6xf32> to tensor<4x3xf32>
  %3 = ein.concat %0, %1, %2 dim 1
      : (tensor<4x2xf32>, tensor<4x1xf32>, tensor<4x3xf32>) -> tensor<4x6xf32>
  return %3 : tensor<4x6xf32>
}

// -----

// CHECK-LABEL: @copy
// CHECK-SAME: (%[[X:.*]]: tensor<4x6xf32>)
func.func @copy(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  // CHECK-NEXT: return %[[X]]
  %0 = ein.einsum "ab->ab"(%x) {
  ^bb0(%a: f32):
    ein.yield %a : f32
  } : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// -----

// A square transpose is no copy.
// CHECK-LABEL: @transpose
func.func @transpose(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // CHECK: ein.einsum "ab->ba"
  %0 = ein.einsum "ab->ba"(%x) {
  ^bb0(%a: f32):
    ein.yield %a : f32
  } : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

// CHECK-LABEL: @unused_operand
// CHECK-SAME: (%[[X:.*]]: tensor<4x6xf32>, %[[Y:.*]]: tensor<6xf32>, %[[Z:.*]]: tensor<3xf32>)
func.func @unused_operand(%x: tensor<4x6xf32>, %y: tensor<6xf32>, %z: tensor<3xf32>)
    -> tensor<4xf32> {
  // Label d gives the sum its number of terms.
  // CHECK-NEXT: ein.einsum "ab,d->a" sum(%[[X]], %[[Z]]) {
  // CHECK-NEXT: ^bb0(%[[A:.*]]: f32, %{{.*}}: f32):
  // CHECK-NEXT: ein.yield %[[A]]
  %0 = ein.einsum "b,ab,d->a" sum(%y, %x, %z) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    ein.yield %b : f32
  } : (tensor<6xf32>, tensor<4x6xf32>, tensor<3xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// CHECK-LABEL: @equal_operands
// CHECK-SAME: (%[[X:.*]]: tensor<4x4xf32>)
func.func @equal_operands(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // CHECK-NEXT: ein.einsum "ab,ba->ab"(%[[X]], %[[X]]) {
  // CHECK-NEXT: ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32):
  // CHECK-NEXT: %[[P:.*]] = arith.mulf %[[A]], %[[A]]
  // CHECK-NEXT: arith.addf %[[P]], %[[B]]
  %0 = ein.einsum "ab,ab,ba->ab"(%x, %x, %x) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %q = arith.addf %p, %c : f32
    ein.yield %q : f32
  } : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

// CHECK-LABEL: @splat_operand
func.func @splat_operand(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: ein.einsum "a->a"(%{{.*}}) {
  // CHECK-NEXT: ^bb0(%[[A:.*]]: f32):
  // CHECK-NEXT: %[[C:.*]] = arith.constant 2.000000e+00 : f32
  // CHECK-NEXT: arith.mulf %[[A]], %[[C]]
  %0 = ein.constant dense<2.0> : tensor<4xf32>
  %1 = ein.einsum "a,a->a"(%x, %0) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    ein.yield %p : f32
  } : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// CHECK-LABEL: @absorb_transpose
// CHECK-SAME: (%[[X:.*]]: tensor<4x8xf32>, %[[W:.*]]: tensor<8x6xf32>, %[[B:.*]]: tensor<6xf32>)
func.func @absorb_transpose(%x: tensor<4x8xf32>, %w: tensor<8x6xf32>, %b: tensor<6xf32>)
    -> tensor<4x6xf32> {
  // CHECK-NEXT: ein.einsum "lk,kn,n->ln" sum(%[[X]], %[[W]], %[[B]])
  // CHECK-NOT: ein.einsum
  %0 = ein.einsum "ab->ba"(%w) {
  ^bb0(%a: f32):
    ein.yield %a : f32
  } : (tensor<8x6xf32>) -> tensor<6x8xf32>
  %1 = ein.einsum "c->dc"(%b) {
  ^bb0(%a: f32):
    ein.yield %a : f32
  } : (tensor<6xf32>) -> tensor<4x6xf32>
  %2 = ein.einsum "lk,nk,ln->ln" sum(%x, %0, %1) {
  ^bb0(%a: f32, %c: f32, %d: f32):
    %p = arith.mulf %a, %c : f32
    %q = arith.mulf %p, %d : f32
    ein.yield %q : f32
  } : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return %2 : tensor<4x6xf32>
}

// -----

// A repetition that the consumer sums over is counted by it.
// CHECK-LABEL: @keep_broadcast
func.func @keep_broadcast(%b: tensor<6xf32>) -> tensor<6xf32> {
  // CHECK: ein.einsum "c->dc"
  // CHECK: ein.einsum "rc->c" sum
  %0 = ein.einsum "c->dc"(%b) {
  ^bb0(%a: f32):
    ein.yield %a : f32
  } : (tensor<6xf32>) -> tensor<4x6xf32>
  %1 = ein.einsum "rc->c" sum(%0) {
  ^bb0(%a: f32):
    ein.yield %a : f32
  } : (tensor<4x6xf32>) -> tensor<6xf32>
  return %1 : tensor<6xf32>
}

// -----

// Along a label of size 1 the position is 0, and stays in the body.
// CHECK-LABEL: @index
func.func @index() -> tensor<1x3xi64> {
  // CHECK-NEXT: ein.einsum "->ab"() {
  // CHECK-NEXT: ein.index "b" : index
  // CHECK-NEXT: arith.index_cast
  // CHECK-NEXT: ein.yield
  %0 = ein.einsum "->ab"() {
    %i = ein.index "a" : index
    %j = ein.index "b" : index
    %k = arith.addi %i, %j : index
    %l = arith.index_cast %k : index to i64
    ein.yield %l : i64
  } : () -> tensor<1x3xi64>
  return %0 : tensor<1x3xi64>
}

// -----

// CHECK-LABEL: @constant_body
func.func @constant_body() -> tensor<3xf32> {
  // CHECK-NEXT: ein.einsum "->a"() {
  // CHECK-NEXT: arith.constant 3.000000e+00 : f32
  %0 = ein.einsum "->a"() {
    %i = arith.constant 1.0 : f32
    %j = arith.constant 2.0 : f32
    %k = arith.addf %i, %j : f32
    ein.yield %k : f32
  } : () -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

// CHECK-LABEL: @fused
// CHECK-SAME: (%[[X:.*]]: tensor<4x8xf32>, %[[Y:.*]]: tensor<8xf32>)
func.func @fused(%x: tensor<4x8xf32>, %y: tensor<8xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: %[[R:.*]] = ein.fused "ld->l" parallel "l"(%[[X]]) {
  // CHECK-NEXT: ^bb0(%[[T:.*]]: tensor<4x8xf32>):
  // CHECK-NEXT: %[[M:.*]] = ein.einsum "ld->l" max(%[[T]])
  // CHECK-NOT: ein.einsum
  // CHECK: ein.yield %[[M]] : tensor<4xf32>
  // CHECK-NEXT: } : (tensor<4x8xf32>) -> tensor<4xf32>
  // CHECK-NEXT: return %[[R]]
  %0:2 = ein.fused "ld,d,ld->ld,l" parallel "l"(%x, %y, %x) {
  ^bb0(%t: tensor<4x8xf32>, %u: tensor<8xf32>, %v: tensor<4x8xf32>):
    %m = ein.einsum "ld->l" max(%v) {
    ^bb0(%a: f32):
      ein.yield %a : f32
    } : (tensor<4x8xf32>) -> tensor<4xf32>
    %r = ein.einsum "ld,l,d->ld"(%t, %m, %u) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %d = arith.subf %a, %b : f32
      %e = arith.mulf %d, %c : f32
      ein.yield %e : f32
    } : (tensor<4x8xf32>, tensor<4xf32>, tensor<8xf32>) -> tensor<4x8xf32>
    ein.yield %r, %m : tensor<4x8xf32>, tensor<4xf32>
  } : (tensor<4x8xf32>, tensor<8xf32>, tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4xf32>)
  return %0#1 : tensor<4xf32>
}
