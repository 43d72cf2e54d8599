// mem to artifact and back: once through the artifact nothing changes any more,
// kernels, locations and statistics included.
// RUN: turnip-translate --mem-to-memgraph %turnip_src/test/Dialect/Mem/roundtrip.mlir -o %t.1
// RUN: turnip-translate --memgraph-to-mem %t.1 -o %t.1.mlir
// RUN: turnip-translate --mem-to-memgraph %t.1.mlir -o %t.2
// RUN: cmp %t.1 %t.2
// RUN: FileCheck %s < %t.1.mlir

// CHECK: module attributes {mem.options = "--device-memory=1KiB", mem.producer = "turnip 0.1.0"}
// CHECK: mem.memory @params parameters capacity 128 alignment 64 readonly
// CHECK: mem.link @params to @dev0 channel 0 bandwidth 2.500000e+10 latency 1.000000e-05
// CHECK: task.kernel @f(tensor<16xf32>, tensor<16xf32>, index) -> tensor<16xf32> workspace 100 inplace(0 -> 0)
// CHECK: mem.graph @main statistics <peak_bytes = [384, 256, 128]
// CHECK: mem.argument "position" from 0 to 63
// CHECK: mem.parameter "w" [2, 16] of [32] offsets [1, 0] sizes [1, 16] : f32 at v1 @params[64 + 64]
// CHECK: %2 = mem.call @f task 0 "layer 0" on "dev0" reads(v0 @dev0[0 + 64], v1 @dev0[64 + 64])
// CHECK-SAME: writes(v2 @dev0[0 + 64]) workspace(@dev0[256 + 100]) scalars [5] arguments [0] after(%0, %1) loc(#[[LOC:.*]])
// CHECK: mem.copy transfer v2 @dev0[0 + 64] to @host[64 + 64] via 3 task 1 "send" after(%2)
// CHECK: mem.join memory(%3, %4)
// CHECK: #[[LOC]] = loc("model.mlir":3:8)
