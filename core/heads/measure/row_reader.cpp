#include "core/heads/measure/row_reader.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <utility>

#include "core/base/check.h"
#include "core/heads/probe/target.h"

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

// How many of the largest weights lie on the cells: equal ones have a part each. In place of sums.
void SumRates(const HeadLanes& lanes,
              std::span<const LanePeaks> peaks,
              std::span<const LaneCell> cells,
              LaneFound* found) {
  std::ranges::copy(found->peaks, found->sums);
  for (const LaneCell& cell : cells) {
    const LanePeaks& peak = peaks[Size(cell.query - lanes.query_begin())];
    if (std::ranges::all_of(peak.equals, [](std::int32_t equals) { return equals <= 1; })) {
      continue;
    }
    const float* const own = lanes.Cells(cell.query) + cell.key * kLanesOfGroup;
    const LaneRow& row = lanes.rows()[Size(cell.query - lanes.query_begin())];
    for (std::int64_t lane = 0; lane < kLanesOfGroup; ++lane) {
      if (own[lane] == peak.most[lane]) {
        found->sums[lane] += 1.0 / static_cast<double>(peak.equals[lane]) -
                             (peak.cell[lane] == cell.key - row.first ? 1.0 : 0.0);
      }
    }
  }
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
  rooms_.resize(heads_ / Size(kLanesOfGroup) + 1);
  kept_.resize(keeps_.size());
}

AttentionObserver* RowReader::BeginLayer(LayerId layer) {
  layer_ = Size(layer.layer);
  begun_ = 0;
  return this;
}

// A control has the targets of the sequence before it. In cross-attention, rows are held against the
// control only where its source has another token.
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
  facts.cells.reserve(Size(kCellsOfRow * probe.tokens()));
  const auto add = [&](std::int64_t query, TargetRows::Keys keys) {
    for (const std::int32_t key : keys) {
      facts.cells.push_back({static_cast<std::int32_t>(query), key});
    }
    return facts.cells.size();
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
    asked.keys.begin = asked.keys.end = facts.cells.size();
    for (std::size_t i = 0; i < rows.size() && !is_control; ++i) {
      if (const TargetRows::Row row = rows[i]; row.qualifies) {
        asked.keys.end = add(row.query, row.keys);
        ++asked.rows;
      }
    }
    asked.control.begin = asked.control.end = facts.cells.size();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const TargetRows::Row row = rows[i];
      const TargetRows::Keys control = is_control ? row.keys : row.control;
      asked.control.end = add(row.query, control);
      asked.control_rows += control.empty() ? 0 : 1;
    }
  }
  for (std::size_t metric = 0; metric < metrics.size(); ++metric) {
    const Asked& asked = facts.asked[metric];
    if (asked.rows > 0 || asked.control.begin < asked.control.end) {
      facts.metrics.push_back(metric);
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
      const auto [query, key] = facts.cells[i];
      const std::int64_t first = rule.FirstVisible(query);
      const std::int64_t last = rule.LastVisible(query, keys);
      asked.chance += key >= first && key < last ? 1.0 / static_cast<double>(last - first) : 0.0;
    }
  }
}

void RowReader::OnProjections(const AttentionProjections& projections) {
  HEADSCOPE_CHECK(begun_ < batch_.size() && Size(projections.shape.heads) == heads_ &&
                      projections.shape.queries == batch_[begun_]->tokens() &&
                      projections.shape.keys == KeysOf(begun_),
                  "the batch is what is run");
  if (begun_ > 0 && !IsControl(batch_, begun_)) {
    FinishSequence();
  }
  if (begun_ == 0 || !IsControl(batch_, begun_)) {
    tallies_.assign(sums_.size() * heads_, {});
  }
  if (is_first_layer_) {
    CollectTargets(begun_, projections.rule.causal);
  }
  // It is the same in every layer but for windows.
  if (is_first_layer_ || projections.rule.LeavesKeysOut() || had_window_) {
    MeasureChance(begun_, projections.rule, projections.shape.keys);
  }
  rule_ = projections.rule;
  ++begun_;
}

void RowReader::OnBlock(const AttentionBlock& block) {
  LaneReader* const self = this;
  ReadInLanes(block, rule_, {&self, 1}, &lanes_);
}

// Returns those of the cells, sorted by row, whose rows are in `lanes`.
RowReader::Range RowReader::Within(const Range& range, const HeadLanes& lanes) const {
  if (lanes.query_begin() == 0 && lanes.query_end() == batch_[begun_ - 1]->tokens()) {
    return range;
  }
  const auto cells =
      std::span(facts_[begun_ - 1].cells).subspan(range.begin, range.end - range.begin);
  const auto before = [&](std::int64_t query) {
    return range.begin +
           Size(std::ranges::lower_bound(cells, query, {}, &LaneCell::query) - cells.begin());
  };
  return {before(lanes.query_begin()), before(lanes.query_end())};
}

void RowReader::TakeCounted(const HeadLanes& lanes, Room* room) const {
  const std::vector<std::int64_t>& counted = facts_[begun_ - 1].counted;
  room->counted.clear();
  room->counted_peaks.clear();
  for (auto query = std::ranges::lower_bound(counted, lanes.query_begin());
       query != counted.end() && *query < lanes.query_end();
       ++query) {
    const std::size_t place = Size(*query - lanes.query_begin());
    room->counted.push_back(lanes.rows()[place]);
    room->counted.back().query +=
        static_cast<std::int32_t>(PlaceOf(*query)) - static_cast<std::int32_t>(*query);
    room->counted_peaks.push_back(room->peaks[place]);
  }
}

