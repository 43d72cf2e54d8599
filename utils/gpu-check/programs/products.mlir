// Products and streaming kernels of every type, for rates: SIZE is replaced by a number.
// Operands are inputs, so that they cross the links. The look-ups take no time, so that what is left of
// one is its launch.
func.func @main(
    %f32_a: tensor<SIZExSIZExf32> {ein.name = "f32_a"},
    %f16_a: tensor<SIZExSIZExf16> {ein.name = "f16_a"},
    %bf16_a: tensor<SIZExSIZExbf16> {ein.name = "bf16_a"},
    %ids: tensor<64xi32> {ein.name = "ids"}
) -> (
    tensor<SIZExSIZExf32> {ein.name = "f32_d"},
    tensor<SIZExSIZExf32> {ein.name = "f16_d"},
    tensor<SIZExSIZExf32> {ein.name = "bf16_d"},
    tensor<64xf32> {ein.name = "last"}
) {
  %f32_p0 = ein.einsum "ik,jk->ij" sum(%f32_a, %f32_a) {
  ^bb0(%x0: f32, %x1: f32):
    %p = arith.mulf %x0, %x1 : f32
    ein.yield %p : f32
  } : (tensor<SIZExSIZExf32>, tensor<SIZExSIZExf32>) -> tensor<SIZExSIZExf32>
  %f32_p1 = ein.einsum "ik,jk->ij" sum(%f32_p0, %f32_a) {
  ^bb0(%x0: f32, %x1: f32):
    %p = arith.mulf %x0, %x1 : f32
    ein.yield %p : f32
  } : (tensor<SIZExSIZExf32>, tensor<SIZExSIZExf32>) -> tensor<SIZExSIZExf32>
  %f32_p2 = ein.einsum "ik,jk->ij" sum(%f32_p1, %f32_a) {
  ^bb0(%x0: f32, %x1: f32):
    %p = arith.mulf %x0, %x1 : f32
    ein.yield %p : f32
  } : (tensor<SIZExSIZExf32>, tensor<SIZExSIZExf32>) -> tensor<SIZExSIZExf32>
  %f32_p3 = ein.einsum "ik,jk->ij" sum(%f32_p2, %f32_a) {
  ^bb0(%x0: f32, %x1: f32):
    %p = arith.mulf %x0, %x1 : f32
    ein.yield %p : f32
  } : (tensor<SIZExSIZExf32>, tensor<SIZExSIZExf32>) -> tensor<SIZExSIZExf32>
  %f16_p0 = ein.einsum "ik,jk->ij" sum(%f16_a, %f16_a) {
  ^bb0(%x0: f16, %x1: f16):
    %a = arith.extf %x0 : f16 to f32
    %b = arith.extf %x1 : f16 to f32
    %p = arith.mulf %a, %b : f32
    ein.yield %p : f32
  } : (tensor<SIZExSIZExf16>, tensor<SIZExSIZExf16>) -> tensor<SIZExSIZExf32>
  %f16_n0 = ein.einsum "ij->ij"(%f16_p0) {
  ^bb0(%x0: f32):
    %n = arith.truncf %x0 : f32 to f16
    ein.yield %n : f16
  } : (tensor<SIZExSIZExf32>) -> tensor<SIZExSIZExf16>
  %f16_p1 = ein.einsum "ik,jk->ij" sum(%f16_n0, %f16_a) {
  ^bb0(%x0: f16, %x1: f16):
    %a = arith.extf %x0 : f16 to f32
    %b = arith.extf %x1 : f16 to f32
    %p = arith.mulf %a, %b : f32
    ein.yield %p : f32
  } : (tensor<SIZExSIZExf16>, tensor<SIZExSIZExf16>) -> tensor<SIZExSIZExf32>
  %f16_n1 = ein.einsum "ij->ij"(%f16_p1) {
  ^bb0(%x0: f32):
    %n = arith.truncf %x0 : f32 to f16
    ein.yield %n : f16
  } : (tensor<SIZExSIZExf32>) -> tensor<SIZExSIZExf16>
  %f16_p2 = ein.einsum "ik,jk->ij" sum(%f16_n1, %f16_a) {
  ^bb0(%x0: f16, %x1: f16):
    %a = arith.extf %x0 : f16 to f32
    %b = arith.extf %x1 : f16 to f32
    %p = arith.mulf %a, %b : f32
    ein.yield %p : f32
  } : (tensor<SIZExSIZExf16>, tensor<SIZExSIZExf16>) -> tensor<SIZExSIZExf32>
  %f16_n2 = ein.einsum "ij->ij"(%f16_p2) {
  ^bb0(%x0: f32):
    %n = arith.truncf %x0 : f32 to f16
    ein.yield %n : f16
  } : (tensor<SIZExSIZExf32>) -> tensor<SIZExSIZExf16>
  %f16_p3 = ein.einsum "ik,jk->ij" sum(%f16_n2, %f16_a) {
  ^bb0(%x0: f16, %x1: f16):
    %a = arith.extf %x0 : f16 to f32
    %b = arith.extf %x1 : f16 to f32
    %p = arith.mulf %a, %b : f32
    ein.yield %p : f32
  } : (tensor<SIZExSIZExf16>, tensor<SIZExSIZExf16>) -> tensor<SIZExSIZExf32>
  %bf16_p0 = ein.einsum "ik,jk->ij" sum(%bf16_a, %bf16_a) {
  ^bb0(%x0: bf16, %x1: bf16):
    %a = arith.extf %x0 : bf16 to f32
    %b = arith.extf %x1 : bf16 to f32
    %p = arith.mulf %a, %b : f32
    ein.yield %p : f32
  } : (tensor<SIZExSIZExbf16>, tensor<SIZExSIZExbf16>) -> tensor<SIZExSIZExf32>
  %bf16_n0 = ein.einsum "ij->ij"(%bf16_p0) {
  ^bb0(%x0: f32):
    %n = arith.truncf %x0 : f32 to bf16
    ein.yield %n : bf16
  } : (tensor<SIZExSIZExf32>) -> tensor<SIZExSIZExbf16>
  %bf16_p1 = ein.einsum "ik,jk->ij" sum(%bf16_n0, %bf16_a) {
  ^bb0(%x0: bf16, %x1: bf16):
    %a = arith.extf %x0 : bf16 to f32
    %b = arith.extf %x1 : bf16 to f32
    %p = arith.mulf %a, %b : f32
    ein.yield %p : f32
  } : (tensor<SIZExSIZExbf16>, tensor<SIZExSIZExbf16>) -> tensor<SIZExSIZExf32>
  %bf16_n1 = ein.einsum "ij->ij"(%bf16_p1) {
  ^bb0(%x0: f32):
    %n = arith.truncf %x0 : f32 to bf16
    ein.yield %n : bf16
  } : (tensor<SIZExSIZExf32>) -> tensor<SIZExSIZExbf16>
  %bf16_p2 = ein.einsum "ik,jk->ij" sum(%bf16_n1, %bf16_a) {
  ^bb0(%x0: bf16, %x1: bf16):
    %a = arith.extf %x0 : bf16 to f32
    %b = arith.extf %x1 : bf16 to f32
    %p = arith.mulf %a, %b : f32
    ein.yield %p : f32
  } : (tensor<SIZExSIZExbf16>, tensor<SIZExSIZExbf16>) -> tensor<SIZExSIZExf32>
  %bf16_n2 = ein.einsum "ij->ij"(%bf16_p2) {
  ^bb0(%x0: f32):
    %n = arith.truncf %x0 : f32 to bf16
    ein.yield %n : bf16
  } : (tensor<SIZExSIZExf32>) -> tensor<SIZExSIZExbf16>
  %bf16_p3 = ein.einsum "ik,jk->ij" sum(%bf16_n2, %bf16_a) {
  ^bb0(%x0: bf16, %x1: bf16):
    %a = arith.extf %x0 : bf16 to f32
    %b = arith.extf %x1 : bf16 to f32
    %p = arith.mulf %a, %b : f32
    ein.yield %p : f32
  } : (tensor<SIZExSIZExbf16>, tensor<SIZExSIZExbf16>) -> tensor<SIZExSIZExf32>
  %small = ein.slice %f32_a [0, 0] [64, 64] [1, 1] : tensor<SIZExSIZExf32> to tensor<64x64xf32>
  %t0 = ein.einsum "ij->i" max(%small) {
  ^bb0(%x0: f32):
    ein.yield %x0 : f32
  } : (tensor<64x64xf32>) -> tensor<64xf32>
  %t1 = ein.gather %t0[%ids] : (tensor<64xf32>, tensor<64xi32>) -> tensor<64xf32>
  %t2 = ein.gather %t1[%ids] : (tensor<64xf32>, tensor<64xi32>) -> tensor<64xf32>
  %t3 = ein.gather %t2[%ids] : (tensor<64xf32>, tensor<64xi32>) -> tensor<64xf32>
  %t4 = ein.gather %t3[%ids] : (tensor<64xf32>, tensor<64xi32>) -> tensor<64xf32>
  %t5 = ein.gather %t4[%ids] : (tensor<64xf32>, tensor<64xi32>) -> tensor<64xf32>
  %t6 = ein.gather %t5[%ids] : (tensor<64xf32>, tensor<64xi32>) -> tensor<64xf32>
  %t7 = ein.gather %t6[%ids] : (tensor<64xf32>, tensor<64xi32>) -> tensor<64xf32>
  %t8 = ein.gather %t7[%ids] : (tensor<64xf32>, tensor<64xi32>) -> tensor<64xf32>
  %t9 = ein.gather %t8[%ids] : (tensor<64xf32>, tensor<64xi32>) -> tensor<64xf32>
  %t10 = ein.gather %t9[%ids] : (tensor<64xf32>, tensor<64xi32>) -> tensor<64xf32>
  %t11 = ein.gather %t10[%ids] : (tensor<64xf32>, tensor<64xi32>) -> tensor<64xf32>
  %t12 = ein.gather %t11[%ids] : (tensor<64xf32>, tensor<64xi32>) -> tensor<64xf32>
  %t13 = ein.gather %t12[%ids] : (tensor<64xf32>, tensor<64xi32>) -> tensor<64xf32>
  %t14 = ein.gather %t13[%ids] : (tensor<64xf32>, tensor<64xi32>) -> tensor<64xf32>
  %t15 = ein.gather %t14[%ids] : (tensor<64xf32>, tensor<64xi32>) -> tensor<64xf32>
  %t16 = ein.gather %t15[%ids] : (tensor<64xf32>, tensor<64xi32>) -> tensor<64xf32>
  %t17 = ein.gather %t16[%ids] : (tensor<64xf32>, tensor<64xi32>) -> tensor<64xf32>
  %t18 = ein.gather %t17[%ids] : (tensor<64xf32>, tensor<64xi32>) -> tensor<64xf32>
  %t19 = ein.gather %t18[%ids] : (tensor<64xf32>, tensor<64xi32>) -> tensor<64xf32>
  %t20 = ein.gather %t19[%ids] : (tensor<64xf32>, tensor<64xi32>) -> tensor<64xf32>
  %t21 = ein.gather %t20[%ids] : (tensor<64xf32>, tensor<64xi32>) -> tensor<64xf32>
  %t22 = ein.gather %t21[%ids] : (tensor<64xf32>, tensor<64xi32>) -> tensor<64xf32>
  %t23 = ein.gather %t22[%ids] : (tensor<64xf32>, tensor<64xi32>) -> tensor<64xf32>
  %t24 = ein.gather %t23[%ids] : (tensor<64xf32>, tensor<64xi32>) -> tensor<64xf32>
  %t25 = ein.gather %t24[%ids] : (tensor<64xf32>, tensor<64xi32>) -> tensor<64xf32>
  %t26 = ein.gather %t25[%ids] : (tensor<64xf32>, tensor<64xi32>) -> tensor<64xf32>
  %t27 = ein.gather %t26[%ids] : (tensor<64xf32>, tensor<64xi32>) -> tensor<64xf32>
  %t28 = ein.gather %t27[%ids] : (tensor<64xf32>, tensor<64xi32>) -> tensor<64xf32>
  %t29 = ein.gather %t28[%ids] : (tensor<64xf32>, tensor<64xi32>) -> tensor<64xf32>
  %t30 = ein.gather %t29[%ids] : (tensor<64xf32>, tensor<64xi32>) -> tensor<64xf32>
  %t31 = ein.gather %t30[%ids] : (tensor<64xf32>, tensor<64xi32>) -> tensor<64xf32>
  %t32 = ein.gather %t31[%ids] : (tensor<64xf32>, tensor<64xi32>) -> tensor<64xf32>
  return %f32_p3, %f16_p3, %bf16_p3, %t32
      : tensor<SIZExSIZExf32>, tensor<SIZExSIZExf32>, tensor<SIZExSIZExf32>, tensor<64xf32>
}
