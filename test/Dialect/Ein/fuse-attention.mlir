// RUN: turnip-opt %s --ein-fuse=attention | FileCheck %s
// RUN: turnip-opt %s --ein-fuse | FileCheck %s --check-prefix=OFF
// RUN: turnip-opt %s --turnip-ein=fuse-attention | FileCheck %s --check-prefix=PIPELINE

// Fused or not, whole or in tiles, evaluated or compiled: the same values.
// RUN: turnip-eval %s --entry=attention --seed=3 --output=result0=@%t.npy
// RUN: turnip-opt %s --ein-fuse=attention | turnip-eval --entry=attention --seed=3 --compare=result0=@%t.npy
// RUN: turnip-opt %s --ein-fuse=attention --partition-ein=tile-budget=2KiB -o %t.task.mlir
// RUN: turnip-eval %t.task.mlir --entry=attention --seed=3 --compare=result0=@%t.npy
// RUN: FileCheck %s --check-prefix=TILES < %t.task.mlir
// RUN: turnip-eval %s --entry=causal --seed=4 --output=result0=@%t.npy
// RUN: turnip-opt %s --ein-fuse=attention --partition-ein=tile-budget=2KiB | turnip-eval --entry=causal --seed=4 --compare=result0=@%t.npy

// Two products and what lies between them, in rows and heads.
// OFF-LABEL: @attention
// OFF: ein.einsum "lgrp,mgp->grlm" sum
// OFF: ein.fused "grlm->grlm" parallel "grl"
// OFF: ein.einsum "grlm,mgd->lgrd" sum
// PIPELINE-LABEL: @attention
// PIPELINE: ein.fused "lgrp,mgp,mgd->lgrd" parallel "lgr"
// CHECK-LABEL: @attention
// CHECK-NEXT: %[[O:.*]] = ein.fused "lgrp,mgp,mgd->lgrd" parallel "lgr"(%arg0, %arg1, %arg2)
// CHECK: ein.einsum "lgrp,mgp->grlm" sum
// CHECK: ein.einsum "grlm->grl" max
// CHECK: ein.einsum "grlm->grl" sum
// CHECK: ein.einsum "grlm,mgd->lgrd" sum
// CHECK: return %[[O]]
// Tiles know where they are: the mask does not change with them.
// TILES: task.kernel {{.*}}(%{{.*}}: tensor<{{.*}}>, %{{.*}}: tensor<10x{{.*}}>, %{{.*}}: tensor<10x{{.*}}>, %{{.*}}: index)
func.func @attention(%q: tensor<8x2x2x16xf32>, %k: tensor<10x2x16xf32>, %v: tensor<10x2x16xf32>)
    -> (tensor<8x2x2x16xf32>) {
  %s = ein.einsum "lgrp,mgp->grlm" sum(%q, %k) {
  ^bb0(%a: f32, %b: f32):
    %x = arith.mulf %a, %b : f32
    ein.yield %x : f32
  } : (tensor<8x2x2x16xf32>, tensor<10x2x16xf32>) -> tensor<2x2x8x10xf32>
  %c = ein.einsum "grlm->grlm"(%s) {
  ^bb0(%a: f32):
    %l = ein.index "l" : index
    %m = ein.index "m" : index
    %e = arith.constant 0.25 : f32
    %h = arith.constant 0xFF800000 : f32
    %x = arith.mulf %a, %e : f32
    %i = arith.cmpi sle, %m, %l : index
    %y = arith.select %i, %x, %h : f32
    ein.yield %y : f32
  } : (tensor<2x2x8x10xf32>) -> tensor<2x2x8x10xf32>
  %t = ein.einsum "grlm->grl" max(%c) {
  ^bb0(%a: f32):
    ein.yield %a : f32
  } : (tensor<2x2x8x10xf32>) -> tensor<2x2x8xf32>
  %w = ein.einsum "grlm,grl->grlm"(%c, %t) {
  ^bb0(%a: f32, %b: f32):
    %x = arith.subf %a, %b : f32
    %y = math.exp %x : f32
    ein.yield %y : f32
  } : (tensor<2x2x8x10xf32>, tensor<2x2x8xf32>) -> tensor<2x2x8x10xf32>
  %n = ein.einsum "grlm->grl" sum(%w) {
  ^bb0(%a: f32):
    ein.yield %a : f32
  } : (tensor<2x2x8x10xf32>) -> tensor<2x2x8xf32>
  %p = ein.einsum "grlm,grl->grlm"(%w, %n) {
  ^bb0(%a: f32, %b: f32):
    %x = arith.divf %a, %b : f32
    ein.yield %x : f32
  } : (tensor<2x2x8x10xf32>, tensor<2x2x8xf32>) -> tensor<2x2x8x10xf32>
  %o = ein.einsum "grlm,mgd->lgrd" sum(%p, %v) {
  ^bb0(%a: f32, %b: f32):
    %x = arith.mulf %a, %b : f32
    ein.yield %x : f32
  } : (tensor<2x2x8x10xf32>, tensor<10x2x16xf32>) -> tensor<8x2x2x16xf32>
  return %o : tensor<8x2x2x16xf32>
}