void RowReader::OnLanes(const HeadLanes& lanes) {
  const std::span<const HeadMetric> metrics = AllMetrics();
  const Facts& facts = facts_[begun_ - 1];
  Room& room = rooms_[Size(lanes.group() / kLanesOfGroup)];
  room.peaks.resize(lanes.rows().size());
  FindPeaks(lanes.rows(), room.peaks);
  TakeCounted(lanes, &room);
  const auto first = Size(lanes.lane_begin());
  const auto last = Size(lanes.lane_end());
  for (const std::size_t metric : facts.metrics) {
    const Asked& asked = facts.asked[metric];
    Tally* const tallies = tallies_.data() + metric * heads_ + Size(lanes.group());
    if (metrics[metric].sum) {
      LaneSums sums = {};
      metrics[metric].sum(room.counted, room.counted_peaks, sums);
      for (std::size_t lane = first; lane < last; ++lane) {
        tallies[lane].score += sums[lane];
      }
      continue;
    }
    const auto cells_of = [&](const Range& all) {
      const Range range = Within(all, lanes);
      return std::span(facts.cells).subspan(range.begin, range.end - range.begin);
    };
    const auto keys = cells_of(asked.keys);
    const auto control = cells_of(asked.control);
    LaneFound on_keys = {};
    LaneFound on_control = {};
    FindCells(lanes, room.peaks, keys, &on_keys);
    FindCells(lanes, room.peaks, control, &on_control);
    if (metrics[metric].is_rate) {
      SumRates(lanes, room.peaks, keys, &on_keys);
      SumRates(lanes, room.peaks, control, &on_control);
    }
    for (std::size_t lane = first; lane < last; ++lane) {
      tallies[lane].score += on_keys.sums[lane];
      tallies[lane].control += on_control.sums[lane];
      tallies[lane].hits += static_cast<double>(on_keys.peaks[lane]);
    }
  }
}

// Adds the tallies of the last sequence that was begun, and of its control where it has one.
void RowReader::FinishSequence() {
  const std::size_t last = begun_ - 1;
  const std::size_t sequence = IsControl(batch_, last) ? last - 1 : last;
  const std::span<const HeadMetric> metrics = AllMetrics();
  for (std::size_t metric = 0; metric < metrics.size(); ++metric) {
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
    if (sequence < keeps_.size() && keeps_[sequence] && !metrics[metric].role.empty()) {
      Keep(sequence, metric, control_rows);
    }
    const double chance = facts_[sequence].asked[metric].chance;
    const double part = 1.0 / static_cast<double>(rows);
    const double control_part = control_rows > 0 ? 1.0 / static_cast<double>(control_rows) : 0.0;
    const double even = chance * part;
    const bool is_place = metrics[metric].is_place;
    const Tally* const tallies = tallies_.data() + metric * heads_;
    HeadSums* const of_heads = sums.heads.data() + layer_ * heads_;
    for (std::size_t head = 0; head < heads_; ++head) {
      const Tally& tally = tallies[head];
      const double mean = tally.score * part;
      const double control = control_rows > 0 ? tally.control * control_part : even;
      // For a metric of places it is the control that must lie above chance.
      const double lift = is_place ? control - even : mean - control;
      const double above = mean - even;
      AddMembers({.score = tally.score,
                  .control = tally.control,
                  .hits = tally.hits,
                  .chance = chance,
                  .mean = mean,
                  .mean_square = mean * mean,
                  .difference = lift,
                  .difference_square = lift * lift,
                  .above_chance = above,
                  .above_chance_square = above * above},
                 &of_heads[head]);
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
  if (kept.metrics.empty()) {
    kept.metrics.reserve(facts_[sequence].metrics.size());
  }
  SequenceMeans::Metric& to = is_new ? kept.metrics.emplace_back() : *found;
  if (is_new) {
    to.metric = metric;
    to.rows = asked.rows;
    to.control_rows = control_rows;
    to.score.resize(layers_ * heads_);
    to.control.resize(control_rows > 0 ? layers_ * heads_ : 0);
  }
  const double part = 1.0 / rows;
  const double control_part = control_rows > 0 ? 1.0 / static_cast<double>(control_rows) : 0.0;
  const auto even = static_cast<float>(asked.chance * part);
  const Tally* const tallies = tallies_.data() + metric * heads_;
  const std::size_t first = layer_ * heads_;
  // One number as long as it is the same for all.
  if (is_new) {
    to.chance.assign(1, even);
  } else if (to.chance.size() == 1 && to.chance.front() != even) {
    to.chance.resize(layers_ * heads_, to.chance.front());
  }
  for (std::size_t head = 0; head < heads_; ++head) {
    to.score[first + head] = static_cast<float>(tallies[head].score * part);
    if (!to.control.empty()) {
      to.control[first + head] = static_cast<float>(tallies[head].control * control_part);
    }
    if (to.chance.size() > 1) {
      to.chance[first + head] = even;
    }
  }
}

std::vector<SequenceMeans> RowReader::TakeSequences() {
  std::vector<SequenceMeans> taken;
  for (SequenceMeans& one : kept_) {
    for (SequenceMeans::Metric& metric : one.metrics) {
      for (std::vector<float>* const each : {&metric.control, &metric.chance}) {
        if (each->size() > 1 &&
            std::ranges::adjacent_find(*each, std::not_equal_to<>()) == each->end()) {
          each->resize(1);
          each->shrink_to_fit();
        }
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
  had_window_ = rule_.LeavesKeysOut();
  return {};
}

}  // namespace headscope
