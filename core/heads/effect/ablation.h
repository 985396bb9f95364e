// Measures what a model loses without a head, compared with what it loses without other heads of
// the same layer: removing any head does harm.
//
//   change   mean loss of the predicted tokens without the head, minus that of the whole model
//   error    standard error of the texts' own mean changes
//   control  the same for other heads of the layer, drawn at random: ten, or all there are
//
// Units    nats per token; above 0: the model predicts worse.
// Errors   kInput (as in core/heads/effect/token_losses.h; no token to predict), the forward's
//          errors.
// Threads  the backend's.
// Cost     3 runs over the corpus for each head and each of its controls, and two of the whole
//          model for all heads of one HeadAblater (one more per head if the maps of all texts are
//          too large to hold, 256 MB); and a second copy of the weights in the form for
//          multiplication.
// Source   Michel 2019; Olsson 2022; core/heads/effect/ablating_backend.h.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/heads/effect/ablating_backend.h"
#include "core/heads/measure/head_name.h"
#include "core/heads/measure/head_score.h"
#include "core/heads/probe/probe.h"

namespace headscope {

[[nodiscard]] std::string_view AblationName(AblationKind kind);  // "zero"

struct AblationChange {
  HeadScore own;                              // change, error, tokens, texts
  std::vector<double> controls;               // [control]
  std::optional<double> control_mean = {};    // none: the layer has no other head
  std::optional<double> control_spread = {};  // standard deviation; none: fewer than two controls
  std::string why_not = {};                   // if it is not measured
};

struct HeadAblation {
  HeadIndex head;
  double loss = 0.0;  // of the whole model
  std::vector<HeadIndex> controls;
  std::array<AblationChange, kAblationKinds.size()> changes;  // in the order of kAblationKinds
};

struct AblationSettings {
  std::int64_t controls = 10;
  std::uint64_t seed = 1;
  // Called now and then with the finished part of the head and its controls, 0 to 1.
  std::function<void(HeadIndex head, double done)> on_part = {};
};

// Draws the heads of the same layer with which a head is compared.
[[nodiscard]] std::vector<HeadIndex> DrawControls(HeadIndex head,
                                                  std::int64_t heads_of_layer,
                                                  const AblationSettings& settings);

// Removes one head after another; whatever they share is computed once.
class HeadAblater {
 public:
  // The arguments outlive it.
  [[nodiscard]] static Result<std::unique_ptr<HeadAblater>> Make(std::shared_ptr<const Model> model,
                                                                 Backend* backend,
                                                                 const ProbeCorpus& corpus,
                                                                 const std::stop_token& stop);
  ~HeadAblater();
  HeadAblater(const HeadAblater&) = delete;
  HeadAblater& operator=(const HeadAblater&) = delete;

  [[nodiscard]] Result<HeadAblation> Measure(HeadIndex head,
                                             const AblationSettings& settings,
                                             const std::stop_token& stop);

 private:
  class Runs;
  explicit HeadAblater(std::unique_ptr<Runs> runs);
  std::unique_ptr<Runs> runs_;
};

[[nodiscard]] Result<std::vector<HeadAblation>> AblateHeads(std::shared_ptr<const Model> model,
                                                            Backend* backend,
                                                            const ProbeCorpus& corpus,
                                                            std::span<const HeadIndex> heads,
                                                            const AblationSettings& settings,
                                                            const std::stop_token& stop);

// Reads "L5H5,L1H0"; kInput if one is not a head of the model.
[[nodiscard]] Result<std::vector<HeadIndex>> ReadHeadList(std::string_view text,
                                                          const ModelDescription& model);

}  // namespace headscope
