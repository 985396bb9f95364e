// Scores of narrow heads in double: a loop of float_kernels.cpp, and of nothing else.
//
// Source   float_kernels.h, ScoresInDouble.
#pragma once

#include <cstdint>
#include <cstring>

#include "core/compute/float_functions.h"
#include "core/compute/float_kernels.h"

namespace headscope {

using Doubles [[gnu::vector_size(32)]] = double;

// Adds four rows of eight products, of queries [columns, 4] and keys [columns, 8] times scale, to
// inout. Written out, since only then does the compiler keep the sums in registers.
HEADSCOPE_BODY void AddScoreTile(
    const double* queries, const double* keys, std::int64_t columns, double scale, double* inout) {
  Doubles sums[8] = {};
  for (std::int64_t i = 0; i < columns; ++i, queries += 4, keys += 8) {
    Doubles left;
    Doubles right;
    std::memcpy(&left, keys, sizeof(left));
    std::memcpy(&right, keys + 4, sizeof(right));
    sums[0] += queries[0] * left;
    sums[1] += queries[0] * right;
    sums[2] += queries[1] * left;
    sums[3] += queries[1] * right;
    sums[4] += queries[2] * left;
    sums[5] += queries[2] * right;
    sums[6] += queries[3] * left;
    sums[7] += queries[3] * right;
  }
  Doubles scores[8];
  std::memcpy(scores, inout, sizeof(scores));
  scores[0] += scale * sums[0];
  scores[1] += scale * sums[1];
  scores[2] += scale * sums[2];
  scores[3] += scale * sums[3];
  scores[4] += scale * sums[4];
  scores[5] += scale * sums[5];
  scores[6] += scale * sums[6];
  scores[7] += scale * sums[7];
  std::memcpy(inout, scores, sizeof(scores));
}

// Works through spans of columns, so that this part of all queries and of eight keys stays cached.
HEADSCOPE_BODY void ScoresInDoubleBody(const ScoresInDouble& scores) {
  constexpr std::int64_t kRows = 4;   // per tile
  constexpr std::int64_t kLanes = 8;  // keys side by side
  constexpr std::int64_t kSpan = 64;
  constexpr std::int64_t kGroups = ScoresInDouble::kMostRows / kRows;
  double queries[kGroups][kSpan * kRows] = {};
  double keys[kSpan * kLanes] = {};
  for (std::int64_t begin = 0; begin < scores.columns; begin += kSpan) {
    const std::int64_t span = scores.columns - begin < kSpan ? scores.columns - begin : kSpan;
    for (std::int64_t row = 0; row < scores.rows; ++row) {
      const float* from = scores.query + row * scores.query_stride + begin;
      double* to = queries[row / kRows] + row % kRows;
      for (std::int64_t i = 0; i < span; ++i) {
        to[i * kRows] = static_cast<double>(from[i]);
      }
    }
    for (std::int64_t key = 0; key < scores.keys; key += kLanes) {
      const std::int64_t lanes = scores.keys - key < kLanes ? scores.keys - key : kLanes;
      for (std::int64_t lane = 0; lane < lanes; ++lane) {
        const float* from = scores.key + (key + lane) * scores.key_stride + begin;
        for (std::int64_t i = 0; i < span; ++i) {
          keys[i * kLanes + lane] = static_cast<double>(from[i]);
        }
      }
      for (std::int64_t row = 0; row < scores.rows; row += kRows) {
        const std::int64_t rows = scores.rows - row < kRows ? scores.rows - row : kRows;
        const std::size_t bytes = static_cast<std::size_t>(lanes) * sizeof(double);
        double* out = scores.out + row * scores.out_stride + key;
        double tile[kRows][kLanes] = {};
        for (std::int64_t i = 0; begin > 0 && i < rows; ++i) {
          std::memcpy(tile[i], out + i * scores.out_stride, bytes);
        }
        AddScoreTile(queries[row / kRows], keys, span, scores.scale, tile[0]);
        for (std::int64_t i = 0; i < rows; ++i) {
          std::memcpy(out + i * scores.out_stride, tile[i], bytes);
        }
      }
    }
  }
}

}  // namespace headscope