// What makes queries is not part of it.
// CHECK-LABEL: @causal
// CHECK: %[[Q:.*]] = ein.einsum "lgrp->lgrp"
// CHECK: ein.fused "lgrp,mgp,mgd->lgrd" parallel "lgr"(%[[Q]], %arg1, %arg2)
func.func @causal(%q: tensor<8x2x2x16xf32>, %k: tensor<10x2x16xf32>, %v: tensor<10x2x16xf32>)
    -> (tensor<8x2x2x16xf32>) {
  %q1 = ein.einsum "lgrp->lgrp"(%q) {
  ^bb0(%a: f32):
    %x = arith.addf %a, %a : f32
    ein.yield %x : f32
  } : (tensor<8x2x2x16xf32>) -> tensor<8x2x2x16xf32>
  %s = ein.einsum "lgrp,mgp->grlm" sum(%q1, %k) {
  ^bb0(%a: f32, %b: f32):
    %x = arith.mulf %a, %b : f32
    ein.yield %x : f32
  } : (tensor<8x2x2x16xf32>, tensor<10x2x16xf32>) -> tensor<2x2x8x10xf32>
  %c = ein.einsum "grlm->grlm"(%s) {
  ^bb0(%a: f32):
    %l = ein.index "l" : index
    %m = ein.index "m" : index
    %e = arith.constant 0.25 : f32
    %h = arith.constant 0xFF800000 : f32
    %x = arith.mulf %a, %e : f32
    %i = arith.cmpi sle, %m, %l : index
    %y = arith.select %i, %x, %h : f32
    ein.yield %y : f32
  } : (tensor<2x2x8x10xf32>) -> tensor<2x2x8x10xf32>
  %t = ein.einsum "grlm->grl" max(%c) {
  ^bb0(%a: f32):
    ein.yield %a : f32
  } : (tensor<2x2x8x10xf32>) -> tensor<2x2x8xf32>
  %w = ein.einsum "grlm,grl->grlm"(%c, %t) {
  ^bb0(%a: f32, %b: f32):
    %x = arith.subf %a, %b : f32
    %y = math.exp %x : f32
    ein.yield %y : f32
  } : (tensor<2x2x8x10xf32>, tensor<2x2x8xf32>) -> tensor<2x2x8x10xf32>
  %n = ein.einsum "grlm->grl" sum(%w) {
  ^bb0(%a: f32):
    ein.yield %a : f32
  } : (tensor<2x2x8x10xf32>) -> tensor<2x2x8xf32>
  %p = ein.einsum "grlm,grl->grlm"(%w, %n) {
  ^bb0(%a: f32, %b: f32):
    %x = arith.divf %a, %b : f32
    ein.yield %x : f32
  } : (tensor<2x2x8x10xf32>, tensor<2x2x8xf32>) -> tensor<2x2x8x10xf32>
  %o = ein.einsum "grlm,mgd->lgrd" sum(%p, %v) {
  ^bb0(%a: f32, %b: f32):
    %x = arith.mulf %a, %b : f32
    ein.yield %x : f32
  } : (tensor<2x2x8x10xf32>, tensor<10x2x16xf32>) -> tensor<8x2x2x16xf32>
  return %o : tensor<8x2x2x16xf32>
}

