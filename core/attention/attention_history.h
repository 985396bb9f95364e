// The layers that a forward has given, and what each was made from, so that the next text computes
// only what follows its first changed token.
//
// A run that is stopped leaves its first layers of the new text and the others of the one before:
// each knows its own, and a run takes over the beginning that all of them share.
//
// Threads  one at a time.
// Cost     shares the layers that were given; beside them the values [n, Hkv dv] of those that a
//          longer text can take up.
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
  // [m, Hkv dv]; null where nothing but the same text can use the layer again.
  std::shared_ptr<const std::vector<float>> values;
};

// What is kept of the layers up to the last one that a run asks for.
struct KeptLayers {
  std::int64_t tokens = 0;        // the first ones, the same then and now
  std::vector<KeptLayer> layers;  // empty: not all of them are kept
};

class AttentionHistory {
 public:
  void Keep(KeptLayer layer,
            std::shared_ptr<const ForwardInput> input,
            std::int64_t thumbnail_size);
  // Another model, backend or precision makes other layers.
  void Forget() { entries_.clear(); }

  // What layers 0 to `last.layer` of a part share with a run of `input`. Of the encoder all or
  // nothing; of the decoder and its cross-attention nothing if the source is another.
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
