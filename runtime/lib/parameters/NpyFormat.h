//===- NpyFormat.h - The header of a .npy file ------------------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_PARAMETERS_NPYFORMAT_H
#define TURNIP_LIB_PARAMETERS_NPYFORMAT_H

#include "turnip/support/ElementType.h"
#include "turnip/support/Status.h"

#include <string_view>
#include <vector>

namespace turnip::parameters {

/// What the header of a .npy file says, and the data it says it of.
struct NpyContents {
  std::vector<int64_t> shape;
  ElementType type = ElementType::F32;
  /// The elements are f8 in the file; type is F32.
  bool isDouble = false;
  bool fortranOrder = false;
  int64_t numElements = 0;
  /// numElements elements as stored.
  std::string_view data;
};

/// Checks and splits the bytes of a .npy file.
Expected<NpyContents> splitNpy(std::string_view bytes);

} // namespace turnip::parameters

#endif // TURNIP_LIB_PARAMETERS_NPYFORMAT_H
