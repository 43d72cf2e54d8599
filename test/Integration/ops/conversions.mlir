// Conversions between element types.
//
// RUN: rm -rf %t && mkdir -p %t
// RUN: turnip-opt %s --partition-ein=tile-budget=64KiB --task-compile-kernels --place-memory -o %t/1.mlir
// RUN: turnip-translate --mem-to-memgraph %t/1.mlir -o %t/1.memgraph
// RUN: turnip-run %t/1.memgraph --input=x=9xf32=-100.75,-1.5,-0.25,0,0.25,1.5,2.5,99.99,127 --input=p=9xf32=0,0.5,1,2,3.75,100,127.5,200,255 --guard --output=to_f16=@%t/1.to_f16.npy --output=to_bf16=@%t/1.to_bf16.npy --output=from_f16=@%t/1.from_f16.npy --output=from_bf16=@%t/1.from_bf16.npy --output=to_i8=@%t/1.to_i8.npy --output=to_i32=@%t/1.to_i32.npy --output=to_i64=@%t/1.to_i64.npy --output=to_u8=@%t/1.to_u8.npy --output=from_i8=@%t/1.from_i8.npy --output=from_i32=@%t/1.from_i32.npy --output=from_i64=@%t/1.from_i64.npy --output=from_u8=@%t/1.from_u8.npy --output=widen_i8=@%t/1.widen_i8.npy --output=widen_i32=@%t/1.widen_i32.npy --output=widen_u8=@%t/1.widen_u8.npy --output=narrow_i64=@%t/1.narrow_i64.npy --output=f16_to_i32=@%t/1.f16_to_i32.npy --output=i32_to_bf16=@%t/1.i32_to_bf16.npy --output=is_big=@%t/1.is_big.npy --output=bool_to_f32=@%t/1.bool_to_f32.npy --output=bool_to_i8=@%t/1.bool_to_i8.npy --output=bool_to_i32=@%t/1.bool_to_i32.npy
// RUN: turnip-eval %s --input=x=9xf32=-100.75,-1.5,-0.25,0,0.25,1.5,2.5,99.99,127 --input=p=9xf32=0,0.5,1,2,3.75,100,127.5,200,255 --compare=to_f16=@%t/1.to_f16.npy --compare=to_bf16=@%t/1.to_bf16.npy --compare=from_f16=@%t/1.from_f16.npy --compare=from_bf16=@%t/1.from_bf16.npy --compare=to_i8=@%t/1.to_i8.npy --compare=to_i32=@%t/1.to_i32.npy --compare=to_i64=@%t/1.to_i64.npy --compare=to_u8=@%t/1.to_u8.npy --compare=from_i8=@%t/1.from_i8.npy --compare=from_i32=@%t/1.from_i32.npy --compare=from_i64=@%t/1.from_i64.npy --compare=from_u8=@%t/1.from_u8.npy --compare=widen_i8=@%t/1.widen_i8.npy --compare=widen_i32=@%t/1.widen_i32.npy --compare=widen_u8=@%t/1.widen_u8.npy --compare=narrow_i64=@%t/1.narrow_i64.npy --compare=f16_to_i32=@%t/1.f16_to_i32.npy --compare=i32_to_bf16=@%t/1.i32_to_bf16.npy --compare=is_big=@%t/1.is_big.npy --compare=bool_to_f32=@%t/1.bool_to_f32.npy --compare=bool_to_i8=@%t/1.bool_to_i8.npy --compare=bool_to_i32=@%t/1.bool_to_i32.npy | FileCheck %s
// RUN: turnip-opt %s --ein-fuse --partition-ein=tile-budget=512 --task-compile-kernels --place-memory=device-memory=4KiB -o %t/2.mlir
// RUN: turnip-translate --mem-to-memgraph %t/2.mlir -o %t/2.memgraph
// RUN: turnip-run %t/2.memgraph --input=x=9xf32=-100.75,-1.5,-0.25,0,0.25,1.5,2.5,99.99,127 --input=p=9xf32=0,0.5,1,2,3.75,100,127.5,200,255 --schedule=random:3 --output=to_f16=@%t/2.to_f16.npy --output=to_bf16=@%t/2.to_bf16.npy --output=from_f16=@%t/2.from_f16.npy --output=from_bf16=@%t/2.from_bf16.npy --output=to_i8=@%t/2.to_i8.npy --output=to_i32=@%t/2.to_i32.npy --output=to_i64=@%t/2.to_i64.npy --output=to_u8=@%t/2.to_u8.npy --output=from_i8=@%t/2.from_i8.npy --output=from_i32=@%t/2.from_i32.npy --output=from_i64=@%t/2.from_i64.npy --output=from_u8=@%t/2.from_u8.npy --output=widen_i8=@%t/2.widen_i8.npy --output=widen_i32=@%t/2.widen_i32.npy --output=widen_u8=@%t/2.widen_u8.npy --output=narrow_i64=@%t/2.narrow_i64.npy --output=f16_to_i32=@%t/2.f16_to_i32.npy --output=i32_to_bf16=@%t/2.i32_to_bf16.npy --output=is_big=@%t/2.is_big.npy --output=bool_to_f32=@%t/2.bool_to_f32.npy --output=bool_to_i8=@%t/2.bool_to_i8.npy --output=bool_to_i32=@%t/2.bool_to_i32.npy
// RUN: turnip-eval %s --input=x=9xf32=-100.75,-1.5,-0.25,0,0.25,1.5,2.5,99.99,127 --input=p=9xf32=0,0.5,1,2,3.75,100,127.5,200,255 --compare=to_f16=@%t/2.to_f16.npy --compare=to_bf16=@%t/2.to_bf16.npy --compare=from_f16=@%t/2.from_f16.npy --compare=from_bf16=@%t/2.from_bf16.npy --compare=to_i8=@%t/2.to_i8.npy --compare=to_i32=@%t/2.to_i32.npy --compare=to_i64=@%t/2.to_i64.npy --compare=to_u8=@%t/2.to_u8.npy --compare=from_i8=@%t/2.from_i8.npy --compare=from_i32=@%t/2.from_i32.npy --compare=from_i64=@%t/2.from_i64.npy --compare=from_u8=@%t/2.from_u8.npy --compare=widen_i8=@%t/2.widen_i8.npy --compare=widen_i32=@%t/2.widen_i32.npy --compare=widen_u8=@%t/2.widen_u8.npy --compare=narrow_i64=@%t/2.narrow_i64.npy --compare=f16_to_i32=@%t/2.f16_to_i32.npy --compare=i32_to_bf16=@%t/2.i32_to_bf16.npy --compare=is_big=@%t/2.is_big.npy --compare=bool_to_f32=@%t/2.bool_to_f32.npy --compare=bool_to_i8=@%t/2.bool_to_i8.npy --compare=bool_to_i32=@%t/2.bool_to_i32.npy | FileCheck %s

