//===- Diagnostics.cpp - Diagnostics for people ---------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "turnip/Pipelines/Diagnostics.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace turnip;

DiagnosticPrinter::DiagnosticPrinter(llvm::SourceMgr &sources,
                                     MLIRContext *context)
    : SourceMgrDiagnosticHandler(sources, context) {
  setHandler([this](Diagnostic &diagnostic) { print(diagnostic); });
}

void DiagnosticPrinter::print(Diagnostic &diagnostic) {
  if (LocationAttr(diagnostic.getLocation()).findInstanceOf<FileLineColLoc>())
    return emitDiagnostic(diagnostic);
  printWithoutPlace(diagnostic);
  for (const Diagnostic &note : diagnostic.getNotes())
    printWithoutPlace(note);
}

static StringRef toString(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Note:
    return "note";
  case DiagnosticSeverity::Warning:
    return "warning";
  case DiagnosticSeverity::Error:
    return "error";
  case DiagnosticSeverity::Remark:
    return "remark";
  }
  llvm_unreachable("unknown severity");
}

void DiagnosticPrinter::printWithoutPlace(const Diagnostic &diagnostic) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (mgr.getNumBuffers() > 0)
    os << mgr.getMemoryBuffer(mgr.getMainFileID())->getBufferIdentifier()
       << ": ";
  os << toString(diagnostic.getSeverity()) << ": ";
  LocationAttr where = diagnostic.getLocation();
  if (diagnostic.getSeverity() != DiagnosticSeverity::Note)
    if (auto name = where.findInstanceOf<NameLoc>())
      os << "at \"" << name.getName().getValue() << "\": ";
  os << diagnostic << "\n";
  llvm::errs() << text;
}
