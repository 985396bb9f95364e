// How much a head adds, whatever it looks at: the norm of its output, and what share of its weights'
// effect rests on tokens that carry little; measured while a forward runs.
//
// A head adds sum_k A[q][k] f(x_k), f(x) = (x W_V + b_V) W_O of the head, the output bias left out.
// - output: the norm of that sum, for "inactive here" (RelativeNorms).
// - rest on the first token or on separators: sum of ||A[q][k] f(x_k)|| over those keys, over the
//   same sum for all keys. A head may put its weight there because f is small there: then this share
//   is small where the plain one is large.
// Norms come before any norm inside of the attention's half.
//
// Units    outputs in those of the residual stream; shares 0 to 1.
// Errors   what the backend returns.
// Threads  the backend's.
// Cost     n dv^2 a head for the values and again for the sums, and n^2; once a layer d dv^2 a head.
// Source   Kobayashi 2020, "Attention is Not Only a Weight".
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <stop_token>
#include <vector>

#include "core/base/error.h"
#include "core/model/forward.h"

namespace headscope {

struct NormText {
  std::vector<bool> counts;        // [n] rows that count
  std::vector<bool> is_separator;  // [n] keys to rest on
};

// Of one text, summed over the rows that count; each [layers heads]. Chances are the shares that
// even attention over the visible keys would have.
struct NormSums {
  std::vector<double> output;
  std::vector<double> separator_share;
  std::vector<double> separator_chance;
  std::vector<double> first_share;  // from row 1 on: row 0 sees nothing else
  std::vector<double> first_chance;
  std::int64_t rows = 0;
  std::int64_t first_rows = 0;
};

// Each head's output over the mean of its layer's heads [layers heads]; 0 where all are 0.
[[nodiscard]] std::vector<double> RelativeNorms(std::span<const double> output, std::int64_t heads);

class OutputNorms : public LayerObserver, public AttentionObserver {
 public:
  // The forward outlives this; models of several parts are not measured.
  explicit OutputNorms(Forward* forward);

  // The texts that the next run reads, as far as it likes: of one length, side by side.
  void Begin(std::vector<NormText> texts, const std::stop_token& stop);
  // One each, after that run; layers that were not run are 0.
  [[nodiscard]] std::vector<NormSums> Take() { return std::move(sums_); }

  AttentionObserver* BeginLayer(LayerId layer) override;
  Status EndLayer(LayerId /*layer*/) override { return status_; }
  bool WantsWrites() override { return true; }
  void OnContext(LayerId layer, const Activations& context) override;
  void OnProjections(const AttentionShape& shape,
                     const AttentionRule& rule,
                     std::span<const float> queries,
                     std::span<const float> keys,
                     std::span<const float> values) override;
  void OnBlock(const AttentionBlock& block) override;

 private:
  // W_O W_O^T of one head [dv, dv]: v times it, times v, is the square of the norm of v W_O.
  struct Gram {
    std::vector<float> numbers;
    std::unique_ptr<Linear> linear;
  };
  [[nodiscard]] Result<const std::vector<Gram>*> GramsOf(LayerId layer);
  [[nodiscard]] Result<Gram> MakeGram(std::span<const float> output, std::int64_t width);
  // The norm of columns [first, first + dv) of each row, after the head's output projection;
  // `numbers` are those of `rows`.
  [[nodiscard]] Status Norms(const Gram& gram,
                             const Activations& rows,
                             std::span<const float> numbers,
                             std::int64_t first,
                             std::span<float> norms);
  [[nodiscard]] Status MeasureValues(const AttentionShape& shape, std::span<const float> values);
  void AddUpNorms(const NormText& text);
  [[nodiscard]] Status MeasureContext(const Activations& context);
  [[nodiscard]] std::size_t Cell(std::int64_t head) const;

  const Model& model_;
  Backend& backend_;
  std::map<std::pair<ModelPart, std::int64_t>, std::vector<Gram>> grams_;
  std::unique_ptr<Activations> own_;     // [n, dv], used again and again
  std::unique_ptr<Activations> turned_;  // [n, dv]
  std::vector<float> room_;
  std::vector<NormText> texts_;
  std::vector<std::vector<std::size_t>> separators_;  // [text]
  std::stop_token stop_;
  LayerId layer_;
  AttentionRule rule_;
  std::size_t begun_ = 0;               // texts of the layer that runs
  std::vector<float> value_norms_;      // [H, keys] of the text that runs
  std::vector<double> all_before_;      // [H, keys + 1]: their sums over the keys before
  std::vector<double> resting_before_;  // [H, keys + 1], over separators
  std::vector<NormSums> sums_;          // [text]
  Status status_;
};

}  // namespace headscope
