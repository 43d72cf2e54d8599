// RUN: turnip-opt %s --partition-ein=tile-budget=1KiB --split-input-file | FileCheck %s

// Another shape or a rectangle of a parameter is loaded as such.
// CHECK-LABEL: task.graph @views
// CHECK: task.parameter "w" [2, 8, 16] of [16, 16] offsets [1, 2, 0] sizes [1, 4, 16] : <1x4x16xf32, dev 0>
// CHECK-NOT: task.call @reshape
// CHECK-NOT: task.call @slice
func.func @views() -> tensor<1x4xf32> {
  %w = ein.parameter "w" : tensor<16x16xf32>
  %r = ein.reshape %w : tensor<16x16xf32> to tensor<2x8x16xf32>
  %s = ein.slice %r [1, 2, 0] [1, 4, 16] [1, 1, 1] : tensor<2x8x16xf32> to tensor<1x4x16xf32>
  %m = ein.einsum "abc->ab" max(%s) {
  ^bb0(%a: f32):
    ein.yield %a : f32
  } : (tensor<1x4x16xf32>) -> tensor<1x4xf32>
  return %m : tensor<1x4xf32>
}

// -----

// The rows that the first reduction needs whole are cut otherwise by the second:
// tiles are put together from pieces of the producer's tiles.
// CHECK: task.kernel @assemble
// CHECK: ein.window
// CHECK: ein.concat
// CHECK-LABEL: task.graph @repartition
// CHECK: task.call @assemble
func.func @repartition(%x: tensor<16x16xf32>) -> (tensor<16x16xf32>) {
  %n = ein.fused "ab->ab" parallel "a"(%x) {
  ^bb0(%t: tensor<16x16xf32>):
    %m = ein.einsum "ab->a" max(%t) {
    ^bb0(%a: f32):
      ein.yield %a : f32
    } : (tensor<16x16xf32>) -> tensor<16xf32>
    %d = ein.einsum "ab,a->ab"(%t, %m) {
    ^bb0(%a: f32, %b: f32):
      %s = arith.subf %a, %b : f32
      ein.yield %s : f32
    } : (tensor<16x16xf32>, tensor<16xf32>) -> tensor<16x16xf32>
    ein.yield %d : tensor<16x16xf32>
  } : (tensor<16x16xf32>) -> tensor<16x16xf32>
  %c = ein.fused "ab->ab" parallel "b"(%n) {
  ^bb0(%t: tensor<16x16xf32>):
    %m = ein.einsum "ab->b" max(%t) {
    ^bb0(%a: f32):
      ein.yield %a : f32
    } : (tensor<16x16xf32>) -> tensor<16xf32>
    %d = ein.einsum "ab,b->ab"(%t, %m) {
    ^bb0(%a: f32, %b: f32):
      %s = arith.subf %a, %b : f32
      ein.yield %s : f32
    } : (tensor<16x16xf32>, tensor<16xf32>) -> tensor<16x16xf32>
    ein.yield %d : tensor<16x16xf32>
  } : (tensor<16x16xf32>) -> tensor<16x16xf32>
  return %c : tensor<16x16xf32>
}

// -----

// Constants are tasks; an unused input stays in the signature; a value returned
// twice is copied once.
// CHECK-LABEL: task.graph @rest
// CHECK: %[[C:.*]] = task.call @constant()
// CHECK: task.result %[[C]] "a"
// CHECK: %[[COPY:.*]] = task.call @copy(%[[C]])
// CHECK: task.result %[[COPY]] "b"
// CHECK: task.input "unused" [4] offsets [0] sizes [4] : <4xf32, host>
func.func @rest(%x: tensor<4xf32> {ein.name = "unused"}) -> (tensor<2xf32> {ein.name = "a"}, tensor<2xf32> {ein.name = "b"}) {
  %c = ein.constant dense<[1.0, 2.0]> : tensor<2xf32>
  return %c, %c : tensor<2xf32>, tensor<2xf32>
}