// Scores, or weights, that something else reads have to be there.
// CHECK-LABEL: @scores_are_read
// CHECK: ein.einsum "lgrp,mgp->grlm" sum
// CHECK: ein.fused "grlm->grlm" parallel "grl"
// CHECK: ein.einsum "grlm,mgd->lgrd" sum
func.func @scores_are_read(%q: tensor<8x2x2x16xf32>, %k: tensor<10x2x16xf32>, %v: tensor<10x2x16xf32>)
    -> (tensor<8x2x2x16xf32>, tensor<2x2x8x10xf32>) {
  %s = ein.einsum "lgrp,mgp->grlm" sum(%q, %k) {
  ^bb0(%a: f32, %b: f32):
    %x = arith.mulf %a, %b : f32
    ein.yield %x : f32
  } : (tensor<8x2x2x16xf32>, tensor<10x2x16xf32>) -> tensor<2x2x8x10xf32>
  %c = ein.einsum "grlm->grlm"(%s) {
  ^bb0(%a: f32):
    %l = ein.index "l" : index
    %m = ein.index "m" : index
    %e = arith.constant 0.25 : f32
    %h = arith.constant 0xFF800000 : f32
    %x = arith.mulf %a, %e : f32
    %i = arith.cmpi sle, %m, %l : index
    %y = arith.select %i, %x, %h : f32
    ein.yield %y : f32
  } : (tensor<2x2x8x10xf32>) -> tensor<2x2x8x10xf32>
  %t = ein.einsum "grlm->grl" max(%c) {
  ^bb0(%a: f32):
    ein.yield %a : f32
  } : (tensor<2x2x8x10xf32>) -> tensor<2x2x8xf32>
  %w = ein.einsum "grlm,grl->grlm"(%c, %t) {
  ^bb0(%a: f32, %b: f32):
    %x = arith.subf %a, %b : f32
    %y = math.exp %x : f32
    ein.yield %y : f32
  } : (tensor<2x2x8x10xf32>, tensor<2x2x8xf32>) -> tensor<2x2x8x10xf32>
  %n = ein.einsum "grlm->grl" sum(%w) {
  ^bb0(%a: f32):
    ein.yield %a : f32
  } : (tensor<2x2x8x10xf32>) -> tensor<2x2x8xf32>
  %p = ein.einsum "grlm,grl->grlm"(%w, %n) {
  ^bb0(%a: f32, %b: f32):
    %x = arith.divf %a, %b : f32
    ein.yield %x : f32
  } : (tensor<2x2x8x10xf32>, tensor<2x2x8xf32>) -> tensor<2x2x8x10xf32>
  %o = ein.einsum "grlm,mgd->lgrd" sum(%p, %v) {
  ^bb0(%a: f32, %b: f32):
    %x = arith.mulf %a, %b : f32
    ein.yield %x : f32
  } : (tensor<2x2x8x10xf32>, tensor<10x2x16xf32>) -> tensor<8x2x2x16xf32>
  return %o, %s : tensor<8x2x2x16xf32>, tensor<2x2x8x10xf32>
}

// CHECK-LABEL: @weights_are_read
// CHECK: ein.einsum "lgrp,mgp->grlm" sum
// CHECK: ein.fused "grlm->grlm" parallel "grl"
// CHECK: ein.einsum "grlm,mgd->lgrd" sum
func.func @weights_are_read(%q: tensor<8x2x2x16xf32>, %k: tensor<10x2x16xf32>, %v: tensor<10x2x16xf32>)
    -> (tensor<8x2x2x16xf32>, tensor<2x2x8x10xf32>) {
  %s = ein.einsum "lgrp,mgp->grlm" sum(%q, %k) {
  ^bb0(%a: f32, %b: f32):
    %x = arith.mulf %a, %b : f32
    ein.yield %x : f32
  } : (tensor<8x2x2x16xf32>, tensor<10x2x16xf32>) -> tensor<2x2x8x10xf32>
  %c = ein.einsum "grlm->grlm"(%s) {
  ^bb0(%a: f32):
    %l = ein.index "l" : index
    %m = ein.index "m" : index
    %e = arith.constant 0.25 : f32
    %h = arith.constant 0xFF800000 : f32
    %x = arith.mulf %a, %e : f32
    %i = arith.cmpi sle, %m, %l : index
    %y = arith.select %i, %x, %h : f32
    ein.yield %y : f32
  } : (tensor<2x2x8x10xf32>) -> tensor<2x2x8x10xf32>
  %t = ein.einsum "grlm->grl" max(%c) {
  ^bb0(%a: f32):
    ein.yield %a : f32
  } : (tensor<2x2x8x10xf32>) -> tensor<2x2x8xf32>
  %w = ein.einsum "grlm,grl->grlm"(%c, %t) {
  ^bb0(%a: f32, %b: f32):
    %x = arith.subf %a, %b : f32
    %y = math.exp %x : f32
    ein.yield %y : f32
  } : (tensor<2x2x8x10xf32>, tensor<2x2x8xf32>) -> tensor<2x2x8x10xf32>
  %n = ein.einsum "grlm->grl" sum(%w) {
  ^bb0(%a: f32):
    ein.yield %a : f32
  } : (tensor<2x2x8x10xf32>) -> tensor<2x2x8xf32>
  %p = ein.einsum "grlm,grl->grlm"(%w, %n) {
  ^bb0(%a: f32, %b: f32):
    %x = arith.divf %a, %b : f32
    ein.yield %x : f32
  } : (tensor<2x2x8x10xf32>, tensor<2x2x8xf32>) -> tensor<2x2x8x10xf32>
  %o = ein.einsum "grlm,mgd->lgrd" sum(%p, %v) {
  ^bb0(%a: f32, %b: f32):
    %x = arith.mulf %a, %b : f32
    ein.yield %x : f32
  } : (tensor<2x2x8x10xf32>, tensor<10x2x16xf32>) -> tensor<8x2x2x16xf32>
  return %o, %p : tensor<8x2x2x16xf32>, tensor<2x2x8x10xf32>
}

