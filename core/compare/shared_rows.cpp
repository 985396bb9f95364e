#include "core/compare/shared_rows.h"

#include <algorithm>
#include <cstddef>

#include "core/base/check.h"

namespace headscope {
namespace {

std::span<const std::int32_t> PlacesOf(const SharedAxis& axis, Side side) {
  return side == Side::kA ? axis.place_a : axis.place_b;
}

}  // namespace

SharedRows::SharedRows(const LayerAttention& layer,
                       const SharedAxis& queries,
                       const SharedAxis& keys,
                       Side side,
                       bool has_rest)
    : layer_(layer),
      queries_(queries),
      keys_(keys),
      key_places_(PlacesOf(keys, side)),
      has_rest_(has_rest) {
  const std::span<const std::int32_t> places = PlacesOf(queries, side);
  const AttentionShape& shape = layer.shape();
  HEADSCOPE_CHECK(shape.queries == (places.empty() ? queries.size() : std::ssize(places)) &&
                      shape.keys == (key_places_.empty() ? keys.size() : std::ssize(key_places_)),
                  "the maps are of the tokens that share the axes");
  if (places.empty()) {
    return;
  }
  query_rows_ = TokensOfPlaces(places, queries.size());
}

std::int64_t SharedRows::rows() const {
  return queries_.size();
}

std::int64_t SharedRows::cols() const {
  return keys_.size() + (keys_.has_special ? 1 : 0) + (has_rest_ ? 1 : 0);
}

bool SharedRows::SeesSeveral(std::int64_t row) const {
  const AttentionRule& rule = layer_.rule();
  const std::int64_t keys = layer_.shape().keys;
  if (IsByTokens()) {
    return rule.SeesSeveral(row, keys);
  }
  std::int32_t seen = -2;
  const auto see = [&](std::int64_t query) {
    for (std::int64_t key = rule.FirstVisible(query); key < rule.LastVisible(query, keys); ++key) {
      const std::int32_t place = key_places_.empty() ? static_cast<std::int32_t>(key)
                                                     : key_places_[static_cast<std::size_t>(key)];
      if (seen != -2 && place != seen) {
        return true;
      }
      seen = place;
    }
    return false;
  };
  if (query_rows_.empty()) {
    return see(row);
  }
  return std::ranges::any_of(query_rows_[static_cast<std::size_t>(row)], see);
}

ColumnSpan SharedRows::Visible(std::int64_t row) const {
  if (!IsByTokens() || has_rest_) {
    return {0, cols()};
  }
  const AttentionRule& rule = layer_.rule();
  return {rule.FirstVisible(row), rule.LastVisible(row, cols())};
}

std::int64_t SharedRows::RowsAtOnce() const {
  constexpr std::int64_t kProducts = std::int64_t{1} << 25;
  constexpr std::int64_t kLeastForThreads = 32;  // each thread takes 16 or more
  const AttentionShape& shape = layer_.shape();
  const std::int64_t token = shape.keys * std::max<std::int64_t>(1, shape.head_dim);
  if (IsByTokens()) {
    return std::max(kLeastForThreads, kProducts / token);
  }
  const double tokens =
      static_cast<double>(shape.queries) / static_cast<double>(std::max<std::int64_t>(1, rows()));
  return std::max<std::int64_t>(
      1, static_cast<std::int64_t>(0.5 * kProducts / (tokens * static_cast<double>(token))));
}

void SharedRows::AddByWords(std::span<const float> row, std::span<float> out) const {
  const auto special = static_cast<std::size_t>(keys_.size());
  double sum = 0.0;
  for (std::size_t key = 0; key < row.size(); ++key) {
    const std::int32_t place =
        key_places_.empty() ? static_cast<std::int32_t>(key) : key_places_[key];
    out[place == kNoPlace ? special : static_cast<std::size_t>(place)] += row[key];
    sum += static_cast<double>(row[key]);
  }
  if (has_rest_) {
    out.back() += static_cast<float>(std::max(0.0, 1.0 - sum));
  }
}

void SharedRows::Make(std::int64_t head,
                      std::int64_t begin,
                      std::int64_t end,
                      std::span<float> out) const {
  if (IsByTokens() && !has_rest_) {
    layer_.RowsOnAllThreads(head, begin, end, out);
    layer_.MakeDrawable(out);
    return;
  }
  std::ranges::fill(out, 0.0F);
  const auto keys = static_cast<std::size_t>(layer_.shape().keys);
  if (IsByTokens()) {
    std::vector<float> rows(static_cast<std::size_t>(end - begin) * keys);
    layer_.RowsOnAllThreads(head, begin, end, rows);
    layer_.MakeDrawable(rows);
    for (std::size_t at = 0; at * keys < rows.size(); ++at) {
      AddByWords(std::span(rows).subspan(at * keys, keys), out.subspan(at * (keys + 1), keys + 1));
    }
    return;
  }
  std::vector<float> row(keys);
  for (std::int64_t at = begin; at < end; ++at) {
    const std::span<float> to = out.subspan(static_cast<std::size_t>((at - begin) * cols()),
                                            static_cast<std::size_t>(cols()));
    const std::vector<std::int64_t> tokens = query_rows_.empty()
                                                 ? std::vector<std::int64_t>{at}
                                                 : query_rows_[static_cast<std::size_t>(at)];
    for (const std::int64_t token : tokens) {
      layer_.Row(head, token, row);
      layer_.MakeDrawable(row);
      AddByWords(row, to);
    }
    const auto share = 1.0F / static_cast<float>(tokens.size());
    for (float& weight : to) {
      weight *= share;
    }
  }
}

}  // namespace headscope
