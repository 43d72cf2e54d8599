// The host is a device whose memory is host memory. It reads a table of
// parameters in place, and only what it makes of it moves.
// RUN: turnip-opt %s -place-memory=device-memory=1KiB | FileCheck %s

// CHECK: mem.graph @main
// CHECK: mem.parameter "table" {{.*}} at v1 @params[[TABLE:.*]]
// CHECK: mem.input "rows" {{.*}} at v0 @host[[ROWS:.*]]
// CHECK: %[[LOOKUP:.*]] = mem.call @lookup task 0 on "host" reads(v1 @params[[TABLE]], v0 @host[[ROWS]]) writes(v2 @host[[MADE:.*]])
// CHECK: mem.copy transfer v2 @host[[MADE]] to @dev0{{.*}} task 1 "transfer" after(%[[LOOKUP]])
// CHECK: mem.call @twice task 2 on "dev0"
// CHECK: mem.copy transfer {{.*}} to @host{{.*}} task 3 "transfer"
// A result that is in host memory is not copied again.
// CHECK-NOT: mem.copy result
// CHECK: mem.call @twice task 4 on "host"
// CHECK: mem.result "y"
task.kernel @lookup(tensor<1000x16xf32>, tensor<4xi32>) -> tensor<4x16xf32>
task.kernel @twice(tensor<4x16xf32>) -> tensor<4x16xf32>
task.graph @main devices 1 {
  %rows = task.input "rows" [4] offsets [0] sizes [4] : !task.tile<4xi32, host>
  %table = task.parameter "table" [1000, 16] offsets [0, 0] sizes [1000, 16] : !task.tile<1000x16xf32, host>
  %0 = task.call @lookup(%table, %rows) on host : (!task.tile<1000x16xf32, host>, !task.tile<4xi32, host>) -> !task.tile<4x16xf32, host>
  %1 = task.transfer %0 : !task.tile<4x16xf32, host> to !task.tile<4x16xf32, dev 0>
  %2 = task.call @twice(%1) on dev 0 : (!task.tile<4x16xf32, dev 0>) -> !task.tile<4x16xf32, dev 0>
  %3 = task.transfer %2 : !task.tile<4x16xf32, dev 0> to !task.tile<4x16xf32, host>
  %4 = task.call @twice(%3) on host : (!task.tile<4x16xf32, host>) -> !task.tile<4x16xf32, host>
  task.result %4 "y" [4, 16] offsets [0, 0] sizes [4, 16] : !task.tile<4x16xf32, host>
}
