//===- Passes.td - Placing graphs in memory -------------- -*- tablegen -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_CONVERSION_TASKTOMEM_PASSES_TD
#define TURNIP_CONVERSION_TASKTOMEM_PASSES_TD

include "mlir/Pass/PassBase.td"

def PlaceMemory : Pass<"place-memory", "::mlir::ModuleOp"> {
  let summary = "give each tile of a task graph a place in memory";
  let description = [{
    Turns every `task.graph` into a `mem.graph` and adds the `mem.machine` it is
    placed for: memory `@dev0` of device 0 and so on, `@host`, and `@params`, which
    holds the parameters. The planner chooses the order in which memory is
    thought through, which tiles leave a device when it is full, where everything
    lies, and which operations must wait for which. The result is proved before
    it is handed on.

    `device-memory` is a cap that holds: no more is ever needed, workspace
    included. If the largest task does not fit, that is an error that names the
    task, what it needs, and the smallest cap that would do. `host-memory` bounds
    the parameters and `@host` together. Without them, memories are as large as
    the plan needs.

    Parameters are stored once: a slice whose elements follow each other in the
    parameter is a part of it, and of a parameter of which only some such slices
    are used, only those are stored. Other slices are stored by themselves.

    Where the device holds all parameters and the largest task besides, they stay
    there from run to run: they are bound to the device's memory, and `@params`
    has only what the host reads. `resident-parameters=false` loads them in every
    run all the same.

    The `task.graph` stays beside what it became, under the name `@main.tasks`
    for `@main`: an artifact that keeps it can be placed again for another cap.
    `keep-tasks=false` drops it.

    Costs of calls (what `machine` says of kernels of their class and type; without
    one `seconds` of the kernel, else estimated from `flops`, bytes and the rates
    below) and of copies steer the planner; they never make a plan wrong.

    ```mlir
    task.graph @main devices 1 {
      %x = task.input "x" [16] offsets [0] sizes [16] : !task.tile<16xf32, dev 0>
      %y = task.call @f(%x) on dev 0 : ...
      task.result %y "y" [16] offsets [0] sizes [16] : !task.tile<16xf32, dev 0>
    }
    // becomes
    mem.graph @main statistics <...> {
      mem.input "x" [16] offsets [0] sizes [16] : f32 at v0 @host[0 + 64]
      %0 = mem.copy load v0 @host[0 + 64] to @dev0[0 + 64]
      %1 = mem.call @f task 0 on "dev0" reads(v0 @dev0[0 + 64])
             writes(v1 @dev0[64 + 64]) after(%0)
      %2 = mem.copy result v1 @dev0[64 + 64] to @host[64 + 64] after(%1)
      mem.result "y" [16] offsets [0] sizes [16] : f32 at v1 @host[64 + 64]
    }
    ```
  }];
  let options = [
    Option<"deviceMemory", "device-memory", "std::string", "\"\"",
           "Bytes of each device's memory, such as 64MiB; empty: no cap">,
    Option<"hostMemory", "host-memory", "std::string", "\"\"",
           "Bytes of host memory, parameters included; empty: no cap">,
    Option<"order", "order", "std::string", "\"best\"",
           "Order of tasks to plan with: best, given, depth-first, memory-aware, "
           "critical-path or scheduled">,
    Option<"horizon", "horizon", "double", "0",
           "How far allocation runs ahead, as a share of the device's memory; "
           "0: try several and keep the best">,
    Option<"policy", "policy", "std::string", "\"default\"",
           "Who decides what lies in memory: default or, to compare with, "
           "original, lru, layer-wise or no-prefetch">,
    Option<"planEffort", "plan-effort", "unsigned", "1",
           "How many plans are tried, in multiples of what is usual; 0: one">,
    Option<"planSeed", "plan-seed", "uint64_t", "0",
           "Chooses among searches that are equally good to try">,
    Option<"rematerialize", "rematerialize", "bool", "true",
           "Also try plans that compute cheap tiles again instead of writing "
           "them back and loading them">,
    Option<"residentParameters", "resident-parameters", "bool", "true",
           "Keep all parameters on the device from run to run where they fit">,
    Option<"inPlace", "in-place", "bool", "true",
           "Let results take the place of operands where kernels allow it">,
    Option<"pruneEdges", "prune-edges", "bool", "true",
           "Drop dependencies that others imply">,
    Option<"keepTasks", "keep-tasks", "bool", "true",
           "Keep each task.graph beside the mem.graph that it became">,
    Option<"machine", "machine", "std::string", "\"\"",
           "A machine's name, such as h100, or description file: capacities, "
           "links and what kernels take, unless other options say otherwise">,
    Option<"linkBandwidth", "link-bandwidth", "double", "-1",
           "Bytes per second of each link between host and device; -1: the "
           "machine's, or 1e10">,
    Option<"linkLatency", "link-latency", "double", "-1",
           "Seconds before a copy's first byte arrives; -1: the machine's, or "
           "1e-5">,
    Option<"flopRate", "flop-rate", "double", "-1",
           "Floating point operations per second of a device; -1: the "
           "machine's, or 1e11">,
    Option<"byteRate", "byte-rate", "double", "-1",
           "Bytes per second that a kernel reads and writes; -1: the "
           "machine's, or 1e10">
  ];
  let statistics = [
    Statistic<"numCalls", "calls", "Kernel calls placed">,
    Statistic<"numCopies", "copies", "Copies between memories">,
    Statistic<"numEdges", "edges", "Dependencies">
  ];
  let dependentDialects = ["::turnip::mem::MemDialect"];
}

#endif // TURNIP_CONVERSION_TASKTOMEM_PASSES_TD
