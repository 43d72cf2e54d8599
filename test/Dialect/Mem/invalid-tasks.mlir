// RUN: turnip-opt %s -split-input-file -verify-diagnostics

// A mem.graph against the task.graph that it places: one case per message.

module {
mem.machine {
  mem.memory @dev0 device capacity 1024 alignment 64
  mem.memory @host host capacity 512 alignment 64
  mem.memory @params parameters capacity 128 alignment 64 readonly
  mem.device "dev0" accelerator memory @dev0 backing @host
  mem.device "host" host memory @host
  mem.link @host to @dev0 channel 0
  mem.link @params to @dev0 channel 0
  mem.link @dev0 to @host channel 1
}
task.kernel @f(tensor<16xf32>, tensor<16xf32>, index) -> tensor<16xf32>
task.kernel @g(tensor<16xf32>, tensor<16xf32>, index) -> tensor<16xf32>
// expected-error @+1 {{expected a task.graph, but there is no @none}}
mem.graph @main places @none {
  mem.cost @f on "dev0" seconds 1.0e-6
  mem.parameter "w" [16] offsets [0] sizes [16] : f32 at v1 @params[0 + 64]
  mem.input "x" [16] offsets [0] sizes [16] : f32 at v0 @host[0 + 64]
  %0 = mem.copy load v0 @host[0 + 64] to @dev0[0 + 64]
  %1 = mem.copy load v1 @params[0 + 64] to @dev0[64 + 64]
  %2 = mem.call @f task 0 on "dev0" reads(v0 @dev0[0 + 64], v1 @dev0[64 + 64]) writes(v2 @dev0[128 + 64]) scalars [5] after(%0, %1)
  %3 = mem.copy transfer v2 @dev0[128 + 64] to @host[64 + 64] task 1 "transfer" after(%2)
  mem.result "y" [16] offsets [0] sizes [16] : f32 at v2 @host[64 + 64]
}
task.graph @tasks devices 1 {
  %x = task.input "x" [16] offsets [0] sizes [16] : !task.tile<16xf32, dev 0>
  %w = task.parameter "w" [16] offsets [0] sizes [16] : !task.tile<16xf32, dev 0>
  %y = task.call @f(%x, %w) scalars [5] on dev 0 : (!task.tile<16xf32, dev 0>, !task.tile<16xf32, dev 0>) -> !task.tile<16xf32, dev 0>
  %z = task.transfer %y : !task.tile<16xf32, dev 0> to !task.tile<16xf32, host>
  task.result %z "y" [16] offsets [0] sizes [16] : !task.tile<16xf32, host>
}
}

// -----

module {
mem.machine {
  mem.memory @dev0 device capacity 1024 alignment 64
  mem.memory @host host capacity 512 alignment 64
  mem.memory @params parameters capacity 128 alignment 64 readonly
  mem.device "dev0" accelerator memory @dev0 backing @host
  mem.device "host" host memory @host
  mem.link @host to @dev0 channel 0
  mem.link @params to @dev0 channel 0
  mem.link @dev0 to @host channel 1
}
task.kernel @f(tensor<16xf32>, tensor<16xf32>, index) -> tensor<16xf32>
task.kernel @g(tensor<16xf32>, tensor<16xf32>, index) -> tensor<16xf32>
// expected-error @+1 {{expected a task.graph, but there is no @f}}
mem.graph @main places @f {
  mem.cost @f on "dev0" seconds 1.0e-6
  mem.parameter "w" [16] offsets [0] sizes [16] : f32 at v1 @params[0 + 64]
  mem.input "x" [16] offsets [0] sizes [16] : f32 at v0 @host[0 + 64]
  %0 = mem.copy load v0 @host[0 + 64] to @dev0[0 + 64]
  %1 = mem.copy load v1 @params[0 + 64] to @dev0[64 + 64]
  %2 = mem.call @f task 0 on "dev0" reads(v0 @dev0[0 + 64], v1 @dev0[64 + 64]) writes(v2 @dev0[128 + 64]) scalars [5] after(%0, %1)
  %3 = mem.copy transfer v2 @dev0[128 + 64] to @host[64 + 64] task 1 "transfer" after(%2)
  mem.result "y" [16] offsets [0] sizes [16] : f32 at v2 @host[64 + 64]
}
task.graph @tasks devices 1 {
  %x = task.input "x" [16] offsets [0] sizes [16] : !task.tile<16xf32, dev 0>
  %w = task.parameter "w" [16] offsets [0] sizes [16] : !task.tile<16xf32, dev 0>
  %y = task.call @f(%x, %w) scalars [5] on dev 0 : (!task.tile<16xf32, dev 0>, !task.tile<16xf32, dev 0>) -> !task.tile<16xf32, dev 0>
  %z = task.transfer %y : !task.tile<16xf32, dev 0> to !task.tile<16xf32, host>
  task.result %z "y" [16] offsets [0] sizes [16] : !task.tile<16xf32, host>
}
}

// -----

module {
mem.machine {
  mem.memory @dev0 device capacity 1024 alignment 64
  mem.memory @host host capacity 512 alignment 64
  mem.memory @params parameters capacity 128 alignment 64 readonly
  mem.device "dev0" accelerator memory @dev0 backing @host
  mem.device "host" host memory @host
  mem.link @host to @dev0 channel 0
  mem.link @params to @dev0 channel 0
  mem.link @dev0 to @host channel 1
}
task.kernel @f(tensor<16xf32>, tensor<16xf32>, index) -> tensor<16xf32>
task.kernel @g(tensor<16xf32>, tensor<16xf32>, index) -> tensor<16xf32>
// expected-error @+1 {{expected a machine with the devices of @tasks, but it has no #task.place<dev 1>}}
mem.graph @main places @tasks {
  mem.cost @f on "dev0" seconds 1.0e-6
  mem.parameter "w" [16] offsets [0] sizes [16] : f32 at v1 @params[0 + 64]
  mem.input "x" [16] offsets [0] sizes [16] : f32 at v0 @host[0 + 64]
  %0 = mem.copy load v0 @host[0 + 64] to @dev0[0 + 64]
  %1 = mem.copy load v1 @params[0 + 64] to @dev0[64 + 64]
  %2 = mem.call @f task 0 on "dev0" reads(v0 @dev0[0 + 64], v1 @dev0[64 + 64]) writes(v2 @dev0[128 + 64]) scalars [5] after(%0, %1)
  %3 = mem.copy transfer v2 @dev0[128 + 64] to @host[64 + 64] task 1 "transfer" after(%2)
  mem.result "y" [16] offsets [0] sizes [16] : f32 at v2 @host[64 + 64]
}
task.graph @tasks devices 2 {
  %x = task.input "x" [16] offsets [0] sizes [16] : !task.tile<16xf32, dev 0>
  %u = task.input "u" [16] offsets [0] sizes [16] : !task.tile<16xf32, dev 1>
  %w = task.parameter "w" [16] offsets [0] sizes [16] : !task.tile<16xf32, dev 0>
  %y = task.call @f(%x, %w) scalars [5] on dev 0 : (!task.tile<16xf32, dev 0>, !task.tile<16xf32, dev 0>) -> !task.tile<16xf32, dev 0>
  %z = task.transfer %y : !task.tile<16xf32, dev 0> to !task.tile<16xf32, host>
  task.result %z "y" [16] offsets [0] sizes [16] : !task.tile<16xf32, host>
}
}

// -----

