// The task.graph stays beside the mem.graph, with what its calls cost.
// RUN: turnip-opt %s -place-memory -mem-verify | FileCheck %s
// RUN: turnip-opt %s -place-memory=keep-tasks=false | FileCheck %s --check-prefix=DROPPED

// CHECK: mem.graph @main places @main.tasks.tasks statistics
// CHECK: mem.cost @f on "dev0" seconds 1.250000e-03
// CHECK: mem.cost @f on "host" seconds 1.250000e-03
// CHECK: mem.call @f task 0 on "dev0"
// CHECK: task.graph @main.tasks.tasks devices 1 {
// CHECK: task.call @f(%0) on dev 0
// CHECK: task.result %{{.*}} "y"
// DROPPED: mem.graph @main statistics
// DROPPED-NOT: mem.cost
// DROPPED-NOT: task.graph

task.kernel @f(tensor<16xf32>) -> tensor<16xf32> seconds 1.25e-3
// A name that is taken.
task.kernel @main.tasks(tensor<16xf32>) -> tensor<16xf32>
task.graph @main devices 1 {
  %x = task.input "x" [16] offsets [0] sizes [16] : !task.tile<16xf32, dev 0>
  %y = task.call @f(%x) on dev 0 : (!task.tile<16xf32, dev 0>) -> !task.tile<16xf32, dev 0>
  %t = task.transfer %y : !task.tile<16xf32, dev 0> to !task.tile<16xf32, host>
  %z = task.call @f(%t) on host : (!task.tile<16xf32, host>) -> !task.tile<16xf32, host>
  task.result %z "y" [16] offsets [0] sizes [16] : !task.tile<16xf32, host>
}
