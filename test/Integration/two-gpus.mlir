// REQUIRES: cuda-stand-in
// A program for two devices and the host, on one GPU that is both and on two.
// RUN: rm -rf %t && mkdir %t
// RUN: turnip-compile %s --compile-from=task --target=x86-64-v3,cuda:stand-in --device-memory=56KiB -o %t/tight.memgraph
// RUN: turnip-compile %s --compile-from=task --target=x86-64-v3,cuda:stand-in --device-memory=128KiB -o %t/ample.memgraph
// RUN: turnip-run %t/tight.memgraph --parameters=random:1 --input=x=64x96xf32=0.5 --output=h=@%t/h.npy --output=f=@%t/f.npy
// RUN: %stand_in turnip-run %t/tight.memgraph --device=cuda:0,cuda:0 --parameters=random:1 --input=x=64x96xf32=0.5 --expected-output=h=@%t/h.npy --expected-output=f=@%t/f.npy | FileCheck %s
// RUN: %stand_in turnip-run %t/tight.memgraph --device=cuda:0,cuda:0 --parameters=random:1 --input=x=64x96xf32=0.5 --runs=20 --hash-results > %t/one.txt
// RUN: %stand_in env TURNIP_STANDIN=devices=2,delay-us=100 turnip-run %t/tight.memgraph --device=cuda:1,cuda:0 --parameters=random:1 --input=x=64x96xf32=0.5 --hash-results > %t/two.txt
// RUN: %stand_in env TURNIP_STANDIN=devices=2,peers=0,delay-us=100,seed=1 turnip-run %t/tight.memgraph --device=cuda:0,cuda:1 --parameters=random:1 --input=x=64x96xf32=0.5 --pinned-memory=1MiB --hash-results > %t/apart.txt
// RUN: %stand_in turnip-run %t/ample.memgraph --device=cuda:0,cuda:0 --parameters=random:1 --input=x=64x96xf32=0.5 --hash-results > %t/ample.txt
// RUN: FileCheck %s --check-prefix=RUNS < %t/one.txt
// RUN: grep hash %t/one.txt > %t/hashes.txt
// RUN: diff %t/hashes.txt %t/two.txt
// RUN: diff %t/hashes.txt %t/apart.txt
// RUN: diff %t/hashes.txt %t/ample.txt

// What cannot be run says so in one line.
// RUN: not %stand_in turnip-run %t/tight.memgraph --device=cuda:0 --parameters=random:1 2>&1 | FileCheck %s --check-prefix=DEVICES
// RUN: turnip-compile %s --compile-from=task --device-memory=56KiB -o %t/host.memgraph
// RUN: not %stand_in turnip-run %t/host.memgraph --device=cuda:0,cuda:0 --parameters=random:1 2>&1 | FileCheck %s --check-prefix=CODE
// RUN: not %stand_in turnip-run %t/tight.memgraph --device=cuda:0,cuda:2 --parameters=random:1 2>&1 | FileCheck %s --check-prefix=NUMBER
// RUN: not %stand_in turnip-run %t/tight.memgraph --device=cuda:0,cuda:0 --guard --parameters=random:1 2>&1 | FileCheck %s --check-prefix=GUARD
// RUN: not %stand_in env TURNIP_STANDIN=fail=cuLaunchKernel:3 turnip-run %t/tight.memgraph --device=cuda:0,cuda:0 --parameters=random:1 --input=x=64x96xf32=0.5 2>&1 | FileCheck %s --check-prefix=FAILS
// RUN: %stand_in turnip-run --list-devices | FileCheck %s --check-prefix=LIST

// CHECK: result 'h' is as expected
// CHECK: result 'f' is as expected
// RUNS: 20 runs, {{[0-9]+}} distinct completion orders, equal results
// DEVICES: error: the program was compiled for 2 devices, but --device= names 1; one GPU may be named twice (cuda:0,cuda:0)
// CODE: error: kernel {{.*}}: no code for the stand-in; the artifact has code for x86_64-unknown-linux-gnu (elf-so): compile it with --target=x86-64-v3,cuda:stand-in
// NUMBER: error: no device cuda:2: there are 1 (see --list-devices)
// GUARD: error: driver 'cuda' keeps its memories in devices, where they cannot be guarded
// FAILS: error: operation {{[0-9]+}} ({{product|mix}}) of task '{{.*}}' on dev{{[01]}} at loc({{.*}}): cuLaunchKernel: CUDA_ERROR_{{.*}} on cuda:0 (Turnip CUDA stand-in)
// FAILS-NOT: {{.}}
// LIST: host: {{[0-9]+}} lanes, {{.*}} free
// LIST-NEXT: cuda:0: Turnip CUDA stand-in, {{.*}} MiB, compute capability 9.0