module {
mem.machine {
  mem.memory @dev0 device capacity 1024 alignment 64
  mem.memory @host host capacity 512 alignment 64
  mem.memory @params parameters capacity 128 alignment 64 readonly
  mem.device "dev0" accelerator memory @dev0 backing @host
  mem.device "host" host memory @host
  mem.link @host to @dev0 channel 0
  mem.link @params to @dev0 channel 0
  mem.link @dev0 to @host channel 1
}
task.kernel @f(tensor<16xf32>, tensor<16xf32>, index) -> tensor<16xf32>
task.kernel @g(tensor<16xf32>, tensor<16xf32>, index) -> tensor<16xf32>
mem.graph @main places @tasks {
  mem.cost @f on "dev0" seconds 1.0e-6
  mem.parameter "w" [16] offsets [0] sizes [16] : f32 at v1 @params[0 + 64]
  mem.input "x" [16] offsets [0] sizes [16] : f32 at v0 @host[0 + 64]
  %0 = mem.copy load v0 @host[0 + 64] to @dev0[0 + 64]
  %1 = mem.copy load v1 @params[0 + 64] to @dev0[64 + 64]
// expected-error @+1 {{expected the number of a task of @tasks}}
  %2 = mem.call @f on "dev0" reads(v0 @dev0[0 + 64], v1 @dev0[64 + 64]) writes(v2 @dev0[128 + 64]) scalars [5] after(%0, %1)
  %3 = mem.copy transfer v2 @dev0[128 + 64] to @host[64 + 64] task 1 "transfer" after(%2)
  mem.result "y" [16] offsets [0] sizes [16] : f32 at v2 @host[64 + 64]
}
task.graph @tasks devices 1 {
  %x = task.input "x" [16] offsets [0] sizes [16] : !task.tile<16xf32, dev 0>
  %w = task.parameter "w" [16] offsets [0] sizes [16] : !task.tile<16xf32, dev 0>
  %y = task.call @f(%x, %w) scalars [5] on dev 0 : (!task.tile<16xf32, dev 0>, !task.tile<16xf32, dev 0>) -> !task.tile<16xf32, dev 0>
  %z = task.transfer %y : !task.tile<16xf32, dev 0> to !task.tile<16xf32, host>
  task.result %z "y" [16] offsets [0] sizes [16] : !task.tile<16xf32, host>
}
}

// -----

module {
mem.machine {
  mem.memory @dev0 device capacity 1024 alignment 64
  mem.memory @host host capacity 512 alignment 64
  mem.memory @params parameters capacity 128 alignment 64 readonly
  mem.device "dev0" accelerator memory @dev0 backing @host
  mem.device "host" host memory @host
  mem.link @host to @dev0 channel 0
  mem.link @params to @dev0 channel 0
  mem.link @dev0 to @host channel 1
}
task.kernel @f(tensor<16xf32>, tensor<16xf32>, index) -> tensor<16xf32>
task.kernel @g(tensor<16xf32>, tensor<16xf32>, index) -> tensor<16xf32>
mem.graph @main places @tasks {
  mem.cost @f on "dev0" seconds 1.0e-6
  mem.parameter "w" [16] offsets [0] sizes [16] : f32 at v1 @params[0 + 64]
  mem.input "x" [16] offsets [0] sizes [16] : f32 at v0 @host[0 + 64]
  %0 = mem.copy load v0 @host[0 + 64] to @dev0[0 + 64]
  %1 = mem.copy load v1 @params[0 + 64] to @dev0[64 + 64]
// expected-error @+1 {{expected a task of @tasks below 2, but got 2}}
  %2 = mem.call @f task 2 on "dev0" reads(v0 @dev0[0 + 64], v1 @dev0[64 + 64]) writes(v2 @dev0[128 + 64]) scalars [5] after(%0, %1)
  %3 = mem.copy transfer v2 @dev0[128 + 64] to @host[64 + 64] task 1 "transfer" after(%2)
  mem.result "y" [16] offsets [0] sizes [16] : f32 at v2 @host[64 + 64]
}
task.graph @tasks devices 1 {
  %x = task.input "x" [16] offsets [0] sizes [16] : !task.tile<16xf32, dev 0>
  %w = task.parameter "w" [16] offsets [0] sizes [16] : !task.tile<16xf32, dev 0>
  %y = task.call @f(%x, %w) scalars [5] on dev 0 : (!task.tile<16xf32, dev 0>, !task.tile<16xf32, dev 0>) -> !task.tile<16xf32, dev 0>
  %z = task.transfer %y : !task.tile<16xf32, dev 0> to !task.tile<16xf32, host>
  task.result %z "y" [16] offsets [0] sizes [16] : !task.tile<16xf32, host>
}
}

// -----

module {
mem.machine {
  mem.memory @dev0 device capacity 1024 alignment 64
  mem.memory @host host capacity 512 alignment 64
  mem.memory @params parameters capacity 128 alignment 64 readonly
  mem.device "dev0" accelerator memory @dev0 backing @host
  mem.device "host" host memory @host
  mem.link @host to @dev0 channel 0
  mem.link @params to @dev0 channel 0
  mem.link @dev0 to @host channel 1
}
task.kernel @f(tensor<16xf32>, tensor<16xf32>, index) -> tensor<16xf32>
task.kernel @g(tensor<16xf32>, tensor<16xf32>, index) -> tensor<16xf32>
mem.graph @main places @tasks {
  mem.cost @f on "dev0" seconds 1.0e-6
  mem.parameter "w" [16] offsets [0] sizes [16] : f32 at v1 @params[0 + 64]
  mem.input "x" [16] offsets [0] sizes [16] : f32 at v0 @host[0 + 64]
  %0 = mem.copy load v0 @host[0 + 64] to @dev0[0 + 64]
  %1 = mem.copy load v1 @params[0 + 64] to @dev0[64 + 64]
// expected-error @+1 {{expected the kernel of task 0 of @tasks}}
  %2 = mem.call @g task 0 on "dev0" reads(v0 @dev0[0 + 64], v1 @dev0[64 + 64]) writes(v2 @dev0[128 + 64]) scalars [5] after(%0, %1)
  %3 = mem.copy transfer v2 @dev0[128 + 64] to @host[64 + 64] task 1 "transfer" after(%2)
  mem.result "y" [16] offsets [0] sizes [16] : f32 at v2 @host[64 + 64]
}
task.graph @tasks devices 1 {
  %x = task.input "x" [16] offsets [0] sizes [16] : !task.tile<16xf32, dev 0>
  %w = task.parameter "w" [16] offsets [0] sizes [16] : !task.tile<16xf32, dev 0>
// expected-note @+1 {{the task in @tasks}}
  %y = task.call @f(%x, %w) scalars [5] on dev 0 : (!task.tile<16xf32, dev 0>, !task.tile<16xf32, dev 0>) -> !task.tile<16xf32, dev 0>
  %z = task.transfer %y : !task.tile<16xf32, dev 0> to !task.tile<16xf32, host>
  task.result %z "y" [16] offsets [0] sizes [16] : !task.tile<16xf32, host>
}
}

// -----

