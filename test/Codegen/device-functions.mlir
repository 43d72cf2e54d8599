// RUN: turnip-opt %s --emit-kernel-loops=target=cuda | FileCheck %s

// A thread group per row: one load, two sums of which each passes the warp, one
// store.
// CHECK: func.func @step0(%{{.*}}: !llvm.ptr<1>, %{{.*}}: !llvm.ptr<1>)
// CHECK-DAG: nvvm.read.ptx.sreg.tid.x
// CHECK-DAG: nvvm.read.ptx.sreg.ctaid.x
// CHECK-COUNT-5: nvvm.shfl.sync
// CHECK: math.fma
// CHECK-COUNT-5: nvvm.shfl.sync
// CHECK: arith.divf
// CHECK: llvm.store
// CHECK-NOT: func.func
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
func.func @softmax(%x: tensor<40x128xf32>) -> tensor<40x128xf32> {
  %e = tensor.empty() : tensor<40x128xf32>
  %er = tensor.empty() : tensor<40xf32>
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %f0 = linalg.fill ins(%low : f32) outs(%er : tensor<40xf32>) -> tensor<40xf32>
  %max = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<40x128xf32>) outs(%f0 : tensor<40xf32>) {
  ^bb0(%a: f32, %o: f32):
    %v = arith.maximumf %o, %a : f32
    linalg.yield %v : f32
  } -> tensor<40xf32>
  %exp = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %max : tensor<40x128xf32>, tensor<40xf32>) outs(%e : tensor<40x128xf32>) {
  ^bb0(%a: f32, %m: f32, %o: f32):
    %d = arith.subf %a, %m : f32
    %v = math.exp %d : f32
    linalg.yield %v : f32
  } -> tensor<40x128xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%er : tensor<40xf32>) -> tensor<40xf32>
  %sum = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%exp : tensor<40x128xf32>) outs(%f1 : tensor<40xf32>) {
  ^bb0(%a: f32, %o: f32):
    %v = arith.addf %o, %a : f32
    linalg.yield %v : f32
  } -> tensor<40xf32>
  %r = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%exp, %sum : tensor<40x128xf32>, tensor<40xf32>) outs(%e : tensor<40x128xf32>) {
  ^bb0(%a: f32, %s: f32, %o: f32):
    %v = arith.divf %a, %s : f32
    linalg.yield %v : f32
  } -> tensor<40x128xf32>
  return %r : tensor<40x128xf32>
}
