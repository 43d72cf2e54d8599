// RUN: turnip-opt %s -split-input-file -verify-diagnostics -task-verify=require-code=true

// expected-error @+1 {{expected a task.graph in the module; partition-ein makes them of functions}}
module {
}

// -----

// expected-error @+1 {{is not legal in the task phase: expected only task.graph and task.kernel}}
func.func private @main()

// -----

// expected-error @+1 {{expected object code of kernel @f, but it has none}}
task.kernel @f(tensor<8xf32>) -> tensor<8xf32>

// -----

task.kernel @f(tensor<8xf32>) -> tensor<8xf32> objects [#task.object<triple = "t", features = [], format = "elf-so", symbol = "s", code = dense<1> : tensor<1xi8>>]
task.graph @main devices 1 {
}
