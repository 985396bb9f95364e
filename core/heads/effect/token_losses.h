// Measures how well a model predicts the tokens of texts: the loss of each token that counts, over
// the whole vocabulary.
//
// Units    nats per token, -log p; the cap that some models put on logits is left out.
// Errors   kInput (a model that predicts no tokens, or has no final norm), the forward's errors.
// Threads  the backend's.
// Cost     a complete forward, and the output matrix once for each token that counts.
// Source   docs/reference.md, "score".
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <vector>

#include "core/base/error.h"
#include "core/heads/effect/weight_product.h"
#include "core/heads/probe/probe.h"
#include "core/model/forward.h"

namespace headscope {

// Returns the tokens over which a text's loss is averaged: no special ones; in repeats only those
// that the first block determines, since the others are random.
[[nodiscard]] std::vector<std::int64_t> PredictedTokens(const ProbeSequence& sequence,
                                                        bool is_repeats);

class TokenLosses : public LayerObserver {
 public:
  // The forward outlives this.
  [[nodiscard]] static Result<std::unique_ptr<TokenLosses>> Make(Forward* forward,
                                                                 const std::stop_token& stop);

  // Returns, for each of the texts (all of one length), the sum over its predicted tokens.
  [[nodiscard]] Result<std::vector<double>> Run(
      std::span<const ProbeSequence* const> texts,
      std::span<const std::vector<std::int64_t>> predicted,
      const std::stop_token& stop);

  AttentionObserver* BeginLayer(LayerId /*layer*/) override { return nullptr; }
  bool WantsWrites() override { return true; }
  bool WantsEnd() override { return true; }
  void OnNorm(const NormNeed& norm, const Activations& input) override;

 private:
  TokenLosses(Forward* forward, std::unique_ptr<Linear> output)
      : forward_(*forward), output_(std::move(output)) {}

  Forward& forward_;
  std::unique_ptr<Linear> output_;
  FloatMatrix end_;  // the final norm's input
};

}  // namespace headscope
