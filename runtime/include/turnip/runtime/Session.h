//===- Session.h - A program on a machine -----------------------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Load, bind, run, read back:
//
//   Expected<Program> program = Program::load("mlp.memgraph");
//   auto session = Session::create(*program, createHostDriver({}));
//   (*session)->bindParameters(*parameters);
//   (*session)->setInput("x", tensor);
//   (*session)->run();
//   Expected<parameters::Tensor> y = (*session)->result("y");
//
// runtime/examples/run-artifact.cpp is a whole program.
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_RUNTIME_SESSION_H
#define TURNIP_RUNTIME_SESSION_H

#include "turnip/parameters/ParameterProvider.h"
#include "turnip/parameters/Tensor.h"
#include "turnip/runtime/Driver.h"
#include "turnip/runtime/Executor.h"
#include "turnip/runtime/Program.h"
#include "turnip/runtime/Summary.h"

#include <atomic>
#include <memory>
#include <string>
#include <vector>

namespace turnip::runtime {

struct SessionOptions {
  /// The entry to run; empty: the only one, or else "main".
  std::string entry;
  /// Give every buffer its own guarded mapping and poison what is freed: slow,
  /// takes more memory than planned, and reports any operation that touches
  /// what it should not. Needs a host driver with trapFaults.
  bool guard = false;
};

/// One entry of a program on one driver, with its memory. The memory is
/// allocated once, when the session is made: each arena has exactly the bytes
/// that the plan uses. Not thread-safe, except for requestStop(); sessions do
/// not share anything that changes, so each thread may have its own.
class Session {
public:
  /// Allocates the memories and loads the kernels. Errors: InvalidArgument for
  /// an unknown entry; DoesNotFit when memory cannot be had; Device and
  /// BadInput as Program::kernels().
  static Expected<std::unique_ptr<Session>>
  create(Program program, std::unique_ptr<Driver> driver,
         const SessionOptions &options = {});
  ~Session();
  Session(const Session &) = delete;
  Session &operator=(const Session &) = delete;

  /// Expands every parameter of the entry into the memory for parameters, piece
  /// by piece. Errors: BadInput for a parameter that \p provider does not have
  /// or that has another shape.
  Status bindParameters(const parameters::ParameterProvider &provider);
  /// The same, but what the driver would have to copy piece by piece anyway
  /// (see CudaOptions::pinnedMemory) is not brought into memory where \p
  /// provider has it mapped; it stays there as long as the session needs it.
  /// DoesNotFit as well, when what is left does not fit into the host's memory.
  Status
  bindParameters(std::shared_ptr<const parameters::ParameterProvider> provider);

  /// Sets input \p name, which is kept, for the runs that follow. Errors:
  /// InvalidArgument for an unknown name, another shape or another element
  /// type.
  Status setInput(const std::string &name, parameters::Tensor value);

  /// Sets invocation argument \p name (0 unless set, or else the least value
  /// allowed). Errors: InvalidArgument for an unknown name or a value outside
  /// the range that the graph was compiled for.
  Status setArgument(const std::string &name, int64_t value);

  /// The order of the runs that follow; dynamic unless set.
  Status setSchedule(const Schedule &schedule);

  /// Runs the graph once. Errors: InvalidArgument when parameters or an input
  /// are missing (parameters that lie in memory which operations write to must
  /// be bound again after a run that did not finish); Device, naming operation,
  /// task, device and source location, when one fails; Cancelled after
  /// requestStop().
  Status run();

  /// Stops the run in progress, if any, and every later one until clearStop().
  /// May be called from any thread.
  void requestStop();
  void clearStop();
  /// Has runs stop whenever \p flag, which outlives the session, is true: what
  /// a signal handler should set.
  void watchStopFlag(const std::atomic<bool> &flag);

  /// The value of result \p name after a run that succeeded. Errors:
  /// InvalidArgument for an unknown name or before such a run.
  Expected<parameters::Tensor> result(const std::string &name) const;

  /// Copies the elements [\p first, \p first + \p count) of result \p name, in
  /// row-major order, to \p destination. Errors: as result(), and
  /// InvalidArgument for a range outside the result.
  Status readResult(const std::string &name, int64_t first, int64_t count,
                    void *destination) const;

  const artifact::Entry &entry() const;
  const Program &program() const;
  const Driver &driver() const;
  /// What the driver was asked to provide, and what it runs.
  const MachineDescription &machine() const;
  const ExecutableGraph &graph() const;

  /// The last run.
  const RunRecord &record() const;
  RunSummary summary() const;
  /// The last run as Chrome trace events (see Summary.h).
  std::string trace() const;

private:
  struct Contents;
  explicit Session(std::unique_ptr<Contents> contents);

  std::unique_ptr<Contents> contents;
};

} // namespace turnip::runtime

#endif // TURNIP_RUNTIME_SESSION_H
