// What Gemma's later models add to Llama's layout: wider heads in layers without a window, keys and values
// that layers share, and a second embedding of each token that every layer reads a part of.
//
// Errors   as core/model/family_kit.h.
// Source   Gemma Team 2025, 2026, as transformers computes them.
#pragma once

#include <cstdint>

#include "core/model/llama_layout.h"

namespace headscope {

// What layers without a window have in place of "head_dim" and "num_key_value_heads".
struct WideLayers {
  std::int64_t head_dim = 0;
  std::int64_t kv_heads = 0;

  [[nodiscard]] bool operator==(const WideLayers&) const = default;
};

// Reads them from a list of layers or, in older files, from keys of their own. kFormat, kUnsupported:
// layers of one kind differ, or the heads of keys do not divide the others.
[[nodiscard]] Result<WideLayers> ReadWideLayers(const JsonObject& json,
                                                bool is_shared,
                                                const LlamaConfig& config);

// Makes a layer's values by its matrix of keys.
void UseKeysAsValues(LayerDescription* layer);

// Lets the last `shared` layers take keys and values of the last layer of their kind (with or without a
// window) before them. kFormat: there is none.
[[nodiscard]] Status ShareLastKeys(const JsonObject& json,
                                   std::int64_t shared,
                                   ModelDescription* model);

// Reads "hidden_size_per_layer_input" and adds a token's part to each layer; 0: none.
[[nodiscard]] Status AddTokenInputs(const JsonObject& json,
                                    double epsilon,
                                    ModelDescription* model);

}  // namespace headscope
