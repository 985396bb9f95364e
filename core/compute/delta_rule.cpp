#include "core/compute/delta_rule.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace headscope {
namespace {

constexpr double kLeastLength = 1e-6;  // added under the root

void SetLength(double length, std::span<double> vector) {
  double squares = kLeastLength;
  for (const double one : vector) {
    squares += one * one;
  }
  for (double& one : vector) {
    one *= length / std::sqrt(squares);
  }
}

// Gives each token's queries and keys their lengths.
void SetLengths(const DeltaShape& shape, std::span<double> columns) {
  const auto width = static_cast<std::size_t>(shape.key_width);
  const double of_query = 1.0 / std::sqrt(static_cast<double>(width));
  for (std::int64_t token = 0; token < shape.tokens; ++token) {
    const auto row = columns.subspan(static_cast<std::size_t>(token * shape.columns()));
    for (std::int64_t head = 0; head < 2 * shape.key_heads; ++head) {
      SetLength(head < shape.key_heads ? of_query : 1.0,
                row.subspan(static_cast<std::size_t>(head) * width, width));
    }
  }
}

// Runs one head over all tokens; `state` is its matrix and one row more, all 0.
void RunHead(const DeltaShape& shape,
             std::int64_t head,
             std::span<const double> columns,
             std::span<const double> strengths,
             std::span<const double> fadings,
             std::span<double> state,
             std::span<double> out) {
  const auto width = static_cast<std::size_t>(shape.value_width);
  const auto keys = static_cast<std::size_t>(shape.key_width);
  const std::int64_t source =
      shape.is_tiled ? head % shape.key_heads : head / (shape.heads / shape.key_heads);
  const std::span<double> change = state.last(width);
  const double corrected = shape.corrects ? 1.0 : 0.0;
  for (std::int64_t token = 0; token < shape.tokens; ++token) {
    const auto row = columns.subspan(static_cast<std::size_t>(token * shape.columns()));
    const auto part = [&](std::int64_t first, std::int64_t count) {
      return row.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
    };
    const auto query = part(source * shape.key_width, shape.key_width);
    const auto key = part(shape.keys() + source * shape.key_width, shape.key_width);
    const auto value = part(2 * shape.keys() + head * shape.value_width, shape.value_width);
    const auto at = static_cast<std::size_t>(token * shape.heads + head);
    std::ranges::copy(value, change.begin());
    for (std::size_t k = 0; k < keys; ++k) {
      double* kept = state.data() + k * width;
      for (std::size_t v = 0; v < width; ++v) {
        kept[v] *= fadings[at];
        change[v] -= corrected * key[k] * kept[v];
      }
    }
    double* made = out.data() + token * shape.values() + head * shape.value_width;
    for (std::size_t k = 0; k < keys; ++k) {
      double* kept = state.data() + k * width;
      const double written = key[k] * strengths[at];
      for (std::size_t v = 0; v < width; ++v) {
        kept[v] += written * change[v];
        made[v] += query[k] * kept[v];
      }
    }
  }
}

}  // namespace

std::vector<double> ApplyDeltaRule(const DeltaShape& shape,
                                   std::span<const double> columns,
                                   std::span<const double> strengths,
                                   std::span<const double> fadings) {
  std::vector<double> out(static_cast<std::size_t>(shape.tokens * shape.values()));
  std::vector<double> scaled(columns.begin(), columns.end());
  if (shape.corrects) {
    SetLengths(shape, scaled);
  }
  // Made here: a thread could not say that there is no memory.
  const auto each = static_cast<std::size_t>((shape.key_width + 1) * shape.value_width);
  std::vector<double> states(each * static_cast<std::size_t>(shape.heads));
#pragma omp parallel for schedule(static) default(none) \
    shared(shape, scaled, strengths, fadings, each, states, out)
  for (std::int64_t head = 0; head < shape.heads; ++head) {
    const std::span<double> state =
        std::span(states).subspan(static_cast<std::size_t>(head) * each, each);
    RunHead(shape, head, scaled, strengths, fadings, state, out);
  }
  return out;
}

}  // namespace headscope
