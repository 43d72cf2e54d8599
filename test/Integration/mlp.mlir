// A tiny network through every level: evaluated, partitioned, compiled,
// placed, written to a file, run. The numbers are worked out below.
//
// RUN: rm -rf %t && mkdir -p %t/w
// RUN: turnip-eval %s --entry=weights --output=up=@%t/w/up.npy --output=bias=@%t/w/bias.npy --output=down=@%t/w/down.npy
// RUN: turnip-eval %s --entry=mlp --parameters=%t/w --input=x=2x2xf32=1,2,3,-1 | FileCheck %s
//
// RUN: turnip-opt %s --symbol-dce -o %t/ein.mlir
// RUN: turnip-opt %t/ein.mlir --partition-ein=tile-budget=64 -o %t/task.mlir
// RUN: turnip-eval %t/task.mlir --entry=mlp --parameters=%t/w --input=x=2x2xf32=1,2,3,-1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=TASK < %t/task.mlir
//
// RUN: turnip-opt %t/task.mlir --task-compile-kernels --place-memory=device-memory=256 -o %t/mem.mlir
// RUN: FileCheck %s --check-prefix=MEM < %t/mem.mlir
// RUN: turnip-translate --mem-to-memgraph %t/mem.mlir -o %t/mlp.memgraph
// RUN: turnip-run %t/mlp.memgraph --entry=mlp --parameters=%t/w --input=x=2x2xf32=1,2,3,-1 | FileCheck %s
// RUN: turnip-run %t/mlp.memgraph --entry=mlp --parameters=%t/w --input=x=2x2xf32=1,2,3,-1 --schedule=fixed | FileCheck %s
// RUN: turnip-run %t/mlp.memgraph --entry=mlp --parameters=%t/w --input=x=2x2xf32=1,2,3,-1 --schedule=random:7 --guard | FileCheck %s
// RUN: turnip-run %t/mlp.memgraph --entry=mlp --parameters=%t/w --input=x=2x2xf32=1,2,3,-1 --expected-output=y=2x2xf32=9,-2.5,18,-31
// RUN: not turnip-run %t/mlp.memgraph --entry=mlp --parameters=%t/w --input=x=2x2xf32=1,2,3,-1 --expected-output=y=2x2xf32=9,-2.5,18,-31.01 2>&1 | FileCheck %s --check-prefix=WRONG
//
// The same in one command.
// RUN: turnip-compile %t/ein.mlir --tile-budget=64 --device-memory=256 -o %t/one.memgraph
// RUN: turnip-run %t/one.memgraph --entry=mlp --parameters=%t/w --input=x=2x2xf32=1,2,3,-1 | FileCheck %s
//
// Every level prints what it parses.
// RUN: turnip-opt %t/task.mlir | diff %t/task.mlir -
// RUN: turnip-opt %t/mem.mlir | diff %t/mem.mlir -
// RUN: turnip-translate --memgraph-to-mem %t/mlp.memgraph | turnip-translate --mem-to-memgraph -o %t/again.memgraph
// RUN: cmp %t/mlp.memgraph %t/again.memgraph

// Hidden: x * up^T + bias is
//   [[1 + 2, 2 - 2 + 1, -1 + 4 - 1], [3 - 1, 6 + 1 + 1, -3 - 2 - 1]]
// = [[3, 1, 2], [2, 8, -6]]; what is below 0 becomes 0.
// Result: hidden * down^T is
//   [[3 + 2 + 4, 1.5 - 4], [2 + 16 + 0, 1 - 32]].
// CHECK: y: 2x2xf32=[9 -2.5][18 -31]

// TASK: task.kernel
// TASK: task.graph @mlp devices 1
// TASK: task.parameter "up"
// TASK: task.result {{.*}} "y"

// MEM: mem.machine
// MEM: mem.graph @mlp
// MEM: mem.copy load
// MEM: mem.call
// MEM: mem.copy result
// MEM: mem.result "y"

// WRONG: y
func.func @mlp(%x: tensor<2x2xf32> {ein.name = "x"}) -> (tensor<2x2xf32> {ein.name = "y"}) {
  %up = ein.parameter "up" : tensor<3x2xf32>
  %bias = ein.parameter "bias" : tensor<3xf32>
  %down = ein.parameter "down" : tensor<2x3xf32>
  %product = ein.einsum "lk,nk->ln" sum(%x, %up) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    ein.yield %p : f32
  } : (tensor<2x2xf32>, tensor<3x2xf32>) -> tensor<2x3xf32>
  %sum = ein.einsum "ln,n->ln"(%product, %bias) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    ein.yield %s : f32
  } : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %hidden = ein.einsum "ln->ln"(%sum) {
  ^bb0(%a: f32):
    %zero = arith.constant 0.0 : f32
    %m = arith.maximumf %a, %zero : f32
    ein.yield %m : f32
  } : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %y = ein.einsum "lk,nk->ln" sum(%hidden, %down) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    ein.yield %p : f32
  } : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2xf32>
  return %y : tensor<2x2xf32>
}

func.func private @weights() -> (tensor<3x2xf32> {ein.name = "up"}, tensor<3xf32> {ein.name = "bias"}, tensor<2x3xf32> {ein.name = "down"}) {
  %up = ein.constant dense<[[1.0, 1.0], [2.0, -1.0], [-1.0, 2.0]]> : tensor<3x2xf32>
  %bias = ein.constant dense<[0.0, 1.0, -1.0]> : tensor<3xf32>
  %down = ein.constant dense<[[1.0, 2.0, 2.0], [0.5, -4.0, 0.0]]> : tensor<2x3xf32>
  return %up, %bias, %down : tensor<3x2xf32>, tensor<3xf32>, tensor<2x3xf32>
}