module {
mem.machine {
  mem.memory @dev0 device capacity 1024 alignment 64
  mem.memory @host host capacity 512 alignment 64
  mem.memory @params parameters capacity 128 alignment 64 readonly
  mem.device "dev0" accelerator memory @dev0 backing @host
  mem.device "host" host memory @host
  mem.link @host to @dev0 channel 0
  mem.link @params to @dev0 channel 0
  mem.link @dev0 to @host channel 1
}
task.kernel @f(tensor<16xf32>, tensor<16xf32>, index) -> tensor<16xf32>
task.kernel @g(tensor<16xf32>, tensor<16xf32>, index) -> tensor<16xf32>
mem.graph @main places @tasks {
  mem.cost @f on "dev0" seconds 1.0e-6
  mem.parameter "w" [16] offsets [0] sizes [16] : f32 at v1 @params[0 + 64]
  mem.input "x" [16] offsets [0] sizes [16] : f32 at v0 @host[0 + 64]
  %0 = mem.copy load v0 @host[0 + 64] to @dev0[0 + 64]
  %1 = mem.copy load v1 @params[0 + 64] to @dev0[64 + 64]
// expected-error @+1 {{expected the kernel of task 1 of @tasks}}
  %2 = mem.call @f task 1 on "dev0" reads(v0 @dev0[0 + 64], v1 @dev0[64 + 64]) writes(v2 @dev0[128 + 64]) scalars [5] after(%0, %1)
  %3 = mem.copy transfer v2 @dev0[128 + 64] to @host[64 + 64] task 1 "transfer" after(%2)
  mem.result "y" [16] offsets [0] sizes [16] : f32 at v2 @host[64 + 64]
}
task.graph @tasks devices 1 {
  %x = task.input "x" [16] offsets [0] sizes [16] : !task.tile<16xf32, dev 0>
  %w = task.parameter "w" [16] offsets [0] sizes [16] : !task.tile<16xf32, dev 0>
  %y = task.call @f(%x, %w) scalars [5] on dev 0 : (!task.tile<16xf32, dev 0>, !task.tile<16xf32, dev 0>) -> !task.tile<16xf32, dev 0>
// expected-note @+1 {{the task in @tasks}}
  %z = task.transfer %y : !task.tile<16xf32, dev 0> to !task.tile<16xf32, host>
  task.result %z "y" [16] offsets [0] sizes [16] : !task.tile<16xf32, host>
}
}

// -----

module {
mem.machine {
  mem.memory @dev0 device capacity 1024 alignment 64
  mem.memory @host host capacity 512 alignment 64
  mem.memory @params parameters capacity 128 alignment 64 readonly
  mem.device "dev0" accelerator memory @dev0 backing @host
  mem.device "host" host memory @host
  mem.link @host to @dev0 channel 0
  mem.link @params to @dev0 channel 0
  mem.link @dev0 to @host channel 1
}
task.kernel @f(tensor<16xf32>, tensor<16xf32>, index) -> tensor<16xf32>
task.kernel @g(tensor<16xf32>, tensor<16xf32>, index) -> tensor<16xf32>
mem.graph @main places @tasks {
  mem.cost @f on "dev0" seconds 1.0e-6
  mem.parameter "w" [16] offsets [0] sizes [16] : f32 at v1 @params[0 + 64]
  mem.input "x" [16] offsets [0] sizes [16] : f32 at v0 @host[0 + 64]
  %0 = mem.copy load v0 @host[0 + 64] to @dev0[0 + 64]
  %1 = mem.copy load v1 @params[0 + 64] to @dev0[64 + 64]
// expected-error @+1 {{expected the scalars of task 0 of @tasks}}
  %2 = mem.call @f task 0 on "dev0" reads(v0 @dev0[0 + 64], v1 @dev0[64 + 64]) writes(v2 @dev0[128 + 64]) scalars [6] after(%0, %1)
  %3 = mem.copy transfer v2 @dev0[128 + 64] to @host[64 + 64] task 1 "transfer" after(%2)
  mem.result "y" [16] offsets [0] sizes [16] : f32 at v2 @host[64 + 64]
}
task.graph @tasks devices 1 {
  %x = task.input "x" [16] offsets [0] sizes [16] : !task.tile<16xf32, dev 0>
  %w = task.parameter "w" [16] offsets [0] sizes [16] : !task.tile<16xf32, dev 0>
// expected-note @+1 {{the task in @tasks}}
  %y = task.call @f(%x, %w) scalars [5] on dev 0 : (!task.tile<16xf32, dev 0>, !task.tile<16xf32, dev 0>) -> !task.tile<16xf32, dev 0>
  %z = task.transfer %y : !task.tile<16xf32, dev 0> to !task.tile<16xf32, host>
  task.result %z "y" [16] offsets [0] sizes [16] : !task.tile<16xf32, host>
}
}

// -----

module {
mem.machine {
  mem.memory @dev0 device capacity 1024 alignment 64
  mem.memory @host host capacity 512 alignment 64
  mem.memory @params parameters capacity 128 alignment 64 readonly
  mem.device "dev0" accelerator memory @dev0 backing @host
  mem.device "host" host memory @host
  mem.link @host to @dev0 channel 0
  mem.link @params to @dev0 channel 0
  mem.link @dev0 to @host channel 1
}
task.kernel @f(tensor<16xf32>, tensor<16xf32>, index) -> tensor<16xf32>
task.kernel @g(tensor<16xf32>, tensor<16xf32>, index) -> tensor<16xf32>
mem.graph @main places @tasks {
  mem.cost @f on "dev0" seconds 1.0e-6
  mem.parameter "w" [16] offsets [0] sizes [16] : f32 at v1 @params[0 + 64]
  mem.input "x" [16] offsets [0] sizes [16] : f32 at v0 @host[0 + 64]
  %0 = mem.copy load v0 @host[0 + 64] to @dev0[0 + 64]
  %1 = mem.copy load v1 @params[0 + 64] to @dev0[64 + 64]
// expected-error @+1 {{expected number 0 of reads to be value v0 as in @tasks, but got v1}}
  %2 = mem.call @f task 0 on "dev0" reads(v1 @dev0[64 + 64], v0 @dev0[0 + 64]) writes(v2 @dev0[128 + 64]) scalars [5] after(%0, %1)
  %3 = mem.copy transfer v2 @dev0[128 + 64] to @host[64 + 64] task 1 "transfer" after(%2)
  mem.result "y" [16] offsets [0] sizes [16] : f32 at v2 @host[64 + 64]
}
task.graph @tasks devices 1 {
  %x = task.input "x" [16] offsets [0] sizes [16] : !task.tile<16xf32, dev 0>
  %w = task.parameter "w" [16] offsets [0] sizes [16] : !task.tile<16xf32, dev 0>
// expected-note @+1 {{the task in @tasks}}
  %y = task.call @f(%x, %w) scalars [5] on dev 0 : (!task.tile<16xf32, dev 0>, !task.tile<16xf32, dev 0>) -> !task.tile<16xf32, dev 0>
  %z = task.transfer %y : !task.tile<16xf32, dev 0> to !task.tile<16xf32, host>
  task.result %z "y" [16] offsets [0] sizes [16] : !task.tile<16xf32, host>
}
}

// -----

