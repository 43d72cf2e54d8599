// Every combiner, on floats and on integers.
//
// RUN: turnip-eval %s | FileCheck %s
// RUN: turnip-opt %s --partition-ein=tile-budget=4KiB --task-compile-kernels --place-memory -o %t.mlir
// RUN: turnip-translate --mem-to-memgraph %t.mlir -o %t.memgraph
// RUN: turnip-run %t.memgraph --guard | FileCheck %s
// RUN: turnip-opt %s --ein-fuse --partition-ein=tile-budget=64 --task-compile-kernels --place-memory=device-memory=1KiB -o %t.mlir
// RUN: turnip-translate --mem-to-memgraph %t.mlir -o %t.memgraph
// RUN: turnip-run %t.memgraph --schedule=random:1 | FileCheck %s

// CHECK: sum: 2xf32=6 6.5
// CHECK-NEXT: prod: 2xf32=6 -8
// CHECK-NEXT: max: 2xf32=3 4.5
// CHECK-NEXT: min: 2xf32=1 -2
// CHECK-NEXT: isum: 2xi8=-56 4
// CHECK-NEXT: iprod: 2xi32=6000000 -64
// CHECK-NEXT: imax: 2xi64=300 4
// CHECK-NEXT: imin: 2xi64=100 -4
// CHECK-NEXT: iand: 2xi32=0 4
// CHECK-NEXT: ior: 2xi32=492 -4
// CHECK-NEXT: ixor: 2xi32=384 -4
// CHECK-NEXT: band: 2xi1=0 1
// CHECK-NEXT: bor: 2xi1=1 1
// CHECK-NEXT: bxor: 2xi1=0 1
func.func @main() -> (
    tensor<2xf32> {ein.name = "sum"}, tensor<2xf32> {ein.name = "prod"},
    tensor<2xf32> {ein.name = "max"}, tensor<2xf32> {ein.name = "min"},
    tensor<2xi8> {ein.name = "isum"}, tensor<2xi32> {ein.name = "iprod"},
    tensor<2xi64> {ein.name = "imax"}, tensor<2xi64> {ein.name = "imin"},
    tensor<2xi32> {ein.name = "iand"}, tensor<2xi32> {ein.name = "ior"}, tensor<2xi32> {ein.name = "ixor"},
    tensor<2xi1> {ein.name = "band"}, tensor<2xi1> {ein.name = "bor"}, tensor<2xi1> {ein.name = "bxor"}) {
  %x = ein.constant dense<[[1.0, 2.0, 3.0], [4.0, -2.0, 4.5]]> : tensor<2x3xf32>
  %p = ein.constant dense<[[1.0, 2.0, 3.0], [4.0, -2.0, 1.0]]> : tensor<2x3xf32>
  // 100 + 200 + 156 is 456, which is -56 in 8 bits.
  %i8 = ein.constant dense<[[100, -56, -100], [1, 1, 2]]> : tensor<2x3xi8>
  %i = ein.constant dense<[[100, 200, 300], [4, -4, 4]]> : tensor<2x3xi32>
  %j = ein.constant dense<[[100, 200, 300], [4, -4, 4]]> : tensor<2x3xi64>
  %b = ein.constant dense<[[true, false, true], [true, true, true]]> : tensor<2x3xi1>
  %sum = ein.einsum "ab->a" sum(%x) {
  ^bb0(%e: f32):
    ein.yield %e : f32
  } : (tensor<2x3xf32>) -> tensor<2xf32>
  %prod = ein.einsum "ab->a" prod(%p) {
  ^bb0(%e: f32):
    ein.yield %e : f32
  } : (tensor<2x3xf32>) -> tensor<2xf32>
  %max = ein.einsum "ab->a" max(%x) {
  ^bb0(%e: f32):
    ein.yield %e : f32
  } : (tensor<2x3xf32>) -> tensor<2xf32>
  %min = ein.einsum "ab->a" min(%x) {
  ^bb0(%e: f32):
    ein.yield %e : f32
  } : (tensor<2x3xf32>) -> tensor<2xf32>
  %isum = ein.einsum "ab->a" sum(%i8) {
  ^bb0(%e: i8):
    ein.yield %e : i8
  } : (tensor<2x3xi8>) -> tensor<2xi8>
  %iprod = ein.einsum "ab->a" prod(%i) {
  ^bb0(%e: i32):
    ein.yield %e : i32
  } : (tensor<2x3xi32>) -> tensor<2xi32>
  %imax = ein.einsum "ab->a" max(%j) {
  ^bb0(%e: i64):
    ein.yield %e : i64
  } : (tensor<2x3xi64>) -> tensor<2xi64>
  %imin = ein.einsum "ab->a" min(%j) {
  ^bb0(%e: i64):
    ein.yield %e : i64
  } : (tensor<2x3xi64>) -> tensor<2xi64>
  %iand = ein.einsum "ab->a" and(%i) {
  ^bb0(%e: i32):
    ein.yield %e : i32
  } : (tensor<2x3xi32>) -> tensor<2xi32>
  %ior = ein.einsum "ab->a" or(%i) {
  ^bb0(%e: i32):
    ein.yield %e : i32
  } : (tensor<2x3xi32>) -> tensor<2xi32>
  %ixor = ein.einsum "ab->a" xor(%i) {
  ^bb0(%e: i32):
    ein.yield %e : i32
  } : (tensor<2x3xi32>) -> tensor<2xi32>
  %band = ein.einsum "ab->a" and(%b) {
  ^bb0(%e: i1):
    ein.yield %e : i1
  } : (tensor<2x3xi1>) -> tensor<2xi1>
  %bor = ein.einsum "ab->a" or(%b) {
  ^bb0(%e: i1):
    ein.yield %e : i1
  } : (tensor<2x3xi1>) -> tensor<2xi1>
  %bxor = ein.einsum "ab->a" xor(%b) {
  ^bb0(%e: i1):
    ein.yield %e : i1
  } : (tensor<2x3xi1>) -> tensor<2xi1>
  return %sum, %prod, %max, %min, %isum, %iprod, %imax, %imin, %iand, %ior, %ixor, %band, %bor, %bxor
      : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xi8>, tensor<2xi32>, tensor<2xi64>, tensor<2xi64>,
        tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi1>, tensor<2xi1>, tensor<2xi1>
}
