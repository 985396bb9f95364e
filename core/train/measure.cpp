#include "core/train/measure.h"

#include <algorithm>
#include <cmath>

#include "core/attention/row_divergence.h"
#include "core/base/stop.h"

namespace headscope {
namespace {

constexpr std::int64_t kHeldOutRows = 64;
constexpr std::int64_t kDivergenceRows = 8;  // of held-out rows, which are long

void KeepLeast(double score, double* least) {
  *least = std::min(*least, score);
}

std::array<double, 4> AccuracyOf(const TrainBatch& batch, std::span<const std::uint8_t> right) {
  std::array<double, 4> hits = {};
  std::array<double, 4> cases = {};
  for (std::size_t i = 0; i < batch.kinds.size(); ++i) {
    if (batch.kinds[i] != TargetKind::kNone) {
      const auto kind = static_cast<std::size_t>(batch.kinds[i]);
      hits[kind] += static_cast<double>(right[i]);
      cases[kind] += 1.0;
    }
  }
  for (std::size_t kind = 0; kind < hits.size(); ++kind) {
    hits[kind] /= std::max(1.0, cases[kind]);
  }
  return hits;
}

// Mean over rows that see two keys or more.
double MapDivergence(std::span<const float> one, std::span<const float> two, std::int64_t length) {
  double sum = 0.0;
  for (std::int64_t query = 1; query < length; ++query) {
    sum += RowDivergence(one.data() + query * length, two.data() + query * length, query + 1);
  }
  return sum / static_cast<double>(length - 1);
}

}  // namespace

TrainMeter::TrainMeter(const TrainSettings& settings) : network_(settings.shape) {
  for (const ScoredRepeats& scored : MakeScoredRepeats(settings)) {
    Repeats repeats{.period = scored.period, .batch = {}};
    for (std::vector<std::int32_t> row : scored.rows) {
      row.push_back(0);  // nobody reads the last target
      AddTrainRow(row, &repeats.batch);
    }
    repeats_.push_back(std::move(repeats));
  }
  if (settings.task == TrainTask::kMixture && CheckTask(settings)) {
    held_out_ = MakeHeldOut(settings, kHeldOutRows);
  }
}

void TrainMeter::AddScores(const Repeats& repeats, TrainMeasures* measures) const {
  const TrainShape& shape = network_.layout().shape;
  const std::int64_t period = repeats.period;
  const std::int64_t length = 1 + 2 * period;
  for (std::int64_t layer = 0; layer < shape.layers; ++layer) {
    for (std::int64_t head = 0; head < shape.heads; ++head) {
      double previous = 0.0;
      double duplicate = 0.0;
      double induction = 0.0;
      for (std::int64_t row = 0; row < kScoredSequences; ++row) {
        const std::span<const float> map = network_.Map(row, layer, head);
        const auto weight = [&](std::int64_t query, std::int64_t key) {
          return static_cast<double>(map[static_cast<std::size_t>(query * length + key)]);
        };
        for (std::int64_t query = 1; query < length; ++query) {
          previous += weight(query, query - 1);
        }
        for (std::int64_t query = period + 1; query < length; ++query) {
          duplicate += weight(query, query - period);
          induction += weight(query, query - period + 1);
        }
      }
      const auto l = static_cast<std::size_t>(layer);
      const auto h = static_cast<std::size_t>(head);
      const double copies = static_cast<double>(kScoredSequences * period);
      KeepLeast(previous / static_cast<double>(kScoredSequences * 2 * period),
                &measures->previous_token[l][h]);
      KeepLeast(duplicate / copies, &measures->duplicate_token[l][h]);
      KeepLeast(induction / copies, &measures->induction[l][h]);
    }
  }
}

// Of many heads it takes tens of milliseconds.
Status TrainMeter::SetDivergence(std::int64_t rows,
                                 const std::stop_token& stop,
                                 TrainMeasures* measures) const {
  const TrainShape& shape = network_.layout().shape;
  measures->divergence.assign(static_cast<std::size_t>(shape.layers), std::nullopt);
  const double pairs = static_cast<double>(shape.heads * (shape.heads - 1) / 2 * rows);
  for (std::int64_t layer = 0; layer < shape.layers && shape.heads > 1; ++layer) {
    double sum = 0.0;
    for (std::int64_t row = 0; row < rows; ++row) {
      for (std::int64_t head = 0; head < shape.heads; ++head) {
        const std::span<const float> one = network_.Map(row, layer, head);
        const auto length = std::llround(std::sqrt(static_cast<double>(one.size())));
        HEADSCOPE_TRY(CheckStop(stop));
        for (std::int64_t other = 0; other < head; ++other) {
          sum += MapDivergence(one, network_.Map(row, layer, other), length);
        }
      }
    }
    measures->divergence[static_cast<std::size_t>(layer)] = sum / pairs;
  }
  return {};
}

const TrainBatch* TrainMeter::LastBatch() const {
  return held_out_ ? &*held_out_ : repeats_.empty() ? nullptr : &repeats_.back().batch;
}

std::span<const std::int32_t> TrainMeter::shown_ids() const {
  const TrainBatch* batch = LastBatch();
  return batch == nullptr
             ? std::span<const std::int32_t>()
             : std::span(batch->ids).first(static_cast<std::size_t>(batch->lengths.front()));
}

std::vector<float> TrainMeter::ShownMaps(std::int64_t layer) const {
  std::vector<float> maps;
  for (std::int64_t head = 0; head < network_.layout().shape.heads && LastBatch() != nullptr;
       ++head) {
    const std::span<const float> map = network_.Map(0, layer, head);
    maps.insert(maps.end(), map.begin(), map.end());
  }
  return maps;
}

Result<TrainMeasures> TrainMeter::Measure(std::span<const float> weights,
                                          const std::stop_token& stop) {
  const TrainShape& shape = network_.layout().shape;
  TrainMeasures measures;
  if (!repeats_.empty()) {
    const HeadTable all(static_cast<std::size_t>(shape.layers),
                        std::vector<double>(static_cast<std::size_t>(shape.heads), 1.0));
    measures.previous_token = measures.induction = measures.duplicate_token = all;
  }
  for (const Repeats& repeats : repeats_) {
    HEADSCOPE_TRY(network_.Forward(weights, repeats.batch, stop));
    AddScores(repeats, &measures);
  }
  if (held_out_) {
    HEADSCOPE_TRY(network_.Forward(weights, *held_out_, stop));
    measures.accuracy = AccuracyOf(*held_out_, network_.right());
    HEADSCOPE_TRY(SetDivergence(kDivergenceRows, stop, &measures));
  } else if (!repeats_.empty()) {
    HEADSCOPE_TRY(SetDivergence(kScoredSequences, stop, &measures));
  }
  return measures;
}

}  // namespace headscope
