//===- FileParameters.h - Parameters that come from files -------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_LIB_PARAMETERS_FILEPARAMETERS_H
#define TURNIP_LIB_PARAMETERS_FILEPARAMETERS_H

#include "turnip/parameters/GgufFile.h"
#include "turnip/parameters/ParameterProvider.h"

namespace turnip::parameters {

/// The error of a look-up: names what was asked, where, and a close name.
Status unknownParameter(const std::string &name, const std::string &source,
                        const std::vector<std::string> &known);

/// Opens the tensors of a GGUF file.
Expected<std::unique_ptr<ParameterProvider>>
openGgufParameters(const std::string &path);

} // namespace turnip::parameters

#endif // TURNIP_LIB_PARAMETERS_FILEPARAMETERS_H
