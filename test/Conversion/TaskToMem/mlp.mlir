// A small perceptron in task IR, placed under several caps. The working set of
// its largest task is 16 KiB (w0: 128 x 32) + 512 (x) + 2 KiB (h): 18944 bytes.
// RUN: turnip-opt %s -place-memory | FileCheck %s --check-prefix=STAYS
// RUN: turnip-opt %s -place-memory=resident-parameters=false | FileCheck %s --check-prefixes=CHECK,FREE
// RUN: turnip-opt %s -place-memory=resident-parameters=false -mem-print-statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=PEAK

// The peak is what is touched, in the attribute as in the statistics.
// PEAK: memory @dev0: peak 27620 bytes (26.97 KiB) of 27648 bytes (27.00 KiB)
// RUN: turnip-opt %s -place-memory='device-memory=64KiB resident-parameters=false' | FileCheck %s --check-prefixes=CHECK,LARGE
// RUN: turnip-opt %s -place-memory='device-memory=18944 resident-parameters=false' | FileCheck %s --check-prefixes=CHECK,TIGHT

task.kernel @up(tensor<4x32xf32>, tensor<128x32xf32>) -> tensor<4x128xf32> flops 32768
task.kernel @relu(tensor<4x128xf32>) -> tensor<4x128xf32> inplace(0 -> 0)
task.kernel @down(tensor<4x128xf32>, tensor<8x128xf32>) -> tensor<4x8xf32> workspace 100

task.graph @main devices 1 {
  %x = task.input "x" [4, 32] offsets [0, 0] sizes [4, 32] : !task.tile<4x32xf32, dev 0>
  %w0 = task.parameter "w0" [128, 32] offsets [0, 0] sizes [128, 32] : !task.tile<128x32xf32, dev 0>
  %h = task.call @up(%x, %w0) on dev 0 : (!task.tile<4x32xf32, dev 0>, !task.tile<128x32xf32, dev 0>) -> !task.tile<4x128xf32, dev 0>
  %r = task.call @relu(%h) on dev 0 : (!task.tile<4x128xf32, dev 0>) -> !task.tile<4x128xf32, dev 0>
  %w1 = task.parameter "w1" [16, 128] offsets [0, 0] sizes [8, 128] : !task.tile<8x128xf32, dev 0>
  %w2 = task.parameter "w1" [16, 128] offsets [8, 0] sizes [8, 128] : !task.tile<8x128xf32, dev 0>
  %y0 = task.call @down(%r, %w1) on dev 0 : (!task.tile<4x128xf32, dev 0>, !task.tile<8x128xf32, dev 0>) -> !task.tile<4x8xf32, dev 0>
  %y1 = task.call @down(%r, %w2) on dev 0 : (!task.tile<4x128xf32, dev 0>, !task.tile<8x128xf32, dev 0>) -> !task.tile<4x8xf32, dev 0>
  task.result %y0 "y" [4, 16] offsets [0, 0] sizes [4, 8] : !task.tile<4x8xf32, dev 0>
  task.result %y1 "y" [4, 16] offsets [0, 8] sizes [4, 8] : !task.tile<4x8xf32, dev 0>
}

// The module remembers how it was made.
// FREE: module attributes {mem.options = "order=best resident-parameters=false", mem.producer = "turnip {{.*}}"}
// LARGE: module attributes {mem.options = "device-memory=65536 order=best resident-parameters=false"
// TIGHT: module attributes {mem.options = "device-memory=18944 order=best resident-parameters=false"

// Parameters that fit beside the rest stay on the device: nothing is loaded but
// the input, and the smallest cap is what it would be without them.
// STAYS: mem.memory @params parameters capacity 0 alignment 64 readonly
// STAYS: link_bytes = [0, 512, 256, 0]
// STAYS-SAME: smallest_caps = [#mem.smallest_cap<18944 task 0>
// STAYS: mem.parameter "w0" [128, 32] offsets [0, 0] sizes [128, 32] : f32 at v1 @dev0[[W0:.*]]
// STAYS: mem.call @up {{.*}} reads({{.*}}, v1 @dev0[[W0]])

