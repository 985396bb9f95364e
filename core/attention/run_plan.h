// What a capture takes over from the history, and what is left to run.
//
// Threads  one.
// Cost     compares the texts once for each layer.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/attention/attention_history.h"
#include "core/attention/capture.h"
#include "core/model/past.h"

namespace headscope {

// Whether a capture gives this layer.
[[nodiscard]] inline bool Wants(const CaptureOptions& options, LayerId layer) {
  return (!options.part || layer.part == *options.part) &&
         !(options.skips_encoder && layer.part == ModelPart::kEncoder) &&
         layer.layer >= options.first_layer && layer.layer <= options.last_layer;
}

struct RunPlan {
  std::vector<std::shared_ptr<const LayerAttention>> done;  // wanted, and as they were
  bool is_done = false;                                     // there is nothing to run
  Past past;                                                // views of `own` and `cross`
  std::vector<KeptLayer> own;
  std::vector<KeptLayer> cross;
  std::shared_ptr<const ForwardInput> input;
  std::int64_t text_tokens = 0;

  // Rows of a part's maps.
  [[nodiscard]] std::int64_t Queries(ModelPart part) const;
  // What is there of a layer that is run from token past.tokens on; null: nothing.
  [[nodiscard]] const LayerAttention* Before(LayerId layer) const;
};

// The plan for layers 0 to `last`; a null history has nothing.
[[nodiscard]] RunPlan PlanRun(const ModelDescription& model,
                              const ForwardInput& input,
                              const CaptureOptions& options,
                              LayerId last,
                              const AttentionHistory* history);

}  // namespace headscope
