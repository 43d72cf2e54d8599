// A perceptron with one hidden layer: y = relu(x w0^T) w1^T.
func.func @main(%x: tensor<4x64xf32> {ein.name = "x"}) -> (tensor<4x16xf32> {ein.name = "y"}) {
  %w0 = ein.parameter "w0" : tensor<128x64xf32>
  %h = ein.einsum "lk,nk->ln" sum(%x, %w0) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    ein.yield %p : f32
  } : (tensor<4x64xf32>, tensor<128x64xf32>) -> tensor<4x128xf32>
  %r = ein.einsum "ln->ln"(%h) {
  ^bb0(%a: f32):
    %zero = arith.constant 0.0 : f32
    %m = arith.maximumf %a, %zero : f32
    ein.yield %m : f32
  } : (tensor<4x128xf32>) -> tensor<4x128xf32>
  %w1 = ein.parameter "w1" : tensor<16x128xf32>
  %y = ein.einsum "lk,nk->ln" sum(%r, %w1) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    ein.yield %p : f32
  } : (tensor<4x128xf32>, tensor<16x128xf32>) -> tensor<4x16xf32>
  return %y : tensor<4x16xf32>
}
