// RUN: turnip-opt %s --split-input-file --verify-diagnostics
// Each case is headed by the number of the constraint it violates, as in
// docs/dialects/ein.md.

// parameter-C1
func.func @parameter() {
  // expected-error @+1 {{'ein.parameter' op expected a nonempty name}}
  %0 = ein.parameter "" : tensor<4xf32>
  return
}

// -----

// tensor-C2
func.func @element() {
  // expected-error @+1 {{ranked static tensor, sizes at least 1, of f32, f16, bf16, i8, i32, i64 or i1}}
  %0 = ein.parameter "p" : tensor<4xf64>
  return
}

// -----

// tensor-C3
func.func @empty() {
  // expected-error @+1 {{ranked static tensor, sizes at least 1}}
  %0 = ein.parameter "p" : tensor<4x0xf32>
  return
}

// -----

// tensor-C1
func.func @dynamic() {
  // expected-error @+1 {{ranked static tensor, sizes at least 1}}
  %0 = ein.parameter "p" : tensor<4x?xf32>
  return
}

// -----

// tensor-C3
func.func @huge() {
  // expected-error @+1 {{ranked static tensor, sizes at least 1}}
  %0 = ein.parameter "p" : tensor<4611686018427387904x4xf32>
  return
}

// -----

// tensor-C3
func.func @constant() {
  // expected-error @+1 {{ranked static tensor, sizes at least 1}}
  %0 = ein.constant dense<[]> : tensor<0xf32>
  return
}

// -----

// name-C1
// expected-error @+1 {{op has unknown attribute 'ein.colour'}}
func.func @attribute() attributes {ein.colour = 1} {
  return
}

// -----

// name-C1
// expected-error @+1 {{op has unknown attribute 'ein.colour' on argument #0}}
func.func @argument(%x: tensor<4xf32> {ein.colour = 1}) {
  return
}

// -----

// name-C2
// expected-error @+1 {{op expected 'ein.name' of result #0 to be a nonempty string, but got ""}}
func.func @result_name(%x: tensor<4xf32>) -> (tensor<4xf32> {ein.name = ""}) {
  return %x : tensor<4xf32>
}

// -----

// name-C3
// expected-error @+1 {{op expected distinct names, but got "x" for arguments #0 and #1}}
func.func @names(%x: tensor<4xf32> {ein.name = "x"}, %y: tensor<4xf32> {ein.name = "x"}) {
  return
}

// -----

// einsum-C8
func.func @combiner_keyword(%x: tensor<4xf32>) {
  // expected-error @+1 {{expected combiner sum, prod, max, min, and, or or xor, but got 'mean'}}
  %0 = ein.einsum "k->" mean(%x) {
  ^bb0(%a: f32):
    ein.yield %a : f32
  } : (tensor<4xf32>) -> tensor<f32>
  return
}

// -----

// einsum-C1
func.func @arrow(%x: tensor<4xf32>) {
  // expected-error @+1 {{op expected '->' in notation, but got "k"}}
  %0 = ein.einsum "k" sum(%x) {
  ^bb0(%a: f32):
    ein.yield %a : f32
  } : (tensor<4xf32>) -> tensor<f32>
  return
}

// -----

// einsum-C2
func.func @operand_count(%x: tensor<4xf32>) {
  // expected-error @+1 {{op expected notation with 1 operand, but got 2}}
  %0 = ein.einsum "k,k->" sum(%x) {
  ^bb0(%a: f32):
    ein.yield %a : f32
  } : (tensor<4xf32>) -> tensor<f32>
  return
}

// -----

