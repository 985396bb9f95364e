#include "core/heads/row_reader.h"

#include <algorithm>
#include <cstddef>

#include "core/base/check.h"
#include "core/heads/probe_target.h"
#include "core/heads/worth_threads.h"

namespace headscope {
namespace {

std::size_t Size(std::int64_t count) {
  return static_cast<std::size_t>(count);
}

// Whether it is the control of the sequence before it.
bool IsControl(std::span<const ProbeSequence* const> batch, std::size_t sequence) {
  return sequence < batch.size() && batch[sequence]->is_control;
}

}  // namespace

RowReader::RowReader(std::span<const ProbeSequence* const> batch,
                     std::size_t groups,
                     std::int64_t layers,
                     std::int64_t heads,
                     std::span<const ProbeSequence* const> sources)
    : batch_(batch), sources_(sources), layers_(Size(layers)), heads_(Size(heads)) {
  HEADSCOPE_CHECK(!batch.empty() && !batch[0]->is_control, "a control follows its sequence");
  const std::size_t metrics = AllMetrics().size();
  sums_.assign(metrics, GroupSums(groups));
  for (GroupSums& metric : sums_) {
    for (MetricSums& group : metric) {
      group.heads.resize(layers_ * heads_);
    }
  }
  facts_.resize(batch.size());
}

AttentionObserver* RowReader::BeginLayer(LayerId layer) {
  layer_ = Size(layer.layer);
  begun_ = 0;
  return this;
}

// Of a control what is measured of the sequence before it. Of cross-attention a row that is held
// against the control is one whose token is another than the control's source has there.
TargetRows RowReader::TargetsOf(const HeadMetric& metric,
                                std::size_t sequence,
                                const AttentionRule& rule) const {
  const std::size_t measured = batch_[sequence]->is_control ? sequence - 1 : sequence;
  if (!is_cross()) {
    return metric.targets(*batch_[measured], rule);
  }
  TargetRows found = metric.cross_targets(*batch_[measured], *sources_[measured]);
  if (metric.has_control_sequences && IsControl(batch_, measured + 1)) {
    const std::vector<std::int32_t>& target = batch_[measured + 1]->ids;
    const std::vector<std::int32_t>& source = sources_[measured + 1]->ids;
    std::erase_if(found.rows, [&](const TargetRows::Row& row) {
      return target[Size(row.query)] == source[Size(PlaceInSource(row.query))];
    });
  }
  return found;
}

// What each metric asks of each row. Windows only mask keys: rows and keys are those without one.
void RowReader::CollectTargets(std::size_t sequence, bool causal) {
  const std::span<const HeadMetric> metrics = AllMetrics();
  const ProbeSequence& probe = *batch_[sequence];
  const bool is_control = probe.is_control;
  AttentionRule rule;
  rule.causal = causal;
  Facts& facts = facts_[sequence];
  facts.targets.resize(metrics.size());
  facts.items.resize(Size(probe.tokens()));
  facts.rows.assign(metrics.size(), 0);
  facts.control_rows.assign(metrics.size(), 0);
  facts.chance.assign(metrics.size(), 0.0);
  for (std::size_t metric = 0; metric < metrics.size(); ++metric) {
    if (is_control && !metrics[metric].has_control_sequences) {
      continue;
    }
    if (is_cross() ? metrics[metric].cross_targets != nullptr
                   : metrics[metric].targets != nullptr) {
      facts.targets[metric] = TargetsOf(metrics[metric], sequence, rule);
      for (const TargetRows::Row& row : facts.targets[metric].rows) {
        const bool is_rate = metrics[metric].is_rate;
        const Item item = is_control ? Item{metric, {}, row.keys, false, is_rate}
                                     : Item{metric, row.keys, row.control, row.qualifies, is_rate};
        RowItems& to = facts.items[Size(row.query)];
        if (item.qualifies && item.keys.size() == 1 && item.control.empty() && !is_rate) {
          to.ones.push_back({static_cast<std::int32_t>(metric), item.keys.front()});
        } else {
          to.items.push_back(item);
        }
        facts.rows[metric] += item.qualifies ? 1 : 0;
        facts.control_rows[metric] += item.control.empty() ? 0 : 1;
      }
    } else if (!is_control && metrics[metric].value) {
      for (std::int64_t query = 1; query < probe.tokens(); ++query) {
        if (probe.special[Size(query)] == 0) {
          facts.items[Size(query)].items.push_back(
              {.metric = metric, .qualifies = true, .is_value = true});
          ++facts.rows[metric];
        }
      }
    }
  }
}

void RowReader::MeasureChance(std::size_t sequence, const AttentionRule& rule) {
  const std::span<const HeadMetric> metrics = AllMetrics();
  const std::int64_t keys = KeysOf(sequence);
  Facts& facts = facts_[sequence];
  std::ranges::fill(facts.chance, 0.0);
  for (std::int64_t query = 0; query < batch_[sequence]->tokens(); ++query) {
    const std::int64_t first = rule.FirstVisible(query);
    const std::int64_t last = rule.LastVisible(query, keys);
    for (const One& one : facts.items[Size(query)].ones) {
      facts.chance[Size(one.metric)] +=
          one.key >= first && one.key < last ? 1.0 / static_cast<double>(last - first) : 0.0;
    }
    for (const Item& item : facts.items[Size(query)].items) {
      if (!item.qualifies) {
        continue;
      }
      if (item.is_value) {
        const std::int64_t place = is_cross() ? PlaceInSource(query) : query;
        facts.chance[item.metric] += metrics[item.metric].even(place, first, last - first);
      } else {
        const auto seen =
            std::ranges::count_if(item.keys, [&](auto key) { return key >= first && key < last; });
        facts.chance[item.metric] += static_cast<double>(seen) / static_cast<double>(last - first);
      }
    }
  }
}

void RowReader::OnProjections(const AttentionShape& shape,
                              const AttentionRule& rule,
                              std::span<const float> /*queries*/,
                              std::span<const float> /*keys*/,
                              std::span<const float> /*values*/) {
  HEADSCOPE_CHECK(begun_ < batch_.size() && Size(shape.heads) == heads_ &&
                      shape.queries == batch_[begun_]->tokens() && shape.keys == KeysOf(begun_),
                  "the batch is what is run");
  if (begun_ > 0 && !IsControl(batch_, begun_)) {
    FinishSequence();
  }
  if (begun_ == 0 || !IsControl(batch_, begun_)) {
    tallies_.assign(AllMetrics().size() * heads_, {});
  }
  if (is_first_layer_) {
    CollectTargets(begun_, rule.causal);
  }
  // It is the same in every layer but for windows.
  if (is_first_layer_ || rule.window > 0 || had_window_) {
    MeasureChance(begun_, rule);
  }
  rule_ = rule;
  ++begun_;
}

void RowReader::OnBlock(const AttentionBlock& block) {
  const std::int64_t rows = block.query_end - block.query_begin;
  const bool is_worth_threads = IsWorthThreads(std::ssize(block.weights));
#pragma omp parallel for schedule(static) if (is_worth_threads)
  for (std::int64_t head = block.head_begin; head < block.head_end; ++head) {
    const std::size_t metrics = AllMetrics().size();
    const std::span<Tally> tallies = std::span(tallies_).subspan(Size(head) * metrics, metrics);
    for (std::int64_t query = block.query_begin; query < block.query_end; ++query) {
      const RowItems& items = facts_[begun_ - 1].items[Size(query)];
      const std::int64_t first = rule_.FirstVisible(query);
      const std::int64_t last = rule_.LastVisible(query, block.keys);
      const std::int64_t place = (head - block.head_begin) * rows + query - block.query_begin;
      if (first < last && !(items.ones.empty() && items.items.empty())) {
        const std::span<const float> weights =
            block.weights.subspan(Size(place * block.keys + first), Size(last - first));
        ReadRow({is_cross() ? PlaceInSource(query) : query, first, weights}, items, tallies);
      }
    }
  }
}

void RowReader::ReadRow(const WeightRow& row,
                        const RowItems& items,
                        std::span<Tally> tallies) const {
  const auto top = row.first + static_cast<std::int64_t>(row.peak);
  const auto end = row.first + std::ssize(row.weights);
  const auto share = [&](std::span<const std::int32_t> keys) {
    double sum = 0.0;
    for (const std::int32_t key : keys) {
      sum += key >= row.first && key < end ? static_cast<double>(row.weights[Size(key - row.first)])
                                           : 0.0;
    }
    return sum;
  };
  // How much of the largest weight lies on the keys: equal ones have a part each.
  const auto peak = [&](std::span<const std::int32_t> keys) {
    const float most = row.weights[row.peak];
    const auto on_keys = std::ranges::count_if(keys, [&](std::int32_t key) {
      return key >= row.first && key < end && row.weights[Size(key - row.first)] == most;
    });
    return on_keys == 0 ? 0.0
                        : static_cast<double>(on_keys) /
                              static_cast<double>(std::ranges::count(row.weights, most));
  };
  const std::span<const HeadMetric> metrics = AllMetrics();
  for (const One& one : items.ones) {
    if (one.key >= row.first && one.key < end) {
      Tally& tally = tallies[Size(one.metric)];
      tally.score += static_cast<double>(row.weights[Size(one.key - row.first)]);
      tally.hits += one.key == top ? 1.0 : 0.0;
    }
  }
  for (const Item& item : items.items) {
    Tally& tally = tallies[item.metric];
    if (item.is_value) {
      tally.score += metrics[item.metric].value(row);
      continue;
    }
    tally.control += item.is_rate ? peak(item.control) : share(item.control);
    if (item.qualifies) {
      tally.score += item.is_rate ? peak(item.keys) : share(item.keys);
      tally.hits += std::ranges::binary_search(item.keys, static_cast<std::int32_t>(top)) ? 1 : 0;
    }
  }
}

// Adds the tallies of the last sequence that was begun, and of its control where it has one.
void RowReader::FinishSequence() {
  const std::size_t last = begun_ - 1;
  const std::size_t sequence = IsControl(batch_, last) ? last - 1 : last;
  for (std::size_t metric = 0; metric < AllMetrics().size(); ++metric) {
    const std::int64_t rows = facts_[sequence].rows[metric];
    if (rows == 0) {
      continue;
    }
    std::int64_t control_rows = facts_[sequence].control_rows[metric];
    control_rows += last == sequence ? 0 : facts_[last].control_rows[metric];
    MetricSums& sums = sums_[metric][batch_[sequence]->group];
    if (is_first_layer_) {
      sums.rows += rows;
      sums.control_rows += control_rows;
      ++sums.sequences;
    }
    const double chance = facts_[sequence].chance[metric];
    for (std::size_t head = 0; head < heads_; ++head) {
      const Tally& tally = tallies_[head * AllMetrics().size() + metric];
      HeadSums& to = sums.heads[layer_ * heads_ + head];
      const double mean = tally.score / static_cast<double>(rows);
      const double even = chance / static_cast<double>(rows);
      const double control =
          control_rows > 0 ? tally.control / static_cast<double>(control_rows) : even;
      // Of a place it is the control that must lie above chance.
      const double lift = AllMetrics()[metric].is_place ? control - even : mean - control;
      to.Add({.score = tally.score,
              .control = tally.control,
              .hits = tally.hits,
              .chance = chance,
              .mean = mean,
              .mean_square = mean * mean,
              .difference = lift,
              .difference_square = lift * lift});
    }
  }
}

Status RowReader::EndLayer(LayerId /*layer*/) {
  FinishSequence();
  is_first_layer_ = false;
  had_window_ = rule_.window > 0;
  return {};
}

}  // namespace headscope