module {
mem.machine {
  mem.memory @dev0 device capacity 1024 alignment 64
  mem.memory @host host capacity 512 alignment 64
  mem.memory @params parameters capacity 128 alignment 64 readonly
  mem.device "dev0" accelerator memory @dev0 backing @host
  mem.device "host" host memory @host
  mem.link @host to @dev0 channel 0
  mem.link @params to @dev0 channel 0
  mem.link @dev0 to @host channel 1
}
task.kernel @f(tensor<16xf32>, tensor<16xf32>, index) -> tensor<16xf32>
task.kernel @g(tensor<16xf32>, tensor<16xf32>, index) -> tensor<16xf32>
mem.graph @main places @tasks {
  mem.cost @f on "dev0" seconds 1.0e-6
  mem.parameter "w" [16] offsets [0] sizes [16] : f32 at v1 @params[0 + 64]
  mem.input "x" [16] offsets [0] sizes [16] : f32 at v0 @host[0 + 64]
  %0 = mem.copy load v0 @host[0 + 64] to @dev0[0 + 64]
  %1 = mem.copy load v1 @params[0 + 64] to @dev0[64 + 64]
// expected-error @+1 {{expected number 0 of writes to be value v2 as in @tasks, but got v3}}
  %2 = mem.call @f task 0 on "dev0" reads(v0 @dev0[0 + 64], v1 @dev0[64 + 64]) writes(v3 @dev0[128 + 64]) scalars [5] after(%0, %1)
  %3 = mem.copy transfer v3 @dev0[128 + 64] to @host[64 + 64] task 1 "transfer" after(%2)
  mem.result "y" [16] offsets [0] sizes [16] : f32 at v3 @host[64 + 64]
}
task.graph @tasks devices 1 {
  %x = task.input "x" [16] offsets [0] sizes [16] : !task.tile<16xf32, dev 0>
  %w = task.parameter "w" [16] offsets [0] sizes [16] : !task.tile<16xf32, dev 0>
// expected-note @+1 {{the task in @tasks}}
  %y = task.call @f(%x, %w) scalars [5] on dev 0 : (!task.tile<16xf32, dev 0>, !task.tile<16xf32, dev 0>) -> !task.tile<16xf32, dev 0>
  %z = task.transfer %y : !task.tile<16xf32, dev 0> to !task.tile<16xf32, host>
  task.result %z "y" [16] offsets [0] sizes [16] : !task.tile<16xf32, host>
}
}

// -----

module {
mem.machine {
  mem.memory @dev0 device capacity 1024 alignment 64
  mem.memory @host host capacity 512 alignment 64
  mem.memory @params parameters capacity 128 alignment 64 readonly
  mem.device "dev0" accelerator memory @dev0 backing @host
  mem.device "host" host memory @host
  mem.link @host to @dev0 channel 0
  mem.link @params to @dev0 channel 0
  mem.link @dev0 to @host channel 1
}
task.kernel @f(tensor<16xf32>, tensor<16xf32>, index) -> tensor<16xf32>
task.kernel @g(tensor<16xf32>, tensor<16xf32>, index) -> tensor<16xf32>
mem.graph @main places @tasks {
  mem.cost @f on "dev0" seconds 1.0e-6
  mem.parameter "w" [16] offsets [0] sizes [16] : f32 at v1 @params[0 + 64]
  mem.input "x" [16] offsets [0] sizes [16] : f32 at v0 @host[0 + 64]
  %0 = mem.copy load v0 @host[0 + 64] to @dev0[0 + 64]
// expected-error @+1 {{expected no task for a copy of role load}}
  %1 = mem.copy load v1 @params[0 + 64] to @dev0[64 + 64] task 1
  %2 = mem.call @f task 0 on "dev0" reads(v0 @dev0[0 + 64], v1 @dev0[64 + 64]) writes(v2 @dev0[128 + 64]) scalars [5] after(%0, %1)
  %3 = mem.copy transfer v2 @dev0[128 + 64] to @host[64 + 64] task 1 "transfer" after(%2)
  mem.result "y" [16] offsets [0] sizes [16] : f32 at v2 @host[64 + 64]
}
task.graph @tasks devices 1 {
  %x = task.input "x" [16] offsets [0] sizes [16] : !task.tile<16xf32, dev 0>
  %w = task.parameter "w" [16] offsets [0] sizes [16] : !task.tile<16xf32, dev 0>
  %y = task.call @f(%x, %w) scalars [5] on dev 0 : (!task.tile<16xf32, dev 0>, !task.tile<16xf32, dev 0>) -> !task.tile<16xf32, dev 0>
  %z = task.transfer %y : !task.tile<16xf32, dev 0> to !task.tile<16xf32, host>
  task.result %z "y" [16] offsets [0] sizes [16] : !task.tile<16xf32, host>
}
}

// -----

module {
mem.machine {
  mem.memory @dev0 device capacity 1024 alignment 64
  mem.memory @host host capacity 512 alignment 64
  mem.memory @params parameters capacity 128 alignment 64 readonly
  mem.device "dev0" accelerator memory @dev0 backing @host
  mem.device "host" host memory @host
  mem.link @host to @dev0 channel 0
  mem.link @params to @dev0 channel 0
  mem.link @dev0 to @host channel 1
}
task.kernel @f(tensor<16xf32>, tensor<16xf32>, index) -> tensor<16xf32>
task.kernel @g(tensor<16xf32>, tensor<16xf32>, index) -> tensor<16xf32>
mem.graph @main places @tasks {
  mem.cost @f on "dev0" seconds 1.0e-6
  mem.parameter "w" [16] offsets [0] sizes [16] : f32 at v1 @params[0 + 64]
  mem.input "x" [16] offsets [0] sizes [16] : f32 at v0 @host[0 + 64]
  %0 = mem.copy load v0 @host[0 + 64] to @dev0[0 + 64]
  %1 = mem.copy load v1 @params[0 + 64] to @dev0[64 + 64]
  %2 = mem.call @f task 0 on "dev0" reads(v0 @dev0[0 + 64], v1 @dev0[64 + 64]) writes(v2 @dev0[128 + 64]) scalars [5] after(%0, %1)
// expected-error @+1 {{expected a task.transfer as task 0 of @tasks}}
  %3 = mem.copy transfer v2 @dev0[128 + 64] to @host[64 + 64] task 0 "transfer" after(%2)
  mem.result "y" [16] offsets [0] sizes [16] : f32 at v2 @host[64 + 64]
}
task.graph @tasks devices 1 {
  %x = task.input "x" [16] offsets [0] sizes [16] : !task.tile<16xf32, dev 0>
  %w = task.parameter "w" [16] offsets [0] sizes [16] : !task.tile<16xf32, dev 0>
// expected-note @+1 {{the task in @tasks}}
  %y = task.call @f(%x, %w) scalars [5] on dev 0 : (!task.tile<16xf32, dev 0>, !task.tile<16xf32, dev 0>) -> !task.tile<16xf32, dev 0>
  %z = task.transfer %y : !task.tile<16xf32, dev 0> to !task.tile<16xf32, host>
  task.result %z "y" [16] offsets [0] sizes [16] : !task.tile<16xf32, host>
}
}

// -----

