//===- DeviceLowering.cpp - Device functions for GPUs and the stand-in ----===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Backend.h"
#include "../MathExpansion.h"
#include "DeviceBackend.h"
#include "DeviceFunction.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "turnip/standin/ThreadABI.h"

using namespace mlir;

namespace turnip::codegen::gpu {

void registerDeviceDialects(DialectRegistry &registry) {
  registry.insert<NVVM::NVVMDialect>();
  registerNVVMDialectTranslation(registry);
}

LogicalResult lowerForCuda(ModuleOp module, ArrayRef<KernelLaunch> launches) {
  if (failed(lowerToLLVM(module)))
    return failure();
  Builder builder(module.getContext());
  for (const KernelLaunch &launch : launches) {
    if (launch.kind != KernelLaunch::Kind::Kernel)
      continue;
    auto function = module.lookupSymbol<LLVM::LLVMFuncOp>(launch.symbol);
    function->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(),
                      builder.getUnitAttr());
    // Registers are given out for exactly these threads.
    function->setAttr(NVVM::NVVMDialect::getReqntidAttrName(),
                      builder.getDenseI32ArrayAttr({int32_t(launch.block[0]),
                                                    int32_t(launch.block[1]),
                                                    int32_t(launch.block[2])}));
  }
  return success();
}

//===----------------------------------------------------------------------===//
// The stand-in
//===----------------------------------------------------------------------===//

namespace {
/// Rewrites one device function to the stand-in's calling convention.
class StandInFunction {
public:
  explicit StandInFunction(func::FuncOp func)
      : func(func), b(func.getContext()), loc(func.getLoc()),
        pointer(LLVM::LLVMPointerType::get(func.getContext())) {}

  LogicalResult run();

private:
  Value load(Type type, Value base, int64_t offset) {
    Value address =
        LLVM::GEPOp::create(b, loc, pointer, b.getI8Type(), base,
                            ArrayRef<LLVM::GEPArg>{int32_t(offset)});
    return LLVM::LoadOp::create(b, loc, type, address);
  }
  void changeArguments();
  LogicalResult replace(Operation *op);
  void replaceIndex(Operation *op, size_t offset);
  void replaceShuffle(NVVM::ShflOp op);
  LogicalResult replaceMma(NVVM::MmaOp op);
  Value fragment(ValueRange registers, Value &memory);
  void emitParameterCount(int64_t count);

  func::FuncOp func;
  OpBuilder b;
  Location loc;
  Type pointer;
  Value thread;
  /// Memory for the fragments of mma.
  Value left, right, sums;
};
} // namespace

/// Arguments are read from memory where the function begins.
void StandInFunction::changeArguments() {
  Block &block = func.front();
  SmallVector<BlockArgument> arguments(block.getArguments());
  Value parameters = block.addArgument(pointer, loc);
  thread = block.addArgument(pointer, loc);
  b.setInsertionPointToStart(&block);
  for (auto [i, argument] : llvm::enumerate(arguments)) {
    Value address = load(pointer, parameters, 8 * i);
    argument.replaceAllUsesWith(
        LLVM::LoadOp::create(b, loc, argument.getType(), address));
  }
  block.eraseArguments(0, arguments.size());
  func.setFunctionType(b.getFunctionType({pointer, pointer}, {}));
  emitParameterCount(arguments.size());
}

void StandInFunction::emitParameterCount(int64_t count) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(func);
  LLVM::GlobalOp::create(
      b, loc, b.getI32Type(), /*isConstant=*/true, LLVM::Linkage::External,
      (func.getName() + "_params").str(), b.getI32IntegerAttr(count));
}

void StandInFunction::replaceIndex(Operation *op, size_t offset) {
  op->getResult(0).replaceAllUsesWith(load(b.getI32Type(), thread, offset));
}

/// A butterfly: the lane is this thread's with some bits turned over.
void StandInFunction::replaceShuffle(NVVM::ShflOp op) {
  Type i32 = b.getI32Type(), i64 = b.getI64Type();
  Value index = load(i32, thread, offsetof(TurnipStandInThread, threadIdx));
  Value mask = LLVM::ConstantOp::create(b, loc, i32, b.getI32IntegerAttr(31));
  Value lane = LLVM::AndOp::create(b, loc, index, mask);
  lane = LLVM::XOrOp::create(b, loc, lane, op.getOffset());
  Value value = op.getVal();
  if (value.getType() != i32)
    value = LLVM::BitcastOp::create(b, loc, i32, value);
  value = LLVM::ZExtOp::create(b, loc, i64, value);
  Value function =
      load(pointer, thread, offsetof(TurnipStandInThread, shuffle));
  auto type = LLVM::LLVMFunctionType::get(i64, {pointer, i64, i32});
  Value result = LLVM::CallOp::create(b, loc, type,
                                      ValueRange{function, thread, value, lane})
                     .getResult();
  result = LLVM::TruncOp::create(b, loc, i32, result);
  if (op.getType() != i32)
    result = LLVM::BitcastOp::create(b, loc, op.getType(), result);
  op.getRes().replaceAllUsesWith(result);
}

