// RUN: turnip-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{expected a place: 'host' or 'dev N'}}
func.func private @place() attributes {a = #task.place<gpu 0>}

// -----

// expected-error @+1 {{expected a device index of at least 0, but got -1}}
func.func private @index() attributes {a = #task.place<dev -1>}

// -----

// expected-error @+1 {{expected task.options, but got task.unknown}}
module attributes {task.unknown = "x"} {
}

// -----

// expected-error @+1 {{expected task.options to be a string on a module, but got "x" on func.func}}
func.func private @options() attributes {task.options = "x"}

// -----

// expected-error @+1 {{expected element type f32, f16, bf16, i8, i32, i64 or i1, but got 'f64'}}
func.func private @element() attributes {a = !task.tile<2xf64, host>}

// -----

// expected-error @+1 {{expected dimension 1 to have a size of at least 1, but got 0}}
func.func private @size() attributes {a = !task.tile<2x0xf32, host>}

// -----

// expected-error @+1 {{expected a tile of less than 2^63 bytes}}
func.func private @huge() attributes {a = !task.tile<4294967296x4294967296xf32, host>}

// -----

// expected-error @+1 {{expected code of type tensor<Nxi8>, but got 'tensor<1xi16>'}}
func.func private @code() attributes {a = #task.object<triple = "t", features = [], format = "elf-so", symbol = "s", code = dense<1> : tensor<1xi16>>}

// -----

// expected-error @+1 {{expected a symbol, but got an empty name}}
func.func private @symbol() attributes {a = #task.object<triple = "t", features = [], format = "elf-so", symbol = "", code = dense<1> : tensor<1xi8>>}

// -----

// expected-error @+1 {{expected argument 0 to be a tensor of static sizes of at least 1, or a trailing index, but got 'tensor<?xf32>'}}
task.kernel @k(tensor<?xf32>) -> tensor<8xf32>

// -----

// expected-error @+1 {{expected argument 0 to be a tensor of static sizes of at least 1, or a trailing index, but got 'index'}}
task.kernel @k(index, tensor<8xf32>) -> tensor<8xf32>

// -----

// expected-error @+1 {{expected result 0 to be a tensor of static sizes of at least 1, but got 'f32'}}
task.kernel @k(tensor<8xf32>) -> f32

// -----

// expected-error @+1 {{expected at least 1 result, but got 0}}
task.kernel @k(tensor<8xf32>)

// -----

// expected-error @+1 {{expected a grid of at least 1, but got 0}}
task.kernel @k(tensor<8xf32>) -> tensor<8xf32> grid 0

// -----

// expected-error @+1 {{expected workspace of at least 0, but got -1}}
task.kernel @k(tensor<8xf32>) -> tensor<8xf32> workspace -1

// -----

// expected-error @+1 {{expected seconds of at least 0, but got}}
task.kernel @k(tensor<8xf32>) -> tensor<8xf32> seconds -1.0

// -----

// expected-error @+1 {{expected inplace to hold pairs, but got 3 numbers}}
"task.kernel"() <{sym_name = "k", function_type = (tensor<8xf32>) -> tensor<8xf32>, inplace = array<i64: 0, 0, 1>}> ({}) : () -> ()

// -----

// expected-error @+1 {{expected an inplace operand below 1, but got 1}}
task.kernel @k(tensor<8xf32>) -> tensor<8xf32> inplace(1 -> 0)

// -----

// expected-error @+1 {{expected an inplace result below 1, but got 1}}
task.kernel @k(tensor<8xf32>) -> tensor<8xf32> inplace(0 -> 1)

// -----

// expected-error @+1 {{expected every inplace pair once, but got 0 -> 1 again}}
task.kernel @k(tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) inplace(0 -> 1, 0 -> 0, 0 -> 1)

// -----

// expected-error @+1 {{expected the inplace pair 0 -> 0 to have equal bytes, but got 32 and 16}}
task.kernel @k(tensor<8xf32>) -> tensor<8xf16> inplace(0 -> 0)

// -----

// expected-error @+1 {{expected one object per triple, features and format, but got another for "t" with ["a"] and "f"}}
task.kernel @k(tensor<8xf32>) -> tensor<8xf32> objects [
  #task.object<triple = "t", features = ["a"], format = "f", symbol = "s", code = dense<1> : tensor<1xi8>>,
  #task.object<triple = "t", features = ["a"], format = "f", symbol = "s", code = dense<1> : tensor<1xi8>>]

// -----

// expected-error @+1 {{expected launches with buffers below 2, but got 2}}
task.kernel @k(tensor<8xf32>) -> tensor<8xf32> objects [
  #task.object<triple = "t", features = ["a"], format = "ptx", symbol = "", launches = [#task.launch<"s" grid(1, 1, 1) block(1, 1, 1) shared 0 buffers(0, 0, 2, 0) scalars()>], code = dense<1> : tensor<1xi8>>]

// -----

// expected-error @+1 {{expected launches with scalars below 0, but got 0}}
task.kernel @k(tensor<8xf32>) -> tensor<8xf32> objects [
  #task.object<triple = "t", features = ["a"], format = "ptx", symbol = "", launches = [#task.launch<"s" grid(1, 1, 1) block(1, 1, 1) shared 0 buffers() scalars(0)>], code = dense<1> : tensor<1xi8>>]

// -----

// expected-error @+1 {{expected a grid of 3 sizes, but got 2}}
#launch = #task.launch<"s" grid(1, 1) block(1, 1, 1) shared 0 buffers() scalars()>

// -----

// expected-error @+1 {{expected a block of sizes from 1 to 2147483647, but got 0}}
#launch = #task.launch<"s" grid(1, 1, 1) block(1, 0, 1) shared 0 buffers() scalars()>

// -----

// expected-error @+1 {{expected shared memory from 0 to 2147483647 bytes, but got -1}}
#launch = #task.launch<"s" grid(1, 1, 1) block(1, 1, 1) shared -1 buffers() scalars()>

// -----

// expected-error @+1 {{expected scalars of at least 0, but got -1}}
#launch = #task.launch<"s" grid(1, 1, 1) block(1, 1, 1) shared 0 buffers() scalars(-1)>

// -----

// expected-error @+1 {{expected pairs of a buffer and an offset, but got 1 numbers}}
#launch = #task.launch<"s" grid(1, 1, 1) block(1, 1, 1) shared 0 buffers(1) scalars()>

// -----

// expected-error @+1 {{expected buffers and offsets of at least 0, but got -4}}
#launch = #task.launch<"s" grid(1, 1, 1) block(1, 1, 1) shared 0 buffers(1, -4) scalars()>

// -----

// expected-error @+1 {{expected matrices of f32, f16 or bf16, but got 'i8'}}
#product = #task.matmul<buffers(0, 0, 1, 0, 2, 0), typeA = i8, typeB = f32, typeD = f32, compute = "f32", transA = 0, transB = 0, m = 1, n = 1, k = 1, lda = 1, ldb = 1, ldd = 1, batch = 1, strideA = 0, strideB = 0, strideD = 0, alpha = 1.0, beta = 0.0, epilogue = "none", workspaceOffset = 0, workspaceBytes = 0>

// -----

// expected-error @+1 {{expected compute f32 or tf32, but got "f64"}}
#product = #task.matmul<buffers(0, 0, 1, 0, 2, 0), typeA = f32, typeB = f32, typeD = f32, compute = "f64", transA = 0, transB = 0, m = 1, n = 1, k = 1, lda = 1, ldb = 1, ldd = 1, batch = 1, strideA = 0, strideB = 0, strideD = 0, alpha = 1.0, beta = 0.0, epilogue = "none", workspaceOffset = 0, workspaceBytes = 0>

// -----

// expected-error @+1 {{expected epilogue none, relu, gelu or bias, but got "tanh"}}
#product = #task.matmul<buffers(0, 0, 1, 0, 2, 0), typeA = f32, typeB = f32, typeD = f32, compute = "f32", transA = 0, transB = 0, m = 1, n = 1, k = 1, lda = 1, ldb = 1, ldd = 1, batch = 1, strideA = 0, strideB = 0, strideD = 0, alpha = 1.0, beta = 0.0, epilogue = "tanh", workspaceOffset = 0, workspaceBytes = 0>

// -----

// expected-error @+1 {{expected sizes of at least 1, but got 0}}
#product = #task.matmul<buffers(0, 0, 1, 0, 2, 0), typeA = f32, typeB = f32, typeD = f32, compute = "f32", transA = 0, transB = 0, m = 0, n = 1, k = 1, lda = 1, ldb = 1, ldd = 1, batch = 1, strideA = 0, strideB = 0, strideD = 0, alpha = 1.0, beta = 0.0, epilogue = "none", workspaceOffset = 0, workspaceBytes = 0>

// -----

// expected-error @+1 {{expected strides and workspace of at least 0, but got -1}}
#product = #task.matmul<buffers(0, 0, 1, 0, 2, 0), typeA = f32, typeB = f32, typeD = f32, compute = "f32", transA = 0, transB = 0, m = 1, n = 1, k = 1, lda = 1, ldb = 1, ldd = 1, batch = 1, strideA = -1, strideB = 0, strideD = 0, alpha = 1.0, beta = 0.0, epilogue = "none", workspaceOffset = 0, workspaceBytes = 0>

// -----

// expected-error @+1 {{expected workspace of at least 0, but got -8}}
#object = #task.object<triple = "t", features = ["a"], format = "ptx", symbol = "s", workspace = -8, code = dense<1> : tensor<1xi8>>

// -----

// expected-error @+1 {{expected #task.launch or #task.matmul, but got 1 : i64}}
#object = #task.object<triple = "t", features = ["a"], format = "ptx", symbol = "s", launches = [1], code = dense<1> : tensor<1xi8>>

// -----

// expected-error @+1 {{expected a body of 1 block, but got 2}}
task.kernel @k(%x: tensor<8xf32>) -> tensor<8xf32> {
  cf.br ^bb1
^bb1:
  task.yield %x : tensor<8xf32>
}

// -----

// expected-error @+1 {{expected a body that ends with task.yield}}
task.kernel @k(%x: tensor<8xf32>) -> tensor<8xf32> {
  llvm.unreachable
}

// -----

// expected-note @+1 {{the kernel's results}}
task.kernel @k(%x: tensor<8xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{expected types ('tensor<4xf32>'), but got ('tensor<8xf32>')}}
  task.yield %x : tensor<8xf32>
}

// -----

// expected-error @+1 {{expected at least 1 device, but got 0}}
task.graph @main devices 0 {}

// -----

// expected-note @+1 {{the graph has the devices}}
task.graph @main devices 1 {
  // expected-error @+1 {{expected a device below 1, but got dev 1}}
  %x = task.input "x" [8] offsets [0] sizes [8] : !task.tile<8xf32, dev 1>
}

// -----

task.graph @main devices 1 {
  // expected-error @+1 {{expected only task operations in a task.graph}}
  %c = arith.constant 1 : index
}

// -----

task.graph @main devices 1 {
  // expected-error @+1 {{expected a name, but got an empty string}}
  %x = task.input "" [8] offsets [0] sizes [8] : !task.tile<8xf32, dev 0>
}

// -----

task.graph @main devices 1 {
  // expected-error @+1 {{expected 1 offsets, but got 2}}
  %x = task.input "x" [8] offsets [0, 0] sizes [8] : !task.tile<8xf32, dev 0>
}

// -----

task.graph @main devices 1 {
  // expected-error @+1 {{expected 1 sizes, but got 0}}
  %x = task.parameter "x" [8] offsets [0] sizes [] : !task.tile<8xf32, dev 0>
}

// -----

task.graph @main devices 1 {
  // expected-error @+1 {{expected dimension 0 of the shape to be at least 1, but got 0}}
  %x = task.parameter "x" [0] offsets [0] sizes [8] : !task.tile<8xf32, dev 0>
}

// -----

task.graph @main devices 1 {
  // expected-error @+1 {{expected dimension 0 of the sizes to be at least 1, but got 0}}
  %x = task.parameter "x" [8] offsets [0] sizes [0] : !task.tile<8xf32, dev 0>
}

// -----

task.graph @main devices 1 {
  // expected-error @+1 {{expected a slice within 0 to 8 in dimension 0, but got offset 4 and size 5}}
  %x = task.parameter "x" [8] offsets [4] sizes [5] : !task.tile<5xf32, dev 0>
}

// -----

task.graph @main devices 1 {
  // expected-error @+1 {{expected a tensor of less than 2^63 bytes}}
  %x = task.parameter "x" [4294967296, 4294967296] offsets [0, 0] sizes [1, 1] : !task.tile<1x1xf32, dev 0>
}

// -----

task.graph @main devices 1 {
  // expected-error @+1 {{expected an outer shape with as many elements as [8], but got [9]}}
  %x = task.parameter "x" [8] of [9] offsets [0] sizes [8] : !task.tile<8xf32, dev 0>
}

// -----

task.graph @main devices 1 {
  // expected-error @+1 {{expected a tile of shape [8], but got [4]}}
  %x = task.parameter "x" [8] offsets [0] sizes [8] : !task.tile<4xf32, dev 0>
}

// -----

task.graph @main devices 1 {
  // expected-note @+1 {{the name is first used here}}
  %x = task.parameter "x" [8] offsets [0] sizes [8] : !task.tile<8xf32, dev 0>
  // expected-error @+1 {{expected the element type of "x" to be 'f32', but got 'i32'}}
  %y = task.parameter "x" [8] offsets [0] sizes [8] : !task.tile<8xi32, dev 0>
}

// -----

task.graph @main devices 1 {
  // expected-note @+1 {{the name is first used here}}
  %x = task.input "x" [8] offsets [0] sizes [8] : !task.tile<8xf32, dev 0>
  // expected-error @+1 {{expected the outer shape of "x" to be [8], but got [4]}}
  %y = task.input "x" [4] offsets [0] sizes [4] : !task.tile<4xf32, dev 0>
}

// -----

task.graph @main devices 1 {
  %x = task.input "x" [8] offsets [0] sizes [8] : !task.tile<8xf32, dev 0>
  %z = task.input "z" [8, 1] offsets [0, 0] sizes [8, 1] : !task.tile<8x1xf32, dev 0>
  // expected-note @+1 {{the name is first used here}}
  task.result %x "y" [16] offsets [0] sizes [8] : !task.tile<8xf32, dev 0>
  // expected-error @+1 {{expected the shape of "y" to be [16], but got [8, 2]}}
  task.result %z "y" [8, 2] of [16] offsets [0, 0] sizes [8, 1] : !task.tile<8x1xf32, dev 0>
}

// -----

task.graph @main devices 1 {
  %x = task.input "x" [2, 4] offsets [0, 0] sizes [2, 4] : !task.tile<2x4xf32, dev 0>
  // expected-note @+1 {{the other slice}}
  task.result %x "y" [4, 4] offsets [1, 0] sizes [2, 4] : !task.tile<2x4xf32, dev 0>
  // expected-error @+1 {{expected each element of "y" in one slice, but this one overlaps another}}
  task.result %x "y" [4, 4] offsets [2, 0] sizes [2, 4] : !task.tile<2x4xf32, dev 0>
}

// -----

task.graph @main devices 1 {
  %x = task.input "x" [] offsets [] sizes [] : !task.tile<f32, dev 0>
  // expected-note @+1 {{the other slice}}
  task.result %x "y" [] offsets [] sizes [] : !task.tile<f32, dev 0>
  // expected-error @+1 {{expected each element of "y" in one slice, but this one overlaps another}}
  task.result %x "y" [] offsets [] sizes [] : !task.tile<f32, dev 0>
}

// -----

task.graph @main devices 1 {
  %x = task.input "x" [2, 4] offsets [0, 0] sizes [2, 4] : !task.tile<2x4xf32, dev 0>
  // expected-error @+1 {{expected slices of all 16 elements of "y", but they cover 8}}
  task.result %x "y" [4, 4] offsets [1, 0] sizes [2, 4] : !task.tile<2x4xf32, dev 0>
}

// -----

task.graph @main devices 1 {
  %x = task.input "x" [8] offsets [0] sizes [8] : !task.tile<8xf32, host>
  // expected-error @+1 {{expected operand 0 on dev 0, but it is on host}}
  %y = task.call @k(%x) on dev 0 : (!task.tile<8xf32, host>) -> !task.tile<8xf32, dev 0>
}

// -----

task.graph @main devices 1 {
  %x = task.input "x" [8] offsets [0] sizes [8] : !task.tile<8xf32, host>
  // expected-error @+1 {{expected result 0 on host, but it is on dev 0}}
  %y = task.call @k(%x) on host : (!task.tile<8xf32, host>) -> !task.tile<8xf32, dev 0>
}

// -----

task.graph @main devices 1 {
  // expected-error @+1 {{expected a task.kernel named @k, but there is none}}
  %y = task.call @k() on host : () -> !task.tile<8xf32, host>
}

// -----

// expected-note @+1 {{the kernel is defined here}}
task.kernel @k(tensor<8xf32>) -> tensor<8xf32>
task.graph @main devices 1 {
  // expected-error @+1 {{expected 1 operands as kernel @k has, but got 0}}
  %y = task.call @k() on host : () -> !task.tile<8xf32, host>
}

// -----

// expected-note @+1 {{the kernel is defined here}}
task.kernel @k() -> tensor<8xf32>
task.graph @main devices 1 {
  // expected-error @+1 {{expected result 0 to be a tile of 'tensor<8xf32>' as in kernel @k, but got 'tensor<4xf32>'}}
  %y = task.call @k() on host : () -> !task.tile<4xf32, host>
}

// -----

// expected-note @+1 {{the kernel is defined here}}
task.kernel @k(index) -> tensor<8xf32>
task.graph @main devices 1 {
  // expected-error @+1 {{expected 1 scalars as kernel @k has, but got 2}}
  %y = task.call @k() scalars [1, 2] on host : () -> !task.tile<8xf32, host>
}

// -----

task.graph @main devices 1 {
  %x = task.input "x" [8] offsets [0] sizes [8] : !task.tile<8xf32, host>
  // expected-error @+1 {{expected source and result of one shape and element type, but got 'tensor<8xf32>' and 'tensor<4xf32>'}}
  %y = task.transfer %x : !task.tile<8xf32, host> to !task.tile<4xf32, dev 0>
}

// -----

task.graph @main devices 1 {
  %x = task.input "x" [8] offsets [0] sizes [8] : !task.tile<8xf32, host>
  // expected-error @+1 {{expected source and result at different places}}
  %y = task.transfer %x : !task.tile<8xf32, host> to !task.tile<8xf32, host>
}
