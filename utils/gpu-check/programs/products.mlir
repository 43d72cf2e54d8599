// Products and streaming kernels of every type, for rates: SIZE is replaced by a number.
// Operands are inputs, so that they cross the links.
func.func @main(
    %f32_a: tensor<SIZExSIZExf32> {ein.name = "f32_a"},
    %f16_a: tensor<SIZExSIZExf16> {ein.name = "f16_a"},
    %bf16_a: tensor<SIZExSIZExbf16> {ein.name = "bf16_a"}
) -> (
    tensor<SIZExSIZExf32> {ein.name = "f32_d"},
    tensor<SIZExSIZExf32> {ein.name = "f16_d"},
    tensor<SIZExSIZExf32> {ein.name = "bf16_d"}
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
  return %f32_p3, %f16_p3, %bf16_p3 : tensor<SIZExSIZExf32>, tensor<SIZExSIZExf32>, tensor<SIZExSIZExf32>
}