module {
mem.machine {
  mem.memory @dev0 device capacity 1024 alignment 64
  mem.memory @host host capacity 512 alignment 64
  mem.memory @params parameters capacity 128 alignment 64 readonly
  mem.device "dev0" accelerator memory @dev0 backing @host
  mem.device "host" host memory @host
  mem.link @host to @dev0 channel 0
  mem.link @params to @dev0 channel 0
  mem.link @dev0 to @host channel 1
}
task.kernel @f(tensor<16xf32>, tensor<16xf32>, index) -> tensor<16xf32>
task.kernel @g(tensor<16xf32>, tensor<16xf32>, index) -> tensor<16xf32>
mem.graph @main places @tasks {
  mem.cost @f on "dev0" seconds 1.0e-6
  mem.parameter "w" [16] offsets [0] sizes [16] : f32 at v1 @params[0 + 64]
  mem.input "x" [16] offsets [0] sizes [16] : f32 at v0 @host[0 + 64]
  %0 = mem.copy load v0 @host[0 + 64] to @dev0[0 + 64]
  %1 = mem.copy load v1 @params[0 + 64] to @dev0[64 + 64]
  %2 = mem.call @f task 0 on "dev0" reads(v0 @dev0[0 + 64], v1 @dev0[64 + 64]) writes(v2 @dev0[128 + 64]) scalars [5] after(%0, %1)
// expected-error @+1 {{expected the number of a task of @tasks}}
  %3 = mem.copy transfer v2 @dev0[128 + 64] to @host[64 + 64] after(%2)
  mem.result "y" [16] offsets [0] sizes [16] : f32 at v2 @host[64 + 64]
}
task.graph @tasks devices 1 {
  %x = task.input "x" [16] offsets [0] sizes [16] : !task.tile<16xf32, dev 0>
  %w = task.parameter "w" [16] offsets [0] sizes [16] : !task.tile<16xf32, dev 0>
  %y = task.call @f(%x, %w) scalars [5] on dev 0 : (!task.tile<16xf32, dev 0>, !task.tile<16xf32, dev 0>) -> !task.tile<16xf32, dev 0>
  %z = task.transfer %y : !task.tile<16xf32, dev 0> to !task.tile<16xf32, host>
  task.result %z "y" [16] offsets [0] sizes [16] : !task.tile<16xf32, host>
}
}

// -----

module {
mem.machine {
  mem.memory @dev0 device capacity 1024 alignment 64
  mem.memory @host host capacity 512 alignment 64
  mem.memory @params parameters capacity 128 alignment 64 readonly
  mem.device "dev0" accelerator memory @dev0 backing @host
  mem.device "host" host memory @host
  mem.link @host to @dev0 channel 0
  mem.link @params to @dev0 channel 0
  mem.link @dev0 to @host channel 1
}
task.kernel @f(tensor<16xf32>, tensor<16xf32>, index) -> tensor<16xf32>
task.kernel @g(tensor<16xf32>, tensor<16xf32>, index) -> tensor<16xf32>
mem.graph @main places @tasks {
  mem.cost @f on "dev0" seconds 1.0e-6
// expected-error @+1 {{expected a slice that @tasks has as tile 1}}
  mem.parameter "v" [16] offsets [0] sizes [16] : f32 at v1 @params[0 + 64]
  mem.input "x" [16] offsets [0] sizes [16] : f32 at v0 @host[0 + 64]
  %0 = mem.copy load v0 @host[0 + 64] to @dev0[0 + 64]
  %1 = mem.copy load v1 @params[0 + 64] to @dev0[64 + 64]
  %2 = mem.call @f task 0 on "dev0" reads(v0 @dev0[0 + 64], v1 @dev0[64 + 64]) writes(v2 @dev0[128 + 64]) scalars [5] after(%0, %1)
  %3 = mem.copy transfer v2 @dev0[128 + 64] to @host[64 + 64] task 1 "transfer" after(%2)
  mem.result "y" [16] offsets [0] sizes [16] : f32 at v2 @host[64 + 64]
}
task.graph @tasks devices 1 {
  %x = task.input "x" [16] offsets [0] sizes [16] : !task.tile<16xf32, dev 0>
  %w = task.parameter "w" [16] offsets [0] sizes [16] : !task.tile<16xf32, dev 0>
  %y = task.call @f(%x, %w) scalars [5] on dev 0 : (!task.tile<16xf32, dev 0>, !task.tile<16xf32, dev 0>) -> !task.tile<16xf32, dev 0>
  %z = task.transfer %y : !task.tile<16xf32, dev 0> to !task.tile<16xf32, host>
  task.result %z "y" [16] offsets [0] sizes [16] : !task.tile<16xf32, host>
}
}

// -----

module {
mem.machine {
  mem.memory @dev0 device capacity 1024 alignment 64
  mem.memory @host host capacity 512 alignment 64
  mem.memory @params parameters capacity 128 alignment 64 readonly
  mem.device "dev0" accelerator memory @dev0 backing @host
  mem.device "host" host memory @host
  mem.link @host to @dev0 channel 0
  mem.link @params to @dev0 channel 0
  mem.link @dev0 to @host channel 1
}
task.kernel @f(tensor<16xf32>, tensor<16xf32>, index) -> tensor<16xf32>
task.kernel @g(tensor<16xf32>, tensor<16xf32>, index) -> tensor<16xf32>
mem.graph @main places @tasks {
  mem.cost @f on "dev0" seconds 1.0e-6
  mem.parameter "w" [16] offsets [0] sizes [16] : f32 at v1 @params[0 + 64]
// expected-error @+1 {{expected a slice that @tasks has as tile 9}}
  mem.parameter "w" [16] offsets [0] sizes [16] : f32 at v9 @params[64 + 64]
  mem.input "x" [16] offsets [0] sizes [16] : f32 at v0 @host[0 + 64]
  %0 = mem.copy load v0 @host[0 + 64] to @dev0[0 + 64]
  %1 = mem.copy load v1 @params[0 + 64] to @dev0[64 + 64]
  %2 = mem.call @f task 0 on "dev0" reads(v0 @dev0[0 + 64], v1 @dev0[64 + 64]) writes(v2 @dev0[128 + 64]) scalars [5] after(%0, %1)
  %3 = mem.copy transfer v2 @dev0[128 + 64] to @host[64 + 64] task 1 "transfer" after(%2)
  mem.result "y" [16] offsets [0] sizes [16] : f32 at v2 @host[64 + 64]
}
task.graph @tasks devices 1 {
  %x = task.input "x" [16] offsets [0] sizes [16] : !task.tile<16xf32, dev 0>
  %w = task.parameter "w" [16] offsets [0] sizes [16] : !task.tile<16xf32, dev 0>
  %y = task.call @f(%x, %w) scalars [5] on dev 0 : (!task.tile<16xf32, dev 0>, !task.tile<16xf32, dev 0>) -> !task.tile<16xf32, dev 0>
  %z = task.transfer %y : !task.tile<16xf32, dev 0> to !task.tile<16xf32, host>
  task.result %z "y" [16] offsets [0] sizes [16] : !task.tile<16xf32, host>
}
}

// -----

module {
mem.machine {
  mem.memory @dev0 device capacity 1024 alignment 64
  mem.memory @host host capacity 512 alignment 64
  mem.memory @params parameters capacity 128 alignment 64 readonly
  mem.device "dev0" accelerator memory @dev0 backing @host
  mem.device "host" host memory @host
  mem.link @host to @dev0 channel 0
  mem.link @params to @dev0 channel 0
  mem.link @dev0 to @host channel 1
}
task.kernel @f(tensor<16xf32>, tensor<16xf32>, index) -> tensor<16xf32>
task.kernel @g(tensor<16xf32>, tensor<16xf32>, index) -> tensor<16xf32>
mem.graph @main places @tasks {
  mem.cost @f on "dev0" seconds 1.0e-6
  mem.parameter "w" [16] offsets [0] sizes [16] : f32 at v1 @params[0 + 64]
// expected-error @+1 {{expected a slice that @tasks has as tile 0}}
  mem.input "w" [16] offsets [0] sizes [16] : f32 at v0 @host[0 + 64]
  %0 = mem.copy load v0 @host[0 + 64] to @dev0[0 + 64]
  %1 = mem.copy load v1 @params[0 + 64] to @dev0[64 + 64]
  %2 = mem.call @f task 0 on "dev0" reads(v0 @dev0[0 + 64], v1 @dev0[64 + 64]) writes(v2 @dev0[128 + 64]) scalars [5] after(%0, %1)
  %3 = mem.copy transfer v2 @dev0[128 + 64] to @host[64 + 64] task 1 "transfer" after(%2)
  mem.result "y" [16] offsets [0] sizes [16] : f32 at v2 @host[64 + 64]
}
task.graph @tasks devices 1 {
  %x = task.input "x" [16] offsets [0] sizes [16] : !task.tile<16xf32, dev 0>
  %w = task.parameter "w" [16] offsets [0] sizes [16] : !task.tile<16xf32, dev 0>
  %y = task.call @f(%x, %w) scalars [5] on dev 0 : (!task.tile<16xf32, dev 0>, !task.tile<16xf32, dev 0>) -> !task.tile<16xf32, dev 0>
  %z = task.transfer %y : !task.tile<16xf32, dev 0> to !task.tile<16xf32, host>
  task.result %z "y" [16] offsets [0] sizes [16] : !task.tile<16xf32, host>
}
}