task.kernel @product(%x: tensor<64x96xf32>, %w: tensor<48x96xf32>) -> tensor<64x48xf32> {
  %0 = ein.einsum "lk,nk->ln" sum(%x, %w) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    ein.yield %p : f32
  } : (tensor<64x96xf32>, tensor<48x96xf32>) -> tensor<64x48xf32>
  task.yield %0 : tensor<64x48xf32>
}
task.kernel @mix(%x: tensor<64x48xf32>, %y: tensor<64x48xf32>, %i: index) -> tensor<64x48xf32> {
  %0 = ein.einsum "ln,ln->ln"(%x, %y) {
  ^bb0(%a: f32, %b: f32):
    %l = ein.index "l" : index
    %m = arith.addi %l, %i : index
    %n = arith.index_cast %m : index to i32
    %f = arith.sitofp %n : i32 to f32
    %s = arith.mulf %b, %f : f32
    %r = arith.addf %a, %s : f32
    ein.yield %r : f32
  } : (tensor<64x48xf32>, tensor<64x48xf32>) -> tensor<64x48xf32>
  task.yield %0 : tensor<64x48xf32>
}
task.graph @main devices 2 {
  %x0 = task.input "x" [64, 96] offsets [0, 0] sizes [64, 96] : !task.tile<64x96xf32, dev 0>
  %x1 = task.transfer %x0 : !task.tile<64x96xf32, dev 0> to !task.tile<64x96xf32, dev 1>
  %w0 = task.parameter "w" [192, 96] offsets [0, 0] sizes [48, 96] : !task.tile<48x96xf32, dev 0>
  %w1 = task.parameter "w" [192, 96] offsets [48, 0] sizes [48, 96] : !task.tile<48x96xf32, dev 1>
  %w2 = task.parameter "w" [192, 96] offsets [96, 0] sizes [48, 96] : !task.tile<48x96xf32, dev 0>
  %w3 = task.parameter "w" [192, 96] offsets [144, 0] sizes [48, 96] : !task.tile<48x96xf32, dev 1>
  %a = task.call @product(%x0, %w0) on dev 0 : (!task.tile<64x96xf32, dev 0>, !task.tile<48x96xf32, dev 0>) -> !task.tile<64x48xf32, dev 0>
  %b = task.call @product(%x1, %w1) on dev 1 : (!task.tile<64x96xf32, dev 1>, !task.tile<48x96xf32, dev 1>) -> !task.tile<64x48xf32, dev 1>
  %b0 = task.transfer %b : !task.tile<64x48xf32, dev 1> to !task.tile<64x48xf32, dev 0>
  %c = task.call @mix(%a, %b0) scalars [3] on dev 0 : (!task.tile<64x48xf32, dev 0>, !task.tile<64x48xf32, dev 0>) -> !task.tile<64x48xf32, dev 0>
  %d = task.call @product(%x0, %w2) on dev 0 : (!task.tile<64x96xf32, dev 0>, !task.tile<48x96xf32, dev 0>) -> !task.tile<64x48xf32, dev 0>
  %e = task.call @product(%x1, %w3) on dev 1 : (!task.tile<64x96xf32, dev 1>, !task.tile<48x96xf32, dev 1>) -> !task.tile<64x48xf32, dev 1>
  %c1 = task.transfer %c : !task.tile<64x48xf32, dev 0> to !task.tile<64x48xf32, dev 1>
  %f = task.call @mix(%e, %c1) scalars [1] on dev 1 : (!task.tile<64x48xf32, dev 1>, !task.tile<64x48xf32, dev 1>) -> !task.tile<64x48xf32, dev 1>
  %dh = task.transfer %d : !task.tile<64x48xf32, dev 0> to !task.tile<64x48xf32, host>
  %fh = task.transfer %f : !task.tile<64x48xf32, dev 1> to !task.tile<64x48xf32, host>
  %g = task.call @mix(%dh, %fh) scalars [2] on host : (!task.tile<64x48xf32, host>, !task.tile<64x48xf32, host>) -> !task.tile<64x48xf32, host>
  %g0 = task.transfer %g : !task.tile<64x48xf32, host> to !task.tile<64x48xf32, dev 0>
  %h = task.call @mix(%g0, %c) scalars [5] on dev 0 : (!task.tile<64x48xf32, dev 0>, !task.tile<64x48xf32, dev 0>) -> !task.tile<64x48xf32, dev 0>
  task.result %h "h" [64, 48] offsets [0, 0] sizes [64, 48] : !task.tile<64x48xf32, dev 0>
  task.result %f "f" [64, 48] offsets [0, 0] sizes [64, 48] : !task.tile<64x48xf32, dev 1>
}
