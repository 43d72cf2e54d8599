//===- ElementType.h - The element types of a tensor ------------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_SUPPORT_ELEMENTTYPE_H
#define TURNIP_SUPPORT_ELEMENTTYPE_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace turnip {

/// The element types that tensors compute with. The values are part of the
/// artifact's format: never renumber.
enum class ElementType : uint8_t {
  F32 = 0,
  F16 = 1,
  BF16 = 2,
  I8 = 3,
  I32 = 4,
  I64 = 5,
  /// One byte per element, 0 or 1.
  I1 = 6,
};

/// Number of element types; the enumerators are 0 .. this - 1.
inline constexpr unsigned numElementTypes = 7;

/// Returns the bytes one element takes in memory.
int64_t byteSize(ElementType type);

/// Returns true for f32, f16 and bf16.
bool isFloat(ElementType type);

/// Returns the type's MLIR spelling, such as "bf16" or "i1".
const char *toString(ElementType type);

/// Reads the MLIR spelling of a type; nothing if \p text is none.
std::optional<ElementType> parseElementType(std::string_view text);

/// Returns the number of elements of \p shape, or nothing if an extent is
/// negative or the product exceeds 2^62.
std::optional<int64_t> countElements(const std::vector<int64_t> &shape);

/// Prints a shape and type as IR does, such as "64x576xf32"; a scalar is "f32".
std::string describe(const std::vector<int64_t> &shape, ElementType type);

/// Widens the f16 with the bits \p bits.
float halfToFloat(uint16_t bits);
/// Rounds to the nearest f16, ties to even; overflow gives infinity.
uint16_t floatToHalf(float value);
/// Widens the bf16 with the bits \p bits.
float bfloatToFloat(uint16_t bits);
/// Rounds to the nearest bf16, ties to even.
uint16_t floatToBfloat(float value);

} // namespace turnip

#endif // TURNIP_SUPPORT_ELEMENTTYPE_H
