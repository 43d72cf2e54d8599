// Two layers with a normalisation in front: y = W1 relu(W0 norm(x)).
// The documentation's commands compile and run it.
func.func @main(%x: tensor<16x64xf32> {ein.name = "x"})
    -> (tensor<16x32xf32> {ein.name = "y"}) {
  %w0 = ein.parameter "w0" : tensor<256x64xf32>
  %w1 = ein.parameter "w1" : tensor<32x256xf32>
  %s = ein.einsum "lk->l" sum(%x) {
  ^bb0(%a: f32):
    %p = arith.mulf %a, %a : f32
    ein.yield %p : f32
  } : (tensor<16x64xf32>) -> tensor<16xf32>
  %n = ein.einsum "lk,l->lk"(%x, %s) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.constant 64.0 : f32
    %m = arith.divf %b, %c : f32
    %r = math.rsqrt %m : f32
    %p = arith.mulf %a, %r : f32
    ein.yield %p : f32
  } : (tensor<16x64xf32>, tensor<16xf32>) -> tensor<16x64xf32>
  %h = ein.einsum "lk,nk->ln" sum(%n, %w0) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    ein.yield %p : f32
  } : (tensor<16x64xf32>, tensor<256x64xf32>) -> tensor<16x256xf32>
  %r = ein.einsum "ln->ln"(%h) {
  ^bb0(%a: f32):
    %z = arith.constant 0.0 : f32
    %p = arith.maximumf %a, %z : f32
    ein.yield %p : f32
  } : (tensor<16x256xf32>) -> tensor<16x256xf32>
  %y = ein.einsum "lk,nk->ln" sum(%r, %w1) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    ein.yield %p : f32
  } : (tensor<16x256xf32>, tensor<32x256xf32>) -> tensor<16x32xf32>
  return %y : tensor<16x32xf32>
}
