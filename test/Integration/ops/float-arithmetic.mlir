// Float operations of arith, and comparisons.
//
// RUN: rm -rf %t && mkdir -p %t
// RUN: turnip-opt %s --partition-ein=tile-budget=64KiB --task-compile-kernels --place-memory -o %t/1.mlir
// RUN: turnip-translate --mem-to-memgraph %t/1.mlir -o %t/1.memgraph
// RUN: turnip-run %t/1.memgraph --input=x=13xf32=-3.5,-2.5,-1.5,-0.5,0,0.25,0.5,1,1.5,2.5,3.25,7,-0.75 --input=y=13xf32=2,-2.5,1.5,0.75,3,-0.25,0.5,-1,4,2.5,-3.25,0.125,1 --guard --output=add=@%t/1.add.npy --output=sub=@%t/1.sub.npy --output=mul=@%t/1.mul.npy --output=div=@%t/1.div.npy --output=rem=@%t/1.rem.npy --output=maximum=@%t/1.maximum.npy --output=minimum=@%t/1.minimum.npy --output=maxnum=@%t/1.maxnum.npy --output=minnum=@%t/1.minnum.npy --output=copysign=@%t/1.copysign.npy --output=neg=@%t/1.neg.npy --output=abs=@%t/1.abs.npy --output=ceil=@%t/1.ceil.npy --output=floor=@%t/1.floor.npy --output=round=@%t/1.round.npy --output=roundeven=@%t/1.roundeven.npy --output=trunc=@%t/1.trunc.npy --output=fma=@%t/1.fma.npy --output=cmp_oeq=@%t/1.cmp_oeq.npy --output=cmp_ogt=@%t/1.cmp_ogt.npy --output=cmp_oge=@%t/1.cmp_oge.npy --output=cmp_olt=@%t/1.cmp_olt.npy --output=cmp_ole=@%t/1.cmp_ole.npy --output=cmp_one=@%t/1.cmp_one.npy --output=cmp_ord=@%t/1.cmp_ord.npy --output=cmp_ueq=@%t/1.cmp_ueq.npy --output=cmp_ugt=@%t/1.cmp_ugt.npy --output=cmp_uge=@%t/1.cmp_uge.npy --output=cmp_ult=@%t/1.cmp_ult.npy --output=cmp_ule=@%t/1.cmp_ule.npy --output=cmp_une=@%t/1.cmp_une.npy --output=cmp_uno=@%t/1.cmp_uno.npy
// RUN: turnip-eval %s --input=x=13xf32=-3.5,-2.5,-1.5,-0.5,0,0.25,0.5,1,1.5,2.5,3.25,7,-0.75 --input=y=13xf32=2,-2.5,1.5,0.75,3,-0.25,0.5,-1,4,2.5,-3.25,0.125,1 --compare=add=@%t/1.add.npy --compare=sub=@%t/1.sub.npy --compare=mul=@%t/1.mul.npy --compare=div=@%t/1.div.npy --compare=rem=@%t/1.rem.npy --compare=maximum=@%t/1.maximum.npy --compare=minimum=@%t/1.minimum.npy --compare=maxnum=@%t/1.maxnum.npy --compare=minnum=@%t/1.minnum.npy --compare=copysign=@%t/1.copysign.npy --compare=neg=@%t/1.neg.npy --compare=abs=@%t/1.abs.npy --compare=ceil=@%t/1.ceil.npy --compare=floor=@%t/1.floor.npy --compare=round=@%t/1.round.npy --compare=roundeven=@%t/1.roundeven.npy --compare=trunc=@%t/1.trunc.npy --compare=fma=@%t/1.fma.npy --compare=cmp_oeq=@%t/1.cmp_oeq.npy --compare=cmp_ogt=@%t/1.cmp_ogt.npy --compare=cmp_oge=@%t/1.cmp_oge.npy --compare=cmp_olt=@%t/1.cmp_olt.npy --compare=cmp_ole=@%t/1.cmp_ole.npy --compare=cmp_one=@%t/1.cmp_one.npy --compare=cmp_ord=@%t/1.cmp_ord.npy --compare=cmp_ueq=@%t/1.cmp_ueq.npy --compare=cmp_ugt=@%t/1.cmp_ugt.npy --compare=cmp_uge=@%t/1.cmp_uge.npy --compare=cmp_ult=@%t/1.cmp_ult.npy --compare=cmp_ule=@%t/1.cmp_ule.npy --compare=cmp_une=@%t/1.cmp_une.npy --compare=cmp_uno=@%t/1.cmp_uno.npy | FileCheck %s
// RUN: turnip-opt %s --ein-fuse --partition-ein=tile-budget=512 --task-compile-kernels --place-memory=device-memory=4KiB -o %t/2.mlir
// RUN: turnip-translate --mem-to-memgraph %t/2.mlir -o %t/2.memgraph
// RUN: turnip-run %t/2.memgraph --input=x=13xf32=-3.5,-2.5,-1.5,-0.5,0,0.25,0.5,1,1.5,2.5,3.25,7,-0.75 --input=y=13xf32=2,-2.5,1.5,0.75,3,-0.25,0.5,-1,4,2.5,-3.25,0.125,1 --schedule=random:3 --output=add=@%t/2.add.npy --output=sub=@%t/2.sub.npy --output=mul=@%t/2.mul.npy --output=div=@%t/2.div.npy --output=rem=@%t/2.rem.npy --output=maximum=@%t/2.maximum.npy --output=minimum=@%t/2.minimum.npy --output=maxnum=@%t/2.maxnum.npy --output=minnum=@%t/2.minnum.npy --output=copysign=@%t/2.copysign.npy --output=neg=@%t/2.neg.npy --output=abs=@%t/2.abs.npy --output=ceil=@%t/2.ceil.npy --output=floor=@%t/2.floor.npy --output=round=@%t/2.round.npy --output=roundeven=@%t/2.roundeven.npy --output=trunc=@%t/2.trunc.npy --output=fma=@%t/2.fma.npy --output=cmp_oeq=@%t/2.cmp_oeq.npy --output=cmp_ogt=@%t/2.cmp_ogt.npy --output=cmp_oge=@%t/2.cmp_oge.npy --output=cmp_olt=@%t/2.cmp_olt.npy --output=cmp_ole=@%t/2.cmp_ole.npy --output=cmp_one=@%t/2.cmp_one.npy --output=cmp_ord=@%t/2.cmp_ord.npy --output=cmp_ueq=@%t/2.cmp_ueq.npy --output=cmp_ugt=@%t/2.cmp_ugt.npy --output=cmp_uge=@%t/2.cmp_uge.npy --output=cmp_ult=@%t/2.cmp_ult.npy --output=cmp_ule=@%t/2.cmp_ule.npy --output=cmp_une=@%t/2.cmp_une.npy --output=cmp_uno=@%t/2.cmp_uno.npy
// RUN: turnip-eval %s --input=x=13xf32=-3.5,-2.5,-1.5,-0.5,0,0.25,0.5,1,1.5,2.5,3.25,7,-0.75 --input=y=13xf32=2,-2.5,1.5,0.75,3,-0.25,0.5,-1,4,2.5,-3.25,0.125,1 --compare=add=@%t/2.add.npy --compare=sub=@%t/2.sub.npy --compare=mul=@%t/2.mul.npy --compare=div=@%t/2.div.npy --compare=rem=@%t/2.rem.npy --compare=maximum=@%t/2.maximum.npy --compare=minimum=@%t/2.minimum.npy --compare=maxnum=@%t/2.maxnum.npy --compare=minnum=@%t/2.minnum.npy --compare=copysign=@%t/2.copysign.npy --compare=neg=@%t/2.neg.npy --compare=abs=@%t/2.abs.npy --compare=ceil=@%t/2.ceil.npy --compare=floor=@%t/2.floor.npy --compare=round=@%t/2.round.npy --compare=roundeven=@%t/2.roundeven.npy --compare=trunc=@%t/2.trunc.npy --compare=fma=@%t/2.fma.npy --compare=cmp_oeq=@%t/2.cmp_oeq.npy --compare=cmp_ogt=@%t/2.cmp_ogt.npy --compare=cmp_oge=@%t/2.cmp_oge.npy --compare=cmp_olt=@%t/2.cmp_olt.npy --compare=cmp_ole=@%t/2.cmp_ole.npy --compare=cmp_one=@%t/2.cmp_one.npy --compare=cmp_ord=@%t/2.cmp_ord.npy --compare=cmp_ueq=@%t/2.cmp_ueq.npy --compare=cmp_ugt=@%t/2.cmp_ugt.npy --compare=cmp_uge=@%t/2.cmp_uge.npy --compare=cmp_ult=@%t/2.cmp_ult.npy --compare=cmp_ule=@%t/2.cmp_ule.npy --compare=cmp_une=@%t/2.cmp_une.npy --compare=cmp_uno=@%t/2.cmp_uno.npy | FileCheck %s

