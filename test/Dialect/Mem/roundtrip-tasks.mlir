// RUN: turnip-opt %s | turnip-opt | FileCheck %s
// RUN: turnip-opt %s -mem-verify | FileCheck %s

// CHECK: mem.graph @main places @tasks {
// CHECK-NEXT: mem.cost @f on "dev0" seconds 5.000000e-01
// CHECK: task.graph @tasks devices 1 {

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
  mem.cost @f on "dev0" seconds 0.5
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
