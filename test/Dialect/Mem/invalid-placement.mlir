// RUN: turnip-opt %s -split-input-file -verify-diagnostics

// One small graph, correct at first, then with one mistake at a time: the verifier
// of mem.graph proves the placement in every order that the tokens allow.

// Nothing is wrong here.
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
  mem.result "y" [16] offsets [0] sizes [16] : f32 at v3 @host[128 + 64]
}
}

// -----

// A data dependency is missing.
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
  // expected-note @+1 {{mem.copy load (operation 0) is here}}
  %0 = mem.copy load v0 @host[0 + 64] to @dev0[0 + 64]
  %1 = mem.copy load v1 @params[0 + 64] to @dev0[64 + 64]
  // expected-error @+1 {{breaks the placement: mem.call @f task 0 (operation 2) reads dev0[0, 64) for v0, but is not ordered after mem.copy load (operation 0), which writes dev0[0, 64)}}
  %2 = mem.call @f task 0 on "dev0" reads(v0 @dev0[0 + 64], v1 @dev0[64 + 64]) writes(v2 @dev0[0 + 64]) workspace(@dev0[128 + 64]) after(%1)
  %3 = mem.copy offload v2 @dev0[0 + 64] to @host[64 + 64] after(%2)
  %4 = mem.copy reload v0 @host[0 + 64] to @dev0[0 + 64] memory(%3)
  %5 = mem.copy reload v2 @host[64 + 64] to @dev0[192 + 64] after(%3)
  %6 = mem.call @f task 1 on "dev0" reads(v0 @dev0[0 + 64], v2 @dev0[192 + 64]) writes(v3 @dev0[256 + 64]) workspace(@dev0[64 + 64]) after(%4, %5) memory(%2)
  %7 = mem.copy result v3 @dev0[256 + 64] to @host[128 + 64] after(%6)
  mem.result "y" [16] offsets [0] sizes [16] : f32 at v3 @host[128 + 64]
}
}

// -----

// A memory dependency is missing.
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
  // expected-note @+1 {{mem.copy offload (operation 3) is here}}
  %3 = mem.copy offload v2 @dev0[0 + 64] to @host[64 + 64] after(%2)
  // expected-error @+1 {{breaks the placement: mem.copy reload (operation 4) writes dev0[0, 64), but is not ordered after mem.copy offload (operation 3), which reads dev0[0, 64)}}
  %4 = mem.copy reload v0 @host[0 + 64] to @dev0[0 + 64]
  %5 = mem.copy reload v2 @host[64 + 64] to @dev0[192 + 64] after(%3)
  %6 = mem.call @f task 1 on "dev0" reads(v0 @dev0[0 + 64], v2 @dev0[192 + 64]) writes(v3 @dev0[256 + 64]) workspace(@dev0[64 + 64]) after(%4, %5) memory(%2)
  %7 = mem.copy result v3 @dev0[256 + 64] to @host[128 + 64] after(%6)
  mem.result "y" [16] offsets [0] sizes [16] : f32 at v3 @host[128 + 64]
}
}

// -----

// An offset changed.
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
  // expected-note @+1 {{mem.copy load (operation 1) is here}}
  %1 = mem.copy load v1 @params[0 + 64] to @dev0[64 + 64]
  %2 = mem.call @f task 0 on "dev0" reads(v0 @dev0[0 + 64], v1 @dev0[64 + 64]) writes(v2 @dev0[0 + 64]) workspace(@dev0[128 + 64]) after(%0, %1)
  // expected-error @+1 {{breaks the placement: mem.copy offload (operation 3) reads dev0[64, 128) for v2, but bytes from 64 hold v1 from mem.copy load (operation 1), which writes dev0[64, 128)}}
  %3 = mem.copy offload v2 @dev0[64 + 64] to @host[64 + 64] after(%2)
  %4 = mem.copy reload v0 @host[0 + 64] to @dev0[0 + 64] memory(%3)
  %5 = mem.copy reload v2 @host[64 + 64] to @dev0[192 + 64] after(%3)
  %6 = mem.call @f task 1 on "dev0" reads(v0 @dev0[0 + 64], v2 @dev0[192 + 64]) writes(v3 @dev0[256 + 64]) workspace(@dev0[64 + 64]) after(%4, %5) memory(%2)
  %7 = mem.copy result v3 @dev0[256 + 64] to @host[128 + 64] after(%6)
  mem.result "y" [16] offsets [0] sizes [16] : f32 at v3 @host[128 + 64]
}
}

