// RUN: turnip-opt %s -place-memory="order=given keep-tasks=false" | FileCheck %s

// Slices whose elements follow each other in the parameter are parts of it, and
// only the parts that are used are stored: rows 0 to 6 of "a" and rows 8 to 10.
// A view of another shape names the same bytes. Columns are stored by
// themselves. A slice that the host reads in place is aligned: row 1 of "b"
// begins at byte 12 and is stored again.

// CHECK: mem.memory @params parameters capacity 332 alignment 64 readonly
// CHECK: mem.graph @main
// CHECK-NEXT: mem.parameter "a" [10, 4] offsets [0, 0] sizes [4, 4] : f32 at v0 @params[0 + 64]
// CHECK-NEXT: mem.parameter "a" [10, 4] offsets [2, 0] sizes [4, 4] : f32 at v1 @params[32 + 64]
// CHECK-NEXT: mem.parameter "a" [20, 2] of [10, 4] offsets [16, 0] sizes [4, 2] : f32 at v2 @params[128 + 32]
// CHECK-NEXT: mem.parameter "a" [10, 4] offsets [8, 0] sizes [2, 4] : f32 at v2 @params[128 + 32]
// CHECK-NEXT: mem.parameter "a" [10, 4] offsets [0, 1] sizes [10, 1] : f32 at v3 @params[192 + 40]
// CHECK-NEXT: mem.parameter "b" [2, 3] offsets [0, 0] sizes [2, 3] : f32 at v4 @params[256 + 24]
// CHECK-NEXT: mem.parameter "b" [2, 3] offsets [1, 0] sizes [1, 3] : f32 at v5 @params[320 + 12]
// CHECK-NOT: mem.parameter
// Rows read twice, once as a view, are loaded once.
// CHECK: mem.copy load v2
// CHECK-NOT: mem.copy load v2
// CHECK: mem.call @rows {{.*}} reads(v2 @dev0[[R:.*]], v2 @dev0[[R]])
// The host reads parameters where they are.
// CHECK: mem.call @host {{.*}} on "host" reads(v4 @params[256 + 24], v5 @params[320 + 12])

task.kernel @f(tensor<4x4xf32>, tensor<4x4xf32>, tensor<10x1xf32>) -> tensor<4xf32>
task.kernel @rows(tensor<4x2xf32>, tensor<2x4xf32>) -> tensor<4xf32>
task.kernel @host(tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<4xf32>
task.graph @main devices 1 {
  %0 = task.parameter "a" [10, 4] offsets [0, 0] sizes [4, 4] : !task.tile<4x4xf32, dev 0>
  %1 = task.parameter "a" [10, 4] offsets [2, 0] sizes [4, 4] : !task.tile<4x4xf32, dev 0>
  %2 = task.parameter "a" [20, 2] of [10, 4] offsets [16, 0] sizes [4, 2] : !task.tile<4x2xf32, dev 0>
  %3 = task.parameter "a" [10, 4] offsets [8, 0] sizes [2, 4] : !task.tile<2x4xf32, dev 0>
  %4 = task.parameter "a" [10, 4] offsets [0, 1] sizes [10, 1] : !task.tile<10x1xf32, dev 0>
  %5 = task.parameter "b" [2, 3] offsets [0, 0] sizes [2, 3] : !task.tile<2x3xf32, host>
  %6 = task.parameter "b" [2, 3] offsets [1, 0] sizes [1, 3] : !task.tile<1x3xf32, host>
  %7 = task.call @f(%0, %1, %4) on dev 0 : (!task.tile<4x4xf32, dev 0>, !task.tile<4x4xf32, dev 0>, !task.tile<10x1xf32, dev 0>) -> !task.tile<4xf32, dev 0>
  %8 = task.call @rows(%2, %3) on dev 0 : (!task.tile<4x2xf32, dev 0>, !task.tile<2x4xf32, dev 0>) -> !task.tile<4xf32, dev 0>
  %9 = task.call @host(%5, %6) on host : (!task.tile<2x3xf32, host>, !task.tile<1x3xf32, host>) -> !task.tile<4xf32, host>
  task.result %7 "x" [4] offsets [0] sizes [4] : !task.tile<4xf32, dev 0>
  task.result %8 "y" [4] offsets [0] sizes [4] : !task.tile<4xf32, dev 0>
  task.result %9 "z" [4] offsets [0] sizes [4] : !task.tile<4xf32, host>
}

// Entry points share memories and parameters.
// CHECK: mem.graph @second
// CHECK-NEXT: mem.parameter "a" [10, 4] offsets [0, 0] sizes [4, 4] : f32 at v0 @params[0 + 64]
task.graph @second devices 1 {
  %0 = task.parameter "a" [10, 4] offsets [0, 0] sizes [4, 4] : !task.tile<4x4xf32, dev 0>
  task.result %0 "x" [4, 4] offsets [0, 0] sizes [4, 4] : !task.tile<4x4xf32, dev 0>
}
