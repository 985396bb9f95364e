#include "app/state/inspect/row_words.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "app/state/queries.h"
#include "core/base/digits.h"
#include "core/text/indexed_name.h"

namespace headscope {

float DrawnLength(float weight) {
  return weight > 0.0F ? std::min(weight, 1.0F) : 0.0F;
}

float OrderOf(float weight) {
  return std::isnan(weight) ? -std::numeric_limits<float>::infinity() : weight;
}

namespace {

RowBar Bar(std::int64_t key, std::string token, float weight) {
  return {.key = key,
          .token = std::move(token),
          .number = weight >= 5e-5F ? fmt::format("{:.4f}", weight) : fmt::format("{:.1e}", weight),
          .length = DrawnLength(weight)};
}

}  // namespace

RowBars BarsOfRow(const RowWeights& row, std::int64_t room) {
  const auto weight_of = [&row](std::int64_t key) {
    return row.weights[static_cast<std::size_t>(key)];
  };
  RowBars told;
  told.row = IndexedName(TokenWord(*row.query_tokens, row.query), row.query);
  told.sums = fmt::format(", largest first; sums to {:.4f}",
                          std::accumulate(row.weights.begin(), row.weights.end(), 0.0));
  if (row.hidden) {
    told.sums += fmt::format(", {:.4f} hidden", *row.hidden);
  }
  if (row.sink) {
    told.sums += ", the sink takes the rest";
    told.sink = Bar(-1, "sink", *row.sink);
    --room;
  }
  std::vector<std::int64_t> order(
      static_cast<std::size_t>(std::max<std::int64_t>(0, row.last_visible - row.first_visible)));
  std::iota(order.begin(), order.end(), row.first_visible);
  const std::int64_t bars = room < std::ssize(order) ? room - 1 : std::ssize(order);
  const std::int64_t shown = std::clamp<std::int64_t>(bars, 0, kMostBars);
  const auto middle = order.begin() + shown;
  std::partial_sort(order.begin(), middle, order.end(), [&](std::int64_t a, std::int64_t b) {
    const float wa = OrderOf(weight_of(a));
    const float wb = OrderOf(weight_of(b));
    return wa != wb ? wa > wb : a < b;
  });
  for (auto key = order.begin(); key != middle; ++key) {
    told.bars.push_back(Bar(*key, TokenWord(*row.key_tokens, *key), weight_of(*key)));
  }
  told.others = std::ssize(order) - shown;
  const double rest = std::accumulate(middle, order.end(), 0.0, [&](double sum, std::int64_t key) {
    return sum + static_cast<double>(weight_of(key));
  });
  told.rest = WithDigits(rest, 4);
  return told;
}

}  // namespace headscope
