#include "core/heads/measure/metric.h"

#include <algorithm>
#include <utility>

#define HEADSCOPE_ENTRY(name) std::vector<HeadMetric> name##Metrics();
namespace headscope {
#include "registry/metrics.inc"
}
#undef HEADSCOPE_ENTRY

namespace headscope {

std::span<const HeadMetric> AllMetrics() {
  static const std::vector<HeadMetric> kMetrics = [] {
#define HEADSCOPE_ENTRY(name) name##Metrics,
    std::vector<HeadMetric> all = InPlaces<HeadMetric>({
#include "registry/metrics.inc"
    });
#undef HEADSCOPE_ENTRY
    for (HeadMetric& metric : all) {
      metric.is_of_repeats = metric.has_control_sequences;
    }
    return all;
  }();
  return kMetrics;
}

const HeadMetric* FindMetric(std::string_view id) {
  return FindById(AllMetrics(), id);
}

bool Sees(const AttentionRule& rule,
          const ProbeSequence& sequence,
          std::int64_t query,
          std::int64_t key) {
  return key >= std::max<std::int64_t>(rule.FirstVisible(query), 0) &&
         key < rule.LastVisible(query, sequence.tokens());
}

namespace {

// The last token before each that equals it; -1: none, or a special one.
std::vector<std::int32_t> LastCopies(const ProbeSequence& sequence) {
  std::vector<std::int32_t> order;
  for (std::size_t token = 0; token < sequence.ids.size(); ++token) {
    if (sequence.special[token] == 0) {
      order.push_back(static_cast<std::int32_t>(token));
    }
  }
  const auto id_of = [&](std::int32_t token) {
    return sequence.ids[static_cast<std::size_t>(token)];
  };
  std::ranges::sort(order, {}, [&](std::int32_t token) { return std::pair(id_of(token), token); });
  std::vector<std::int32_t> last(sequence.ids.size(), -1);
  for (std::size_t i = 1; i < order.size(); ++i) {
    if (id_of(order[i - 1]) == id_of(order[i])) {
      last[static_cast<std::size_t>(order[i])] = order[i - 1];
    }
  }
  return last;
}

void CopiesOf(std::size_t token,
              std::span<const std::int32_t> last,
              std::vector<std::int32_t>* copies) {
  copies->clear();
  for (std::int32_t copy = last[token]; copy >= 0; copy = last[static_cast<std::size_t>(copy)]) {
    copies->push_back(copy);
  }
  std::ranges::reverse(*copies);
}

}  // namespace

std::vector<std::vector<std::int32_t>> EarlierCopies(const ProbeSequence& sequence) {
  const std::vector<std::int32_t> last = LastCopies(sequence);
  std::vector<std::vector<std::int32_t>> copies(last.size());
  for (std::size_t token = 0; token < last.size(); ++token) {
    CopiesOf(token, last, &copies[token]);
  }
  return copies;
}

TargetRows RowsOfCopies(const ProbeSequence& sequence,
                        const AttentionRule& rule,
                        std::int32_t after) {
  TargetRows targets;
  targets.Reserve(sequence.tokens());
  const std::vector<std::int32_t> last = LastCopies(sequence);
  std::vector<std::int32_t> copies;
  std::vector<std::int32_t> keys;
  for (std::int64_t query = 0; query < sequence.tokens(); ++query) {
    keys.clear();
    CopiesOf(static_cast<std::size_t>(query), last, &copies);
    for (const std::int32_t copy : copies) {
      const std::int32_t key = copy + after;
      if (key < query && Sees(rule, sequence, query, key)) {
        keys.push_back(key);
      }
    }
    if (!keys.empty()) {
      targets.Add(query, keys);
    }
  }
  return ShuffleDistances(sequence, rule, targets);
}

TargetRows ShuffleDistances(const ProbeSequence& sequence,
                            const AttentionRule& rule,
                            const TargetRows& rows) {
  TargetRows shuffled;
  shuffled.Reserve(static_cast<std::int64_t>(rows.size()));
  std::vector<std::int32_t> control;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const TargetRows::Row row = rows[i];
    control.clear();
    // The first row after it, around the end, whose distances lead to a wrong token that it sees.
    for (std::size_t step = 1; step < rows.size() && control.empty(); ++step) {
      const std::size_t place = i + step;
      const TargetRows::Row other = rows[place < rows.size() ? place : place - rows.size()];
      for (const std::int32_t key : other.keys) {
        const std::int64_t wrong = row.query - (other.query - key);
        if (wrong >= 0 && Sees(rule, sequence, row.query, wrong) &&
            !std::ranges::binary_search(row.keys, static_cast<std::int32_t>(wrong))) {
          control.push_back(static_cast<std::int32_t>(wrong));
        }
      }
    }
    std::ranges::sort(control);
    shuffled.Add(row.query, row.keys, control, row.qualifies);
  }
  return shuffled;
}

void TargetRows::Add(std::int64_t query, Keys keys, Keys control, bool qualifies) {
  keys_.insert(keys_.end(), keys.begin(), keys.end());
  controls_.insert(controls_.end(), control.begin(), control.end());
  rows_.push_back({static_cast<std::int32_t>(query),
                   static_cast<std::uint32_t>(keys_.size()),
                   static_cast<std::uint32_t>(controls_.size()),
                   qualifies});
}

void TargetRows::Reserve(std::int64_t rows) {
  rows_.reserve(static_cast<std::size_t>(rows));
  keys_.reserve(static_cast<std::size_t>(rows));
}

}  // namespace headscope
