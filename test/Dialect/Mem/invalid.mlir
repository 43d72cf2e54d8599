// RUN: turnip-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{expected mem.producer or mem.options, but got mem.unknown}}
module attributes {mem.unknown = "x"} {
}

// -----

// expected-error @+1 {{expected mem.producer to be a string on a module, but got 3 : i64 on builtin.module}}
module attributes {mem.producer = 3} {
}

// -----

// expected-error @+1 {{expected mem.options to be a string on a module, but got "x" on func.func}}
func.func private @f() attributes {mem.options = "x"}

// -----

// expected-error @+1 {{expected an offset of at least 0, but got -1}}
func.func private @f() attributes {a = #mem.range<@host[-1 + 4]>}

// -----

// expected-error @+1 {{expected at least 1 byte, but got 0}}
func.func private @f() attributes {a = #mem.range<@host[0 + 0]>}

// -----

// expected-error @+1 {{expected a range that ends below 2^63, but got 9223372036854775807 + 1}}
func.func private @f() attributes {a = #mem.range<@host[9223372036854775807 + 1]>}

// -----

// expected-error @+1 {{expected a value below v4294967295, but got v4294967295}}
func.func private @f() attributes {a = #mem.range<v4294967295 @host[0 + 1]>}

// -----

// expected-error @+1 {{expected a value such as v3, but got w3}}
func.func private @f() attributes {a = #mem.range<w3 @host[0 + 1]>}

// -----

module {
// expected-error @+1 {{custom op 'mem.graph' expected smallest_caps to hold #mem.smallest_cap, but got 1 : i64}}
mem.graph @main statistics <peak_bytes = [], link_bytes = [], incoming_bytes_bound = 0, smallest_caps = [1], compute_bound = 0.0, transfer_bound = 0.0, critical_path = 0.0, makespan_bound = 0.0, predicted_makespan = 0.0, order = ""> {
}
}

// -----

module {
mem.machine {
  // expected-error @+1 {{expected a capacity of at least 0, but got -1}}
  mem.memory @m host capacity -1 alignment 64
}
}

// -----

module {
mem.machine {
  // expected-error @+1 {{expected an alignment that is a power of 2, but got 48}}
  mem.memory @m host capacity 64 alignment 48
}
}

// -----

module {
mem.machine {
  // expected-error @+1 {{expected a memory of parameters to be readonly}}
  mem.memory @m parameters capacity 64 alignment 64
}
}

// -----

module {
mem.machine {
  mem.memory @dev0 device capacity 320 alignment 64
  mem.memory @host host capacity 256 alignment 64
  mem.memory @params parameters capacity 128 alignment 64 readonly
  // expected-error @+1 {{expected a backing memory of an accelerator, and none of a host device}}
  mem.device "dev0" accelerator memory @dev0
  mem.device "host" host memory @host
  mem.link @params to @dev0 channel 0
  mem.link @host to @dev0 channel 0
  mem.link @dev0 to @host channel 1
}
task.kernel @f(tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> workspace 64 inplace(0 -> 0)
task.kernel @s(tensor<16xf32>, index) -> tensor<16xf32>
mem.graph @main {
  mem.parameter "w" [16] offsets [0] sizes [16] : f32 at v1 @params[0 + 64]
  mem.input "x" [16] offsets [0] sizes [16] : f32 at v0 @host[0 + 64]
  %0 = mem.copy load v0 @host[0 + 64] to @dev0[0 + 64]
  %1 = mem.copy load v1 @params[0 + 64] to @dev0[64 + 64]
  %2 = mem.call @f task 0 on "dev0" reads(v0 @dev0[0 + 64], v1 @dev0[64 + 64]) writes(v2 @dev0[0 + 64]) workspace(@dev0[128 + 64]) after(%0, %1)
  %3 = mem.copy offload v2 @dev0[0 + 64] to @host[64 + 64] after(%2)
  %4 = mem.copy reload v0 @host[0 + 64] to @dev0[0 + 64] memory(%3)
  %5 = mem.copy reload v2 @host[64 + 64] to @dev0[192 + 64] after(%3)
  %6 = mem.call @f task 1 on "dev0" reads(v0 @dev0[0 + 64], v2 @dev0[192 + 64]) writes(v3 @dev0[256 + 64]) workspace(@dev0[64 + 64]) after(%4, %5) memory(%2)
  %7 = mem.copy result v3 @dev0[256 + 64] to @host[128 + 64] after(%6)
  mem.result "y" [16] offsets [0] sizes [16] : f32 at v3 @host[128 + 64]
}
}

// -----

module {
mem.machine {
  mem.memory @dev0 device capacity 320 alignment 64
  mem.memory @host host capacity 256 alignment 64
  mem.memory @params parameters capacity 128 alignment 64 readonly
  mem.device "dev0" accelerator memory @dev0 backing @host
  // expected-error @+1 {{expected a backing memory of an accelerator, and none of a host device}}
  mem.device "host" host memory @host backing @host
  mem.link @params to @dev0 channel 0
  mem.link @host to @dev0 channel 0
  mem.link @dev0 to @host channel 1
}
task.kernel @f(tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> workspace 64 inplace(0 -> 0)
task.kernel @s(tensor<16xf32>, index) -> tensor<16xf32>
mem.graph @main {
  mem.parameter "w" [16] offsets [0] sizes [16] : f32 at v1 @params[0 + 64]
  mem.input "x" [16] offsets [0] sizes [16] : f32 at v0 @host[0 + 64]
  %0 = mem.copy load v0 @host[0 + 64] to @dev0[0 + 64]
  %1 = mem.copy load v1 @params[0 + 64] to @dev0[64 + 64]
  %2 = mem.call @f task 0 on "dev0" reads(v0 @dev0[0 + 64], v1 @dev0[64 + 64]) writes(v2 @dev0[0 + 64]) workspace(@dev0[128 + 64]) after(%0, %1)
  %3 = mem.copy offload v2 @dev0[0 + 64] to @host[64 + 64] after(%2)
  %4 = mem.copy reload v0 @host[0 + 64] to @dev0[0 + 64] memory(%3)
  %5 = mem.copy reload v2 @host[64 + 64] to @dev0[192 + 64] after(%3)
  %6 = mem.call @f task 1 on "dev0" reads(v0 @dev0[0 + 64], v2 @dev0[192 + 64]) writes(v3 @dev0[256 + 64]) workspace(@dev0[64 + 64]) after(%4, %5) memory(%2)
  %7 = mem.copy result v3 @dev0[256 + 64] to @host[128 + 64] after(%6)
  mem.result "y" [16] offsets [0] sizes [16] : f32 at v3 @host[128 + 64]
}
}

// -----

module {
mem.machine {
  mem.memory @dev0 device capacity 320 alignment 64
  mem.memory @host host capacity 256 alignment 64
  mem.memory @params parameters capacity 128 alignment 64 readonly
  mem.device "dev0" accelerator memory @dev0 backing @host
  mem.device "host" host memory @host
  // expected-error @+1 {{expected a channel below 4294967295, but got -1}}
  mem.link @params to @dev0 channel -1
  mem.link @host to @dev0 channel 0
  mem.link @dev0 to @host channel 1
}
task.kernel @f(tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> workspace 64 inplace(0 -> 0)
task.kernel @s(tensor<16xf32>, index) -> tensor<16xf32>
mem.graph @main {
  mem.parameter "w" [16] offsets [0] sizes [16] : f32 at v1 @params[0 + 64]
  mem.input "x" [16] offsets [0] sizes [16] : f32 at v0 @host[0 + 64]
  %0 = mem.copy load v0 @host[0 + 64] to @dev0[0 + 64]
  %1 = mem.copy load v1 @params[0 + 64] to @dev0[64 + 64]
  %2 = mem.call @f task 0 on "dev0" reads(v0 @dev0[0 + 64], v1 @dev0[64 + 64]) writes(v2 @dev0[0 + 64]) workspace(@dev0[128 + 64]) after(%0, %1)
  %3 = mem.copy offload v2 @dev0[0 + 64] to @host[64 + 64] after(%2)
  %4 = mem.copy reload v0 @host[0 + 64] to @dev0[0 + 64] memory(%3)
  %5 = mem.copy reload v2 @host[64 + 64] to @dev0[192 + 64] after(%3)
  %6 = mem.call @f task 1 on "dev0" reads(v0 @dev0[0 + 64], v2 @dev0[192 + 64]) writes(v3 @dev0[256 + 64]) workspace(@dev0[64 + 64]) after(%4, %5) memory(%2)
  %7 = mem.copy result v3 @dev0[256 + 64] to @host[128 + 64] after(%6)
  mem.result "y" [16] offsets [0] sizes [16] : f32 at v3 @host[128 + 64]
}
}

// -----

module {
mem.machine {
  mem.memory @dev0 device capacity 320 alignment 64
  mem.memory @host host capacity 256 alignment 64
  mem.memory @params parameters capacity 128 alignment 64 readonly
  mem.device "dev0" accelerator memory @dev0 backing @host
  mem.device "host" host memory @host
  // expected-error @+1 {{expected bandwidth and latency of at least 0, but got -1.000000e+00 and 0.000000e+00}}
  mem.link @params to @dev0 channel 0 bandwidth -1.0
  mem.link @host to @dev0 channel 0
  mem.link @dev0 to @host channel 1
}
task.kernel @f(tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> workspace 64 inplace(0 -> 0)
task.kernel @s(tensor<16xf32>, index) -> tensor<16xf32>
mem.graph @main {
  mem.parameter "w" [16] offsets [0] sizes [16] : f32 at v1 @params[0 + 64]
  mem.input "x" [16] offsets [0] sizes [16] : f32 at v0 @host[0 + 64]
  %0 = mem.copy load v0 @host[0 + 64] to @dev0[0 + 64]
  %1 = mem.copy load v1 @params[0 + 64] to @dev0[64 + 64]
  %2 = mem.call @f task 0 on "dev0" reads(v0 @dev0[0 + 64], v1 @dev0[64 + 64]) writes(v2 @dev0[0 + 64]) workspace(@dev0[128 + 64]) after(%0, %1)
  %3 = mem.copy offload v2 @dev0[0 + 64] to @host[64 + 64] after(%2)
  %4 = mem.copy reload v0 @host[0 + 64] to @dev0[0 + 64] memory(%3)
  %5 = mem.copy reload v2 @host[64 + 64] to @dev0[192 + 64] after(%3)
  %6 = mem.call @f task 1 on "dev0" reads(v0 @dev0[0 + 64], v2 @dev0[192 + 64]) writes(v3 @dev0[256 + 64]) workspace(@dev0[64 + 64]) after(%4, %5) memory(%2)
  %7 = mem.copy result v3 @dev0[256 + 64] to @host[128 + 64] after(%6)
  mem.result "y" [16] offsets [0] sizes [16] : f32 at v3 @host[128 + 64]
}
}

// -----

module {
mem.machine {
  mem.memory @dev0 device capacity 320 alignment 64
  mem.memory @host host capacity 256 alignment 64
  mem.memory @params parameters capacity 128 alignment 64 readonly
  mem.device "dev0" accelerator memory @dev0 backing @host
  mem.device "host" host memory @host
  // expected-error @+1 {{expected source to be a memory of the machine, but there is no @nothing}}
  mem.link @nothing to @dev0 channel 0
  mem.link @host to @dev0 channel 0
  mem.link @dev0 to @host channel 1
}
task.kernel @f(tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> workspace 64 inplace(0 -> 0)
task.kernel @s(tensor<16xf32>, index) -> tensor<16xf32>
mem.graph @main {
  mem.parameter "w" [16] offsets [0] sizes [16] : f32 at v1 @params[0 + 64]
  mem.input "x" [16] offsets [0] sizes [16] : f32 at v0 @host[0 + 64]
  %0 = mem.copy load v0 @host[0 + 64] to @dev0[0 + 64]
  %1 = mem.copy load v1 @params[0 + 64] to @dev0[64 + 64]
  %2 = mem.call @f task 0 on "dev0" reads(v0 @dev0[0 + 64], v1 @dev0[64 + 64]) writes(v2 @dev0[0 + 64]) workspace(@dev0[128 + 64]) after(%0, %1)
  %3 = mem.copy offload v2 @dev0[0 + 64] to @host[64 + 64] after(%2)
  %4 = mem.copy reload v0 @host[0 + 64] to @dev0[0 + 64] memory(%3)
  %5 = mem.copy reload v2 @host[64 + 64] to @dev0[192 + 64] after(%3)
  %6 = mem.call @f task 1 on "dev0" reads(v0 @dev0[0 + 64], v2 @dev0[192 + 64]) writes(v3 @dev0[256 + 64]) workspace(@dev0[64 + 64]) after(%4, %5) memory(%2)
  %7 = mem.copy result v3 @dev0[256 + 64] to @host[128 + 64] after(%6)
  mem.result "y" [16] offsets [0] sizes [16] : f32 at v3 @host[128 + 64]
}
}

// -----

module {
mem.machine {
  mem.memory @dev0 device capacity 320 alignment 64
  mem.memory @host host capacity 256 alignment 64
  // expected-note @+1 {{the memory is defined here}}
  mem.memory @params parameters capacity 128 alignment 64 readonly
  // expected-error @+1 {{expected backing @params to be of kind host, but it is of kind parameters}}
  mem.device "dev0" accelerator memory @dev0 backing @params
  mem.device "host" host memory @host
  mem.link @params to @dev0 channel 0
  mem.link @host to @dev0 channel 0
  mem.link @dev0 to @host channel 1
}
task.kernel @f(tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> workspace 64 inplace(0 -> 0)
task.kernel @s(tensor<16xf32>, index) -> tensor<16xf32>
mem.graph @main {
  mem.parameter "w" [16] offsets [0] sizes [16] : f32 at v1 @params[0 + 64]
  mem.input "x" [16] offsets [0] sizes [16] : f32 at v0 @host[0 + 64]
  %0 = mem.copy load v0 @host[0 + 64] to @dev0[0 + 64]
  %1 = mem.copy load v1 @params[0 + 64] to @dev0[64 + 64]
  %2 = mem.call @f task 0 on "dev0" reads(v0 @dev0[0 + 64], v1 @dev0[64 + 64]) writes(v2 @dev0[0 + 64]) workspace(@dev0[128 + 64]) after(%0, %1)
  %3 = mem.copy offload v2 @dev0[0 + 64] to @host[64 + 64] after(%2)
  %4 = mem.copy reload v0 @host[0 + 64] to @dev0[0 + 64] memory(%3)
  %5 = mem.copy reload v2 @host[64 + 64] to @dev0[192 + 64] after(%3)
  %6 = mem.call @f task 1 on "dev0" reads(v0 @dev0[0 + 64], v2 @dev0[192 + 64]) writes(v3 @dev0[256 + 64]) workspace(@dev0[64 + 64]) after(%4, %5) memory(%2)
  %7 = mem.copy result v3 @dev0[256 + 64] to @host[128 + 64] after(%6)
  mem.result "y" [16] offsets [0] sizes [16] : f32 at v3 @host[128 + 64]
}
}

// -----

module {
mem.machine {
  // expected-note @+1 {{the memory is defined here}}
  mem.memory @dev0 device capacity 320 alignment 64
  mem.memory @host host capacity 256 alignment 64
  mem.memory @params parameters capacity 128 alignment 64 readonly
  mem.device "dev0" accelerator memory @dev0 backing @host
  // expected-error @+1 {{expected memory @dev0 to be of kind host, but it is of kind device}}
  mem.device "host" host memory @dev0
  mem.link @params to @dev0 channel 0
  mem.link @host to @dev0 channel 0
  mem.link @dev0 to @host channel 1
}
task.kernel @f(tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> workspace 64 inplace(0 -> 0)
task.kernel @s(tensor<16xf32>, index) -> tensor<16xf32>
mem.graph @main {
  mem.parameter "w" [16] offsets [0] sizes [16] : f32 at v1 @params[0 + 64]
  mem.input "x" [16] offsets [0] sizes [16] : f32 at v0 @host[0 + 64]
  %0 = mem.copy load v0 @host[0 + 64] to @dev0[0 + 64]
  %1 = mem.copy load v1 @params[0 + 64] to @dev0[64 + 64]
  %2 = mem.call @f task 0 on "dev0" reads(v0 @dev0[0 + 64], v1 @dev0[64 + 64]) writes(v2 @dev0[0 + 64]) workspace(@dev0[128 + 64]) after(%0, %1)
  %3 = mem.copy offload v2 @dev0[0 + 64] to @host[64 + 64] after(%2)
  %4 = mem.copy reload v0 @host[0 + 64] to @dev0[0 + 64] memory(%3)
  %5 = mem.copy reload v2 @host[64 + 64] to @dev0[192 + 64] after(%3)
  %6 = mem.call @f task 1 on "dev0" reads(v0 @dev0[0 + 64], v2 @dev0[192 + 64]) writes(v3 @dev0[256 + 64]) workspace(@dev0[64 + 64]) after(%4, %5) memory(%2)
  %7 = mem.copy result v3 @dev0[256 + 64] to @host[128 + 64] after(%6)
  mem.result "y" [16] offsets [0] sizes [16] : f32 at v3 @host[128 + 64]
}
}

// -----

module {
mem.machine {
  mem.memory @dev0 device capacity 320 alignment 64
  mem.memory @host host capacity 256 alignment 64
  mem.memory @params parameters capacity 128 alignment 64 readonly
  // expected-note @+1 {{the other device}}
  mem.device "dev0" accelerator memory @dev0 backing @host
  // expected-error @+1 {{expected devices of different names, but got "dev0" again}}
  mem.device "dev0" host memory @host
  mem.link @params to @dev0 channel 0
  mem.link @host to @dev0 channel 0
  mem.link @dev0 to @host channel 1
}
task.kernel @f(tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> workspace 64 inplace(0 -> 0)
task.kernel @s(tensor<16xf32>, index) -> tensor<16xf32>
mem.graph @main {
  mem.parameter "w" [16] offsets [0] sizes [16] : f32 at v1 @params[0 + 64]
  mem.input "x" [16] offsets [0] sizes [16] : f32 at v0 @host[0 + 64]
  %0 = mem.copy load v0 @host[0 + 64] to @dev0[0 + 64]
  %1 = mem.copy load v1 @params[0 + 64] to @dev0[64 + 64]
  %2 = mem.call @f task 0 on "dev0" reads(v0 @dev0[0 + 64], v1 @dev0[64 + 64]) writes(v2 @dev0[0 + 64]) workspace(@dev0[128 + 64]) after(%0, %1)
  %3 = mem.copy offload v2 @dev0[0 + 64] to @host[64 + 64] after(%2)
  %4 = mem.copy reload v0 @host[0 + 64] to @dev0[0 + 64] memory(%3)
  %5 = mem.copy reload v2 @host[64 + 64] to @dev0[192 + 64] after(%3)
  %6 = mem.call @f task 1 on "dev0" reads(v0 @dev0[0 + 64], v2 @dev0[192 + 64]) writes(v3 @dev0[256 + 64]) workspace(@dev0[64 + 64]) after(%4, %5) memory(%2)
  %7 = mem.copy result v3 @dev0[256 + 64] to @host[128 + 64] after(%6)
  mem.result "y" [16] offsets [0] sizes [16] : f32 at v3 @host[128 + 64]
}
}

// -----

module {
mem.machine {
  // expected-error @+1 {{expected only memories, devices and links in a mem.machine}}
  %c = arith.constant 1 : index
}
}

// -----

module {
mem.machine {
  mem.memory @dev0 device capacity 320 alignment 64
  mem.memory @host host capacity 256 alignment 64
  mem.memory @params parameters capacity 128 alignment 64 readonly
  mem.device "dev0" accelerator memory @dev0 backing @host
  mem.device "host" host memory @host
  mem.link @params to @dev0 channel 0
  mem.link @host to @dev0 channel 0
  mem.link @dev0 to @host channel 1
}
task.kernel @f(tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> workspace 64 inplace(0 -> 0)
task.kernel @s(tensor<16xf32>, index) -> tensor<16xf32>
mem.graph @main {
  mem.parameter "w" [16] offsets [0] sizes [16] : f32 at v1 @params[0 + 64]
  mem.input "x" [16] offsets [0] sizes [16] : f32 at v0 @host[0 + 64]
  // expected-error @+1 {{expected a minimum of at most 2, but got 3}}
  mem.argument "p" from 3 to 2
  %0 = mem.copy load v0 @host[0 + 64] to @dev0[0 + 64]
  %1 = mem.copy load v1 @params[0 + 64] to @dev0[64 + 64]
  %2 = mem.call @f task 0 on "dev0" reads(v0 @dev0[0 + 64], v1 @dev0[64 + 64]) writes(v2 @dev0[0 + 64]) workspace(@dev0[128 + 64]) after(%0, %1)
  %3 = mem.copy offload v2 @dev0[0 + 64] to @host[64 + 64] after(%2)
  %4 = mem.copy reload v0 @host[0 + 64] to @dev0[0 + 64] memory(%3)
  %5 = mem.copy reload v2 @host[64 + 64] to @dev0[192 + 64] after(%3)
  %6 = mem.call @f task 1 on "dev0" reads(v0 @dev0[0 + 64], v2 @dev0[192 + 64]) writes(v3 @dev0[256 + 64]) workspace(@dev0[64 + 64]) after(%4, %5) memory(%2)
  %7 = mem.copy result v3 @dev0[256 + 64] to @host[128 + 64] after(%6)
  mem.result "y" [16] offsets [0] sizes [16] : f32 at v3 @host[128 + 64]
}
}

// -----

module {
mem.machine {
  mem.memory @dev0 device capacity 320 alignment 64
  mem.memory @host host capacity 256 alignment 64
  mem.memory @params parameters capacity 128 alignment 64 readonly
  mem.device "dev0" accelerator memory @dev0 backing @host
  mem.device "host" host memory @host
  mem.link @params to @dev0 channel 0
  mem.link @host to @dev0 channel 0
  mem.link @dev0 to @host channel 1
}
task.kernel @f(tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> workspace 64 inplace(0 -> 0)
task.kernel @s(tensor<16xf32>, index) -> tensor<16xf32>
mem.graph @main {
  // expected-error @+1 {{expected element type f32, f16, bf16, i8, i32, i64 or i1, but got 'f64'}}
  mem.parameter "w" [16] offsets [0] sizes [16] : f64 at v1 @params[0 + 64]
  mem.input "x" [16] offsets [0] sizes [16] : f32 at v0 @host[0 + 64]
  %0 = mem.copy load v0 @host[0 + 64] to @dev0[0 + 64]
  %1 = mem.copy load v1 @params[0 + 64] to @dev0[64 + 64]
  %2 = mem.call @f task 0 on "dev0" reads(v0 @dev0[0 + 64], v1 @dev0[64 + 64]) writes(v2 @dev0[0 + 64]) workspace(@dev0[128 + 64]) after(%0, %1)
  %3 = mem.copy offload v2 @dev0[0 + 64] to @host[64 + 64] after(%2)
  %4 = mem.copy reload v0 @host[0 + 64] to @dev0[0 + 64] memory(%3)
  %5 = mem.copy reload v2 @host[64 + 64] to @dev0[192 + 64] after(%3)
  %6 = mem.call @f task 1 on "dev0" reads(v0 @dev0[0 + 64], v2 @dev0[192 + 64]) writes(v3 @dev0[256 + 64]) workspace(@dev0[64 + 64]) after(%4, %5) memory(%2)
  %7 = mem.copy result v3 @dev0[256 + 64] to @host[128 + 64] after(%6)
  mem.result "y" [16] offsets [0] sizes [16] : f32 at v3 @host[128 + 64]
}
}

// -----

module {
mem.machine {
  mem.memory @dev0 device capacity 320 alignment 64
  mem.memory @host host capacity 256 alignment 64
  mem.memory @params parameters capacity 128 alignment 64 readonly
  mem.device "dev0" accelerator memory @dev0 backing @host
  mem.device "host" host memory @host
  mem.link @params to @dev0 channel 0
  mem.link @host to @dev0 channel 0
  mem.link @dev0 to @host channel 1
}
task.kernel @f(tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> workspace 64 inplace(0 -> 0)
task.kernel @s(tensor<16xf32>, index) -> tensor<16xf32>
mem.graph @main {
  // expected-error @+1 {{expected a range of 64 bytes, but got 32}}
  mem.parameter "w" [16] offsets [0] sizes [16] : f32 at v1 @params[0 + 32]
  mem.input "x" [16] offsets [0] sizes [16] : f32 at v0 @host[0 + 64]
  %0 = mem.copy load v0 @host[0 + 64] to @dev0[0 + 64]
  %1 = mem.copy load v1 @params[0 + 64] to @dev0[64 + 64]
  %2 = mem.call @f task 0 on "dev0" reads(v0 @dev0[0 + 64], v1 @dev0[64 + 64]) writes(v2 @dev0[0 + 64]) workspace(@dev0[128 + 64]) after(%0, %1)
  %3 = mem.copy offload v2 @dev0[0 + 64] to @host[64 + 64] after(%2)
  %4 = mem.copy reload v0 @host[0 + 64] to @dev0[0 + 64] memory(%3)
  %5 = mem.copy reload v2 @host[64 + 64] to @dev0[192 + 64] after(%3)
  %6 = mem.call @f task 1 on "dev0" reads(v0 @dev0[0 + 64], v2 @dev0[192 + 64]) writes(v3 @dev0[256 + 64]) workspace(@dev0[64 + 64]) after(%4, %5) memory(%2)
  %7 = mem.copy result v3 @dev0[256 + 64] to @host[128 + 64] after(%6)
  mem.result "y" [16] offsets [0] sizes [16] : f32 at v3 @host[128 + 64]
}
}

// -----

module {
mem.machine {
  mem.memory @dev0 device capacity 320 alignment 64
  mem.memory @host host capacity 256 alignment 64
  mem.memory @params parameters capacity 128 alignment 64 readonly
  mem.device "dev0" accelerator memory @dev0 backing @host
  mem.device "host" host memory @host
  mem.link @params to @dev0 channel 0
  mem.link @host to @dev0 channel 0
  mem.link @dev0 to @host channel 1
}
task.kernel @f(tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> workspace 64 inplace(0 -> 0)
task.kernel @s(tensor<16xf32>, index) -> tensor<16xf32>
mem.graph @main {
  // expected-error @+1 {{expected a range with a value}}
  mem.parameter "w" [16] offsets [0] sizes [16] : f32 at @params[0 + 64]
  mem.input "x" [16] offsets [0] sizes [16] : f32 at v0 @host[0 + 64]
  %0 = mem.copy load v0 @host[0 + 64] to @dev0[0 + 64]
  %1 = mem.copy load v1 @params[0 + 64] to @dev0[64 + 64]
  %2 = mem.call @f task 0 on "dev0" reads(v0 @dev0[0 + 64], v1 @dev0[64 + 64]) writes(v2 @dev0[0 + 64]) workspace(@dev0[128 + 64]) after(%0, %1)
  %3 = mem.copy offload v2 @dev0[0 + 64] to @host[64 + 64] after(%2)
  %4 = mem.copy reload v0 @host[0 + 64] to @dev0[0 + 64] memory(%3)
  %5 = mem.copy reload v2 @host[64 + 64] to @dev0[192 + 64] after(%3)
  %6 = mem.call @f task 1 on "dev0" reads(v0 @dev0[0 + 64], v2 @dev0[192 + 64]) writes(v3 @dev0[256 + 64]) workspace(@dev0[64 + 64]) after(%4, %5) memory(%2)
  %7 = mem.copy result v3 @dev0[256 + 64] to @host[128 + 64] after(%6)
  mem.result "y" [16] offsets [0] sizes [16] : f32 at v3 @host[128 + 64]
}
}

// -----

module {
mem.machine {
  mem.memory @dev0 device capacity 320 alignment 64
  mem.memory @host host capacity 256 alignment 64
  mem.memory @params parameters capacity 128 alignment 64 readonly
  mem.device "dev0" accelerator memory @dev0 backing @host
  mem.device "host" host memory @host
  mem.link @params to @dev0 channel 0
  mem.link @host to @dev0 channel 0
  mem.link @dev0 to @host channel 1
}
task.kernel @f(tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> workspace 64 inplace(0 -> 0)
task.kernel @s(tensor<16xf32>, index) -> tensor<16xf32>
mem.graph @main {
  mem.parameter "w" [16] offsets [0] sizes [16] : f32 at v1 @params[0 + 64]
  // expected-error @+1 {{expected a slice within 0 to 16 in dimension 0, but got offset 0 and size 17}}
  mem.input "x" [16] offsets [0] sizes [17] : f32 at v0 @host[0 + 64]
  %0 = mem.copy load v0 @host[0 + 64] to @dev0[0 + 64]
  %1 = mem.copy load v1 @params[0 + 64] to @dev0[64 + 64]
  %2 = mem.call @f task 0 on "dev0" reads(v0 @dev0[0 + 64], v1 @dev0[64 + 64]) writes(v2 @dev0[0 + 64]) workspace(@dev0[128 + 64]) after(%0, %1)
  %3 = mem.copy offload v2 @dev0[0 + 64] to @host[64 + 64] after(%2)
  %4 = mem.copy reload v0 @host[0 + 64] to @dev0[0 + 64] memory(%3)
  %5 = mem.copy reload v2 @host[64 + 64] to @dev0[192 + 64] after(%3)
  %6 = mem.call @f task 1 on "dev0" reads(v0 @dev0[0 + 64], v2 @dev0[192 + 64]) writes(v3 @dev0[256 + 64]) workspace(@dev0[64 + 64]) after(%4, %5) memory(%2)
  %7 = mem.copy result v3 @dev0[256 + 64] to @host[128 + 64] after(%6)
  mem.result "y" [16] offsets [0] sizes [16] : f32 at v3 @host[128 + 64]
}
}

// -----

module {
mem.machine {
  mem.memory @dev0 device capacity 320 alignment 64
  mem.memory @host host capacity 256 alignment 64
  mem.memory @params parameters capacity 128 alignment 64 readonly
  mem.device "dev0" accelerator memory @dev0 backing @host
  mem.device "host" host memory @host
  mem.link @params to @dev0 channel 0
  mem.link @host to @dev0 channel 0
  mem.link @dev0 to @host channel 1
}
task.kernel @f(tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> workspace 64 inplace(0 -> 0)
task.kernel @s(tensor<16xf32>, index) -> tensor<16xf32>
mem.graph @main {
  mem.parameter "w" [16] offsets [0] sizes [16] : f32 at v1 @params[0 + 64]
  mem.input "x" [16] offsets [0] sizes [16] : f32 at v0 @host[0 + 64]
  %0 = mem.copy load v0 @host[0 + 64] to @dev0[0 + 64]
  %1 = mem.copy load v1 @params[0 + 64] to @dev0[64 + 64]
  // expected-error @+1 {{expected reads and writes with values}}
  %2 = mem.call @f task 0 on "dev0" reads(v0 @dev0[0 + 64], v1 @dev0[64 + 64]) writes(@dev0[0 + 64]) workspace(@dev0[128 + 64]) after(%0, %1)
  %3 = mem.copy offload v2 @dev0[0 + 64] to @host[64 + 64] after(%2)
  %4 = mem.copy reload v0 @host[0 + 64] to @dev0[0 + 64] memory(%3)
  %5 = mem.copy reload v2 @host[64 + 64] to @dev0[192 + 64] after(%3)
  %6 = mem.call @f task 1 on "dev0" reads(v0 @dev0[0 + 64], v2 @dev0[192 + 64]) writes(v3 @dev0[256 + 64]) workspace(@dev0[64 + 64]) after(%4, %5) memory(%2)
  %7 = mem.copy result v3 @dev0[256 + 64] to @host[128 + 64] after(%6)
  mem.result "y" [16] offsets [0] sizes [16] : f32 at v3 @host[128 + 64]
}
}

// -----

module {
mem.machine {
  mem.memory @dev0 device capacity 320 alignment 64
  mem.memory @host host capacity 256 alignment 64
  mem.memory @params parameters capacity 128 alignment 64 readonly
  mem.device "dev0" accelerator memory @dev0 backing @host
  mem.device "host" host memory @host
  mem.link @params to @dev0 channel 0
  mem.link @host to @dev0 channel 0
  mem.link @dev0 to @host channel 1
}
task.kernel @f(tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> workspace 64 inplace(0 -> 0)
task.kernel @s(tensor<16xf32>, index) -> tensor<16xf32>
mem.graph @main {
  mem.parameter "w" [16] offsets [0] sizes [16] : f32 at v1 @params[0 + 64]
  mem.input "x" [16] offsets [0] sizes [16] : f32 at v0 @host[0 + 64]
  %0 = mem.copy load v0 @host[0 + 64] to @dev0[0 + 64]
  %1 = mem.copy load v1 @params[0 + 64] to @dev0[64 + 64]
  // expected-error @+1 {{expected a workspace without a value, but got v4}}
  %2 = mem.call @f task 0 on "dev0" reads(v0 @dev0[0 + 64], v1 @dev0[64 + 64]) writes(v2 @dev0[0 + 64]) workspace(v4 @dev0[128 + 64]) after(%0, %1)
  %3 = mem.copy offload v2 @dev0[0 + 64] to @host[64 + 64] after(%2)
  %4 = mem.copy reload v0 @host[0 + 64] to @dev0[0 + 64] memory(%3)
  %5 = mem.copy reload v2 @host[64 + 64] to @dev0[192 + 64] after(%3)
  %6 = mem.call @f task 1 on "dev0" reads(v0 @dev0[0 + 64], v2 @dev0[192 + 64]) writes(v3 @dev0[256 + 64]) workspace(@dev0[64 + 64]) after(%4, %5) memory(%2)
  %7 = mem.copy result v3 @dev0[256 + 64] to @host[128 + 64] after(%6)
  mem.result "y" [16] offsets [0] sizes [16] : f32 at v3 @host[128 + 64]
}
}

// -----

module {
mem.machine {
  mem.memory @dev0 device capacity 320 alignment 64
  mem.memory @host host capacity 256 alignment 64
  mem.memory @params parameters capacity 128 alignment 64 readonly
  mem.device "dev0" accelerator memory @dev0 backing @host
  mem.device "host" host memory @host
  mem.link @params to @dev0 channel 0
  mem.link @host to @dev0 channel 0
  mem.link @dev0 to @host channel 1
}
task.kernel @f(tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> workspace 64 inplace(0 -> 0)
task.kernel @s(tensor<16xf32>, index) -> tensor<16xf32>
mem.graph @main {
  mem.parameter "w" [16] offsets [0] sizes [16] : f32 at v1 @params[0 + 64]
  mem.input "x" [16] offsets [0] sizes [16] : f32 at v0 @host[0 + 64]
  %0 = mem.copy load v0 @host[0 + 64] to @dev0[0 + 64]
  %1 = mem.copy load v1 @params[0 + 64] to @dev0[64 + 64]
  // expected-error @+1 {{expected a task below 4294967295, but got -1}}
  %2 = mem.call @f task -1 on "dev0" reads(v0 @dev0[0 + 64], v1 @dev0[64 + 64]) writes(v2 @dev0[0 + 64]) workspace(@dev0[128 + 64]) after(%0, %1)
  %3 = mem.copy offload v2 @dev0[0 + 64] to @host[64 + 64] after(%2)
  %4 = mem.copy reload v0 @host[0 + 64] to @dev0[0 + 64] memory(%3)
  %5 = mem.copy reload v2 @host[64 + 64] to @dev0[192 + 64] after(%3)
  %6 = mem.call @f task 1 on "dev0" reads(v0 @dev0[0 + 64], v2 @dev0[192 + 64]) writes(v3 @dev0[256 + 64]) workspace(@dev0[64 + 64]) after(%4, %5) memory(%2)
  %7 = mem.copy result v3 @dev0[256 + 64] to @host[128 + 64] after(%6)
  mem.result "y" [16] offsets [0] sizes [16] : f32 at v3 @host[128 + 64]
}
}

// -----

module {
mem.graph @main {
  // expected-error @+1 {{expected a task number before the task name}}
  %0 = "mem.copy"() <{role = #mem<copy_role load>, source = #mem.range<v0 @a[0 + 1]>, destination = #mem.range<v0 @a[0 + 1]>, task_name = "x", operandSegmentSizes = array<i32: 0, 0>}> : () -> !mem.token
}
}

// -----

module {
mem.machine {
  mem.memory @dev0 device capacity 320 alignment 64
  mem.memory @host host capacity 256 alignment 64
  mem.memory @params parameters capacity 128 alignment 64 readonly
  mem.device "dev0" accelerator memory @dev0 backing @host
  mem.device "host" host memory @host
  mem.link @params to @dev0 channel 0
  mem.link @host to @dev0 channel 0
  mem.link @dev0 to @host channel 1
}
task.kernel @f(tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> workspace 64 inplace(0 -> 0)
task.kernel @s(tensor<16xf32>, index) -> tensor<16xf32>
mem.graph @main {
  mem.parameter "w" [16] offsets [0] sizes [16] : f32 at v1 @params[0 + 64]
  mem.input "x" [16] offsets [0] sizes [16] : f32 at v0 @host[0 + 64]
  // expected-error @+1 {{expected a source with a value}}
  %0 = mem.copy load @host[0 + 64] to @dev0[0 + 64]
  %1 = mem.copy load v1 @params[0 + 64] to @dev0[64 + 64]
  %2 = mem.call @f task 0 on "dev0" reads(v0 @dev0[0 + 64], v1 @dev0[64 + 64]) writes(v2 @dev0[0 + 64]) workspace(@dev0[128 + 64]) after(%0, %1)
  %3 = mem.copy offload v2 @dev0[0 + 64] to @host[64 + 64] after(%2)
  %4 = mem.copy reload v0 @host[0 + 64] to @dev0[0 + 64] memory(%3)
  %5 = mem.copy reload v2 @host[64 + 64] to @dev0[192 + 64] after(%3)
  %6 = mem.call @f task 1 on "dev0" reads(v0 @dev0[0 + 64], v2 @dev0[192 + 64]) writes(v3 @dev0[256 + 64]) workspace(@dev0[64 + 64]) after(%4, %5) memory(%2)
  %7 = mem.copy result v3 @dev0[256 + 64] to @host[128 + 64] after(%6)
  mem.result "y" [16] offsets [0] sizes [16] : f32 at v3 @host[128 + 64]
}
}

// -----

module {
mem.graph @main {
  // expected-error @+1 {{expected a destination with a value}}
  %0 = "mem.copy"() <{role = #mem<copy_role load>, source = #mem.range<v0 @a[0 + 1]>, destination = #mem.range<@a[0 + 1]>, operandSegmentSizes = array<i32: 0, 0>}> : () -> !mem.token
}
}

// -----

module {
mem.machine {
  mem.memory @dev0 device capacity 320 alignment 64
  mem.memory @host host capacity 256 alignment 64
  mem.memory @params parameters capacity 128 alignment 64 readonly
  mem.device "dev0" accelerator memory @dev0 backing @host
  mem.device "host" host memory @host
  mem.link @params to @dev0 channel 0
  mem.link @host to @dev0 channel 0
  mem.link @dev0 to @host channel 1
}
task.kernel @f(tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> workspace 64 inplace(0 -> 0)
task.kernel @s(tensor<16xf32>, index) -> tensor<16xf32>
mem.graph @main {
  mem.parameter "w" [16] offsets [0] sizes [16] : f32 at v1 @params[0 + 64]
  mem.input "x" [16] offsets [0] sizes [16] : f32 at v0 @host[0 + 64]
  // expected-error @+1 {{custom op 'mem.copy' expected transfer, load, reload, offload, result or move, but got fetch}}
  %0 = mem.copy fetch v0 @host[0 + 64] to @dev0[0 + 64]
  %1 = mem.copy load v1 @params[0 + 64] to @dev0[64 + 64]
  %2 = mem.call @f task 0 on "dev0" reads(v0 @dev0[0 + 64], v1 @dev0[64 + 64]) writes(v2 @dev0[0 + 64]) workspace(@dev0[128 + 64]) after(%0, %1)
  %3 = mem.copy offload v2 @dev0[0 + 64] to @host[64 + 64] after(%2)
  %4 = mem.copy reload v0 @host[0 + 64] to @dev0[0 + 64] memory(%3)
  %5 = mem.copy reload v2 @host[64 + 64] to @dev0[192 + 64] after(%3)
  %6 = mem.call @f task 1 on "dev0" reads(v0 @dev0[0 + 64], v2 @dev0[192 + 64]) writes(v3 @dev0[256 + 64]) workspace(@dev0[64 + 64]) after(%4, %5) memory(%2)
  %7 = mem.copy result v3 @dev0[256 + 64] to @host[128 + 64] after(%6)
  mem.result "y" [16] offsets [0] sizes [16] : f32 at v3 @host[128 + 64]
}
}

// -----

module {
mem.machine {
  mem.memory @dev0 device capacity 320 alignment 64
  mem.memory @host host capacity 256 alignment 64
  mem.memory @params parameters capacity 128 alignment 64 readonly
  mem.device "dev0" accelerator memory @dev0 backing @host
  mem.device "host" host memory @host
  mem.link @params to @dev0 channel 0
  mem.link @host to @dev0 channel 0
  mem.link @dev0 to @host channel 1
}
task.kernel @f(tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> workspace 64 inplace(0 -> 0)
task.kernel @s(tensor<16xf32>, index) -> tensor<16xf32>
mem.graph @main {
  mem.parameter "w" [16] offsets [0] sizes [16] : f32 at v1 @params[0 + 64]
  mem.input "x" [16] offsets [0] sizes [16] : f32 at v0 @host[0 + 64]
  // expected-error @+1 {{expected only mem operations in a mem.graph}}
  %c = arith.constant 1 : index
  %0 = mem.copy load v0 @host[0 + 64] to @dev0[0 + 64]
  %1 = mem.copy load v1 @params[0 + 64] to @dev0[64 + 64]
  %2 = mem.call @f task 0 on "dev0" reads(v0 @dev0[0 + 64], v1 @dev0[64 + 64]) writes(v2 @dev0[0 + 64]) workspace(@dev0[128 + 64]) after(%0, %1)
  %3 = mem.copy offload v2 @dev0[0 + 64] to @host[64 + 64] after(%2)
  %4 = mem.copy reload v0 @host[0 + 64] to @dev0[0 + 64] memory(%3)
  %5 = mem.copy reload v2 @host[64 + 64] to @dev0[192 + 64] after(%3)
  %6 = mem.call @f task 1 on "dev0" reads(v0 @dev0[0 + 64], v2 @dev0[192 + 64]) writes(v3 @dev0[256 + 64]) workspace(@dev0[64 + 64]) after(%4, %5) memory(%2)
  %7 = mem.copy result v3 @dev0[256 + 64] to @host[128 + 64] after(%6)
  mem.result "y" [16] offsets [0] sizes [16] : f32 at v3 @host[128 + 64]
}
}

// -----

module {
// expected-error @+1 {{expected a mem.machine in the module}}
mem.graph @main {
}
}

// -----

module {
mem.machine {
  mem.memory @dev0 device capacity 320 alignment 64
  mem.memory @host host capacity 256 alignment 64
  mem.memory @params parameters capacity 128 alignment 64 readonly
  mem.device "dev0" accelerator memory @dev0 backing @host
  mem.device "host" host memory @host
  mem.link @params to @dev0 channel 0
  mem.link @host to @dev0 channel 0
  mem.link @dev0 to @host channel 1
}
task.kernel @f(tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> workspace 64 inplace(0 -> 0)
task.kernel @s(tensor<16xf32>, index) -> tensor<16xf32>
mem.graph @main {
  mem.parameter "w" [16] offsets [0] sizes [16] : f32 at v1 @params[0 + 64]
  // expected-error @+1 {{expected a memory of the machine, but there is no @nowhere}}
  mem.input "x" [16] offsets [0] sizes [16] : f32 at v0 @nowhere[0 + 64]
  %0 = mem.copy load v0 @host[0 + 64] to @dev0[0 + 64]
  %1 = mem.copy load v1 @params[0 + 64] to @dev0[64 + 64]
  %2 = mem.call @f task 0 on "dev0" reads(v0 @dev0[0 + 64], v1 @dev0[64 + 64]) writes(v2 @dev0[0 + 64]) workspace(@dev0[128 + 64]) after(%0, %1)
  %3 = mem.copy offload v2 @dev0[0 + 64] to @host[64 + 64] after(%2)
  %4 = mem.copy reload v0 @host[0 + 64] to @dev0[0 + 64] memory(%3)
  %5 = mem.copy reload v2 @host[64 + 64] to @dev0[192 + 64] after(%3)
  %6 = mem.call @f task 1 on "dev0" reads(v0 @dev0[0 + 64], v2 @dev0[192 + 64]) writes(v3 @dev0[256 + 64]) workspace(@dev0[64 + 64]) after(%4, %5) memory(%2)
  %7 = mem.copy result v3 @dev0[256 + 64] to @host[128 + 64] after(%6)
  mem.result "y" [16] offsets [0] sizes [16] : f32 at v3 @host[128 + 64]
}
}

// -----

module {
mem.machine {
  mem.memory @dev0 device capacity 320 alignment 64
  mem.memory @host host capacity 256 alignment 64
  mem.memory @params parameters capacity 128 alignment 64 readonly
  mem.device "dev0" accelerator memory @dev0 backing @host
  mem.device "host" host memory @host
  mem.link @params to @dev0 channel 0
  mem.link @host to @dev0 channel 0
  mem.link @dev0 to @host channel 1
}
task.kernel @f(tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> workspace 64 inplace(0 -> 0)
task.kernel @s(tensor<16xf32>, index) -> tensor<16xf32>
mem.graph @main {
  mem.parameter "w" [16] offsets [0] sizes [16] : f32 at v1 @params[0 + 64]
  // expected-error @+1 {{expected bytes in a memory of kind host, but @dev0 is of kind device}}
  mem.input "x" [16] offsets [0] sizes [16] : f32 at v0 @dev0[0 + 64]
  %0 = mem.copy load v0 @host[0 + 64] to @dev0[0 + 64]
  %1 = mem.copy load v1 @params[0 + 64] to @dev0[64 + 64]
  %2 = mem.call @f task 0 on "dev0" reads(v0 @dev0[0 + 64], v1 @dev0[64 + 64]) writes(v2 @dev0[0 + 64]) workspace(@dev0[128 + 64]) after(%0, %1)
  %3 = mem.copy offload v2 @dev0[0 + 64] to @host[64 + 64] after(%2)
  %4 = mem.copy reload v0 @host[0 + 64] to @dev0[0 + 64] memory(%3)
  %5 = mem.copy reload v2 @host[64 + 64] to @dev0[192 + 64] after(%3)
  %6 = mem.call @f task 1 on "dev0" reads(v0 @dev0[0 + 64], v2 @dev0[192 + 64]) writes(v3 @dev0[256 + 64]) workspace(@dev0[64 + 64]) after(%4, %5) memory(%2)
  %7 = mem.copy result v3 @dev0[256 + 64] to @host[128 + 64] after(%6)
  mem.result "y" [16] offsets [0] sizes [16] : f32 at v3 @host[128 + 64]
}
}

// -----

module {
mem.machine {
  mem.memory @dev0 device capacity 320 alignment 64
  mem.memory @host host capacity 256 alignment 64
  mem.memory @params parameters capacity 128 alignment 64 readonly
  mem.device "dev0" accelerator memory @dev0 backing @host
  mem.device "host" host memory @host
  mem.link @params to @dev0 channel 0
  mem.link @host to @dev0 channel 0
  mem.link @dev0 to @host channel 1
}
task.kernel @f(tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> workspace 64 inplace(0 -> 0)
task.kernel @s(tensor<16xf32>, index) -> tensor<16xf32>
mem.graph @main {
  mem.parameter "w" [16] offsets [0] sizes [16] : f32 at v1 @params[0 + 64]
  mem.input "x" [16] offsets [0] sizes [16] : f32 at v0 @host[0 + 64]
  %0 = mem.copy load v0 @host[0 + 64] to @dev0[0 + 64]
  %1 = mem.copy load v1 @params[0 + 64] to @dev0[64 + 64]
  // expected-error @+1 {{expected a task.kernel, but there is no @nothing}}
  %2 = mem.call @nothing task 0 on "dev0" reads(v0 @dev0[0 + 64], v1 @dev0[64 + 64]) writes(v2 @dev0[0 + 64]) workspace(@dev0[128 + 64]) after(%0, %1)
  %3 = mem.copy offload v2 @dev0[0 + 64] to @host[64 + 64] after(%2)
  %4 = mem.copy reload v0 @host[0 + 64] to @dev0[0 + 64] memory(%3)
  %5 = mem.copy reload v2 @host[64 + 64] to @dev0[192 + 64] after(%3)
  %6 = mem.call @f task 1 on "dev0" reads(v0 @dev0[0 + 64], v2 @dev0[192 + 64]) writes(v3 @dev0[256 + 64]) workspace(@dev0[64 + 64]) after(%4, %5) memory(%2)
  %7 = mem.copy result v3 @dev0[256 + 64] to @host[128 + 64] after(%6)
  mem.result "y" [16] offsets [0] sizes [16] : f32 at v3 @host[128 + 64]
}
}

// -----

module {
mem.machine {
  mem.memory @dev0 device capacity 320 alignment 64
  mem.memory @host host capacity 256 alignment 64
  mem.memory @params parameters capacity 128 alignment 64 readonly
  mem.device "dev0" accelerator memory @dev0 backing @host
  mem.device "host" host memory @host
  mem.link @params to @dev0 channel 0
  mem.link @host to @dev0 channel 0
  mem.link @dev0 to @host channel 1
}
task.kernel @f(tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> workspace 64 inplace(0 -> 0)
task.kernel @s(tensor<16xf32>, index) -> tensor<16xf32>
mem.graph @main {
  mem.parameter "w" [16] offsets [0] sizes [16] : f32 at v1 @params[0 + 64]
  mem.input "x" [16] offsets [0] sizes [16] : f32 at v0 @host[0 + 64]
  %0 = mem.copy load v0 @host[0 + 64] to @dev0[0 + 64]
  %1 = mem.copy load v1 @params[0 + 64] to @dev0[64 + 64]
  // expected-error @+1 {{expected a device of the machine, but there is no "gpu"}}
  %2 = mem.call @f task 0 on "gpu" reads(v0 @dev0[0 + 64], v1 @dev0[64 + 64]) writes(v2 @dev0[0 + 64]) workspace(@dev0[128 + 64]) after(%0, %1)
  %3 = mem.copy offload v2 @dev0[0 + 64] to @host[64 + 64] after(%2)
  %4 = mem.copy reload v0 @host[0 + 64] to @dev0[0 + 64] memory(%3)
  %5 = mem.copy reload v2 @host[64 + 64] to @dev0[192 + 64] after(%3)
  %6 = mem.call @f task 1 on "dev0" reads(v0 @dev0[0 + 64], v2 @dev0[192 + 64]) writes(v3 @dev0[256 + 64]) workspace(@dev0[64 + 64]) after(%4, %5) memory(%2)
  %7 = mem.copy result v3 @dev0[256 + 64] to @host[128 + 64] after(%6)
  mem.result "y" [16] offsets [0] sizes [16] : f32 at v3 @host[128 + 64]
}
}

// -----

module {
mem.machine {
  mem.memory @dev0 device capacity 320 alignment 64
  mem.memory @host host capacity 256 alignment 64
  mem.memory @params parameters capacity 128 alignment 64 readonly
  mem.device "dev0" accelerator memory @dev0 backing @host
  mem.device "host" host memory @host
  mem.link @params to @dev0 channel 0
  mem.link @host to @dev0 channel 0
  mem.link @dev0 to @host channel 1
}
task.kernel @f(tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> workspace 64 inplace(0 -> 0)
task.kernel @s(tensor<16xf32>, index) -> tensor<16xf32>
mem.graph @main {
  mem.parameter "w" [16] offsets [0] sizes [16] : f32 at v1 @params[0 + 64]
  mem.input "x" [16] offsets [0] sizes [16] : f32 at v0 @host[0 + 64]
  %0 = mem.copy load v0 @host[0 + 64] to @dev0[0 + 64]
  %1 = mem.copy load v1 @params[0 + 64] to @dev0[64 + 64]
  // expected-error @+1 {{expected 2 reads as kernel @f has, but got 1}}
  %2 = mem.call @f task 0 on "dev0" reads(v0 @dev0[0 + 64]) writes(v2 @dev0[0 + 64]) workspace(@dev0[128 + 64]) after(%0, %1)
  %3 = mem.copy offload v2 @dev0[0 + 64] to @host[64 + 64] after(%2)
  %4 = mem.copy reload v0 @host[0 + 64] to @dev0[0 + 64] memory(%3)
  %5 = mem.copy reload v2 @host[64 + 64] to @dev0[192 + 64] after(%3)
  %6 = mem.call @f task 1 on "dev0" reads(v0 @dev0[0 + 64], v2 @dev0[192 + 64]) writes(v3 @dev0[256 + 64]) workspace(@dev0[64 + 64]) after(%4, %5) memory(%2)
  %7 = mem.copy result v3 @dev0[256 + 64] to @host[128 + 64] after(%6)
  mem.result "y" [16] offsets [0] sizes [16] : f32 at v3 @host[128 + 64]
}
}

// -----

module {
mem.machine {
  mem.memory @dev0 device capacity 320 alignment 64
  mem.memory @host host capacity 256 alignment 64
  mem.memory @params parameters capacity 128 alignment 64 readonly
  mem.device "dev0" accelerator memory @dev0 backing @host
  mem.device "host" host memory @host
  mem.link @params to @dev0 channel 0
  mem.link @host to @dev0 channel 0
  mem.link @dev0 to @host channel 1
}
task.kernel @f(tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> workspace 64 inplace(0 -> 0)
task.kernel @s(tensor<16xf32>, index) -> tensor<16xf32>
mem.graph @main {
  mem.parameter "w" [16] offsets [0] sizes [16] : f32 at v1 @params[0 + 64]
  mem.input "x" [16] offsets [0] sizes [16] : f32 at v0 @host[0 + 64]
  %0 = mem.copy load v0 @host[0 + 64] to @dev0[0 + 64]
  %1 = mem.copy load v1 @params[0 + 64] to @dev0[64 + 64]
  // expected-error @+1 {{expected number 1 of reads to have 64 bytes as in kernel @f, but got 32}}
  %2 = mem.call @f task 0 on "dev0" reads(v0 @dev0[0 + 64], v1 @dev0[64 + 32]) writes(v2 @dev0[0 + 64]) workspace(@dev0[128 + 64]) after(%0, %1)
  %3 = mem.copy offload v2 @dev0[0 + 64] to @host[64 + 64] after(%2)
  %4 = mem.copy reload v0 @host[0 + 64] to @dev0[0 + 64] memory(%3)
  %5 = mem.copy reload v2 @host[64 + 64] to @dev0[192 + 64] after(%3)
  %6 = mem.call @f task 1 on "dev0" reads(v0 @dev0[0 + 64], v2 @dev0[192 + 64]) writes(v3 @dev0[256 + 64]) workspace(@dev0[64 + 64]) after(%4, %5) memory(%2)
  %7 = mem.copy result v3 @dev0[256 + 64] to @host[128 + 64] after(%6)
  mem.result "y" [16] offsets [0] sizes [16] : f32 at v3 @host[128 + 64]
}
}

// -----

module {
mem.machine {
  mem.memory @dev0 device capacity 320 alignment 64
  mem.memory @host host capacity 256 alignment 64
  mem.memory @params parameters capacity 128 alignment 64 readonly
  mem.device "dev0" accelerator memory @dev0 backing @host
  mem.device "host" host memory @host
  mem.link @params to @dev0 channel 0
  mem.link @host to @dev0 channel 0
  mem.link @dev0 to @host channel 1
}
task.kernel @f(tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> workspace 64 inplace(0 -> 0)
task.kernel @s(tensor<16xf32>, index) -> tensor<16xf32>
mem.graph @main {
  mem.parameter "w" [16] offsets [0] sizes [16] : f32 at v1 @params[0 + 64]
  mem.input "x" [16] offsets [0] sizes [16] : f32 at v0 @host[0 + 64]
  %0 = mem.copy load v0 @host[0 + 64] to @dev0[0 + 64]
  %1 = mem.copy load v1 @params[0 + 64] to @dev0[64 + 64]
  // expected-error @+1 {{expected device "dev0" to access @dev0, but it accesses @host}}
  %2 = mem.call @f task 0 on "dev0" reads(v0 @dev0[0 + 64], v1 @dev0[64 + 64]) writes(v2 @host[0 + 64]) workspace(@dev0[128 + 64]) after(%0, %1)
  %3 = mem.copy offload v2 @dev0[0 + 64] to @host[64 + 64] after(%2)
  %4 = mem.copy reload v0 @host[0 + 64] to @dev0[0 + 64] memory(%3)
  %5 = mem.copy reload v2 @host[64 + 64] to @dev0[192 + 64] after(%3)
  %6 = mem.call @f task 1 on "dev0" reads(v0 @dev0[0 + 64], v2 @dev0[192 + 64]) writes(v3 @dev0[256 + 64]) workspace(@dev0[64 + 64]) after(%4, %5) memory(%2)
  %7 = mem.copy result v3 @dev0[256 + 64] to @host[128 + 64] after(%6)
  mem.result "y" [16] offsets [0] sizes [16] : f32 at v3 @host[128 + 64]
}
}

// -----

module {
mem.machine {
  mem.memory @dev0 device capacity 320 alignment 64
  mem.memory @host host capacity 256 alignment 64
  mem.memory @params parameters capacity 128 alignment 64 readonly
  mem.device "dev0" accelerator memory @dev0 backing @host
  mem.device "host" host memory @host
  mem.link @params to @dev0 channel 0
  mem.link @host to @dev0 channel 0
  mem.link @dev0 to @host channel 1
}
task.kernel @f(tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> workspace 64 inplace(0 -> 0)
task.kernel @s(tensor<16xf32>, index) -> tensor<16xf32>
mem.graph @main {
  mem.parameter "w" [16] offsets [0] sizes [16] : f32 at v1 @params[0 + 64]
  mem.input "x" [16] offsets [0] sizes [16] : f32 at v0 @host[0 + 64]
  %0 = mem.copy load v0 @host[0 + 64] to @dev0[0 + 64]
  %1 = mem.copy load v1 @params[0 + 64] to @dev0[64 + 64]
  // expected-error @+1 {{expected a workspace of 64 bytes as kernel @f needs, but got 32}}
  %2 = mem.call @f task 0 on "dev0" reads(v0 @dev0[0 + 64], v1 @dev0[64 + 64]) writes(v2 @dev0[0 + 64]) workspace(@dev0[128 + 32]) after(%0, %1)
  %3 = mem.copy offload v2 @dev0[0 + 64] to @host[64 + 64] after(%2)
  %4 = mem.copy reload v0 @host[0 + 64] to @dev0[0 + 64] memory(%3)
  %5 = mem.copy reload v2 @host[64 + 64] to @dev0[192 + 64] after(%3)
  %6 = mem.call @f task 1 on "dev0" reads(v0 @dev0[0 + 64], v2 @dev0[192 + 64]) writes(v3 @dev0[256 + 64]) workspace(@dev0[64 + 64]) after(%4, %5) memory(%2)
  %7 = mem.copy result v3 @dev0[256 + 64] to @host[128 + 64] after(%6)
  mem.result "y" [16] offsets [0] sizes [16] : f32 at v3 @host[128 + 64]
}
}

// -----

module {
mem.machine {
  mem.memory @dev0 device capacity 320 alignment 64
  mem.memory @host host capacity 256 alignment 64
  mem.memory @params parameters capacity 128 alignment 64 readonly
  mem.device "dev0" accelerator memory @dev0 backing @host
  mem.device "host" host memory @host
  mem.link @params to @dev0 channel 0
  mem.link @host to @dev0 channel 0
  mem.link @dev0 to @host channel 1
}
task.kernel @f(tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> workspace 64 inplace(0 -> 0)
task.kernel @s(tensor<16xf32>, index) -> tensor<16xf32>
mem.graph @main {
  mem.parameter "w" [16] offsets [0] sizes [16] : f32 at v1 @params[0 + 64]
  mem.input "x" [16] offsets [0] sizes [16] : f32 at v0 @host[0 + 64]
  %0 = mem.copy load v0 @host[0 + 64] to @dev0[0 + 64]
  %1 = mem.copy load v1 @params[0 + 64] to @dev0[64 + 64]
  // expected-error @+1 {{expected 0 scalars as kernel @f has, but got 1}}
  %2 = mem.call @f task 0 on "dev0" reads(v0 @dev0[0 + 64], v1 @dev0[64 + 64]) writes(v2 @dev0[0 + 64]) workspace(@dev0[128 + 64]) scalars [1] after(%0, %1)
  %3 = mem.copy offload v2 @dev0[0 + 64] to @host[64 + 64] after(%2)
  %4 = mem.copy reload v0 @host[0 + 64] to @dev0[0 + 64] memory(%3)
  %5 = mem.copy reload v2 @host[64 + 64] to @dev0[192 + 64] after(%3)
  %6 = mem.call @f task 1 on "dev0" reads(v0 @dev0[0 + 64], v2 @dev0[192 + 64]) writes(v3 @dev0[256 + 64]) workspace(@dev0[64 + 64]) after(%4, %5) memory(%2)
  %7 = mem.copy result v3 @dev0[256 + 64] to @host[128 + 64] after(%6)
  mem.result "y" [16] offsets [0] sizes [16] : f32 at v3 @host[128 + 64]
}
}

// -----

module {
mem.machine {
  mem.memory @dev0 device capacity 320 alignment 64
  mem.memory @host host capacity 256 alignment 64
  mem.memory @params parameters capacity 128 alignment 64 readonly
  mem.device "dev0" accelerator memory @dev0 backing @host
  mem.device "host" host memory @host
  mem.link @params to @dev0 channel 0
  mem.link @host to @dev0 channel 0
  mem.link @dev0 to @host channel 1
}
task.kernel @f(tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> workspace 64 inplace(0 -> 0)
task.kernel @s(tensor<16xf32>, index) -> tensor<16xf32>
mem.graph @main {
  mem.parameter "w" [16] offsets [0] sizes [16] : f32 at v1 @params[0 + 64]
  mem.input "x" [16] offsets [0] sizes [16] : f32 at v0 @host[0 + 64]
  %0 = mem.copy load v0 @host[0 + 64] to @dev0[0 + 64]
  %1 = mem.copy load v1 @params[0 + 64] to @dev0[64 + 64]
  %2 = mem.call @f task 0 on "dev0" reads(v0 @dev0[0 + 64], v1 @dev0[64 + 64]) writes(v2 @dev0[0 + 64]) workspace(@dev0[128 + 64]) after(%0, %1)
  %3 = mem.copy offload v2 @dev0[0 + 64] to @host[64 + 64] after(%2)
  %4 = mem.copy reload v0 @host[0 + 64] to @dev0[0 + 64] memory(%3)
  %5 = mem.copy reload v2 @host[64 + 64] to @dev0[192 + 64] after(%3)
  %6 = mem.call @f task 1 on "dev0" reads(v0 @dev0[0 + 64], v2 @dev0[192 + 64]) writes(v3 @dev0[256 + 64]) workspace(@dev0[64 + 64]) after(%4, %5) memory(%2)
  %7 = mem.copy result v3 @dev0[256 + 64] to @host[128 + 64] after(%6)
  // expected-error @+1 {{expected an argument below 0, but got 1}}
  %9 = mem.call @s on "host" reads(v0 @host[0 + 64]) writes(v9 @host[192 + 64]) scalars [1] arguments [1]
  mem.result "y" [16] offsets [0] sizes [16] : f32 at v3 @host[128 + 64]
}
}

// -----

module {
mem.machine {
  mem.memory @dev0 device capacity 320 alignment 64
  mem.memory @host host capacity 256 alignment 64
  mem.memory @params parameters capacity 128 alignment 64 readonly
  mem.device "dev0" accelerator memory @dev0 backing @host
  mem.device "host" host memory @host
  mem.link @params to @dev0 channel 0
  mem.link @host to @dev0 channel 0
  mem.link @dev0 to @host channel 1
}
task.kernel @f(tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> workspace 64 inplace(0 -> 0)
task.kernel @s(tensor<16xf32>, index) -> tensor<16xf32>
mem.graph @main {
  mem.parameter "w" [16] offsets [0] sizes [16] : f32 at v1 @params[0 + 64]
  mem.input "x" [16] offsets [0] sizes [16] : f32 at v0 @host[0 + 64]
  %0 = mem.copy load v0 @host[0 + 64] to @dev0[0 + 64]
  %1 = mem.copy load v1 @params[0 + 64] to @dev0[64 + 64]
  %2 = mem.call @f task 0 on "dev0" reads(v0 @dev0[0 + 64], v1 @dev0[64 + 64]) writes(v2 @dev0[0 + 64]) workspace(@dev0[128 + 64]) after(%0, %1)
  %3 = mem.copy offload v2 @dev0[0 + 64] to @host[64 + 64] after(%2)
  %4 = mem.copy reload v0 @host[0 + 64] to @dev0[0 + 64] memory(%3)
  %5 = mem.copy reload v2 @host[64 + 64] to @dev0[192 + 64] after(%3)
  %6 = mem.call @f task 1 on "dev0" reads(v0 @dev0[0 + 64], v2 @dev0[192 + 64]) writes(v3 @dev0[256 + 64]) workspace(@dev0[64 + 64]) after(%4, %5) memory(%2)
  %7 = mem.copy result v3 @dev0[256 + 64] to @host[128 + 64] after(%6)
  // expected-error @+1 {{expected 1 arguments as there are scalars, but got 2}}
  %9 = mem.call @s on "host" reads(v0 @host[0 + 64]) writes(v9 @host[192 + 64]) scalars [1] arguments [0, 0]
  mem.result "y" [16] offsets [0] sizes [16] : f32 at v3 @host[128 + 64]
}
}

// -----

module {
mem.machine {
  mem.memory @dev0 device capacity 320 alignment 64
  mem.memory @host host capacity 256 alignment 64
  mem.memory @params parameters capacity 128 alignment 64 readonly
  mem.device "dev0" accelerator memory @dev0 backing @host
  mem.device "host" host memory @host
  mem.link @params to @dev0 channel 0
  mem.link @host to @dev0 channel 0
  mem.link @dev0 to @host channel 1
}
task.kernel @f(tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> workspace 64 inplace(0 -> 0)
task.kernel @s(tensor<16xf32>, index) -> tensor<16xf32>
mem.graph @main {
  mem.parameter "w" [16] offsets [0] sizes [16] : f32 at v1 @params[0 + 64]
  mem.input "x" [16] offsets [0] sizes [16] : f32 at v0 @host[0 + 64]
  %0 = mem.copy load v0 @host[0 + 64] to @dev0[0 + 64]
  %1 = mem.copy load v1 @params[0 + 64] to @dev0[64 + 64]
  %2 = mem.call @f task 0 on "dev0" reads(v0 @dev0[0 + 64], v1 @dev0[64 + 64]) writes(v2 @dev0[0 + 64]) workspace(@dev0[128 + 64]) after(%0, %1)
  // expected-error @+1 {{expected a link below 3, but got 3}}
  %3 = mem.copy offload v2 @dev0[0 + 64] to @host[64 + 64] via 3 after(%2)
  %4 = mem.copy reload v0 @host[0 + 64] to @dev0[0 + 64] memory(%3)
  %5 = mem.copy reload v2 @host[64 + 64] to @dev0[192 + 64] after(%3)
  %6 = mem.call @f task 1 on "dev0" reads(v0 @dev0[0 + 64], v2 @dev0[192 + 64]) writes(v3 @dev0[256 + 64]) workspace(@dev0[64 + 64]) after(%4, %5) memory(%2)
  %7 = mem.copy result v3 @dev0[256 + 64] to @host[128 + 64] after(%6)
  mem.result "y" [16] offsets [0] sizes [16] : f32 at v3 @host[128 + 64]
}
}

// -----

module {
mem.machine {
  mem.memory @dev0 device capacity 320 alignment 64
  mem.memory @host host capacity 256 alignment 64
  mem.memory @params parameters capacity 128 alignment 64 readonly
  mem.device "dev0" accelerator memory @dev0 backing @host
  mem.device "host" host memory @host
  // expected-note @+1 {{the link is defined here}}
  mem.link @params to @dev0 channel 0
  mem.link @host to @dev0 channel 0
  mem.link @dev0 to @host channel 1
}
task.kernel @f(tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> workspace 64 inplace(0 -> 0)
task.kernel @s(tensor<16xf32>, index) -> tensor<16xf32>
mem.graph @main {
  mem.parameter "w" [16] offsets [0] sizes [16] : f32 at v1 @params[0 + 64]
  mem.input "x" [16] offsets [0] sizes [16] : f32 at v0 @host[0 + 64]
  %0 = mem.copy load v0 @host[0 + 64] to @dev0[0 + 64]
  %1 = mem.copy load v1 @params[0 + 64] to @dev0[64 + 64]
  %2 = mem.call @f task 0 on "dev0" reads(v0 @dev0[0 + 64], v1 @dev0[64 + 64]) writes(v2 @dev0[0 + 64]) workspace(@dev0[128 + 64]) after(%0, %1)
  // expected-error @+1 {{expected a link from @dev0 to @host, but got one from @params to @dev0}}
  %3 = mem.copy offload v2 @dev0[0 + 64] to @host[64 + 64] via 0 after(%2)
  %4 = mem.copy reload v0 @host[0 + 64] to @dev0[0 + 64] memory(%3)
  %5 = mem.copy reload v2 @host[64 + 64] to @dev0[192 + 64] after(%3)
  %6 = mem.call @f task 1 on "dev0" reads(v0 @dev0[0 + 64], v2 @dev0[192 + 64]) writes(v3 @dev0[256 + 64]) workspace(@dev0[64 + 64]) after(%4, %5) memory(%2)
  %7 = mem.copy result v3 @dev0[256 + 64] to @host[128 + 64] after(%6)
  mem.result "y" [16] offsets [0] sizes [16] : f32 at v3 @host[128 + 64]
}
}

// -----

module {
mem.machine {
  mem.memory @dev0 device capacity 320 alignment 64
  mem.memory @host host capacity 256 alignment 64
  mem.memory @params parameters capacity 128 alignment 64 readonly
  mem.device "dev0" accelerator memory @dev0 backing @host
  mem.device "host" host memory @host
  mem.link @params to @dev0 channel 0
  mem.link @host to @dev0 channel 0
}
task.kernel @f(tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> workspace 64 inplace(0 -> 0)
task.kernel @s(tensor<16xf32>, index) -> tensor<16xf32>
mem.graph @main {
  mem.parameter "w" [16] offsets [0] sizes [16] : f32 at v1 @params[0 + 64]
  mem.input "x" [16] offsets [0] sizes [16] : f32 at v0 @host[0 + 64]
  %0 = mem.copy load v0 @host[0 + 64] to @dev0[0 + 64]
  %1 = mem.copy load v1 @params[0 + 64] to @dev0[64 + 64]
  %2 = mem.call @f task 0 on "dev0" reads(v0 @dev0[0 + 64], v1 @dev0[64 + 64]) writes(v2 @dev0[0 + 64]) workspace(@dev0[128 + 64]) after(%0, %1)
  // expected-error @+1 {{expected a link from @dev0 to @host, but the machine has none}}
  %3 = mem.copy offload v2 @dev0[0 + 64] to @host[64 + 64] after(%2)
  %4 = mem.copy reload v0 @host[0 + 64] to @dev0[0 + 64] memory(%3)
  %5 = mem.copy reload v2 @host[64 + 64] to @dev0[192 + 64] after(%3)
  %6 = mem.call @f task 1 on "dev0" reads(v0 @dev0[0 + 64], v2 @dev0[192 + 64]) writes(v3 @dev0[256 + 64]) workspace(@dev0[64 + 64]) after(%4, %5) memory(%2)
  %7 = mem.copy result v3 @dev0[256 + 64] to @host[128 + 64] after(%6)
  mem.result "y" [16] offsets [0] sizes [16] : f32 at v3 @host[128 + 64]
}
}

// -----

module {
mem.machine {
  mem.memory @dev0 device capacity 320 alignment 64
  mem.memory @host host capacity 256 alignment 64
  mem.memory @params parameters capacity 128 alignment 64 readonly
  mem.device "dev0" accelerator memory @dev0 backing @host
  mem.device "host" host memory @host
  mem.link @params to @dev0 channel 0
  mem.link @host to @dev0 channel 0
  mem.link @dev0 to @host channel 1
}
task.kernel @f(tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> workspace 64 inplace(0 -> 0)
task.kernel @s(tensor<16xf32>, index) -> tensor<16xf32>
mem.graph @main {
  // expected-note @+1 {{the name is first used here}}
  mem.parameter "w" [16] offsets [0] sizes [16] : f32 at v1 @params[0 + 64]
  // expected-error @+1 {{expected the element type of "w" to be 'f32', but got 'i64'}}
  mem.parameter "w" [8] offsets [0] sizes [8] : i64 at v7 @params[64 + 64]
  mem.input "x" [16] offsets [0] sizes [16] : f32 at v0 @host[0 + 64]
  %0 = mem.copy load v0 @host[0 + 64] to @dev0[0 + 64]
  %1 = mem.copy load v1 @params[0 + 64] to @dev0[64 + 64]
  %2 = mem.call @f task 0 on "dev0" reads(v0 @dev0[0 + 64], v1 @dev0[64 + 64]) writes(v2 @dev0[0 + 64]) workspace(@dev0[128 + 64]) after(%0, %1)
  %3 = mem.copy offload v2 @dev0[0 + 64] to @host[64 + 64] after(%2)
  %4 = mem.copy reload v0 @host[0 + 64] to @dev0[0 + 64] memory(%3)
  %5 = mem.copy reload v2 @host[64 + 64] to @dev0[192 + 64] after(%3)
  %6 = mem.call @f task 1 on "dev0" reads(v0 @dev0[0 + 64], v2 @dev0[192 + 64]) writes(v3 @dev0[256 + 64]) workspace(@dev0[64 + 64]) after(%4, %5) memory(%2)
  %7 = mem.copy result v3 @dev0[256 + 64] to @host[128 + 64] after(%6)
  mem.result "y" [16] offsets [0] sizes [16] : f32 at v3 @host[128 + 64]
}
}

// -----

module {
mem.machine {
  mem.memory @dev0 device capacity 320 alignment 64
  mem.memory @host host capacity 256 alignment 64
  mem.memory @params parameters capacity 128 alignment 64 readonly
  mem.device "dev0" accelerator memory @dev0 backing @host
  mem.device "host" host memory @host
  mem.link @params to @dev0 channel 0
  mem.link @host to @dev0 channel 0
  mem.link @dev0 to @host channel 1
}
task.kernel @f(tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> workspace 64 inplace(0 -> 0)
task.kernel @s(tensor<16xf32>, index) -> tensor<16xf32>
// expected-error @+1 {{expected statistics of 3 memories, but got 1}}
mem.graph @main statistics <peak_bytes = [1], link_bytes = [], incoming_bytes_bound = 0, smallest_caps = [], compute_bound = 0.0, transfer_bound = 0.0, critical_path = 0.0, makespan_bound = 0.0, predicted_makespan = 0.0, order = ""> {
  mem.parameter "w" [16] offsets [0] sizes [16] : f32 at v1 @params[0 + 64]
  mem.input "x" [16] offsets [0] sizes [16] : f32 at v0 @host[0 + 64]
  %0 = mem.copy load v0 @host[0 + 64] to @dev0[0 + 64]
  %1 = mem.copy load v1 @params[0 + 64] to @dev0[64 + 64]
  %2 = mem.call @f task 0 on "dev0" reads(v0 @dev0[0 + 64], v1 @dev0[64 + 64]) writes(v2 @dev0[0 + 64]) workspace(@dev0[128 + 64]) after(%0, %1)
  %3 = mem.copy offload v2 @dev0[0 + 64] to @host[64 + 64] after(%2)
  %4 = mem.copy reload v0 @host[0 + 64] to @dev0[0 + 64] memory(%3)
  %5 = mem.copy reload v2 @host[64 + 64] to @dev0[192 + 64] after(%3)
  %6 = mem.call @f task 1 on "dev0" reads(v0 @dev0[0 + 64], v2 @dev0[192 + 64]) writes(v3 @dev0[256 + 64]) workspace(@dev0[64 + 64]) after(%4, %5) memory(%2)
  %7 = mem.copy result v3 @dev0[256 + 64] to @host[128 + 64] after(%6)
  mem.result "y" [16] offsets [0] sizes [16] : f32 at v3 @host[128 + 64]
}
}
