// TransformerLens' HookedTransformer: a matrix for each head, and toys without MLPs, without norms or
// with SoLU. A cfg.json of its own names no "model_type".
//
// Source   Nanda 2022; Elhage 2022 (SoLU); Press 2021 (positions in each layer: Shortformer);
//          tensors as HookedTransformer names them, matrices [in, out].
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "core/model/hooked_layout.h"
#include "core/model/rotary.h"

namespace headscope {
extern const Family kHookedTransformerFamily;
namespace {

constexpr std::array<std::string_view, 1> kPrefixes = {""};

Status AddPositions(const JsonObject& json, const HookedConfig& config, ModelDescription* model) {
  const StackSizes& sizes = config.sizes;
  const TensorNeed table{"pos_embed.W_pos", {sizes.positions, sizes.model_dim}};
  if (config.positions == "rotary") {
    HEADSCOPE_TRY(const auto turned, json.Integer("rotary_dim", 2, sizes.head_dim, sizes.head_dim));
    HEADSCOPE_TRY(const auto base,
                  json.Number("rotary_base", 1.0, kMaxRotaryBase, kUsualRotaryBase));
    HEADSCOPE_TRY(const auto is_adjacent, json.Boolean("rotary_adjacent_pairs", false));
    RotaryRule rule;
    rule.dims = turned;
    rule.theta = base;
    for (std::int64_t i = 0; i < turned / 2; ++i) {
      rule.table.inverse_frequency.push_back(
          std::pow(base, -2.0 * static_cast<double>(i) / static_cast<double>(turned)));
    }
    rule.table.pairs_neighbours = is_adjacent;
    model->position_scheme = PositionScheme::kRotary;
    model->rotary = {std::move(rule)};
  } else if (config.positions == "shortformer") {
    model->layer_positions = table;
  } else {
    model->position_scheme = PositionScheme::kLearned;
    model->position_embedding = table;
  }
  return {};
}

Result<ModelDescription> DescribeHooked(const JsonObject& json) {
  HEADSCOPE_TRY(const auto config, ReadHookedConfig(json));
  const StackSizes& sizes = config.sizes;
  ModelDescription model = StartDescription(kHookedTransformerFamily.id, sizes, "embed.W_E");
  model.causal = config.is_causal;
  HEADSCOPE_TRY(AddPositions(json, config, &model));
  if (config.norms_embeddings) {
    model.embedding_norm = HookedNorm(config, "embed.ln", sizes.model_dim, false, true);
  }
  model.final_norm = UsualHookedNorm(config, "ln_final");
  if (config.is_final_rms && model.final_norm) {
    model.final_norm =
        HookedNorm(config, "ln_final", sizes.model_dim, true, !config.norm.ends_with("Pre"));
  }
  HEADSCOPE_TRY(const auto made, json.Integer("d_vocab_out", -1, kMaxVocabulary, -1));
  if (model.causal && (made < 0 || made == sizes.vocabulary)) {
    model.output_layer = OutputNamed("unembed", model);
    model.output_layer->weight.name = "unembed.W_U";
    model.output_layer->weight.is_turned = true;
    model.output_layer->bias->name = "unembed.b_U";
  }
  HEADSCOPE_TRY(model.tokenizer_name, json.String("tokenizer_name", ""));
  for (std::int64_t layer = 0; layer < sizes.layers; ++layer) {
    model.layer.push_back(HookedLayer(layer, config));
    if (config.positions == "rotary") {
      model.layer.back().rotary = 0;
    }
  }
  return model;
}

}  // namespace

const Family kHookedTransformerFamily = {
    .id = "hooked_transformer",
    .describe = DescribeHooked,
    .prefixes = kPrefixes,
    .example = R"({"model_type": "hooked_transformer", "n_layers": 3, "n_heads": 3, "d_model": 12,
                   "d_head": 4, "d_mlp": 10, "n_ctx": 16, "d_vocab": 11, "act_fn": "solu_ln",
                   "positional_embedding_type": "shortformer"})",
};

}  // namespace headscope
