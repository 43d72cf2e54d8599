// RUN: turnip-opt %s --task-compile-kernels --place-memory | FileCheck %s
//
// One parameter under two shapes stays on the device as one value.

task.kernel @row(%x: tensor<6xf32>) -> tensor<6xf32> {
  %y = ein.einsum "i->i" (%x) {
  ^bb0(%a: f32):
    %b = arith.addf %a, %a : f32
    ein.yield %b : f32
  } : (tensor<6xf32>) -> tensor<6xf32>
  task.yield %y : tensor<6xf32>
}
task.kernel @matrix(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %y = ein.einsum "ij->ij" (%x) {
  ^bb0(%a: f32):
    %b = arith.mulf %a, %a : f32
    ein.yield %b : f32
  } : (tensor<2x3xf32>) -> tensor<2x3xf32>
  task.yield %y : tensor<2x3xf32>
}
// CHECK: mem.parameter "p" [2, 3] {{.*}} at [[PLACE:v[0-9]+ @dev0\[0 \+ 24\]]]
// CHECK: mem.parameter "p" [6] of [2, 3] {{.*}} at [[PLACE]]
task.graph @main devices 1 {
  %p = task.parameter "p" [2, 3] offsets [0, 0] sizes [2, 3] : !task.tile<2x3xf32, dev 0>
  %q = task.parameter "p" [6] of [2, 3] offsets [0] sizes [6] : !task.tile<6xf32, dev 0>
  %x = task.call @matrix(%p) on dev 0 : (!task.tile<2x3xf32, dev 0>) -> !task.tile<2x3xf32, dev 0>
  %y = task.call @row(%q) on dev 0 : (!task.tile<6xf32, dev 0>) -> !task.tile<6xf32, dev 0>
  task.result %x "x" [2, 3] offsets [0, 0] sizes [2, 3] : !task.tile<2x3xf32, dev 0>
  task.result %y "y" [6] offsets [0] sizes [6] : !task.tile<6xf32, dev 0>
}