/// Writes registers of 4 bytes to `memory`, which is made where the function
/// begins.
Value StandInFunction::fragment(ValueRange registers, Value &memory) {
  if (!memory) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&func.front());
    Value count = LLVM::ConstantOp::create(b, loc, b.getI32Type(),
                                           b.getI32IntegerAttr(4));
    memory = LLVM::AllocaOp::create(b, loc, pointer, b.getI32Type(), count,
                                    /*alignment=*/16);
  }
  for (auto [i, value] : llvm::enumerate(registers)) {
    Value to = LLVM::GEPOp::create(b, loc, pointer, b.getI32Type(), memory,
                                   ArrayRef<LLVM::GEPArg>{int32_t(i)});
    LLVM::StoreOp::create(b, loc, value, to, /*alignment=*/4);
  }
  return memory;
}

/// The product of a warp: fragments go through memory, registers in order.
LogicalResult StandInFunction::replaceMma(NVVM::MmaOp op) {
  std::optional<NVVM::MMATypes> type = op.getMultiplicandAPtxType();
  NVVM::MMAShapeAttr shape = op.getShapeAttr();
  bool isHalf = type == NVVM::MMATypes::f16;
  if ((!isHalf && type != NVVM::MMATypes::bf16) || shape.getM() != 16 ||
      shape.getN() != 8 || shape.getK() != 16 || op.getOperandC().size() != 4)
    return op.emitOpError("has no form on the stand-in");
  Value a = fragment(op.getOperandA(), left);
  Value c = fragment(op.getOperandC(), sums);
  Value d = fragment(op.getOperandB(), right);
  Value which = LLVM::ConstantOp::create(
      b, loc, b.getI32Type(),
      b.getI32IntegerAttr(isHalf ? TURNIP_STANDIN_MMA_M16N8K16_F16
                                 : TURNIP_STANDIN_MMA_M16N8K16_BF16));
  Value function = load(pointer, thread, offsetof(TurnipStandInThread, mma));
  auto functionType = LLVM::LLVMFunctionType::get(
      LLVM::LLVMVoidType::get(b.getContext()),
      {pointer, b.getI32Type(), pointer, pointer, pointer, pointer});
  LLVM::CallOp::create(b, loc, functionType,
                       ValueRange{function, thread, which, a, d, c, c});
  Value result = LLVM::PoisonOp::create(b, loc, op.getType());
  for (int64_t i = 0; i < 4; ++i)
    result = LLVM::InsertValueOp::create(b, loc, result,
                                         load(b.getF32Type(), c, 4 * i), i);
  op.getRes().replaceAllUsesWith(result);
  return success();
}

LogicalResult StandInFunction::replace(Operation *op) {
  b.setInsertionPoint(op);
  if (isa<NVVM::ThreadIdXOp>(op)) {
    replaceIndex(op, offsetof(TurnipStandInThread, threadIdx));
  } else if (isa<NVVM::BlockIdXOp>(op)) {
    replaceIndex(op, offsetof(TurnipStandInThread, blockIdx));
  } else if (isa<NVVM::BarrierOp>(op)) {
    Value function =
        load(pointer, thread, offsetof(TurnipStandInThread, barrier));
    auto type = LLVM::LLVMFunctionType::get(
        LLVM::LLVMVoidType::get(b.getContext()), {pointer});
    LLVM::CallOp::create(b, loc, type, ValueRange{function, thread});
  } else if (auto shuffle = dyn_cast<NVVM::ShflOp>(op);
             shuffle && shuffle.getKind() == NVVM::ShflKind::bfly) {
    replaceShuffle(shuffle);
  } else if (auto power = dyn_cast<math::Exp2Op>(op)) {
    // GPUs have an instruction for it.
    KernelTarget target;
    LaneBuilder lanes(b, loc, target);
    power.replaceAllUsesWith(expandMath(lanes, op, power.getOperand()));
  } else if (auto product = dyn_cast<NVVM::MmaOp>(op)) {
    if (failed(replaceMma(product)))
      return failure();
  } else if (auto address = dyn_cast<LLVM::AddressOfOp>(op);
             address && address.getGlobalName() == kSharedSymbol) {
    Value shared = load(pointer, thread, offsetof(TurnipStandInThread, shared));
    address.getResult().replaceAllUsesWith(
        LLVM::AddrSpaceCastOp::create(b, loc, address.getType(), shared));
  } else if (isa<NVVM::NVVMDialect>(op->getDialect())) {
    return op->emitOpError("has no form on the stand-in");
  } else {
    return success();
  }
  op->erase();
  return success();
}

LogicalResult StandInFunction::run() {
  changeArguments();
  SmallVector<Operation *> ops;
  func.walk([&](Operation *op) { ops.push_back(op); });
  for (Operation *op : ops)
    if (failed(replace(op)))
      return failure();
  return success();
}

LogicalResult lowerForStandIn(ModuleOp module) {
  SmallVector<func::FuncOp> functions(module.getOps<func::FuncOp>());
  for (func::FuncOp function : functions)
    if (failed(StandInFunction(function).run()))
      return failure();
  if (Operation *shared = module.lookupSymbol(kSharedSymbol))
    shared->erase();
  // The processor may not round to bf16; a library would.
  RewritePatternSet patterns(module.getContext());
  arith::populateExpandBFloat16Patterns(patterns);
  if (failed(applyPatternsGreedily(module, std::move(patterns))))
    return failure();
  return lowerToLLVM(module);
}

} // namespace turnip::codegen::gpu
