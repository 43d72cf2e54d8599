// RUN: turnip-opt %s --convert-ein-to-linalg | FileCheck %s

// CHECK-LABEL: @leaves
func.func @leaves() -> (tensor<2xi64>, tensor<4xf32>) {
  // CHECK: arith.constant dense<[1, -2]> : tensor<2xi64>
  %0 = ein.constant dense<[1, -2]> : tensor<2xi64>
  // CHECK: ein.parameter "w" : tensor<4xf32>
  %1 = ein.parameter "w" : tensor<4xf32>
  return %0, %1 : tensor<2xi64>, tensor<4xf32>
}

// CHECK-LABEL: @slice
func.func @slice(%x: tensor<8x8xf32>, %s: tensor<f32>) -> (tensor<2x2xf32>, tensor<f32>) {
  // CHECK: %[[S:.*]] = tensor.extract_slice %{{.*}}[0, 4] [2, 2] [1, 2] : tensor<8x8xf32> to tensor<2x2xf32>
  %0 = ein.slice %x [0, 4] [2, 2] [1, 2] : tensor<8x8xf32> to tensor<2x2xf32>
  // CHECK: return %[[S]], %{{.*}}
  %1 = ein.slice %s [] [] [] : tensor<f32> to tensor<f32>
  return %0, %1 : tensor<2x2xf32>, tensor<f32>
}

// CHECK-LABEL: @window
// CHECK-SAME: %[[X:.*]]: tensor<8x4x8xf32>, %[[I:.*]]: index, %[[J:.*]]: index
func.func @window(%x: tensor<8x4x8xf32>, %i: index, %j: index) -> tensor<2x4x1xf32> {
  // CHECK-DAG: %[[LEAST:.*]] = arith.constant 0 : index
  // CHECK-DAG: %[[MOST:.*]] = arith.constant 6 : index
  // CHECK: %[[A:.*]] = arith.maxsi %[[I]], %[[LEAST]] : index
  // CHECK: %[[B:.*]] = arith.minsi %[[A]], %[[MOST]] : index
  // CHECK: arith.maxsi %[[J]],
  // CHECK: %[[D:.*]] = arith.minsi
  // CHECK: tensor.extract_slice %[[X]][%[[B]], 0, %[[D]]] [2, 4, 1] [1, 1, 1] : tensor<8x4x8xf32> to tensor<2x4x1xf32>
  %0 = ein.window %x[%i, %j] : tensor<8x4x8xf32> to tensor<2x4x1xf32>
  return %0 : tensor<2x4x1xf32>
}

// CHECK-LABEL: @concat
// CHECK-SAME: %[[X:.*]]: tensor<3x2xi8>, %[[Y:.*]]: tensor<3x1xi8>
func.func @concat(%x: tensor<3x2xi8>, %y: tensor<3x1xi8>) -> tensor<3x5xi8> {
  // CHECK: %[[E:.*]] = tensor.empty() : tensor<3x5xi8>
  // CHECK: %[[A:.*]] = tensor.insert_slice %[[X]] into %[[E]][0, 0] [3, 2] [1, 1]
  // CHECK: %[[B:.*]] = tensor.insert_slice %[[Y]] into %[[A]][0, 2] [3, 1] [1, 1]
  // CHECK: %[[C:.*]] = tensor.insert_slice %[[X]] into %[[B]][0, 3] [3, 2] [1, 1]
  // CHECK: return %[[C]]
  %0 = ein.concat %x, %y, %x dim 1 : (tensor<3x2xi8>, tensor<3x1xi8>, tensor<3x2xi8>) -> tensor<3x5xi8>
  return %0 : tensor<3x5xi8>
}

