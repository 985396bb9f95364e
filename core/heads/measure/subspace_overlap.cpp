#include "core/heads/measure/subspace_overlap.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "core/base/check.h"

namespace headscope {
namespace {

using Directions = std::vector<std::vector<double>>;  // each in coordinates of the head's rows

// A block of the gram matrix: the rows of one head against those of another.
struct GramBlock {
  std::span<const double> gram;
  std::size_t width = 0;
  std::size_t own = 0;  // rows of a head
  std::size_t row = 0;
  std::size_t column = 0;

  [[nodiscard]] double Product(const std::vector<double>& one,
                               const std::vector<double>& other) const {
    double sum = 0.0;
    for (std::size_t i = 0; i < own; ++i) {
      double inner = 0.0;
      for (std::size_t j = 0; j < own && one[i] != 0.0; ++j) {
        inner += gram[(row + i) * width + column + j] * other[j];
      }
      sum += one[i] * inner;
    }
    return sum;
  }
};

// Gram and Schmidt, twice, by products alone.
Directions DirectionsOf(const GramBlock& block) {
  constexpr double kNothing = 1e-9;  // of the longest row's square: float32's rounding, squared
  double longest = 0.0;
  for (std::size_t i = 0; i < block.own; ++i) {
    longest = std::max(longest, block.gram[(block.row + i) * block.width + block.row + i]);
  }
  Directions found;
  for (std::size_t i = 0; i < block.own; ++i) {
    std::vector<double> next(block.own, 0.0);
    next[i] = 1.0;
    for (int pass = 0; pass < 2; ++pass) {
      for (const std::vector<double>& before : found) {
        const double shared = block.Product(before, next);
        for (std::size_t j = 0; j < block.own; ++j) {
          next[j] -= shared * before[j];
        }
      }
    }
    const double square = block.Product(next, next);
    if (square > kNothing * longest) {
      for (double& value : next) {
        value /= std::sqrt(square);
      }
      found.push_back(std::move(next));
    }
  }
  return found;
}

}  // namespace

std::optional<SubspaceOverlap> OverlapOfHeads(std::span<const double> gram,
                                              std::int64_t heads,
                                              std::int64_t model_dim) {
  const auto width =
      static_cast<std::size_t>(std::llround(std::sqrt(static_cast<double>(gram.size()))));
  HEADSCOPE_CHECK(heads > 0 && width % static_cast<std::size_t>(heads) == 0,
                  "each head has as many rows");
  const std::size_t own = width / static_cast<std::size_t>(heads);
  std::vector<Directions> directions;
  for (std::int64_t head = 0; head < heads; ++head) {
    const std::size_t at = static_cast<std::size_t>(head) * own;
    directions.push_back(DirectionsOf({gram, width, own, at, at}));
  }
  SubspaceOverlap sum;
  double pairs = 0.0;
  for (std::size_t one = 0; one < directions.size(); ++one) {
    for (std::size_t two = 0; two < one; ++two) {
      if (directions[one].empty() || directions[two].empty()) {
        continue;
      }
      const GramBlock block{gram, width, own, one * own, two * own};
      double squares = 0.0;
      for (const auto& left : directions[one]) {
        for (const auto& right : directions[two]) {
          const double cosine = block.Product(left, right);
          squares += cosine * cosine;
        }
      }
      const auto [less, more] = std::minmax({directions[one].size(), directions[two].size()});
      sum.overlap += squares / static_cast<double>(less);
      sum.chance += static_cast<double>(more) / static_cast<double>(model_dim);
      pairs += 1.0;
    }
  }
  if (pairs == 0.0) {
    return std::nullopt;
  }
  return SubspaceOverlap{sum.overlap / pairs, sum.chance / pairs};
}

}  // namespace headscope
