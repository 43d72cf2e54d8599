//===- Guard.cpp - Every buffer in its own guarded mapping ----------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Guard.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/mman.h>

using namespace turnip;
using namespace turnip::runtime;

static constexpr uint64_t pageSize = 4096;
/// What unused and freed bytes hold: as floats of any width, NaN.
static constexpr unsigned char poison = 0xFF;

static uint64_t roundUp(uint64_t value, uint64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

//===----------------------------------------------------------------------===//
// The buffers
//===----------------------------------------------------------------------===//

Expected<std::unique_ptr<Guard>> Guard::create(std::unique_ptr<Driver> inner,
                                               const artifact::Module &module,
                                               const artifact::Entry &entry) {
  if (!inner->properties().movesData)
    return Status::error(StatusCode::InvalidArgument,
                         "driver '" + inner->properties().name +
                             "' moves no data, so there is nothing to guard");
  if (inner->properties().launchesObjects)
    return Status::error(StatusCode::InvalidArgument,
                         "driver '" + inner->properties().name +
                             "' keeps its memories in devices, where they "
                             "cannot be guarded");
  std::unique_ptr<Guard> guard(new Guard(std::move(inner), module, entry));
  TURNIP_RETURN_IF_ERROR(guard->reserve());
  return guard;
}

Guard::~Guard() {
  if (reservation)
    munmap(reservation, reservedBytes);
}

bool Guard::isGuarded(uint32_t memory) const {
  return module.machine.memories[memory].kind !=
         artifact::MemoryKind::Parameters;
}

Guard::Key Guard::keyOf(uint32_t vertex, const artifact::Access &access) {
  uint64_t value = access.role == artifact::AccessRole::Workspace
                       ? (uint64_t(1) << 32) + vertex
                       : access.value;
  return {access.memory, access.offset, value};
}

/// Creates the buffer \p key unless it is there, at least \p bytes large.
void Guard::note(const Key &key, uint64_t bytes, Buffer **buffer) {
  Buffer &found = buffers[key];
  found.bytes = std::max(found.bytes, bytes);
  if (buffer)
    *buffer = &found;
}

Status Guard::reserve() {
  for (uint32_t v = 0; v < entry.vertices.size(); ++v)
    for (const artifact::Access &access : entry.accessesOf(entry.vertices[v]))
      if (isGuarded(access.memory)) {
        Buffer *buffer = nullptr;
        note(keyOf(v, access), access.bytes, &buffer);
        ++buffer->uses;
      }
  auto notePieces = [&](const std::vector<artifact::Binding> &bindings,
                        bool atEntry, bool atExit) {
    for (const artifact::Binding &binding : bindings)
      for (const artifact::Piece &piece : binding.pieces) {
        if (!isGuarded(piece.memory))
          continue;
        Buffer *buffer = nullptr;
        note({piece.memory, piece.offset, piece.value},
             artifact::pieceBytes(binding, piece), &buffer);
        buffer->atEntry |= atEntry;
        buffer->atExit |= atExit;
      }
  };
  // Parameters on a device stay from run to run.
  notePieces(entry.parameters, /*atEntry=*/true, /*atExit=*/true);
  notePieces(entry.inputs, /*atEntry=*/true, /*atExit=*/false);
  notePieces(entry.results, /*atEntry=*/false, /*atExit=*/true);

  reservedBytes = pageSize;
  for (auto &[key, buffer] : buffers) {
    buffer.pageBytes = roundUp(std::max<uint64_t>(buffer.bytes, 1), pageSize);
    reservedBytes += buffer.pageBytes + pageSize;
  }
  void *first = mmap(nullptr, reservedBytes, PROT_NONE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (first == MAP_FAILED)
    return Status::error(StatusCode::DoesNotFit,
                         "cannot reserve " + std::to_string(reservedBytes) +
                             " bytes of address space: " + strerror(errno));
  reservation = static_cast<unsigned char *>(first);
  unsigned char *next = reservation + pageSize;
  for (auto &[key, buffer] : buffers) {
    buffer.pages = next;
    buffer.data = next + buffer.pageBytes - roundUp(buffer.bytes, 64);
    next += buffer.pageBytes + pageSize;
    if (buffer.atEntry || buffer.atExit)
      makeLive(buffer);
  }
  return Status::ok();
}

void *Guard::address(uint32_t vertex, const artifact::Access &access) const {
  if (!isGuarded(access.memory))
    return static_cast<unsigned char *>(inner->base(access.memory)) +
           access.offset;
  return buffers.at(keyOf(vertex, access)).data;
}

void *Guard::address(const artifact::Piece &piece) const {
  if (!isGuarded(piece.memory))
    return static_cast<unsigned char *>(inner->base(piece.memory)) +
           piece.offset;
  return buffers.at({piece.memory, piece.offset, piece.value}).data;
}

void Guard::setAccess(Buffer &buffer, int protection) {
  mprotect(buffer.pages, buffer.pageBytes, protection);
}

/// Makes \p buffer writable; it is full of poison unless it was live already.
void Guard::makeLive(Buffer &buffer) {
  setAccess(buffer, PROT_READ | PROT_WRITE);
  if (!buffer.live)
    std::memset(buffer.pages, poison, buffer.pageBytes);
  buffer.live = true;
}

/// Gives the pages of \p buffer back and makes them inaccessible.
void Guard::freeBuffer(Buffer &buffer) {
  madvise(buffer.pages, buffer.pageBytes, MADV_DONTNEED);
  setAccess(buffer, PROT_NONE);
  buffer.live = false;
}

/// True if the bytes of the pages outside of \p buffer still hold poison.
bool Guard::marginsIntact(const Buffer &buffer) {
  auto isPoison = [](unsigned char byte) { return byte == poison; };
  return std::all_of(buffer.pages, buffer.data, isPoison) &&
         std::all_of(buffer.data + buffer.bytes,
                     buffer.pages + buffer.pageBytes, isPoison);
}

//===----------------------------------------------------------------------===//
// Around a run
//===----------------------------------------------------------------------===//

Status Guard::open(const MachineDescription &machine) {
  // Only the memory for parameters is used as it is.
  MachineDescription reduced = machine;
  for (MemoryDescription &memory : reduced.memories)
    if (memory.kind != MemoryKind::Parameters)
      memory.capacity = 0;
  return inner->open(reduced);
}

Status Guard::start(EventSink &newSink) {
  sink = &newSink;
  messages.clear();
  for (auto &[key, buffer] : buffers) {
    buffer.usesLeft = buffer.uses;
    if (buffer.atEntry)
      setAccess(buffer, PROT_READ);
    else if (buffer.live)
      freeBuffer(buffer);
  }
  return inner->start(*this);
}

void Guard::submit(const Command *const *commands, size_t count) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    for (size_t i = 0; i < count; ++i)
      prepare(commands[i]->vertex);
  }
  inner->submit(commands, count);
}

