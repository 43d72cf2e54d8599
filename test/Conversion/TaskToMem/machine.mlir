// RUN: turnip-opt %s -place-memory=machine=h100 | FileCheck %s
// RUN: turnip-opt %s -place-memory="machine=h100 device-memory=1MiB link-bandwidth=1e9 link-latency=2e-6 flop-rate=1e12 byte-rate=1e9" | FileCheck %s --check-prefix=GIVEN
// RUN: turnip-opt %s -place-memory | FileCheck %s --check-prefix=PLAIN

// Capacities, alignment and links are the machine's; what the plan does not use
// of memory without a cap is left out.
// CHECK: options = "machine=h100 order=best"
// CHECK: mem.memory @dev0 device capacity {{[0-9]+}} alignment 256
// CHECK: mem.link @params to @dev0 channel 0 bandwidth 5.040000e+10 latency 1.000000e-05

// GIVEN: options = "device-memory=1048576 machine=h100 order=best"
// GIVEN: mem.memory @dev0 device capacity 1048576 alignment 256
// GIVEN: mem.link @params to @dev0 channel 0 bandwidth 1.000000e+09 latency 2.000000e-06

// PLAIN: mem.memory @dev0 device capacity {{[0-9]+}} alignment 64
// PLAIN: mem.link @params to @dev0 channel 0 bandwidth 1.000000e+10 latency 1.000000e-05

// A contraction of bf16 takes 2 us and its flops at 70 % of the tensor cores',
// an elementwise kernel 2 us and its bytes at 80 % of the memory's bandwidth.
// CHECK-DAG: mem.cost @contract on "dev0" seconds 2.00605850{{[0-9]*}}E-6
// CHECK-DAG: mem.cost @add on "dev0" seconds 2.29344477{{[0-9]*}}E-6
// GIVEN-DAG: mem.cost @contract on "dev0" seconds 6.19430400{{[0-9]*}}E-6
// GIVEN-DAG: mem.cost @add on "dev0" seconds 7.884320e-04

task.kernel @contract(%a: tensor<128x128xbf16>, %b: tensor<128x128xbf16>) -> tensor<128x128xf32> flops 4194304 bytes 2048 {
  %0 = ein.einsum "mk,kn->mn" sum(%a, %b) {
  ^bb0(%x: bf16, %y: bf16):
    %wx = arith.extf %x : bf16 to f32
    %wy = arith.extf %y : bf16 to f32
    %p = arith.mulf %wx, %wy : f32
    ein.yield %p : f32
  } : (tensor<128x128xbf16>, tensor<128x128xbf16>) -> tensor<128x128xf32>
  task.yield %0 : tensor<128x128xf32>
}

task.kernel @add(%a: tensor<256x256xf32>, %b: tensor<256x256xf32>) -> tensor<256x256xf32> {
  %0 = ein.einsum "mn,mn->mn"(%a, %b) {
  ^bb0(%x: f32, %y: f32):
    %p = arith.addf %x, %y : f32
    ein.yield %p : f32
  } : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  task.yield %0 : tensor<256x256xf32>
}

task.graph @main devices 1 {
  %a = task.parameter "a" [128, 128] offsets [0, 0] sizes [128, 128] : !task.tile<128x128xbf16, dev 0>
  %c = task.call @contract(%a, %a) on dev 0 : (!task.tile<128x128xbf16, dev 0>, !task.tile<128x128xbf16, dev 0>) -> !task.tile<128x128xf32, dev 0>
  task.result %c "c" [128, 128] offsets [0, 0] sizes [128, 128] : !task.tile<128x128xf32, dev 0>
  %x = task.parameter "x" [256, 256] offsets [0, 0] sizes [256, 256] : !task.tile<256x256xf32, dev 0>
  %y = task.call @add(%x, %x) on dev 0 : (!task.tile<256x256xf32, dev 0>, !task.tile<256x256xf32, dev 0>) -> !task.tile<256x256xf32, dev 0>
  task.result %y "y" [256, 256] offsets [0, 0] sizes [256, 256] : !task.tile<256x256xf32, dev 0>
}
