//===- Interpreter.cpp - linalg on tensors, in double precision -----------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include <cmath>
#include <functional>
#include <map>

using namespace mlir;

namespace turnip::test {

using Map = llvm::DenseMap<Value, Scalar>;

Tensor Tensor::make(RankedTensorType type) {
  Tensor tensor;
  tensor.elementType = type.getElementType();
  tensor.shape.assign(type.getShape().begin(), type.getShape().end());
  tensor.values.resize(type.getNumElements());
  return tensor;
}

Scalar roundTo(Scalar value, Type type) {
  if (auto integer = dyn_cast<IntegerType>(type)) {
    unsigned width = integer.getWidth();
    if (width == 1)
      value.i &= 1;
    else if (width < 64)
      value.i = int64_t(uint64_t(value.i) << (64 - width)) >> (64 - width);
    return value;
  }
  if (type.isF16() || type.isBF16()) {
    bool lossy = false;
    llvm::APFloat f(float(value.f));
    f.convert(cast<FloatType>(type).getFloatSemantics(),
              llvm::APFloat::rmNearestTiesToEven, &lossy);
    f.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven,
              &lossy);
    value.f = f.convertToDouble();
  }
  return value;
}

static Scalar scalarOf(Attribute attr) {
  Scalar value;
  if (auto f = dyn_cast<FloatAttr>(attr))
    value.f = f.getValueAsDouble();
  else if (auto i = dyn_cast<IntegerAttr>(attr))
    value.i = i.getType().isInteger(1) ? i.getValue().getZExtValue()
                                       : i.getValue().getSExtValue();
  return value;
}

static bool compare(arith::CmpFPredicate predicate, double a, double b) {
  using P = arith::CmpFPredicate;
  bool unordered = std::isnan(a) || std::isnan(b);
  switch (predicate) {
  case P::OEQ:
    return a == b;
  case P::OGT:
    return a > b;
  case P::OGE:
    return a >= b;
  case P::OLT:
    return a < b;
  case P::OLE:
    return a <= b;
  case P::ONE:
    return !unordered && a != b;
  case P::UNE:
    return a != b;
  case P::UNO:
    return unordered;
  default:
    llvm::report_fatal_error("comparison unknown to the interpreter");
  }
}

static bool compare(arith::CmpIPredicate predicate, int64_t a, int64_t b) {
  using P = arith::CmpIPredicate;
  switch (predicate) {
  case P::eq:
    return a == b;
  case P::ne:
    return a != b;
  case P::slt:
    return a < b;
  case P::sle:
    return a <= b;
  case P::sgt:
    return a > b;
  case P::sge:
    return a >= b;
  case P::ult:
    return uint64_t(a) < uint64_t(b);
  default:
    llvm::report_fatal_error("comparison unknown to the interpreter");
  }
}

static double maximum(double a, double b) {
  return std::isnan(a) || std::isnan(b) ? NAN : std::max(a, b);
}

static double minimum(double a, double b) {
  return std::isnan(a) || std::isnan(b) ? NAN : std::min(a, b);
}

using FloatUnary = double (*)(double);

static const std::map<std::string, FloatUnary> &unaries() {
  static const std::map<std::string, FloatUnary> table = {
      {"math.exp", std::exp},
      {"math.exp2", std::exp2},
      {"math.expm1", std::expm1},
      {"math.log", std::log},
      {"math.log2", std::log2},
      {"math.log10", std::log10},
      {"math.log1p", std::log1p},
      {"math.tanh", std::tanh},
      {"math.sin", std::sin},
      {"math.cos", std::cos},
      {"math.tan", std::tan},
      {"math.erf", std::erf},
      {"math.erfc", std::erfc},
      {"math.sqrt", std::sqrt},
      {"math.absf", std::fabs},
      {"math.floor", std::floor},
      {"math.ceil", std::ceil},
      {"math.trunc", std::trunc},
      {"math.round", std::round},
      {"math.roundeven", std::nearbyint},
      {"math.atan", std::atan},
      {"math.asin", std::asin},
      {"math.acos", std::acos},
      {"math.sinh", std::sinh},
      {"math.cosh", std::cosh},
      {"math.asinh", std::asinh},
      {"math.acosh", std::acosh},
      {"math.atanh", std::atanh},
      {"math.cbrt", std::cbrt},
      {"math.rsqrt", [](double x) { return 1 / std::sqrt(x); }},
      {"arith.negf", [](double x) { return -x; }},
      {"arith.extf", [](double x) { return x; }},
      {"arith.truncf", [](double x) { return x; }}};
  return table;
}

using FloatBinary = double (*)(double, double);

static const std::map<std::string, FloatBinary> &binaries() {
  static const std::map<std::string, FloatBinary> table = {
      {"arith.addf", [](double a, double b) { return a + b; }},
      {"arith.subf", [](double a, double b) { return a - b; }},
      {"arith.mulf", [](double a, double b) { return a * b; }},
      {"arith.divf", [](double a, double b) { return a / b; }},
      {"arith.remf", std::fmod},
      {"arith.maximumf", maximum},
      {"arith.minimumf", minimum},
      {"arith.maxnumf", std::fmax},
      {"arith.minnumf", std::fmin},
      {"math.copysign", std::copysign},
      {"math.atan2", std::atan2},
      {"math.powf", std::pow}};
  return table;
}

