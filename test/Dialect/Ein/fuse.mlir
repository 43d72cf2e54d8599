// RUN: turnip-opt %s --ein-fuse --split-input-file --verify-diagnostics | FileCheck %s
// RUN: turnip-opt %s --ein-fuse=row-budget=16 --split-input-file | FileCheck %s --check-prefix=SMALL
// RUN: not turnip-opt %s --ein-fuse=row-budget=much --split-input-file 2>&1 | FileCheck %s --check-prefix=BUDGET

// BUDGET: error: row-budget: {{.*}}much

// One position of the mask reads the position, which stays that of the label.
// CHECK-LABEL: @softmax
// CHECK-SAME: (%[[X:.*]]: tensor<2x4x8xf32>)
// SMALL-LABEL: @softmax
// SMALL-NOT: ein.fused
func.func @softmax(%x: tensor<2x4x8xf32>) -> tensor<2x4x8xf32> {
  // CHECK-NEXT: %[[Y:.*]] = ein.fused "hlm->hlm" parallel "hl"(%[[X]]) {
  // CHECK-NEXT: ^bb0(%[[T:.*]]: tensor<2x4x8xf32>):
  // CHECK-NEXT: %[[S:.*]] = ein.einsum "hlm->hlm"(%[[T]])
  // CHECK: ein.index "l"
  // CHECK: ein.index "m"
  // CHECK: %[[M:.*]] = ein.einsum "hlm->hl" max(%[[S]])
  // CHECK: %[[E:.*]] = ein.einsum "hlm,hl->hlm"(%[[S]], %[[M]])
  // CHECK: %[[N:.*]] = ein.einsum "hlm->hl" sum(%[[E]])
  // CHECK: %[[R:.*]] = ein.einsum "hlm,hl->hlm"(%[[E]], %[[N]])
  // CHECK: ein.yield %[[R]] : tensor<2x4x8xf32>
  // CHECK-NEXT: } : (tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  // CHECK-NEXT: return %[[Y]]
  %0 = ein.einsum "hlm->hlm"(%x) {
  ^bb0(%a: f32):
    %i = ein.index "l" : index
    %j = ein.index "m" : index
    %c = arith.cmpi sle, %j, %i : index
    %n = arith.constant 0xFF800000 : f32
    %s = arith.constant 0.5 : f32
    %t = arith.mulf %a, %s : f32
    %m = arith.select %c, %t, %n : f32
    ein.yield %m : f32
  } : (tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %1 = ein.einsum "abc->ab" max(%0) {
  ^bb0(%a: f32):
    ein.yield %a : f32
  } : (tensor<2x4x8xf32>) -> tensor<2x4xf32>
  %2 = ein.einsum "abc,ab->abc"(%0, %1) {
  ^bb0(%a: f32, %b: f32):
    %d = arith.subf %a, %b : f32
    %e = math.exp %d : f32
    ein.yield %e : f32
  } : (tensor<2x4x8xf32>, tensor<2x4xf32>) -> tensor<2x4x8xf32>
  %3 = ein.einsum "xyz->xy" sum(%2) {
  ^bb0(%a: f32):
    ein.yield %a : f32
  } : (tensor<2x4x8xf32>) -> tensor<2x4xf32>
  %4 = ein.einsum "xyz,xy->xyz"(%2, %3) {
  ^bb0(%a: f32, %b: f32):
    %d = arith.divf %a, %b : f32
    ein.yield %d : f32
  } : (tensor<2x4x8xf32>, tensor<2x4xf32>) -> tensor<2x4x8xf32>
  return %4 : tensor<2x4x8xf32>
}

// -----

// The sum of a residual addition is read elsewhere too: it is a second result.
// CHECK-LABEL: @residual_norm
// SMALL-LABEL: @residual_norm
// CHECK-SAME: (%[[X:.*]]: tensor<4x8xf32>, %[[Y:.*]]: tensor<4x8xf32>, %[[W:.*]]: tensor<8xf32>)
func.func @residual_norm(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>, %w: tensor<8xf32>)
    -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  // CHECK-NEXT: %[[R:.*]]:2 = ein.fused "ln,ln,n->ln,ln" parallel "l"(%[[X]], %[[Y]], %[[W]]) {
  // CHECK-NEXT: ^bb0(%[[T:.*]]: tensor<4x8xf32>, %[[U:.*]]: tensor<4x8xf32>, %[[V:.*]]: tensor<8xf32>):
  // CHECK-NEXT: %[[S:.*]] = ein.einsum "ln,ln->ln"(%[[T]], %[[U]])
  // CHECK: %[[Q:.*]] = ein.einsum "ln->l" sum(%[[S]])
  // CHECK: %[[I:.*]] = ein.einsum "l->l"(%[[Q]])
  // CHECK: %[[N:.*]] = ein.einsum "ln,l,n->ln"(%[[S]], %[[I]], %[[V]])
  // CHECK: ein.yield %[[S]], %[[N]]
  // CHECK: return %[[R]]#0, %[[R]]#1
  %0 = ein.einsum "ln,ln->ln"(%x, %y) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    ein.yield %s : f32
  } : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = ein.einsum "ln->l" sum(%0) {
  ^bb0(%a: f32):
    %s = arith.mulf %a, %a : f32
    ein.yield %s : f32
  } : (tensor<4x8xf32>) -> tensor<4xf32>
  %2 = ein.einsum "l->l"(%1) {
  ^bb0(%a: f32):
    %s = math.rsqrt %a : f32
    ein.yield %s : f32
  } : (tensor<4xf32>) -> tensor<4xf32>
  %3 = ein.einsum "ln,l,n->ln"(%0, %2, %w) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %s = arith.mulf %a, %b : f32
    %t = arith.mulf %s, %c : f32
    ein.yield %t : f32
  } : (tensor<4x8xf32>, tensor<4xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  return %0, %3 : tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// What is read twice from outside is one operand, its labels being the same
// through the other value.
// CHECK-LABEL: @shared_operand
// CHECK-SAME: (%[[X:.*]]: tensor<4x8xf32>)
func.func @shared_operand(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // CHECK-NEXT: ein.fused "ab->ab" parallel "a"(%[[X]]) {
  // CHECK: ein.einsum "ab->a" max
  // CHECK: ein.einsum "ab,a->ab"
  %0 = ein.einsum "ab->a" max(%x) {
  ^bb0(%a: f32):
    ein.yield %a : f32
  } : (tensor<4x8xf32>) -> tensor<4xf32>
  %1 = ein.einsum "cd,c->cd"(%x, %0) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.subf %a, %b : f32
    ein.yield %s : f32
  } : (tensor<4x8xf32>, tensor<4xf32>) -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// -----

// As a matrix and as its transpose, it is two.
// CHECK-LABEL: @transposed_operand
// CHECK-SAME: (%[[X:.*]]: tensor<4x4xf32>)
func.func @transposed_operand(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // CHECK-NEXT: ein.fused "ab,ba->ab" parallel "ab"(%[[X]], %[[X]]) {
  %0 = ein.einsum "ab->ab"(%x) {
  ^bb0(%a: f32):
    %n = arith.negf %a : f32
    ein.yield %n : f32
  } : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = ein.einsum "ab,ba->ab"(%0, %x) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.subf %a, %b : f32
    ein.yield %s : f32
  } : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

// -----

// A value and its transpose do not fit into one group.
// CHECK-LABEL: @transposed_value
// CHECK-NOT: ein.fused
func.func @transposed_value(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = ein.einsum "ab->ab"(%x) {
  ^bb0(%a: f32):
    %n = arith.negf %a : f32
    ein.yield %n : f32
  } : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = ein.einsum "ab,ba->ab"(%0, %0) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.subf %a, %b : f32
    ein.yield %s : f32
  } : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

// -----

// Labels are renamed where letters clash, positions with them.
// CHECK-LABEL: @renamed
func.func @renamed(%x: tensor<4x8xf32>) -> tensor<4x8x3xf32> {
  // CHECK: ein.fused "ab->abc" parallel "ab"
  // CHECK: ein.einsum "ab->ab"
  // CHECK: ein.index "b"
  // CHECK: ein.einsum "ab->abc"
  // CHECK-NEXT: ^bb0
  // CHECK-NEXT: ein.index "c"
  // CHECK-NEXT: ein.index "b"
  %0 = ein.einsum "ab->ab"(%x) {
  ^bb0(%a: f32):
    %i = ein.index "b" : index
    %j = arith.index_cast %i : index to i32
    %k = arith.sitofp %j : i32 to f32
    %n = arith.addf %a, %k : f32
    ein.yield %n : f32
  } : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = ein.einsum "bc->bca"(%0) {
  ^bb0(%a: f32):
    %i = ein.index "a" : index
    %l = ein.index "c" : index
    %m = arith.addi %i, %l : index
    %j = arith.index_cast %m : index to i32
    %k = arith.sitofp %j : i32 to f32
    %n = arith.addf %a, %k : f32
    ein.yield %n : f32
  } : (tensor<4x8xf32>) -> tensor<4x8x3xf32>
  return %1 : tensor<4x8x3xf32>
}

// -----

// A contraction has a kernel of its own; what follows it is a chain.
// CHECK-LABEL: @contraction
func.func @contraction(%x: tensor<8x16xf32>, %w: tensor<16x16xf32>, %b: tensor<16xf32>)
    -> tensor<8x16xf32> {
  // CHECK: %[[C:.*]] = ein.einsum "lk,nk->ln" sum
  // CHECK: ein.fused "ln,n->ln" parallel "ln"(%[[C]],
  %0 = ein.einsum "lk,nk->ln" sum(%x, %w) {
  ^bb0(%a: f32, %c: f32):
    %p = arith.mulf %a, %c : f32
    ein.yield %p : f32
  } : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  %1 = ein.einsum "ln,n->ln"(%0, %b) {
  ^bb0(%a: f32, %c: f32):
    %p = arith.addf %a, %c : f32
    ein.yield %p : f32
  } : (tensor<8x16xf32>, tensor<16xf32>) -> tensor<8x16xf32>
  %2 = ein.einsum "ln->ln"(%1) {
  ^bb0(%a: f32):
    %p = math.tanh %a : f32
    ein.yield %p : f32
  } : (tensor<8x16xf32>) -> tensor<8x16xf32>
  return %2 : tensor<8x16xf32>
}

// -----

// Rotary embedding contracts over two values: it is as good as elementwise.
// CHECK-LABEL: @rotary
func.func @rotary(%q: tensor<4x3x8x2xf32>, %r: tensor<4x8x2x2xf32>) -> tensor<4x3x8x2xf32> {
  // CHECK: ein.fused "lhpt,lpst->lhps" parallel "lhp"
  %0 = ein.einsum "lhpt->lhpt"(%q) {
  ^bb0(%a: f32):
    %p = arith.negf %a : f32
    ein.yield %p : f32
  } : (tensor<4x3x8x2xf32>) -> tensor<4x3x8x2xf32>
  %1 = ein.einsum "lhpt,lpst->lhps" sum(%0, %r) {
  ^bb0(%a: f32, %c: f32):
    %p = arith.mulf %a, %c : f32
    ein.yield %p : f32
  } : (tensor<4x3x8x2xf32>, tensor<4x8x2x2xf32>) -> tensor<4x3x8x2xf32>
  return %1 : tensor<4x3x8x2xf32>
}

// -----

// In one group, every tile of the result would compute all of the scale again.
// CHECK-LABEL: @no_recomputation
// CHECK-NOT: ein.fused
func.func @no_recomputation(%x: tensor<4x8xf32>, %w: tensor<8xf32>) -> tensor<4x8xf32> {
  %0 = ein.einsum "n->n"(%w) {
  ^bb0(%a: f32):
    %p = math.exp %a : f32
    ein.yield %p : f32
  } : (tensor<8xf32>) -> tensor<8xf32>
  %1 = ein.einsum "ln,n->ln"(%x, %0) {
  ^bb0(%a: f32, %c: f32):
    %p = arith.mulf %a, %c : f32
    ein.yield %p : f32
  } : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// -----

// Nothing could be split after a reduction to one value.
// CHECK-LABEL: @full_reduction
// CHECK-NOT: ein.fused
func.func @full_reduction(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = ein.einsum "n->" sum(%x) {
  ^bb0(%a: f32):
    ein.yield %a : f32
  } : (tensor<8xf32>) -> tensor<f32>
  %1 = ein.einsum "n,->n"(%x, %0) {
  ^bb0(%a: f32, %c: f32):
    %p = arith.divf %a, %c : f32
    ein.yield %p : f32
  } : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----

// The columns of a column-wise softmax are not contiguous.
// CHECK-LABEL: @columns
// CHECK-NOT: ein.fused
func.func @columns(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %0 = ein.einsum "nl->l" max(%x) {
  ^bb0(%a: f32):
    ein.yield %a : f32
  } : (tensor<8x4xf32>) -> tensor<4xf32>
  %1 = ein.einsum "nl,l->nl"(%x, %0) {
  ^bb0(%a: f32, %c: f32):
    %p = arith.subf %a, %c : f32
    ein.yield %p : f32
  } : (tensor<8x4xf32>, tensor<4xf32>) -> tensor<8x4xf32>
  return %1 : tensor<8x4xf32>
}

// -----

// Three others read the exponential: it is computed once, by itself.
// CHECK-LABEL: @many_readers
// CHECK-NOT: ein.fused
func.func @many_readers(%x: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2xf32>) {
  %0 = ein.einsum "n->n"(%x) {
  ^bb0(%a: f32):
    %p = math.exp %a : f32
    ein.yield %p : f32
  } : (tensor<4xf32>) -> tensor<4xf32>
  %1 = ein.einsum "n->n"(%0) {
  ^bb0(%a: f32):
    %p = arith.negf %a : f32
    ein.yield %p : f32
  } : (tensor<4xf32>) -> tensor<4xf32>
  %2 = ein.reshape %0 : tensor<4xf32> to tensor<2x2xf32>
  %3 = ein.reshape %0 : tensor<4xf32> to tensor<2x2xf32>
  %4 = ein.slice %0 [0] [2] [1] : tensor<4xf32> to tensor<2xf32>
  return %1, %2, %3, %4 : tensor<4xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2xf32>
}

// -----

// The last einsum needs what is computed from the first one outside.
// CHECK-LABEL: @cycle
// CHECK-NOT: ein.fused
func.func @cycle(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = ein.einsum "n->n"(%x) {
  ^bb0(%a: f32):
    %p = math.exp %a : f32
    ein.yield %p : f32
  } : (tensor<4xf32>) -> tensor<4xf32>
  %1 = ein.reshape %0 : tensor<4xf32> to tensor<2x2xf32>
  %2 = ein.reshape %1 : tensor<2x2xf32> to tensor<4xf32>
  %3 = ein.einsum "n,n->n"(%0, %2) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.addf %a, %b : f32
    ein.yield %p : f32
  } : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %3 : tensor<4xf32>
}

// -----

// Two groups would each need the other's result first: only one is made.
// CHECK-LABEL: @mutual
// CHECK: ein.fused
// CHECK-NOT: ein.fused
// CHECK: return
func.func @mutual(%x: tensor<4xf32>, %y: tensor<4x8xf32>) -> (tensor<4xf32>, tensor<8x4xf32>) {
  %0 = ein.einsum "n->n"(%x) {
  ^bb0(%a: f32):
    %p = math.exp %a : f32
    ein.yield %p : f32
  } : (tensor<4xf32>) -> tensor<4xf32>
  %1 = ein.einsum "nm->mn"(%y) {
  ^bb0(%a: f32):
    %p = math.exp %a : f32
    ein.yield %p : f32
  } : (tensor<4x8xf32>) -> tensor<8x4xf32>
  %2 = ein.slice %1 [0, 0] [1, 4] [1, 1] : tensor<8x4xf32> to tensor<1x4xf32>
  %3 = ein.reshape %2 : tensor<1x4xf32> to tensor<4xf32>
  %4 = ein.einsum "n,n->n"(%0, %3) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.addf %a, %b : f32
    ein.yield %p : f32
  } : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %5 = ein.reshape %0 : tensor<4xf32> to tensor<1x4xf32>
  %6 = ein.reshape %5 : tensor<1x4xf32> to tensor<4xf32>
  %7 = ein.einsum "mn,n->mn"(%1, %6) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.addf %a, %b : f32
    ein.yield %p : f32
  } : (tensor<8x4xf32>, tensor<4xf32>) -> tensor<8x4xf32>
  return %4, %7 : tensor<4xf32>, tensor<8x4xf32>
}