// -----

module {
mem.machine {
  mem.memory @dev0 device capacity 1024 alignment 64
  mem.memory @host host capacity 512 alignment 64
  mem.memory @params parameters capacity 128 alignment 64 readonly
  mem.device "dev0" accelerator memory @dev0 backing @host
  mem.device "host" host memory @host
  mem.link @host to @dev0 channel 0
  mem.link @params to @dev0 channel 0
  mem.link @dev0 to @host channel 1
}
task.kernel @f(tensor<16xf32>, tensor<16xf32>, index) -> tensor<16xf32>
task.kernel @g(tensor<16xf32>, tensor<16xf32>, index) -> tensor<16xf32>
// expected-error @+1 {{expected an operation that carries out task 1 of @tasks}}
mem.graph @main places @tasks {
  mem.cost @f on "dev0" seconds 1.0e-6
  mem.parameter "w" [16] offsets [0] sizes [16] : f32 at v1 @params[0 + 64]
  mem.input "x" [16] offsets [0] sizes [16] : f32 at v0 @host[0 + 64]
  %0 = mem.copy load v0 @host[0 + 64] to @dev0[0 + 64]
  %1 = mem.copy load v1 @params[0 + 64] to @dev0[64 + 64]
  %2 = mem.call @f task 0 on "dev0" reads(v0 @dev0[0 + 64], v1 @dev0[64 + 64]) writes(v2 @dev0[128 + 64]) scalars [5] after(%0, %1)
  %3 = mem.copy offload v2 @dev0[128 + 64] to @host[64 + 64] after(%2)
  mem.result "y" [16] offsets [0] sizes [16] : f32 at v2 @host[64 + 64]
}
task.graph @tasks devices 1 {
  %x = task.input "x" [16] offsets [0] sizes [16] : !task.tile<16xf32, dev 0>
  %w = task.parameter "w" [16] offsets [0] sizes [16] : !task.tile<16xf32, dev 0>
  %y = task.call @f(%x, %w) scalars [5] on dev 0 : (!task.tile<16xf32, dev 0>, !task.tile<16xf32, dev 0>) -> !task.tile<16xf32, dev 0>
// expected-note @+1 {{the task in @tasks}}
  %z = task.transfer %y : !task.tile<16xf32, dev 0> to !task.tile<16xf32, host>
  task.result %z "y" [16] offsets [0] sizes [16] : !task.tile<16xf32, host>
}
}

// -----

module {
mem.machine {
  mem.memory @dev0 device capacity 1024 alignment 64
  mem.memory @host host capacity 512 alignment 64
  mem.memory @params parameters capacity 128 alignment 64 readonly
  mem.device "dev0" accelerator memory @dev0 backing @host
  mem.device "host" host memory @host
  mem.link @host to @dev0 channel 0
  mem.link @params to @dev0 channel 0
  mem.link @dev0 to @host channel 1
}
task.kernel @f(tensor<16xf32>, tensor<16xf32>, index) -> tensor<16xf32>
task.kernel @g(tensor<16xf32>, tensor<16xf32>, index) -> tensor<16xf32>
mem.graph @main places @tasks {
  mem.cost @f on "dev0" seconds 1.0e-6
  mem.parameter "w" [16] offsets [0] sizes [16] : f32 at v1 @params[0 + 64]
  mem.input "x" [16] offsets [0] sizes [16] : f32 at v0 @host[0 + 64]
  %0 = mem.copy load v0 @host[0 + 64] to @dev0[0 + 64]
  %1 = mem.copy load v1 @params[0 + 64] to @dev0[64 + 64]
  %2 = mem.call @f task 0 on "dev0" reads(v0 @dev0[0 + 64], v1 @dev0[64 + 64]) writes(v2 @dev0[128 + 64]) scalars [5] after(%0, %1)
  %3 = mem.copy transfer v2 @dev0[128 + 64] to @host[64 + 64] task 1 "transfer" after(%2)
// expected-error @+1 {{expected the slices of @tasks in their order}}
  mem.result "u" [16] offsets [0] sizes [16] : f32 at v2 @host[64 + 64]
}
task.graph @tasks devices 1 {
  %x = task.input "x" [16] offsets [0] sizes [16] : !task.tile<16xf32, dev 0>
  %w = task.parameter "w" [16] offsets [0] sizes [16] : !task.tile<16xf32, dev 0>
  %y = task.call @f(%x, %w) scalars [5] on dev 0 : (!task.tile<16xf32, dev 0>, !task.tile<16xf32, dev 0>) -> !task.tile<16xf32, dev 0>
  %z = task.transfer %y : !task.tile<16xf32, dev 0> to !task.tile<16xf32, host>
// expected-note @+1 {{the task in @tasks}}
  task.result %z "y" [16] offsets [0] sizes [16] : !task.tile<16xf32, host>
}
}

// -----

module {
mem.machine {
  mem.memory @dev0 device capacity 1024 alignment 64
  mem.memory @host host capacity 512 alignment 64
  mem.memory @params parameters capacity 128 alignment 64 readonly
  mem.device "dev0" accelerator memory @dev0 backing @host
  mem.device "host" host memory @host
  mem.link @host to @dev0 channel 0
  mem.link @params to @dev0 channel 0
  mem.link @dev0 to @host channel 1
}
task.kernel @f(tensor<16xf32>, tensor<16xf32>, index) -> tensor<16xf32>
task.kernel @g(tensor<16xf32>, tensor<16xf32>, index) -> tensor<16xf32>
mem.graph @main places @tasks {
  mem.cost @f on "dev0" seconds 1.0e-6
  mem.parameter "w" [16] offsets [0] sizes [16] : f32 at v1 @params[0 + 64]
  mem.input "x" [16] offsets [0] sizes [16] : f32 at v0 @host[0 + 64]
  %0 = mem.copy load v0 @host[0 + 64] to @dev0[0 + 64]
  %1 = mem.copy load v1 @params[0 + 64] to @dev0[64 + 64]
  %2 = mem.call @f task 0 on "dev0" reads(v0 @dev0[0 + 64], v1 @dev0[64 + 64]) writes(v2 @dev0[128 + 64]) scalars [5] after(%0, %1)
  %3 = mem.copy transfer v2 @dev0[128 + 64] to @host[64 + 64] task 1 "transfer" after(%2)
// expected-error @+1 {{expected number 0 of results to be value v2 as in @tasks, but got v0}}
  mem.result "y" [16] offsets [0] sizes [16] : f32 at v0 @host[0 + 64]
}
task.graph @tasks devices 1 {
  %x = task.input "x" [16] offsets [0] sizes [16] : !task.tile<16xf32, dev 0>
  %w = task.parameter "w" [16] offsets [0] sizes [16] : !task.tile<16xf32, dev 0>
  %y = task.call @f(%x, %w) scalars [5] on dev 0 : (!task.tile<16xf32, dev 0>, !task.tile<16xf32, dev 0>) -> !task.tile<16xf32, dev 0>
  %z = task.transfer %y : !task.tile<16xf32, dev 0> to !task.tile<16xf32, host>
// expected-note @+1 {{the task in @tasks}}
  task.result %z "y" [16] offsets [0] sizes [16] : !task.tile<16xf32, host>
}
}

