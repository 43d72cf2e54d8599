//===- Tensor.h - A dense tensor in host memory -----------------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What inputs and results are on the way in and out of a program: from text,
// from .npy files and back. Every function here is safe to call from several
// threads on different tensors.
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_PARAMETERS_TENSOR_H
#define TURNIP_PARAMETERS_TENSOR_H

#include "turnip/support/ElementType.h"
#include "turnip/support/Status.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace turnip::parameters {

/// A dense row-major tensor that owns its bytes.
struct Tensor {
  /// Extents, outermost first; empty for a scalar.
  std::vector<int64_t> shape;
  ElementType type = ElementType::F32;
  /// countElements(shape) * byteSize(type) bytes in native byte order.
  std::vector<unsigned char> data;

  /// A tensor of zeros. \p shape must have a valid element count.
  static Tensor zeros(std::vector<int64_t> shape, ElementType type);

  int64_t numElements() const {
    return static_cast<int64_t>(data.size()) / byteSize(type);
  }
  /// Element \p index in row-major order, widened (i64 beyond 2^53 rounds).
  double valueAsDouble(int64_t index) const;
  /// Element \p index of an integer tensor, sign-extended (i1: 0 or 1); a
  /// floating-point element is truncated toward zero.
  int64_t valueAsInt(int64_t index) const;
  /// Stores \p value rounded to the element type; integers saturate.
  void setFromDouble(int64_t index, double value);
  void setFromInt(int64_t index, int64_t value);
};

/// Parses "2x2xf32=1,2,3,4" or "2x2xf32=[[1,2],[3,4]]" (brackets are optional
/// but must match the shape where given) or "64xi32=7" (one value: a splat) or
/// "f32=1.5" (a scalar). Integers accept 0x..., i1 accepts true and false.
Expected<Tensor> parseTensor(std::string_view text);

/// Parses what tools accept after NAME=: "@file.npy" or the text above.
Expected<Tensor> parseTensorOrFile(std::string_view text);

/// Bytes of the tensor that parseTensorOrFile() makes of \p text, about; 0 for
/// text that it refuses.
uint64_t bytesOfTensorOrFile(std::string_view text);

/// Prints "2x2xf32=[1 2][3 4]": what FileCheck tests read. Floats print with
/// the fewest digits that read back to the same bits. At most \p maxElements
/// values are printed, then "...".
std::string toText(const Tensor &tensor, int64_t maxElements = 1024);

/// Reads a .npy file (versions 1 to 3; little-endian f4, f2, i1, i4, i8, b1;
/// C order or Fortran order). f8 rounds to f32. u2 reads as bf16: numpy has no
/// bf16, so raw 16-bit patterns stand for it, and writeNpy writes it so.
Expected<Tensor> readNpy(const std::string &path);

/// Parses the bytes of a .npy file, as readNpy does.
Expected<Tensor> parseNpy(std::string_view bytes);

/// Returns the header that a .npy file of this shape and type begins with.
std::string npyHeader(const std::vector<int64_t> &shape, ElementType type);

/// Writes a .npy file (version 1, little-endian, C order); bf16 as u2. The
/// file appears whole or not at all: it is written beside \p path and renamed.
Status writeNpy(const std::string &path, const Tensor &tensor);

/// Writes what \p next returns, call by call until it returns nothing, to
/// \p path, whole or not at all. Errors: those of \p next; Io.
Status
writeFileInPieces(const std::string &path,
                  const std::function<Expected<std::string_view>()> &next);

/// Whether the functions here could write \p path now, as far as permissions
/// tell; for work that would be lost otherwise. Error: Io.
Status checkWritable(const std::string &path);

/// Writes \p bytes to \p path, whole or not at all.
Status writeFileAtomically(const std::string &path, std::string_view bytes);

} // namespace turnip::parameters

#endif // TURNIP_PARAMETERS_TENSOR_H
