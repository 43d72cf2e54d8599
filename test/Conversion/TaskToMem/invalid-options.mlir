// RUN: not turnip-opt %s -place-memory=device-memory=64parsecs 2>&1 | FileCheck %s --check-prefix=SIZE
// SIZE: error: invalid argument: device-memory: {{.*}}64parsecs
// RUN: not turnip-opt %s -place-memory=host-memory=-1 2>&1 | FileCheck %s --check-prefix=HOST
// HOST: error: invalid argument: host-memory: {{.*}}-1
// RUN: not turnip-opt %s -place-memory=order=alphabetical 2>&1 | FileCheck %s --check-prefix=ORDER
// ORDER: error: invalid argument: order: expected best, given, depth-first, memory-aware, critical-path or scheduled, but got 'alphabetical'
// RUN: not turnip-opt %s -place-memory=link-bandwidth=0 2>&1 | FileCheck %s --check-prefix=RATE
// RATE: error: invalid argument: link-bandwidth: expected a number above 0, but got 0
// RUN: not turnip-opt %s -place-memory=horizon=-1 2>&1 | FileCheck %s --check-prefix=HORIZON
// HORIZON: error: invalid argument: horizon: expected at least 0, but got -1
// RUN: not turnip-opt %s -place-memory=policy=oracle 2>&1 | FileCheck %s --check-prefix=POLICY
// POLICY: error: invalid argument: policy: expected default, original, lru, layer-wise or no-prefetch, but got 'oracle'
// RUN: not turnip-opt %s -place-memory=plan-effort=1001 2>&1 | FileCheck %s --check-prefix=EFFORT
// EFFORT: error: invalid argument: plan-effort: expected at most 1000, but got 1001
// RUN: not turnip-opt %s -place-memory=link-latency=-2 2>&1 | FileCheck %s --check-prefix=LATENCY
// LATENCY: error: invalid argument: link-latency: expected at least 0, but got -2
// RUN: not turnip-opt %s -place-memory=byte-rate=inf 2>&1 | FileCheck %s --check-prefix=BYTES
// BYTES: error: invalid argument: byte-rate: expected a number above 0, but got inf
// RUN: not turnip-opt %s -place-memory=machine=h1000 2>&1 | FileCheck %s --check-prefix=MACHINE
// MACHINE: error: invalid argument: machine: no machine 'h1000': expected a file or one of 4xp100,
// RUN: echo '{"memories": [{"name": "m", "capacity": 0}]}' > %t.json
// RUN: not turnip-opt %s -place-memory=machine=%t.json 2>&1 | FileCheck %s --check-prefix=FILE
// FILE: error: bad input: machine: '{{.*}}.json': memories[0].capacity: expected a number from 1 to 1125899906842624, but got 0
// RUN: not turnip-compile %s --compile-from=task --machine=h1000 2>&1 | FileCheck %s --check-prefix=COMPILE
// COMPILE: error: --machine: no machine 'h1000'
// RUN: not turnip-compile %s --compile-from=task --link-bandwidth=0 2>&1 | FileCheck %s --check-prefix=RATE

task.graph @main devices 1 {
}
