//===- GgufImport.cpp - GGUF models to ein IR -----------------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Architectures.h"
#include "ForwardModule.h"
#include "turnip/Import/Import.h"

using namespace mlir;
using namespace turnip;
using namespace turnip::import;

/// Every architecture, by the name that general.architecture gives it.
static constexpr struct {
  llvm::StringLiteral name;
  ForwardPass build;
} architectures[] = {
    {"llama", buildGgufLlama},
};

std::string turnip::import::knownArchitectures() {
  std::string names;
  for (const auto &architecture : architectures)
    names += (names.empty() ? "" : ", ") + architecture.name.str();
  return names;
}

static Expected<ForwardPass>
findArchitecture(const parameters::GgufFile &file) {
  Expected<std::string_view> name = file.stringValue("general.architecture");
  if (!name)
    return name.status();
  for (const auto &architecture : architectures)
    if (llvm::StringRef(*name) == architecture.name)
      return architecture.build;
  return Status::error(StatusCode::BadInput,
                       "architecture '" + std::string(*name) +
                           "' is not supported; supported are " +
                           knownArchitectures());
}

namespace {
/// The tensors of a file. Whatever floats it stores, the program reads f32.
class GgufSource : public ParameterSource {
public:
  explicit GgufSource(const parameters::GgufFile &file) : file(file) {}

  bool has(StringRef name) const override { return findTensor(name); }

  Expected<ElementType> find(StringRef name,
                             ArrayRef<int64_t> shape) const override {
    const parameters::GgufTensor *tensor = findTensor(name);
    if (!tensor)
      return Status::error(StatusCode::BadInput,
                           "the file has no tensor '" + name.str() + "'");
    std::string prefix = "tensor '" + name.str() + "': expected ";
    if (ArrayRef<int64_t>(tensor->shape) != shape)
      return Status::error(StatusCode::BadInput,
                           prefix + "shape " + shapeText(shape) + ", but got " +
                               shapeText(tensor->shape));
    if (!tensor->format->expand)
      return Status::error(StatusCode::BadInput,
                           prefix + "floating-point storage, but got " +
                               tensor->format->name);
    return ElementType::F32;
  }

private:
  const parameters::GgufTensor *findTensor(StringRef name) const {
    return file.findTensor({name.data(), name.size()});
  }
  static std::string shapeText(ArrayRef<int64_t> shape) {
    std::string text;
    for (int64_t extent : shape)
      text += (text.empty() ? "" : "x") + std::to_string(extent);
    return text.empty() ? "a scalar" : text;
  }

  const parameters::GgufFile &file;
};
} // namespace

/// A tensor that no parameter used means that the forward pass is not the
/// model's.
static Status checkAllUsed(const parameters::GgufFile &file,
                           const ModelBuilder &model) {
  for (const parameters::GgufTensor &tensor : file.tensors())
    if (!model.usedTensors().contains(StringRef(tensor.name)))
      return Status::error(StatusCode::BadInput,
                           "tensor '" + std::string(tensor.name) +
                               "' has no place in this architecture as far "
                               "as it is supported");
  return Status::ok();
}

Expected<OwningOpRef<ModuleOp>>
turnip::import::importGguf(MLIRContext &context,
                           const parameters::GgufFile &file,
                           const ImportOptions &options) {
  Expected<ForwardPass> build = findArchitecture(file);
  if (!build)
    return build.status();
  return buildForwardModule(context, options, GgufSource(file),
                            [&](ModelBuilder &model, Value tokens) -> Value {
                              Value logits = (*build)(model, file, tokens);
                              if (Status status = checkAllUsed(file, model);
                                  !status)
                                model.fail(status);
                              return logits;
                            });
}
