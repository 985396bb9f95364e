// Measures how much a head adds, whatever it attends to: the norm of its output, and the share of
// the total norm that rests on tokens that carry little; it does so while a forward runs.
//
// A head adds sum_k A[q][k] f(x_k), f(x) = (x W_V + b_V) W_O of the head, without the output bias.
// - output: the norm of that sum, for "inactive here" (RelativeNorms).
// - rest on the first token or on separators: sum of ||A[q][k] f(x_k)|| over those keys, divided by
//   the same sum over all keys. A head may put its weight there because f is small there: then this
//   share is small although the plain one is large.
// These norms are taken before any norm inside the attention.
//
// Units    outputs in units of the residual stream; shares 0 to 1.
// Errors   the backend's.
// Threads  the backend's.
// Cost     per head n dv^2 for the values and again for the sums, and n^2; once per layer d dv^2
//          per head.
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
  std::vector<bool> counts;        // [n] true for rows that count
  std::vector<bool> is_separator;  // [n] true for keys that count as separators
};

// The sums of one text over the rows that count; each [layers heads]. Chances are the shares that
// uniform attention over the visible keys would give.
struct NormSums {
  std::vector<double> output;
  std::vector<double> separator_share;
  std::vector<double> separator_chance;
  std::vector<double> first_share;  // from row 1 on: row 0 sees only the first token
  std::vector<double> first_chance;
  std::int64_t rows = 0;
  std::int64_t first_rows = 0;
};

// Returns each head's output divided by the mean of its layer's heads [layers heads]; 0 if all are
// 0.
[[nodiscard]] std::vector<double> RelativeNorms(std::span<const double> output, std::int64_t heads);

class OutputNorms : public LayerObserver, public AttentionObserver {
 public:
  // The forward outlives this; models of several parts are not supported.
  explicit OutputNorms(Forward* forward);

  // Begins a run of these texts, which may end early: of one length, side by side.
  void Begin(std::vector<NormText> texts, const std::stop_token& stop);
  // Returns one for each text after that run; layers that were not run are 0.
  [[nodiscard]] std::vector<NormSums> Take() { return std::move(sums_); }

  AttentionObserver* BeginLayer(LayerId layer) override;
  Status EndLayer(LayerId /*layer*/) override { return status_; }
  bool WantsWrites() override { return true; }
  void OnContext(LayerId layer, const Activations& context) override;
  void OnProjections(const AttentionProjections& projections) override;
  void OnBlock(const AttentionBlock& block) override;

 private:
  // W_O W_O^T of one head [dv, dv]: v G v^T is the squared norm of v W_O.
  struct Gram {
    std::vector<float> numbers;
    std::unique_ptr<Linear> linear;
  };
  [[nodiscard]] Result<const std::vector<Gram>*> GramsOf(LayerId layer);
  [[nodiscard]] Result<Gram> MakeGram(std::span<const float> output, std::int64_t width);
  // Computes the norm of columns [first, first + dv) of each row after the head's output
  // projection; `numbers` are the elements of `rows`.
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
  std::unique_ptr<Activations> own_;     // [n, dv], reused
  std::unique_ptr<Activations> turned_;  // [n, dv]
  std::vector<float> room_;
  std::vector<NormText> texts_;
  std::vector<std::vector<std::size_t>> separators_;  // [text]
  std::stop_token stop_;
  LayerId layer_;
  AttentionRule rule_;
  std::size_t begun_ = 0;               // texts begun in the running layer
  std::vector<float> value_norms_;      // [H, keys] of the current text
  std::vector<double> all_before_;      // [H, keys + 1]: their sums over the preceding keys
  std::vector<double> resting_before_;  // [H, keys + 1], over separators
  std::vector<NormSums> sums_;          // [text]
  Status status_;
};

}  // namespace headscope