// CHECK: add: as computed, within its bounds
// CHECK-NEXT: sub: as computed, within its bounds
// CHECK-NEXT: mul: as computed, within its bounds
// CHECK-NEXT: div: as computed, within its bounds
// CHECK-NEXT: rem: as computed, within its bounds
// CHECK-NEXT: maximum: as computed, within its bounds
// CHECK-NEXT: minimum: as computed, within its bounds
// CHECK-NEXT: maxnum: as computed, within its bounds
// CHECK-NEXT: minnum: as computed, within its bounds
// CHECK-NEXT: copysign: as computed, within its bounds
// CHECK-NEXT: neg: as computed, within its bounds
// CHECK-NEXT: abs: as computed, within its bounds
// CHECK-NEXT: ceil: as computed, within its bounds
// CHECK-NEXT: floor: as computed, within its bounds
// CHECK-NEXT: round: as computed, within its bounds
// CHECK-NEXT: roundeven: as computed, within its bounds
// CHECK-NEXT: trunc: as computed, within its bounds
// CHECK-NEXT: fma: as computed, within its bounds
// CHECK-NEXT: cmp_oeq: as computed, within its bounds
// CHECK-NEXT: cmp_ogt: as computed, within its bounds
// CHECK-NEXT: cmp_oge: as computed, within its bounds
// CHECK-NEXT: cmp_olt: as computed, within its bounds
// CHECK-NEXT: cmp_ole: as computed, within its bounds
// CHECK-NEXT: cmp_one: as computed, within its bounds
// CHECK-NEXT: cmp_ord: as computed, within its bounds
// CHECK-NEXT: cmp_ueq: as computed, within its bounds
// CHECK-NEXT: cmp_ugt: as computed, within its bounds
// CHECK-NEXT: cmp_uge: as computed, within its bounds
// CHECK-NEXT: cmp_ult: as computed, within its bounds
// CHECK-NEXT: cmp_ule: as computed, within its bounds
// CHECK-NEXT: cmp_une: as computed, within its bounds
// CHECK-NEXT: cmp_uno: as computed, within its bounds
func.func @main(%x: tensor<13xf32> {ein.name = "x"}, %y: tensor<13xf32> {ein.name = "y"}) -> (
    tensor<13xf32> {ein.name = "add"},
    tensor<13xf32> {ein.name = "sub"},
    tensor<13xf32> {ein.name = "mul"},
    tensor<13xf32> {ein.name = "div"},
    tensor<13xf32> {ein.name = "rem"},
    tensor<13xf32> {ein.name = "maximum"},
    tensor<13xf32> {ein.name = "minimum"},
    tensor<13xf32> {ein.name = "maxnum"},
    tensor<13xf32> {ein.name = "minnum"},
    tensor<13xf32> {ein.name = "copysign"},
    tensor<13xf32> {ein.name = "neg"},
    tensor<13xf32> {ein.name = "abs"},
    tensor<13xf32> {ein.name = "ceil"},
    tensor<13xf32> {ein.name = "floor"},
    tensor<13xf32> {ein.name = "round"},
    tensor<13xf32> {ein.name = "roundeven"},
    tensor<13xf32> {ein.name = "trunc"},
    tensor<13xf32> {ein.name = "fma"},
    tensor<13xi1> {ein.name = "cmp_oeq"},
    tensor<13xi1> {ein.name = "cmp_ogt"},
    tensor<13xi1> {ein.name = "cmp_oge"},
    tensor<13xi1> {ein.name = "cmp_olt"},
    tensor<13xi1> {ein.name = "cmp_ole"},
    tensor<13xi1> {ein.name = "cmp_one"},
    tensor<13xi1> {ein.name = "cmp_ord"},
    tensor<13xi1> {ein.name = "cmp_ueq"},
    tensor<13xi1> {ein.name = "cmp_ugt"},
    tensor<13xi1> {ein.name = "cmp_uge"},
    tensor<13xi1> {ein.name = "cmp_ult"},
    tensor<13xi1> {ein.name = "cmp_ule"},
    tensor<13xi1> {ein.name = "cmp_une"},
    tensor<13xi1> {ein.name = "cmp_uno"}) {
  %add = ein.einsum "i,i->i"(%x, %y) {
  ^bb0(%a: f32, %b: f32):
    %r = arith.addf %a, %b : f32
    ein.yield %r : f32
  } : (tensor<13xf32>, tensor<13xf32>) -> tensor<13xf32>
  %sub = ein.einsum "i,i->i"(%x, %y) {
  ^bb0(%a: f32, %b: f32):
    %r = arith.subf %a, %b : f32
    ein.yield %r : f32
  } : (tensor<13xf32>, tensor<13xf32>) -> tensor<13xf32>
  %mul = ein.einsum "i,i->i"(%x, %y) {
  ^bb0(%a: f32, %b: f32):
    %r = arith.mulf %a, %b : f32
    ein.yield %r : f32
  } : (tensor<13xf32>, tensor<13xf32>) -> tensor<13xf32>
  %div = ein.einsum "i,i->i"(%x, %y) {
  ^bb0(%a: f32, %b: f32):
    %r = arith.divf %a, %b : f32
    ein.yield %r : f32
  } : (tensor<13xf32>, tensor<13xf32>) -> tensor<13xf32>
  %rem = ein.einsum "i,i->i"(%x, %y) {
  ^bb0(%a: f32, %b: f32):
    %r = arith.remf %a, %b : f32
    ein.yield %r : f32
  } : (tensor<13xf32>, tensor<13xf32>) -> tensor<13xf32>
  %maximum = ein.einsum "i,i->i"(%x, %y) {
  ^bb0(%a: f32, %b: f32):
    %r = arith.maximumf %a, %b : f32
    ein.yield %r : f32
  } : (tensor<13xf32>, tensor<13xf32>) -> tensor<13xf32>
  %minimum = ein.einsum "i,i->i"(%x, %y) {
  ^bb0(%a: f32, %b: f32):
    %r = arith.minimumf %a, %b : f32
    ein.yield %r : f32
  } : (tensor<13xf32>, tensor<13xf32>) -> tensor<13xf32>
  %maxnum = ein.einsum "i,i->i"(%x, %y) {
  ^bb0(%a: f32, %b: f32):
    %r = arith.maxnumf %a, %b : f32
    ein.yield %r : f32
  } : (tensor<13xf32>, tensor<13xf32>) -> tensor<13xf32>
  %minnum = ein.einsum "i,i->i"(%x, %y) {
  ^bb0(%a: f32, %b: f32):
    %r = arith.minnumf %a, %b : f32
    ein.yield %r : f32
  } : (tensor<13xf32>, tensor<13xf32>) -> tensor<13xf32>
  %copysign = ein.einsum "i,i->i"(%x, %y) {
  ^bb0(%a: f32, %b: f32):
    %r = math.copysign %a, %b : f32
    ein.yield %r : f32
  } : (tensor<13xf32>, tensor<13xf32>) -> tensor<13xf32>
  %neg = ein.einsum "i->i"(%x) {
  ^bb0(%a: f32):
    %r = arith.negf %a : f32
    ein.yield %r : f32
  } : (tensor<13xf32>) -> tensor<13xf32>
  %abs = ein.einsum "i->i"(%x) {
  ^bb0(%a: f32):
    %r = math.absf %a : f32
    ein.yield %r : f32
  } : (tensor<13xf32>) -> tensor<13xf32>
  %ceil = ein.einsum "i->i"(%x) {
  ^bb0(%a: f32):
    %r = math.ceil %a : f32
    ein.yield %r : f32
  } : (tensor<13xf32>) -> tensor<13xf32>
  %floor = ein.einsum "i->i"(%x) {
  ^bb0(%a: f32):
    %r = math.floor %a : f32
    ein.yield %r : f32
  } : (tensor<13xf32>) -> tensor<13xf32>
  %round = ein.einsum "i->i"(%x) {
  ^bb0(%a: f32):
    %r = math.round %a : f32
    ein.yield %r : f32
  } : (tensor<13xf32>) -> tensor<13xf32>
  %roundeven = ein.einsum "i->i"(%x) {
  ^bb0(%a: f32):
    %r = math.roundeven %a : f32
    ein.yield %r : f32
  } : (tensor<13xf32>) -> tensor<13xf32>
  %trunc = ein.einsum "i->i"(%x) {
  ^bb0(%a: f32):
    %r = math.trunc %a : f32
    ein.yield %r : f32
  } : (tensor<13xf32>) -> tensor<13xf32>
  %fma = ein.einsum "i,i->i"(%x, %y) {
  ^bb0(%a: f32, %b: f32):
    %r = math.fma %a, %b, %a : f32
    ein.yield %r : f32
  } : (tensor<13xf32>, tensor<13xf32>) -> tensor<13xf32>
  %cmp_oeq = ein.einsum "i,i->i"(%x, %y) {
  ^bb0(%a: f32, %b: f32):
    %r = arith.cmpf oeq, %a, %b : f32
    ein.yield %r : i1
  } : (tensor<13xf32>, tensor<13xf32>) -> tensor<13xi1>
  %cmp_ogt = ein.einsum "i,i->i"(%x, %y) {
  ^bb0(%a: f32, %b: f32):
    %r = arith.cmpf ogt, %a, %b : f32
    ein.yield %r : i1
  } : (tensor<13xf32>, tensor<13xf32>) -> tensor<13xi1>
  %cmp_oge = ein.einsum "i,i->i"(%x, %y) {
  ^bb0(%a: f32, %b: f32):
    %r = arith.cmpf oge, %a, %b : f32
    ein.yield %r : i1
  } : (tensor<13xf32>, tensor<13xf32>) -> tensor<13xi1>
  %cmp_olt = ein.einsum "i,i->i"(%x, %y) {
  ^bb0(%a: f32, %b: f32):
    %r = arith.cmpf olt, %a, %b : f32
    ein.yield %r : i1
  } : (tensor<13xf32>, tensor<13xf32>) -> tensor<13xi1>
  %cmp_ole = ein.einsum "i,i->i"(%x, %y) {
  ^bb0(%a: f32, %b: f32):
    %r = arith.cmpf ole, %a, %b : f32
    ein.yield %r : i1
  } : (tensor<13xf32>, tensor<13xf32>) -> tensor<13xi1>
  %cmp_one = ein.einsum "i,i->i"(%x, %y) {
  ^bb0(%a: f32, %b: f32):
    %r = arith.cmpf one, %a, %b : f32
    ein.yield %r : i1
  } : (tensor<13xf32>, tensor<13xf32>) -> tensor<13xi1>
  %cmp_ord = ein.einsum "i,i->i"(%x, %y) {
  ^bb0(%a: f32, %b: f32):
    %r = arith.cmpf ord, %a, %b : f32
    ein.yield %r : i1
  } : (tensor<13xf32>, tensor<13xf32>) -> tensor<13xi1>
  %cmp_ueq = ein.einsum "i,i->i"(%x, %y) {
  ^bb0(%a: f32, %b: f32):
    %r = arith.cmpf ueq, %a, %b : f32
    ein.yield %r : i1
  } : (tensor<13xf32>, tensor<13xf32>) -> tensor<13xi1>
  %cmp_ugt = ein.einsum "i,i->i"(%x, %y) {
  ^bb0(%a: f32, %b: f32):
    %r = arith.cmpf ugt, %a, %b : f32
    ein.yield %r : i1
  } : (tensor<13xf32>, tensor<13xf32>) -> tensor<13xi1>
  %cmp_uge = ein.einsum "i,i->i"(%x, %y) {
  ^bb0(%a: f32, %b: f32):
    %r = arith.cmpf uge, %a, %b : f32
    ein.yield %r : i1
  } : (tensor<13xf32>, tensor<13xf32>) -> tensor<13xi1>
  %cmp_ult = ein.einsum "i,i->i"(%x, %y) {
  ^bb0(%a: f32, %b: f32):
    %r = arith.cmpf ult, %a, %b : f32
    ein.yield %r : i1
  } : (tensor<13xf32>, tensor<13xf32>) -> tensor<13xi1>
  %cmp_ule = ein.einsum "i,i->i"(%x, %y) {
  ^bb0(%a: f32, %b: f32):
    %r = arith.cmpf ule, %a, %b : f32
    ein.yield %r : i1
  } : (tensor<13xf32>, tensor<13xf32>) -> tensor<13xi1>
  %cmp_une = ein.einsum "i,i->i"(%x, %y) {
  ^bb0(%a: f32, %b: f32):
    %r = arith.cmpf une, %a, %b : f32
    ein.yield %r : i1
  } : (tensor<13xf32>, tensor<13xf32>) -> tensor<13xi1>
  %cmp_uno = ein.einsum "i,i->i"(%x, %y) {
  ^bb0(%a: f32, %b: f32):
    %r = arith.cmpf uno, %a, %b : f32
    ein.yield %r : i1
  } : (tensor<13xf32>, tensor<13xf32>) -> tensor<13xi1>
  return %add, %sub, %mul, %div, %rem, %maximum, %minimum, %maxnum, %minnum, %copysign, %neg, %abs, %ceil, %floor, %round, %roundeven, %trunc, %fma, %cmp_oeq, %cmp_ogt, %cmp_oge, %cmp_olt, %cmp_ole, %cmp_one, %cmp_ord, %cmp_ueq, %cmp_ugt, %cmp_uge, %cmp_ult, %cmp_ule, %cmp_une, %cmp_uno
      : tensor<13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xi1>, tensor<13xi1>, tensor<13xi1>, tensor<13xi1>, tensor<13xi1>, tensor<13xi1>, tensor<13xi1>, tensor<13xi1>, tensor<13xi1>, tensor<13xi1>, tensor<13xi1>, tensor<13xi1>, tensor<13xi1>, tensor<13xi1>
}
