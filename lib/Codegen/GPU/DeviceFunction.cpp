//===- DeviceFunction.cpp - One function that a GPU runs ------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceFunction.h"
#include "../ConstantData.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace turnip::codegen::gpu {

DeviceFunction::DeviceFunction(func::FuncOp source, StringRef name,
                               const KernelTarget &target, PlaceLookup places)
    : builder(source.getContext()), l(builder, source.getLoc(), target),
      source(source), places(std::move(places)) {
  builder.setInsertionPoint(source);
  func = func::FuncOp::create(builder, l.loc, name,
                              builder.getFunctionType({}, {}));
  builder.setInsertionPointToStart(func.addEntryBlock());
  prologueEnd = func::ReturnOp::create(builder, l.loc);
  auto end = func::ReturnOp::create(builder, l.loc);
  builder.setInsertionPoint(end);
  launch.symbol = name.str();
}

LogicalResult DeviceFunction::finish() {
  prologueEnd->erase();
  SmallVector<Type> types(func.getBody().getArgumentTypes());
  func.setFunctionType(builder.getFunctionType(types, {}));
  return failure(broken);
}

void DeviceFunction::discard() {
  for (auto [attr, pointer] : constants)
    if (auto address = pointer.getDefiningOp<LLVM::AddressOfOp>())
      SymbolTable::lookupNearestSymbolFrom(func, address.getGlobalNameAttr())
          ->erase();
  func.erase();
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Value DeviceFunction::pointer(const Place &place) {
  if (place.buffer == Place::kConstant)
    return constantPointer(place.constant);
  auto [it, inserted] =
      pointers.try_emplace({place.buffer, place.bufferOffset}, Value());
  if (inserted) {
    // Pointers come before scalars.
    it->second = func.front().insertArgument(
        launch.buffers.size(),
        LLVM::LLVMPointerType::get(builder.getContext(), kGlobalSpace), l.loc);
    launch.buffers.push_back({place.buffer, place.bufferOffset});
  }
  return it->second;
}

Value DeviceFunction::constantPointer(DenseElementsAttr elements) {
  auto [it, inserted] = constants.try_emplace(elements, Value());
  if (!inserted)
    return it->second;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(func);
  LLVM::GlobalOp global = createConstantData(
      builder, l, elements,
      (func.getName() + "_constant" + Twine(constants.size())).str(),
      kGlobalSpace);
  builder.setInsertionPoint(prologueEnd);
  it->second = LLVM::AddressOfOp::create(builder, l.loc, global);
  return it->second;
}

View DeviceFunction::view(const Place &place) {
  View view;
  view.elementType = place.elementType;
  view.shape = place.shape;
  view.strides = place.strides;
  view.alignment = place.alignment();
  view.base = pointer(place);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(prologueEnd);
  view.offset = l.i64(place.offset);
  for (auto [value, factor] : place.dynamicOffsets) {
    Value index = scalar(value);
    if (!index)
      return view;
    Value wide =
        arith::IndexCastOp::create(builder, l.loc, builder.getI64Type(), index);
    view.offset = l.add(view.offset, l.mul(wide, factor));
  }
  return view;
}

int64_t DeviceFunction::reserveShared(int64_t bytes) {
  int64_t offset = launch.sharedBytes;
  launch.sharedBytes += llvm::alignTo(bytes, 16);
  return offset;
}

Value DeviceFunction::shared(int64_t offset) {
  auto type = LLVM::LLVMPointerType::get(builder.getContext(), kSharedSpace);
  if (!sharedBase) {
    OpBuilder::InsertionGuard guard(builder);
    auto module = func->getParentOfType<ModuleOp>();
    if (!module.lookupSymbol(kSharedSymbol)) {
      builder.setInsertionPointToStart(module.getBody());
      LLVM::GlobalOp::create(
          builder, l.loc, LLVM::LLVMArrayType::get(builder.getI8Type(), 0),
          /*isConstant=*/false, LLVM::Linkage::External, kSharedSymbol,
          Attribute(), /*alignment=*/16, kSharedSpace);
    }
    builder.setInsertionPoint(prologueEnd);
    sharedBase = LLVM::AddressOfOp::create(builder, l.loc, type, kSharedSymbol);
  }
  if (offset == 0)
    return sharedBase;
  return LLVM::GEPOp::create(builder, l.loc, type, builder.getI8Type(),
                             sharedBase,
                             ArrayRef<LLVM::GEPArg>{int32_t(offset)});
}

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

Value DeviceFunction::scalarArgument(BlockArgument argument) {
  uint32_t number = 0;
  for (BlockArgument earlier :
       source.getArguments().take_front(argument.getArgNumber()))
    number += !isa<RankedTensorType>(earlier.getType());
  launch.scalars.push_back(number);
  Value value = func.front().addArgument(builder.getI64Type(), l.loc);
  return arith::IndexCastOp::create(builder, l.loc, builder.getIndexType(),
                                    value);
}

Value DeviceFunction::scalar(Value value) {
  if (Value known = scalars.lookup(value))
    return known;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(prologueEnd);
  if (auto argument = dyn_cast<BlockArgument>(value))
    return scalars[value] = scalarArgument(argument);
  Operation *op = value.getDefiningOp();
  if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
    View from = viewOf(extract.getTensor());
    for (auto [index, stride] : llvm::zip(extract.getIndices(), from.strides)) {
      Value position = scalar(index);
      if (!position)
        return nullptr;
      position = arith::IndexCastOp::create(builder, l.loc,
                                            builder.getI64Type(), position);
      from.offset = l.add(from.offset, l.mul(position, stride));
    }
    return scalars[value] = l.load(from.elementType, from.base, from.offset, 0);
  }
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    if (isa<ShapedType>(operand.getType()) || !scalar(operand)) {
      if (!broken)
        op->emitOpError("cannot be part of a kernel");
      broken = true;
      return nullptr;
    }
    operands.push_back(scalar(operand));
  }
  FailureOr<SmallVector<Value>> results = l.cloneOp(op, operands);
  if (failed(results)) {
    broken = true;
    return nullptr;
  }
  for (auto [result, copy] : llvm::zip(op->getResults(), *results))
    scalars[result] = copy;
  return scalars[value];
}

