// A decoder block: what fuses, and that it computes what it did before. A
// second block would repeat the first one's kernels.
//
// RUN: turnip-opt %s --canonicalize --cse --ein-fuse --canonicalize | FileCheck %s
// RUN: turnip-eval %s --seed=1 --parameters=random:2 --output=y=@%t.npy
// RUN: turnip-opt %s --canonicalize --cse --ein-fuse | turnip-eval --seed=1 --parameters=random:2 --compare=y=@%t.npy
// RUN: turnip-opt %s --ein-fuse --test-ein-tile="sizes=l=3,g=1,r=1,n=5,m=4" | turnip-eval --seed=1 --parameters=random:2 --compare=y=@%t.npy
// RUN: turnip-opt %s --ein-fuse --partition-ein=tile-budget=2KiB | turnip-eval --seed=1 --parameters=random:2 --compare=y=@%t.npy

// Normalisation, then three projections, two of them rotated.
// CHECK: %[[NORM:.*]] = ein.fused "ln,n->ln" parallel "l"
// CHECK: ein.einsum "ln->l" sum
// CHECK: ein.einsum "l->l"
// CHECK: ein.einsum "ln,l,n->ln"
// CHECK: ein.yield
// CHECK: %[[Q:.*]] = ein.einsum "lk,grptk->lgrpt" sum(%[[NORM]],
// CHECK: ein.einsum "lgrpt,lpst->lgrps" sum(%[[Q]],
// CHECK: ein.einsum "lk,gptk->lgpt" sum(%[[NORM]],
// CHECK: %[[SCORES:.*]] = ein.einsum "lgrps,mgps->grlm" sum
// Scale, mask and softmax.
// CHECK: ein.fused "grlm->grlm" parallel "grl"(%[[SCORES]])
// CHECK: ein.einsum "grlm->grlm"
// CHECK: ein.einsum "grlm->grl" max
// CHECK: ein.einsum "grlm,grl->grlm"
// CHECK: ein.einsum "grlm->grl" sum
// CHECK: ein.einsum "grlm,grl->grlm"
// CHECK: ein.yield
// CHECK: %[[OUT:.*]] = ein.einsum "lgrd,ngrd->ln" sum
// Residual addition and the next normalisation.
// CHECK: %[[X:.*]]:2 = ein.fused "ln,ln,n->ln,ln" parallel "l"(%{{.*}}, %[[OUT]], %{{.*}})
// CHECK: ein.einsum "ln,ln->ln"
// CHECK: ein.einsum "ln->l" sum
// CHECK: ein.einsum "l->l"
// CHECK: ein.einsum "ln,l,n->ln"
// CHECK: ein.yield
// CHECK: %[[GATE:.*]] = ein.einsum "lk,nk->ln" sum(%[[X]]#1,
// CHECK: %[[UP:.*]] = ein.einsum "lk,nk->ln" sum(%[[X]]#1,
// CHECK: %[[GATED:.*]] = ein.einsum "ln,ln->ln"(%[[GATE]], %[[UP]])
// CHECK: %[[DOWN:.*]] = ein.einsum "lk,nk->ln" sum(%[[GATED]],
// CHECK: ein.einsum "ln,ln->ln"(%[[X]]#0, %[[DOWN]])
// CHECK-NOT: ein.fused
func.func @main(%x: tensor<8x16xf32> {ein.name = "x"}, %rotation: tensor<8x2x2x2xf32> {ein.name = "rotation"})
    -> (tensor<8x16xf32> {ein.name = "y"}) {
  %norm = ein.parameter "norm" : tensor<16xf32>
  %squares = ein.einsum "ln->l" sum(%x) {
  ^bb0(%a: f32):
    %s = arith.mulf %a, %a : f32
    ein.yield %s : f32
  } : (tensor<8x16xf32>) -> tensor<8xf32>
  %scale = ein.einsum "l->l"(%squares) {
  ^bb0(%a: f32):
    %epsilon = arith.constant 1.0e-5 : f32
    %s = arith.addf %a, %epsilon : f32
    %r = math.rsqrt %s : f32
    ein.yield %r : f32
  } : (tensor<8xf32>) -> tensor<8xf32>
  %normal = ein.einsum "ln,l,n->ln"(%x, %scale, %norm) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %s = arith.mulf %a, %b : f32
    %t = arith.mulf %s, %c : f32
    ein.yield %t : f32
  } : (tensor<8x16xf32>, tensor<8xf32>, tensor<16xf32>) -> tensor<8x16xf32>

  %wq = ein.parameter "q" : tensor<2x2x2x2x16xf32>
  %q = ein.einsum "lk,grptk->lgrpt" sum(%normal, %wq) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    ein.yield %p : f32
  } : (tensor<8x16xf32>, tensor<2x2x2x2x16xf32>) -> tensor<8x2x2x2x2xf32>
  %qr = ein.einsum "lgrpt,lpst->lgrps" sum(%q, %rotation) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    ein.yield %p : f32
  } : (tensor<8x2x2x2x2xf32>, tensor<8x2x2x2xf32>) -> tensor<8x2x2x2x2xf32>
  %wk = ein.parameter "k" : tensor<2x2x2x16xf32>
  %k = ein.einsum "lk,gptk->lgpt" sum(%normal, %wk) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    ein.yield %p : f32
  } : (tensor<8x16xf32>, tensor<2x2x2x16xf32>) -> tensor<8x2x2x2xf32>
  %kr = ein.einsum "lgpt,lpst->lgps" sum(%k, %rotation) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    ein.yield %p : f32
  } : (tensor<8x2x2x2xf32>, tensor<8x2x2x2xf32>) -> tensor<8x2x2x2xf32>
  %wv = ein.parameter "v" : tensor<2x4x16xf32>
  %v = ein.einsum "lk,gdk->lgd" sum(%normal, %wv) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    ein.yield %p : f32
  } : (tensor<8x16xf32>, tensor<2x4x16xf32>) -> tensor<8x2x4xf32>

  %scores = ein.einsum "lgrps,mgps->grlm" sum(%qr, %kr) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    ein.yield %p : f32
  } : (tensor<8x2x2x2x2xf32>, tensor<8x2x2x2xf32>) -> tensor<2x2x8x8xf32>
  %masked = ein.einsum "grlm->grlm"(%scores) {
  ^bb0(%a: f32):
    %l = ein.index "l" : index
    %m = ein.index "m" : index
    %seen = arith.cmpi sle, %m, %l : index
    %half = arith.constant 0.5 : f32
    %scaled = arith.mulf %a, %half : f32
    %hidden = arith.constant 0xFF800000 : f32
    %r = arith.select %seen, %scaled, %hidden : f32
    ein.yield %r : f32
  } : (tensor<2x2x8x8xf32>) -> tensor<2x2x8x8xf32>
  %largest = ein.einsum "grlm->grl" max(%masked) {
  ^bb0(%a: f32):
    ein.yield %a : f32
  } : (tensor<2x2x8x8xf32>) -> tensor<2x2x8xf32>
  %weights = ein.einsum "grlm,grl->grlm"(%masked, %largest) {
  ^bb0(%a: f32, %b: f32):
    %d = arith.subf %a, %b : f32
    %e = math.exp %d : f32
    ein.yield %e : f32
  } : (tensor<2x2x8x8xf32>, tensor<2x2x8xf32>) -> tensor<2x2x8x8xf32>
  %total = ein.einsum "grlm->grl" sum(%weights) {
  ^bb0(%a: f32):
    ein.yield %a : f32
  } : (tensor<2x2x8x8xf32>) -> tensor<2x2x8xf32>
  %shares = ein.einsum "grlm,grl->grlm"(%weights, %total) {
  ^bb0(%a: f32, %b: f32):
    %d = arith.divf %a, %b : f32
    ein.yield %d : f32
  } : (tensor<2x2x8x8xf32>, tensor<2x2x8xf32>) -> tensor<2x2x8x8xf32>
  %mixed = ein.einsum "grlm,mgd->lgrd" sum(%shares, %v) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    ein.yield %p : f32
  } : (tensor<2x2x8x8xf32>, tensor<8x2x4xf32>) -> tensor<8x2x2x4xf32>
  %wo = ein.parameter "o" : tensor<16x2x2x4xf32>
  %out = ein.einsum "lgrd,ngrd->ln" sum(%mixed, %wo) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    ein.yield %p : f32
  } : (tensor<8x2x2x4xf32>, tensor<16x2x2x4xf32>) -> tensor<8x16xf32>

  %x1 = ein.einsum "ln,ln->ln"(%x, %out) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    ein.yield %s : f32
  } : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
  %norm2 = ein.parameter "norm2" : tensor<16xf32>
  %squares2 = ein.einsum "ln->l" sum(%x1) {
  ^bb0(%a: f32):
    %s = arith.mulf %a, %a : f32
    ein.yield %s : f32
  } : (tensor<8x16xf32>) -> tensor<8xf32>
  %scale2 = ein.einsum "l->l"(%squares2) {
  ^bb0(%a: f32):
    %epsilon = arith.constant 1.0e-5 : f32
    %s = arith.addf %a, %epsilon : f32
    %r = math.rsqrt %s : f32
    ein.yield %r : f32
  } : (tensor<8xf32>) -> tensor<8xf32>
  %normal2 = ein.einsum "ln,l,n->ln"(%x1, %scale2, %norm2) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %s = arith.mulf %a, %b : f32
    %t = arith.mulf %s, %c : f32
    ein.yield %t : f32
  } : (tensor<8x16xf32>, tensor<8xf32>, tensor<16xf32>) -> tensor<8x16xf32>
  %wg = ein.parameter "gate" : tensor<24x16xf32>
  %gate = ein.einsum "lk,nk->ln" sum(%normal2, %wg) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    ein.yield %p : f32
  } : (tensor<8x16xf32>, tensor<24x16xf32>) -> tensor<8x24xf32>
  %wu = ein.parameter "up" : tensor<24x16xf32>
  %up = ein.einsum "lk,nk->ln" sum(%normal2, %wu) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    ein.yield %p : f32
  } : (tensor<8x16xf32>, tensor<24x16xf32>) -> tensor<8x24xf32>
  %gated = ein.einsum "ln,ln->ln"(%gate, %up) {
  ^bb0(%a: f32, %b: f32):
    %one = arith.constant 1.0 : f32
    %n = arith.negf %a : f32
    %e = math.exp %n : f32
    %d = arith.addf %one, %e : f32
    %s = arith.divf %a, %d : f32
    %p = arith.mulf %s, %b : f32
    ein.yield %p : f32
  } : (tensor<8x24xf32>, tensor<8x24xf32>) -> tensor<8x24xf32>
  %wd = ein.parameter "down" : tensor<16x24xf32>
  %down = ein.einsum "lk,nk->ln" sum(%gated, %wd) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    ein.yield %p : f32
  } : (tensor<8x24xf32>, tensor<16x24xf32>) -> tensor<8x16xf32>
  %y = ein.einsum "ln,ln->ln"(%x1, %down) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    ein.yield %s : f32
  } : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
  return %y : tensor<8x16xf32>
}
