// RUN: turnip-opt %s -split-input-file -verify-diagnostics -mem-verify=require-code=true

// expected-error @+1 {{expected a mem.graph in the module}}
module {
}

// -----

// expected-error @+1 {{is not legal in the mem phase: expected only mem.machine, mem.graph, what it places, and task.kernel}}
func.func private @f()

// -----

// expected-error @+1 {{is not legal in the mem phase: expected a task.graph that a mem.graph places}}
task.graph @main devices 1 {
}

// -----

// expected-note @+1 {{the first machine}}
mem.machine {
}
// expected-error @+1 {{expected 1 mem.machine in the module, but got another}}
mem.machine {
}

// -----

// expected-error @+1 {{expected object code of kernel @f, but it has none}}
task.kernel @f(tensor<8xf32>) -> tensor<8xf32>

// -----

mem.machine {
}
mem.graph @main {
}
