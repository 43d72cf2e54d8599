// RUN: turnip-opt %s --emit-kernel-loops --canonicalize --cse | FileCheck %s
// RUN: not turnip-opt %s --emit-kernel-loops=target=z80 2>&1 | FileCheck %s --check-prefix=TARGET

// TARGET: error: unknown target 'z80'

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// Two dimensions walk memory like one; what vectors leave over is done one by
// one.
// CHECK-LABEL: func.func @add
// CHECK-SAME: (%[[BUFFERS:.*]]: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: i64)
// CHECK-DAG: %[[W:.*]] = arith.constant 8 : i64
// CHECK-DAG: %[[END:.*]] = arith.constant 32 : i64
// CHECK: scf.for %{{.*}} to %[[END]] step %[[W]]
// CHECK: llvm.load {{.*}} -> vector<8xf32>
// CHECK: arith.addf {{.*}} : vector<8xf32>
// CHECK: llvm.store {{.*}} : vector<8xf32>
// CHECK: arith.addf {{.*}} : f32
func.func @add(%x: tensor<3x11xf32>, %y: tensor<3x11xf32>) -> tensor<3x11xf32> {
  %e = tensor.empty() : tensor<3x11xf32>
  %r = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<3x11xf32>, tensor<3x11xf32>) outs(%e : tensor<3x11xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<3x11xf32>
  return %r : tensor<3x11xf32>
}

// Both operations run for one row before the next: the row of exponentials is
// all that lies between them.
// CHECK-LABEL: func.func @rows
// CHECK: llvm.alloca {{.*}} x i8
// CHECK: scf.for
// CHECK: scf.for
// CHECK: arith.divf {{.*}} : vector<8xf32>
// CHECK-NOT: return
// CHECK: scf.for {{.*}} iter_args
// CHECK: arith.addf {{.*}} : vector<32xf32>
// CHECK: scf.for
// CHECK: arith.mulf {{.*}} : vector<8xf32>
// CHECK: return
func.func @rows(%x: tensor<5x64xf32>) -> tensor<5x64xf32> {
  %e = tensor.empty() : tensor<5x64xf32>
  %er = tensor.empty() : tensor<5xf32>
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<5x64xf32>) outs(%e : tensor<5x64xf32>) {
  ^bb0(%v: f32, %o: f32):
    %d = arith.divf %one, %v : f32
    linalg.yield %d : f32
  } -> tensor<5x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%er : tensor<5xf32>) -> tensor<5xf32>
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<5x64xf32>) outs(%f : tensor<5xf32>) {
  ^bb0(%v: f32, %o: f32):
    %t = arith.addf %o, %v : f32
    linalg.yield %t : f32
  } -> tensor<5xf32>
  %r = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a, %s : tensor<5x64xf32>, tensor<5xf32>) outs(%e : tensor<5x64xf32>) {
  ^bb0(%v: f32, %w: f32, %o: f32):
    %t = arith.mulf %v, %w : f32
    linalg.yield %t : f32
  } -> tensor<5x64xf32>
  return %r : tensor<5x64xf32>
}

// bf16 is widened by shifting its bits.
// CHECK-LABEL: func.func @narrow
// CHECK: llvm.load {{.*}} -> vector<8xi16>
// CHECK: arith.shli {{.*}} : vector<8xi32>
// CHECK-NOT: bf16
func.func @narrow(%x: tensor<16xbf16>) -> tensor<16xf32> {
  %e = tensor.empty() : tensor<16xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%x : tensor<16xbf16>) outs(%e : tensor<16xf32>) {
  ^bb0(%a: bf16, %o: f32):
    %s = arith.extf %a : bf16 to f32
    linalg.yield %s : f32
  } -> tensor<16xf32>
  return %r : tensor<16xf32>
}

// Weights with contiguous rows and many activations: columns are packed by
// transposing blocks of 8 x 8, then tiles of 6 x 16 accumulate in registers.
// CHECK-LABEL: func.func @packed
// CHECK: llvm.alloca
// CHECK: vector.shuffle {{.*}} [0, 8, 1, 9, 4, 12, 5, 13]
// CHECK: scf.for {{.*}} -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>)
// CHECK-COUNT-12: math.fma {{.*}} : vector<8xf32>
func.func @packed(%x: tensor<48x64xf32>, %w: tensor<32x64xf32>) -> tensor<48x32xf32> {
  %e = tensor.empty() : tensor<48x32xf32>
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<48x32xf32>) -> tensor<48x32xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<48x64xf32>, tensor<32x64xf32>) outs(%f : tensor<48x32xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<48x32xf32>
  return %r : tensor<48x32xf32>
}

// Few rows: nothing is packed, 3 x 4 dot products run along k.
// CHECK-LABEL: func.func @dots
// CHECK-NOT: llvm.alloca
// CHECK: scf.for {{.*}} iter_args
// CHECK-COUNT-12: math.fma {{.*}} : vector<8xf32>
// CHECK: llvm.store {{.*}} : vector<4xf32>
func.func @dots(%x: tensor<3x64xf32>, %w: tensor<32x64xf32>) -> tensor<3x32xf32> {
  %e = tensor.empty() : tensor<3x32xf32>
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<3x32xf32>) -> tensor<3x32xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<3x64xf32>, tensor<32x64xf32>) outs(%f : tensor<3x32xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<3x32xf32>
  return %r : tensor<3x32xf32>
}