using IntBinary = int64_t (*)(int64_t, int64_t);

static const std::map<std::string, IntBinary> &integers() {
  static const std::map<std::string, IntBinary> table = {
      {"arith.addi",
       [](int64_t a, int64_t b) { return int64_t(uint64_t(a) + b); }},
      {"arith.subi",
       [](int64_t a, int64_t b) { return int64_t(uint64_t(a) - b); }},
      {"arith.muli",
       [](int64_t a, int64_t b) { return int64_t(uint64_t(a) * b); }},
      {"arith.andi", [](int64_t a, int64_t b) { return a & b; }},
      {"arith.ori", [](int64_t a, int64_t b) { return a | b; }},
      {"arith.xori", [](int64_t a, int64_t b) { return a ^ b; }},
      {"arith.maxsi", [](int64_t a, int64_t b) { return std::max(a, b); }},
      {"arith.minsi", [](int64_t a, int64_t b) { return std::min(a, b); }},
      {"arith.divsi", [](int64_t a, int64_t b) { return a / b; }},
      {"arith.remsi", [](int64_t a, int64_t b) { return a % b; }}};
  return table;
}

static Scalar evaluate(Operation *op, ArrayRef<Scalar> x) {
  std::string name = op->getName().getStringRef().str();
  Scalar r;
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return scalarOf(constant.getValue());
  if (auto it = unaries().find(name); it != unaries().end()) {
    r.f = it->second(x[0].f);
  } else if (auto it = binaries().find(name); it != binaries().end()) {
    r.f = it->second(x[0].f, x[1].f);
  } else if (auto it = integers().find(name); it != integers().end()) {
    r.i = it->second(x[0].i, x[1].i);
  } else if (name == "math.fma") {
    r.f = x[0].f * x[1].f + x[2].f;
  } else if (name == "math.fpowi") {
    r.f = std::pow(x[0].f, double(x[1].i));
  } else if (name == "arith.select") {
    r = x[0].i ? x[1] : x[2];
  } else if (auto cmp = dyn_cast<arith::CmpFOp>(op)) {
    r.i = compare(cmp.getPredicate(), x[0].f, x[1].f);
  } else if (auto cmp = dyn_cast<arith::CmpIOp>(op)) {
    r.i = compare(cmp.getPredicate(), x[0].i, x[1].i);
  } else if (name == "arith.sitofp") {
    r.f = double(x[0].i);
  } else if (name == "arith.uitofp") {
    r.f = double(uint64_t(x[0].i));
  } else if (name == "arith.fptosi") {
    r.i = int64_t(x[0].f);
  } else if (name == "arith.extsi" || name == "arith.trunci" ||
             name == "arith.index_cast" || name == "arith.extui") {
    r.i = x[0].i;
    if (name == "arith.extsi" && op->getOperand(0).getType().isInteger(1))
      r.i = -r.i;
  } else {
    llvm::report_fatal_error("operation unknown to the interpreter: " +
                             llvm::Twine(name));
  }
  return roundTo(r, op->getResult(0).getType());
}

namespace {
class Interpreter {
public:
  std::vector<Tensor> run(func::FuncOp func, const std::vector<Tensor> &inputs,
                          const std::vector<int64_t> &indices) {
    size_t tensor = 0, scalar = 0;
    for (BlockArgument argument : func.getArguments()) {
      if (isa<RankedTensorType>(argument.getType()))
        tensors[argument] = inputs[tensor++];
      else
        scalars[argument].i = indices[scalar++];
    }
    for (Operation &op : func.front().without_terminator())
      execute(&op);
    std::vector<Tensor> results;
    for (Value value : func.front().getTerminator()->getOperands())
      results.push_back(tensors[value]);
    return results;
  }

private:
  static int64_t linear(ArrayRef<int64_t> index, ArrayRef<int64_t> shape) {
    int64_t at = 0;
    for (auto [i, size] : llvm::zip(index, shape))
      at = at * size + i;
    return at;
  }

  static void forEach(ArrayRef<int64_t> shape,
                      llvm::function_ref<void(ArrayRef<int64_t>)> body) {
    SmallVector<int64_t> index(shape.size(), 0);
    while (true) {
      body(index);
      int64_t dim = int64_t(shape.size()) - 1;
      while (dim >= 0 && ++index[dim] == shape[dim])
        index[dim--] = 0;
      if (dim < 0)
        return;
    }
  }

  static SmallVector<int64_t> apply(AffineMap map, ArrayRef<int64_t> index) {
    return map.compose(index);
  }

