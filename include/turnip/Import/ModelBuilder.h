//===- ModelBuilder.h - Builds language models in ein ---------*- C++ -*-===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pieces that decoder-only language models are made of, as ein operations.
// What is an architecture's own (which tensors, under which names, in which
// order) stays with the architecture.
//
// Labels have one meaning throughout, so that a fusion can name them across a
// group: b sequence of a batch, l query position, m key position, g key/value
// head, r query head within the group, p rotary pair, s and t the two halves of
// a pair, d head dimension, n a feature that is made, k a feature that is
// summed over.
//
// Activations are f32, f16 or bf16; parameters have the type that they are
// stored with, but matrices that of narrow activations. Every step widens what
// it reads, computes in f32, and rounds its result once.
//
//===----------------------------------------------------------------------===//

#ifndef TURNIP_IMPORT_MODELBUILDER_H
#define TURNIP_IMPORT_MODELBUILDER_H

#include "mlir/IR/Builders.h"
#include "turnip/Dialect/Ein/IR/Ein.h"
#include "turnip/support/ElementType.h"
#include "turnip/support/Status.h"
#include "llvm/ADT/StringSet.h"

#include <optional>
#include <string>

namespace turnip::import {

/// Where the two halves of a rotary pair p lie in a head of size 2 * P: next to
/// each other at 2p and 2p + 1 (Llama in GGUF), or at p and p + P (NeoX).
enum class RotaryLayout { Interleaved, Halves };

/// Sizes of grouped-query attention.
struct AttentionShape {
  /// Key/value heads, and query heads that share each of them.
  int64_t groups = 1;
  int64_t queriesPerGroup = 1;
  /// Size of a head of queries and keys (even), and of values.
  int64_t headSize = 0;
  int64_t valueSize = 0;
  RotaryLayout layout = RotaryLayout::Interleaved;

  int64_t queryHeads() const { return groups * queriesPerGroup; }
};

/// Llama 3's scaling of rotary frequencies: pairs that turn less than
/// `lowest` times within `length` positions turn `factor` times slower, pairs
/// that turn more than `highest` times stay, and between them the change is
/// linear in the number of turns.
struct RotaryRamp {
  double factor = 1;
  double lowest = 1;
  double highest = 4;
  double length = 8192;
};

/// How positions turn into angles: pair p < rotated / 2 at position l turns by
/// l * base^(-2p / rotated) / divisor; the other pairs stay as they are.
struct RotaryEmbedding {
  int64_t rotated = 0;
  double base = 10000;
  /// Linear position scaling.
  double divisor = 1;
  /// Name of a tensor with one more divisor per pair, or empty.
  std::string factors;
  /// A scaling that depends on the frequency.
  std::optional<RotaryRamp> ramp;
};

/// Sizes of a decoder of the Llama family.
struct LlamaShape {
  int64_t layers = 0;
  int64_t features = 0;
  int64_t hidden = 0;
  int64_t vocabulary = 0;
  double epsilon = 0;
  AttentionShape attention;
  RotaryEmbedding rotary;
};

/// Says which parameters a model has.
class ParameterSource {
public:
  virtual ~ParameterSource() = default;

  /// Whether there is a parameter \p name.
  virtual bool has(llvm::StringRef name) const = 0;
  /// The element type that the program reads \p name with. An error names the
  /// parameter if there is none, if it is not of \p shape, or if it does not
  /// hold floats.
  virtual Expected<ElementType> find(llvm::StringRef name,
                                     llvm::ArrayRef<int64_t> shape) const = 0;
};

/// Builds ein operations at an insertion point, with parameters checked against
/// what there is. The first error sticks; building goes on with the types that
/// were asked for, so that callers need to look only now and then.
///
/// Activations are [l, ...], or [b, l, ...] for a batch of sequences; below, a
/// leading b in brackets is there in a batch only.
class ModelBuilder {
public:
  ModelBuilder(mlir::OpBuilder &builder, const ParameterSource &source,
               bool isBatched, ElementType activationType = ElementType::F32);

  /// The first error so far.
  const Status &status() const { return failure; }
  /// Records an error unless there is one already.
  void fail(Status error);

  /// Following operations get the location \p name, such as "blk.3.ffn_up".
  void setLocation(llvm::StringRef name);

