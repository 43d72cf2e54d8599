//===- Arena.cpp - The bytes of one memory while planning -----------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arena.h"

#include <algorithm>

using namespace turnip::planner;

/// Free segments that one search looks at: keeps a search cheap when a large
/// memory is in many pieces.
static constexpr unsigned searchLimit = 48;
/// A free neighbour this many times smaller is swallowed with its age.
static constexpr uint64_t sliverRatio = 16;

Arena::Arena(uint64_t capacity, uint64_t alignment, uint64_t freshAge)
    : alignment(alignment) {
  unused = capacity & ~(alignment - 1);
  if (unused == 0)
    return;
  Segment whole;
  whole.bytes = unused;
  whole.age = freshAge;
  head = tail = create(whole);
  insertFree(head);
}

uint32_t Arena::create(const Segment &segment) {
  if (spare.empty()) {
    segments.push_back(segment);
    return static_cast<uint32_t>(segments.size() - 1);
  }
  uint32_t id = spare.back();
  spare.pop_back();
  segments[id] = segment;
  return id;
}

void Arena::insertFree(uint32_t segment) {
  byAge.emplace(segments[segment].age, segment);
  bySize.emplace(segments[segment].bytes, segment);
}

void Arena::eraseFree(uint32_t segment) {
  byAge.erase({segments[segment].age, segment});
  bySize.erase({segments[segment].bytes, segment});
}

void Arena::linkNext(uint32_t segment, uint32_t next) {
  segments[segment].next = next;
  if (next != None)
    segments[next].previous = segment;
  else
    tail = segment;
}

uint32_t Arena::insertAfter(uint32_t segment, Segment next) {
  uint32_t behind = segments[segment].next;
  next.previous = segment;
  uint32_t id = create(next);
  linkNext(segment, id);
  linkNext(id, behind);
  return id;
}

void Arena::split(uint32_t segment, uint64_t bytes) {
  eraseFree(segment);
  Segment rest = segments[segment];
  rest.offset += bytes;
  rest.bytes -= bytes;
  segments[segment].bytes = bytes;
  insertFree(segment);
  insertFree(insertAfter(segment, rest));
}

void Arena::mergeWithNext(uint32_t segment) {
  uint32_t other = segments[segment].next;
  eraseFree(segment);
  eraseFree(other);
  segments[segment].bytes += segments[other].bytes;
  segments[segment].age = std::max(segments[segment].age, segments[other].age);
  linkNext(segment, segments[other].next);
  spare.push_back(other);
  insertFree(segment);
}

uint32_t Arena::hold(uint32_t first, uint64_t bytes, uint32_t owner) {
  eraseFree(first);
  uint64_t held = segments[first].bytes, age = segments[first].age;
  while (held < bytes) {
    uint32_t other = segments[first].next;
    eraseFree(other);
    held += segments[other].bytes;
    age = std::max(age, segments[other].age);
    linkNext(first, segments[other].next);
    spare.push_back(other);
  }
  if (held > bytes) {
    Segment rest = segments[first];
    rest.offset += bytes;
    rest.bytes = held - bytes;
    rest.age = age;
    insertFree(insertAfter(first, rest));
  }
  Segment &segment = segments[first];
  segment.bytes = bytes;
  segment.age = age;
  segment.free = false;
  segment.owner = owner;
  unused -= bytes;
  highest = std::max(highest, segment.offset + bytes);
  return first;
}

uint32_t Arena::grow(uint64_t bytes, uint32_t owner) {
  if (tail == None || !segments[tail].free ||
      segments[tail].bytes < aligned(bytes))
    return None;
  return hold(tail, aligned(bytes), owner);
}

uint32_t Arena::takeLow(uint32_t first, uint64_t bytes, uint32_t owner) {
  return hold(first, aligned(bytes), owner);
}

uint32_t Arena::allocateFirst(uint64_t bytes, uint32_t owner) {
  uint64_t run = 0;
  uint32_t first = None;
  for (uint32_t at = head; at != None; at = segments[at].next) {
    if (!segments[at].free) {
      run = 0;
      continue;
    }
    first = run == 0 ? at : first;
    run += segments[at].bytes;
    if (run >= aligned(bytes))
      return hold(first, aligned(bytes), owner);
  }
  return None;
}

uint32_t Arena::allocateOutside(uint64_t bytes, uint32_t owner, uint64_t low,
                                uint64_t high) {
  uint64_t need = aligned(bytes);
  unsigned looked = 0;
  for (auto at = bySize.lower_bound({need, 0});
       at != bySize.end() && looked < searchLimit; ++at, ++looked) {
    const Segment &segment = segments[at->second];
    if (segment.offset >= high || segment.offset + segment.bytes <= low)
      return hold(at->second, need, owner);
  }
  return None;
}

