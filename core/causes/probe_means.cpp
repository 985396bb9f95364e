#include "core/causes/probe_means.h"

#include <algorithm>
#include <iterator>

#include "core/base/check.h"
#include "core/compute/rows.h"
#include "core/model/layer_changes.h"

namespace headscope {

// Keeps a text's rows: one that is stopped on the way adds nothing.
class ProbeMeans::Reader : public LayerChanges {
 public:
  explicit Reader(const Forward& forward) : forward_(forward) {}

  Status ChangeContext(LayerId layer, Activations* context) override {
    rows_[{layer.part, layer.layer}] = {ReadRows(forward_.backend(), *context), context->rows()};
    return {};
  }

  void AddTo(std::map<std::pair<ModelPart, std::int64_t>, Layer>* layers) const {
    for (const auto& [place, rows] : rows_) {
      Layer& layer = (*layers)[place];
      layer.heads = StackOf(forward_.model().description(), place.first).heads;
      layer.positions.resize(static_cast<std::size_t>(kMostPositions) + 1);
      const std::size_t width = rows.values.size() / static_cast<std::size_t>(rows.count);
      for (std::int64_t row = 0; row < rows.count; ++row) {
        Sum& sum = layer.positions[static_cast<std::size_t>(std::min(row, kMostPositions))];
        sum.values.resize(width);
        const float* const from = rows.values.data() + static_cast<std::size_t>(row) * width;
        std::transform(
            from,
            from + width,
            sum.values.begin(),
            sum.values.begin(),
            [](float value, double so_far) { return so_far + static_cast<double>(value); });
        ++sum.rows;
      }
    }
  }

 private:
  struct Rows {
    std::vector<float> values;
    std::int64_t count = 0;
  };
  const Forward& forward_;
  std::map<std::pair<ModelPart, std::int64_t>, Rows> rows_;
};

Status ProbeMeans::Run(Forward* forward,
                       const std::stop_token& stop,
                       const std::function<void(double)>& on_part) {
  while (!IsDone()) {
    Reader reader(*forward);
    const Restart start{.stack = PartsOf(forward->model().description()).front()};
    HEADSCOPE_TRY(forward->RunChanged(texts_[next_], start, &reader, nullptr, stop));
    reader.AddTo(&layers_);
    ++next_;
    if (on_part) {
      on_part(static_cast<double>(next_) / static_cast<double>(texts_.size()));
    }
  }
  return {};
}

std::vector<float> ProbeMeans::MeanOver(HeadIndex head, std::size_t from, std::size_t to) const {
  const Layer& layer = layers_.at({head.part, head.layer});
  std::vector<double> sums;
  std::int64_t rows = 0;
  for (std::size_t place = from; place < to; ++place) {
    const Sum& sum = layer.positions[place];
    if (sum.rows == 0) {
      continue;
    }
    const std::size_t width = sum.values.size() / static_cast<std::size_t>(layer.heads);
    sums.resize(width);
    const double* const own = sum.values.data() + static_cast<std::size_t>(head.head) * width;
    std::transform(sums.begin(), sums.end(), own, sums.begin(), std::plus<>());
    rows += sum.rows;
  }
  HEADSCOPE_CHECK(rows > 0, "a mean is of runs that were");
  std::vector<float> mean(sums.size());
  std::ranges::transform(sums, mean.begin(), [rows](double sum) {
    return static_cast<float>(sum / static_cast<double>(rows));
  });
  return mean;
}

std::vector<float> ProbeMeans::MeanOf(HeadIndex head) const {
  return MeanOver(head, 0, static_cast<std::size_t>(kMostPositions) + 1);
}

std::vector<float> ProbeMeans::MeanAt(HeadIndex head, std::int64_t position) const {
  const auto place = static_cast<std::size_t>(std::min(position, kMostPositions));
  const Layer& layer = layers_.at({head.part, head.layer});
  return layer.positions[place].rows >= kLeastTexts ? MeanOver(head, place, place + 1)
                                                    : MeanOf(head);
}

std::vector<float> ProbeMeans::MeansByPosition(HeadIndex head, std::int64_t rows) const {
  std::vector<float> means;
  for (std::int64_t row = 0; row < rows; ++row) {
    std::ranges::copy(MeanAt(head, row), std::back_inserter(means));
  }
  return means;
}

}  // namespace headscope
