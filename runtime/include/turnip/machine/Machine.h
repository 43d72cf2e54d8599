//===- Machine.h - What a machine can do ------------------------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A machine description: memories, devices, links and switches with their
// capacities and speeds. The planner reckons with it, the sim driver simulates
// it, and turnip-run --calibrate writes one. Units are SI: bytes, seconds,
// operations per second. docs/machines.md has the JSON form.
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_MACHINE_MACHINE_H
#define TURNIP_MACHINE_MACHINE_H

#include "turnip/support/ElementType.h"
#include "turnip/support/Status.h"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace turnip::machine {

/// "No such memory, device, link or switch".
constexpr uint32_t None = UINT32_MAX;

/// What a kernel mostly does; devices have a speed for each.
enum class KernelClass : uint8_t {
  /// Sums of products: matrix multiplications and their kin.
  Contraction,
  /// Each element of a result from a few elements of the operands.
  Elementwise,
  /// Many elements into one, without products of two operands.
  Reduction,
  /// Elements that other elements choose.
  Gather,
  /// Bytes from here to there, unchanged.
  Copy,
  /// Anything else, and what nothing else is known of.
  Other,
};
constexpr unsigned numKernelClasses = 6;

/// The class's spelling in JSON, such as "contraction".
const char *toString(KernelClass kernelClass);
/// Reads the spelling of a class; nothing if \p text is none.
std::optional<KernelClass> parseKernelClass(std::string_view text);

enum class MemoryKind : uint8_t { Device, Host };

/// A memory: of a device, or host RAM.
struct Memory {
  std::string name;
  MemoryKind kind = MemoryKind::Device;
  /// Bytes.
  uint64_t capacity = 0;
  /// Every buffer starts at a multiple of this many bytes, a power of two.
  uint64_t alignment = 64;
};

/// How fast a device runs the kernels of one class.
struct ClassRates {
  /// Operations per second by element type.
  std::map<ElementType, double> flops;
  /// The share of `flops` and of the bandwidth that kernels reach.
  double efficiency = 1;
  /// Bytes per second that kernels read and write; 0: the device's.
  double bandwidth = 0;
};

/// A kernel that was timed.
struct KernelTime {
  /// For people.
  std::string name;
  /// Kernels with equal hashes are the same code (see kernelHash()).
  uint64_t hash = 0;
  /// Of a whole launch on one lane, without the overhead.
  double seconds = 0;
};

/// Something that runs kernels on one memory.
struct Device {
  std::string name;
  /// Index into Machine::memories.
  uint32_t memory = None;
  /// Bytes per second between the device and its memory.
  double memoryBandwidth = 1e11;
  /// Seconds that every launch takes on top of its work.
  double launchOverhead = 0;
  /// Seconds between the submission of an operation and its earliest start.
  double submitLatency = 0;
  /// Operations that run at the same time.
  uint32_t lanes = 1;
  /// Operations that the device takes on top of those that run.
  uint32_t queue = 0;
  /// Whether operations may be in that queue before what they depend on is
  /// done.
  bool waits = true;
  /// Whether lanes share the grid points of one launch. Rates and times are
  /// those of one lane, either way.
  bool sharedLaunches = false;
  /// Seconds of computing that are lost per byte that links move meanwhile.
  double interference = 0;
  /// By class. A class that is missing is as fast as Other, which is there.
  std::map<KernelClass, ClassRates> classes;

  /// Operations per second of \p kernelClass on \p type. A type without a rate
  /// of its own has that of f32.
  double flopRate(KernelClass kernelClass, ElementType type) const;
  /// Bytes per second of \p kernelClass.
  double byteRate(KernelClass kernelClass) const;
  /// Seconds of one launch: the overhead, and the longer of arithmetic and
  /// memory traffic.
  double seconds(KernelClass kernelClass, ElementType type, double flops,
                 double bytes) const;
  /// Seconds of one launch of a kernel that was timed, alone on the device:
  /// with shared launches all lanes work on its grid points.
  double secondsOf(const KernelTime &kernel, int64_t grid) const;
};

/// Something that several links pass through and share, in one direction.
struct Switch {
  std::string name;
  /// Bytes per second of everything that passes at a time.
  double bandwidth = 0;
};

/// One direction of a connection between two memories.
struct Link {
  uint32_t source = None;
  uint32_t destination = None;
  /// Bytes per second, and seconds before the first byte.
  double bandwidth = 25e9;
  double latency = 10e-6;
  /// Copies that the link takes on top of the one under way.
  uint32_t queue = 0;
  /// Indices into Machine::switches.
  std::vector<uint32_t> switches;
};

/// See the head of this file.
struct Machine {
  std::string name;
  std::string description;
  /// Where the figures come from.
  std::vector<std::string> sources;
  std::vector<Memory> memories;
  std::vector<Device> devices;
  std::vector<Switch> switches;
  std::vector<Link> links;
  std::vector<KernelTime> kernels;

  /// What devices and links that are not listed are like; without it they do
  /// not exist. Not part of the JSON form.
  std::optional<Device> otherDevice;
  std::optional<Link> otherLink;

  /// Every duration of a kernel (transfer) is multiplied by a factor drawn
  /// evenly from [1 - jitter, 1 + jitter), which operation and seed determine.
  double kernelJitter = 0;
  double transferJitter = 0;
  uint64_t seed = 0;

  /// A machine with any number of devices and links, all of the kind that a
  /// Device and a Link are by default.
  static Machine uniform();

  /// Reads the JSON form. Errors are BadInput and start with the path of the
  /// field, such as "devices[0].memory_bandwidth".
  static Expected<Machine> parse(const std::string &text);
  /// Reads a file. Errors also name the file; Io if it cannot be read.
  static Expected<Machine> read(const std::string &path);
  /// Finds a machine by the name of one that Turnip brings along, or else as a
  /// path. Errors: as read(), and InvalidArgument where there is neither.
  static Expected<Machine> find(const std::string &nameOrPath);

  /// The JSON form, which parse() reads.
  std::string toJson() const;

  /// The devices with a memory of their own, in order: those that a program
  /// calls `dev0`, `dev1`, ...
  std::vector<uint32_t> accelerators() const;
  /// The memory of kind Host that comes first, or None.
  uint32_t hostMemory() const;

  /// What a program calls \p name: a memory or device of that name, else `devN`
  /// is accelerator N, and `host` and `params` are the host's. None if there
  /// is nothing like it.
  uint32_t findDevice(const std::string &name) const;
  uint32_t findMemory(const std::string &name) const;
  /// The link between two memories of this machine, or None.
  uint32_t findLink(uint32_t source, uint32_t destination) const;
  /// The kernel with this hash, or null.
  const KernelTime *findKernel(uint64_t hash) const;
  /// What copies from one memory to another run on: their link; between devices
  /// without one, the way through the host; within the host, as fast as its
  /// device copies. Wants memories of a machine that parse() accepted.
  Link linkBetween(uint32_t source, uint32_t destination) const;
};

/// A machine that is part of Turnip.
struct ShippedMachine {
  std::string_view name;
  std::string_view json;
};

/// All of them, by name.
const std::vector<ShippedMachine> &shippedMachines();

/// The hash that KernelTime tells kernels apart by.
uint64_t kernelHash(std::string_view signature, std::string_view source,
                    uint64_t gridSize);

} // namespace turnip::machine

#endif // TURNIP_MACHINE_MACHINE_H
