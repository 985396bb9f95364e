// The text of Llama 3.2 Vision. Some layers look at pictures; a text alone passes them by, and they are
// left out.
//
// Source   Grattafiori 2024; tensors as transformers' MllamaTextModel names them.
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/model/llama_layout.h"

namespace headscope {
extern const Family kMllamaFamily;
namespace {

constexpr std::int64_t kMoreTokens = 8;  // of pictures; the output layer does not say them

Result<ModelDescription> DescribeMllama(const JsonObject& json) {
  HEADSCOPE_TRY(
      const auto config,
      ReadLlamaConfig(json,
                      {.kv_heads = 8, .positions = 131'072, .theta = 500'000.0, .epsilon = 1e-5}));
  ModelDescription model = DescribeLlama(kMllamaFamily.id, config);
  const auto usual = [](auto layer) { return layer <= 38 && layer % 5 == 3; };
  HEADSCOPE_TRY(const auto is_pictured,
                ReadLayerNumbers(json,
                                 "cross_attention_layers",
                                 NumberBeyond::kRefused,
                                 LayersWhere(model.layers, usual)));
  std::vector<LayerDescription> kept;
  std::vector<std::size_t> pictured;
  for (std::size_t layer = 0; layer < model.layer.size(); ++layer) {
    if (!is_pictured[layer]) {
      kept.push_back(std::move(model.layer[layer]));
    } else {
      pictured.push_back(layer);
      model.unread.push_back(fmt::format("layers.{}.", layer));
    }
  }
  if (kept.empty()) {
    return Fail(ErrorCode::kFormat,
                fmt::format("{}: \"cross_attention_layers\" names all {} layers, expected some "
                            "that read text",
                            json.name(),
                            model.layers));
  }
  if (!pictured.empty()) {
    model.note = fmt::format(
        "Layers that look at pictures ({} in the file) are left out, as in transformers where there "
        "is none; those that follow count on.",
        fmt::join(pictured, ", "));
  }
  model.layers = std::ssize(kept);
  model.layer = std::move(kept);
  model.token_embedding.shape.front() += kMoreTokens;
  model.ties_embeddings = false;
  return model;
}

}  // namespace

const Family kMllamaFamily = {
    .id = "mllama_text_model",
    .describe = DescribeMllama,
    .prefixes = kLlamaPrefixes,
    .example = R"({"model_type": "mllama_text_model", "num_hidden_layers": 4,
                   "num_attention_heads": 4, "num_key_value_heads": 2, "hidden_size": 16,
                   "intermediate_size": 10, "cross_attention_layers": [1],
                   "max_position_embeddings": 16, "vocab_size": 11})",
};

}  // namespace headscope
