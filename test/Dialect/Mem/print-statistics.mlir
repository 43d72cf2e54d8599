// RUN: turnip-opt %turnip_src/test/Conversion/TaskToMem/mlp.mlir -place-memory=device-memory=18944 -mem-print-statistics -o /dev/null 2>&1 | FileCheck %s

// CHECK: graph @main
// CHECK-NEXT:   memory @dev0: peak 18944 bytes (18.50 KiB) of 18944 bytes (18.50 KiB)
// CHECK-NEXT:   memory @host: peak 768 bytes of 768 bytes
// CHECK-NEXT:   memory @params: peak 24576 bytes (24.00 KiB) of 24576 bytes (24.00 KiB)
// CHECK-NEXT:   device "dev0": smallest cap 18944 bytes (18.50 KiB), by task 0 (up)
// CHECK-NEXT:   operations: 4 calls, 6 copies, 0 joins
// CHECK-NEXT:   dependencies: {{[0-9]+}} data, {{[0-9]+}} memory, {{[0-9.]+}} per operation
// CHECK-NEXT:   load: 4 copies, 25088 bytes (24.50 KiB)
// CHECK-NEXT:   result: 2 copies, 256 bytes
// CHECK-NEXT:   link @params to @dev0: 3 copies, 24576 bytes (24.00 KiB)
// CHECK-NEXT:   link @host to @dev0: 1 copies, 512 bytes
// CHECK-NEXT:   link @dev0 to @host: 2 copies, 256 bytes
// CHECK-NEXT:   link @params to @host: 0 copies, 0 bytes
// CHECK-NEXT:   bound of bytes brought to devices: 25088 bytes (24.50 KiB)
// CHECK-NEXT:   bound of computing: 0.000004 s
// CHECK-NEXT:   bound of copying: 0.000043 s
// CHECK-NEXT:   longest chain: 0.000025 s
// CHECK-NEXT:   bound of the whole: 0.000043 s
// CHECK-NEXT:   prediction: 0.0000{{[0-9]+}} s
// CHECK-NEXT:   order: {{given|depth-first|memory-aware|critical-path|scheduled}}
