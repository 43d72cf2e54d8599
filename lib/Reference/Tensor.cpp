//===- Tensor.cpp - A whole tensor of the evaluator -----------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/Reference/Tensor.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InterleavedRange.h"
#include "llvm/Support/raw_ostream.h"

#include <cstring>

using namespace mlir;
using namespace turnip;
using namespace turnip::reference;

Tensor::Tensor(RankedTensorType type)
    : type(type), kind(ScalarKind::get(type.getElementType()).first) {
  if (kind.isFloat)
    reals.resize(type.getNumElements());
  else
    integers.resize(type.getNumElements());
}

Tensor Tensor::ofReals(RankedTensorType type, ArrayRef<double> values) {
  Tensor tensor(type);
  for (auto [to, from] : llvm::zip_equal(tensor.reals, values))
    to = roundToType(from, type.getElementType());
  return tensor;
}

Tensor Tensor::ofIntegers(RankedTensorType type, ArrayRef<int64_t> values) {
  Tensor tensor(type);
  for (auto [to, from] : llvm::zip_equal(tensor.integers, values))
    to = wrapToWidth(from, tensor.kind.width);
  return tensor;
}

void Tensor::set(int64_t index, const Scalar &value) {
  if (kind.isFloat)
    reals[index] = value.real;
  else
    integers[index] = value.integer;
  if (bounds.empty()) {
    if (value.bound == 0)
      return;
    bounds.resize(getNumElements());
  }
  bounds[index] = value.bound;
}

Tensor Tensor::reshaped(RankedTensorType newType) const {
  Tensor tensor = *this;
  tensor.type = newType;
  return tensor;
}

//===----------------------------------------------------------------------===//
// Storage
//===----------------------------------------------------------------------===//

/// Bytes of one stored element.
static int64_t storedBytes(const ScalarKind &kind) {
  return kind.width == 1 ? 1 : kind.width / 8;
}

static double realOfBits(uint64_t bits, Type type) {
  auto real = cast<FloatType>(type);
  llvm::APFloat number(real.getFloatSemantics(),
                       llvm::APInt(real.getWidth(), bits));
  bool losesInfo = false;
  number.convert(llvm::APFloat::IEEEdouble(),
                 llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return number.convertToDouble();
}

static uint64_t bitsOfReal(double value, Type type) {
  llvm::APFloat number(value);
  bool losesInfo = false;
  number.convert(cast<FloatType>(type).getFloatSemantics(),
                 llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return number.bitcastToAPInt().getZExtValue();
}

Expected<Tensor> Tensor::ofBytes(RankedTensorType type, ArrayRef<char> bytes) {
  Tensor tensor(type);
  int64_t size = storedBytes(tensor.kind);
  if (static_cast<int64_t>(bytes.size()) != size * tensor.getNumElements())
    return Status::error(
        StatusCode::BadInput,
        "expected " + std::to_string(size * tensor.getNumElements()) +
            " bytes of data, but got " + std::to_string(bytes.size()));
  for (int64_t i = 0, e = tensor.getNumElements(); i < e; ++i) {
    uint64_t bits = 0;
    std::memcpy(&bits, bytes.data() + i * size, size);
    if (!tensor.kind.isFloat) {
      tensor.integers[i] =
          wrapToWidth(static_cast<int64_t>(bits), tensor.kind.width);
    } else if (type.getElementType().isF32()) {
      float value;
      std::memcpy(&value, bytes.data() + i * size, size);
      tensor.reals[i] = value;
    } else {
      tensor.reals[i] = realOfBits(bits, type.getElementType());
    }
  }
  return tensor;
}

std::string Tensor::toBytes() const {
  int64_t size = storedBytes(kind);
  std::string bytes(size * getNumElements(), '\0');
  for (int64_t i = 0, e = getNumElements(); i < e; ++i) {
    uint64_t bits = kind.isFloat ? bitsOfReal(reals[i], type.getElementType())
                                 : static_cast<uint64_t>(integers[i]);
    std::memcpy(bytes.data() + i * size, &bits, size);
  }
  return bytes;
}

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

static void printScalar(llvm::raw_ostream &os, const Scalar &value,
                        const ScalarKind &kind) {
  if (!kind.isFloat)
    os << value.integer;
  else if (std::isnan(value.real))
    os << "nan";
  else if (std::isinf(value.real))
    os << (value.real < 0 ? "-inf" : "inf");
  else
    os << llvm::format("%.9g", value.real);
}

/// How far apart the values are, in units of the bound: at most 1 is right.
static double excess(const Scalar &expected, const Scalar &actual,
                     const ScalarKind &kind) {
  if (expected.bound == kUndefined)
    return 0;
  double distance;
  if (!kind.isFloat) {
    if (expected.integer == actual.integer)
      return 0;
    distance = std::fabs(static_cast<double>(expected.integer) -
                         static_cast<double>(actual.integer));
  } else {
    if (expected.real == actual.real)
      return 0;
    distance = std::fabs(expected.real - actual.real);
  }
  if (std::isnan(distance) || expected.bound == 0)
    return kUndefined;
  return distance / expected.bound;
}

std::optional<Mismatch> turnip::reference::findMismatch(const Tensor &expected,
                                                        const Tensor &actual,
                                                        double *largestShare) {
  Mismatch worst;
  double worstExcess = 1;
  for (int64_t i = 0, e = expected.getNumElements(); i < e; ++i) {
    Scalar wanted = expected.get(i), got = actual.get(i);
    double here = excess(wanted, got, expected.getKind());
    if (largestShare)
      *largestShare = std::max(*largestShare, here);
    if (here <= 1)
      continue;
    if (worst.count++ == 0 || here > worstExcess) {
      worstExcess = here;
      worst.index = i;
      worst.expected = wanted;
      worst.actual = got;
    }
  }
  if (worst.count == 0)
    return std::nullopt;
  return worst;
}

std::string turnip::reference::toString(const Mismatch &mismatch,
                                        RankedTensorType type) {
  SmallVector<int64_t> position(type.getRank());
  int64_t rest = mismatch.index;
  for (int64_t d = type.getRank() - 1; d >= 0; --d) {
    position[d] = rest % type.getDimSize(d);
    rest /= type.getDimSize(d);
  }
  ScalarKind kind = ScalarKind::get(type.getElementType()).first;
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "element [" << llvm::interleaved(position) << "]: expected ";
  printScalar(os, mismatch.expected, kind);
  os << " within " << llvm::format("%.3g", mismatch.expected.bound)
     << ", but got ";
  printScalar(os, mismatch.actual, kind);
  os << " (" << mismatch.count << " of " << type.getNumElements()
     << " elements differ)";
  return text;
}
