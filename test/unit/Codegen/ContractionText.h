//===- ContractionText.h - Contractions as text ---------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_TEST_UNIT_CODEGEN_CONTRACTIONTEXT_H
#define TURNIP_TEST_UNIT_CODEGEN_CONTRACTIONTEXT_H

#include "llvm/Support/FormatVariadic.h"
#include <map>
#include <string>

namespace turnip::test {

/// An einsum of two operands, each label one letter with a size.
struct Einsum {
  std::string a, b, c;
  std::map<char, int> sizes;
  std::string typeA = "f32", typeB = "f32", typeC = "f32";
};

/// A function that computes it, as linalg.
inline std::string contraction(const Einsum &e) {
  std::string labels = e.c, iterators;
  for (char label : e.a + e.b)
    if (labels.find(label) == std::string::npos)
      labels += label;
  for (size_t i = 0; i < labels.size(); ++i)
    iterators += llvm::formatv("{0}\"{1}\"", i ? ", " : "",
                               i < e.c.size() ? "parallel" : "reduction");
  auto map = [&](const std::string &part) {
    std::string dims, exprs;
    for (size_t i = 0; i < labels.size(); ++i)
      dims += llvm::formatv("{0}d{1}", i ? ", " : "", i);
    for (size_t i = 0; i < part.size(); ++i)
      exprs += llvm::formatv("{0}d{1}", i ? ", " : "", labels.find(part[i]));
    return llvm::formatv("affine_map<({0}) -> ({1})>", dims, exprs).str();
  };
  auto type = [&](const std::string &part, const std::string &element) {
    std::string shape;
    for (char label : part)
      shape += llvm::formatv("{0}x", e.sizes.at(label));
    return llvm::formatv("tensor<{0}{1}>", shape, element).str();
  };
  bool isFloat = e.typeC[0] == 'f';
  auto widen = [&](const std::string &narrow, const char *from,
                   const char *to) {
    return narrow == e.typeC
               ? std::string()
               : llvm::formatv("%{0} = arith.{1} %{2} : {3} to {4}\n    ", to,
                               isFloat ? "extf" : "extsi", from, narrow,
                               e.typeC)
                     .str();
  };
  return llvm::formatv(
      R"(
func.func @k(%x: {0}, %y: {1}) -> {2} {{
  %e = tensor.empty() : {2}
  %zero = arith.constant {3} : {4}
  %f = linalg.fill ins(%zero : {4}) outs(%e : {2}) -> {2}
  %r = linalg.generic {{indexing_maps = [{5}, {6}, {7}], iterator_types = [{8}]}
      ins(%x, %y : {0}, {1}) outs(%f : {2}) {{
  ^bb0(%a: {9}, %b: {10}, %o: {4}):
    {11}{12}%p = arith.mul{13} %{14}, %{15} : {4}
    %s = arith.add{13} %o, %p : {4}
    linalg.yield %s : {4}
  } -> {2}
  return %r : {2}
})",
      type(e.a, e.typeA), type(e.b, e.typeB), type(e.c, e.typeC),
      isFloat ? "0.0" : "0", e.typeC, map(e.a), map(e.b), map(e.c), iterators,
      e.typeA, e.typeB, widen(e.typeA, "a", "p0"), widen(e.typeB, "b", "p1"),
      isFloat ? "f" : "i", e.typeA == e.typeC ? "a" : "p0",
      e.typeB == e.typeC ? "b" : "p1");
}

} // namespace turnip::test

#endif // TURNIP_TEST_UNIT_CODEGEN_CONTRACTIONTEXT_H
