// RUN: turnip-opt %s --allow-unregistered-dialect | turnip-opt --allow-unregistered-dialect | FileCheck %s
// RUN: turnip-opt %s --allow-unregistered-dialect --mlir-print-op-generic | turnip-opt --allow-unregistered-dialect | FileCheck %s

// CHECK-LABEL: task.kernel @plain(%{{.*}}: tensor<4x8xf32>, %{{.*}}: tensor<8xf32>) -> tensor<4x8xf32> {
// CHECK-NEXT: task.yield %{{.*}} : tensor<4x8xf32>
task.kernel @plain(%x: tensor<4x8xf32>, %w: tensor<8xf32>) -> tensor<4x8xf32> {
  task.yield %x : tensor<4x8xf32>
}

// Clauses print between signature and body.
// CHECK-LABEL: task.kernel private @clauses(%{{.*}}: tensor<4x8xf32>, %{{.*}}: index, %{{.*}}: index) -> (tensor<4x8xf32>, tensor<4x8xf32>)
// CHECK-SAME: grid 4 workspace 4096 flops 64 bytes 256 seconds 1.500000e-06 inplace(0 -> 1) attributes {note = "kept"} {
task.kernel private @clauses(%x: tensor<4x8xf32>, %i: index, %j: index) -> (tensor<4x8xf32>, tensor<4x8xf32>)
    grid 4 workspace 4096 flops 64 bytes 256 seconds 1.5e-6 inplace(0 -> 1)
    attributes {note = "kept"} {
  task.yield %x, %x : tensor<4x8xf32>, tensor<4x8xf32>
}

// Only object code, no body.
// CHECK-LABEL: task.kernel @object(tensor<8xf32>) -> tensor<8xf32> grid 1
// CHECK-SAME: objects [#task.object<triple = "x86_64-unknown-linux-gnu", features = ["avx2", "fma"], format = "elf-so", symbol = "k", code = dense<[1, 2, 3]> : tensor<3xi8>>,
// CHECK-SAME: #task.object<triple = "nvptx64-nvidia-cuda", features = [], format = "ptx", symbol = "k", code = dense<7> : tensor<3xi8>>]
task.kernel @object(tensor<8xf32>) -> tensor<8xf32> grid 1 objects [
  #task.object<triple = "x86_64-unknown-linux-gnu", features = ["avx2", "fma"], format = "elf-so", symbol = "k", code = dense<[1, 2, 3]> : tensor<3xi8>>,
  #task.object<triple = "nvptx64-nvidia-cuda", features = [], format = "ptx", symbol = "k", code = dense<7> : tensor<3xi8>>]

// CHECK-LABEL: task.kernel @constant() -> tensor<f32>
task.kernel @constant() -> tensor<f32>

// CHECK-LABEL: task.graph @main devices 2 {
task.graph @main devices 2 {
  // CHECK: %[[X:.*]] = task.input "x" [8, 8] offsets [4, 0] sizes [4, 8] : <4x8xf32, host>
  %x = task.input "x" [8, 8] offsets [4, 0] sizes [4, 8] : !task.tile<4x8xf32, host>
  // CHECK: %[[W:.*]] = task.parameter "w" [2, 8] of [16] offsets [0, 0] sizes [1, 8] : <1x8xf32, dev 1>
  %w = task.parameter "w" [2, 8] of [16] offsets [0, 0] sizes [1, 8] : !task.tile<1x8xf32, dev 1>
  // CHECK: %[[T:.*]] = task.transfer %[[X]] : <4x8xf32, host> to <4x8xf32, dev 0>
  %t = task.transfer %x : !task.tile<4x8xf32, host> to !task.tile<4x8xf32, dev 0>
  // CHECK: %[[Y:.*]]:2 = task.call @clauses(%[[T]]) scalars [4, -1] on dev 0 : (!task.tile<4x8xf32, dev 0>) -> (!task.tile<4x8xf32, dev 0>, !task.tile<4x8xf32, dev 0>)
  %y:2 = task.call @clauses(%t) scalars [4, -1] on dev 0 : (!task.tile<4x8xf32, dev 0>) -> (!task.tile<4x8xf32, dev 0>, !task.tile<4x8xf32, dev 0>)
  // CHECK: %[[C:.*]] = task.call @constant() on host : () -> !task.tile<f32, host>
  %c = task.call @constant() on host : () -> !task.tile<f32, host>
  // CHECK: task.result %[[Y]]#1 "y" [4, 8] of [32] offsets [0, 0] sizes [4, 8] : <4x8xf32, dev 0>
  task.result %y#1 "y" [4, 8] of [32] offsets [0, 0] sizes [4, 8] : !task.tile<4x8xf32, dev 0>
  // CHECK: task.result %[[C]] "c" [] offsets [] sizes [] : <f32, host>
  task.result %c "c" [] offsets [] sizes [] : !task.tile<f32, host>
}

// CHECK-LABEL: "test.attribute"
// CHECK-SAME: places = [#task.place<host>, #task.place<dev 3>]
"test.attribute"() {places = [#task.place<host>, #task.place<dev 3>]} : () -> ()

// Code for a GPU and what a call of it launches.
// CHECK: task.kernel @launches
// CHECK-SAME: workspace = 512, launches = [#task.launch<"step0" grid(2, 1, 1) block(256, 1, 1) shared 1024 buffers(0, 0, 2, 256) scalars(0)>, #task.matmul<buffers(2, 256, 0, 0, 1, 0), typeA = bf16, typeB = bf16, typeD = f32, compute = "tf32", transA = 1, transB = 0, m = 2, n = 2, k = 2, lda = 2, ldb = 2, ldd = 2, batch = 1, strideA = 0, strideB = 0, strideD = 0, alpha = 1.000000e+00 : f64, beta = 0.000000e+00 : f64, epilogue = "none", workspaceOffset = 0, workspaceBytes = 256>], code
task.kernel @launches(tensor<2x2xbf16>, index) -> tensor<2x2xf32> workspace 512 objects [
  #task.object<triple = "nvptx64-nvidia-cuda", features = ["sm_90"], format = "ptx", symbol = "", workspace = 512,
    launches = [#task.launch<"step0" grid(2, 1, 1) block(256, 1, 1) shared 1024 buffers(0, 0, 2, 256) scalars(0)>,
                #task.matmul<buffers(2, 256, 0, 0, 1, 0), typeA = bf16, typeB = bf16, typeD = f32, compute = "tf32", transA = 1, transB = 0, m = 2, n = 2, k = 2, lda = 2, ldb = 2, ldd = 2, batch = 1, strideA = 0, strideB = 0, strideD = 0, alpha = 1.0 : f64, beta = 0.0 : f64, epilogue = "none", workspaceOffset = 0, workspaceBytes = 256>],
    code = dense<1> : tensor<4xi8>>]
