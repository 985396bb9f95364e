// Watches a forward and turns each layer into a LayerAttention, with its thumbnails made in the
// same pass.
//
// Errors   kCancelled passes through from the sink.
// Threads  the backend's thread; the sink gets immutable layers to hand over.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "core/attention/attention_history.h"
#include "core/attention/layer_attention.h"
#include "core/model/forward.h"

namespace headscope {

struct CaptureOptions {
  // In an encoder-decoder one part or, by default, every one of them; the layers are those of each.
  std::optional<ModelPart> part = {};
  bool skips_encoder = false;  // gives all parts but the encoder
  std::int64_t first_layer = 0;
  std::int64_t last_layer = 0;
  // Keeps values, projection_input and attention_output, for head-count splits; no map needs them.
  bool keep_states = false;
  std::int64_t thumbnail_size = kThumbnailSize;
};

using LayerSink = std::function<Status(std::shared_ptr<const LayerAttention>)>;

// Runs layers 0..last_layer and gives those from first_layer on to `sink`, in order, as each is
// done: of an encoder-decoder the encoder's first, then each decoder layer's own and cross.
// `history`: of this forward; what it has of the text is not computed again, and the layers of this
// run are kept there. Runs that keep states take no notice of it.
[[nodiscard]] Status CaptureAttention(Forward* forward,
                                      const ForwardInput& input,
                                      const CaptureOptions& options,
                                      const LayerSink& sink,
                                      std::stop_token stop,
                                      AttentionHistory* history = nullptr);

}  // namespace headscope
