// Windows, one kernel for many positions: evaluated, and compiled, placed and
// run. Positions outside are clamped.
//
// RUN: turnip-eval %s | FileCheck %s
// RUN: turnip-opt %s --task-compile-kernels --place-memory | turnip-translate --mem-to-memgraph -o %t.1
// RUN: turnip-run %t.1 --guard | FileCheck %s

// CHECK: inside: 2x3x1xi32=[{{\[}}11][14][17]][{{\[}}20][23][26]]
// CHECK-NEXT: below: 2x3x1xi32=[{{\[}}0][3][6]][{{\[}}9][12][15]]
// CHECK-NEXT: above: 2x3x1xi32=[{{\[}}20][23][26]][{{\[}}29][32][35]]
// CHECK-NEXT: joined: 2x2xi32=[30 1][33 4]
task.kernel @numbers() -> tensor<4x3x3xi32> {
  %0 = ein.einsum "->abc"() {
    %a = ein.index "a" : index
    %b = ein.index "b" : index
    %c = ein.index "c" : index
    %nine = arith.constant 9 : index
    %three = arith.constant 3 : index
    %d = arith.muli %a, %nine : index
    %e = arith.muli %b, %three : index
    %f = arith.addi %d, %e : index
    %g = arith.addi %f, %c : index
    %h = arith.index_cast %g : index to i32
    ein.yield %h : i32
  } : () -> tensor<4x3x3xi32>
  task.yield %0 : tensor<4x3x3xi32>
}
task.kernel @cut(%x: tensor<4x3x3xi32>, %i: index, %j: index) -> tensor<2x3x1xi32> {
  %0 = ein.window %x[%i, %j] : tensor<4x3x3xi32> to tensor<2x3x1xi32>
  task.yield %0 : tensor<2x3x1xi32>
}
task.kernel @join(%x: tensor<4x3x3xi32>, %i: index, %j: index, %k: index, %l: index, %m: index, %n: index) -> tensor<2x2xi32> {
  %0 = ein.window %x[%i, %j, %k] : tensor<4x3x3xi32> to tensor<1x2x1xi32>
  %1 = ein.window %x[%l, %m, %n] : tensor<4x3x3xi32> to tensor<1x2x1xi32>
  %2 = ein.concat %0, %1 dim 2 : (tensor<1x2x1xi32>, tensor<1x2x1xi32>) -> tensor<1x2x2xi32>
  %3 = ein.reshape %2 : tensor<1x2x2xi32> to tensor<2x2xi32>
  task.yield %3 : tensor<2x2xi32>
}
task.graph @main devices 1 {
  %x = task.call @numbers() on dev 0 : () -> !task.tile<4x3x3xi32, dev 0>
  %inside = task.call @cut(%x) scalars [1, 2] on dev 0 : (!task.tile<4x3x3xi32, dev 0>) -> !task.tile<2x3x1xi32, dev 0>
  task.result %inside "inside" [2, 3, 1] offsets [0, 0, 0] sizes [2, 3, 1] : !task.tile<2x3x1xi32, dev 0>
  %below = task.call @cut(%x) scalars [-5, -1] on dev 0 : (!task.tile<4x3x3xi32, dev 0>) -> !task.tile<2x3x1xi32, dev 0>
  task.result %below "below" [2, 3, 1] offsets [0, 0, 0] sizes [2, 3, 1] : !task.tile<2x3x1xi32, dev 0>
  %above = task.call @cut(%x) scalars [3, 7] on dev 0 : (!task.tile<4x3x3xi32, dev 0>) -> !task.tile<2x3x1xi32, dev 0>
  task.result %above "above" [2, 3, 1] offsets [0, 0, 0] sizes [2, 3, 1] : !task.tile<2x3x1xi32, dev 0>
  %joined = task.call @join(%x) scalars [3, 1, 0, 0, 0, 1] on dev 0 : (!task.tile<4x3x3xi32, dev 0>) -> !task.tile<2x2xi32, dev 0>
  task.result %joined "joined" [2, 2] offsets [0, 0] sizes [2, 2] : !task.tile<2x2xi32, dev 0>
}
