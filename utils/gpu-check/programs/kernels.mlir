// One of each kind of kernel, on shapes that are no multiples of anything.
// Everything comes from made-up parameters.
func.func @main(%ids: tensor<11xi32> {ein.name = "ids"}) -> (
    tensor<37x101xf32> {ein.name = "silu"},
    tensor<37x101xbf16> {ein.name = "mixed"},
    tensor<37x101xf32> {ein.name = "softmax"},
    tensor<101xf32> {ein.name = "columns"},
    tensor<101x37xf32> {ein.name = "transpose"},
    tensor<101x37xbf16> {ein.name = "transpose_bf16"},
    tensor<37x53xf32> {ein.name = "product_f32"},
    tensor<37x53xf32> {ein.name = "product_f16"},
    tensor<37x53xf32> {ein.name = "product_bf16"},
    tensor<53x37xf32> {ein.name = "product_transposed"},
    tensor<37x3x53xf32> {ein.name = "product_batched"},
    tensor<11x101xbf16> {ein.name = "rows"},
    tensor<20x80xf32> {ein.name = "concatenated"}
) {
  %x = ein.parameter "x" : tensor<37x101xf32>
  %w = ein.parameter "w" : tensor<53x101xf32>
  %h = ein.parameter "h" : tensor<37x101xf16>
  %g = ein.parameter "g" : tensor<53x101xf16>
  %c = ein.parameter "c" : tensor<37x101xbf16>
  %d = ein.parameter "d" : tensor<53x101xbf16>
  %q = ein.parameter "q" : tensor<3x37x17xf32>
  %k = ein.parameter "k" : tensor<3x53x17xf32>
  %table = ein.parameter "table" : tensor<29x101xbf16>
  %silu = ein.einsum "ln->ln"(%x) {
  ^bb0(%x0: f32):
    %m = arith.negf %x0 : f32
    %e = math.exp %m : f32
    %one = arith.constant 1.0 : f32
    %s = arith.addf %e, %one : f32
    %r = arith.divf %x0, %s : f32
    ein.yield %r : f32
  } : (tensor<37x101xf32>) -> tensor<37x101xf32>
  %mixed = ein.einsum "ln,ln->ln"(%h, %c) {
  ^bb0(%x0: f16, %x1: bf16):
    %a = arith.extf %x0 : f16 to f32
    %b = arith.extf %x1 : bf16 to f32
    %p = arith.addf %a, %b : f32
    %r = arith.truncf %p : f32 to bf16
    ein.yield %r : bf16
  } : (tensor<37x101xf16>, tensor<37x101xbf16>) -> tensor<37x101xbf16>
  %max = ein.einsum "ln->l" max(%x) {
  ^bb0(%x0: f32):
    ein.yield %x0 : f32
  } : (tensor<37x101xf32>) -> tensor<37xf32>
  %exp = ein.einsum "ln,l->ln"(%x, %max) {
  ^bb0(%x0: f32, %x1: f32):
    %s = arith.subf %x0, %x1 : f32
    %e = math.exp %s : f32
    ein.yield %e : f32
  } : (tensor<37x101xf32>, tensor<37xf32>) -> tensor<37x101xf32>
  %total = ein.einsum "ln->l" sum(%exp) {
  ^bb0(%x0: f32):
    ein.yield %x0 : f32
  } : (tensor<37x101xf32>) -> tensor<37xf32>
  %soft = ein.einsum "ln,l->ln"(%exp, %total) {
  ^bb0(%x0: f32, %x1: f32):
    %s = arith.divf %x0, %x1 : f32
    ein.yield %s : f32
  } : (tensor<37x101xf32>, tensor<37xf32>) -> tensor<37x101xf32>
  %columns = ein.einsum "ln->n" sum(%x) {
  ^bb0(%x0: f32):
    ein.yield %x0 : f32
  } : (tensor<37x101xf32>) -> tensor<101xf32>
  %turned = ein.einsum "ln->nl"(%x) {
  ^bb0(%x0: f32):
    ein.yield %x0 : f32
  } : (tensor<37x101xf32>) -> tensor<101x37xf32>
  %turned16 = ein.einsum "ln->nl"(%c) {
  ^bb0(%x0: bf16):
    ein.yield %x0 : bf16
  } : (tensor<37x101xbf16>) -> tensor<101x37xbf16>
  %p32 = ein.einsum "ln,mn->lm" sum(%x, %w) {
  ^bb0(%x0: f32, %x1: f32):
    %p = arith.mulf %x0, %x1 : f32
    ein.yield %p : f32
  } : (tensor<37x101xf32>, tensor<53x101xf32>) -> tensor<37x53xf32>
  %p16 = ein.einsum "ln,mn->lm" sum(%h, %g) {
  ^bb0(%x0: f16, %x1: f16):
    %a = arith.extf %x0 : f16 to f32
    %b = arith.extf %x1 : f16 to f32
    %p = arith.mulf %a, %b : f32
    ein.yield %p : f32
  } : (tensor<37x101xf16>, tensor<53x101xf16>) -> tensor<37x53xf32>
  %pb = ein.einsum "ln,mn->lm" sum(%c, %d) {
  ^bb0(%x0: bf16, %x1: bf16):
    %a = arith.extf %x0 : bf16 to f32
    %b = arith.extf %x1 : bf16 to f32
    %p = arith.mulf %a, %b : f32
    ein.yield %p : f32
  } : (tensor<37x101xbf16>, tensor<53x101xbf16>) -> tensor<37x53xf32>
  %wt = ein.einsum "mn->nm"(%w) {
  ^bb0(%x0: f32):
    ein.yield %x0 : f32
  } : (tensor<53x101xf32>) -> tensor<101x53xf32>
  %pt = ein.einsum "nl,nm->ml" sum(%turned, %wt) {
  ^bb0(%x0: f32, %x1: f32):
    %p = arith.mulf %x0, %x1 : f32
    ein.yield %p : f32
  } : (tensor<101x37xf32>, tensor<101x53xf32>) -> tensor<53x37xf32>
  %batch = ein.einsum "hld,hmd->lhm" sum(%q, %k) {
  ^bb0(%x0: f32, %x1: f32):
    %p = arith.mulf %x0, %x1 : f32
    ein.yield %p : f32
  } : (tensor<3x37x17xf32>, tensor<3x53x17xf32>) -> tensor<37x3x53xf32>
  %rows = ein.gather %table[%ids] : (tensor<29x101xbf16>, tensor<11xi32>) -> tensor<11x101xbf16>
  %left = ein.slice %x [2, 5] [20, 40] [1, 2] : tensor<37x101xf32> to tensor<20x40xf32>
  %right = ein.slice %silu [0, 1] [20, 40] [1, 1] : tensor<37x101xf32> to tensor<20x40xf32>
  %both = ein.concat %left, %right dim 1 : (tensor<20x40xf32>, tensor<20x40xf32>) -> tensor<20x80xf32>
  return %silu, %mixed, %soft, %columns, %turned, %turned16, %p32, %p16, %pb, %pt, %batch, %rows, %both
      : tensor<37x101xf32>, tensor<37x101xbf16>, tensor<37x101xf32>, tensor<101xf32>, tensor<101x37xf32>, tensor<101x37xbf16>, tensor<37x53xf32>, tensor<37x53xf32>, tensor<37x53xf32>, tensor<53x37xf32>, tensor<37x3x53xf32>, tensor<11x101xbf16>, tensor<20x80xf32>
}
