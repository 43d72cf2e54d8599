// Every operation of ein, evaluated: as written, canonicalised, cut into tiles
// and partitioned into a graph of tasks.
//
// RUN: turnip-eval %s | FileCheck %s
// RUN: turnip-opt %s --canonicalize --cse | turnip-eval | FileCheck %s
// RUN: turnip-opt %s --test-ein-tile="sizes=a=1,b=2,c=3,d0=1,d1=2,k=2" | turnip-eval | FileCheck %s
// RUN: turnip-opt %s --test-ein-tile="sizes=a=2,c=1,d2=1,k=1" --canonicalize | turnip-eval | FileCheck %s
// RUN: turnip-opt %s --partition-ein=tile-budget=64 | turnip-eval | FileCheck %s
//
// And compiled, placed and run.
// RUN: turnip-opt %s --partition-ein --task-compile-kernels --place-memory | turnip-translate --mem-to-memgraph -o %t.1
// RUN: turnip-run %t.1 | FileCheck %s
// RUN: turnip-opt %s --partition-ein=tile-budget=64 --task-compile-kernels --place-memory=device-memory=512 | turnip-translate --mem-to-memgraph -o %t.2
// RUN: turnip-run %t.2 --schedule=random:5 --guard | FileCheck %s

// CHECK: constant: 2x2xi32=[1 -2][3 4]
// CHECK-NEXT: contraction: 2x2xf32=[14 32][32 77]
// CHECK-NEXT: outer: 2x3xi32=[2 4 6][4 8 12]
// CHECK-NEXT: product: 3xi64=4 10 18
// CHECK-NEXT: largest: 2xf32=3 6
// CHECK-NEXT: smallest: f32=1
// CHECK-NEXT: every: i1=0
// CHECK-NEXT: some: i1=1
// CHECK-NEXT: odd: i1=1
// CHECK-NEXT: position: 2x3xi64=[0 1 2][10 11 12]
// CHECK-NEXT: repeated: 2x3x2xf32={{\[\[}}1 1][2 2][3 3]]{{\[\[}}4 4][5 5][6 6]]
// CHECK-NEXT: sliced: 2x2xf32=[1 3][4 6]
// CHECK-NEXT: joined: 2x5xf32=[1 3 1 2 3][4 6 4 5 6]
// CHECK-NEXT: reshaped: 3x2xf32=[1 2][3 4][5 6]
// CHECK-NEXT: rows: 4x3xf32=[4 5 6][1 2 3][4 5 6][1 2 3]
// CHECK-NEXT: centred: 2x3xf32=[-2 -1 0][-2 -1 0]
// CHECK-NEXT: top: 2xf32=3 6
func.func @main() -> (
    tensor<2x2xi32> {ein.name = "constant"},
    tensor<2x2xf32> {ein.name = "contraction"},
    tensor<2x3xi32> {ein.name = "outer"},
    tensor<3xi64> {ein.name = "product"},
    tensor<2xf32> {ein.name = "largest"},
    tensor<f32> {ein.name = "smallest"},
    tensor<i1> {ein.name = "every"},
    tensor<i1> {ein.name = "some"},
    tensor<i1> {ein.name = "odd"},
    tensor<2x3xi64> {ein.name = "position"},
    tensor<2x3x2xf32> {ein.name = "repeated"},
    tensor<2x2xf32> {ein.name = "sliced"},
    tensor<2x5xf32> {ein.name = "joined"},
    tensor<3x2xf32> {ein.name = "reshaped"},
    tensor<4x3xf32> {ein.name = "rows"},
    tensor<2x3xf32> {ein.name = "centred"},
    tensor<2xf32> {ein.name = "top"}) {
  %constant = ein.constant dense<[[1, -2], [3, 4]]> : tensor<2x2xi32>
  %x = ein.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %contraction = ein.einsum "ak,bk->ab" sum(%x, %x) {
  ^bb0(%e: f32, %f: f32):
    %p = arith.mulf %e, %f : f32
    ein.yield %p : f32
  } : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2xf32>

  %i = ein.constant dense<[1, 2]> : tensor<2xi8>
  %j = ein.constant dense<[2, 4, 6]> : tensor<3xi32>
  %outer = ein.einsum "a,c->ac"(%i, %j) {
  ^bb0(%e: i8, %f: i32):
    %g = arith.extsi %e : i8 to i32
    %p = arith.muli %g, %f : i32
    ein.yield %p : i32
  } : (tensor<2xi8>, tensor<3xi32>) -> tensor<2x3xi32>

  %product = ein.einsum "kc->c" prod(%x) {
  ^bb0(%e: f32):
    %f = arith.fptosi %e : f32 to i64
    ein.yield %f : i64
  } : (tensor<2x3xf32>) -> tensor<3xi64>
  %largest = ein.einsum "ak->a" max(%x) {
  ^bb0(%e: f32):
    ein.yield %e : f32
  } : (tensor<2x3xf32>) -> tensor<2xf32>
  %smallest = ein.einsum "jk->" min(%x) {
  ^bb0(%e: f32):
    ein.yield %e : f32
  } : (tensor<2x3xf32>) -> tensor<f32>

  %bits = ein.constant dense<[true, false, true, true]> : tensor<4xi1>
  %every = ein.einsum "k->" and(%bits) {
  ^bb0(%e: i1):
    ein.yield %e : i1
  } : (tensor<4xi1>) -> tensor<i1>
  %some = ein.einsum "k->" or(%bits) {
  ^bb0(%e: i1):
    ein.yield %e : i1
  } : (tensor<4xi1>) -> tensor<i1>
  %odd = ein.einsum "k->" xor(%bits) {
  ^bb0(%e: i1):
    ein.yield %e : i1
  } : (tensor<4xi1>) -> tensor<i1>

  %position = ein.einsum "->ac"() {
    %p = ein.index "a" : index
    %q = ein.index "c" : index
    %r = arith.index_cast %p : index to i64
    %s = arith.index_cast %q : index to i64
    %ten = arith.constant 10 : i64
    %t = arith.muli %r, %ten : i64
    %u = arith.addi %t, %s : i64
    ein.yield %u : i64
  } : () -> tensor<2x3xi64>
  %repeated = ein.einsum "ac->acb"(%x) {
  ^bb0(%e: f32):
    ein.yield %e : f32
  } : (tensor<2x3xf32>) -> tensor<2x3x2xf32>

  %sliced = ein.slice %x [0, 0] [2, 2] [1, 2] : tensor<2x3xf32> to tensor<2x2xf32>
  %joined = ein.concat %sliced, %x dim 1 : (tensor<2x2xf32>, tensor<2x3xf32>) -> tensor<2x5xf32>
  %reshaped = ein.reshape %x : tensor<2x3xf32> to tensor<3x2xf32>
  %chosen = ein.constant dense<[1, 0, 7, -3]> : tensor<4xi32>
  %rows = ein.gather %x[%chosen] : (tensor<2x3xf32>, tensor<4xi32>) -> tensor<4x3xf32>

  %centred:2 = ein.fused "ac->ac,a" parallel "a"(%x) {
  ^bb0(%t: tensor<2x3xf32>):
    %m = ein.einsum "ac->a" max(%t) {
    ^bb0(%e: f32):
      ein.yield %e : f32
    } : (tensor<2x3xf32>) -> tensor<2xf32>
    %r = ein.einsum "ac,a->ac"(%t, %m) {
    ^bb0(%e: f32, %f: f32):
      %d = arith.subf %e, %f : f32
      ein.yield %d : f32
    } : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xf32>
    ein.yield %r, %m : tensor<2x3xf32>, tensor<2xf32>
  } : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2xf32>)
  return %constant, %contraction, %outer, %product, %largest, %smallest, %every,
      %some, %odd, %position, %repeated, %sliced, %joined, %reshaped, %rows,
      %centred#0, %centred#1
      : tensor<2x2xi32>, tensor<2x2xf32>, tensor<2x3xi32>, tensor<3xi64>,
        tensor<2xf32>, tensor<f32>, tensor<i1>, tensor<i1>, tensor<i1>,
        tensor<2x3xi64>, tensor<2x3x2xf32>, tensor<2x2xf32>, tensor<2x5xf32>,
        tensor<3x2xf32>, tensor<4x3xf32>, tensor<2x3xf32>, tensor<2xf32>
}
