// Small models of every family that say words, with output layers where they are not tied.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "core/model/config.h"
#include "tests/support/random_input.h"
#include "tests/support/tiny_model.h"

namespace headscope::test {

inline TinyModel WordModel(std::string_view config, std::uint64_t seed = 1) {
  TinyModel model(config, seed);
  RandomStream random(seed + 100);
  if (const auto& layer = model.description.output_layer) {
    if (!model.description.ties_embeddings) {
      model.tensors[layer->weight.name] = RandomTensor(layer->weight, &random);
    }
    if (layer->projection) {
      const TensorNeed& need = layer->projection->matrices.front().weight;
      model.tensors[need.name] = RandomTensor(need, &random);
    }
  }
  if (const auto& rule = model.description.generation;
      rule && !model.tensors.contains(rule->output.name)) {
    model.tensors[rule->output.name] = RandomTensor(rule->output, &random);
  }
  return model;
}

inline std::string Gpt2Config(int layers, int heads) {
  return R"({"model_type": "gpt2", "n_layer": )" + std::to_string(layers) + R"(, "n_head": )" +
         std::to_string(heads) + R"(, "n_embd": )" + std::to_string(4 * heads) +
         R"(, "n_positions": 32, "vocab_size": 40})";
}

inline constexpr std::string_view kGroupedConfig =
    R"({"model_type": "llama", "num_hidden_layers": 3, "num_attention_heads": 4,
        "num_key_value_heads": 2, "hidden_size": 16, "intermediate_size": 10,
        "max_position_embeddings": 32, "vocab_size": 40})";

inline constexpr std::string_view kBartConfig =
    R"({"model_type": "bart", "d_model": 8, "encoder_layers": 2, "decoder_layers": 2,
        "encoder_attention_heads": 2, "decoder_attention_heads": 2, "encoder_ffn_dim": 10,
        "decoder_ffn_dim": 10, "max_position_embeddings": 32, "vocab_size": 40})";

// A text, and a target for an encoder-decoder.
inline ForwardInput WordInput(const ModelDescription& model, std::int64_t tokens) {
  ForwardInput input = RandomIds(model, tokens, 3);
  if (model.decoder) {
    input.target_ids = RandomIds(*model.decoder, tokens - 1, 4).ids;
  }
  return input;
}

}  // namespace headscope::test
