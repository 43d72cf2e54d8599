//===- LlamaGraph.cpp - A transformer cut into tiles ----------------------===//
//
// Part of the Turnip Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The graph that a compiler gets by cutting each operation of a transformer's
// forward pass so that no task touches more than a budget of bytes: positions
// into blocks, heads into groups, the feed-forward width into slices. With
// several devices each has a share of heads and of the feed-forward width, and
// partial sums are added up by the device that a block of positions belongs to.
// Values and parameters are two bytes wide.
//
//===----------------------------------------------------------------------===//

#include "GraphBuilder.h"

#include <algorithm>

using namespace turnip;
using namespace turnip::planner;
using namespace turnip::planner::bench;

static constexpr LlamaShape shapes[] = {
    {"7b", 32, 4096, 32, 32, 11008, 32000},
    {"13b", 40, 5120, 40, 40, 13824, 32000},
    {"30b", 60, 6656, 52, 52, 17920, 32000},
    {"65b", 80, 8192, 64, 64, 22016, 32000},
    {"3-8b", 32, 4096, 32, 8, 14336, 128256},
    {"3-70b", 80, 8192, 64, 8, 28672, 128256},
    {"smollm2-135m", 30, 576, 9, 3, 1536, 49152}};

const LlamaShape *bench::findLlama(const std::string &name) {
  for (const LlamaShape &shape : shapes)
    if (name == shape.name)
      return &shape;
  return nullptr;
}

/// Where part \p index of \p parts of \p total begins.
static uint64_t partBegin(uint64_t total, uint64_t parts, uint64_t index) {
  return total * index / parts;
}

/// The fewest parts of \p total of which the largest satisfies \p fits; all
/// single where none does, and at least one.
template <typename Fits>
static uint64_t fewestParts(uint64_t total, Fits fits) {
  for (uint64_t parts = 1; parts < total; ++parts)
    if (fits((total + parts - 1) / parts))
      return parts;
  return std::max<uint64_t>(total, 1);
}

namespace {
constexpr uint64_t elementBytes = 2;

/// Tiles by block of positions, then by slice of columns.
using Blocks = std::vector<std::vector<uint32_t>>;

class Llama {
public:
  Llama(GraphBuilder &builder, const GraphOptions &options);
  void run();

private:
  uint64_t bytes(uint64_t elements) const { return elements * elementBytes; }
  bool fits(uint64_t elements) const {
    return bytes(elements) <= options.tileBudget;
  }
  uint64_t rows(size_t block) const {
    return partBegin(options.sequence, numBlocks, block + 1) -
           partBegin(options.sequence, numBlocks, block);
  }
  uint32_t owner(size_t block) const {
    return static_cast<uint32_t>(block % builder.numDevices());
  }
  /// Seconds of a product of that many multiplications on that many elements.
  double multiply(uint64_t products, uint64_t elements) const;
  double pass(uint64_t elements) const { return multiply(0, elements); }

  void choosePartition();
  void attention(uint32_t device, Blocks &partial);
  Blocks project(uint32_t device, const std::vector<uint64_t> &columns,
                 bool rotate);
  uint32_t attend(uint32_t device, uint32_t query, uint64_t queryHeads,
                  const std::vector<uint32_t> &keys,
                  const std::vector<uint32_t> &values, size_t block);
  void output(uint32_t device, const Blocks &mixed, Blocks &partial);
  void feedForward(uint32_t device, Blocks &partial);
  void addUp(Blocks &partial);
  void logits();

  GraphBuilder &builder;
  const GraphOptions &options;
  const LlamaShape &shape;
  uint64_t width, headWidth, queriesPerKey;
  size_t numBlocks = 1;
  bool fused;
  /// Key heads of each group, per device; slices of the feed-forward width.
  std::vector<std::vector<uint64_t>> groups, slices;
  /// Per block: the residual and what is normalised from it, on its owner, and
  /// the positions' rotations.
  std::vector<uint32_t> residual, normed, rotation;
};
} // namespace

