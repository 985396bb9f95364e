#include "core/heads/row_reader.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <utility>

#include "core/base/check.h"
#include "core/heads/probe_target.h"
#include "core/heads/worth_threads.h"

namespace headscope {
namespace {

constexpr std::int64_t kCellsOfRow = 20;  // that metrics ask for, of most texts

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
                     std::span<const ProbeSequence* const> sources,
                     std::vector<bool> keeps)
    : batch_(batch),
      sources_(sources),
      layers_(Size(layers)),
      heads_(Size(heads)),
      keeps_(std::move(keeps)) {
  HEADSCOPE_CHECK(!batch.empty() && !batch[0]->is_control, "a control follows its sequence");
  const std::size_t metrics = AllMetrics().size();
  sums_.assign(metrics, GroupSums(groups));
  for (GroupSums& metric : sums_) {
    for (MetricSums& group : metric) {
      group.heads.resize(layers_ * heads_);
    }
  }
  facts_.resize(batch.size());
  kept_.resize(keeps_.size());
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
  if (!metric.has_control_sequences || !IsControl(batch_, measured + 1)) {
    return found;
  }
  const std::vector<std::int32_t>& target = batch_[measured + 1]->ids;
  const std::vector<std::int32_t>& source = sources_[measured + 1]->ids;
  TargetRows others;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const TargetRows::Row row = found[i];
    if (target[Size(row.query)] != source[Size(PlaceInSource(row.query))]) {
      others.Add(row.query, row.keys, row.control, row.qualifies);
    }
  }
  return others;
}

// What each metric asks of each row. Windows only mask keys: rows and keys are those without one.
void RowReader::CollectTargets(std::size_t sequence, bool causal) {
  const std::span<const HeadMetric> metrics = AllMetrics();
  const ProbeSequence& probe = *batch_[sequence];
  const bool is_control = probe.is_control;
  AttentionRule rule;
  rule.causal = causal;
  Facts& facts = facts_[sequence];
  facts.asked.resize(metrics.size());
  const std::int64_t keys_of_row = KeysOf(sequence);
  facts.cells.query.reserve(Size(kCellsOfRow * probe.tokens()));
  facts.cells.place.reserve(Size(kCellsOfRow * probe.tokens()));
  const auto add = [&](std::int64_t query, TargetRows::Keys keys) {
    for (const std::int32_t key : keys) {
      facts.cells.query.push_back(static_cast<std::int32_t>(query));
      facts.cells.place.push_back(query * keys_of_row + key);
    }
    return facts.cells.place.size();
  };
  for (std::int64_t query = 1; query < probe.tokens() && !is_control; ++query) {
    if (probe.special[Size(query)] == 0) {
      facts.counted.push_back(query);
    }
  }
  for (std::size_t metric = 0; metric < metrics.size(); ++metric) {
    Asked& asked = facts.asked[metric];
    if (metrics[metric].sum) {
      asked.rows = std::ssize(facts.counted);
      continue;
    }
    if (!HasTargets(metrics[metric]) || (is_control && !metrics[metric].has_control_sequences)) {
      continue;
    }
    const TargetRows rows = TargetsOf(metrics[metric], sequence, rule);
    asked.keys.begin = asked.keys.end = facts.cells.place.size();
    for (std::size_t i = 0; i < rows.size() && !is_control; ++i) {
      if (const TargetRows::Row row = rows[i]; row.qualifies) {
        asked.keys.end = add(row.query, row.keys);
        ++asked.rows;
      }
    }
    asked.control.begin = asked.control.end = facts.cells.place.size();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const TargetRows::Row row = rows[i];
      const TargetRows::Keys control = is_control ? row.keys : row.control;
      asked.control.end = add(row.query, control);
      asked.control_rows += control.empty() ? 0 : 1;
    }
  }
}

