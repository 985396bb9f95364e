// Measures whether a head copies or suppresses: its direct effect on the logit of the token that it
// attends to most, while a forward runs.
//
// For a row q: c_q = (sum_k A[q][k] v_k) W_O of the head, without bias; through every norm on its
// way to the logits with the scale that it had at q; times the output matrix, minus the mean over
// the vocabulary; at the token of the key that has the largest weight and is not special. A head
// that raises this logit copies, one that lowers it suppresses.
//
// Units    logits, before any cap; chance is 0.
// Errors   kInput (a model without an output layer: the message says why), the backend's errors.
// Threads  the backend's.
// Cost     per layer: the distinct tokens of the texts through W_O backwards, [u, d] x [d, H dv],
//          and N H dv; only sampled rows are multiplied by the whole vocabulary.
// Source   direct logit attribution: Elhage 2021, Wang 2022. What later layers make of the head's
//          output is left out.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <stop_token>
#include <vector>

#include "core/base/error.h"
#include "core/heads/effect/output_path.h"
#include "core/model/forward.h"
#include "core/model/read_weights.h"

namespace headscope {

struct CopyText {
  std::vector<std::int32_t> ids;
  std::vector<bool> is_special;     // [n]; their rows do not count, and they are ignored as keys
  std::int64_t sampled_rows = 0;    // rows kept for TestRanks
  std::uint64_t seed = 0;           // for drawing them
  std::vector<bool> left_out = {};  // [n] other rows that do not count; empty: none

  [[nodiscard]] bool Counts(std::size_t row) const {
    return !is_special[row] && (left_out.empty() || !left_out[row]);
  }
};

// The sums of one text, each [layers heads].
struct CopySums {
  std::vector<double> effect;      // summed over the rows, in logits
  std::vector<std::int64_t> rows;  // with a visible key that is not special
};

// The counts over the sampled rows, each [layers heads].
struct CopyRanks {
  std::vector<std::int64_t> rows;
  std::vector<std::int64_t> raised;   // the token is among the five raised most by the head
  std::vector<std::int64_t> lowered;  // or among the five lowered most
};

class CopyEffect : public LayerObserver, public AttentionObserver {
 public:
  static constexpr std::int64_t kTop = 5;

  // The forward outlives this.
  [[nodiscard]] static Result<std::unique_ptr<CopyEffect>> Make(Forward* forward,
                                                                const std::stop_token& stop);

  // Begins a run of these texts, which reads them to the end: of one length, side by side.
  void Begin(std::vector<CopyText> texts, const std::stop_token& stop);
  // Returns the sums of one text after that run.
  [[nodiscard]] CopySums Take(std::size_t text = 0) const;

  // Ranks the attended token among all tokens by the head's effect, in the rows sampled so far,
  // which are then forgotten. `heads` [layers heads] says which to test; the others have no rows;
  // empty: all. Makes at most one pass over the output matrix: a sample is dropped as soon as five
  // tokens are known on either side.
  [[nodiscard]] Result<CopyRanks> TestRanks(const std::vector<bool>& heads,
                                            const std::stop_token& stop);

  AttentionObserver* BeginLayer(LayerId layer) override;
  Status EndLayer(LayerId layer) override;
  bool WantsWrites() override { return true; }
  bool WantsEnd() override { return true; }
  void OnContext(LayerId layer, const Activations& context) override;
  void OnNorm(const NormNeed& norm, const Activations& input) override;
  void OnProjections(const AttentionProjections& projections) override;
  void OnBlock(const AttentionBlock& block) override;

 private:
  // A row of a head, kept for ranking the token that it attends to.
  struct Sample {
    std::int64_t layer = 0;
    std::int64_t head = 0;
    std::int32_t attended = 0;
    std::vector<float> context;  // [dv]
  };

  CopyEffect(Forward* forward, OutputPath path);
  void DrawRows(const CopyText& text, std::int64_t first);
  [[nodiscard]] Status Measure(std::int64_t layer, const Activations& context);
  [[nodiscard]] Result<std::vector<float>> ReadBack(std::int64_t layer);
  [[nodiscard]] Status CountRanks(const std::vector<const Sample*>& samples,
                                  CopyRanks* ranks,
                                  const std::stop_token& stop);
  [[nodiscard]] Result<std::vector<float>> Multiply(const TensorView& rows,
                                                    std::span<const float> asked,
                                                    const std::stop_token& stop);
  [[nodiscard]] Result<std::vector<double>> Moves(const std::vector<const Sample*>& samples,
                                                  const std::stop_token& stop) const;

  const Model& model_;
  Backend& backend_;
  OutputPath path_;
  std::int64_t layers_;
  std::int64_t heads_;
  // The transposed output projection of a layer: [d, H dv].
  PickedBytes picked_;
  std::map<std::int64_t, std::unique_ptr<Linear>> backwards_;
  // The texts one after another, N tokens in all.
  std::vector<CopyText> texts_;
  std::int64_t length_ = 0;        // of each text
  std::vector<std::int32_t> ids_;  // [N]
  std::vector<bool> is_special_;   // [N]
  std::vector<bool> row_counts_;   // [N]
  std::int64_t begun_ = 0;         // texts begun in the running layer
  std::stop_token stop_;
  std::vector<std::int32_t> distinct_;       // ids of the texts that have a row
  std::vector<std::size_t> which_;           // [N], into `distinct_`
  std::unique_ptr<Activations> directions_;  // of the distinct tokens, if all layers share them
  std::vector<std::int64_t> drawn_;          // rows to keep
  AttentionRule rule_;                       // of the running layer
  std::vector<std::int64_t> attended_;       // [H, N] keys of that layer, -1: none
  std::vector<double> effects_;              // [L, H, N]
  std::vector<bool> counts_;                 // [L, H, N]
  std::vector<Sample> samples_;
  Status status_;
};

}  // namespace headscope
