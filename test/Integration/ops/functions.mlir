// Functions of math, near and far from zero.
//
// RUN: rm -rf %t && mkdir -p %t
// RUN: turnip-opt %s --partition-ein=tile-budget=64KiB --task-compile-kernels --place-memory -o %t/1.mlir
// RUN: turnip-translate --mem-to-memgraph %t/1.mlir -o %t/1.memgraph
// RUN: turnip-run %t/1.memgraph --input=x=17xf32=-9,-8,-7,-6,-5,-4,-3,-2,-1,0,1,2,3,4,5,6,7 --input=p=17xf32=0.001,0.01,0.1,0.25,0.5,0.9,1,1.1,1.5,2,3,5,7.5,10,50,100,1000 --guard --output=exp=@%t/1.exp.npy --output=exp2=@%t/1.exp2.npy --output=expm1=@%t/1.expm1.npy --output=sin=@%t/1.sin.npy --output=cos=@%t/1.cos.npy --output=tanh=@%t/1.tanh.npy --output=erf=@%t/1.erf.npy --output=atan=@%t/1.atan.npy --output=log=@%t/1.log.npy --output=log2=@%t/1.log2.npy --output=log10=@%t/1.log10.npy --output=log1p=@%t/1.log1p.npy --output=sqrt=@%t/1.sqrt.npy --output=rsqrt=@%t/1.rsqrt.npy --output=cbrt=@%t/1.cbrt.npy --output=powf=@%t/1.powf.npy
// RUN: turnip-eval %s --input=x=17xf32=-9,-8,-7,-6,-5,-4,-3,-2,-1,0,1,2,3,4,5,6,7 --input=p=17xf32=0.001,0.01,0.1,0.25,0.5,0.9,1,1.1,1.5,2,3,5,7.5,10,50,100,1000 --compare=exp=@%t/1.exp.npy --compare=exp2=@%t/1.exp2.npy --compare=expm1=@%t/1.expm1.npy --compare=sin=@%t/1.sin.npy --compare=cos=@%t/1.cos.npy --compare=tanh=@%t/1.tanh.npy --compare=erf=@%t/1.erf.npy --compare=atan=@%t/1.atan.npy --compare=log=@%t/1.log.npy --compare=log2=@%t/1.log2.npy --compare=log10=@%t/1.log10.npy --compare=log1p=@%t/1.log1p.npy --compare=sqrt=@%t/1.sqrt.npy --compare=rsqrt=@%t/1.rsqrt.npy --compare=cbrt=@%t/1.cbrt.npy --compare=powf=@%t/1.powf.npy | FileCheck %s
// RUN: turnip-opt %s --ein-fuse --partition-ein=tile-budget=1KiB --task-compile-kernels --place-memory=device-memory=4KiB -o %t/2.mlir
// RUN: turnip-translate --mem-to-memgraph %t/2.mlir -o %t/2.memgraph
// RUN: turnip-run %t/2.memgraph --input=x=17xf32=-9,-8,-7,-6,-5,-4,-3,-2,-1,0,1,2,3,4,5,6,7 --input=p=17xf32=0.001,0.01,0.1,0.25,0.5,0.9,1,1.1,1.5,2,3,5,7.5,10,50,100,1000 --schedule=random:3 --output=exp=@%t/2.exp.npy --output=exp2=@%t/2.exp2.npy --output=expm1=@%t/2.expm1.npy --output=sin=@%t/2.sin.npy --output=cos=@%t/2.cos.npy --output=tanh=@%t/2.tanh.npy --output=erf=@%t/2.erf.npy --output=atan=@%t/2.atan.npy --output=log=@%t/2.log.npy --output=log2=@%t/2.log2.npy --output=log10=@%t/2.log10.npy --output=log1p=@%t/2.log1p.npy --output=sqrt=@%t/2.sqrt.npy --output=rsqrt=@%t/2.rsqrt.npy --output=cbrt=@%t/2.cbrt.npy --output=powf=@%t/2.powf.npy
// RUN: turnip-eval %s --input=x=17xf32=-9,-8,-7,-6,-5,-4,-3,-2,-1,0,1,2,3,4,5,6,7 --input=p=17xf32=0.001,0.01,0.1,0.25,0.5,0.9,1,1.1,1.5,2,3,5,7.5,10,50,100,1000 --compare=exp=@%t/2.exp.npy --compare=exp2=@%t/2.exp2.npy --compare=expm1=@%t/2.expm1.npy --compare=sin=@%t/2.sin.npy --compare=cos=@%t/2.cos.npy --compare=tanh=@%t/2.tanh.npy --compare=erf=@%t/2.erf.npy --compare=atan=@%t/2.atan.npy --compare=log=@%t/2.log.npy --compare=log2=@%t/2.log2.npy --compare=log10=@%t/2.log10.npy --compare=log1p=@%t/2.log1p.npy --compare=sqrt=@%t/2.sqrt.npy --compare=rsqrt=@%t/2.rsqrt.npy --compare=cbrt=@%t/2.cbrt.npy --compare=powf=@%t/2.powf.npy | FileCheck %s

