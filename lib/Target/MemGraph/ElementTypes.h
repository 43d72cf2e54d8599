//===- ElementTypes.h - Element types of IR and artifact ------ -*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The two spellings of the seven element types.
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_TARGET_MEMGRAPH_ELEMENTTYPES_H
#define TURNIP_LIB_TARGET_MEMGRAPH_ELEMENTTYPES_H

#include "mlir/IR/BuiltinTypes.h"
#include "turnip/support/ElementType.h"

namespace turnip {

/// The artifact's name for \p type, an element type that a tile may have.
ElementType toElementType(mlir::Type type);

/// The IR's type for \p type.
mlir::Type toType(ElementType type, mlir::MLIRContext *context);

} // namespace turnip

#endif // TURNIP_LIB_TARGET_MEMGRAPH_ELEMENTTYPES_H