// -----

// A reader of the first result that stands between the two moves behind them.
// CHECK-LABEL: @moved_reader
func.func @moved_reader(%x: tensor<4xf32>) -> (tensor<2x2xf32>, tensor<4xf32>) {
  // CHECK: %[[F:.*]]:2 = ein.fused "n->n,n" parallel "n"
  // CHECK: %[[R:.*]] = ein.reshape %[[F]]#0
  // CHECK: return %[[R]], %[[F]]#1
  %0 = ein.einsum "n->n"(%x) {
  ^bb0(%a: f32):
    %p = math.exp %a : f32
    ein.yield %p : f32
  } : (tensor<4xf32>) -> tensor<4xf32>
  %1 = ein.reshape %0 : tensor<4xf32> to tensor<2x2xf32>
  %2 = ein.einsum "n->n"(%0) {
  ^bb0(%a: f32):
    %p = arith.negf %a : f32
    ein.yield %p : f32
  } : (tensor<4xf32>) -> tensor<4xf32>
  return %1, %2 : tensor<2x2xf32>, tensor<4xf32>
}

// -----

// Scalars have nothing to split.
// CHECK-LABEL: @scalars
func.func @scalars(%x: tensor<f32>) -> tensor<f32> {
  // CHECK: ein.fused "->" parallel ""
  %0 = ein.einsum "->"(%x) {
  ^bb0(%a: f32):
    %p = math.exp %a : f32
    ein.yield %p : f32
  } : (tensor<f32>) -> tensor<f32>
  %1 = ein.einsum "->"(%0) {
  ^bb0(%a: f32):
    %p = arith.negf %a : f32
    ein.yield %p : f32
  } : (tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
}

// -----

// Nothing is made of what nobody reads.
// CHECK-LABEL: @dead
// CHECK-NOT: ein.fused
func.func @dead(%x: tensor<4xf32>) {
  %0 = ein.einsum "n->n"(%x) {
  ^bb0(%a: f32):
    %p = math.exp %a : f32
    ein.yield %p : f32
  } : (tensor<4xf32>) -> tensor<4xf32>
  %1 = ein.einsum "n->n"(%0) {
  ^bb0(%a: f32):
    %p = arith.negf %a : f32
    ein.yield %p : f32
  } : (tensor<4xf32>) -> tensor<4xf32>
  return
}
