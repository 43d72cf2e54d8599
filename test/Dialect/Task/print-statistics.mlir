// RUN: turnip-opt %s -task-print-statistics -o /dev/null 2>&1 | FileCheck %s

// CHECK: graph @main on 2 devices
// CHECK-NEXT:   calls: 1 on host, 2 on dev 0, 1 on dev 1; 3 transfers
// CHECK-NEXT:   parameters: 2 slices, 160 bytes
// CHECK-NEXT:   parameters read on the host: 1 slices, 32 bytes
// CHECK-NEXT:   inputs: 1 slices, 64 bytes
// CHECK-NEXT:   results: 1 slices, 64 bytes
// CHECK-NEXT:   largest working set of host: task 0 (f), 192 bytes
// CHECK-NEXT:   largest working set of dev 0: task 3 (g), 384 bytes
// CHECK-NEXT:   largest working set of dev 1: task 6 (f), 192 bytes
// CHECK-NEXT: kernel @f: 2 calls, workspace 0 bytes, 16 flops, 128 bytes moved
// CHECK-NEXT: kernel @g: 2 calls, workspace 100 bytes
task.kernel @f(tensor<16xf32>, tensor<8xf32>) -> tensor<16xf32> flops 16 bytes 128
task.kernel @g(tensor<16xf32>, tensor<32xf32>) -> tensor<16xf32> workspace 100
task.graph @main devices 2 {
  %x = task.input "x" [16] offsets [0] sizes [16] : !task.tile<16xf32, host>
  %v = task.parameter "v" [8] offsets [0] sizes [8] : !task.tile<8xf32, host>
  %0 = task.call @f(%x, %v) on host : (!task.tile<16xf32, host>, !task.tile<8xf32, host>) -> !task.tile<16xf32, host>
  %1 = task.transfer %0 : !task.tile<16xf32, host> to !task.tile<16xf32, dev 0>
  %w = task.parameter "w" [32] offsets [0] sizes [32] : !task.tile<32xf32, dev 0>
  %v1 = task.transfer %v : !task.tile<8xf32, host> to !task.tile<8xf32, dev 1>
  %2 = task.call @g(%1, %w) on dev 0 : (!task.tile<16xf32, dev 0>, !task.tile<32xf32, dev 0>) -> !task.tile<16xf32, dev 0>
  %3 = task.call @g(%2, %w) on dev 0 : (!task.tile<16xf32, dev 0>, !task.tile<32xf32, dev 0>) -> !task.tile<16xf32, dev 0>
  %4 = task.transfer %3 : !task.tile<16xf32, dev 0> to !task.tile<16xf32, dev 1>
  %5 = task.call @f(%4, %v1) on dev 1 : (!task.tile<16xf32, dev 1>, !task.tile<8xf32, dev 1>) -> !task.tile<16xf32, dev 1>
  task.result %5 "y" [16] offsets [0] sizes [16] : !task.tile<16xf32, dev 1>
}