Llama::Llama(GraphBuilder &builder, const GraphOptions &options)
    : builder(builder), options(options), shape(*options.llama),
      width(shape.width), headWidth(shape.width / shape.heads),
      queriesPerKey(shape.heads / shape.keyHeads),
      fused(options.fusedAttention) {}

double Llama::multiply(uint64_t products, uint64_t elements) const {
  return std::max(
      2 * static_cast<double>(products) / options.rates.flopsPerSecond,
      static_cast<double>(bytes(elements)) / options.rates.bytesPerSecond);
}

void Llama::choosePartition() {
  uint32_t devices = builder.numDevices();
  uint64_t length = options.sequence;
  // Adding up needs a block from every device, the residual and two results.
  numBlocks = fewestParts(length, [&](uint64_t rows) {
    return fits((devices + 3) * rows * width) &&
           (devices == 1 || rows * devices <= length);
  });
  uint64_t block = (length + numBlocks - 1) / numBlocks;
  fused |= !fits(2 * block * length * queriesPerKey);
  for (uint32_t device = 0; device < devices; ++device) {
    auto split = [&](uint64_t total, auto wanted) {
      uint64_t own = partBegin(total, devices, device + 1) -
                     partBegin(total, devices, device);
      uint64_t parts = fewestParts(own, wanted);
      std::vector<uint64_t> sizes;
      sizes.reserve(parts);
      for (uint64_t i = 0; i < parts; ++i)
        sizes.push_back(partBegin(own, parts, i + 1) -
                        partBegin(own, parts, i));
      return sizes;
    };
    groups.push_back(split(shape.keyHeads, [&](uint64_t heads) {
      uint64_t query = block * headWidth * heads * queriesPerKey;
      uint64_t keys = length * headWidth * heads;
      uint64_t scores = block * length * heads * queriesPerKey;
      return fits(2 * query + 2 * keys) &&
             (fused || (fits(query + keys + scores) && fits(2 * scores)));
    }));
    slices.push_back(split(shape.inner, [&](uint64_t columns) {
      // Sums over slices are added to those so far.
      uint64_t sums = columns * devices < shape.inner ? 2 : 1;
      return fits(block * columns + columns * width + sums * block * width) &&
             fits(3 * block * columns);
    }));
  }
}

/// Multiplies every block with parameters of the given columns in all, and cuts
/// the result by them; as many groups at once as the budget allows.
Blocks Llama::project(uint32_t device, const std::vector<uint64_t> &columns,
                      bool rotate) {
  Blocks result(numBlocks);
  for (size_t first = 0; first < columns.size();) {
    uint64_t together = 0;
    size_t last = first;
    for (; last < columns.size(); ++last) {
      uint64_t more = together + columns[last];
      if (last > first &&
          !fits(rows(0) * width + more * width + rows(0) * more))
        break;
      together = more;
    }
    uint32_t parameter =
        builder.parameterOn(builder.parameter(bytes(width * together)), device);
    for (size_t block = 0; block < numBlocks; ++block) {
      uint64_t height = rows(block);
      std::vector<uint64_t> sizes;
      for (size_t i = first; i < last; ++i)
        sizes.push_back(bytes(height * columns[i]));
      uint32_t tile = builder.call(
          device, {builder.on(device, normed[block]), parameter}, sizes,
          multiply(height * width * together,
                   height * width + width * together + height * together));
      for (size_t i = 0; i < sizes.size(); ++i)
        result[block].push_back(tile + static_cast<uint32_t>(i));
    }
    first = last;
  }
  if (rotate)
    for (size_t block = 0; block < numBlocks; ++block)
      for (uint32_t &tile : result[block])
        tile = builder.call(device, {tile, builder.on(device, rotation[block])},
                            {builder.bytesOf(tile)},
                            pass(2 * builder.bytesOf(tile) / elementBytes),
                            /*inPlace=*/0);
  return result;
}