// CHECK: exp: as computed, within its bounds
// CHECK-NEXT: exp2: as computed, within its bounds
// CHECK-NEXT: expm1: as computed, within its bounds
// CHECK-NEXT: sin: as computed, within its bounds
// CHECK-NEXT: cos: as computed, within its bounds
// CHECK-NEXT: tanh: as computed, within its bounds
// CHECK-NEXT: erf: as computed, within its bounds
// CHECK-NEXT: atan: as computed, within its bounds
// CHECK-NEXT: log: as computed, within its bounds
// CHECK-NEXT: log2: as computed, within its bounds
// CHECK-NEXT: log10: as computed, within its bounds
// CHECK-NEXT: log1p: as computed, within its bounds
// CHECK-NEXT: sqrt: as computed, within its bounds
// CHECK-NEXT: rsqrt: as computed, within its bounds
// CHECK-NEXT: cbrt: as computed, within its bounds
// CHECK-NEXT: powf: as computed, within its bounds
func.func @main(%x: tensor<17xf32> {ein.name = "x"}, %p: tensor<17xf32> {ein.name = "p"}) -> (
    tensor<17xf32> {ein.name = "exp"},
    tensor<17xf32> {ein.name = "exp2"},
    tensor<17xf32> {ein.name = "expm1"},
    tensor<17xf32> {ein.name = "sin"},
    tensor<17xf32> {ein.name = "cos"},
    tensor<17xf32> {ein.name = "tanh"},
    tensor<17xf32> {ein.name = "erf"},
    tensor<17xf32> {ein.name = "atan"},
    tensor<17xf32> {ein.name = "log"},
    tensor<17xf32> {ein.name = "log2"},
    tensor<17xf32> {ein.name = "log10"},
    tensor<17xf32> {ein.name = "log1p"},
    tensor<17xf32> {ein.name = "sqrt"},
    tensor<17xf32> {ein.name = "rsqrt"},
    tensor<17xf32> {ein.name = "cbrt"},
    tensor<17xf32> {ein.name = "powf"}) {
  %exp = ein.einsum "i->i"(%x) {
  ^bb0(%a: f32):
    %r = math.exp %a : f32
    ein.yield %r : f32
  } : (tensor<17xf32>) -> tensor<17xf32>
  %exp2 = ein.einsum "i->i"(%x) {
  ^bb0(%a: f32):
    %r = math.exp2 %a : f32
    ein.yield %r : f32
  } : (tensor<17xf32>) -> tensor<17xf32>
  %expm1 = ein.einsum "i->i"(%x) {
  ^bb0(%a: f32):
    %r = math.expm1 %a : f32
    ein.yield %r : f32
  } : (tensor<17xf32>) -> tensor<17xf32>
  %sin = ein.einsum "i->i"(%x) {
  ^bb0(%a: f32):
    %r = math.sin %a : f32
    ein.yield %r : f32
  } : (tensor<17xf32>) -> tensor<17xf32>
  %cos = ein.einsum "i->i"(%x) {
  ^bb0(%a: f32):
    %r = math.cos %a : f32
    ein.yield %r : f32
  } : (tensor<17xf32>) -> tensor<17xf32>
  %tanh = ein.einsum "i->i"(%x) {
  ^bb0(%a: f32):
    %r = math.tanh %a : f32
    ein.yield %r : f32
  } : (tensor<17xf32>) -> tensor<17xf32>
  %erf = ein.einsum "i->i"(%x) {
  ^bb0(%a: f32):
    %r = math.erf %a : f32
    ein.yield %r : f32
  } : (tensor<17xf32>) -> tensor<17xf32>
  %atan = ein.einsum "i->i"(%x) {
  ^bb0(%a: f32):
    %r = math.atan %a : f32
    ein.yield %r : f32
  } : (tensor<17xf32>) -> tensor<17xf32>
  %log = ein.einsum "i->i"(%p) {
  ^bb0(%a: f32):
    %r = math.log %a : f32
    ein.yield %r : f32
  } : (tensor<17xf32>) -> tensor<17xf32>
  %log2 = ein.einsum "i->i"(%p) {
  ^bb0(%a: f32):
    %r = math.log2 %a : f32
    ein.yield %r : f32
  } : (tensor<17xf32>) -> tensor<17xf32>
  %log10 = ein.einsum "i->i"(%p) {
  ^bb0(%a: f32):
    %r = math.log10 %a : f32
    ein.yield %r : f32
  } : (tensor<17xf32>) -> tensor<17xf32>
  %log1p = ein.einsum "i->i"(%p) {
  ^bb0(%a: f32):
    %r = math.log1p %a : f32
    ein.yield %r : f32
  } : (tensor<17xf32>) -> tensor<17xf32>
  %sqrt = ein.einsum "i->i"(%p) {
  ^bb0(%a: f32):
    %r = math.sqrt %a : f32
    ein.yield %r : f32
  } : (tensor<17xf32>) -> tensor<17xf32>
  %rsqrt = ein.einsum "i->i"(%p) {
  ^bb0(%a: f32):
    %r = math.rsqrt %a : f32
    ein.yield %r : f32
  } : (tensor<17xf32>) -> tensor<17xf32>
  %cbrt = ein.einsum "i->i"(%p) {
  ^bb0(%a: f32):
    %r = math.cbrt %a : f32
    ein.yield %r : f32
  } : (tensor<17xf32>) -> tensor<17xf32>
  %powf = ein.einsum "i,i->i"(%p, %x) {
  ^bb0(%a: f32, %b: f32):
    %r = math.powf %a, %b : f32
    ein.yield %r : f32
  } : (tensor<17xf32>, tensor<17xf32>) -> tensor<17xf32>
  return %exp, %exp2, %expm1, %sin, %cos, %tanh, %erf, %atan, %log, %log2, %log10, %log1p, %sqrt, %rsqrt, %cbrt, %powf
      : tensor<17xf32>, tensor<17xf32>, tensor<17xf32>, tensor<17xf32>, tensor<17xf32>, tensor<17xf32>, tensor<17xf32>, tensor<17xf32>, tensor<17xf32>, tensor<17xf32>, tensor<17xf32>, tensor<17xf32>, tensor<17xf32>, tensor<17xf32>, tensor<17xf32>, tensor<17xf32>
}
