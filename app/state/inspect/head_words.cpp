#include "app/state/inspect/head_words.h"

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/state/heads/scores.h"
#include "app/state/queries.h"
#include "core/base/counted.h"
#include "core/base/digits.h"
#include "core/heads/measure/metric.h"
#include "core/text/words.h"

namespace headscope {
namespace {

constexpr float kMost = 0.5F;    // of a row: it looks at that key
constexpr float kSpread = 2.0F;  // times what each would have: less is no look at one of them
constexpr std::size_t kMostRows = 512;  // that are looked through for the one that shows a role

std::string Quoted(const Encoding& tokens, std::int64_t index) {
  return fmt::format("“{}”", TokenWord(tokens, index));
}

bool IsSpecial(const Encoding& tokens, std::int64_t index) {
  const Token* const token = TokenAt(tokens, index);
  return token == nullptr || token->special;
}

bool AreEqual(const Encoding& text, std::int64_t a, std::int64_t b) {
  const Token* const one = TokenAt(text, a);
  const Token* const other = TokenAt(text, b);
  return one != nullptr && other != nullptr && !one->special && one->id == other->id;
}

bool AreOneWord(const Encoding& text, std::int64_t a, std::int64_t b) {
  const auto [first, last] = std::minmax(a, b);
  for (std::int64_t i = first + 1; i <= last; ++i) {
    if (!ContinuesWord(text, static_cast<std::size_t>(i))) {
      return false;
    }
  }
  return true;
}

std::string Neighbour(const Encoding& text, std::int64_t query, std::int64_t key) {
  return fmt::format("{}, the token {} it", Quoted(text, key), key < query ? "before" : "after");
}

// How the key of a row stands to its query, in a text that looks at itself.
std::string OwnKey(const Encoding& text,
                   std::int64_t query,
                   std::int64_t key,
                   const HeadRole& role) {
  const std::string word = Quoted(text, key);
  const bool is_neighbour = key == query - 1 || key == query + 1;
  if (key == query) {
    return "itself";
  }
  if (role.role == "positional" && is_neighbour) {
    return Neighbour(text, query, key);
  }
  if (IsSpecial(text, key)) {
    return fmt::format("{}, a special token", word);
  }
  if (key > 0 && key < query && AreEqual(text, key - 1, query)) {
    return fmt::format("{}, which followed {} before", word, Quoted(text, query));
  }
  if (AreEqual(text, key, query)) {
    return fmt::format("{} {}", key < query ? "an earlier" : "a later", word);
  }
  if (AreOneWord(text, key, query)) {
    return fmt::format("{}, {} piece of its word", word, key < query ? "an earlier" : "a later");
  }
  if (is_neighbour) {
    return Neighbour(text, query, key);
  }
  if (key == 0) {
    return fmt::format("{}, the first token", word);
  }
  return fmt::format(
      "{}, {} tokens {} it", word, std::abs(query - key), key < query ? "before" : "after");
}

// The metrics that speak for a role.
std::vector<const HeadMetric*> MetricsOf(const HeadRole& role) {
  std::vector<const HeadMetric*> metrics;
  if (const HeadMetric* const own = FindMetric(role.metric)) {
    metrics.push_back(own);
  } else if (role.metric.empty()) {
    for (const HeadMetric& metric : AllMetrics()) {
      if (!role.role.empty() && metric.role == role.role) {
        metrics.push_back(&metric);
      }
    }
  }
  std::erase_if(metrics, [](const HeadMetric* metric) { return metric->targets == nullptr; });
  return metrics;
}

// Every so many rows, so that a long text costs no more than kMostRows.
std::size_t StepOfRows(std::size_t rows) {
  return std::max<std::size_t>(1, (rows + kMostRows - 1) / kMostRows);
}

// Of each row that a metric asks: the key with most weight among those that it asks for, with the
// weight of all of these.
std::vector<RoleCell> AskedCells(const MapView& map,
                                 const Encoding& text,
                                 const std::vector<const HeadMetric*>& metrics) {
  const ProbeSequence sequence = metrics.empty() ? ProbeSequence() : SequenceOf(text);
  std::vector<float> weights(static_cast<std::size_t>(map.keys()));
  const auto weight_of = [&weights](std::int32_t key) {
    return weights[static_cast<std::size_t>(key)];
  };
  std::vector<RoleCell> cells;
  for (const HeadMetric* const metric : metrics) {
    const TargetRows rows = metric->targets(sequence, map.layer->rule());
    for (std::size_t i = 0; i < rows.size(); i += StepOfRows(rows.size())) {
      const TargetRows::Row row = rows[i];
      const bool sees_others = map.LastVisible(row.query) - map.FirstVisible(row.query) > 1;
      if (!row.qualifies || row.keys.empty() || !sees_others || IsSpecial(text, row.query)) {
        continue;
      }
      map.layer->Row(map.head, row.query, weights);
      const std::int32_t key = *std::ranges::max_element(row.keys, {}, weight_of);
      float share = 0.0F;
      for (const std::int32_t each : row.keys) {
        share += weight_of(each);
      }
      cells.push_back({{row.query, key}, share});
    }
  }
  return cells;
}

// Of each row the key with most weight, if it is another token than the first and the row's own.
std::vector<RoleCell> OtherCells(const MapView& map, const Encoding& text) {
  std::vector<float> weights(static_cast<std::size_t>(map.keys()));
  std::vector<RoleCell> cells;
  const auto step = static_cast<std::int64_t>(StepOfRows(static_cast<std::size_t>(map.queries())));
  for (std::int64_t query = 0; query < map.queries(); query += step) {
    map.layer->Row(map.head, query, weights);
    const auto key = std::ranges::max_element(weights, {}, OrderOf) - weights.begin();
    if (key != 0 && key != query && !IsSpecial(text, query) && !IsSpecial(text, key)) {
      cells.push_back({{query, key}, weights[static_cast<std::size_t>(key)]});
    }
  }
  return cells;
}

}  // namespace

HeadRole RoleInView(const AppState& state, HeadIndex head) {
  if (const HeadFlag* const flag = FindFlag(FlagsInView(state), head)) {
    return {.role = flag->role, .metric = "", .is_flag = true};
  }
  const HeadSuggestions suggestions = SuggestionsInView(state);
  const auto& found = suggestions.Of(head);
  return found.empty() ? HeadRole{} : HeadRole{found.front()->role, found.front()->metric, false};
}

std::string KeyInWords(const RowWeights& row, std::int64_t key, const HeadRole& role) {
  if (row.query_tokens == row.key_tokens) {
    return OwnKey(*row.key_tokens, row.query, key, role);
  }
  const std::string word = Quoted(*row.key_tokens, key);
  return IsSpecial(*row.key_tokens, key) ? fmt::format("{}, a special token of the text", word)
                                         : fmt::format("{} in the text", word);
}

std::string RowInWords(const RowWeights& row, const HeadRole& role) {
  if (row.first_visible >= row.last_visible) {
    return "";
  }
  const auto visible =
      row.weights.subspan(static_cast<std::size_t>(row.first_visible),
                          static_cast<std::size_t>(row.last_visible - row.first_visible));
  const std::int64_t key =
      row.first_visible + (std::ranges::max_element(visible, {}, OrderOf) - visible.begin());
  const float weight = row.weights[static_cast<std::size_t>(key)];
  const std::string query = Quoted(*row.query_tokens, row.query);
  if (visible.size() == 1) {
    return fmt::format("{} sees no other token than {}", query, KeyInWords(row, key, role));
  }
  const bool is_spread = weight * static_cast<float>(visible.size()) < kSpread && weight < kMost;
  std::string words =
      is_spread ? fmt::format("{} spreads over the {} tokens that it sees: none has more than {}",
                              query,
                              visible.size(),
                              ShareWords(weight))
                : fmt::format("{} {} {} ({})",
                              query,
                              weight >= kMost ? "looks at" : "looks most at",
                              KeyInWords(row, key, role),
                              ShareWords(weight));
  if (row.sink && *row.sink > weight) {
    words += fmt::format("; the head's sink takes more ({})", ShareWords(*row.sink));
  }
  return words;
}

std::vector<RoleCell> CellsOfRole(const MapView& map,
                                  const Encoding& text,
                                  const HeadRole& role,
                                  std::size_t most) {
  if (map.queries() != map.keys()) {
    return {};
  }
  std::vector<RoleCell> cells = AskedCells(map, text, MetricsOf(role));
  if (cells.empty() && !role.role.empty()) {
    cells = OtherCells(map, text);
  }
  std::ranges::stable_sort(cells, std::greater(), &RoleCell::weight);
  std::vector<RoleCell> chosen;
  std::vector<std::pair<std::string, std::string>> told;
  for (const RoleCell& cell : cells) {
    const std::pair words{TokenWord(text, cell.cell.query), TokenWord(text, cell.cell.key)};
    const bool is_new = std::ranges::find(told, words) == told.end();
    if (chosen.size() < most && is_new) {
      chosen.push_back(cell);
      told.push_back(words);
    }
  }
  return chosen;
}

std::string RoleCellInWords(const Encoding& text, const RoleCell& cell) {
  return fmt::format("{} → {} {}",
                     Quoted(text, cell.cell.query),
                     Quoted(text, cell.cell.key),
                     ShareWords(cell.weight));
}

std::optional<std::int64_t> RowOfRole(const MapView& map,
                                      const Encoding& text,
                                      const HeadRole& role) {
  if (map.queries() != map.keys()) {
    return std::nullopt;
  }
  const std::vector<RoleCell> cells = AskedCells(map, text, MetricsOf(role));
  const auto best = std::ranges::max_element(cells, {}, &RoleCell::weight);
  return best != cells.end() ? std::optional(best->cell.query) : std::nullopt;
}

std::string HeadInWords(HeadIndex head, const HeadRole& role) {
  if (role.role.empty()) {
    return HeadName(head);
  }
  return fmt::format("{}, {}{}", HeadName(head), role.role, role.is_flag ? "" : " (suggested)");
}

}  // namespace headscope