// einsum-C2
func.func @result_count(%x: tensor<4xf32>) {
  // expected-error @+1 {{op expected notation with 1 result, but got 2}}
  %0 = ein.einsum "k->k,k"(%x) {
  ^bb0(%a: f32):
    ein.yield %a : f32
  } : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// einsum-C3
func.func @letters(%x: tensor<4x4xf32>) {
  // expected-error @+1 {{op expected letters as labels of operand #0, but got '1'}}
  %0 = ein.einsum "k1->k" sum(%x) {
  ^bb0(%a: f32):
    ein.yield %a : f32
  } : (tensor<4x4xf32>) -> tensor<4xf32>
  return
}

// -----

// einsum-C4
func.func @diagonal(%x: tensor<4x4xf32>) {
  // expected-error @+1 {{op expected each label once in operand #0, but got 'k' twice}}
  %0 = ein.einsum "kk->k"(%x) {
  ^bb0(%a: f32):
    ein.yield %a : f32
  } : (tensor<4x4xf32>) -> tensor<4xf32>
  return
}

// -----

// einsum-C5
func.func @rank(%x: tensor<4xf32>) {
  // expected-error @+1 {{op expected operand #0 of rank 2 as labelled "lk", but got rank 1}}
  %0 = ein.einsum "lk->l" sum(%x) {
  ^bb0(%a: f32):
    ein.yield %a : f32
  } : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// einsum-C6
func.func @size(%x: tensor<4x5xf32>, %y: tensor<6xf32>) {
  // expected-error @+1 {{op expected label 'k' of size 5 in operand #1, but got 6}}
  %0 = ein.einsum "lk,k->l" sum(%x, %y) {
  ^bb0(%a: f32, %b: f32):
    ein.yield %a : f32
  } : (tensor<4x5xf32>, tensor<6xf32>) -> tensor<4xf32>
  return
}

// -----

// einsum-C7
func.func @no_combiner(%x: tensor<4x5xf32>) {
  // expected-error @+1 {{op expected a combiner for label 'k', which the result does not have}}
  %0 = ein.einsum "lk->l"(%x) {
  ^bb0(%a: f32):
    ein.yield %a : f32
  } : (tensor<4x5xf32>) -> tensor<4xf32>
  return
}

// -----

// einsum-C7
func.func @needless_combiner(%x: tensor<4xf32>) {
  // expected-error @+1 {{op expected no combiner, as the result has every label, but got sum}}
  %0 = ein.einsum "l->l" sum(%x) {
  ^bb0(%a: f32):
    ein.yield %a : f32
  } : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// einsum-C8
func.func @combiner_type(%x: tensor<4xi1>) {
  // expected-error @+1 {{op expected a combiner that is defined on 'i1', but got sum}}
  %0 = ein.einsum "l->" sum(%x) {
  ^bb0(%a: i1):
    ein.yield %a : i1
  } : (tensor<4xi1>) -> tensor<i1>
  return
}

// -----

// einsum-C9
func.func @argument_count(%x: tensor<4xf32>) {
  // expected-error @+1 {{op expected body with 1 arguments, but got 2}}
  %0 = ein.einsum "l->l"(%x) {
  ^bb0(%a: f32, %b: f32):
    ein.yield %a : f32
  } : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// einsum-C9
func.func @argument_type(%x: tensor<4xf32>) {
  // expected-error @+1 {{op expected body argument #0 of type 'f32', but got 'f16'}}
  %0 = ein.einsum "l->l"(%x) {
  ^bb0(%a: f16):
    %b = arith.extf %a : f16 to f32
    ein.yield %b : f32
  } : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// einsum-C11
func.func @capture(%x: tensor<4xf32>, %s: f32) {
  // expected-error @+1 {{op expected body to use only index values from above, but got 'f32'}}
  %0 = ein.einsum "l->l"(%x) {
  ^bb0(%a: f32):
    %b = arith.addf %a, %s : f32
    ein.yield %b : f32
  } : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// einsum-C12
func.func @body_op(%x: tensor<4xf32>) {
  // expected-error @+1 {{op expected body of operations on scalars without side effects, but got 'vector.broadcast'}}
  %0 = ein.einsum "l->l"(%x) {
  ^bb0(%a: f32):
    %b = vector.broadcast %a : f32 to vector<4xf32>
    ein.yield %a : f32
  } : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// einsum-C12
func.func @side_effect(%x: tensor<4xf32>) {
  // expected-error @+1 {{op expected body of operations on scalars without side effects, but got 'func.call'}}
  %0 = ein.einsum "l->l"(%x) {
  ^bb0(%a: f32):
    %b = func.call @f(%a) : (f32) -> f32
    ein.yield %b : f32
  } : (tensor<4xf32>) -> tensor<4xf32>
  return
}
func.func private @f(f32) -> f32

// -----

// einsum-C10
func.func @terminator(%x: tensor<4xf32>) {
  // expected-error @+1 {{op expected body to end with ein.yield}}
  "ein.einsum"(%x) <{notation = "l->l", combiner = #ein.combiner<none>}> ({
  ^bb0(%a: f32):
    ub.unreachable
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// einsum-C10
func.func @yield_count(%x: tensor<4xf32>) {
  // expected-error @+1 {{op expected body to yield 1 values, but got 2}}
  %0 = ein.einsum "l->l"(%x) {
  ^bb0(%a: f32):
    ein.yield %a, %a : f32, f32
  } : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// einsum-C10
func.func @yield_type(%x: tensor<4xf16>) {
  // expected-error @+1 {{op expected yielded value #0 of type 'f32', but got 'f16'}}
  %0 = ein.einsum "l->l"(%x) {
  ^bb0(%a: f16):
    ein.yield %a : f16
  } : (tensor<4xf16>) -> tensor<4xf32>
  return
}

// -----

// einsum-C10: nothing is combined, so nothing can be rounded after that.
func.func @yield_wider(%x: tensor<4xbf16>) {
  // expected-error @+1 {{op expected yielded value #0 of type 'bf16', but got 'f32'}}
  %0 = ein.einsum "l->l"(%x) {
  ^bb0(%a: bf16):
    %b = arith.extf %a : bf16 to f32
    ein.yield %b : f32
  } : (tensor<4xbf16>) -> tensor<4xbf16>
  return
}

// -----

// einsum-C10
func.func @yield_much_wider(%x: tensor<4xbf16>) {
  // expected-error @+1 {{op expected yielded value #0 of type 'bf16', but got 'f64'}}
  %0 = ein.einsum "l->" sum(%x) {
  ^bb0(%a: bf16):
    %b = arith.extf %a : bf16 to f64
    ein.yield %b : f64
  } : (tensor<4xbf16>) -> tensor<bf16>
  return
}

// -----

// index-C2
func.func @index_letter() {
  %0 = ein.einsum "->l"() {
    // expected-error @+1 {{op expected one letter as label, but got "row"}}
    %i = ein.index "row" : index
    %j = arith.index_cast %i : index to i64
    ein.yield %j : i64
  } : () -> tensor<4xi64>
  return
}

// -----

// index-C3
func.func @index_label() {
  %0 = ein.einsum "->l"() {
    // expected-error @+1 {{op expected a label of "->l", but got 'k'}}
    %i = ein.index "k" : index
    %j = arith.index_cast %i : index to i64
    ein.yield %j : i64
  } : () -> tensor<4xi64>
  return
}

// -----

// index-C1
func.func @index_parent() {
  // expected-error @+1 {{'ein.index' op expects parent op 'ein.einsum'}}
  %i = ein.index "k" : index
  return
}

// -----

// yield-C1
func.func @yield_parent() {
  // expected-error @+1 {{'ein.yield' op expects parent op to be one of 'ein.einsum, ein.fused'}}
  ein.yield
}

// -----

// fused-C1
func.func @fused_no_result(%x: tensor<4xf32>) {
  // expected-error @+1 {{op expected at least one result}}
  ein.fused "l->" parallel ""(%x) {
  ^bb0(%a: tensor<4xf32>):
    ein.yield
  } : (tensor<4xf32>) -> ()
  return
}

// -----

// fused-C2
func.func @fused_notation(%x: tensor<4xf32>) {
  // expected-error @+1 {{op expected notation with 1 operand, but got 2}}
  %0 = ein.fused "l,l->l" parallel ""(%x) {
  ^bb0(%a: tensor<4xf32>):
    ein.yield %a : tensor<4xf32>
  } : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// fused-C2
func.func @fused_result_size(%x: tensor<4xf32>) {
  // expected-error @+1 {{op expected label 'l' of size 4 in result #0, but got 5}}
  %0 = ein.fused "l->l" parallel ""(%x) {
  ^bb0(%a: tensor<4xf32>):
    ein.yield %a : tensor<4xf32>
  } : (tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

// fused-C3
func.func @parallel_twice(%x: tensor<4xf32>) {
  // expected-error @+1 {{op expected each parallel label once, but got 'l' twice}}
  %0 = ein.fused "l->l" parallel "ll"(%x) {
  ^bb0(%a: tensor<4xf32>):
    ein.yield %a : tensor<4xf32>
  } : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// fused-C3
func.func @parallel_missing(%x: tensor<4xf32>) {
  // expected-error @+1 {{op expected parallel label 'm' in result #0, but got "l"}}
  %0 = ein.fused "l->l" parallel "lm"(%x) {
  ^bb0(%a: tensor<4xf32>):
    ein.yield %a : tensor<4xf32>
  } : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// fused-C4
func.func @fused_argument(%x: tensor<4xf32>) {
  // expected-error @+1 {{op expected body argument #0 of type 'tensor<4xf32>', but got 'tensor<5xf32>'}}
  %0 = ein.fused "l->l" parallel "l"(%x) {
  ^bb0(%a: tensor<5xf32>):
    ein.yield %a : tensor<5xf32>
  } : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// fused-C5
func.func @fused_body(%x: tensor<4xf32>) {
  // expected-error @+1 {{op expected body of ein.einsum, but got 'ein.reshape'}}
  %0 = ein.fused "l->l" parallel "l"(%x) {
  ^bb0(%a: tensor<4xf32>):
    %b = ein.reshape %a : tensor<4xf32> to tensor<4xf32>
    ein.yield %b : tensor<4xf32>
  } : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// fused-C7
func.func @fused_labels(%x: tensor<4xf32>) {
  // expected-error @+1 {{op expected a value with labels "l" to be used with them, but got "k"}}
  %0 = ein.fused "l->l" parallel "l"(%x) {
  ^bb0(%a: tensor<4xf32>):
    %b = ein.einsum "k->k"(%a) {
    ^bb0(%c: f32):
      %d = arith.negf %c : f32
      ein.yield %d : f32
    } : (tensor<4xf32>) -> tensor<4xf32>
    ein.yield %b : tensor<4xf32>
  } : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// fused-C7
func.func @fused_yield_labels(%x: tensor<4x4xf32>) {
  // expected-error @+1 {{op expected a value with labels "lk" to be used with them, but got "kl"}}
  %0 = ein.fused "lk->kl" parallel "l"(%x) {
  ^bb0(%a: tensor<4x4xf32>):
    ein.yield %a : tensor<4x4xf32>
  } : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return
}

// -----

// fused-C8
func.func @fused_size(%x: tensor<4xf32>) {
  // expected-error @+1 {{op expected label 'l' of size 4 in the result of an einsum inside, but got 5}}
  %0 = ein.fused "l->l" parallel ""(%x) {
  ^bb0(%a: tensor<4xf32>):
    %b = ein.einsum "->l"() {
      %d = arith.constant 1.0 : f32
      ein.yield %d : f32
    } : () -> tensor<5xf32>
    ein.yield %a : tensor<4xf32>
  } : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// fused-C6
func.func @fused_capture(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  // expected-error @+1 {{op expected body to use no tensors from above, but got 'tensor<4xf32>'}}
  %0 = ein.fused "l->l" parallel "l"(%x) {
  ^bb0(%a: tensor<4xf32>):
    %b = ein.einsum "l,l->l"(%a, %y) {
    ^bb0(%c: f32, %d: f32):
      %e = arith.addf %c, %d : f32
      ein.yield %e : f32
    } : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ein.yield %b : tensor<4xf32>
  } : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// fused-C9
func.func @fused_reduced(%x: tensor<4xf32>) {
  // expected-error @+1 {{op expected body to keep parallel label 'l', but got "l->"}}
  %0 = ein.fused "l->l" parallel "l"(%x) {
  ^bb0(%a: tensor<4xf32>):
    %b = ein.einsum "l->" sum(%a) {
    ^bb0(%c: f32):
      ein.yield %c : f32
    } : (tensor<4xf32>) -> tensor<f32>
    %e = ein.einsum "l,->l"(%a, %b) {
    ^bb0(%c: f32, %d: f32):
      %f = arith.addf %c, %d : f32
      ein.yield %f : f32
    } : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    ein.yield %e : tensor<4xf32>
  } : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// slice-C1
func.func @slice_count(%x: tensor<4x4xf32>) {
  // expected-error @+1 {{op expected 2 offsets, but got 1}}
  %0 = ein.slice %x [0] [1, 1] [1, 1] : tensor<4x4xf32> to tensor<1x1xf32>
  return
}

// -----

// slice-C2
func.func @slice_negative(%x: tensor<4x4xf32>) {
  // expected-error @+1 {{op expected strides of at least 1, but got -1 in dimension 1}}
  %0 = ein.slice %x [0, 0] [1, 1] [1, -1] : tensor<4x4xf32> to tensor<1x1xf32>
  return
}

// -----

// slice-C3
func.func @slice_outside(%x: tensor<8x4xf32>) {
  // expected-error @+1 {{op expected the slice to lie in the source, but dimension 0 of size 8 has offset 2, size 4 and stride 2}}
  %0 = ein.slice %x [2, 0] [4, 1] [2, 1] : tensor<8x4xf32> to tensor<4x1xf32>
  return
}

// -----

// slice-C3
func.func @slice_overflow(%x: tensor<8xf32>) {
  // expected-error @+1 {{op expected the slice to lie in the source, but dimension 0 of size 8 has offset 1, size 2 and stride 9223372036854775807}}
  %0 = ein.slice %x [1] [2] [9223372036854775807] : tensor<8xf32> to tensor<2xf32>
  return
}

// -----

// slice-C4
func.func @slice_result(%x: tensor<8xf32>) {
  // expected-error @+1 {{op expected result of sizes [2], but got 'tensor<3xf32>'}}
  %0 = ein.slice %x [1] [2] [1] : tensor<8xf32> to tensor<3xf32>
  return
}

// -----

// slice-C5
func.func @slice_element(%x: tensor<8xf32>) {
  // expected-error @+1 {{op expected source and result to have one element type, but got 'f32' and 'f16'}}
  %0 = ein.slice %x [1] [2] [1] : tensor<8xf32> to tensor<2xf16>
  return
}

// -----

// window-C1
func.func @window_rank(%x: tensor<8x4xf32>, %i: index) {
  // expected-error @+1 {{op expected result of rank 2, but got 1}}
  %0 = ein.window %x[%i] : tensor<8x4xf32> to tensor<2xf32>
  return
}

// -----

// window-C2
func.func @window_size(%x: tensor<8x4xf32>, %i: index) {
  // expected-error @+1 {{op expected the window to fit its source, but dimension 1 has sizes 5 and 4}}
  %0 = ein.window %x[%i] : tensor<8x4xf32> to tensor<2x5xf32>
  return
}

// -----

// window-C3
func.func @window_positions(%x: tensor<8x4xf32>, %i: index) {
  // expected-error @+1 {{op expected 1 positions, one for each dimension that is cut, but got 2}}
  %0 = ein.window %x[%i, %i] : tensor<8x4xf32> to tensor<2x4xf32>
  return
}

// -----

// window-C4
func.func @window_element(%x: tensor<8xf32>, %i: index) {
  // expected-error @+1 {{op expected source and result to have one element type, but got 'f32' and 'i32'}}
  %0 = ein.window %x[%i] : tensor<8xf32> to tensor<2xi32>
  return
}

// -----

// concat-C1
func.func @concat_none() {
  // expected-error @+1 {{op expected at least one operand}}
  "ein.concat"() <{dim = 0 : i64}> : () -> tensor<4xf32>
  return
}

// -----

// concat-C2
func.func @concat_dim(%x: tensor<8xf32>) {
  // expected-error @+1 {{op expected dim in [0, 1), but got 1}}
  %0 = ein.concat %x dim 1 : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

// concat-C3
func.func @concat_rank(%x: tensor<8xf32>) {
  // expected-error @+1 {{op expected operand #0 of rank 2, but got 1}}
  %0 = ein.concat %x dim 1 : (tensor<8xf32>) -> tensor<1x8xf32>
  return
}

// -----

// concat-C6
func.func @concat_element(%x: tensor<8xf32>, %y: tensor<8xi32>) {
  // expected-error @+1 {{op expected operand #1 and result to have one element type, but got 'i32' and 'f32'}}
  %0 = ein.concat %x, %y dim 0 : (tensor<8xf32>, tensor<8xi32>) -> tensor<16xf32>
  return
}

// -----

// concat-C4
func.func @concat_other(%x: tensor<2x8xf32>, %y: tensor<3x8xf32>) {
  // expected-error @+1 {{op expected dimension 0 of operand #1 to have size 2, but got 3}}
  %0 = ein.concat %x, %y dim 1 : (tensor<2x8xf32>, tensor<3x8xf32>) -> tensor<2x16xf32>
  return
}

// -----

// concat-C5
func.func @concat_sum(%x: tensor<2x8xf32>) {
  // expected-error @+1 {{op expected operands' sizes along dimension 1 to add up to 17, but got 16}}
  %0 = ein.concat %x, %x dim 1 : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x17xf32>
  return
}

// -----

// reshape-C2
func.func @reshape(%x: tensor<2x8xf32>) {
  // expected-error @+1 {{op expected result with 16 elements, but got 15}}
  %0 = ein.reshape %x : tensor<2x8xf32> to tensor<15xf32>
  return
}

// -----

// gather-C1
func.func @gather_table(%x: tensor<f32>, %i: tensor<2xi32>) {
  // expected-error @+1 {{op expected table of rank at least 1, but got 0}}
  %0 = ein.gather %x[%i] : (tensor<f32>, tensor<2xi32>) -> tensor<2xf32>
  return
}

// -----

// gather-C2
func.func @gather_indices(%x: tensor<4xf32>, %i: tensor<2xi8>) {
  // expected-error @+1 {{op operand #1 must be ranked static tensor, sizes at least 1, of i32 or i64, but got 'tensor<2xi8>'}}
  %0 = ein.gather %x[%i] : (tensor<4xf32>, tensor<2xi8>) -> tensor<2xf32>
  return
}

// -----

// gather-C3
func.func @gather_result(%x: tensor<4x3xf32>, %i: tensor<2xi32>) {
  // expected-error @+1 {{op expected result of sizes [2, 3], but got 'tensor<2x4xf32>'}}
  %0 = ein.gather %x[%i] : (tensor<4x3xf32>, tensor<2xi32>) -> tensor<2x4xf32>
  return
}

// -----

// constant-C1
func.func @constant_type() {
  // expected-error @+1 {{op failed to verify that all of {value, result} have same type}}
  %0 = "ein.constant"() <{value = dense<1.0> : tensor<4xf32>}> : () -> tensor<5xf32>
  return
}

// -----

// einsum-C4
func.func @repeated_result(%x: tensor<4xf32>) {
  // expected-error @+1 {{op expected each label once in result #0, but got 'k' twice}}
  %0 = ein.einsum "k->kk"(%x) {
  ^bb0(%a: f32):
    ein.yield %a : f32
  } : (tensor<4xf32>) -> tensor<4x4xf32>
  return
}

// -----

// einsum-C5
func.func @result_rank(%x: tensor<4xf32>) {
  // expected-error @+1 {{op expected result of rank 1 as labelled "k", but got rank 2}}
  %0 = ein.einsum "k->k"(%x) {
  ^bb0(%a: f32):
    ein.yield %a : f32
  } : (tensor<4xf32>) -> tensor<4x4xf32>
  return
}

// -----

// einsum-C8
func.func @float_bits(%x: tensor<4xf32>) {
  // expected-error @+1 {{op expected a combiner that is defined on 'f32', but got and}}
  %0 = ein.einsum "k->" and(%x) {
  ^bb0(%a: f32):
    ein.yield %a : f32
  } : (tensor<4xf32>) -> tensor<f32>
  return
}

// -----

// fused-C10
func.func @fused_yield(%x: tensor<4xf32>) {
  // expected-error @+1 {{op expected body to yield 1 values, but got 2}}
  %0 = ein.fused "l->l" parallel "l"(%x) {
  ^bb0(%a: tensor<4xf32>):
    ein.yield %a, %a : tensor<4xf32>, tensor<4xf32>
  } : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// fused-C10
func.func @fused_yield_type(%x: tensor<4xf32>) {
  // expected-error @+1 {{op expected yielded value #0 of type 'tensor<4xf16>', but got 'tensor<4xf32>'}}
  %0 = ein.fused "l->l" parallel "l"(%x) {
  ^bb0(%a: tensor<4xf32>):
    ein.yield %a : tensor<4xf32>
  } : (tensor<4xf32>) -> tensor<4xf16>
  return
}

// -----

// reshape-C1
func.func @reshape_element(%x: tensor<2x8xf32>) {
  // expected-error @+1 {{op expected source and result to have one element type, but got 'f32' and 'i32'}}
  %0 = ein.reshape %x : tensor<2x8xf32> to tensor<16xi32>
  return
}

// -----

// gather-C4
func.func @gather_element(%x: tensor<4x3xf32>, %i: tensor<2xi32>) {
  // expected-error @+1 {{op expected table and result to have one element type, but got 'f32' and 'f16'}}
  %0 = ein.gather %x[%i] : (tensor<4x3xf32>, tensor<2xi32>) -> tensor<2x3xf16>
  return
}
