// Integer operations of arith on i32.
//
// RUN: rm -rf %t && mkdir -p %t
// RUN: turnip-opt %s --partition-ein=tile-budget=64KiB --task-compile-kernels --place-memory -o %t/1.mlir
// RUN: turnip-translate --mem-to-memgraph %t/1.mlir -o %t/1.memgraph
// RUN: turnip-run %t/1.memgraph --input=x=11xi32=7,-7,0,1,-1,13,-13,64,2147483647,-2147483647,1000000007 --input=y=11xi32=2,3,-5,-1,4,13,7,-3,3,7,11 --guard --output=add=@%t/1.add.npy --output=sub=@%t/1.sub.npy --output=mul=@%t/1.mul.npy --output=divs=@%t/1.divs.npy --output=rems=@%t/1.rems.npy --output=divu=@%t/1.divu.npy --output=remu=@%t/1.remu.npy --output=ceildivs=@%t/1.ceildivs.npy --output=floordivs=@%t/1.floordivs.npy --output=ceildivu=@%t/1.ceildivu.npy --output=and=@%t/1.and.npy --output=or=@%t/1.or.npy --output=xor=@%t/1.xor.npy --output=maxs=@%t/1.maxs.npy --output=mins=@%t/1.mins.npy --output=maxu=@%t/1.maxu.npy --output=minu=@%t/1.minu.npy --output=shl=@%t/1.shl.npy --output=shrs=@%t/1.shrs.npy --output=shru=@%t/1.shru.npy --output=abs=@%t/1.abs.npy --output=cmp_eq=@%t/1.cmp_eq.npy --output=cmp_ne=@%t/1.cmp_ne.npy --output=cmp_slt=@%t/1.cmp_slt.npy --output=cmp_sle=@%t/1.cmp_sle.npy --output=cmp_sgt=@%t/1.cmp_sgt.npy --output=cmp_sge=@%t/1.cmp_sge.npy --output=cmp_ult=@%t/1.cmp_ult.npy --output=cmp_ule=@%t/1.cmp_ule.npy --output=cmp_ugt=@%t/1.cmp_ugt.npy --output=cmp_uge=@%t/1.cmp_uge.npy --output=choice=@%t/1.choice.npy
// RUN: turnip-eval %s --input=x=11xi32=7,-7,0,1,-1,13,-13,64,2147483647,-2147483647,1000000007 --input=y=11xi32=2,3,-5,-1,4,13,7,-3,3,7,11 --compare=add=@%t/1.add.npy --compare=sub=@%t/1.sub.npy --compare=mul=@%t/1.mul.npy --compare=divs=@%t/1.divs.npy --compare=rems=@%t/1.rems.npy --compare=divu=@%t/1.divu.npy --compare=remu=@%t/1.remu.npy --compare=ceildivs=@%t/1.ceildivs.npy --compare=floordivs=@%t/1.floordivs.npy --compare=ceildivu=@%t/1.ceildivu.npy --compare=and=@%t/1.and.npy --compare=or=@%t/1.or.npy --compare=xor=@%t/1.xor.npy --compare=maxs=@%t/1.maxs.npy --compare=mins=@%t/1.mins.npy --compare=maxu=@%t/1.maxu.npy --compare=minu=@%t/1.minu.npy --compare=shl=@%t/1.shl.npy --compare=shrs=@%t/1.shrs.npy --compare=shru=@%t/1.shru.npy --compare=abs=@%t/1.abs.npy --compare=cmp_eq=@%t/1.cmp_eq.npy --compare=cmp_ne=@%t/1.cmp_ne.npy --compare=cmp_slt=@%t/1.cmp_slt.npy --compare=cmp_sle=@%t/1.cmp_sle.npy --compare=cmp_sgt=@%t/1.cmp_sgt.npy --compare=cmp_sge=@%t/1.cmp_sge.npy --compare=cmp_ult=@%t/1.cmp_ult.npy --compare=cmp_ule=@%t/1.cmp_ule.npy --compare=cmp_ugt=@%t/1.cmp_ugt.npy --compare=cmp_uge=@%t/1.cmp_uge.npy --compare=choice=@%t/1.choice.npy | FileCheck %s
// RUN: turnip-opt %s --ein-fuse --partition-ein=tile-budget=512 --task-compile-kernels --place-memory=device-memory=4KiB -o %t/2.mlir
// RUN: turnip-translate --mem-to-memgraph %t/2.mlir -o %t/2.memgraph
// RUN: turnip-run %t/2.memgraph --input=x=11xi32=7,-7,0,1,-1,13,-13,64,2147483647,-2147483647,1000000007 --input=y=11xi32=2,3,-5,-1,4,13,7,-3,3,7,11 --schedule=random:3 --output=add=@%t/2.add.npy --output=sub=@%t/2.sub.npy --output=mul=@%t/2.mul.npy --output=divs=@%t/2.divs.npy --output=rems=@%t/2.rems.npy --output=divu=@%t/2.divu.npy --output=remu=@%t/2.remu.npy --output=ceildivs=@%t/2.ceildivs.npy --output=floordivs=@%t/2.floordivs.npy --output=ceildivu=@%t/2.ceildivu.npy --output=and=@%t/2.and.npy --output=or=@%t/2.or.npy --output=xor=@%t/2.xor.npy --output=maxs=@%t/2.maxs.npy --output=mins=@%t/2.mins.npy --output=maxu=@%t/2.maxu.npy --output=minu=@%t/2.minu.npy --output=shl=@%t/2.shl.npy --output=shrs=@%t/2.shrs.npy --output=shru=@%t/2.shru.npy --output=abs=@%t/2.abs.npy --output=cmp_eq=@%t/2.cmp_eq.npy --output=cmp_ne=@%t/2.cmp_ne.npy --output=cmp_slt=@%t/2.cmp_slt.npy --output=cmp_sle=@%t/2.cmp_sle.npy --output=cmp_sgt=@%t/2.cmp_sgt.npy --output=cmp_sge=@%t/2.cmp_sge.npy --output=cmp_ult=@%t/2.cmp_ult.npy --output=cmp_ule=@%t/2.cmp_ule.npy --output=cmp_ugt=@%t/2.cmp_ugt.npy --output=cmp_uge=@%t/2.cmp_uge.npy --output=choice=@%t/2.choice.npy
// RUN: turnip-eval %s --input=x=11xi32=7,-7,0,1,-1,13,-13,64,2147483647,-2147483647,1000000007 --input=y=11xi32=2,3,-5,-1,4,13,7,-3,3,7,11 --compare=add=@%t/2.add.npy --compare=sub=@%t/2.sub.npy --compare=mul=@%t/2.mul.npy --compare=divs=@%t/2.divs.npy --compare=rems=@%t/2.rems.npy --compare=divu=@%t/2.divu.npy --compare=remu=@%t/2.remu.npy --compare=ceildivs=@%t/2.ceildivs.npy --compare=floordivs=@%t/2.floordivs.npy --compare=ceildivu=@%t/2.ceildivu.npy --compare=and=@%t/2.and.npy --compare=or=@%t/2.or.npy --compare=xor=@%t/2.xor.npy --compare=maxs=@%t/2.maxs.npy --compare=mins=@%t/2.mins.npy --compare=maxu=@%t/2.maxu.npy --compare=minu=@%t/2.minu.npy --compare=shl=@%t/2.shl.npy --compare=shrs=@%t/2.shrs.npy --compare=shru=@%t/2.shru.npy --compare=abs=@%t/2.abs.npy --compare=cmp_eq=@%t/2.cmp_eq.npy --compare=cmp_ne=@%t/2.cmp_ne.npy --compare=cmp_slt=@%t/2.cmp_slt.npy --compare=cmp_sle=@%t/2.cmp_sle.npy --compare=cmp_sgt=@%t/2.cmp_sgt.npy --compare=cmp_sge=@%t/2.cmp_sge.npy --compare=cmp_ult=@%t/2.cmp_ult.npy --compare=cmp_ule=@%t/2.cmp_ule.npy --compare=cmp_ugt=@%t/2.cmp_ugt.npy --compare=cmp_uge=@%t/2.cmp_uge.npy --compare=choice=@%t/2.choice.npy | FileCheck %s