Value DeviceFunction::constant(Type type, int64_t value) {
  return arith::ConstantOp::create(builder, l.loc,
                                   builder.getIntegerAttr(type, value));
}

Value DeviceFunction::less(Value a, int64_t b) {
  return arith::CmpIOp::create(builder, l.loc, arith::CmpIPredicate::ult, a,
                               constant(a.getType(), b));
}

Value DeviceFunction::widen(Value value) {
  if (value.getType().isInteger(64))
    return value;
  return arith::ExtUIOp::create(builder, l.loc, builder.getI64Type(), value);
}

void DeviceFunction::when(Value condition, llvm::function_ref<void()> body) {
  if (!condition)
    return body();
  auto branch = scf::IfOp::create(builder, l.loc, condition,
                                  /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(branch.thenYield());
  body();
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

Value DeviceFunction::thread() {
  if (!threadIndex) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(prologueEnd);
    threadIndex =
        NVVM::ThreadIdXOp::create(builder, l.loc, builder.getI32Type());
  }
  return threadIndex;
}

Value DeviceFunction::block() {
  if (!blockIndex) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(prologueEnd);
    blockIndex = NVVM::BlockIdXOp::create(builder, l.loc, builder.getI32Type());
  }
  return blockIndex;
}

Value DeviceFunction::linearThread(int64_t total, int64_t threads) {
  int64_t blocks = llvm::divideCeil(total, threads);
  launch.block = {uint32_t(threads), 1, 1};
  launch.grid = {uint32_t(blocks), 1, 1};
  if (blocks > std::numeric_limits<int32_t>::max()) {
    if (!broken)
      source.emitError("kernel needs ") << total << " threads, too many for a "
                                        << "device";
    broken = true;
    return constant(builder.getI32Type(), 0);
  }
  Value first = block(), second = thread();
  if (blocks * threads > std::numeric_limits<int32_t>::max()) {
    first = widen(first);
    second = widen(second);
  }
  Value base = arith::MulIOp::create(builder, l.loc, first,
                                     constant(first.getType(), threads));
  return arith::AddIOp::create(builder, l.loc, base, second);
}

SmallVector<Value> DeviceFunction::delinearize(Value index,
                                               ArrayRef<int64_t> sizes) {
  SmallVector<Value> result(sizes.size());
  Value rest = index;
  int64_t outermost = 0;
  while (outermost < int64_t(sizes.size()) && sizes[outermost] == 1)
    result[outermost++] = l.i64(0);
  for (int64_t i = int64_t(sizes.size()) - 1; i >= outermost; --i) {
    if (sizes[i] == 1) {
      result[i] = l.i64(0);
      continue;
    }
    if (i == outermost) {
      result[i] = widen(rest);
      break;
    }
    Value size = constant(rest.getType(), sizes[i]);
    result[i] = widen(arith::RemUIOp::create(builder, l.loc, rest, size));
    rest = arith::DivUIOp::create(builder, l.loc, rest, size);
  }
  return result;
}

void DeviceFunction::barrier() { NVVM::BarrierOp::create(builder, l.loc); }

Value DeviceFunction::shuffleXor(Value value, int64_t mask) {
  Type type = value.getType(), i32 = builder.getI32Type();
  auto shuffle = [&](Value word) -> Value {
    return NVVM::ShflOp::create(builder, l.loc, i32, constant(i32, -1), word,
                                constant(i32, mask), constant(i32, 31),
                                NVVM::ShflKind::bfly, UnitAttr());
  };
  if (type.isIndex()) {
    Value wide =
        arith::IndexCastOp::create(builder, l.loc, builder.getI64Type(), value);
    return arith::IndexCastOp::create(builder, l.loc, type,
                                      shuffleXor(wide, mask));
  }
  if (type.isF32() || type.isF64()) {
    Type bits = builder.getIntegerType(type.getIntOrFloatBitWidth());
    Value word = arith::BitcastOp::create(builder, l.loc, bits, value);
    return arith::BitcastOp::create(builder, l.loc, type,
                                    shuffleXor(word, mask));
  }
  unsigned width = type.getIntOrFloatBitWidth();
  if (width == 32)
    return shuffle(value);
  if (width < 32)
    return arith::TruncIOp::create(
        builder, l.loc, type,
        shuffle(arith::ExtUIOp::create(builder, l.loc, i32, value)));
  Value shift = constant(type, 32);
  Value low = shuffle(arith::TruncIOp::create(builder, l.loc, i32, value));
  Value high = shuffle(arith::TruncIOp::create(
      builder, l.loc, i32,
      arith::ShRUIOp::create(builder, l.loc, value, shift)));
  low = arith::ExtUIOp::create(builder, l.loc, type, low);
  high = arith::ExtUIOp::create(builder, l.loc, type, high);
  return arith::OrIOp::create(
      builder, l.loc, low, arith::ShLIOp::create(builder, l.loc, high, shift));
}

} // namespace turnip::codegen::gpu