uint32_t Arena::take(uint32_t first, uint32_t last, uint64_t bytes,
                     uint32_t owner) {
  bytes = aligned(bytes);
  if (segments[first].age <= segments[last].age)
    return hold(first, bytes, owner);
  // From the high end: cut off what is not needed at the low end.
  uint64_t end = segments[last].offset + segments[last].bytes;
  uint64_t begin = end - bytes;
  while (segments[first].offset + segments[first].bytes <= begin)
    first = segments[first].next;
  if (segments[first].offset < begin) {
    split(first, begin - segments[first].offset);
    first = segments[first].next;
  }
  return hold(first, bytes, owner);
}

uint32_t Arena::allocate(uint64_t bytes, uint32_t owner, uint64_t before) {
  uint64_t need = aligned(bytes), bestAge = UINT64_MAX;
  uint32_t bestFirst = None, bestLast = None;
  // Looks for a run that begins or ends with a segment.
  auto consider = [&](uint32_t start, uint32_t Segment::*direction) {
    uint64_t total = 0, age = 0;
    for (uint32_t at = start; at != None && segments[at].free;
         at = segments[at].*direction) {
      total += segments[at].bytes;
      age = std::max(age, segments[at].age);
      if (age >= bestAge || age >= before)
        return;
      if (total < need)
        continue;
      bool forward = direction == &Segment::next;
      bestFirst = forward ? start : at;
      bestLast = forward ? at : start;
      bestAge = age;
      return;
    }
  };
  unsigned looked = 0;
  for (const auto &[age, segment] : byAge) {
    if (age >= bestAge || age >= before || ++looked > searchLimit)
      break;
    consider(segment, &Segment::next);
    consider(segment, &Segment::previous);
  }
  if (bestFirst == None) {
    // The search gave up early: take the smallest single segment that fits.
    auto found = bySize.lower_bound({need, 0});
    for (looked = 0; found != bySize.end() && looked < searchLimit;
         ++found, ++looked)
      if (segments[found->second].age < before)
        return hold(found->second, need, owner);
    return None;
  }
  return take(bestFirst, bestLast, bytes, owner);
}

uint32_t Arena::allocateTight(uint64_t bytes, uint32_t owner, uint64_t before) {
  uint64_t need = aligned(bytes), bestBytes = UINT64_MAX;
  uint32_t bestFirst = None, bestLast = None;
  auto usable = [&](uint32_t at) {
    return at != None && segments[at].free && segments[at].age < before;
  };
  unsigned looked = 0;
  for (const auto &[age, segment] : byAge) {
    if (age >= before || ++looked > searchLimit)
      break;
    if (usable(segments[segment].previous))
      continue;
    uint64_t total = 0;
    uint32_t last = segment;
    unsigned reach = 0;
    for (uint32_t at = segment; usable(at) && ++reach <= searchLimit;
         at = segments[at].next) {
      total += segments[at].bytes;
      last = at;
    }
    if (total < need || total >= bestBytes)
      continue;
    bestBytes = total;
    bestFirst = segment;
    bestLast = last;
  }
  return bestFirst == None ? None : take(bestFirst, bestLast, bytes, owner);
}

void Arena::shrink(uint32_t segment, uint64_t bytes, uint64_t age) {
  bytes = aligned(bytes);
  if (segments[segment].bytes == bytes)
    return;
  Segment rest = segments[segment];
  rest.offset += bytes;
  rest.bytes -= bytes;
  rest.free = true;
  rest.owner = None;
  rest.age = age;
  segments[segment].bytes = bytes;
  unused += rest.bytes;
  insertFree(insertAfter(segment, rest));
}

void Arena::release(uint32_t segment, uint64_t age, bool keep) {
  Segment &freed = segments[segment];
  freed.free = true;
  freed.owner = None;
  freed.age = age;
  unused += freed.bytes;
  insertFree(segment);
  if (keep)
    return;
  // Slivers would only multiply; their age is not worth a segment.
  auto swallow = [&](uint32_t left) {
    uint32_t right = segments[left].next;
    if (right == None || !segments[left].free || !segments[right].free)
      return false;
    auto [less, more] =
        std::minmax(segments[left].bytes, segments[right].bytes);
    uint64_t leftAge = segments[left].age, rightAge = segments[right].age;
    bool fresh = std::max(leftAge, rightAge) == untouched;
    if (leftAge != rightAge && (fresh || less > more / sliverRatio))
      return false;
    mergeWithNext(left);
    return true;
  };
  swallow(segment);
  if (segments[segment].previous != None)
    swallow(segments[segment].previous);
}
