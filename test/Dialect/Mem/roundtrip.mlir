// RUN: turnip-opt %s | turnip-opt | FileCheck %s
// RUN: turnip-opt %s --mlir-print-op-generic | turnip-opt | FileCheck %s
// RUN: turnip-opt %s --mlir-print-debuginfo | turnip-opt --mlir-print-debuginfo | FileCheck %s --check-prefix=LOC

// CHECK: module attributes {mem.options = "--device-memory=1KiB", mem.producer = "turnip 0.1.0"} {
module attributes {mem.producer = "turnip 0.1.0", mem.options = "--device-memory=1KiB"} {

// CHECK: mem.machine {
// CHECK-NEXT: mem.memory @dev0 device capacity 1024 alignment 64
// CHECK-NEXT: mem.memory @host host capacity 512 alignment 64
// CHECK-NEXT: mem.memory @params parameters capacity 128 alignment 64 readonly
// CHECK-NEXT: mem.device "dev0" accelerator memory @dev0 backing @host
// CHECK-NEXT: mem.device "host" host memory @host
// CHECK-NEXT: mem.link @params to @dev0 channel 0 bandwidth 2.500000e+10 latency 1.000000e-05
// CHECK-NEXT: mem.link @host to @dev0 channel 0
// CHECK-NEXT: mem.link @dev0 to @host channel 1
// CHECK-NEXT: mem.link @dev0 to @host channel 2
// CHECK-NEXT: }
mem.machine {
  mem.memory @dev0 device capacity 1024 alignment 64
  mem.memory @host host capacity 512 alignment 64
  mem.memory @params parameters capacity 128 alignment 64 readonly
  mem.device "dev0" accelerator memory @dev0 backing @host
  mem.device "host" host memory @host
  mem.link @params to @dev0 channel 0 bandwidth 2.5e+10 latency 1.0e-05
  mem.link @host to @dev0 channel 0
  mem.link @dev0 to @host channel 1
  mem.link @dev0 to @host channel 2
}

task.kernel @f(tensor<16xf32>, tensor<16xf32>, index) -> tensor<16xf32> workspace 100 inplace(0 -> 0)
task.kernel @g(tensor<16xf32>) -> (tensor<16xf32>, tensor<16xf32>)

// CHECK: attributes {a = #mem.range<v3 @dev0[128 + 64]>, b = #mem.range<@dev0[128 + 64]>, c = !mem.token}
func.func private @h() attributes {a = #mem.range<v3 @dev0[128 + 64]>, b = #mem.range<@dev0[128 + 64]>, c = !mem.token}

// CHECK: mem.graph @main statistics <peak_bytes = [384, 256, 128], link_bytes = [], incoming_bytes_bound = 128,
// CHECK-SAME: smallest_caps = [#mem.smallest_cap<384 task 0>, #mem.smallest_cap<0>],
// CHECK-SAME: compute_bound = 2.000000e-06, transfer_bound = 2.000000e-06, critical_path = 3.000000e-06,
// CHECK-SAME: makespan_bound = 3.000000e-06, predicted_makespan = 4.000000e-06, order = "given"> {
mem.graph @main statistics <peak_bytes = [384, 256, 128], link_bytes = [], incoming_bytes_bound = 128,
    smallest_caps = [#mem.smallest_cap<384 task 0>, #mem.smallest_cap<0>],
    compute_bound = 2.0e-06, transfer_bound = 2.0e-06, critical_path = 3.0e-06,
    makespan_bound = 3.0e-06, predicted_makespan = 4.0e-06, order = "given"> {
  // CHECK-NEXT: mem.argument "position" from 0 to 63
  mem.argument "position" from 0 to 63
  // CHECK-NEXT: mem.parameter "w" [2, 16] of [32] offsets [1, 0] sizes [1, 16] : f32 at v1 @params[64 + 64]
  mem.parameter "w" [2, 16] of [32] offsets [1, 0] sizes [1, 16] : f32 at v1 @params[64 + 64]
  // CHECK-NEXT: mem.input "x" [16] offsets [0] sizes [16] : f32 at v0 @host[0 + 64]
  mem.input "x" [16] offsets [0] sizes [16] : f32 at v0 @host[0 + 64]
  // CHECK-NEXT: %[[A:.*]] = mem.copy load v0 @host[0 + 64] to @dev0[0 + 64]
  %0 = mem.copy load v0 @host[0 + 64] to @dev0[0 + 64]
  // CHECK-NEXT: %[[B:.*]] = mem.copy load v1 @params[64 + 64] to @dev0[64 + 64]
  %1 = mem.copy load v1 @params[64 + 64] to @dev0[64 + 64]
  // CHECK-NEXT: %[[C:.*]] = mem.call @f task 0 "layer 0" on "dev0" reads(v0 @dev0[0 + 64], v1 @dev0[64 + 64])
  // CHECK-SAME: writes(v2 @dev0[0 + 64]) workspace(@dev0[256 + 100]) scalars [5] arguments [0] after(%[[A]], %[[B]])
  // LOC: mem.call @f {{.*}} loc(#[[F:.*]])
  %2 = mem.call @f task 0 "layer 0" on "dev0" reads(v0 @dev0[0 + 64], v1 @dev0[64 + 64])
    writes(v2 @dev0[0 + 64]) workspace(@dev0[256 + 100]) scalars [5] arguments [0]
    after(%0, %1) loc("model.mlir":3:8)
  // CHECK-NEXT: %[[D:.*]] = mem.copy transfer v2 @dev0[0 + 64] to @host[64 + 64] via 3 task 1 "send" after(%[[C]])
  %3 = mem.copy transfer v2 @dev0[0 + 64] to @host[64 + 64] via 3 task 1 "send" after(%2)
  // CHECK-NEXT: %[[E:.*]] = mem.call @g on "host" reads(v2 @host[64 + 64]) writes(v3 @host[128 + 64], v4 @host[192 + 64]) after(%[[D]]) {note = "kept"}
  %4 = mem.call @g on "host" reads(v2 @host[64 + 64]) writes(v3 @host[128 + 64], v4 @host[192 + 64]) after(%3) {note = "kept"}
  // CHECK-NEXT: %[[F:.*]] = mem.join memory(%[[D]], %[[E]])
  %5 = mem.join memory(%3, %4)
  // CHECK-NEXT: %[[G:.*]] = mem.copy move v2 @dev0[0 + 64] to @dev0[128 + 64] after(%[[C]]) memory(%[[F]])
  %6 = mem.copy move v2 @dev0[0 + 64] to @dev0[128 + 64] after(%2) memory(%5)
  // CHECK-NEXT: mem.result "y" [16] offsets [0] sizes [16] : f32 at v3 @host[128 + 64]
  mem.result "y" [16] offsets [0] sizes [16] : f32 at v3 @host[128 + 64]
}
// LOC: #[[F]] = loc("model.mlir":3:8)

}

