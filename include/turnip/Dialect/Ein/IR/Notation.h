//===- Notation.h - Labels of einsum operands and results ----- -*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_DIALECT_EIN_IR_NOTATION_H
#define TURNIP_DIALECT_EIN_IR_NOTATION_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace turnip::ein {

/// The parsed form of a notation like "lk,nk->ln": one string of labels per
/// operand and per result. A label is one letter.
struct Notation {
  llvm::SmallVector<std::string> operands;
  llvm::SmallVector<std::string> results;

  /// Parses `text` for `numOperands` operands and `numResults` results. Errors
  /// say what is wrong in a form fit for a verifier message: a missing arrow, a
  /// character that is no letter, a label twice in one operand or result, a
  /// number of operands or results other than expected.
  static llvm::Expected<Notation>
  parse(llvm::StringRef text, unsigned numOperands, unsigned numResults);

  /// The text again.
  std::string str() const;

  /// All labels, each once: those of results first, then those of operands, in
  /// order of appearance.
  std::string labels() const;

  /// The labels of operands that no result has, in order of appearance.
  std::string reductionLabels() const;
};

} // namespace turnip::ein

#endif // TURNIP_DIALECT_EIN_IR_NOTATION_H
