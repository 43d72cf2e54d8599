// RUN: turnip-opt %s --partition-ein=tile-budget=1KiB --split-input-file --verify-diagnostics

// expected-error @+1 {{expected a function with a body}}
func.func private @external() -> tensor<2xf32>

// -----

func.func @other(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @+1 {{expected only ein operations in a function that is partitioned, but got 'arith.addf'}}
  %y = arith.addf %x, %x : tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

// expected-error @+1 {{expected a body of one block, but got 2}}
func.func @blocks(%x: tensor<2xf32>) -> tensor<2xf32> {
  cf.br ^bb1
^bb1:
  return %x : tensor<2xf32>
}

// -----

// expected-error @+1 {{result #1 has the name 'result1' of another result}}
func.func @results(%x: tensor<2xf32>) -> (tensor<2xf32> {ein.name = "result1"}, tensor<2xf32>) {
  return %x, %x : tensor<2xf32>, tensor<2xf32>
}

// -----

// expected-error @+1 {{argument #1 has the name 'arg1' of another argument}}
func.func @arguments(%x: tensor<2xf32> {ein.name = "arg1"}, %y: tensor<2xf32>) {
  return
}

// -----

// expected-error @+1 {{expected argument #0 to be a ranked static tensor, sizes at least 1, of f32, f16, bf16, i8, i32, i64 or i1, but got 'f32'}}
func.func @scalar(%x: f32) -> f32 {
  return %x : f32
}

// -----

// expected-error @+1 {{expected argument #1 to be a ranked static tensor, sizes at least 1, of f32, f16, bf16, i8, i32, i64 or i1, but got 'tensor<?xf32>'}}
func.func @dynamic(%x: tensor<2xf32>, %y: tensor<?xf32>) {
  return
}

// -----

func.func @many(%x: tensor<1099511627776x1048576xf32>) -> tensor<1099511627776x1048576xf32> {
  // expected-error @+1 {{expected at most 1048576 tasks in a graph, but a tile budget of 1024 bytes cuts this operation into 9007199254740992, after 0 others}}
  %y = ein.einsum "ab->ab"(%x) {
  ^bb0(%a: f32):
    %z = arith.addf %a, %a : f32
    ein.yield %z : f32
  } : (tensor<1099511627776x1048576xf32>) -> tensor<1099511627776x1048576xf32>
  return %y : tensor<1099511627776x1048576xf32>
}

// -----

func.func @types() -> (tensor<3xf32>, tensor<3xi32>) {
  %a = ein.parameter "w" : tensor<3xf32>
  %b = ein.parameter "w" : tensor<3xi32>
  // expected-note @+2 {{the name is first used here}}
  // expected-error @+1 {{expected the element type of "w" to be 'f32', but got 'i32'}}
  return %a, %b : tensor<3xf32>, tensor<3xi32>
}
