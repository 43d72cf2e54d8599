// RUN: turnip-opt %s --convert-ein-to-linalg --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: task.kernel @negate
// CHECK-NOT: ein.
// CHECK: linalg.generic
// CHECK: task.yield
task.kernel @negate(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = ein.einsum "a->a"(%x) {
  ^bb0(%a: f32):
    %n = arith.negf %a : f32
    ein.yield %n : f32
  } : (tensor<4xf32>) -> tensor<4xf32>
  task.yield %0 : tensor<4xf32>
}

// -----

task.kernel @parameter() -> tensor<4xf32> {
  // expected-error @+1 {{op expected in functions only, but got one in 'task.kernel'}}
  %0 = ein.parameter "w" : tensor<4xf32>
  task.yield %0 : tensor<4xf32>
}
