// Sequences and maps made by hand, and what the readers of rows make of them.
//
// Shapes   maps [query][key].
// Threads  plain values.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/heads/measure/metric.h"
#include "core/heads/measure/row_reader.h"
#include "core/heads/scan/scan.h"
#include "tests/support/catch.h"

namespace headscope::test {

using Map = std::vector<std::vector<float>>;

// 0 is a special token, 0 and 1 separate, 9 belongs to the word before; a corpus has ids the more
// often the smaller they are.
inline ProbeSequence PlainSequence(std::vector<std::int32_t> ids) {
  ProbeSequence sequence;
  sequence.ids = std::move(ids);
  for (std::size_t i = 0; i < sequence.ids.size(); ++i) {
    sequence.special.push_back(sequence.ids[i] == 0 ? 1 : 0);
    sequence.separator.push_back(sequence.ids[i] <= 1 ? 1 : 0);
    sequence.word.push_back(static_cast<std::int32_t>(i) - (sequence.ids[i] == 9 ? 1 : 0));
    sequence.count.push_back(1000 - sequence.ids[i]);
  }
  return sequence;
}

// Shows an observer one text's maps, [heads, n, n].
inline void ShowWeights(std::span<const float> weights,
                        std::int64_t heads,
                        std::int64_t n,
                        bool causal,
                        AttentionObserver* observer) {
  AttentionRule rule;
  rule.causal = causal;
  observer->OnProjections(
      {{.queries = n, .keys = n, .heads = heads, .kv_heads = heads}, rule, {}, {}, {}});
  AttentionBlock block;
  block.head_end = heads;
  block.query_end = n;
  block.keys = n;
  block.weights = weights;
  observer->OnBlock(block);
}

// Shows an observer a layer of one head with these maps, a text each.
inline void ShowMaps(const std::vector<Map>& maps, bool causal, AttentionObserver* observer) {
  for (const Map& map : maps) {
    std::vector<float> weights;
    for (const std::vector<float>& row : map) {
      weights.insert(weights.end(), row.begin(), row.end());
    }
    ShowWeights(weights, 1, static_cast<std::int64_t>(map.size()), causal, observer);
  }
}

// What a layer of one head with these maps adds up to, a map for each sequence.
inline ScanSums ReadRows(const std::vector<ProbeSequence>& sequences,
                         const std::vector<Map>& maps,
                         bool causal) {
  std::vector<const ProbeSequence*> batch;
  for (const ProbeSequence& sequence : sequences) {
    batch.push_back(&sequence);
  }
  RowReader reader(batch, 1, 1, 1);
  ShowMaps(maps, causal, reader.BeginLayer({}));
  REQUIRE(reader.EndLayer({}));
  return reader.sums();
}

inline HeadScore ScoreIn(const ScanSums& sums, std::string_view id) {
  const HeadMetric* metric = FindMetric(id);
  REQUIRE(metric != nullptr);
  return ScoreOf(sums[static_cast<std::size_t>(metric - AllMetrics().data())][0], *metric, 0);
}

// Row q looks at `key_of(q)` alone.
template <typename KeyOf>
Map OneHot(std::size_t n, const KeyOf& key_of) {
  Map map(n, std::vector<float>(n, 0.0F));
  for (std::size_t q = 0; q < n; ++q) {
    map[q][key_of(q)] = 1.0F;
  }
  return map;
}

// Every row is even over what it sees.
inline Map EvenMap(std::size_t n, bool causal) {
  Map map(n, std::vector<float>(n, 0.0F));
  for (std::size_t q = 0; q < n; ++q) {
    const std::size_t seen = causal ? q + 1 : n;
    std::fill_n(map[q].begin(), seen, 1.0F / static_cast<float>(seen));
  }
  return map;
}

}  // namespace headscope::test
