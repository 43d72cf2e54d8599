// RUN: turnip-opt %s --partition-ein=tile-budget=192B --split-input-file | FileCheck %s
// RUN: turnip-opt %s --partition-ein=tile-budget=192B --split-input-file --task-print-statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=COUNTS

// COUNTS: parameters read on the host: 1 slices,

// The table is a whole operand of the lookup and larger than the rows it gives:
// the lookup runs on the host and the rows are transferred. The reduction over
// rows is cut, joined from left to right, and told where each part lies. A
// returned input is copied, since it is not the program's to give away.

// CHECK: task.kernel @einsum_ab_b(%{{.*}}: tensor<2x16xf32>, %[[OFFSET:.*]]: index)
// CHECK:   %[[I:.*]] = ein.index "a"
// CHECK:   arith.addi %[[I]], %[[OFFSET]]
// CHECK: task.kernel @combine_sum
// CHECK: task.graph @main
// CHECK: %[[TABLE:.*]] = task.parameter "emb" [1000, 16] offsets [0, 0] sizes [1000, 16] : <1000x16xf32, host>
// CHECK: %[[T:.*]] = task.input "tokens" [8] offsets [0] sizes [2] : <2xi32, host>
// CHECK: %[[E:.*]] = task.call @gather(%[[TABLE]], %[[T]]) on host
// CHECK: %[[M:.*]] = task.transfer %[[E]] : <2x16xf32, host> to <2x16xf32, dev 0>
// CHECK: task.call @slice(%[[M]]) on dev 0
// CHECK: %[[P0:.*]] = task.call @einsum_ab_b(%[[M]]) scalars [0]
// CHECK: %[[P1:.*]] = task.call @einsum_ab_b(%{{.*}}) scalars [2]
// CHECK: %[[S1:.*]] = task.call @combine_sum(%[[P0]], %[[P1]])
// CHECK: %[[P2:.*]] = task.call @einsum_ab_b(%{{.*}}) scalars [4]
// CHECK: task.call @combine_sum(%[[S1]], %[[P2]])
// CHECK: %[[IN:.*]] = task.input "tokens" [8] offsets [0] sizes [8] : <8xi32, host>
// CHECK: %[[COPY:.*]] = task.call @copy(%[[IN]]) on host
// CHECK: task.result %[[COPY]] "result2"

func.func @main(%tokens: tensor<8xi32> {ein.name = "tokens"}) -> (tensor<8x6xf32>, tensor<16xf32>, tensor<8xi32>) {
  %emb = ein.parameter "emb" : tensor<1000x16xf32>
  %e = ein.gather %emb[%tokens] : (tensor<1000x16xf32>, tensor<8xi32>) -> tensor<8x16xf32>
  %s = ein.slice %e [0, 2] [8, 6] [1, 2] : tensor<8x16xf32> to tensor<8x6xf32>
  %r = ein.einsum "ab->b" sum(%e) {
  ^bb0(%a: f32):
    %i = ein.index "a" : index
    %j = arith.index_cast %i : index to i32
    %f = arith.sitofp %j : i32 to f32
    %p = arith.mulf %a, %f : f32
    ein.yield %p : f32
  } : (tensor<8x16xf32>) -> tensor<16xf32>
  return %s, %r, %tokens : tensor<8x6xf32>, tensor<16xf32>, tensor<8xi32>
}

// -----

// A table that exceeds the tile budget stays on the host though the rows that
// are looked up are more bytes.

// CHECK-LABEL: task.graph @many
// CHECK: task.parameter "table" {{.*}} : <16x16xf32, host>
// CHECK: task.call @gather
// CHECK-SAME: on host
func.func @many(%i: tensor<32xi32>) -> tensor<32x16xf32> {
  %t = ein.parameter "table" : tensor<16x16xf32>
  %e = ein.gather %t[%i] : (tensor<16x16xf32>, tensor<32xi32>) -> tensor<32x16xf32>
  return %e : tensor<32x16xf32>
}
