// The reducer keeps what the interesting test looks for and drops the rest.
// RUN: turnip-reduce %s -reduction-tree='traversal-mode=0 test=%S/Inputs/has-reshape.sh' | FileCheck %s

// CHECK-NOT: @unrelated
// CHECK: ein.reshape
func.func @unrelated(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

func.func @interesting(%x: tensor<4xf32>) -> tensor<2x2xf32> {
  %0 = ein.reshape %x : tensor<4xf32> to tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}