/// One group's heads of one block of positions against all positions.
uint32_t Llama::attend(uint32_t device, uint32_t query, uint64_t queryHeads,
                       const std::vector<uint32_t> &keys,
                       const std::vector<uint32_t> &values, size_t block) {
  uint64_t scores = rows(block) * options.sequence * queryHeads;
  uint64_t small = builder.bytesOf(query) / elementBytes;
  uint64_t large = 0;
  for (uint32_t key : keys)
    large += builder.bytesOf(key) / elementBytes;
  std::vector<uint32_t> operands{query};
  operands.insert(operands.end(), keys.begin(), keys.end());
  uint64_t result = builder.bytesOf(query);
  if (fused) {
    operands.insert(operands.end(), values.begin(), values.end());
    constexpr uint64_t scratchRow = 1024;
    return builder.call(device, operands, {result},
                        multiply(2 * scores * headWidth, 2 * small + 2 * large),
                        None, rows(block) * scratchRow);
  }
  double product = multiply(scores * headWidth, small + large + scores);
  uint32_t tile = builder.call(device, operands, {bytes(scores)}, product);
  tile = builder.call(device, {tile}, {bytes(scores)}, pass(2 * scores), 0);
  operands = {tile};
  operands.insert(operands.end(), values.begin(), values.end());
  return builder.call(device, operands, {result}, product);
}

void Llama::attention(uint32_t device, Blocks &partial) {
  std::vector<uint64_t> keyColumns, queryColumns;
  for (uint64_t heads : groups[device]) {
    keyColumns.push_back(heads * headWidth);
    queryColumns.push_back(heads * headWidth * queriesPerKey);
  }
  Blocks queries = project(device, queryColumns, /*rotate=*/true);
  Blocks keys = project(device, keyColumns, /*rotate=*/true);
  Blocks values = project(device, keyColumns, /*rotate=*/false);
  Blocks mixed(numBlocks);
  for (size_t group = 0; group < groups[device].size(); ++group) {
    std::vector<uint32_t> groupKeys, groupValues;
    for (size_t block = 0; block < numBlocks; ++block) {
      groupKeys.push_back(keys[block][group]);
      groupValues.push_back(values[block][group]);
    }
    for (size_t block = 0; block < numBlocks; ++block)
      mixed[block].push_back(attend(device, queries[block][group],
                                    groups[device][group] * queriesPerKey,
                                    groupKeys, groupValues, block));
  }
  output(device, mixed, partial);
}

/// Sums up over groups of heads, some groups at a time.
void Llama::output(uint32_t device, const Blocks &mixed, Blocks &partial) {
  size_t count = groups[device].size();
  std::vector<uint32_t> sums(numBlocks, None);
  for (size_t first = 0; first < count;) {
    uint64_t depth = 0;
    size_t last = first;
    for (; last < count; ++last) {
      uint64_t more = depth + groups[device][last] * headWidth * queriesPerKey;
      if (last > first &&
          !fits(rows(0) * more + more * width + 2 * rows(0) * width))
        break;
      depth = more;
    }
    uint32_t parameter =
        builder.parameterOn(builder.parameter(bytes(depth * width)), device);
    for (size_t block = 0; block < numBlocks; ++block) {
      std::vector<uint32_t> operands{parameter};
      for (size_t i = first; i < last; ++i)
        operands.push_back(mixed[block][i]);
      uint32_t inPlace = None;
      if (sums[block] != None) {
        inPlace = static_cast<uint32_t>(operands.size());
        operands.push_back(sums[block]);
      }
      uint64_t height = rows(block);
      sums[block] =
          builder.call(device, operands, {bytes(height * width)},
                       multiply(height * depth * width,
                                depth * width + height * (depth + 2 * width)),
                       inPlace);
    }
    first = last;
  }
  for (size_t block = 0; block < numBlocks; ++block)
    partial[block].push_back(sums[block]);
}

