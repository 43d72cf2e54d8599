// Values that do not fit are saved in host memory: once if a task made them, not
// at all if the host still has them. They come back for later tasks.
// RUN: turnip-opt %s -place-memory=device-memory=192 | FileCheck %s

// CHECK: mem.memory @dev0 device capacity 192 alignment 64
// CHECK: mem.graph @main
// CHECK-SAME: smallest_caps = [#mem.smallest_cap<192 task 3>
// CHECK: mem.input "x" {{.*}} at v0 @host[[X:.*]]
// CHECK: mem.copy load v0 @host[[X]] to @dev0
// CHECK-NOT: mem.copy offload v0
// CHECK: %[[SAVE:.*]] = mem.copy offload v1 @dev0[[FROM:.*]] to @host[[SLOT:.*]] after
// CHECK-NOT: mem.copy offload
// CHECK: mem.call @g task 3 {{.*}} writes(v4 @dev0[[FROM]]) {{.*}} memory({{.*}}%[[SAVE]]
// CHECK: mem.copy reload v1 @host[[SLOT]] to
// CHECK: mem.call @g task 4
// CHECK: mem.copy reload v0 @host[[X]] to
// CHECK: mem.call @g task 5
// CHECK: mem.copy result v6
task.kernel @f(tensor<16xf32>) -> tensor<16xf32>
task.kernel @g(tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
task.graph @main devices 1 {
  %x = task.input "x" [16] offsets [0] sizes [16] : !task.tile<16xf32, dev 0>
  %a = task.call @f(%x) on dev 0 : (!task.tile<16xf32, dev 0>) -> !task.tile<16xf32, dev 0>
  %b = task.call @f(%a) on dev 0 : (!task.tile<16xf32, dev 0>) -> !task.tile<16xf32, dev 0>
  %c = task.call @f(%b) on dev 0 : (!task.tile<16xf32, dev 0>) -> !task.tile<16xf32, dev 0>
  %d = task.call @g(%c, %b) on dev 0 : (!task.tile<16xf32, dev 0>, !task.tile<16xf32, dev 0>) -> !task.tile<16xf32, dev 0>
  %e = task.call @g(%d, %a) on dev 0 : (!task.tile<16xf32, dev 0>, !task.tile<16xf32, dev 0>) -> !task.tile<16xf32, dev 0>
  %h = task.call @g(%e, %x) on dev 0 : (!task.tile<16xf32, dev 0>, !task.tile<16xf32, dev 0>) -> !task.tile<16xf32, dev 0>
  task.result %h "y" [16] offsets [0] sizes [16] : !task.tile<16xf32, dev 0>
}