// -----

module {
mem.machine {
  mem.memory @dev0 device capacity 1024 alignment 64
  mem.memory @host host capacity 512 alignment 64
  mem.memory @params parameters capacity 128 alignment 64 readonly
  mem.device "dev0" accelerator memory @dev0 backing @host
  mem.device "host" host memory @host
  mem.link @host to @dev0 channel 0
  mem.link @params to @dev0 channel 0
  mem.link @dev0 to @host channel 1
}
task.kernel @f(tensor<16xf32>, tensor<16xf32>, index) -> tensor<16xf32>
task.kernel @g(tensor<16xf32>, tensor<16xf32>, index) -> tensor<16xf32>
// expected-error @+1 {{expected 1 mem.result as @tasks has, but got 0}}
mem.graph @main places @tasks {
  mem.cost @f on "dev0" seconds 1.0e-6
  mem.parameter "w" [16] offsets [0] sizes [16] : f32 at v1 @params[0 + 64]
  mem.input "x" [16] offsets [0] sizes [16] : f32 at v0 @host[0 + 64]
  %0 = mem.copy load v0 @host[0 + 64] to @dev0[0 + 64]
  %1 = mem.copy load v1 @params[0 + 64] to @dev0[64 + 64]
  %2 = mem.call @f task 0 on "dev0" reads(v0 @dev0[0 + 64], v1 @dev0[64 + 64]) writes(v2 @dev0[128 + 64]) scalars [5] after(%0, %1)
  %3 = mem.copy transfer v2 @dev0[128 + 64] to @host[64 + 64] task 1 "transfer" after(%2)
  
}
task.graph @tasks devices 1 {
  %x = task.input "x" [16] offsets [0] sizes [16] : !task.tile<16xf32, dev 0>
  %w = task.parameter "w" [16] offsets [0] sizes [16] : !task.tile<16xf32, dev 0>
  %y = task.call @f(%x, %w) scalars [5] on dev 0 : (!task.tile<16xf32, dev 0>, !task.tile<16xf32, dev 0>) -> !task.tile<16xf32, dev 0>
  %z = task.transfer %y : !task.tile<16xf32, dev 0> to !task.tile<16xf32, host>
  task.result %z "y" [16] offsets [0] sizes [16] : !task.tile<16xf32, host>
}
}

// -----

module {
mem.machine {
  mem.memory @dev0 device capacity 1024 alignment 64
  mem.memory @host host capacity 512 alignment 64
  mem.memory @params parameters capacity 128 alignment 64 readonly
  mem.device "dev0" accelerator memory @dev0 backing @host
  mem.device "host" host memory @host
  mem.link @host to @dev0 channel 0
  mem.link @params to @dev0 channel 0
  mem.link @dev0 to @host channel 1
}
task.kernel @f(tensor<16xf32>, tensor<16xf32>, index) -> tensor<16xf32>
task.kernel @g(tensor<16xf32>, tensor<16xf32>, index) -> tensor<16xf32>
mem.graph @main places @tasks {
// expected-error @+1 {{expected seconds of at least 0, but got -1.000000e+00}}
  mem.cost @f on "dev0" seconds -1.0
  mem.parameter "w" [16] offsets [0] sizes [16] : f32 at v1 @params[0 + 64]
  mem.input "x" [16] offsets [0] sizes [16] : f32 at v0 @host[0 + 64]
  %0 = mem.copy load v0 @host[0 + 64] to @dev0[0 + 64]
  %1 = mem.copy load v1 @params[0 + 64] to @dev0[64 + 64]
  %2 = mem.call @f task 0 on "dev0" reads(v0 @dev0[0 + 64], v1 @dev0[64 + 64]) writes(v2 @dev0[128 + 64]) scalars [5] after(%0, %1)
  %3 = mem.copy transfer v2 @dev0[128 + 64] to @host[64 + 64] task 1 "transfer" after(%2)
  mem.result "y" [16] offsets [0] sizes [16] : f32 at v2 @host[64 + 64]
}
task.graph @tasks devices 1 {
  %x = task.input "x" [16] offsets [0] sizes [16] : !task.tile<16xf32, dev 0>
  %w = task.parameter "w" [16] offsets [0] sizes [16] : !task.tile<16xf32, dev 0>
  %y = task.call @f(%x, %w) scalars [5] on dev 0 : (!task.tile<16xf32, dev 0>, !task.tile<16xf32, dev 0>) -> !task.tile<16xf32, dev 0>
  %z = task.transfer %y : !task.tile<16xf32, dev 0> to !task.tile<16xf32, host>
  task.result %z "y" [16] offsets [0] sizes [16] : !task.tile<16xf32, host>
}
}

// -----

module {
mem.machine {
  mem.memory @dev0 device capacity 1024 alignment 64
  mem.memory @host host capacity 512 alignment 64
  mem.memory @params parameters capacity 128 alignment 64 readonly
  mem.device "dev0" accelerator memory @dev0 backing @host
  mem.device "host" host memory @host
  mem.link @host to @dev0 channel 0
  mem.link @params to @dev0 channel 0
  mem.link @dev0 to @host channel 1
}
task.kernel @f(tensor<16xf32>, tensor<16xf32>, index) -> tensor<16xf32>
task.kernel @g(tensor<16xf32>, tensor<16xf32>, index) -> tensor<16xf32>
mem.graph @main places @tasks {
// expected-error @+1 {{expected a task.kernel, but there is no @h}}
  mem.cost @h on "dev0" seconds 1.0e-6
  mem.parameter "w" [16] offsets [0] sizes [16] : f32 at v1 @params[0 + 64]
  mem.input "x" [16] offsets [0] sizes [16] : f32 at v0 @host[0 + 64]
  %0 = mem.copy load v0 @host[0 + 64] to @dev0[0 + 64]
  %1 = mem.copy load v1 @params[0 + 64] to @dev0[64 + 64]
  %2 = mem.call @f task 0 on "dev0" reads(v0 @dev0[0 + 64], v1 @dev0[64 + 64]) writes(v2 @dev0[128 + 64]) scalars [5] after(%0, %1)
  %3 = mem.copy transfer v2 @dev0[128 + 64] to @host[64 + 64] task 1 "transfer" after(%2)
  mem.result "y" [16] offsets [0] sizes [16] : f32 at v2 @host[64 + 64]
}
task.graph @tasks devices 1 {
  %x = task.input "x" [16] offsets [0] sizes [16] : !task.tile<16xf32, dev 0>
  %w = task.parameter "w" [16] offsets [0] sizes [16] : !task.tile<16xf32, dev 0>
  %y = task.call @f(%x, %w) scalars [5] on dev 0 : (!task.tile<16xf32, dev 0>, !task.tile<16xf32, dev 0>) -> !task.tile<16xf32, dev 0>
  %z = task.transfer %y : !task.tile<16xf32, dev 0> to !task.tile<16xf32, host>
  task.result %z "y" [16] offsets [0] sizes [16] : !task.tile<16xf32, host>
}
}

