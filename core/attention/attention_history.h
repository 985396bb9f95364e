// Keeps the layers that a forward gave, each with the input it was made from, so that the next text
// computes only what follows its first changed token.
//
// A stopped run leaves its first layers for the new text and the others for the previous text: each
// entry knows its own text, and a run takes over the beginning that all of them share.
//
// Threads  one at a time.
// Cost     shares the layers that were given; additionally holds the values [n, Hkv dv] of layers
//          that a longer text can reuse.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "core/attention/layer_attention.h"
#include "core/model/forward_input.h"

namespace headscope {

struct KeptLayer {
  std::shared_ptr<const LayerAttention> attention;
  // [m, Hkv dv]; null if only the same text can reuse the layer.
  std::shared_ptr<const std::vector<float>> values;
};

// What is kept of the layers, up to the last one that a run needs.
struct KeptLayers {
  std::int64_t tokens = 0;        // how many first tokens are the same in both texts
  std::vector<KeptLayer> layers;  // empty: some are missing
};

class AttentionHistory {
 public:
  void Keep(KeptLayer layer,
            std::shared_ptr<const ForwardInput> input,
            std::int64_t thumbnail_size);
  // Call it when the model, backend or precision changes, which gives other layers.
  void Forget() { entries_.clear(); }

  // Returns what layers 0 to `last.layer` of a part share with a run of `input`. An encoder is
  // reused entirely or not at all; a decoder and its cross-attention are not reused for another
  // source.
  [[nodiscard]] KeptLayers Find(const ModelDescription& model,
                                const ForwardInput& input,
                                LayerId last,
                                std::int64_t thumbnail_size) const;

 private:
  struct Entry {
    KeptLayer layer;
    std::shared_ptr<const ForwardInput> input;
    std::int64_t thumbnail_size = 0;
  };
  std::map<std::pair<ModelPart, std::int64_t>, Entry> entries_;
};

}  // namespace headscope
