// RUN: turnip-opt %s --emit-kernel-loops -verify-diagnostics -split-input-file

// expected-error @+1 {{cannot compile kernel: kernel argument 0 has unsupported type 'tensor<?xf32>'}}
func.func @dynamic(%x: tensor<?xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  return %e : tensor<4xf32>
}

// -----

// expected-error @+1 {{cannot compile kernel: kernel argument 0 has unsupported type 'f32'}}
func.func @scalar(%x: f32) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  return %e : tensor<4xf32>
}

// -----

// expected-error @+1 {{cannot compile kernel: kernel result 0 has unsupported type 'tensor<4xcomplex<f32>>'}}
func.func @complex() -> tensor<4xcomplex<f32>> {
  %e = tensor.empty() : tensor<4xcomplex<f32>>
  return %e : tensor<4xcomplex<f32>>
}

// -----

// expected-error @+1 {{cannot compile kernel: 'math.erf' op cannot be part of a kernel}}
func.func @unknown(%x: tensor<4xf64>) -> tensor<4xf64> {
  %e = tensor.empty() : tensor<4xf64>
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf64>) outs(%e : tensor<4xf64>) {
  ^bb0(%a: f64, %o: f64):
    %s = math.erf %a : f64
    linalg.yield %s : f64
  } -> tensor<4xf64>
  return %r : tensor<4xf64>
}
