// The part of CopyEffect that looks at the whole vocabulary.
#include <algorithm>
#include <numeric>

#include "core/base/check.h"
#include "core/base/half.h"
#include "core/base/stop.h"
#include "core/heads/copy_effect.h"

namespace headscope {
namespace {

constexpr std::int64_t kRowsAtOnce = 4096;  // of the output matrix

// Rows of a matrix that lie together in the file.
TensorView Rows(const TensorView& matrix, std::int64_t first, std::int64_t count) {
  TensorView part = matrix;
  const std::size_t bytes = matrix.bytes.size() / static_cast<std::size_t>(matrix.shape[0]);
  part.shape[0] = count;
  part.bytes = matrix.bytes.subspan(static_cast<std::size_t>(first) * bytes,
                                    static_cast<std::size_t>(count) * bytes);
  return part;
}

}  // namespace

// What the output matrix reads of each sample: [samples, e].
std::vector<double> CopyEffect::Moves(const std::vector<const Sample*>& samples) const {
  std::vector<double> moves;
  std::int64_t layer = -1;
  ProjectionColumns output;
  for (const Sample* sample : samples) {
    if (sample->layer != layer) {  // they come layer by layer
      layer = sample->layer;
      const LinearNeed& need = model_.description().layer[static_cast<std::size_t>(layer)].output;
      output = ReadColumns(model_, need, 0, ColumnCount(need));
    }
    const std::size_t width = sample->context.size();
    std::vector<double> row;
    for (std::int64_t column = 0; column < output.columns(); ++column) {
      const auto weights =
          output.Column(column).subspan(static_cast<std::size_t>(sample->head) * width, width);
      row.push_back(
          std::inner_product(weights.begin(), weights.end(), sample->context.begin(), 0.0));
    }
    const std::vector<double> moved = path_.Through(layer, std::move(row));
    moves.insert(moves.end(), moved.begin(), moved.end());
  }
  return moves;
}

Status CopyEffect::CountRanks(const std::vector<const Sample*>& samples,
                              CopyRanks* ranks,
                              const std::stop_token& stop) {
  const TensorView& matrix = *model_.weights().Find(path_.layer().weight.name);
  const std::int64_t vocabulary = matrix.shape[0];
  const auto width = static_cast<std::size_t>(matrix.shape[1]);
  const std::vector<double> moves = Moves(samples);
  const auto count = static_cast<std::int64_t>(samples.size());
  const auto in = backend_.Make(count, matrix.shape[1]);
  HEADSCOPE_TRY(in);
  backend_.Load(std::vector<float>(moves.begin(), moves.end()), in->get());
  // The attended token's own, and how many are above and below it.
  std::vector<double> own;
  std::vector<std::int64_t> above(samples.size());
  std::vector<std::int64_t> below(samples.size());
  std::vector<float> row(width);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    ConvertToFloat(matrix, samples[i]->attended * matrix.shape[1], row);
    own.push_back(std::inner_product(
        row.begin(), row.end(), moves.begin() + static_cast<std::ptrdiff_t>(i * width), 0.0));
  }
  std::vector<float> logits;
  for (std::int64_t first = 0; first < vocabulary; first += kRowsAtOnce) {
    HEADSCOPE_TRY(CheckStop(stop));
    const std::int64_t rows = std::min(kRowsAtOnce, vocabulary - first);
    const LinearSource source{.layout = WeightLayout::kOutIn,
                              .in = matrix.shape[1],
                              .matrices = {{Rows(matrix, first, rows), std::nullopt}}};
    const auto linear = backend_.Prepare(source, stop);
    HEADSCOPE_TRY(linear);
    const auto out = backend_.Make(count, rows);
    HEADSCOPE_TRY(out);
    HEADSCOPE_TRY(backend_.Apply(**linear, **in, out->get(), stop));
    logits.resize(static_cast<std::size_t>(count * rows));
    backend_.Read(**out, logits);
    for (std::size_t i = 0; i < samples.size(); ++i) {
      const float* from = logits.data() + i * static_cast<std::size_t>(rows);
      for (std::int64_t id = 0; id < rows; ++id) {
        const bool is_other = first + id != samples[i]->attended;
        above[i] += is_other && static_cast<double>(from[id]) > own[i] ? 1 : 0;
        below[i] += is_other && static_cast<double>(from[id]) < own[i] ? 1 : 0;
      }
    }
  }
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const auto head = static_cast<std::size_t>(samples[i]->layer * heads_ + samples[i]->head);
    ++ranks->rows[head];
    ranks->raised[head] += above[i] < kTop ? 1 : 0;
    ranks->lowered[head] += below[i] < kTop ? 1 : 0;
  }
  return {};
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
