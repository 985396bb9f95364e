#include "core/compute/delta_rule.h"

#include <cmath>
#include <cstddef>

namespace headscope {
namespace {

constexpr double kLeastLength = 1e-6;  // added under the root

// Returns the vector, as long as `length` says.
std::vector<double> OfLength(std::span<const double> vector, double length) {
  double squares = kLeastLength;
  for (const double one : vector) {
    squares += one * one;
  }
  std::vector<double> made(vector.begin(), vector.end());
  for (double& one : made) {
    one *= length / std::sqrt(squares);
  }
  return made;
}

// Runs one head over all tokens.
void RunHead(const DeltaShape& shape,
             std::int64_t head,
             std::span<const double> columns,
             std::span<const double> strengths,
             std::span<const double> fadings,
             std::span<double> out) {
  const auto width = static_cast<std::size_t>(shape.value_width);
  const auto keys = static_cast<std::size_t>(shape.key_width);
  const std::int64_t source = head / (shape.heads / shape.key_heads);
  std::vector<double> state(keys * width);
  std::vector<double> change(width);
  for (std::int64_t token = 0; token < shape.tokens; ++token) {
    const auto row = columns.subspan(static_cast<std::size_t>(token * shape.columns()));
    const auto part = [&](std::int64_t first, std::int64_t count) {
      return row.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
    };
    const std::vector<double> query = OfLength(part(source * shape.key_width, shape.key_width),
                                               1.0 / std::sqrt(static_cast<double>(keys)));
    const std::vector<double> key =
        OfLength(part(shape.keys() + source * shape.key_width, shape.key_width), 1.0);
    const auto value = part(2 * shape.keys() + head * shape.value_width, shape.value_width);
    const auto at = static_cast<std::size_t>(token * shape.heads + head);
    change.assign(value.begin(), value.end());
    for (std::size_t k = 0; k < keys; ++k) {
      double* kept = state.data() + k * width;
      for (std::size_t v = 0; v < width; ++v) {
        kept[v] *= fadings[at];
        change[v] -= key[k] * kept[v];
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
#pragma omp parallel for schedule(static) default(none) \
    shared(shape, columns, strengths, fadings, out)
  for (std::int64_t head = 0; head < shape.heads; ++head) {
    RunHead(shape, head, columns, strengths, fadings, out);
  }
  return out;
}

}  // namespace headscope
