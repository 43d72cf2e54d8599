// RUN: turnip-eval %s --entry=main --input=x=2x3xf32=1,2,3,4,5,6 --parameters=splat:2 | FileCheck %s
// RUN: turnip-eval %s --entry=main --input=2x3xf32=1,2,3,4,5,6 --parameters=splat:2 --show-bounds | FileCheck %s --check-prefix=BOUND
// RUN: turnip-opt %s --partition-ein=tile-budget=64 | turnip-eval --entry=main --input=x=2x3xf32=1,2,3,4,5,6 --parameters=splat:2 | FileCheck %s
// RUN: turnip-eval %s --entry=main --input=x=2x3xf32=1,2,3,4,5,6 --parameters=splat:2 --output=y=@%t.npy | count 0
// RUN: turnip-eval %s --entry=main --input=x=2x3xf32=1,2,3,4,5,6 --parameters=splat:2 --compare=y=@%t.npy | FileCheck %s --check-prefix=SAME
// RUN: turnip-eval %s --entry=main --seed=1 --parameters=random:2 --output=y=@%t.npy
// RUN: turnip-eval %s --entry=main --seed=1 --parameters=random:2 --compare=y=@%t.npy

// RUN: not turnip-eval %s --entry=main --input=x=2x3xf32=1,2,3,4,5,6 --parameters=splat:2 --compare=y=2x2xf32=12,12,30.0001,30 2>&1 | FileCheck %s --check-prefix=DIFFERS
// RUN: not turnip-eval %s --entry=main --input=x=2x3xf32=1,2,3,4,5,6 --parameters=splat:2 --compare=y=4xf32=1 2>&1 | FileCheck %s --check-prefix=SHAPE
// RUN: not turnip-eval %s 2>&1 | FileCheck %s --check-prefix=ENTRY
// RUN: not turnip-eval %s --entry=nobody 2>&1 | FileCheck %s --check-prefix=NOBODY
// RUN: not turnip-eval %s --entry=main --parameters=splat:2 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: not turnip-eval %s --entry=main --input=x=2x3xf32=1 2>&1 | FileCheck %s --check-prefix=PARAMETERS
// RUN: not turnip-eval %s --entry=main --input=x=2x2xf32=1 --parameters=splat:2 2>&1 | FileCheck %s --check-prefix=TYPE
// RUN: not turnip-eval %s --entry=main --input=x=2x3xf32=1 --input=x=2x3xf32=1 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not turnip-eval %s --entry=main --input=x=2x3xf32=1 --input=2x3xf32=1 2>&1 | FileCheck %s --check-prefix=LEFT
// RUN: not turnip-eval %s --entry=main --output=z=@%t.npy 2>&1 | FileCheck %s --check-prefix=OUTPUT
// RUN: not turnip-eval %s --entry=main --compare=z=@%t.npy 2>&1 | FileCheck %s --check-prefix=COMPARE
// RUN: not turnip-eval %s --entry=main --output=y=%t.npy 2>&1 | FileCheck %s --check-prefix=FILE

// CHECK: y: 2x2xf32=[12 12][30 30]
// BOUND: y: 2x2xf32=[12 12][30 30]
// BOUND: y: largest bound {{[0-9.]+}}e-06
// SAME: y: as computed, within its bounds
// DIFFERS: result 'y': element [1, 0]: expected 30 within {{.*}}, but got 30.0000992 (1 of 4 elements differ)
// SHAPE: result 'y': expected tensor<2x2xf32>, but got tensor<4xf32>
// ENTRY: expected one entry point; there are: main, other
// NOBODY: no entry point 'nobody'; there are: main, other
// MISSING: no value was given for input 'x'
// PARAMETERS: no parameters were given, but 'w' is needed
// TYPE: expected argument 0 to be tensor<2x3xf32>, but got tensor<2x2xf32>
// TWICE: input 'x' is given twice
// LEFT: no input is left for '--input=2x3xf32=1'
// OUTPUT: no result is called as '--output=z=@{{.*}}' says
// COMPARE: no result is called as '--compare=z=@{{.*}}' says
// FILE: expected --output=y=@file.npy
func.func @main(%x: tensor<2x3xf32> {ein.name = "x"}) -> (tensor<2x2xf32> {ein.name = "y"}) {
  %w = ein.parameter "w" : tensor<2x3xf32>
  %y = ein.einsum "lk,nk->ln" sum(%x, %w) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    ein.yield %p : f32
  } : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2xf32>
  return %y : tensor<2x2xf32>
}

func.func @other(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
