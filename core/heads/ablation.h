// What a model loses without a head, beside what it loses without others of the same layer: taking
// any head away does harm.
//
//   change   mean loss of the predicted tokens without the head, less that of the model as it is
//   error    standard error of the texts' own mean changes
//   control  the same for other heads of the layer, drawn: ten, or as many as there are
//
// Units    nats a token; above 0: the model predicts worse.
// Errors   kInput (as core/heads/token_losses.h; no token to predict), what the forward returns.
// Threads  the backend's.
// Cost     for each head 3 (1 + controls) runs over the corpus, and two of the model itself.
// Source   Michel 2019; Olsson 2022; core/heads/ablating_backend.h.
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
#include "core/heads/ablating_backend.h"
#include "core/heads/head_name.h"
#include "core/heads/probe.h"
#include "core/heads/scan_score.h"

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
  std::function<void(HeadIndex head)> on_head = {};  // before each one
};

// The heads of its layer that a head is held against.
[[nodiscard]] std::vector<HeadIndex> DrawControls(HeadIndex head,
                                                  std::int64_t heads_of_layer,
                                                  const AblationSettings& settings);

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
