//===- Conversion.h - From stored elements to computed ones -----*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_PARAMETERS_CONVERSION_H
#define TURNIP_LIB_PARAMETERS_CONVERSION_H

#include "turnip/support/ElementType.h"
#include "turnip/support/Status.h"

namespace turnip::parameters {

/// Rounds \p count floats at \p values to the float type \p type, into \p dst.
void storeFloats(const float *values, int64_t count, ElementType type,
                 void *dst);

/// Widens \p count elements of the float type \p type at \p source.
void loadFloats(const void *source, int64_t count, ElementType type,
                float *values);

/// Converts \p count elements: a copy for equal types, rounding between float
/// types; anything else is an error that names both.
Status convertElements(const void *source, ElementType from, int64_t count,
                       ElementType to, void *dst);

/// Checks that [first, first + count) lies within \p size elements.
Status checkRange(int64_t first, int64_t count, int64_t size);

} // namespace turnip::parameters

#endif // TURNIP_LIB_PARAMETERS_CONVERSION_H