// -----

// An offset is not aligned.
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
  // expected-error @+1 {{breaks the placement: mem.copy load (operation 0) writes dev0[32, 96): offset 32 is not a multiple of 64}}
  %0 = mem.copy load v0 @host[0 + 64] to @dev0[32 + 64]
  %1 = mem.copy load v1 @params[0 + 64] to @dev0[64 + 64]
  %2 = mem.call @f task 0 on "dev0" reads(v0 @dev0[32 + 64], v1 @dev0[64 + 64]) writes(v2 @dev0[32 + 64]) workspace(@dev0[128 + 64]) after(%0, %1)
  %3 = mem.copy offload v2 @dev0[0 + 64] to @host[64 + 64] after(%2)
  %4 = mem.copy reload v0 @host[0 + 64] to @dev0[0 + 64] memory(%3)
  %5 = mem.copy reload v2 @host[64 + 64] to @dev0[192 + 64] after(%3)
  %6 = mem.call @f task 1 on "dev0" reads(v0 @dev0[0 + 64], v2 @dev0[192 + 64]) writes(v3 @dev0[256 + 64]) workspace(@dev0[64 + 64]) after(%4, %5) memory(%2)
  %7 = mem.copy result v3 @dev0[256 + 64] to @host[128 + 64] after(%6)
  mem.result "y" [16] offsets [0] sizes [16] : f32 at v3 @host[128 + 64]
}
}

// -----

// A size changed.
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
  // expected-error @+1 {{breaks the placement: mem.copy offload (operation 3): reads dev0[0, 64) and writes host[64, 96), sizes 64 and 32 differ}}
  %3 = mem.copy offload v2 @dev0[0 + 64] to @host[64 + 32] after(%2)
  %4 = mem.copy reload v0 @host[0 + 64] to @dev0[0 + 64] memory(%3)
  %5 = mem.copy reload v2 @host[64 + 64] to @dev0[192 + 64] after(%3)
  %6 = mem.call @f task 1 on "dev0" reads(v0 @dev0[0 + 64], v2 @dev0[192 + 64]) writes(v3 @dev0[256 + 64]) workspace(@dev0[64 + 64]) after(%4, %5) memory(%2)
  %7 = mem.copy result v3 @dev0[256 + 64] to @host[128 + 64] after(%6)
  mem.result "y" [16] offsets [0] sizes [16] : f32 at v3 @host[128 + 64]
}
}

// -----

// Operands are swapped.
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
  // expected-note @+1 {{mem.copy reload (operation 5) is here}}
  %5 = mem.copy reload v2 @host[64 + 64] to @dev0[192 + 64] after(%3)
  // expected-error @+1 {{breaks the placement: mem.call @f task 1 (operation 6) reads dev0[192, 256) for v0, but bytes from 192 hold v2 from mem.copy reload (operation 5), which writes dev0[192, 256)}}
  %6 = mem.call @f task 1 on "dev0" reads(v0 @dev0[192 + 64], v2 @dev0[0 + 64]) writes(v3 @dev0[256 + 64]) workspace(@dev0[64 + 64]) after(%4, %5) memory(%2)
  %7 = mem.copy result v3 @dev0[256 + 64] to @host[128 + 64] after(%6)
  mem.result "y" [16] offsets [0] sizes [16] : f32 at v3 @host[128 + 64]
}
}

// -----

// An offload was dropped.
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
  %3 = mem.join after(%2)
  %4 = mem.copy reload v0 @host[0 + 64] to @dev0[0 + 64] memory(%3)
  // expected-error @+1 {{breaks the placement: mem.copy reload (operation 5) reads host[64, 128) for v2, but nothing is written there before}}
  %5 = mem.copy reload v2 @host[64 + 64] to @dev0[192 + 64] after(%3)
  %6 = mem.call @f task 1 on "dev0" reads(v0 @dev0[0 + 64], v2 @dev0[192 + 64]) writes(v3 @dev0[256 + 64]) workspace(@dev0[64 + 64]) after(%4, %5) memory(%2)
  %7 = mem.copy result v3 @dev0[256 + 64] to @host[128 + 64] after(%6)
  mem.result "y" [16] offsets [0] sizes [16] : f32 at v3 @host[128 + 64]
}
}

