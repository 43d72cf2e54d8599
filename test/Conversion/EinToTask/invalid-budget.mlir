// RUN: not turnip-opt %s --partition-ein=tile-budget=4MB 2>&1 | FileCheck %s --check-prefix=UNIT
// RUN: not turnip-opt %s --partition-ein=tile-budget=0 2>&1 | FileCheck %s --check-prefix=ZERO

// UNIT: invalid tile budget: expected a size such as 64MiB, 1.5GiB or 1048576, but got '4MB'
// ZERO: invalid tile budget: expected more than 0 bytes
module {}
