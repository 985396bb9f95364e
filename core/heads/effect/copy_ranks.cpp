// The part of CopyEffect that uses the whole vocabulary.
#include <algorithm>
#include <numeric>

#include "core/base/check.h"
#include "core/base/half.h"
#include "core/base/stop.h"
#include "core/compute/rows.h"
#include "core/heads/effect/column_matrix.h"
#include "core/heads/effect/copy_effect.h"

namespace headscope {
// Returns what the output matrix receives for each sample: [samples, e].
Result<std::vector<double>> CopyEffect::Moves(const std::vector<const Sample*>& samples,
                                              const std::stop_token& stop) const {
  std::vector<double> moves;
  std::int64_t layer = -1;
  ProjectionColumns output;
  for (const Sample* sample : samples) {
    if (sample->layer != layer) {  // they are sorted by layer
      layer = sample->layer;
      const LinearNeed& need = model_.description().layer[static_cast<std::size_t>(layer)].output;
      output = ReadColumns(model_, need, 0, ColumnCount(need));
    }
    HEADSCOPE_TRY(CheckStop(stop));
    const std::int64_t width = std::ssize(sample->context);
    std::vector<double> row(static_cast<std::size_t>(output.columns()));
    Eigen::VectorXd::Map(row.data(), output.columns()) =
        MatrixOf(output).middleCols(sample->head * width, width).cast<double>() *
        Eigen::VectorXf::Map(sample->context.data(), width).cast<double>();
    const std::vector<double> moved = path_.Through(layer, std::move(row));
    moves.insert(moves.end(), moved.begin(), moved.end());
  }
  return moves;
}

namespace {

// One sample on its pass through the vocabulary.
struct Standing {
  std::size_t sample = 0;
  double own = 0.0;        // effect on the attended token
  std::int64_t above = 0;  // other tokens so far
  std::int64_t below = 0;
  // True if it can no longer be among the most raised or the most lowered.
  [[nodiscard]] bool is_between() const {
    return above >= CopyEffect::kTop && below >= CopyEffect::kTop;
  }
};

}  // namespace

Status CopyEffect::CountRanks(const std::vector<const Sample*>& samples,
                              CopyRanks* ranks,
                              const std::stop_token& stop) {
  const TensorView& matrix = *model_.weights().Find(path_.layer().weight.name);
  const auto width = static_cast<std::size_t>(matrix.shape[1]);
  HEADSCOPE_TRY(const auto moves, Moves(samples, stop));
  const auto move = [&](std::size_t sample) {
    return std::span(moves).subspan(sample * width, width);
  };
  std::vector<Standing> standings;
  std::vector<float> row(width);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    ConvertToFloat(matrix, samples[i]->attended * matrix.shape[1], row);
    standings.push_back(
        {.sample = i, .own = std::inner_product(row.begin(), row.end(), move(i).begin(), 0.0)});
  }
  std::vector<float> asked;
  for (std::int64_t first = 0; first < matrix.shape[0] && !standings.empty();
       first += kTableRowsAtOnce) {
    HEADSCOPE_TRY(CheckStop(stop));
    const std::int64_t rows = std::min(kTableRowsAtOnce, matrix.shape[0] - first);
    asked.clear();
    for (const Standing& standing : standings) {
      const auto own = move(standing.sample);
      asked.insert(asked.end(), own.begin(), own.end());
    }
    HEADSCOPE_TRY(const auto logits, Multiply(RowsOf(matrix, first, rows), asked, stop));
    const float* from = logits.data();
    for (Standing& standing : standings) {
      const std::int64_t attended = samples[standing.sample]->attended - first;
      for (std::int64_t id = 0; id < rows; ++id) {
        const auto logit = static_cast<double>(from[id]);
        standing.above += id != attended && logit > standing.own ? 1 : 0;
        standing.below += id != attended && logit < standing.own ? 1 : 0;
      }
      from += rows;
    }
    std::erase_if(standings, [](const Standing& standing) { return standing.is_between(); });
  }
  for (const Sample* sample : samples) {
    ++ranks->rows[static_cast<std::size_t>(sample->layer * heads_ + sample->head)];
  }
  for (const Standing& standing : standings) {
    const Sample& sample = *samples[standing.sample];
    const auto head = static_cast<std::size_t>(sample.layer * heads_ + sample.head);
    ranks->raised[head] += standing.above < kTop ? 1 : 0;
    ranks->lowered[head] += standing.below < kTop ? 1 : 0;
  }
  return {};
}

// Multiplies rows [rows, e] of the output matrix by asked [samples, e] -> logits [samples, rows].
Result<std::vector<float>> CopyEffect::Multiply(const TensorView& rows,
                                                std::span<const float> asked,
                                                const std::stop_token& stop) {
  HEADSCOPE_TRY(
      const auto linear,
      backend_.Prepare(
          {.layout = WeightLayout::kOutIn, .in = rows.shape[1], .matrices = {{rows, std::nullopt}}},
          stop));
  HEADSCOPE_TRY(const auto in, MakeRows(&backend_, asked, rows.shape[1]));
  return Multiplied(&backend_, *linear, *in, stop);
}

Result<CopyRanks> CopyEffect::TestRanks(const std::vector<bool>& heads,
                                        const std::stop_token& stop) {
  const auto count = static_cast<std::size_t>(layers_ * heads_);
  HEADSCOPE_CHECK(heads.empty() || heads.size() == count, "each head is tested or not");
  CopyRanks ranks{std::vector<std::int64_t>(count),
                  std::vector<std::int64_t>(count),
                  std::vector<std::int64_t>(count)};
  std::vector<const Sample*> samples;
  for (const Sample& sample : samples_) {
    const auto head = static_cast<std::size_t>(sample.layer * heads_ + sample.head);
    if (heads.empty() || heads[head]) {
      samples.push_back(&sample);
    }
  }
  std::ranges::stable_sort(samples, {}, [](const Sample* sample) { return sample->layer; });
  if (!samples.empty()) {
    HEADSCOPE_TRY(CountRanks(samples, &ranks, stop));
  }
  samples_.clear();
  return ranks;
}

}  // namespace headscope