// -----

// A reload goes elsewhere.
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
  %5 = mem.copy reload v2 @host[64 + 64] to @dev0[128 + 64] after(%3)
  // expected-error @+1 {{breaks the placement: mem.call @f task 1 (operation 6) reads dev0[192, 256) for v2, but nothing is written there before}}
  %6 = mem.call @f task 1 on "dev0" reads(v0 @dev0[0 + 64], v2 @dev0[192 + 64]) writes(v3 @dev0[256 + 64]) workspace(@dev0[64 + 64]) after(%4, %5) memory(%2)
  %7 = mem.copy result v3 @dev0[256 + 64] to @host[128 + 64] after(%6)
  mem.result "y" [16] offsets [0] sizes [16] : f32 at v3 @host[128 + 64]
}
}

// -----

// A reload reads a stale host copy.
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
  // expected-error @+1 {{breaks the placement: mem.copy reload (operation 5) reads host[0, 64) for v2, but bytes from 0 hold v0 from entry, which puts v0 in host[0, 64)}}
  %5 = mem.copy reload v2 @host[0 + 64] to @dev0[192 + 64] after(%3)
  %6 = mem.call @f task 1 on "dev0" reads(v0 @dev0[0 + 64], v2 @dev0[192 + 64]) writes(v3 @dev0[256 + 64]) workspace(@dev0[64 + 64]) after(%4, %5) memory(%2)
  %7 = mem.copy result v3 @dev0[256 + 64] to @host[128 + 64] after(%6)
  mem.result "y" [16] offsets [0] sizes [16] : f32 at v3 @host[128 + 64]
}
}

// -----

// A write exceeds its memory.
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
  // expected-error @+1 {{breaks the placement: mem.call @f task 1 (operation 6) writes dev0[320, 384): exceeds the 320 bytes of dev0}}
  %6 = mem.call @f task 1 on "dev0" reads(v0 @dev0[0 + 64], v2 @dev0[192 + 64]) writes(v3 @dev0[320 + 64]) workspace(@dev0[64 + 64]) after(%4, %5) memory(%2)
  %7 = mem.copy result v3 @dev0[320 + 64] to @host[128 + 64] after(%6)
  mem.result "y" [16] offsets [0] sizes [16] : f32 at v3 @host[128 + 64]
}
}

// -----

// A copy writes to parameters.
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
  // expected-error @+1 {{expected a link from @dev0 to @params, but the machine has none}}
  %3 = mem.copy offload v2 @dev0[0 + 64] to @params[64 + 64] after(%2)
  %4 = mem.copy reload v0 @host[0 + 64] to @dev0[0 + 64] memory(%3)
  %5 = mem.copy reload v2 @host[64 + 64] to @dev0[192 + 64] after(%3)
  %6 = mem.call @f task 1 on "dev0" reads(v0 @dev0[0 + 64], v2 @dev0[192 + 64]) writes(v3 @dev0[256 + 64]) workspace(@dev0[64 + 64]) after(%4, %5) memory(%2)
  %7 = mem.copy result v3 @dev0[256 + 64] to @host[128 + 64] after(%6)
  mem.result "y" [16] offsets [0] sizes [16] : f32 at v3 @host[128 + 64]
}
}

// -----

// A result lies over an operand that the kernel does not give up.
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
  // expected-error @+1 {{breaks the placement: mem.call @f task 1 (operation 6) reads dev0[192, 256) and writes dev0[192, 256), which overlap and are not declared in place}}
  %6 = mem.call @f task 1 on "dev0" reads(v0 @dev0[0 + 64], v2 @dev0[192 + 64]) writes(v3 @dev0[192 + 64]) workspace(@dev0[64 + 64]) after(%4, %5) memory(%2)
  %7 = mem.copy result v3 @dev0[192 + 64] to @host[128 + 64] after(%6)
  mem.result "y" [16] offsets [0] sizes [16] : f32 at v3 @host[128 + 64]
}
}

// -----