// CHECK-LABEL: @reshapes
func.func @reshapes(%x: tensor<4x6xf32>, %s: tensor<f32>, %o: tensor<1x1xf32>)
    -> (tensor<24xf32>, tensor<2x2x6xf32>, tensor<3x8xf32>, tensor<2x3x4xf32>,
        tensor<1xf32>, tensor<f32>, tensor<4x1x6xf32>, tensor<1x4x6xf32>) {
  // CHECK: tensor.collapse_shape %{{.*}} {{\[\[}}0, 1]] : tensor<4x6xf32> into tensor<24xf32>
  %0 = ein.reshape %x : tensor<4x6xf32> to tensor<24xf32>
  // CHECK: tensor.expand_shape %{{.*}} {{\[\[}}0, 1], [2]] output_shape [2, 2, 6]
  %1 = ein.reshape %x : tensor<4x6xf32> to tensor<2x2x6xf32>
  // CHECK: tensor.collapse_shape %{{.*}} {{\[\[}}0, 1]] : tensor<4x6xf32> into tensor<24xf32>
  // CHECK: tensor.expand_shape %{{.*}} {{\[\[}}0, 1]] output_shape [3, 8]
  %2 = ein.reshape %x : tensor<4x6xf32> to tensor<3x8xf32>
  // CHECK: tensor.collapse_shape
  // CHECK: tensor.expand_shape %{{.*}} {{\[\[}}0, 1, 2]] output_shape [2, 3, 4]
  %3 = ein.reshape %x : tensor<4x6xf32> to tensor<2x3x4xf32>
  // CHECK: tensor.expand_shape %{{.*}} [] output_shape [1] : tensor<f32> into tensor<1xf32>
  %4 = ein.reshape %s : tensor<f32> to tensor<1xf32>
  // CHECK: tensor.collapse_shape %{{.*}} [] : tensor<1x1xf32> into tensor<f32>
  %5 = ein.reshape %o : tensor<1x1xf32> to tensor<f32>
  // CHECK: tensor.expand_shape {{.*}} : tensor<4x6xf32> into tensor<4x1x6xf32>
  %6 = ein.reshape %x : tensor<4x6xf32> to tensor<4x1x6xf32>
  // CHECK: tensor.expand_shape {{.*}} : tensor<4x6xf32> into tensor<1x4x6xf32>
  %7 = ein.reshape %x : tensor<4x6xf32> to tensor<1x4x6xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7
      : tensor<24xf32>, tensor<2x2x6xf32>, tensor<3x8xf32>, tensor<2x3x4xf32>,
        tensor<1xf32>, tensor<f32>, tensor<4x1x6xf32>, tensor<1x4x6xf32>
}

// CHECK-LABEL: @gather
// CHECK-SAME: %[[T:.*]]: tensor<6x2xi8>, %[[I:.*]]: tensor<3xi32>
func.func @gather(%t: tensor<6x2xi8>, %i: tensor<3xi32>) -> tensor<3x2xi8> {
  // CHECK: linalg.generic
  // CHECK-SAME: iterator_types = ["parallel", "parallel"]} ins(%[[I]] : tensor<3xi32>)
  // CHECK-NEXT: ^bb0(%[[IN:.*]]: i32, %{{.*}}: i8):
  // CHECK-DAG: %[[R:.*]] = arith.index_cast %[[IN]] : i32 to index
  // CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : index
  // CHECK-DAG: %[[LAST:.*]] = arith.constant 5 : index
  // CHECK: %[[LOW:.*]] = arith.maxsi %[[R]], %[[ZERO]] : index
  // CHECK: %[[ROW:.*]] = arith.minsi %[[LOW]], %[[LAST]] : index
  // CHECK: %[[COLUMN:.*]] = linalg.index 1 : index
  // CHECK: %[[E:.*]] = tensor.extract %[[T]][%[[ROW]], %[[COLUMN]]]
  // CHECK: linalg.yield %[[E]]
  %0 = ein.gather %t[%i] : (tensor<6x2xi8>, tensor<3xi32>) -> tensor<3x2xi8>
  return %0 : tensor<3x2xi8>
}

// CHECK-LABEL: @gather_scalar
func.func @gather_scalar(%t: tensor<6xf16>, %i: tensor<i64>) -> tensor<f16> {
  // CHECK: linalg.generic
  // CHECK-SAME: iterator_types = []
  // CHECK: tensor.extract %{{.*}}[%{{.*}}] : tensor<6xf16>
  %0 = ein.gather %t[%i] : (tensor<6xf16>, tensor<i64>) -> tensor<f16>
  return %0 : tensor<f16>
}
