// What a capture takes over from the history, and what remains to run.
//
// Cost     compares the texts once per layer.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/attention/attention_history.h"
#include "core/attention/capture.h"
#include "core/model/past.h"

namespace headscope {

// Whether a capture with these options gives this layer.
[[nodiscard]] inline bool Wants(const CaptureOptions& options, LayerId layer) {
  return (!options.part || layer.part == *options.part) &&
         !(options.skips_encoder && layer.part == ModelPart::kEncoder) &&
         layer.layer >= options.first_layer && layer.layer <= options.last_layer &&
         (!options.only || options.only(layer));
}

struct RunPlan {
  std::vector<std::shared_ptr<const LayerAttention>> done;  // wanted layers, reused unchanged
  bool is_done = false;                                     // nothing is left to run
  Past past;                                                // points into `own` and `cross`
  std::vector<KeptLayer> own;
  std::vector<KeptLayer> cross;
  std::shared_ptr<const ForwardInput> input;
  std::int64_t text_tokens = 0;

  // The number of rows of a part's maps.
  [[nodiscard]] std::int64_t Queries(ModelPart part) const;
  // The known part of a layer that is run from token past.tokens on, or null.
  [[nodiscard]] const LayerAttention* Before(LayerId layer) const;
};

// Makes the plan for layers 0 to `last`; `history` may be null.
[[nodiscard]] RunPlan PlanRun(const ModelDescription& model,
                              const ForwardInput& input,
                              const CaptureOptions& options,
                              LayerId last,
                              const AttentionHistory* history);

}  // namespace headscope