// The workspace lies over an operand.
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
  // expected-error @+1 {{breaks the placement: mem.call @f task 0 (operation 2) reads dev0[64, 128) and uses as workspace dev0[64, 128), which overlap and are not declared in place}}
  %2 = mem.call @f task 0 on "dev0" reads(v0 @dev0[0 + 64], v1 @dev0[64 + 64]) writes(v2 @dev0[0 + 64]) workspace(@dev0[64 + 64]) after(%0, %1)
  %3 = mem.copy offload v2 @dev0[0 + 64] to @host[64 + 64] after(%2)
  %4 = mem.copy reload v0 @host[0 + 64] to @dev0[0 + 64] memory(%3)
  %5 = mem.copy reload v2 @host[64 + 64] to @dev0[192 + 64] after(%3)
  %6 = mem.call @f task 1 on "dev0" reads(v0 @dev0[0 + 64], v2 @dev0[192 + 64]) writes(v3 @dev0[256 + 64]) workspace(@dev0[64 + 64]) after(%4, %5) memory(%2)
  %7 = mem.copy result v3 @dev0[256 + 64] to @host[128 + 64] after(%6)
  mem.result "y" [16] offsets [0] sizes [16] : f32 at v3 @host[128 + 64]
}
}

// -----

// A result is not where it should be.
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
  // expected-error @+1 {{breaks the placement: exit wants v3 in host[64, 128), but it holds v2 from mem.copy offload (operation 3), which writes host[64, 128)}}
  %3 = mem.copy offload v2 @dev0[0 + 64] to @host[64 + 64] after(%2)
  %4 = mem.copy reload v0 @host[0 + 64] to @dev0[0 + 64] memory(%3)
  %5 = mem.copy reload v2 @host[64 + 64] to @dev0[192 + 64] after(%3)
  %6 = mem.call @f task 1 on "dev0" reads(v0 @dev0[0 + 64], v2 @dev0[192 + 64]) writes(v3 @dev0[256 + 64]) workspace(@dev0[64 + 64]) after(%4, %5) memory(%2)
  %7 = mem.copy result v3 @dev0[256 + 64] to @host[128 + 64] after(%6)
  mem.result "y" [16] offsets [0] sizes [16] : f32 at v3 @host[64 + 64]
}
}

// -----

// A copy changes the value.
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
  // expected-error @+1 {{breaks the placement: mem.copy load (operation 0): reads host[0, 64) with v0, but writes dev0[0, 64) with v7}}
  %0 = mem.copy load v0 @host[0 + 64] to v7 @dev0[0 + 64]
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

// A call is carried out again, on other bytes that hold the same.
module {
mem.machine {
  mem.memory @dev0 device capacity 320 alignment 64
  mem.memory @host host capacity 256 alignment 64
  mem.device "dev0" accelerator memory @dev0 backing @host
  mem.device "host" host memory @host
  mem.link @host to @dev0 channel 0
  mem.link @dev0 to @host channel 1
}
task.kernel @f(tensor<16xf32>, index) -> tensor<16xf32>
task.kernel @g(tensor<16xf32>, index) -> tensor<16xf32>
mem.graph @main {
  mem.input "x" [16] offsets [0] sizes [16] : f32 at v0 @host[0 + 64]
  %0 = mem.copy load v0 @host[0 + 64] to @dev0[0 + 64]
  %1 = mem.call @f task 0 on "dev0" reads(v0 @dev0[0 + 64]) writes(v1 @dev0[64 + 64]) scalars [8] after(%0)
  %2 = mem.call @f task 1 on "dev0" reads(v1 @dev0[64 + 64]) writes(v2 @dev0[128 + 64]) scalars [8] after(%1)
  %3 = mem.call @f task 0 on "dev0" reads(v0 @dev0[0 + 64]) writes(v1 @dev0[192 + 64]) scalars [8] after(%0)
  %4 = mem.copy result v1 @dev0[192 + 64] to @host[64 + 64] after(%3)
  mem.result "y" [16] offsets [0] sizes [16] : f32 at v1 @host[64 + 64]
}
}

// -----