// CHECK: add: as computed, within its bounds
// CHECK-NEXT: sub: as computed, within its bounds
// CHECK-NEXT: mul: as computed, within its bounds
// CHECK-NEXT: divs: as computed, within its bounds
// CHECK-NEXT: rems: as computed, within its bounds
// CHECK-NEXT: divu: as computed, within its bounds
// CHECK-NEXT: remu: as computed, within its bounds
// CHECK-NEXT: ceildivs: as computed, within its bounds
// CHECK-NEXT: floordivs: as computed, within its bounds
// CHECK-NEXT: ceildivu: as computed, within its bounds
// CHECK-NEXT: and: as computed, within its bounds
// CHECK-NEXT: or: as computed, within its bounds
// CHECK-NEXT: xor: as computed, within its bounds
// CHECK-NEXT: maxs: as computed, within its bounds
// CHECK-NEXT: mins: as computed, within its bounds
// CHECK-NEXT: maxu: as computed, within its bounds
// CHECK-NEXT: minu: as computed, within its bounds
// CHECK-NEXT: shl: as computed, within its bounds
// CHECK-NEXT: shrs: as computed, within its bounds
// CHECK-NEXT: shru: as computed, within its bounds
// CHECK-NEXT: abs: as computed, within its bounds
// CHECK-NEXT: cmp_eq: as computed, within its bounds
// CHECK-NEXT: cmp_ne: as computed, within its bounds
// CHECK-NEXT: cmp_slt: as computed, within its bounds
// CHECK-NEXT: cmp_sle: as computed, within its bounds
// CHECK-NEXT: cmp_sgt: as computed, within its bounds
// CHECK-NEXT: cmp_sge: as computed, within its bounds
// CHECK-NEXT: cmp_ult: as computed, within its bounds
// CHECK-NEXT: cmp_ule: as computed, within its bounds
// CHECK-NEXT: cmp_ugt: as computed, within its bounds
// CHECK-NEXT: cmp_uge: as computed, within its bounds
// CHECK-NEXT: choice: as computed, within its bounds
func.func @main(%x: tensor<11xi32> {ein.name = "x"}, %y: tensor<11xi32> {ein.name = "y"}) -> (
    tensor<11xi32> {ein.name = "add"},
    tensor<11xi32> {ein.name = "sub"},
    tensor<11xi32> {ein.name = "mul"},
    tensor<11xi32> {ein.name = "divs"},
    tensor<11xi32> {ein.name = "rems"},
    tensor<11xi32> {ein.name = "divu"},
    tensor<11xi32> {ein.name = "remu"},
    tensor<11xi32> {ein.name = "ceildivs"},
    tensor<11xi32> {ein.name = "floordivs"},
    tensor<11xi32> {ein.name = "ceildivu"},
    tensor<11xi32> {ein.name = "and"},
    tensor<11xi32> {ein.name = "or"},
    tensor<11xi32> {ein.name = "xor"},
    tensor<11xi32> {ein.name = "maxs"},
    tensor<11xi32> {ein.name = "mins"},
    tensor<11xi32> {ein.name = "maxu"},
    tensor<11xi32> {ein.name = "minu"},
    tensor<11xi32> {ein.name = "shl"},
    tensor<11xi32> {ein.name = "shrs"},
    tensor<11xi32> {ein.name = "shru"},
    tensor<11xi32> {ein.name = "abs"},
    tensor<11xi1> {ein.name = "cmp_eq"},
    tensor<11xi1> {ein.name = "cmp_ne"},
    tensor<11xi1> {ein.name = "cmp_slt"},
    tensor<11xi1> {ein.name = "cmp_sle"},
    tensor<11xi1> {ein.name = "cmp_sgt"},
    tensor<11xi1> {ein.name = "cmp_sge"},
    tensor<11xi1> {ein.name = "cmp_ult"},
    tensor<11xi1> {ein.name = "cmp_ule"},
    tensor<11xi1> {ein.name = "cmp_ugt"},
    tensor<11xi1> {ein.name = "cmp_uge"},
    tensor<11xi32> {ein.name = "choice"}) {
  %add = ein.einsum "i,i->i"(%x, %y) {
  ^bb0(%a: i32, %b: i32):
    %r = arith.addi %a, %b : i32
    ein.yield %r : i32
  } : (tensor<11xi32>, tensor<11xi32>) -> tensor<11xi32>
  %sub = ein.einsum "i,i->i"(%x, %y) {
  ^bb0(%a: i32, %b: i32):
    %r = arith.subi %a, %b : i32
    ein.yield %r : i32
  } : (tensor<11xi32>, tensor<11xi32>) -> tensor<11xi32>
  %mul = ein.einsum "i,i->i"(%x, %y) {
  ^bb0(%a: i32, %b: i32):
    %r = arith.muli %a, %b : i32
    ein.yield %r : i32
  } : (tensor<11xi32>, tensor<11xi32>) -> tensor<11xi32>
  %divs = ein.einsum "i,i->i"(%x, %y) {
  ^bb0(%a: i32, %b: i32):
    %r = arith.divsi %a, %b : i32
    ein.yield %r : i32
  } : (tensor<11xi32>, tensor<11xi32>) -> tensor<11xi32>
  %rems = ein.einsum "i,i->i"(%x, %y) {
  ^bb0(%a: i32, %b: i32):
    %r = arith.remsi %a, %b : i32
    ein.yield %r : i32
  } : (tensor<11xi32>, tensor<11xi32>) -> tensor<11xi32>
  %divu = ein.einsum "i,i->i"(%x, %y) {
  ^bb0(%a: i32, %b: i32):
    %r = arith.divui %a, %b : i32
    ein.yield %r : i32
  } : (tensor<11xi32>, tensor<11xi32>) -> tensor<11xi32>
  %remu = ein.einsum "i,i->i"(%x, %y) {
  ^bb0(%a: i32, %b: i32):
    %r = arith.remui %a, %b : i32
    ein.yield %r : i32
  } : (tensor<11xi32>, tensor<11xi32>) -> tensor<11xi32>
  %ceildivs = ein.einsum "i,i->i"(%x, %y) {
  ^bb0(%a: i32, %b: i32):
    %r = arith.ceildivsi %a, %b : i32
    ein.yield %r : i32
  } : (tensor<11xi32>, tensor<11xi32>) -> tensor<11xi32>
  %floordivs = ein.einsum "i,i->i"(%x, %y) {
  ^bb0(%a: i32, %b: i32):
    %r = arith.floordivsi %a, %b : i32
    ein.yield %r : i32
  } : (tensor<11xi32>, tensor<11xi32>) -> tensor<11xi32>
  %ceildivu = ein.einsum "i,i->i"(%x, %y) {
  ^bb0(%a: i32, %b: i32):
    %r = arith.ceildivui %a, %b : i32
    ein.yield %r : i32
  } : (tensor<11xi32>, tensor<11xi32>) -> tensor<11xi32>
  %and = ein.einsum "i,i->i"(%x, %y) {
  ^bb0(%a: i32, %b: i32):
    %r = arith.andi %a, %b : i32
    ein.yield %r : i32
  } : (tensor<11xi32>, tensor<11xi32>) -> tensor<11xi32>
  %or = ein.einsum "i,i->i"(%x, %y) {
  ^bb0(%a: i32, %b: i32):
    %r = arith.ori %a, %b : i32
    ein.yield %r : i32
  } : (tensor<11xi32>, tensor<11xi32>) -> tensor<11xi32>
  %xor = ein.einsum "i,i->i"(%x, %y) {
  ^bb0(%a: i32, %b: i32):
    %r = arith.xori %a, %b : i32
    ein.yield %r : i32
  } : (tensor<11xi32>, tensor<11xi32>) -> tensor<11xi32>
  %maxs = ein.einsum "i,i->i"(%x, %y) {
  ^bb0(%a: i32, %b: i32):
    %r = arith.maxsi %a, %b : i32
    ein.yield %r : i32
  } : (tensor<11xi32>, tensor<11xi32>) -> tensor<11xi32>
  %mins = ein.einsum "i,i->i"(%x, %y) {
  ^bb0(%a: i32, %b: i32):
    %r = arith.minsi %a, %b : i32
    ein.yield %r : i32
  } : (tensor<11xi32>, tensor<11xi32>) -> tensor<11xi32>
  %maxu = ein.einsum "i,i->i"(%x, %y) {
  ^bb0(%a: i32, %b: i32):
    %r = arith.maxui %a, %b : i32
    ein.yield %r : i32
  } : (tensor<11xi32>, tensor<11xi32>) -> tensor<11xi32>
  %minu = ein.einsum "i,i->i"(%x, %y) {
  ^bb0(%a: i32, %b: i32):
    %r = arith.minui %a, %b : i32
    ein.yield %r : i32
  } : (tensor<11xi32>, tensor<11xi32>) -> tensor<11xi32>
  %shl = ein.einsum "i,i->i"(%x, %y) {
  ^bb0(%a: i32, %b: i32):
    %seven = arith.constant 7 : i32
    %s = arith.andi %b, %seven : i32
    %r = arith.shli %a, %s : i32
    ein.yield %r : i32
  } : (tensor<11xi32>, tensor<11xi32>) -> tensor<11xi32>
  %shrs = ein.einsum "i,i->i"(%x, %y) {
  ^bb0(%a: i32, %b: i32):
    %seven = arith.constant 7 : i32
    %s = arith.andi %b, %seven : i32
    %r = arith.shrsi %a, %s : i32
    ein.yield %r : i32
  } : (tensor<11xi32>, tensor<11xi32>) -> tensor<11xi32>
  %shru = ein.einsum "i,i->i"(%x, %y) {
  ^bb0(%a: i32, %b: i32):
    %seven = arith.constant 7 : i32
    %s = arith.andi %b, %seven : i32
    %r = arith.shrui %a, %s : i32
    ein.yield %r : i32
  } : (tensor<11xi32>, tensor<11xi32>) -> tensor<11xi32>
  %abs = ein.einsum "i->i"(%x) {
  ^bb0(%a: i32):
    %r = math.absi %a : i32
    ein.yield %r : i32
  } : (tensor<11xi32>) -> tensor<11xi32>
  %cmp_eq = ein.einsum "i,i->i"(%x, %y) {
  ^bb0(%a: i32, %b: i32):
    %r = arith.cmpi eq, %a, %b : i32
    ein.yield %r : i1
  } : (tensor<11xi32>, tensor<11xi32>) -> tensor<11xi1>
  %cmp_ne = ein.einsum "i,i->i"(%x, %y) {
  ^bb0(%a: i32, %b: i32):
    %r = arith.cmpi ne, %a, %b : i32
    ein.yield %r : i1
  } : (tensor<11xi32>, tensor<11xi32>) -> tensor<11xi1>
  %cmp_slt = ein.einsum "i,i->i"(%x, %y) {
  ^bb0(%a: i32, %b: i32):
    %r = arith.cmpi slt, %a, %b : i32
    ein.yield %r : i1
  } : (tensor<11xi32>, tensor<11xi32>) -> tensor<11xi1>
  %cmp_sle = ein.einsum "i,i->i"(%x, %y) {
  ^bb0(%a: i32, %b: i32):
    %r = arith.cmpi sle, %a, %b : i32
    ein.yield %r : i1
  } : (tensor<11xi32>, tensor<11xi32>) -> tensor<11xi1>
  %cmp_sgt = ein.einsum "i,i->i"(%x, %y) {
  ^bb0(%a: i32, %b: i32):
    %r = arith.cmpi sgt, %a, %b : i32
    ein.yield %r : i1
  } : (tensor<11xi32>, tensor<11xi32>) -> tensor<11xi1>
  %cmp_sge = ein.einsum "i,i->i"(%x, %y) {
  ^bb0(%a: i32, %b: i32):
    %r = arith.cmpi sge, %a, %b : i32
    ein.yield %r : i1
  } : (tensor<11xi32>, tensor<11xi32>) -> tensor<11xi1>
  %cmp_ult = ein.einsum "i,i->i"(%x, %y) {
  ^bb0(%a: i32, %b: i32):
    %r = arith.cmpi ult, %a, %b : i32
    ein.yield %r : i1
  } : (tensor<11xi32>, tensor<11xi32>) -> tensor<11xi1>
  %cmp_ule = ein.einsum "i,i->i"(%x, %y) {
  ^bb0(%a: i32, %b: i32):
    %r = arith.cmpi ule, %a, %b : i32
    ein.yield %r : i1
  } : (tensor<11xi32>, tensor<11xi32>) -> tensor<11xi1>
  %cmp_ugt = ein.einsum "i,i->i"(%x, %y) {
  ^bb0(%a: i32, %b: i32):
    %r = arith.cmpi ugt, %a, %b : i32
    ein.yield %r : i1
  } : (tensor<11xi32>, tensor<11xi32>) -> tensor<11xi1>
  %cmp_uge = ein.einsum "i,i->i"(%x, %y) {
  ^bb0(%a: i32, %b: i32):
    %r = arith.cmpi uge, %a, %b : i32
    ein.yield %r : i1
  } : (tensor<11xi32>, tensor<11xi32>) -> tensor<11xi1>
  %choice = ein.einsum "i,i->i"(%x, %y) {
  ^bb0(%a: i32, %b: i32):
    %c = arith.cmpi slt, %a, %b : i32
    %r = arith.select %c, %a, %b : i32
    ein.yield %r : i32
  } : (tensor<11xi32>, tensor<11xi32>) -> tensor<11xi32>
  return %add, %sub, %mul, %divs, %rems, %divu, %remu, %ceildivs, %floordivs, %ceildivu, %and, %or, %xor, %maxs, %mins, %maxu, %minu, %shl, %shrs, %shru, %abs, %cmp_eq, %cmp_ne, %cmp_slt, %cmp_sle, %cmp_sgt, %cmp_sge, %cmp_ult, %cmp_ule, %cmp_ugt, %cmp_uge, %choice
      : tensor<11xi32>, tensor<11xi32>, tensor<11xi32>, tensor<11xi32>, tensor<11xi32>, tensor<11xi32>, tensor<11xi32>, tensor<11xi32>, tensor<11xi32>, tensor<11xi32>, tensor<11xi32>, tensor<11xi32>, tensor<11xi32>, tensor<11xi32>, tensor<11xi32>, tensor<11xi32>, tensor<11xi32>, tensor<11xi32>, tensor<11xi32>, tensor<11xi32>, tensor<11xi32>, tensor<11xi1>, tensor<11xi1>, tensor<11xi1>, tensor<11xi1>, tensor<11xi1>, tensor<11xi1>, tensor<11xi1>, tensor<11xi1>, tensor<11xi1>, tensor<11xi1>, tensor<11xi32>
}