// Without a cap the device's memory is as large as the plan needs; host memory
// always is.
// FREE: mem.memory @dev0 device capacity 27648 alignment 64
// LARGE: mem.memory @dev0 device capacity 65536 alignment 64
// TIGHT: mem.memory @dev0 device capacity 18944 alignment 64
// CHECK-NEXT: mem.memory @host host capacity 768 alignment 64
// CHECK-NEXT: mem.memory @params parameters capacity 24576 alignment 64 readonly
// CHECK-NEXT: mem.device "dev0" accelerator memory @dev0 backing @host
// CHECK-NEXT: mem.device "host" host memory @host
// CHECK-NEXT: mem.link @params to @dev0 channel 0
// CHECK-NEXT: mem.link @host to @dev0 channel 0
// CHECK-NEXT: mem.link @dev0 to @host channel 1
// CHECK-NEXT: mem.link @params to @host channel 2

// CHECK: mem.graph @main places @main.tasks statistics <peak_bytes =
// FREE-SAME: [27620, 768, 24576]
// TIGHT-SAME: [18944, 768, 24576]
// CHECK-SAME: link_bytes = [24576, 512, 256, 0], incoming_bytes_bound = 25088, smallest_caps = [#mem.smallest_cap<18944 task 0>, #mem.smallest_cap<0>]
// CHECK-COUNT-3: mem.cost
// CHECK-NEXT: mem.parameter "w0" [128, 32] offsets [0, 0] sizes [128, 32] : f32 at v1 @params[0 + 16384]
// CHECK-NEXT: mem.parameter "w1" [16, 128] offsets [0, 0] sizes [8, 128] : f32 at v4 @params[16384 + 4096]
// CHECK-NEXT: mem.parameter "w1" [16, 128] offsets [8, 0] sizes [8, 128] : f32 at v5 @params[20480 + 4096]
// CHECK-NEXT: mem.input "x" [4, 32] offsets [0, 0] sizes [4, 32] : f32 at v0 @host[0 + 512]
// CHECK-NEXT: %[[X:.*]] = mem.copy load v0 @host[0 + 512] to
// CHECK-NEXT: %[[W:.*]] = mem.copy load v1 @params[0 + 16384] to

// With room, all loads come first; without, those of the last layer wait until
// the first weight is done with.
// FREE-NEXT: mem.copy load v4
// FREE-NEXT: mem.copy load v5
// CHECK: %[[UP:.*]] = mem.call @up task 0 on "dev0" {{.*}} after(%[[X]], %[[W]])
// TIGHT-NEXT: mem.copy load v4 {{.*}} memory(%[[UP]])
// TIGHT-NEXT: mem.copy load v5 {{.*}} memory(%[[UP]])

// The result takes its operand's place.
// CHECK: %[[RELU:.*]] = mem.call @relu task 1 on "dev0" reads(v2 @dev0[[PLACE:.*]]) writes(v3 @dev0[[PLACE]]) after(%[[UP]])
// CHECK: %[[DOWN:.*]] = mem.call @down task 2 on "dev0" reads(v3 @dev0[[PLACE]], v4 {{.*}}) writes(v6 {{.*}}) workspace(@dev0[{{.*}} + 100]) after(%{{.*}}, %[[RELU]])
// CHECK: mem.copy result v6 {{.*}} to @host[512 + 128] after(%[[DOWN]])
// CHECK: mem.result "y" [4, 16] offsets [0, 0] sizes [4, 8] : f32 at v6 @host[512 + 128]
// CHECK-NEXT: mem.result "y" [4, 16] offsets [0, 8] sizes [4, 8] : f32 at v7 @host[640 + 128]
