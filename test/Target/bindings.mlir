// Slices of one parameter become one binding, also where another parameter
// stands between them in the graph.
// RUN: turnip-opt %s --partition-ein=tile-budget=64 --place-memory | turnip-translate --mem-to-memgraph -o %t
// RUN: turnip-translate --memgraph-to-mem %t | FileCheck %s

// CHECK-COUNT-2: mem.parameter "w"
// CHECK-NEXT: mem.parameter "v"
// CHECK-NOT: mem.parameter
func.func @main() -> (tensor<16xf32> {ein.name = "y"}, tensor<8xf32> {ein.name = "z"}, tensor<16xf32> {ein.name = "x"}) {
  %w = ein.parameter "w" : tensor<32xf32>
  %v = ein.parameter "v" : tensor<8xf32>
  %w0 = ein.slice %w [0] [16] [1] : tensor<32xf32> to tensor<16xf32>
  %w1 = ein.slice %w [16] [16] [1] : tensor<32xf32> to tensor<16xf32>
  %y = ein.einsum "i->i"(%w0) {
  ^bb0(%a: f32):
    %b = arith.negf %a : f32
    ein.yield %b : f32
  } : (tensor<16xf32>) -> tensor<16xf32>
  %z = ein.einsum "i->i"(%v) {
  ^bb0(%a: f32):
    %b = arith.negf %a : f32
    ein.yield %b : f32
  } : (tensor<8xf32>) -> tensor<8xf32>
  %x = ein.einsum "i->i"(%w1) {
  ^bb0(%a: f32):
    %b = arith.negf %a : f32
    ein.yield %b : f32
  } : (tensor<16xf32>) -> tensor<16xf32>
  return %y, %z, %x : tensor<16xf32>, tensor<8xf32>, tensor<16xf32>
}
