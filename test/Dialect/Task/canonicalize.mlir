// RUN: turnip-opt %s -canonicalize -cse | FileCheck %s

task.kernel @f(tensor<8xf32>) -> tensor<8xf32>

// Calls and parameters that nobody uses go; an input stays, it is part of the
// signature.
// CHECK-LABEL: task.graph @dead
// CHECK-NEXT: %[[X:.*]] = task.input "x"
// CHECK-NEXT: %[[Y:.*]] = task.input "y"
// CHECK-NEXT: task.result %[[X]] "r"
task.graph @dead devices 1 {
  %x = task.input "x" [8] offsets [0] sizes [8] : !task.tile<8xf32, dev 0>
  %y = task.input "y" [8] offsets [0] sizes [8] : !task.tile<8xf32, dev 0>
  %w = task.parameter "w" [8] offsets [0] sizes [8] : !task.tile<8xf32, dev 0>
  %z = task.call @f(%w) on dev 0 : (!task.tile<8xf32, dev 0>) -> !task.tile<8xf32, dev 0>
  task.result %x "r" [8] offsets [0] sizes [8] : !task.tile<8xf32, dev 0>
}

// Equal parameters, transfers and calls are one.
// CHECK-LABEL: task.graph @equal
// CHECK-NEXT: %[[W:.*]] = task.parameter "w"
// CHECK-NEXT: %[[Z:.*]] = task.call @f(%[[W]])
// CHECK-NEXT: task.result %[[Z]] "r"
// CHECK-NEXT: task.result %[[Z]] "s"
task.graph @equal devices 1 {
  %v = task.parameter "w" [8] offsets [0] sizes [8] : !task.tile<8xf32, dev 0>
  %w = task.parameter "w" [8] offsets [0] sizes [8] : !task.tile<8xf32, dev 0>
  %y = task.call @f(%v) on dev 0 : (!task.tile<8xf32, dev 0>) -> !task.tile<8xf32, dev 0>
  %z = task.call @f(%w) on dev 0 : (!task.tile<8xf32, dev 0>) -> !task.tile<8xf32, dev 0>
  task.result %y "r" [8] offsets [0] sizes [8] : !task.tile<8xf32, dev 0>
  task.result %z "s" [8] offsets [0] sizes [8] : !task.tile<8xf32, dev 0>
}

// Away and back is no transfer; away and on is one.
// CHECK-LABEL: task.graph @transfers
// CHECK-NEXT: %[[X:.*]] = task.input "x"
// CHECK-NEXT: %[[T:.*]] = task.transfer %[[X]] : <8xf32, host> to <8xf32, dev 1>
// CHECK-NEXT: task.result %[[X]] "r"
// CHECK-NEXT: task.result %[[T]] "s"
task.graph @transfers devices 2 {
  %x = task.input "x" [8] offsets [0] sizes [8] : !task.tile<8xf32, host>
  %0 = task.transfer %x : !task.tile<8xf32, host> to !task.tile<8xf32, dev 0>
  %1 = task.transfer %0 : !task.tile<8xf32, dev 0> to !task.tile<8xf32, host>
  %2 = task.transfer %0 : !task.tile<8xf32, dev 0> to !task.tile<8xf32, dev 1>
  task.result %1 "r" [8] offsets [0] sizes [8] : !task.tile<8xf32, host>
  task.result %2 "s" [8] offsets [0] sizes [8] : !task.tile<8xf32, dev 1>
}
