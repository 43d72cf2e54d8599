// RUN: turnip-opt %s --task-compile-kernels | FileCheck %s
// RUN: turnip-opt %s --task-compile-kernels=target=x86-64-v2 | FileCheck %s --check-prefix=V2
// RUN: not turnip-opt %s --task-compile-kernels=target=z80 2>&1 | FileCheck %s --check-prefix=TARGET
// RUN: turnip-opt %s --task-compile-kernels -mlir-disable-threading > %t.1
// RUN: rm -rf %t.cache
// RUN: turnip-opt %s --task-compile-kernels=cache=%t.cache > %t.2
// RUN: turnip-opt %s --task-compile-kernels=cache=%t.cache > %t.3
// RUN: diff %t.1 %t.2
// RUN: diff %t.1 %t.3

// TARGET: error: unknown target: expected x86-64-v2, x86-64-v3, x86-64-v4, cuda:sm_80, cuda:sm_90, cuda:sm_100 or cuda:stand-in, but got 'z80'

// CHECK: task.kernel @scale
// CHECK-SAME: grid 1 workspace 0 flops 8 bytes 64 inplace(0 -> 0)
// CHECK-SAME: triple = "x86_64-unknown-linux-gnu", features = ["x86-64-v3"]
// CHECK-SAME: format = "elf-so", symbol = "turnip_kernel", code = dense<"0x7F454C46
// V2: task.kernel @scale
// V2-SAME: features = ["x86-64-v2"]
task.kernel @scale(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = ein.einsum "i->i"(%x) {
  ^bb0(%a: f32):
    %c = arith.constant 2.0 : f32
    %p = arith.mulf %a, %c : f32
    ein.yield %p : f32
  } : (tensor<8xf32>) -> tensor<8xf32>
  task.yield %0 : tensor<8xf32>
}

// CHECK: task.kernel @product
// CHECK-SAME: flops 1536
// CHECK-NOT: inplace
// CHECK-SAME: objects
task.kernel @product(%x: tensor<8x12xf32>, %w: tensor<8x12xf32>) -> tensor<8x8xf32> {
  %0 = ein.einsum "lk,nk->ln" sum(%x, %w) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    ein.yield %p : f32
  } : (tensor<8x12xf32>, tensor<8x12xf32>) -> tensor<8x8xf32>
  task.yield %0 : tensor<8x8xf32>
}

// A scalar moves the mask.
// CHECK: task.kernel @mask
// CHECK-SAME: inplace(0 -> 0) objects
task.kernel @mask(%x: tensor<4x6xf32>, %offset: index) -> tensor<4x6xf32> {
  %0 = ein.einsum "lm->lm"(%x) {
  ^bb0(%a: f32):
    %l = ein.index "l" : index
    %m = ein.index "m" : index
    %g = arith.addi %l, %offset : index
    %c = arith.cmpi sle, %m, %g : index
    %low = arith.constant 0xFF800000 : f32
    %s = arith.select %c, %a, %low : f32
    ein.yield %s : f32
  } : (tensor<4x6xf32>) -> tensor<4x6xf32>
  task.yield %0 : tensor<4x6xf32>
}

// Of what is cut, the piece is read.
// CHECK: task.kernel @piece
// CHECK-SAME: grid 1 workspace 0 flops 0 bytes 64 objects
task.kernel @piece(%x: tensor<64x8xf32>, %i: index) -> tensor<1x8xf32> {
  %0 = ein.window %x[%i] : tensor<64x8xf32> to tensor<1x8xf32>
  task.yield %0 : tensor<1x8xf32>
}

// Two operands and two results of one shape: each buffer is given once.
// CHECK: task.kernel @pair
// CHECK-SAME: inplace(0 -> 0{{(, 1 -> 1)?}}) objects
task.kernel @pair(%x: tensor<4x6xf32>, %y: tensor<4x6xf32>)
    -> (tensor<4x6xf32>, tensor<4x6xf32>) {
  %0:2 = ein.fused "ln,ln->ln,ln" parallel "l"(%x, %y) {
  ^bb0(%t: tensor<4x6xf32>, %u: tensor<4x6xf32>):
    %s = ein.einsum "ln,ln->ln"(%t, %u) {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      ein.yield %c : f32
    } : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
    %d = ein.einsum "ln->ln"(%s) {
    ^bb0(%a: f32):
      %c = arith.negf %a : f32
      ein.yield %c : f32
    } : (tensor<4x6xf32>) -> tensor<4x6xf32>
    ein.yield %s, %d : tensor<4x6xf32>, tensor<4x6xf32>
  } : (tensor<4x6xf32>, tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>)
  task.yield %0#0, %0#1 : tensor<4x6xf32>, tensor<4x6xf32>
}
