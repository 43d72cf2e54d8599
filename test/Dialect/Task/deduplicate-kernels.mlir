// RUN: turnip-opt %s -task-deduplicate-kernels | FileCheck %s

// Bodies, types and attributes decide; names and locations do not.
// CHECK: task.kernel @a(
// CHECK-NOT: task.kernel @same(
// CHECK: task.kernel @otherBody(
// CHECK: task.kernel @otherGrid(
// CHECK: task.kernel @unknown0(
// CHECK: task.kernel @unknown1(
// CHECK: task.kernel @code0(
// CHECK-NOT: task.kernel @code1(
// CHECK-NOT: task.kernel @unused(
task.kernel @a(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = arith.addf %x, %x : tensor<8xf32>
  task.yield %0 : tensor<8xf32>
}
task.kernel @same(%y: tensor<8xf32>) -> tensor<8xf32> {
  %0 = arith.addf %y, %y : tensor<8xf32> loc("elsewhere")
  task.yield %0 : tensor<8xf32>
}
task.kernel @otherBody(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = arith.mulf %x, %x : tensor<8xf32>
  task.yield %0 : tensor<8xf32>
}
task.kernel @otherGrid(%x: tensor<8xf32>) -> tensor<8xf32> grid 2 {
  %0 = arith.addf %x, %x : tensor<8xf32>
  task.yield %0 : tensor<8xf32>
}
task.kernel @unknown0(tensor<8xf32>) -> tensor<8xf32>
task.kernel @unknown1(tensor<8xf32>) -> tensor<8xf32>
task.kernel @code0(tensor<8xf32>) -> tensor<8xf32> objects [#task.object<triple = "t", features = [], format = "elf-so", symbol = "s", code = dense<1> : tensor<1xi8>>]
task.kernel @code1(tensor<8xf32>) -> tensor<8xf32> objects [#task.object<triple = "t", features = [], format = "elf-so", symbol = "s", code = dense<1> : tensor<1xi8>>]
task.kernel @unused(tensor<8xf32>) -> tensor<8xf32>

// CHECK-LABEL: task.graph @main
// CHECK: task.call @a(
// CHECK: task.call @a(
// CHECK: task.call @otherBody(
// CHECK: task.call @otherGrid(
// CHECK: task.call @unknown0(
// CHECK: task.call @unknown1(
// CHECK: task.call @code0(
// CHECK: task.call @code0(
task.graph @main devices 1 {
  %0 = task.input "x" [8] offsets [0] sizes [8] : !task.tile<8xf32, dev 0>
  %1 = task.call @a(%0) on dev 0 : (!task.tile<8xf32, dev 0>) -> !task.tile<8xf32, dev 0>
  %2 = task.call @same(%1) on dev 0 : (!task.tile<8xf32, dev 0>) -> !task.tile<8xf32, dev 0>
  %3 = task.call @otherBody(%2) on dev 0 : (!task.tile<8xf32, dev 0>) -> !task.tile<8xf32, dev 0>
  %4 = task.call @otherGrid(%3) on dev 0 : (!task.tile<8xf32, dev 0>) -> !task.tile<8xf32, dev 0>
  %5 = task.call @unknown0(%4) on dev 0 : (!task.tile<8xf32, dev 0>) -> !task.tile<8xf32, dev 0>
  %6 = task.call @unknown1(%5) on dev 0 : (!task.tile<8xf32, dev 0>) -> !task.tile<8xf32, dev 0>
  %7 = task.call @code0(%6) on dev 0 : (!task.tile<8xf32, dev 0>) -> !task.tile<8xf32, dev 0>
  %8 = task.call @code1(%7) on dev 0 : (!task.tile<8xf32, dev 0>) -> !task.tile<8xf32, dev 0>
  task.result %8 "y" [8] offsets [0] sizes [8] : !task.tile<8xf32, dev 0>
}
