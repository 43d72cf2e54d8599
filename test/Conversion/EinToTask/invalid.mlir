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
