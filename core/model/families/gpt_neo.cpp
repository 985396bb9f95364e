// GPT-Neo (TinyStories): GPT-2's order with separate queries, keys and values, scores that are not
// scaled, and a window in every other layer.
//
// Source   Black 2021; tensors as transformers' GPTNeoModel names them, matrices [out, in].
#include <array>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/model/family_kit.h"

namespace headscope {
extern const Family kGptNeoFamily;
namespace {

constexpr std::array<std::string_view, 2> kGptNeoPrefixes = {"transformer.", ""};
constexpr double kMostRepeats = 1024;

struct GptNeoConfig {
  StackSizes sizes;
  double epsilon = 1e-5;
  ActivationKind activation = ActivationKind::kGeluTanh;
  std::vector<std::int64_t> windows;  // per layer, 0: none
};

// "attention_types" is a list of pairs: names of kinds, and how often they come in turn.
Result<std::vector<bool>> ReadSlides(const JsonObject& json, std::int64_t layers) {
  const auto refuse = [&] {
    return json.Refuse(
        "attention_types",
        fmt::format(
            "pairs of a list of \"global\" and \"local\" and how often it repeats, {} in all",
            layers),
        ErrorCode::kFormat);
  };
  HEADSCOPE_TRY(const auto pairs, json.Array("attention_types"));
  std::vector<bool> slides;
  if (!pairs) {
    slides = LayersWhere(layers, [](auto layer) { return layer % 2 != 0; });
  }
  for (std::size_t i = 0; pairs && i < pairs->size(); ++i) {
    const auto pair = (*pairs)[i].Array();
    const auto kinds = pair && pair->size() == 2 ? (*pair)[0].Array() : std::nullopt;
    const double times = kinds ? (*pair)[1].Number().value_or(0.0) : 0.0;
    if (!(times >= 1.0) || times > kMostRepeats) {
      return refuse();
    }
    for (int time = 0; time < static_cast<int>(times); ++time) {
      for (const JsonValue kind : *kinds) {
        slides.push_back(kind.Text().value_or("") == "local");
      }
    }
  }
  if (std::ssize(slides) != layers) {
    return refuse();
  }
  return slides;
}

LayerDescription GptNeoLayer(std::size_t index, const GptNeoConfig& config) {
  const std::string prefix = fmt::format("h.{}.", index);
  const std::string attention = prefix + "attn.attention.";
  const std::int64_t width = config.sizes.model_dim;
  const std::int64_t inner = config.sizes.inner;
  LayerDescription layer;
  layer.attention_norm = NormBefore(LayerNorm(prefix + "ln_1", width, config.epsilon));
  layer.query_key_value = Product({MatrixPart(attention + "q_proj", width, width, HasBias::kNo),
                                   MatrixPart(attention + "k_proj", width, width, HasBias::kNo),
                                   MatrixPart(attention + "v_proj", width, width, HasBias::kNo)});
  layer.output = Product({MatrixPart(attention + "out_proj", width, width, HasBias::kYes)});
  layer.rule = {.scale = 1.0, .causal = true, .window = config.windows[index]};
  layer.mlp_norm = NormBefore(LayerNorm(prefix + "ln_2", width, config.epsilon));
  layer.mlp_up = Product({MatrixPart(prefix + "mlp.c_fc", width, inner, HasBias::kYes)});
  layer.mlp_down = Product({MatrixPart(prefix + "mlp.c_proj", inner, width, HasBias::kYes)});
  layer.activation = config.activation;
  return layer;
}

Result<GptNeoConfig> ReadGptNeo(const JsonObject& json) {
  HEADSCOPE_TRY(const auto sizes,
                ReadSizes(json,
                          {.layers = "num_layers",
                           .heads = "num_heads",
                           .default_positions = 2048,
                           .default_inner_factor = 4}));
  HEADSCOPE_TRY(const auto epsilon, json.Number("layer_norm_epsilon", 0.0, 1000.0, 1e-5));
  HEADSCOPE_TRY(const auto activation, ReadActivation(json, "activation_function", "gelu_new"));
  HEADSCOPE_TRY(const auto window, json.Integer("window_size", 1, kMaxPositions, 256));
  HEADSCOPE_TRY(const auto slides, ReadSlides(json, sizes.layers));
  GptNeoConfig config{.sizes = sizes, .epsilon = epsilon, .activation = activation, .windows = {}};
  for (const bool is_local : slides) {
    config.windows.push_back(is_local ? window : 0);
  }
  return config;
}

Result<ModelDescription> DescribeGptNeo(const JsonObject& json) {
  HEADSCOPE_TRY(const auto config, ReadGptNeo(json));
  HEADSCOPE_TRY(const auto is_tied, json.Boolean("tie_word_embeddings", true));
  const StackSizes& sizes = config.sizes;
  ModelDescription model = StartDescription(kGptNeoFamily.id, sizes, "wte.weight");
  model.ties_embeddings = is_tied;
  model.position_scheme = PositionScheme::kLearned;
  model.position_embedding = TensorNeed{"wpe.weight", {sizes.positions, sizes.model_dim}};
  model.output_layer = OutputNamed("lm_head", model);
  model.final_norm = LayerNorm("ln_f", sizes.model_dim, config.epsilon);
  for (std::size_t layer = 0; layer < config.windows.size(); ++layer) {
    model.layer.push_back(GptNeoLayer(layer, config));
  }
  return model;
}

}  // namespace

const Family kGptNeoFamily = {
    .id = "gpt_neo",
    .describe = DescribeGptNeo,
    .prefixes = kGptNeoPrefixes,
    .example = R"({"model_type": "gpt_neo", "num_layers": 3, "num_heads": 3, "hidden_size": 12,
                   "intermediate_size": 10, "max_position_embeddings": 16, "window_size": 5,
                   "attention_types": [[["global", "local"], 1], [["global"], 1]],
                   "vocab_size": 11})",
};

}  // namespace headscope