  /// The parameter \p name, which must have the shape \p stored, viewed with
  /// the shape \p view (the same elements; empty: as stored). Matrices are read
  /// with the type of activations if that is narrow.
  mlir::Value parameter(llvm::StringRef name, llvm::ArrayRef<int64_t> stored,
                        llvm::ArrayRef<int64_t> view = {});
  /// Whether there is a parameter \p name.
  bool hasTensor(llvm::StringRef name) const { return source.has(name); }
  /// The names of all parameters that were asked for.
  const llvm::StringSet<> &usedTensors() const { return used; }

  /// The rows of \p table [n, k] that \p tokens ([b,] l) name, as an
  /// activation: ([b,] l, k).
  mlir::Value lookUp(mlir::Value table, mlir::Value tokens);

  using Body = llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::Location,
                                              mlir::ValueRange)>;
  /// An einsum in f32, its operands widened, its result rounded to \p result;
  /// its shape follows from the operands' labels. A '%' in \p notation stands
  /// for b in a batch and for nothing elsewhere.
  mlir::Value einsum(llvm::StringRef notation, ein::Combiner combiner,
                     mlir::ValueRange operands, mlir::Type result, Body body);
  /// The sum of products of two tensors, as \p result.
  mlir::Value contract(llvm::StringRef notation, mlir::Value lhs,
                       mlir::Value rhs, mlir::Type result);
  /// The type of intermediate values that are not rounded, and of activations.
  mlir::Type f32() const { return builder.getF32Type(); }
  mlir::Type activation() const { return activationType; }
  /// The elementwise sum; labels only \p lhs has repeat \p rhs.
  mlir::Value add(llvm::StringRef notation, mlir::Value lhs, mlir::Value rhs);
  /// x ([b,] l, k) times the transpose of the matrix \p name [n, k]; adds \p
  /// name's ".bias" where there is one beside ".weight". The result is \p
  /// result.
  mlir::Value linear(mlir::Value x, const std::string &name, int64_t outputs,
                     mlir::Type result);
  /// Divides rows by their root mean square, times the parameter \p weight.
  mlir::Value rmsNorm(mlir::Value x, llvm::StringRef weight, double epsilon);
  /// The rotations [l, p, s, t] of \p length positions: half s of a rotated
  /// pair is the sum over t of rotation times half t.
  mlir::Value rotations(const RotaryEmbedding &rotary, int64_t length,
                        int64_t headSize);
  /// Causal grouped-query attention over x ([b,] l, k) with the tensors
  /// \p prefix + "attn_{q,k,v,output}": the result is ([b,] l, n).
  mlir::Value attention(mlir::Value x, const std::string &prefix,
                        const AttentionShape &shape, mlir::Value rotations);
  /// The gated feed-forward network down(silu(gate(x)) * up(x)) with the
  /// tensors \p prefix + "ffn_{gate,up,down}".
  mlir::Value swiGlu(mlir::Value x, const std::string &prefix, int64_t hidden);

private:
  mlir::Value projectQueries(mlir::Value x, const std::string &name,
                             const AttentionShape &shape);
  mlir::Value projectKeys(mlir::Value x, const std::string &name,
                          const AttentionShape &shape);
  mlir::Value causalSoftmax(mlir::Value scores, double scale);
  mlir::Value addBias(llvm::StringRef notation, mlir::Value x,
                      const std::string &name, int64_t size,
                      llvm::ArrayRef<int64_t> view);

  mlir::Value rotaryFrequencies(const RotaryEmbedding &rotary,
                                int64_t headSize);
  std::string spell(llvm::StringRef notation) const;

  mlir::OpBuilder &builder;
  const ParameterSource &source;
  bool isBatched;
  mlir::Type activationType;
  mlir::Location location = builder.getUnknownLoc();
  llvm::StringSet<> used;
  Status failure;
};

/// Builds a Llama of \p shape from \p tokens ([b,] l) to logits ([b,] l, n),
/// with the names of parameters that GGUF uses; without an "output.weight", the
/// embedding table is the output head. Errors go to the builder; the value
/// returned after one means nothing (it may be null).
mlir::Value buildLlama(ModelBuilder &model, const LlamaShape &shape,
                       mlir::Value tokens);

} // namespace turnip::import

#endif // TURNIP_IMPORT_MODELBUILDER_H