void RowReader::MeasureChance(std::size_t sequence, const AttentionRule& rule, std::int64_t keys) {
  const std::span<const HeadMetric> metrics = AllMetrics();
  Facts& facts = facts_[sequence];
  for (std::size_t metric = 0; metric < metrics.size(); ++metric) {
    Asked& asked = facts.asked[metric];
    asked.chance = 0.0;
    if (metrics[metric].sum) {
      for (const std::int64_t query : facts.counted) {
        const std::int64_t first = rule.FirstVisible(query);
        const std::int64_t count = rule.LastVisible(query, keys) - first;
        asked.chance += metrics[metric].even(PlaceOf(query), first, count);
      }
    }
    for (std::size_t i = asked.keys.begin; i < asked.keys.end; ++i) {
      const std::int64_t query = facts.cells.query[i];
      const std::int64_t key = facts.cells.place[i] - query * keys;
      const std::int64_t first = rule.FirstVisible(query);
      const std::int64_t last = rule.LastVisible(query, keys);
      asked.chance += key >= first && key < last ? 1.0 / static_cast<double>(last - first) : 0.0;
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
    MeasureChance(begun_, rule, shape.keys);
  }
  rule_ = rule;
  ++begun_;
}

// What is the same of a block for each of its heads.
void RowReader::PlaceRows(const AttentionBlock& block) {
  const Facts& facts = facts_[begun_ - 1];
  places_.clear();
  for (std::int64_t query = block.query_begin; query < block.query_end; ++query) {
    const std::int64_t first = rule_.FirstVisible(query);
    const std::int64_t last = std::max(rule_.LastVisible(query, block.keys), first);
    places_.push_back({(query - block.query_begin) * block.keys + first,
                       static_cast<std::int32_t>(last - first),
                       static_cast<std::int32_t>(PlaceOf(query) - first)});
  }
  counted_.clear();
  counted_places_.clear();
  const auto begin = std::ranges::lower_bound(facts.counted, block.query_begin);
  for (auto query = begin; query != facts.counted.end() && *query < block.query_end; ++query) {
    counted_.push_back(Size(*query - block.query_begin));
    counted_places_.push_back(places_[counted_.back()]);
  }
  const bool is_whole = block.query_begin == 0 && block.query_end == batch_[begun_ - 1]->tokens();
  const auto within = [&](const Range& range) {
    if (is_whole) {
      return range;
    }
    const auto rows = std::span(facts.cells.query).subspan(range.begin, range.end - range.begin);
    const auto before = [&](std::int64_t query) {
      return range.begin + Size(std::ranges::lower_bound(rows, query) - rows.begin());
    };
    return Range{before(block.query_begin), before(block.query_end)};
  };
  reads_.clear();
  for (std::size_t metric = 0; metric < facts.asked.size(); ++metric) {
    const Asked& asked = facts.asked[metric];
    if (asked.rows > 0 || asked.control.begin < asked.control.end) {
      reads_.push_back({metric, within(asked.keys), within(asked.control)});
    }
  }
  const std::size_t heads = Size(block.head_end - block.head_begin);
  peaks_.resize(heads * places_.size());
  counted_peaks_.resize(heads * counted_.size());
}

void RowReader::OnBlock(const AttentionBlock& block) {
  PlaceRows(block);
  const bool is_worth_threads = IsWorthThreads(std::ssize(block.weights));
#pragma omp parallel for schedule(static) if (is_worth_threads)
  for (std::int64_t head = block.head_begin; head < block.head_end; ++head) {
    ReadHead(block, head);
  }
}

void RowReader::ReadHead(const AttentionBlock& block, std::int64_t head) {
  const std::span<const HeadMetric> metrics = AllMetrics();
  const std::span<Tally> tallies =
      std::span(tallies_).subspan(Size(head) * metrics.size(), metrics.size());
  const std::size_t place = Size(head - block.head_begin);
  const std::int64_t map = std::ssize(places_) * block.keys;
  const auto weights = block.weights.subspan(place * Size(map));
  const std::span<Peak> peaks = std::span(peaks_).subspan(place * places_.size(), places_.size());
  FindPeaks({weights, places_}, peaks);
  const std::span<Peak> counted =
      std::span(counted_peaks_).subspan(place * counted_.size(), counted_.size());
  for (std::size_t i = 0; i < counted_.size(); ++i) {
    counted[i] = peaks[counted_[i]];
  }
  const bool has_ties =
      std::ranges::any_of(peaks, [](const Peak& peak) { return peak.equals > 1; });
  for (const Read& read : reads_) {
    const HeadMetric& metric = metrics[read.metric];
    Tally& tally = tallies[read.metric];
    if (metric.sum) {
      tally.score += counted.empty() ? 0.0 : metric.sum({weights, counted_places_}, counted);
      continue;
    }
    const Found on_keys = Find(read.keys, block, weights, peaks);
    const Found on_control = Find(read.control, block, weights, peaks);
    const auto rate = [&](const Range& range, const Found& found) {
      return has_ties ? Rate(range, block, weights, peaks) : static_cast<double>(found.peaks);
    };
    tally.score += metric.is_rate ? rate(read.keys, on_keys) : on_keys.sum;
    tally.control += metric.is_rate ? rate(read.control, on_control) : on_control.sum;
    tally.hits += static_cast<double>(on_keys.peaks);
  }
}

// Cells that are masked are 0.
RowReader::Found RowReader::Find(const Range& range,
                                 const AttentionBlock& block,
                                 std::span<const float> weights,
                                 std::span<const Peak> peaks) const {
  const Cells& cells = facts_[begun_ - 1].cells;
  const std::int32_t* const query = cells.query.data();
  const std::int64_t* const place = cells.place.data();
  const std::int64_t first = block.query_begin * block.keys;
  const auto first_query = static_cast<std::int32_t>(block.query_begin);
  constexpr std::size_t kSums = 4;  // side by side: one alone would wait for itself
  double sums[kSums] = {};
  std::int64_t on_peaks[kSums] = {};
  const auto add = [&](std::size_t at, std::size_t to) {
    const std::int64_t cell = place[at] - first;
    sums[to] += static_cast<double>(weights[Size(cell)]);
    on_peaks[to] += peaks[static_cast<std::size_t>(query[at] - first_query)].cell == cell ? 1 : 0;
  };
  std::size_t i = range.begin;
  for (; i + kSums <= range.end; i += kSums) {
    add(i, 0);
    add(i + 1, 1);
    add(i + 2, 2);
    add(i + 3, 3);
  }
  for (; i < range.end; ++i) {
    add(i, 0);
  }
  return {sums[0] + sums[1] + sums[2] + sums[3],
          on_peaks[0] + on_peaks[1] + on_peaks[2] + on_peaks[3]};
}

// How many of the largest weights lie on the cells: equal ones have a part each.
double RowReader::Rate(const Range& range,
                       const AttentionBlock& block,
                       std::span<const float> weights,
                       std::span<const Peak> peaks) const {
  const Cells& cells = facts_[begun_ - 1].cells;
  double sum = 0.0;
  for (std::size_t i = range.begin; i < range.end; ++i) {
    const Peak& peak = peaks[Size(cells.query[i] - block.query_begin)];
    const std::int64_t cell = cells.place[i] - block.query_begin * block.keys;
    sum += weights[Size(cell)] == peak.most ? 1.0 / static_cast<double>(peak.equals) : 0.0;
  }
  return sum;
}

// Adds the tallies of the last sequence that was begun, and of its control where it has one.
void RowReader::FinishSequence() {
  const std::size_t last = begun_ - 1;
  const std::size_t sequence = IsControl(batch_, last) ? last - 1 : last;
  for (std::size_t metric = 0; metric < AllMetrics().size(); ++metric) {
    const std::int64_t rows = facts_[sequence].asked[metric].rows;
    if (rows == 0) {
      continue;
    }
    std::int64_t control_rows = facts_[sequence].asked[metric].control_rows;
    control_rows += last == sequence ? 0 : facts_[last].asked[metric].control_rows;
    MetricSums& sums = sums_[metric][batch_[sequence]->group];
    if (is_first_layer_) {
      sums.rows += rows;
      sums.control_rows += control_rows;
      ++sums.sequences;
    }
    if (sequence < keeps_.size() && keeps_[sequence] && !AllMetrics()[metric].role.empty()) {
      Keep(sequence, metric, control_rows);
    }
    const double chance = facts_[sequence].asked[metric].chance;
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

// What the sequence by itself has, of the layer that ends.
void RowReader::Keep(std::size_t sequence, std::size_t metric, std::int64_t control_rows) {
  SequenceMeans& kept = kept_[sequence];
  kept.place = sequence;
  kept.group = batch_[sequence]->group;
  const Asked& asked = facts_[sequence].asked[metric];
  const auto rows = static_cast<double>(asked.rows);
  const auto found = std::ranges::find(kept.metrics, metric, &SequenceMeans::Metric::metric);
  const bool is_new = found == kept.metrics.end();
  SequenceMeans::Metric& to = is_new ? kept.metrics.emplace_back() : *found;
  if (is_new) {
    to.metric = metric;
    to.rows = asked.rows;
    to.control_rows = control_rows;
    to.chance = AllMetrics()[metric].is_place ? static_cast<float>(asked.chance / rows) : 0.0F;
    to.score.resize(layers_ * heads_);
    to.control.resize(layers_ * heads_);
  }
  for (std::size_t head = 0; head < heads_; ++head) {
    const Tally& tally = tallies_[head * AllMetrics().size() + metric];
    const std::size_t place = layer_ * heads_ + head;
    to.score[place] = static_cast<float>(tally.score / rows);
    to.control[place] = static_cast<float>(
        control_rows > 0 ? tally.control / static_cast<double>(control_rows) : asked.chance / rows);
  }
}

std::vector<SequenceMeans> RowReader::TakeSequences() {
  std::vector<SequenceMeans> taken;
  for (SequenceMeans& one : kept_) {
    for (SequenceMeans::Metric& metric : one.metrics) {
      if (std::ranges::adjacent_find(metric.control, std::not_equal_to<>()) ==
          metric.control.end()) {
        metric.control.resize(1);
        metric.control.shrink_to_fit();
      }
    }
    if (!one.metrics.empty()) {
      taken.push_back(std::move(one));
    }
  }
  kept_.clear();
  return taken;
}

Status RowReader::EndLayer(LayerId /*layer*/) {
  FinishSequence();
  is_first_layer_ = false;
  had_window_ = rule_.window > 0;
  return {};
}

}  // namespace headscope