// CHECK: to_f16: as computed, within its bounds
// CHECK-NEXT: to_bf16: as computed, within its bounds
// CHECK-NEXT: from_f16: as computed, within its bounds
// CHECK-NEXT: from_bf16: as computed, within its bounds
// CHECK-NEXT: to_i8: as computed, within its bounds
// CHECK-NEXT: to_i32: as computed, within its bounds
// CHECK-NEXT: to_i64: as computed, within its bounds
// CHECK-NEXT: to_u8: as computed, within its bounds
// CHECK-NEXT: from_i8: as computed, within its bounds
// CHECK-NEXT: from_i32: as computed, within its bounds
// CHECK-NEXT: from_i64: as computed, within its bounds
// CHECK-NEXT: from_u8: as computed, within its bounds
// CHECK-NEXT: widen_i8: as computed, within its bounds
// CHECK-NEXT: widen_i32: as computed, within its bounds
// CHECK-NEXT: widen_u8: as computed, within its bounds
// CHECK-NEXT: narrow_i64: as computed, within its bounds
// CHECK-NEXT: f16_to_i32: as computed, within its bounds
// CHECK-NEXT: i32_to_bf16: as computed, within its bounds
// CHECK-NEXT: is_big: as computed, within its bounds
// CHECK-NEXT: bool_to_f32: as computed, within its bounds
// CHECK-NEXT: bool_to_i8: as computed, within its bounds
// CHECK-NEXT: bool_to_i32: as computed, within its bounds
func.func @main(%x: tensor<9xf32> {ein.name = "x"}, %p: tensor<9xf32> {ein.name = "p"}) -> (
    tensor<9xf16> {ein.name = "to_f16"},
    tensor<9xbf16> {ein.name = "to_bf16"},
    tensor<9xf32> {ein.name = "from_f16"},
    tensor<9xf32> {ein.name = "from_bf16"},
    tensor<9xi8> {ein.name = "to_i8"},
    tensor<9xi32> {ein.name = "to_i32"},
    tensor<9xi64> {ein.name = "to_i64"},
    tensor<9xi8> {ein.name = "to_u8"},
    tensor<9xf32> {ein.name = "from_i8"},
    tensor<9xf32> {ein.name = "from_i32"},
    tensor<9xf32> {ein.name = "from_i64"},
    tensor<9xf32> {ein.name = "from_u8"},
    tensor<9xi64> {ein.name = "widen_i8"},
    tensor<9xi64> {ein.name = "widen_i32"},
    tensor<9xi32> {ein.name = "widen_u8"},
    tensor<9xi8> {ein.name = "narrow_i64"},
    tensor<9xi32> {ein.name = "f16_to_i32"},
    tensor<9xbf16> {ein.name = "i32_to_bf16"},
    tensor<9xi1> {ein.name = "is_big"},
    tensor<9xf32> {ein.name = "bool_to_f32"},
    tensor<9xi8> {ein.name = "bool_to_i8"},
    tensor<9xi32> {ein.name = "bool_to_i32"}) {
  %to_f16 = ein.einsum "i->i"(%x) {
  ^bb0(%a: f32):
    %r = arith.truncf %a : f32 to f16
    ein.yield %r : f16
  } : (tensor<9xf32>) -> tensor<9xf16>
  %to_bf16 = ein.einsum "i->i"(%x) {
  ^bb0(%a: f32):
    %r = arith.truncf %a : f32 to bf16
    ein.yield %r : bf16
  } : (tensor<9xf32>) -> tensor<9xbf16>
  %from_f16 = ein.einsum "i->i"(%to_f16) {
  ^bb0(%a: f16):
    %r = arith.extf %a : f16 to f32
    ein.yield %r : f32
  } : (tensor<9xf16>) -> tensor<9xf32>
  %from_bf16 = ein.einsum "i->i"(%to_bf16) {
  ^bb0(%a: bf16):
    %r = arith.extf %a : bf16 to f32
    ein.yield %r : f32
  } : (tensor<9xbf16>) -> tensor<9xf32>
  %to_i8 = ein.einsum "i->i"(%x) {
  ^bb0(%a: f32):
    %r = arith.fptosi %a : f32 to i8
    ein.yield %r : i8
  } : (tensor<9xf32>) -> tensor<9xi8>
  %to_i32 = ein.einsum "i->i"(%x) {
  ^bb0(%a: f32):
    %r = arith.fptosi %a : f32 to i32
    ein.yield %r : i32
  } : (tensor<9xf32>) -> tensor<9xi32>
  %to_i64 = ein.einsum "i->i"(%x) {
  ^bb0(%a: f32):
    %r = arith.fptosi %a : f32 to i64
    ein.yield %r : i64
  } : (tensor<9xf32>) -> tensor<9xi64>
  %to_u8 = ein.einsum "i->i"(%p) {
  ^bb0(%a: f32):
    %r = arith.fptoui %a : f32 to i8
    ein.yield %r : i8
  } : (tensor<9xf32>) -> tensor<9xi8>
  %from_i8 = ein.einsum "i->i"(%to_i8) {
  ^bb0(%a: i8):
    %r = arith.sitofp %a : i8 to f32
    ein.yield %r : f32
  } : (tensor<9xi8>) -> tensor<9xf32>
  %from_i32 = ein.einsum "i->i"(%to_i32) {
  ^bb0(%a: i32):
    %r = arith.sitofp %a : i32 to f32
    ein.yield %r : f32
  } : (tensor<9xi32>) -> tensor<9xf32>
  %from_i64 = ein.einsum "i->i"(%to_i64) {
  ^bb0(%a: i64):
    %r = arith.sitofp %a : i64 to f32
    ein.yield %r : f32
  } : (tensor<9xi64>) -> tensor<9xf32>
  %from_u8 = ein.einsum "i->i"(%to_i8) {
  ^bb0(%a: i8):
    %r = arith.uitofp %a : i8 to f32
    ein.yield %r : f32
  } : (tensor<9xi8>) -> tensor<9xf32>
  %widen_i8 = ein.einsum "i->i"(%to_i8) {
  ^bb0(%a: i8):
    %r = arith.extsi %a : i8 to i64
    ein.yield %r : i64
  } : (tensor<9xi8>) -> tensor<9xi64>
  %widen_i32 = ein.einsum "i->i"(%to_i32) {
  ^bb0(%a: i32):
    %r = arith.extsi %a : i32 to i64
    ein.yield %r : i64
  } : (tensor<9xi32>) -> tensor<9xi64>
  %widen_u8 = ein.einsum "i->i"(%to_i8) {
  ^bb0(%a: i8):
    %r = arith.extui %a : i8 to i32
    ein.yield %r : i32
  } : (tensor<9xi8>) -> tensor<9xi32>
  %narrow_i64 = ein.einsum "i->i"(%to_i64) {
  ^bb0(%a: i64):
    %r = arith.trunci %a : i64 to i8
    ein.yield %r : i8
  } : (tensor<9xi64>) -> tensor<9xi8>
  %f16_to_i32 = ein.einsum "i->i"(%to_f16) {
  ^bb0(%a: f16):
    %r = arith.fptosi %a : f16 to i32
    ein.yield %r : i32
  } : (tensor<9xf16>) -> tensor<9xi32>
  %i32_to_bf16 = ein.einsum "i->i"(%to_i32) {
  ^bb0(%a: i32):
    %r = arith.sitofp %a : i32 to bf16
    ein.yield %r : bf16
  } : (tensor<9xi32>) -> tensor<9xbf16>
  %is_big = ein.einsum "i->i"(%x) {
  ^bb0(%a: f32):
    %c = arith.constant 1.0 : f32
    %r = arith.cmpf ogt, %a, %c : f32
    ein.yield %r : i1
  } : (tensor<9xf32>) -> tensor<9xi1>
  %bool_to_f32 = ein.einsum "i->i"(%is_big) {
  ^bb0(%a: i1):
    %r = arith.uitofp %a : i1 to f32
    ein.yield %r : f32
  } : (tensor<9xi1>) -> tensor<9xf32>
  %bool_to_i8 = ein.einsum "i->i"(%is_big) {
  ^bb0(%a: i1):
    %r = arith.extui %a : i1 to i8
    ein.yield %r : i8
  } : (tensor<9xi1>) -> tensor<9xi8>
  %bool_to_i32 = ein.einsum "i->i"(%is_big) {
  ^bb0(%a: i1):
    %r = arith.extsi %a : i1 to i32
    ein.yield %r : i32
  } : (tensor<9xi1>) -> tensor<9xi32>
  return %to_f16, %to_bf16, %from_f16, %from_bf16, %to_i8, %to_i32, %to_i64, %to_u8, %from_i8, %from_i32, %from_i64, %from_u8, %widen_i8, %widen_i32, %widen_u8, %narrow_i64, %f16_to_i32, %i32_to_bf16, %is_big, %bool_to_f32, %bool_to_i8, %bool_to_i32
      : tensor<9xf16>, tensor<9xbf16>, tensor<9xf32>, tensor<9xf32>, tensor<9xi8>, tensor<9xi32>, tensor<9xi64>, tensor<9xi8>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xi64>, tensor<9xi64>, tensor<9xi32>, tensor<9xi8>, tensor<9xi32>, tensor<9xbf16>, tensor<9xi1>, tensor<9xf32>, tensor<9xi8>, tensor<9xi32>
}
