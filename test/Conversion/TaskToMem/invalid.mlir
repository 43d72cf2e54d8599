// RUN: turnip-opt %s -split-input-file -verify-diagnostics -place-memory="device-memory=18943 host-memory=30000"

task.kernel @up(tensor<4x32xf32>, tensor<128x32xf32>) -> tensor<4x128xf32>
task.graph @main devices 1 {
  %x = task.input "x" [4, 32] offsets [0, 0] sizes [4, 32] : !task.tile<4x32xf32, dev 0>
  %w = task.parameter "w" [128, 32] offsets [0, 0] sizes [128, 32] : !task.tile<128x32xf32, dev 0>
  // expected-error @+2 {{does not fit: task 0 ("up") needs 18944 bytes (18.50 KiB) of memory "dev0", which has 18943 bytes (18.50 KiB); the smallest capacity for these tasks is 18944 bytes (18.50 KiB)}}
  // expected-note @+1 {{a smaller tile-budget makes smaller tasks; for these, device-memory=18944 is the least}}
  %h = task.call @up(%x, %w) on dev 0 : (!task.tile<4x32xf32, dev 0>, !task.tile<128x32xf32, dev 0>) -> !task.tile<4x128xf32, dev 0>
  task.result %h "y" [4, 128] offsets [0, 0] sizes [4, 128] : !task.tile<4x128xf32, dev 0>
}

// -----

// The device that needs most, for all have one capacity.

task.kernel @up(tensor<4x32xf32>, tensor<128x32xf32>) -> tensor<4x128xf32>
task.kernel @wide(tensor<4x32xf32>, tensor<256x32xf32>) -> tensor<4x256xf32>
task.graph @main devices 2 {
  %x = task.input "x" [4, 32] offsets [0, 0] sizes [4, 32] : !task.tile<4x32xf32, dev 0>
  %w = task.parameter "w" [128, 32] offsets [0, 0] sizes [128, 32] : !task.tile<128x32xf32, dev 0>
  %x1 = task.input "x1" [4, 32] offsets [0, 0] sizes [4, 32] : !task.tile<4x32xf32, dev 1>
  %v = task.input "v" [256, 32] offsets [0, 0] sizes [256, 32] : !task.tile<256x32xf32, dev 1>
  %h = task.call @up(%x, %w) on dev 0 : (!task.tile<4x32xf32, dev 0>, !task.tile<128x32xf32, dev 0>) -> !task.tile<4x128xf32, dev 0>
  // expected-error @+2 {{does not fit: task 1 ("wide") needs 37376 bytes (36.50 KiB) of memory "dev1"}}
  // expected-note @+1 {{a smaller tile-budget makes smaller tasks; for these, device-memory=37376 is the least}}
  %g = task.call @wide(%x1, %v) on dev 1 : (!task.tile<4x32xf32, dev 1>, !task.tile<256x32xf32, dev 1>) -> !task.tile<4x256xf32, dev 1>
  task.result %h "y" [4, 128] offsets [0, 0] sizes [4, 128] : !task.tile<4x128xf32, dev 0>
  task.result %g "z" [4, 256] offsets [0, 0] sizes [4, 256] : !task.tile<4x256xf32, dev 1>
}

// -----

// A name in the location is the task's name.

task.kernel @up(tensor<4x32xf32>, tensor<128x32xf32>) -> tensor<4x128xf32>
task.graph @main devices 1 {
  %x = task.input "x" [4, 32] offsets [0, 0] sizes [4, 32] : !task.tile<4x32xf32, dev 0>
  %w = task.parameter "w" [128, 32] offsets [0, 0] sizes [128, 32] : !task.tile<128x32xf32, dev 0>
  %h = task.call @up(%x, %w) on dev 0 : (!task.tile<4x32xf32, dev 0>, !task.tile<128x32xf32, dev 0>) -> !task.tile<4x128xf32, dev 0> loc("blk.0.ffn_up")
  task.result %h "y" [4, 128] offsets [0, 0] sizes [4, 128] : !task.tile<4x128xf32, dev 0>
}
// expected-error @unknown {{does not fit: task 0 ("blk.0.ffn_up") needs 18944 bytes (18.50 KiB)}}
// expected-note @unknown {{a smaller tile-budget makes smaller tasks}}

