#include "core/heads/metric.h"

#include <algorithm>
#include <map>

#define HEADSCOPE_ENTRY(name) extern const MetricFile k##name##Metrics;
namespace headscope {
#include "registry/metrics.inc"
}
#undef HEADSCOPE_ENTRY

namespace headscope {

std::span<const HeadMetric> AllMetrics() {
  static const std::vector<HeadMetric> kMetrics = [] {
    std::vector<HeadMetric> all;
    const auto add = [&all](const MetricFile& file) {
      for (HeadMetric& metric : file()) {
        all.push_back(std::move(metric));
      }
    };
#define HEADSCOPE_ENTRY(name) add(k##name##Metrics);
#include "registry/metrics.inc"
#undef HEADSCOPE_ENTRY
    std::ranges::stable_sort(all, {}, &HeadMetric::place);
    return all;
  }();
  return kMetrics;
}

const HeadMetric* FindMetric(std::string_view id) {
  const auto all = AllMetrics();
  const auto found = std::ranges::find(all, id, &HeadMetric::id);
  return found == all.end() ? nullptr : &*found;
}

bool Sees(const AttentionRule& rule,
          const ProbeSequence& sequence,
          std::int64_t query,
          std::int64_t key) {
  return key >= std::max<std::int64_t>(rule.FirstVisible(query), 0) &&
         key < rule.LastVisible(query, sequence.tokens());
}

std::vector<std::vector<std::int32_t>> EarlierCopies(const ProbeSequence& sequence) {
  std::vector<std::vector<std::int32_t>> copies(sequence.ids.size());
  std::map<std::int32_t, std::vector<std::int32_t>> places;
  for (std::size_t token = 0; token < sequence.ids.size(); ++token) {
    if (sequence.special[token] == 0) {
      std::vector<std::int32_t>& before = places[sequence.ids[token]];
      copies[token] = before;
      before.push_back(static_cast<std::int32_t>(token));
    }
  }
  return copies;
}

TargetRows RowsOfCopies(const ProbeSequence& sequence,
                        const AttentionRule& rule,
                        std::int32_t after) {
  TargetRows targets;
  const auto copies = EarlierCopies(sequence);
  for (std::int64_t query = 0; query < sequence.tokens(); ++query) {
    TargetRows::Row row{query};
    for (const std::int32_t copy : copies[static_cast<std::size_t>(query)]) {
      const std::int32_t key = copy + after;
      if (key < query && Sees(rule, sequence, query, key)) {
        row.keys.push_back(key);
      }
    }
    if (!row.keys.empty()) {
      targets.rows.push_back(std::move(row));
    }
  }
  ShuffleDistances(sequence, rule, &targets);
  return targets;
}

void ShuffleDistances(const ProbeSequence& sequence, const AttentionRule& rule, TargetRows* rows) {
  const std::size_t count = rows->rows.size();
  for (std::size_t i = 0; i < count; ++i) {
    TargetRows::Row& row = rows->rows[i];
    // The first row after it, around the end, whose distances lead to a wrong token that it sees.
    for (std::size_t step = 1; step < count && row.control.empty(); ++step) {
      const TargetRows::Row& other = rows->rows[(i + step) % count];
      for (const std::int32_t key : other.keys) {
        const std::int64_t wrong = row.query - (other.query - key);
        if (wrong >= 0 && Sees(rule, sequence, row.query, wrong) &&
            !std::ranges::binary_search(row.keys, static_cast<std::int32_t>(wrong))) {
          row.control.push_back(static_cast<std::int32_t>(wrong));
        }
      }
      std::ranges::sort(row.control);
    }
  }
}

}  // namespace headscope