// Another kernel computes the value.
module {
mem.machine {
  mem.memory @dev0 device capacity 320 alignment 64
  mem.memory @host host capacity 256 alignment 64
  mem.device "dev0" accelerator memory @dev0 backing @host
  mem.device "host" host memory @host
  mem.link @host to @dev0 channel 0
  mem.link @dev0 to @host channel 1
}
task.kernel @f(tensor<16xf32>, index) -> tensor<16xf32>
task.kernel @g(tensor<16xf32>, index) -> tensor<16xf32>
mem.graph @main {
  mem.input "x" [16] offsets [0] sizes [16] : f32 at v0 @host[0 + 64]
  %0 = mem.copy load v0 @host[0 + 64] to @dev0[0 + 64]
  // expected-note @+1 {{the other call is here}}
  %1 = mem.call @f task 0 on "dev0" reads(v0 @dev0[0 + 64]) writes(v1 @dev0[64 + 64]) scalars [8] after(%0)
  %2 = mem.call @f task 1 on "dev0" reads(v1 @dev0[64 + 64]) writes(v2 @dev0[128 + 64]) scalars [8] after(%1)
  // expected-error @+1 {{expected the kernel of the other call that computes v1}}
  %3 = mem.call @g task 0 on "dev0" reads(v0 @dev0[0 + 64]) writes(v1 @dev0[192 + 64]) scalars [8] after(%0)
  %4 = mem.copy result v1 @dev0[192 + 64] to @host[64 + 64] after(%3)
  mem.result "y" [16] offsets [0] sizes [16] : f32 at v1 @host[64 + 64]
}
}

// -----

// So does the same kernel from other scalars.
module {
mem.machine {
  mem.memory @dev0 device capacity 320 alignment 64
  mem.memory @host host capacity 256 alignment 64
  mem.device "dev0" accelerator memory @dev0 backing @host
  mem.device "host" host memory @host
  mem.link @host to @dev0 channel 0
  mem.link @dev0 to @host channel 1
}
task.kernel @f(tensor<16xf32>, index) -> tensor<16xf32>
task.kernel @g(tensor<16xf32>, index) -> tensor<16xf32>
mem.graph @main {
  mem.input "x" [16] offsets [0] sizes [16] : f32 at v0 @host[0 + 64]
  %0 = mem.copy load v0 @host[0 + 64] to @dev0[0 + 64]
  // expected-note @+1 {{the other call is here}}
  %1 = mem.call @f task 0 on "dev0" reads(v0 @dev0[0 + 64]) writes(v1 @dev0[64 + 64]) scalars [8] after(%0)
  %2 = mem.call @f task 1 on "dev0" reads(v1 @dev0[64 + 64]) writes(v2 @dev0[128 + 64]) scalars [8] after(%1)
  // expected-error @+1 {{expected the scalars of the other call that computes v1}}
  %3 = mem.call @f task 0 on "dev0" reads(v0 @dev0[0 + 64]) writes(v1 @dev0[192 + 64]) scalars [9] after(%0)
  %4 = mem.copy result v1 @dev0[192 + 64] to @host[64 + 64] after(%3)
  mem.result "y" [16] offsets [0] sizes [16] : f32 at v1 @host[64 + 64]
}
}

// -----

// From another value.
module {
mem.machine {
  mem.memory @dev0 device capacity 320 alignment 64
  mem.memory @host host capacity 256 alignment 64
  mem.device "dev0" accelerator memory @dev0 backing @host
  mem.device "host" host memory @host
  mem.link @host to @dev0 channel 0
  mem.link @dev0 to @host channel 1
}
task.kernel @f(tensor<16xf32>, index) -> tensor<16xf32>
task.kernel @g(tensor<16xf32>, index) -> tensor<16xf32>
mem.graph @main {
  mem.input "x" [16] offsets [0] sizes [16] : f32 at v0 @host[0 + 64]
  %0 = mem.copy load v0 @host[0 + 64] to @dev0[0 + 64]
  // expected-note @+1 {{the other call is here}}
  %1 = mem.call @f task 0 on "dev0" reads(v0 @dev0[0 + 64]) writes(v1 @dev0[64 + 64]) scalars [8] after(%0)
  %2 = mem.call @f task 1 on "dev0" reads(v1 @dev0[64 + 64]) writes(v2 @dev0[128 + 64]) scalars [8] after(%1)
  // expected-error @+1 {{expected the operands of the other call that computes v1}}
  %3 = mem.call @f task 0 on "dev0" reads(v2 @dev0[128 + 64]) writes(v1 @dev0[192 + 64]) scalars [8] after(%0)
  %4 = mem.copy result v1 @dev0[192 + 64] to @host[64 + 64] after(%3)
  mem.result "y" [16] offsets [0] sizes [16] : f32 at v1 @host[64 + 64]
}
}
