//===- Notation.cpp - Labels of einsum operands and results ---------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/Dialect/Ein/IR/Notation.h"
#include "llvm/ADT/StringExtras.h"

using namespace turnip::ein;

static llvm::Error makeError(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

/// Splits one side of a notation at its commas and checks each part. A side of
/// no parts is written as nothing.
static llvm::Error parseSide(llvm::StringRef text, llvm::StringRef what,
                             unsigned expected,
                             llvm::SmallVectorImpl<std::string> &parts) {
  llvm::SmallVector<llvm::StringRef> pieces;
  if (!text.empty() || expected != 0)
    text.split(pieces, ',');
  if (pieces.size() != expected)
    return makeError("expected notation with " + llvm::Twine(expected) + " " +
                     what + (expected == 1 ? "" : "s") + ", but got " +
                     llvm::Twine(pieces.size()));
  for (auto [i, piece] : llvm::enumerate(pieces)) {
    for (auto [j, label] : llvm::enumerate(piece)) {
      if (!llvm::isAlpha(label))
        return makeError("expected letters as labels of " + what + " #" +
                         llvm::Twine(i) + ", but got '" + llvm::Twine(label) +
                         "'");
      if (piece.take_front(j).contains(label))
        return makeError("expected each label once in " + what + " #" +
                         llvm::Twine(i) + ", but got '" + llvm::Twine(label) +
                         "' twice");
    }
    parts.push_back(piece.str());
  }
  return llvm::Error::success();
}

llvm::Expected<Notation> Notation::parse(llvm::StringRef text,
                                         unsigned numOperands,
                                         unsigned numResults) {
  size_t arrow = text.find("->");
  if (arrow == llvm::StringRef::npos)
    return makeError("expected '->' in notation, but got \"" + text + "\"");
  Notation notation;
  if (llvm::Error error = parseSide(text.take_front(arrow), "operand",
                                    numOperands, notation.operands))
    return std::move(error);
  if (llvm::Error error = parseSide(text.drop_front(arrow + 2), "result",
                                    numResults, notation.results))
    return std::move(error);
  return notation;
}

std::string Notation::str() const {
  return llvm::join(operands, ",") + "->" + llvm::join(results, ",");
}

static void appendNew(std::string &to, llvm::StringRef from) {
  for (char label : from)
    if (to.find(label) == std::string::npos)
      to.push_back(label);
}

std::string Notation::labels() const {
  std::string all;
  for (const std::string &part : results)
    appendNew(all, part);
  for (const std::string &part : operands)
    appendNew(all, part);
  return all;
}

std::string Notation::reductionLabels() const {
  std::string kept;
  for (const std::string &part : results)
    appendNew(kept, part);
  return labels().substr(kept.size());
}