// Without a maximum it is no softmax.
// CHECK-LABEL: @no_maximum
// CHECK: ein.einsum "lgrp,mgp->grlm" sum
// CHECK: ein.fused "grlm->grlm" parallel "grl"
func.func @no_maximum(%q: tensor<8x2x2x16xf32>, %k: tensor<10x2x16xf32>, %v: tensor<10x2x16xf32>)
    -> (tensor<8x2x2x16xf32>) {
  %s = ein.einsum "lgrp,mgp->grlm" sum(%q, %k) {
  ^bb0(%a: f32, %b: f32):
    %x = arith.mulf %a, %b : f32
    ein.yield %x : f32
  } : (tensor<8x2x2x16xf32>, tensor<10x2x16xf32>) -> tensor<2x2x8x10xf32>
  %c = ein.einsum "grlm->grlm"(%s) {
  ^bb0(%a: f32):
    %l = ein.index "l" : index
    %m = ein.index "m" : index
    %e = arith.constant 0.25 : f32
    %h = arith.constant 0xFF800000 : f32
    %x = arith.mulf %a, %e : f32
    %i = arith.cmpi sle, %m, %l : index
    %y = arith.select %i, %x, %h : f32
    ein.yield %y : f32
  } : (tensor<2x2x8x10xf32>) -> tensor<2x2x8x10xf32>
  %t = ein.einsum "grlm->grl" min(%c) {
  ^bb0(%a: f32):
    ein.yield %a : f32
  } : (tensor<2x2x8x10xf32>) -> tensor<2x2x8xf32>
  %w = ein.einsum "grlm,grl->grlm"(%c, %t) {
  ^bb0(%a: f32, %b: f32):
    %x = arith.subf %a, %b : f32
    %y = math.exp %x : f32
    ein.yield %y : f32
  } : (tensor<2x2x8x10xf32>, tensor<2x2x8xf32>) -> tensor<2x2x8x10xf32>
  %n = ein.einsum "grlm->grl" sum(%w) {
  ^bb0(%a: f32):
    ein.yield %a : f32
  } : (tensor<2x2x8x10xf32>) -> tensor<2x2x8xf32>
  %p = ein.einsum "grlm,grl->grlm"(%w, %n) {
  ^bb0(%a: f32, %b: f32):
    %x = arith.divf %a, %b : f32
    ein.yield %x : f32
  } : (tensor<2x2x8x10xf32>, tensor<2x2x8xf32>) -> tensor<2x2x8x10xf32>
  %o = ein.einsum "grlm,mgd->lgrd" sum(%p, %v) {
  ^bb0(%a: f32, %b: f32):
    %x = arith.mulf %a, %b : f32
    ein.yield %x : f32
  } : (tensor<2x2x8x10xf32>, tensor<10x2x16xf32>) -> tensor<8x2x2x16xf32>
  return %o : tensor<8x2x2x16xf32>
}