  void executeGeneric(linalg::GenericOp op) {
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    std::vector<Tensor> results;
    for (Value init : op.getOutputs()) {
      results.push_back(
          tensors.count(init)
              ? tensors[init]
              : Tensor::make(cast<RankedTensorType>(init.getType())));
    }
    unsigned inputs = op.getNumDpsInputs();
    forEach(op.getStaticLoopRanges(), [&](ArrayRef<int64_t> index) {
      Map map;
      for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
        Value argument = op.getBody()->getArgument(i);
        if (i >= inputs) {
          Tensor &result = results[i - inputs];
          map[argument] =
              result.values[linear(apply(maps[i], index), result.shape)];
        } else if (tensors.count(operand)) {
          Tensor &input = tensors[operand];
          map[argument] =
              input.values[linear(apply(maps[i], index), input.shape)];
        } else {
          map[argument] = scalars[operand];
        }
      }
      runBody(op.getBody(), map, index);
      for (auto [i, value] :
           llvm::enumerate(op.getBody()->getTerminator()->getOperands())) {
        Tensor &result = results[i];
        result.values[linear(apply(maps[inputs + i], index), result.shape)] =
            look(value, map);
      }
    });
    for (auto [result, tensor] : llvm::zip(op.getResults(), results))
      tensors[result] = tensor;
  }

  Scalar look(Value value, Map &map) {
    auto it = map.find(value);
    return it != map.end() ? it->second : scalars[value];
  }

  void runBody(Block *body, Map &map, ArrayRef<int64_t> index) {
    for (Operation &op : body->without_terminator()) {
      if (auto position = dyn_cast<linalg::IndexOp>(op)) {
        map[position].i = index[position.getDim()];
        continue;
      }
      if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
        SmallVector<int64_t> at;
        for (Value i : extract.getIndices())
          at.push_back(look(i, map).i);
        Tensor &tensor = tensors[extract.getTensor()];
        map[extract] = tensor.values[linear(at, tensor.shape)];
        continue;
      }
      SmallVector<Scalar> operands;
      for (Value operand : op.getOperands())
        operands.push_back(look(operand, map));
      map[op.getResult(0)] = evaluate(&op, operands);
    }
  }

  void executeSlice(tensor::ExtractSliceOp op) {
    Tensor &from = tensors[op.getSource()];
    Tensor to = Tensor::make(op.getType());
    size_t next = 0;
    forEach(op.getStaticSizes(), [&](ArrayRef<int64_t> index) {
      SmallVector<int64_t> at;
      for (auto [dim, i] : llvm::enumerate(index))
        at.push_back(op.getStaticOffset(dim) + i * op.getStaticStride(dim));
      to.values[next++] = from.values[linear(at, from.shape)];
    });
    tensors[op] = to;
  }

  void executeInsert(tensor::InsertSliceOp op) {
    Tensor from = tensors[op.getSource()];
    Tensor to = tensors.count(op.getDest()) ? tensors[op.getDest()]
                                            : Tensor::make(op.getType());
    size_t next = 0;
    forEach(op.getStaticSizes(), [&](ArrayRef<int64_t> index) {
      SmallVector<int64_t> at;
      for (auto [dim, i] : llvm::enumerate(index))
        at.push_back(op.getStaticOffset(dim) + i * op.getStaticStride(dim));
      to.values[linear(at, to.shape)] = from.values[next++];
    });
    tensors[op] = to;
  }

  void execute(Operation *op) {
    if (auto generic = dyn_cast<linalg::GenericOp>(op))
      return executeGeneric(generic);
    if (auto fill = dyn_cast<linalg::FillOp>(op)) {
      Tensor tensor =
          Tensor::make(cast<RankedTensorType>(fill.getResult(0).getType()));
      std::fill(tensor.values.begin(), tensor.values.end(),
                scalars[fill.getInputs()[0]]);
      tensors[fill.getResult(0)] = tensor;
      return;
    }
    if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
      return executeSlice(slice);
    if (auto insert = dyn_cast<tensor::InsertSliceOp>(op))
      return executeInsert(insert);
    if (isa<tensor::EmptyOp>(op))
      return;
    if (isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op)) {
      Tensor tensor = tensors[op->getOperand(0)];
      auto type = cast<RankedTensorType>(op->getResult(0).getType());
      tensor.shape.assign(type.getShape().begin(), type.getShape().end());
      tensors[op->getResult(0)] = tensor;
      return;
    }
    if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      if (auto elements = dyn_cast<DenseElementsAttr>(constant.getValue())) {
        Tensor tensor =
            Tensor::make(cast<RankedTensorType>(elements.getType()));
        size_t next = 0;
        for (Attribute value : elements.getValues<Attribute>())
          tensor.values[next++] = scalarOf(value);
        tensors[constant] = tensor;
        return;
      }
    }
    SmallVector<Scalar> operands;
    for (Value operand : op->getOperands())
      operands.push_back(scalars[operand]);
    scalars[op->getResult(0)] = evaluate(op, operands);
  }

  llvm::DenseMap<Value, Tensor> tensors;
  llvm::DenseMap<Value, Scalar> scalars;
};
} // namespace

std::vector<Tensor> interpret(func::FuncOp func,
                              const std::vector<Tensor> &tensors,
                              const std::vector<int64_t> &scalars) {
  return Interpreter().run(func, tensors, scalars);
}

} // namespace turnip::test