// -----

// expected-error @below {{does not fit: the parameters need 32768 bytes (32.00 KiB) of host memory, which has 30000 bytes (29.30 KiB)}}
module {
  task.kernel @f(tensor<8192xf32>) -> tensor<1xf32>
  task.graph @main devices 1 {
    %w = task.parameter "w" [8192] offsets [0] sizes [8192] : !task.tile<8192xf32, host>
    %y = task.call @f(%w) on host : (!task.tile<8192xf32, host>) -> !task.tile<1xf32, host>
    task.result %y "y" [1] offsets [0] sizes [1] : !task.tile<1xf32, host>
  }
}

// -----

task.kernel @f(tensor<4096xf32>) -> tensor<4096xf32>
// expected-error @+2 {{does not fit: memory "host" needs 32768 bytes (32.00 KiB), but has 30000 bytes (29.30 KiB)}}
// expected-note @+1 {{a larger host-memory, which holds parameters as well, or a larger device-memory helps}}
task.graph @main devices 1 {
  %x = task.input "x" [4096] offsets [0] sizes [4096] : !task.tile<4096xf32, host>
  %y = task.call @f(%x) on host : (!task.tile<4096xf32, host>) -> !task.tile<4096xf32, host>
  task.result %y "y" [4096] offsets [0] sizes [4096] : !task.tile<4096xf32, host>
}

// -----

// expected-error @below {{bad input: expected at least 1 task.graph, but got 0; partition-ein makes them of functions}}
module {
}

// -----

// expected-error @below {{bad input: expected a module that is not placed yet}}
module {
  mem.machine {}
  task.graph @main devices 1 {}
}

// -----

// A parameter is one tensor, whatever graph names it.

task.kernel @f(tensor<8xf32>) -> tensor<8xf32>
task.kernel @g(tensor<4xf32>) -> tensor<4xf32>
task.graph @a devices 1 {
  // expected-note @below {{the name is first used here}}
  %w = task.parameter "w" [8] offsets [0] sizes [8] : !task.tile<8xf32, host>
  %y = task.call @f(%w) on host : (!task.tile<8xf32, host>) -> !task.tile<8xf32, host>
  task.result %y "y" [8] offsets [0] sizes [8] : !task.tile<8xf32, host>
}
task.graph @b devices 1 {
  // expected-error @below {{expected the outer shape of "w" to be [8], but got [4]}}
  %w = task.parameter "w" [4] offsets [0] sizes [4] : !task.tile<4xf32, host>
  %y = task.call @g(%w) on host : (!task.tile<4xf32, host>) -> !task.tile<4xf32, host>
  task.result %y "y" [4] offsets [0] sizes [4] : !task.tile<4xf32, host>
}

// -----

task.kernel @f(tensor<8xf32>) -> tensor<8xf32>
task.kernel @g(tensor<8xf16>) -> tensor<8xf16>
task.graph @a devices 1 {
  // expected-note @below {{the name is first used here}}
  %w = task.parameter "w" [8] offsets [0] sizes [8] : !task.tile<8xf32, host>
  %y = task.call @f(%w) on host : (!task.tile<8xf32, host>) -> !task.tile<8xf32, host>
  task.result %y "y" [8] offsets [0] sizes [8] : !task.tile<8xf32, host>
}
task.graph @b devices 1 {
  // expected-error @below {{expected the element type of "w" to be 'f32', but got 'f16'}}
  %w = task.parameter "w" [8] offsets [0] sizes [8] : !task.tile<8xf16, host>
  %y = task.call @g(%w) on host : (!task.tile<8xf16, host>) -> !task.tile<8xf16, host>
  task.result %y "y" [8] offsets [0] sizes [8] : !task.tile<8xf16, host>
}
