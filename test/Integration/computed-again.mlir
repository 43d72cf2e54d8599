// RUN: turnip-opt %s --partition-ein=tile-budget=64KiB --task-compile-kernels -o %t.task.mlir
// RUN: turnip-opt %t.task.mlir --place-memory="device-memory=64KiB link-bandwidth=1e8 resident-parameters=false" -o %t.again.mlir
// RUN: turnip-opt %t.task.mlir --place-memory="device-memory=64KiB link-bandwidth=1e8 resident-parameters=false rematerialize=false" -o %t.once.mlir
// RUN: turnip-opt %t.task.mlir --place-memory="device-memory=64KiB link-bandwidth=1e8 resident-parameters=false keep-tasks=false" -o %t.bare.mlir
// RUN: turnip-opt %t.task.mlir --place-memory="link-bandwidth=1e8 resident-parameters=false" -o %t.all.mlir

// Two tables are computed twice instead of being copied.
// RUN: grep -o "mem.call @[a-z0-9_]* task [0-9]*" %t.again.mlir | sort | uniq -d | count 2
// RUN: grep -o "mem.call @[a-z0-9_]* task [0-9]*" %t.bare.mlir | sort | uniq -d | count 2
// RUN: grep -o "mem.call @[a-z0-9_]* task [0-9]*" %t.once.mlir | sort | uniq -d | count 0
// RUN: not grep "mem.copy offload" %t.again.mlir
// RUN: grep "mem.copy offload" %t.once.mlir | count 1

// The bits are the same in every order, with guarded mappings, and planned
// again at load.
// RUN: turnip-translate --mem-to-memgraph %t.again.mlir -o %t.again.memgraph
// RUN: turnip-translate --mem-to-memgraph %t.once.mlir -o %t.once.memgraph
// RUN: turnip-translate --mem-to-memgraph %t.bare.mlir -o %t.bare.memgraph
// RUN: turnip-translate --mem-to-memgraph %t.all.mlir -o %t.all.memgraph
// RUN: turnip-run %t.all.memgraph --parameters=random:1 --input=x=64x64xf32=0.25 --hash-results > %t.hash
// RUN: turnip-run %t.once.memgraph --parameters=random:1 --input=x=64x64xf32=0.25 --hash-results | cmp - %t.hash
// RUN: turnip-run %t.bare.memgraph --parameters=random:1 --input=x=64x64xf32=0.25 --hash-results | cmp - %t.hash
// RUN: turnip-run %t.again.memgraph --parameters=random:1 --input=x=64x64xf32=0.25 --hash-results --guard | cmp - %t.hash
// RUN: turnip-run %t.again.memgraph --parameters=random:1 --input=x=64x64xf32=0.25 --hash-results --schedule=fixed | cmp - %t.hash
// RUN: turnip-run %t.again.memgraph --parameters=random:1 --input=x=64x64xf32=0.25 --hash-results --schedule=random:7 | cmp - %t.hash
// RUN: turnip-run %t.again.memgraph --parameters=random:1 --input=x=64x64xf32=0.25 --runs=8 | FileCheck %s
// RUN: turnip-run %t.all.memgraph --parameters=random:1 --input=x=64x64xf32=0.25 --hash-results --device-memory=64KiB --no-plan-cache | cmp - %t.hash
// RUN: turnip-run %t.again.memgraph --parameters=random:1 --input=x=64x64xf32=0.25 --hash-results --device-memory=64KiB --rematerialize=false --no-plan-cache | cmp - %t.hash

// CHECK: equal results

// And back from an artifact, where the verifier proves it once more.
// RUN: turnip-translate --memgraph-to-mem %t.again.memgraph -o %t.back.mlir
// RUN: grep -o "mem.call @[a-z0-9_]* task [0-9]*" %t.back.mlir | sort | uniq -d | count 2

// Tables that are used at both ends of a chain, and can be computed from what is
// there: with little memory they are either copied out and in or computed again.
func.func @main(%x: tensor<64x64xf32> {ein.name = "x"}) -> (tensor<64x64xf32> {ein.name = "y"}) {
  %sin = ein.einsum "rc->rc"(%x) {
  ^bb0(%a: f32):
    %p = math.sin %a : f32
    ein.yield %p : f32
  } : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %cos = ein.einsum "rc->rc"(%x) {
  ^bb0(%a: f32):
    %p = math.cos %a : f32
    ein.yield %p : f32
  } : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %tanh = ein.einsum "rc->rc"(%x) {
  ^bb0(%a: f32):
    %p = math.tanh %a : f32
    ein.yield %p : f32
  } : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %v0 = ein.einsum "rc,rc->rc"(%x, %sin) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.subf %a, %b : f32
    %p = arith.mulf %s, %b : f32
    ein.yield %p : f32
  } : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %v1 = ein.einsum "rc,rc->rc"(%v0, %cos) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.subf %a, %b : f32
    %p = arith.mulf %s, %b : f32
    ein.yield %p : f32
  } : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %v2 = ein.einsum "rc,rc->rc"(%v1, %tanh) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.subf %a, %b : f32
    %p = arith.mulf %s, %b : f32
    ein.yield %p : f32
  } : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %w0 = ein.parameter "w0" : tensor<64x64xf32>
  %v3 = ein.einsum "rc,rc->rc"(%v2, %w0) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.subf %a, %b : f32
    %p = arith.mulf %s, %b : f32
    ein.yield %p : f32
  } : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %w1 = ein.parameter "w1" : tensor<64x64xf32>
  %v4 = ein.einsum "rc,rc->rc"(%v3, %w1) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.subf %a, %b : f32
    %p = arith.mulf %s, %b : f32
    ein.yield %p : f32
  } : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %w2 = ein.parameter "w2" : tensor<64x64xf32>
  %v5 = ein.einsum "rc,rc->rc"(%v4, %w2) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.subf %a, %b : f32
    %p = arith.mulf %s, %b : f32
    ein.yield %p : f32
  } : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %w3 = ein.parameter "w3" : tensor<64x64xf32>
  %v6 = ein.einsum "rc,rc->rc"(%v5, %w3) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.subf %a, %b : f32
    %p = arith.mulf %s, %b : f32
    ein.yield %p : f32
  } : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %w4 = ein.parameter "w4" : tensor<64x64xf32>
  %v7 = ein.einsum "rc,rc->rc"(%v6, %w4) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.subf %a, %b : f32
    %p = arith.mulf %s, %b : f32
    ein.yield %p : f32
  } : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %w5 = ein.parameter "w5" : tensor<64x64xf32>
  %v8 = ein.einsum "rc,rc->rc"(%v7, %w5) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.subf %a, %b : f32
    %p = arith.mulf %s, %b : f32
    ein.yield %p : f32
  } : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %v9 = ein.einsum "rc,rc->rc"(%v8, %sin) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.subf %a, %b : f32
    %p = arith.mulf %s, %b : f32
    ein.yield %p : f32
  } : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %v10 = ein.einsum "rc,rc->rc"(%v9, %cos) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.subf %a, %b : f32
    %p = arith.mulf %s, %b : f32
    ein.yield %p : f32
  } : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %v11 = ein.einsum "rc,rc->rc"(%v10, %tanh) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.subf %a, %b : f32
    %p = arith.mulf %s, %b : f32
    ein.yield %p : f32
  } : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %v12 = ein.einsum "rc,rc->rc"(%v11, %x) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.subf %a, %b : f32
    %p = arith.mulf %s, %b : f32
    ein.yield %p : f32
  } : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %v12 : tensor<64x64xf32>
}
