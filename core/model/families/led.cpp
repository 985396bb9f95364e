// LED and BigBird Pegasus: encoder-decoders of BART's layout for long texts. LED's encoder looks at
// windows to both sides (Longformer); BigBird's sees texts whole up to some length, and opens no longer
// ones.
//
// Source   Beltagy 2020; Zaheer 2020; tensors as transformers' classes name them, matrices [out, in].
#include <array>

#include "core/model/bart_layout.h"
#include "core/model/family_kit.h"

namespace headscope {
extern const Family kLedFamily;
namespace {

constexpr std::array<std::string_view, 3> kLedPrefixes = {"led.", "model.", ""};
constexpr std::array<OtherName, 4> kLedNames = {
    {{"self_attn.q_proj.", "self_attn.longformer_self_attn.query."},
     {"self_attn.k_proj.", "self_attn.longformer_self_attn.key."},
     {"self_attn.v_proj.", "self_attn.longformer_self_attn.value."},
     {"self_attn.out_proj.", "self_attn.output."}}};
constexpr std::array<OtherName, 4> kBigBirdNames = {{{"self_attn.q_proj.", "self_attn.self.query."},
                                                     {"self_attn.k_proj.", "self_attn.self.key."},
                                                     {"self_attn.v_proj.", "self_attn.self.value."},
                                                     {"self_attn.out_proj.", "self_attn.output."}}};
// Norms behind the last layers.
constexpr std::array<OtherName, 2> kLastNorms = {
    {{"encoder.layer_norm.", "encoder.layernorm_embedding."},
     {"decoder.layer_norm.", "decoder.layernorm_embedding."}}};

Result<ModelDescription> DescribeLed(const JsonObject& json) {
  HEADSCOPE_TRY(auto model,
                DescribeBartLayout(json,
                                   {.family = kLedFamily.id,
                                    .position_offset = 0,
                                    .encoder_positions = "max_encoder_position_embeddings",
                                    .decoder_positions = "max_decoder_position_embeddings"}));
  if (!model.decoder) {
    return model;
  }
  UseOtherNamesInEncoder(kLedNames, &model);
  HEADSCOPE_TRY(ReadSpans(json, &model));
  model.unread.insert(model.unread.end(), {"query_global", "key_global", "value_global"});
  model.note =
      "Every token of the encoder sees its window alone: none has global attention, as in "
      "transformers where nothing gives it to some.";
  return model;
}

void DropBiases(LinearNeed* product) {
  for (LinearNeed::Matrix& matrix : product->matrices) {
    matrix.bias.reset();
  }
}

void DropBiases(StackDescription* stack) {
  for (LayerDescription& layer : stack->layer) {
    DropBiases(&layer.query_key_value);
    DropBiases(&layer.output);
    if (layer.cross) {
      DropBiases(&layer.cross->query);
      DropBiases(&layer.cross->key_value);
      DropBiases(&layer.cross->output);
    }
  }
}

Result<ModelDescription> DescribeBigBirdPegasus(const JsonObject& json) {
  HEADSCOPE_TRY(auto model,
                DescribeBartLayout(json,
                                   {.family = kLedFamily.id,
                                    .has_embedding_norm = false,
                                    .is_normed_before = true,
                                    .activation = "gelu_new",
                                    .position_offset = 0,
                                    .is_scaled = true,
                                    .default_end = 1}));
  HEADSCOPE_TRY(const auto has_bias, json.Boolean("use_bias", false));
  UseOtherNames(kLastNorms, &model);
  if (!has_bias) {
    DropBiases(&model);
    if (model.decoder) {
      DropBiases(&*model.decoder);
    }
  }
  if (model.decoder) {
    UseOtherNamesInEncoder(kBigBirdNames, &model);
    HEADSCOPE_TRY(const auto positions, MostSeenWhole(json, model.positions));
    model.positions = positions;
  }
  return model;
}

Result<ModelDescription> DescribeLong(const JsonObject& json) {
  HEADSCOPE_TRY(const auto type, json.String("model_type"));
  return type == "led" ? DescribeLed(json) : DescribeBigBirdPegasus(json);
}

}  // namespace

const Family kLedFamily = {
    .id = "led",
    .other_types = "bigbird_pegasus",
    .describe = DescribeLong,
    .prefixes = kLedPrefixes,
    .example = R"({"model_type": "led", "encoder_layers": 3, "decoder_layers": 3,
                   "encoder_attention_heads": 3, "decoder_attention_heads": 2, "d_model": 12,
                   "encoder_ffn_dim": 10, "decoder_ffn_dim": 9, "attention_window": 4,
                   "max_position_embeddings": 16, "max_encoder_position_embeddings": 16,
                   "max_decoder_position_embeddings": 14, "vocab_size": 11})",
};

}  // namespace headscope
