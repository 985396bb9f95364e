// A walk as the worker would have given it, of made-up numbers: 6 tokens, 8 inputs, 4 heads of 2
// columns.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "core/headcount/walk_parts.h"

namespace headscope::test {

// cell (row, col) holds first + row / 10 + col / 100.
inline WalkMatrix Numbered(std::int64_t rows, std::int64_t cols, float first) {
  std::vector<float> values;
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t col = 0; col < cols; ++col) {
      values.push_back(first + 0.1F * static_cast<float>(row) + 0.01F * static_cast<float>(col));
    }
  }
  return WholeMatrix(rows, cols, values);
}

inline WalkProjection StubProjection(std::int64_t head, float first) {
  WalkProjection made;
  made.width = 2;
  made.heads = 4;
  made.own_head = head;
  made.weight = Numbered(8, 8, first);
  made.own = Numbered(8, 2, first);
  made.use = RowLengths(made.own);
  made.made = Numbered(6, 2, first);
  made.used = Numbered(6, 2, first);
  return made;
}

inline std::shared_ptr<const LayerWalk> StubWalk(std::int64_t layer, std::int64_t head) {
  LayerWalk walk;
  walk.layer = {ModelPart::kWhole, layer};
  walk.head = head;
  walk.shape = {.queries = 6, .keys = 6, .heads = 4, .kv_heads = 4, .head_dim = 2, .value_dim = 2};
  walk.rule.causal = true;
  walk.rule.scale = 1.0 / std::sqrt(2.0);
  walk.model_dim = 8;
  walk.rows = 6;
  walk.is_normed = true;
  walk.input = Numbered(6, 8, -0.3F);
  walk.input_sizes = ColumnSizes(walk.input.values, 8);
  walk.query = StubProjection(head, 1.0F);
  walk.key = StubProjection(head, -2.0F);
  walk.value = StubProjection(head, 3.0F);
  walk.scores = Numbered(6, 6, 4.0F);
  walk.weights = Numbered(6, 6, 0.0F);
  for (std::size_t row = 0; row < 6; ++row) {
    for (std::size_t key = 0; key < 6; ++key) {
      const bool is_masked = key > row;
      walk.weights.values[row * 6 + key] =
          is_masked
              ? 0.0F
              : 2.0F * static_cast<float>(key + 1) / static_cast<float>((row + 1) * (row + 2));
      if (is_masked) {
        walk.scores.values[row * 6 + key] = -std::numeric_limits<float>::infinity();
      }
    }
  }
  walk.blended = Numbered(6, 2, 0.5F);
  walk.concatenated = Numbered(6, 8, 0.5F);
  walk.output_weight = Numbered(8, 8, -1.0F);
  walk.output_own = Numbered(2, 8, -1.0F);
  walk.output = Numbered(6, 8, 0.25F);
  walk.added = Numbered(6, 8, 0.125F);
  for (int i = 0; i < 4; ++i) {
    for (int row = 0; row < 6; ++row) {
      walk.lengths.push_back(1.0F + static_cast<float>(i));
      walk.along_output.push_back(0.5F - 0.25F * static_cast<float>(i));
      walk.along_own.push_back(i == head ? 1.0F : -0.125F);
    }
  }
  walk.lines = LinesOf(walk);
  walk.lines[1].difference = 2.5e-7;
  walk.difference = 2.5e-7;
  walk.stacked_parameters = 256;
  walk.by_head_parameters = 256;
  return std::make_shared<const LayerWalk>(std::move(walk));
}

}  // namespace headscope::test
