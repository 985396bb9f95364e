#include "app/state/inspect/why_words.h"

#include <algorithm>
#include <cmath>
#include <span>

#include <fmt/format.h>

#include "core/base/hundredths.h"

namespace headscope {
namespace {

using Source = CellSources::Source;

// What adds or takes away most comes first; `rest` gets those that have no room.
std::vector<Source> Largest(const std::vector<Source>& sources,
                            std::size_t most,
                            std::vector<Source>* rest) {
  std::vector<Source> shown = sources;
  std::ranges::stable_sort(
      shown, std::ranges::greater(), [](const Source& one) { return std::abs(one.sum); });
  const auto end = shown.begin() + static_cast<std::ptrdiff_t>(std::min(most, shown.size()));
  rest->assign(end, shown.end());
  shown.erase(end, shown.end());
  return shown;
}

WhyLine LineOf(const Source& source, double longest) {
  WhyLine line{.name = WriterName(source.writer),
               .number = SignedHundredths(source.sum),
               .length = longest > 0.0 ? static_cast<float>(std::abs(source.sum) / longest) : 0.0F,
               .takes_away = source.sum < 0.0};
  if (source.writer.kind == WriterKind::kHead) {
    line.head = HeadIndex{source.writer.layer.layer, source.writer.head, source.writer.layer.part};
  } else if (source.writer.kind == WriterKind::kMlp) {
    line.mlp = source.writer.layer;
  }
  return line;
}

std::string More(std::size_t count, double sum) {
  return count == 0 ? "" : fmt::format("{} more, together {:+.2f}", count, sum);
}

std::string More(const std::vector<Source>& rest) {
  double sum = 0.0;
  for (const Source& source : rest) {
    sum += source.sum;
  }
  return More(rest.size(), sum);
}

// What rounding in bfloat16 does to a score; float32 does far less.
constexpr double kTold = 0.005;

// "the score, +7.42, by who wrote it", and what else there is to it.
std::string ScoreWords(const CellSources& sources) {
  std::string words = fmt::format("the score, {:+.2f}, by who wrote it", sources.score());
  const double rounded = sources.model_dot - sources.total;
  if (std::abs(rounded) > kTold * (1.0 + std::abs(sources.total))) {
    words += fmt::format("; rounding on the way changes {:+.2f}", rounded);
  }
  if (sources.cap_change != 0.0) {
    words += fmt::format("; its cap changes {:+.2f}", sources.cap_change);
  }
  if (sources.head_bias != 0.0) {
    words += fmt::format("; by distance the head adds {:+.2f}", sources.head_bias);
  }
  if (sources.query_content != 0.0) {
    words += fmt::format("; the query's content with the key's position adds {:+.2f}",
                         sources.query_content);
  }
  if (sources.key_content != 0.0) {
    words += fmt::format("; the key's content with the query's position adds {:+.2f}",
                         sources.key_content);
  }
  return words;
}

// The largest terms of the table, and what the others add up to.
void AddPairs(const CellSources& sources, std::size_t most, WhyWords* words) {
  const auto shown = std::span(sources.largest).first(std::min(most, sources.largest.size()));
  const double longest = shown.empty() ? 0.0 : std::abs(sources.terms[shown.front()]);
  double rest = sources.total;
  for (const std::size_t at : shown) {
    const double term = sources.terms[at];
    const std::size_t keys = sources.keys.size();
    words->pairs.push_back({LineOf({sources.queries[at / keys].writer, term}, longest),
                            LineOf({sources.keys[at % keys].writer, term}, longest)});
    rest -= term;
  }
  words->more_pairs = More(sources.terms.size() - shown.size(), rest);
}

}  // namespace

WhyWords WordsOfWhy(const CellSources& sources, const WhyRoom& room) {
  std::vector<Source> other_keys;
  std::vector<Source> other_queries;
  const std::vector<Source> keys = Largest(sources.keys, room.writers, &other_keys);
  const std::vector<Source> queries = Largest(sources.queries, room.writers, &other_queries);
  double longest = 0.0;
  for (const auto* side : {&keys, &queries}) {
    for (const Source& source : *side) {
      longest = std::max(longest, std::abs(source.sum));
    }
  }
  WhyWords words{.score = ScoreWords(sources),
                 .keys = {},
                 .queries = {},
                 .more_keys = More(other_keys),
                 .more_queries = More(other_queries),
                 .pairs = {},
                 .more_pairs = {}};
  AddPairs(sources, room.pairs, &words);
  for (const Source& source : keys) {
    words.keys.push_back(LineOf(source, longest));
  }
  for (const Source& source : queries) {
    words.queries.push_back(LineOf(source, longest));
  }
  return words;
}

}  // namespace headscope
