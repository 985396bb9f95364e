// How well a model predicts the tokens of texts: the loss of each one that counts, over the whole
// vocabulary.
//
// Units    nats a token, -log p; a cap that some models put on logits is left out.
// Errors   kInput (a model that predicts no token, or has no norm at its end), what the forward
//          returns.
// Threads  the backend's.
// Cost     a forward to its end, and the output matrix once for each token that counts.
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

// Those that a text's loss is the mean of: none that is special; of repeats those that the first
// block tells, since the others are drawn.
[[nodiscard]] std::vector<std::int64_t> PredictedTokens(const ProbeSequence& sequence,
                                                        bool is_repeats);

class TokenLosses : public LayerObserver {
 public:
  // The forward outlives this.
  [[nodiscard]] static Result<std::unique_ptr<TokenLosses>> Make(Forward* forward,
                                                                 const std::stop_token& stop);

  // For each of the texts, which have one length, the sum over its predicted tokens.
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
  FloatMatrix end_;  // what the final norm read
};

}  // namespace headscope
