// How much a head's attention changes from text to text: by content, or by position alone.
//
// For texts of one length that run side by side, over rows and keys among their first ten tokens:
//   mean over texts of sum |A[q][k] - mean of the texts' A[q][k]| / (2 sum A[q][k])
//
// Units    0: the same whatever the text; towards 1: nothing in common.
// Cost     ten by ten weights a text and head, until the layer ends.
// Source   Vig and Belinkov 2019.
#include <algorithm>
#include <cmath>

#include "core/base/check.h"
#include "core/heads/measure/measure.h"

namespace headscope {
namespace {

constexpr std::int64_t kFirstTokens = 10;
constexpr std::size_t kFewestTexts = 5;

// Too few for a call of memcpy.
void CopyFew(const float* from, std::int64_t count, float* to) {
#pragma omp simd
  for (std::int64_t i = 0; i < count; ++i) {
    to[i] = from[i];
  }
}

class CornerReader : public RunReader {
 public:
  explicit CornerReader(const RunOfTexts& run)
      : texts_(run.texts.size()),
        heads_(static_cast<std::size_t>(run.heads)),
        side_(std::min({kFirstTokens, run.texts.front()->tokens(), run.KeyCount()})),
        means_(static_cast<std::size_t>(run.layers * run.heads)) {
    for (const ProbeSequence* text : run.texts) {
      counts_.push_back(!text->is_control);
    }
  }

  AttentionObserver* BeginLayer(LayerId layer) override {
    layer_ = static_cast<std::size_t>(layer.layer);
    begun_ = 0;
    corners_.assign(texts_ * heads_ * cells(), 0.0F);
    return this;
  }
  void OnProjections(const AttentionProjections& /*projections*/) override {
    HEADSCOPE_CHECK(begun_ < texts_, "the texts that were announced are run");
    ++begun_;
  }
  void OnBlock(const AttentionBlock& block) override {
    const std::int64_t rows = block.query_end - block.query_begin;
    for (std::int64_t head = block.head_begin; head < block.head_end; ++head) {
      for (std::int64_t query = block.query_begin; query < std::min(block.query_end, side_);
           ++query) {
        const std::int64_t row = (head - block.head_begin) * rows + query - block.query_begin;
        const float* const from = block.weights.data() + row * block.keys;
        float* const to = CornerOf(begun_ - 1, static_cast<std::size_t>(head)) + query * side_;
        CopyFew(from, side_, to);
      }
    }
  }
  Status EndLayer(LayerId /*layer*/) override {
    for (std::size_t head = 0; head < heads_; ++head) {
      Compare(head);
    }
    return {};
  }

  void AddTo(HeadMeans* means) const override { AddHeads(means_, means); }

 private:
  [[nodiscard]] std::size_t cells() const { return static_cast<std::size_t>(side_ * side_); }
  float* CornerOf(std::size_t text, std::size_t head) {
    return corners_.data() + (text * heads_ + head) * cells();
  }

  // The first row sees itself alone, or is a special token's.
  void Compare(std::size_t head) {
    const auto first = static_cast<std::size_t>(side_);
    std::vector<double> mean(cells(), 0.0);
    const auto count = static_cast<double>(std::ranges::count(counts_, true));
    double* const to = mean.data();
    for (std::size_t text = 0; text < texts_; ++text) {
      const float* const own = CornerOf(text, head);
      const std::size_t last = counts_[text] ? cells() : first;
#pragma omp simd
      for (std::size_t cell = first; cell < last; ++cell) {
        to[cell] += static_cast<double>(own[cell]);
      }
    }
    for (double& cell : mean) {
      cell /= count;
    }
    const auto rows = static_cast<double>(side_ - 1);
    for (std::size_t text = 0; text < texts_; ++text) {
      double apart = 0.0;
      double all = 0.0;
      const float* const corner = CornerOf(text, head);
      const std::size_t last = counts_[text] ? cells() : first;
#pragma omp simd reduction(+ : apart, all)
      for (std::size_t cell = first; cell < last; ++cell) {
        const auto own = static_cast<double>(corner[cell]);
        apart += std::abs(own - to[cell]);
        all += own;
      }
      if (all > 0.0) {
        means_[layer_ * heads_ + head].AddText(rows * apart / (2.0 * all), 0.0, 0.0, rows);
      }
    }
  }

  std::size_t texts_;
  std::size_t heads_;
  std::int64_t side_;
  std::size_t layer_ = 0;
  std::size_t begun_ = 0;
  std::vector<bool> counts_;    // [text]
  std::vector<float> corners_;  // [text, head, query, key] of the layer that runs
  HeadMeans means_;
};

}  // namespace

std::vector<HeadMeasure> VariabilityMeasures() {
  HeadMeasure measure;
  measure.id = "variability";
  measure.is_of_maps = true;
  measure.name = "variability";
  measure.place = 30;
  measure.words = {
      .about = "how much attention changes from text to text at the same places",
      .formula =
          "over the first ten tokens, row 0 left out: mean over texts of sum |A[q][k] - mean of "
          "the texts| / (2 sum A[q][k]), the mean being of texts of one length, five at least",
      .chance = "0: even attention is the same in every text",
      .source = "Vig and Belinkov 2019",
      .pitfall =
          "high is content, low position, but also a head that always rests on the first token; a "
          "mean of few texts makes it a little low",
      .needs = "five texts of one length, of two tokens at least"};
  measure.reader = [](const RunOfTexts& run) -> std::unique_ptr<RunReader> {
    const auto texts = static_cast<std::size_t>(std::ranges::count_if(
        run.texts, [](const ProbeSequence* text) { return !text->is_control; }));
    if (texts < kFewestTexts || std::min(run.texts.front()->tokens(), run.KeyCount()) < 2) {
      return nullptr;
    }
    return std::make_unique<CornerReader>(run);
  };
  return {measure};
}

}  // namespace headscope
