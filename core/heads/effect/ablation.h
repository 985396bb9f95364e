// What a model loses without a head, beside what it loses without others of the same layer: taking
// any head away does harm.
//
//   change   mean loss of the predicted tokens without the head, less that of the model as it is
//   error    standard error of the texts' own mean changes
//   control  the same for other heads of the layer, drawn: ten, or as many as there are
//
// Units    nats a token; above 0: the model predicts worse.
// Errors   kInput (as core/heads/effect/token_losses.h; no token to predict), what the forward returns.
// Threads  the backend's.
// Cost     3 runs over the corpus for each head and each of its controls, two of the model itself for
//          all heads of one HeadAblater (one more a head where the maps of all texts are too large to
//          be held, 256 MB); and a second copy of the weights as they are multiplied with.
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
  std::optional<double> control_spread = {};  // standard deviation; none: there is one or none
  std::string why_not = {};                   // where it is not measured
};

struct HeadAblation {
  HeadIndex head;
  double loss = 0.0;  // of the model as it is
  std::vector<HeadIndex> controls;
  std::array<AblationChange, kAblationKinds.size()> changes;  // as kAblationKinds
};

struct AblationSettings {
  std::int64_t controls = 10;
  std::uint64_t seed = 1;
  // Now and then: how much of the head and its controls is done, 0 to 1.
  std::function<void(HeadIndex head, double done)> on_part = {};
};

// The heads of its layer that a head is held against.
[[nodiscard]] std::vector<HeadIndex> DrawControls(HeadIndex head,
                                                  std::int64_t heads_of_layer,
                                                  const AblationSettings& settings);

// Takes away one head after another; what is the same for all of them is made once.
class HeadAblater {
 public:
  // All outlive this.
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

// "L5H5,L1H0"; kInput where one is no head of the model.
[[nodiscard]] Result<std::vector<HeadIndex>> ReadHeadList(std::string_view text,
                                                          const ModelDescription& model);

}  // namespace headscope
