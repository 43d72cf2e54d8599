// RUN: turnip-opt %s --task-compile-kernels=target=cuda:sm_90,cuda:stand-in | FileCheck %s
// RUN: turnip-opt %s --task-compile-kernels=target=x86-64-v2,cuda:stand-in | turnip-opt | FileCheck %s --check-prefix=V2
// RUN: not turnip-opt %s --task-compile-kernels=target=cuda:sm_70 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: not turnip-opt %s --task-compile-kernels=target=cuda:sm_90,cuda:sm_90 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not turnip-opt %s --task-compile-kernels=target=x86-64-v2,x86-64-v3 2>&1 | FileCheck %s --check-prefix=LEVELS
// RUN: rm -rf %t.cache
// RUN: turnip-opt %s --task-compile-kernels="target=cuda:sm_90,cuda:stand-in cache=%t.cache" > %t.1
// RUN: turnip-opt %s --task-compile-kernels="target=cuda:sm_90,cuda:stand-in cache=%t.cache" > %t.2
// RUN: diff %t.1 %t.2

// CHIP: error: unknown target: expected cuda:sm_80, cuda:sm_90, cuda:sm_100 or cuda:stand-in, but got 'cuda:sm_70'
// TWICE: error: unknown target: got 'cuda:sm_90' twice
// LEVELS: error: unknown target: expected one x86-64 level, but got 'x86-64-v2' and 'x86-64-v3'

// The host's code, PTX (behind a cubin where ptxas is found) and code for the
// stand-in; both devices run the same launches.
// CHECK: task.kernel @scale
// CHECK-SAME: inplace(0 -> 0)
// CHECK-SAME: features = ["x86-64-v3"], format = "elf-so", symbol = "turnip_kernel"
// CHECK-SAME: triple = "nvptx64-nvidia-cuda", features = ["sm_90"], format = "ptx", symbol = "", launches = [#task.launch<"step0" grid(1, 1, 1) block(256, 1, 1) shared 0 buffers(0, 0, 1, 0) scalars(0)>]
// CHECK-SAME: features = ["cuda-stand-in", "x86-64-v3"], format = "stand-in", symbol = "", launches = [#task.launch<"step0" grid(1, 1, 1) block(256, 1, 1) shared 0 buffers(0, 0, 1, 0) scalars(0)>]
// V2: features = ["x86-64-v2"]
// V2-SAME: features = ["cuda-stand-in", "x86-64-v3"]
task.kernel @scale(%x: tensor<8xf32>, %offset: index) -> tensor<8xf32> {
  %0 = ein.einsum "i->i"(%x) {
  ^bb0(%a: f32):
    %i = ein.index "i" : index
    %j = arith.addi %i, %offset : index
    %k = arith.index_cast %j : index to i32
    %c = arith.sitofp %k : i32 to f32
    %p = arith.mulf %a, %c : f32
    ein.yield %p : f32
  } : (tensor<8xf32>) -> tensor<8xf32>
  task.yield %0 : tensor<8xf32>
}

// What lies between two launches is workspace.
// CHECK: task.kernel @two
// CHECK-SAME: workspace 49152
// CHECK-SAME: format = "stand-in", symbol = "", workspace = 49152, launches = [#task.launch<"step0"{{.*}}buffers(0, 0, 2, 32768)
// CHECK-SAME: #task.launch<"step3"{{.*}}buffers(2, 0, 1, 0)
task.kernel @two(%x: tensor<64x64xf32>) -> tensor<64xf32> {
  %0 = ein.einsum "ij->ij"(%x) {
  ^bb0(%a: f32):
    %p = arith.mulf %a, %a : f32
    ein.yield %p : f32
  } : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = ein.concat %0, %0 dim 0 : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<128x64xf32>
  %2 = ein.einsum "ij->j" sum(%1) {
  ^bb0(%a: f32):
    ein.yield %a : f32
  } : (tensor<128x64xf32>) -> tensor<64xf32>
  task.yield %2 : tensor<64xf32>
}