void Llama::feedForward(uint32_t device, Blocks &partial) {
  std::vector<uint32_t> sums(numBlocks, None);
  for (uint64_t columns : slices[device]) {
    uint32_t parameters[3];
    for (uint32_t &parameter : parameters)
      parameter = builder.parameterOn(builder.parameter(bytes(width * columns)),
                                      device);
    for (size_t block = 0; block < numBlocks; ++block) {
      uint64_t height = rows(block);
      uint32_t x = builder.on(device, normed[block]);
      double product = multiply(height * width * columns,
                                width * columns + height * (width + columns));
      uint64_t slice = bytes(height * columns);
      uint32_t gate =
          builder.call(device, {x, parameters[0]}, {slice}, product);
      uint32_t up = builder.call(device, {x, parameters[1]}, {slice}, product);
      uint32_t act = builder.call(device, {gate, up}, {slice},
                                  pass(3 * height * columns), 0);
      std::vector<uint32_t> operands{act, parameters[2]};
      if (sums[block] != None)
        operands.push_back(sums[block]);
      sums[block] = builder.call(device, operands, {bytes(height * width)},
                                 product, sums[block] == None ? None : 2);
    }
  }
  for (size_t block = 0; block < numBlocks; ++block)
    partial[block].push_back(sums[block]);
}

/// Adds the devices' partial sums to the residual and normalises it anew.
void Llama::addUp(Blocks &partial) {
  uint32_t scale = builder.parameter(bytes(width));
  for (size_t block = 0; block < numBlocks; ++block) {
    uint32_t device = owner(block);
    std::vector<uint32_t> operands;
    if (residual[block] != None)
      operands.push_back(residual[block]);
    for (uint32_t tile : partial[block])
      operands.push_back(builder.on(device, tile));
    operands.push_back(builder.parameterOn(scale, device));
    uint64_t elements = rows(block) * width;
    residual[block] =
        builder.call(device, operands, {bytes(elements), bytes(elements)},
                     pass((operands.size() + 1) * elements), /*inPlace=*/0);
    normed[block] = residual[block] + 1;
    partial[block].clear();
  }
}

void Llama::logits() {
  uint32_t device = owner(numBlocks - 1);
  uint64_t height = rows(numBlocks - 1);
  uint64_t parts = fewestParts(shape.vocabulary, [&](uint64_t columns) {
    return fits(height * width + columns * width + height * columns);
  });
  for (uint64_t i = 0; i < parts; ++i) {
    uint64_t columns = partBegin(shape.vocabulary, parts, i + 1) -
                       partBegin(shape.vocabulary, parts, i);
    uint32_t parameter =
        builder.parameterOn(builder.parameter(bytes(width * columns)), device);
    builder.result(builder.call(
        device, {normed.back(), parameter}, {bytes(height * columns)},
        multiply(height * width * columns,
                 width * columns + height * (width + columns))));
  }
}

void Llama::run() {
  choosePartition();
  Blocks partial(numBlocks);
  residual.assign(numBlocks, None);
  normed.assign(numBlocks, None);
  for (size_t block = 0; block < numBlocks; ++block) {
    uint64_t elements = rows(block) * headWidth * 2;
    rotation.push_back(
        builder.call(owner(block), {}, {bytes(elements)}, pass(elements)));
    // What the host looks up in the embedding.
    partial[block] = {builder.input(owner(block), bytes(rows(block) * width))};
  }
  addUp(partial);
  uint32_t layers = options.layers == 0 ? shape.layers : options.layers;
  for (uint32_t layer = 0; layer < layers; ++layer) {
    for (uint32_t device = 0; device < builder.numDevices(); ++device)
      attention(device, partial);
    addUp(partial);
    for (uint32_t device = 0; device < builder.numDevices(); ++device)
      feedForward(device, partial);
    addUp(partial);
  }
  logits();
}

void bench::buildLlama(GraphBuilder &builder, const GraphOptions &options) {
  Llama(builder, options).run();
}