// -----

module {
mem.machine {
  mem.memory @dev0 device capacity 1024 alignment 64
  mem.memory @host host capacity 512 alignment 64
  mem.memory @params parameters capacity 128 alignment 64 readonly
  mem.device "dev0" accelerator memory @dev0 backing @host
  mem.device "host" host memory @host
  mem.link @host to @dev0 channel 0
  mem.link @params to @dev0 channel 0
  mem.link @dev0 to @host channel 1
}
task.kernel @f(tensor<16xf32>, tensor<16xf32>, index) -> tensor<16xf32>
task.kernel @g(tensor<16xf32>, tensor<16xf32>, index) -> tensor<16xf32>
mem.graph @main places @tasks {
// expected-error @+1 {{expected a device of the machine, but there is no "dev9"}}
  mem.cost @f on "dev9" seconds 1.0e-6
  mem.parameter "w" [16] offsets [0] sizes [16] : f32 at v1 @params[0 + 64]
  mem.input "x" [16] offsets [0] sizes [16] : f32 at v0 @host[0 + 64]
  %0 = mem.copy load v0 @host[0 + 64] to @dev0[0 + 64]
  %1 = mem.copy load v1 @params[0 + 64] to @dev0[64 + 64]
  %2 = mem.call @f task 0 on "dev0" reads(v0 @dev0[0 + 64], v1 @dev0[64 + 64]) writes(v2 @dev0[128 + 64]) scalars [5] after(%0, %1)
  %3 = mem.copy transfer v2 @dev0[128 + 64] to @host[64 + 64] task 1 "transfer" after(%2)
  mem.result "y" [16] offsets [0] sizes [16] : f32 at v2 @host[64 + 64]
}
task.graph @tasks devices 1 {
  %x = task.input "x" [16] offsets [0] sizes [16] : !task.tile<16xf32, dev 0>
  %w = task.parameter "w" [16] offsets [0] sizes [16] : !task.tile<16xf32, dev 0>
  %y = task.call @f(%x, %w) scalars [5] on dev 0 : (!task.tile<16xf32, dev 0>, !task.tile<16xf32, dev 0>) -> !task.tile<16xf32, dev 0>
  %z = task.transfer %y : !task.tile<16xf32, dev 0> to !task.tile<16xf32, host>
  task.result %z "y" [16] offsets [0] sizes [16] : !task.tile<16xf32, host>
}
}

// -----

module {
mem.machine {
  mem.memory @dev0 device capacity 1024 alignment 64
  mem.memory @host host capacity 512 alignment 64
  mem.memory @params parameters capacity 128 alignment 64 readonly
  mem.device "dev0" accelerator memory @dev0 backing @host
  mem.device "host" host memory @host
  mem.link @host to @dev0 channel 0
  mem.link @params to @dev0 channel 0
  mem.link @dev0 to @host channel 1
}
task.kernel @f(tensor<16xf32>, tensor<16xf32>, index) -> tensor<16xf32>
task.kernel @g(tensor<16xf32>, tensor<16xf32>, index) -> tensor<16xf32>
mem.graph @main places @tasks {
  mem.cost @f on "dev0" seconds 1.0e-6
// expected-error @+1 {{expected one cost per kernel and device, but got another of @f on "dev0"}}
  mem.cost @f on "dev0" seconds 2.0e-6
  mem.parameter "w" [16] offsets [0] sizes [16] : f32 at v1 @params[0 + 64]
  mem.input "x" [16] offsets [0] sizes [16] : f32 at v0 @host[0 + 64]
  %0 = mem.copy load v0 @host[0 + 64] to @dev0[0 + 64]
  %1 = mem.copy load v1 @params[0 + 64] to @dev0[64 + 64]
  %2 = mem.call @f task 0 on "dev0" reads(v0 @dev0[0 + 64], v1 @dev0[64 + 64]) writes(v2 @dev0[128 + 64]) scalars [5] after(%0, %1)
  %3 = mem.copy transfer v2 @dev0[128 + 64] to @host[64 + 64] task 1 "transfer" after(%2)
  mem.result "y" [16] offsets [0] sizes [16] : f32 at v2 @host[64 + 64]
}
task.graph @tasks devices 1 {
  %x = task.input "x" [16] offsets [0] sizes [16] : !task.tile<16xf32, dev 0>
  %w = task.parameter "w" [16] offsets [0] sizes [16] : !task.tile<16xf32, dev 0>
  %y = task.call @f(%x, %w) scalars [5] on dev 0 : (!task.tile<16xf32, dev 0>, !task.tile<16xf32, dev 0>) -> !task.tile<16xf32, dev 0>
  %z = task.transfer %y : !task.tile<16xf32, dev 0> to !task.tile<16xf32, host>
  task.result %z "y" [16] offsets [0] sizes [16] : !task.tile<16xf32, host>
}
}

// -----

module {
mem.machine {
  mem.memory @dev0 device capacity 1024 alignment 64
  mem.memory @host host capacity 512 alignment 64
  mem.memory @params parameters capacity 128 alignment 64 readonly
  mem.device "dev0" accelerator memory @dev0 backing @host
  mem.device "dev1" accelerator memory @dev0 backing @host
  mem.device "host" host memory @host
  mem.link @host to @dev0 channel 0
  mem.link @params to @dev0 channel 0
  mem.link @dev0 to @host channel 1
}
task.kernel @f(tensor<16xf32>, tensor<16xf32>, index) -> tensor<16xf32>
task.kernel @g(tensor<16xf32>, tensor<16xf32>, index) -> tensor<16xf32>
mem.graph @main places @tasks {
  mem.cost @f on "dev0" seconds 1.0e-6
  mem.parameter "w" [16] offsets [0] sizes [16] : f32 at v1 @params[0 + 64]
  mem.input "x" [16] offsets [0] sizes [16] : f32 at v0 @host[0 + 64]
  %0 = mem.copy load v0 @host[0 + 64] to @dev0[0 + 64]
  %1 = mem.copy load v1 @params[0 + 64] to @dev0[64 + 64]
// expected-error @+1 {{expected the device of task 0 of @tasks}}
  %2 = mem.call @f task 0 on "dev0" reads(v0 @dev0[0 + 64], v1 @dev0[64 + 64]) writes(v2 @dev0[128 + 64]) scalars [5] after(%0, %1)
  %3 = mem.copy transfer v2 @dev0[128 + 64] to @host[64 + 64] task 1 "transfer" after(%2)
  mem.result "y" [16] offsets [0] sizes [16] : f32 at v2 @host[64 + 64]
}
task.graph @tasks devices 2 {
  %x = task.input "x" [16] offsets [0] sizes [16] : !task.tile<16xf32, dev 1>
  %w = task.parameter "w" [16] offsets [0] sizes [16] : !task.tile<16xf32, dev 1>
// expected-note @+1 {{the task in @tasks}}
  %y = task.call @f(%x, %w) scalars [5] on dev 1 : (!task.tile<16xf32, dev 1>, !task.tile<16xf32, dev 1>) -> !task.tile<16xf32, dev 1>
  %z = task.transfer %y : !task.tile<16xf32, dev 1> to !task.tile<16xf32, host>
  task.result %z "y" [16] offsets [0] sizes [16] : !task.tile<16xf32, host>
}
}
