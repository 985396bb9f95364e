// GPT-J and CodeGen: one norm before attention and MLP, which run side by side; neighbouring columns
// of each head are rotated. CodeGen cuts one matrix in four blocks of queries, values and keys.
//
// Source   Wang 2021; Nijkamp 2023; tensors as transformers' classes name them, matrices [out, in].
#include <array>
#include <utility>

#include <fmt/format.h>

#include "core/model/family_kit.h"
#include "core/model/rotary.h"

namespace headscope {
extern const Family kGptjFamily;
namespace {

constexpr std::array<std::string_view, 2> kGptjPrefixes = {"transformer.", ""};
constexpr std::int64_t kBlocks = 4;

struct GptjConfig {
  StackSizes sizes;
  double epsilon = 1e-5;
  ActivationKind activation = ActivationKind::kGeluTanh;
  bool is_codegen = false;
};

LinearNeed GptjProjections(const std::string& attention, const GptjConfig& config) {
  const std::int64_t width = config.sizes.model_dim;
  const auto part = [&](const char* name, std::int64_t out) {
    return MatrixPart(attention + name, width, out, HasBias::kNo);
  };
  if (!config.is_codegen) {
    return Product({part("q_proj", width), part("k_proj", width), part("v_proj", width)});
  }
  const LinearNeed::Matrix whole = part("qkv_proj", 3 * width);
  std::vector<LinearNeed::Matrix> parts;
  for (const std::int64_t kind : {0, 2, 1}) {  // queries, keys, values
    for (std::int64_t block = 0; block < kBlocks; ++block) {
      parts.push_back(RowsOf(whole, (3 * block + kind) * width / kBlocks, width / kBlocks));
    }
  }
  return Product(std::move(parts));
}

LayerDescription GptjLayer(std::int64_t index, const GptjConfig& config) {
  const std::string prefix = fmt::format("h.{}.", index);
  const std::int64_t width = config.sizes.model_dim;
  const std::int64_t inner = config.sizes.inner;
  LayerDescription layer;
  layer.is_parallel = true;
  layer.attention_norm = NormBefore(LayerNorm(prefix + "ln_1", width, config.epsilon));
  layer.query_key_value = GptjProjections(prefix + "attn.", config);
  layer.rotary = 0;
  layer.output = Product({MatrixPart(prefix + "attn.out_proj", width, width, HasBias::kNo)});
  layer.rule = {.scale = UsualScale(config.sizes.head_dim), .causal = true};
  layer.mlp_up = Product({MatrixPart(prefix + "mlp.fc_in", width, inner, HasBias::kYes)});
  layer.mlp_down = Product({MatrixPart(prefix + "mlp.fc_out", inner, width, HasBias::kYes)});
  layer.activation = config.activation;
  return layer;
}

Result<GptjConfig> ReadGptj(const JsonObject& json) {
  HEADSCOPE_TRY(const auto type, json.String("model_type"));
  GptjConfig config;
  config.is_codegen = type == "codegen";
  HEADSCOPE_TRY(config.sizes,
                ReadSizes(json,
                          {.layers = "n_layer",
                           .heads = "n_head",
                           .model_dim = "n_embd",
                           .inner = "n_inner",
                           .positions = "n_positions",
                           .default_inner_factor = 4}));
  HEADSCOPE_TRY(config.epsilon, json.Number("layer_norm_epsilon", 0.0, 1000.0, 1e-5));
  HEADSCOPE_TRY(config.activation, ReadActivation(json, "activation_function", "gelu_new"));
  if (config.is_codegen && config.sizes.heads % kBlocks != 0) {
    return json.Refuse("n_head", fmt::format("a multiple of {}", kBlocks), ErrorCode::kFormat);
  }
  return config;
}

Result<ModelDescription> DescribeGptj(const JsonObject& json) {
  HEADSCOPE_TRY(const auto config, ReadGptj(json));
  const StackSizes& sizes = config.sizes;
  HEADSCOPE_TRY(const auto turned, json.Integer("rotary_dim", 2, sizes.head_dim, sizes.head_dim));
  HEADSCOPE_TRY(auto rotary,
                ReadRotary(json,
                           {.head_dim = sizes.head_dim,
                            .positions = sizes.positions,
                            .partial_factor = static_cast<double>(turned) /
                                              static_cast<double>(sizes.head_dim)}));
  HEADSCOPE_TRY(const auto is_tied, json.Boolean("tie_word_embeddings", false));
  rotary.rule.table.pairs_neighbours = true;
  ModelDescription model = StartDescription(kGptjFamily.id, sizes, "wte.weight");
  model.ties_embeddings = is_tied;
  model.position_scheme = PositionScheme::kRotary;
  model.rotary = {rotary.rule};
  model.output_layer = OutputNamed("lm_head", model);
  model.final_norm = LayerNorm("ln_f", sizes.model_dim, config.epsilon);
  for (std::int64_t layer = 0; layer < sizes.layers; ++layer) {
    model.layer.push_back(GptjLayer(layer, config));
  }
  return model;
}

}  // namespace

const Family kGptjFamily = {
    .id = "gptj",
    .other_types = "codegen",
    .describe = DescribeGptj,
    .prefixes = kGptjPrefixes,
    .example = R"({"model_type": "gptj", "n_layer": 3, "n_head": 3, "n_embd": 24, "n_inner": 10,
                   "n_positions": 16, "rotary_dim": 4, "vocab_size": 11})",
};

}  // namespace headscope