void Guard::submitBehind(const Command &command, const uint32_t *waits,
                         size_t numWaits) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    prepare(command.vertex);
  }
  inner->submitBehind(command, waits, numWaits);
}

/// Opens what \p vertex writes; what it reads is readable since it was written.
void Guard::prepare(uint32_t vertex) {
  for (const artifact::Access &access :
       entry.accessesOf(entry.vertices[vertex]))
    if (isGuarded(access.memory) && access.role != artifact::AccessRole::Read)
      makeLive(buffers.at(keyOf(vertex, access)));
}

void Guard::deliver(const Event *events, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    Event event = events[i];
    {
      std::lock_guard<std::mutex> lock(mutex);
      std::string problem;
      if (event.error && event.fault)
        problem = explainFault(event.vertex, event.fault);
      std::string damage = release(event.vertex);
      if (problem.empty())
        problem = std::move(damage);
      if (!problem.empty()) {
        messages.push_back(std::make_unique<std::string>(std::move(problem)));
        event.error = messages.back()->c_str();
      }
    }
    sink->deliver(&event, 1);
  }
}

/// Closes what \p vertex wrote and frees what nobody needs any more. Returns
/// what it did wrong, if it did.
std::string Guard::release(uint32_t vertex) {
  std::string problem;
  artifact::Span<artifact::Access> accesses =
      entry.accessesOf(entry.vertices[vertex]);
  for (uint32_t i = 0; i < accesses.size(); ++i) {
    const artifact::Access &access = accesses[i];
    if (!isGuarded(access.memory))
      continue;
    Buffer &buffer = buffers.at(keyOf(vertex, access));
    if (access.role != artifact::AccessRole::Read) {
      if (!marginsIntact(buffer) && problem.empty())
        problem = "wrote outside " + describeAccess(vertex, i);
      setAccess(buffer, PROT_READ);
    }
    if (--buffer.usesLeft == 0 && !buffer.atExit && !buffer.atEntry)
      freeBuffer(buffer);
  }
  return problem;
}

void Guard::finish() {
  inner->finish();
  for (auto &[key, buffer] : buffers)
    if (buffer.atEntry || buffer.atExit)
      makeLive(buffer);
}

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

std::string Guard::describeAccess(uint32_t vertex, uint32_t position) const {
  const artifact::Access &access =
      entry.accessesOf(entry.vertices[vertex])[position];
  return "buffer " + std::to_string(position) + " (" +
         artifact::toString(access.role) + ", " +
         module.machine.memories[access.memory].name + " [" +
         std::to_string(access.offset) + ", " +
         std::to_string(access.offset + access.bytes) + "))";
}

std::string Guard::explainFault(uint32_t vertex, const void *fault) const {
  const auto *byte = static_cast<const unsigned char *>(fault);
  artifact::Span<artifact::Access> accesses =
      entry.accessesOf(entry.vertices[vertex]);
  for (uint32_t i = 0; i < accesses.size(); ++i) {
    if (!isGuarded(accesses[i].memory))
      continue;
    const Buffer &buffer = buffers.at(keyOf(vertex, accesses[i]));
    if (byte >= buffer.data && byte < buffer.pages + buffer.pageBytes) {
      const char *what =
          accesses[i].role == artifact::AccessRole::Read
              ? (buffer.live ? "wrote to " : "read before anybody wrote ")
              : "could not access ";
      return what + describeAccess(vertex, i);
    }
    if (byte >= buffer.pages + buffer.pageBytes &&
        byte < buffer.pages + buffer.pageBytes + pageSize)
      return "touched byte " + std::to_string(byte - buffer.data) + " of " +
             describeAccess(vertex, i) + ", which has " +
             std::to_string(buffer.bytes) + " bytes";
  }
  // The page between two buffers belongs to both: the end of one is likelier.
  for (uint32_t i = 0; i < accesses.size(); ++i) {
    if (!isGuarded(accesses[i].memory))
      continue;
    const Buffer &buffer = buffers.at(keyOf(vertex, accesses[i]));
    if (byte < buffer.pages && byte >= buffer.pages - pageSize)
      return "touched " + std::to_string(buffer.data - byte) +
             " bytes before " + describeAccess(vertex, i);
  }
  return "touched memory that is none of its buffers";
}
