// Two BERTs or RoBERTas as an encoder and its decoder (BERT2BERT, RoBERTa2RoBERTa): the decoder is one
// that sees no later tokens and, between its attention and its MLP, attends to the encoder's output.
//
// Source   Rothe 2020; tensors as transformers' EncoderDecoderModel names them, matrices [out, in].
#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "core/model/bert_layout.h"
#include "core/model/generation_file.h"
#include "core/model/tensor_needs.h"

namespace headscope {
extern const Family kEncoderDecoderFamily;
namespace {

constexpr std::array<std::string_view, 1> kNoPrefix = {""};
constexpr std::array<std::string_view, 5> kTypes = {
    "bert", "bert-generation", "camembert", "roberta", "xlm-roberta"};

// One of the two, with its tensors' names as in a model of its own.
Result<ModelDescription> DescribeHalf(const JsonObject& json, std::string_view name) {
  HEADSCOPE_TRY(const auto own, json.Object(name));
  if (!own) {
    return json.Refuse(name, "an object with its settings", ErrorCode::kFormat);
  }
  HEADSCOPE_TRY(const auto type, own->String("model_type"));
  if (std::ranges::find(kTypes, type) == kTypes.end()) {
    return own->Refuse(
        "model_type",
        fmt::format("one of {}; pairs with others do not open", fmt::join(kTypes, ", ")));
  }
  HEADSCOPE_TRY(auto half,
                DescribeBertLayout(*own,
                                   {.family = kEncoderDecoderFamily.id,
                                    .has_token_types = type != "bert-generation",
                                    .may_read_encoder = true}));
  if (!type.starts_with("bert")) {
    HEADSCOPE_TRY(CountFromPaddingToken(*own, 1, &half));
  }
  return half;
}

// The cross-attention of a layer has the names of its own attention.
CrossDescription Cross(const LayerDescription& layer) {
  CrossDescription cross{.norm = layer.attention_norm,
                         .query = layer.query_key_value,
                         .key_value = layer.query_key_value,
                         .output = layer.output,
                         .rule = layer.rule};
  cross.rule.causal = false;
  cross.query.matrices.resize(1);
  cross.key_value.matrices.erase(cross.key_value.matrices.begin());
  return cross;
}

void UseCrossNames(CrossDescription* cross) {
  const auto use = [](TensorNeed* need) {
    need->name.replace(need->name.find(".attention."), 11, ".crossattention.");
    need->stand_ins.clear();  // the encoder has none
  };
  for (LinearNeed* product : {&cross->query, &cross->key_value, &cross->output}) {
    for (LinearNeed::Matrix& matrix : product->matrices) {
      use(&matrix.weight);
      use(&*matrix.bias);
    }
  }
  use(&cross->norm.after->weight);
  use(&*cross->norm.after->bias);
}

Result<ModelDescription> DescribePair(const JsonObject& json) {
  HEADSCOPE_TRY(auto model, DescribeHalf(json, "encoder"));
  HEADSCOPE_TRY(auto decoder, DescribeHalf(json, "decoder"));
  HEADSCOPE_TRY(const auto is_tied, json.Boolean("tie_encoder_decoder", false));
  if (model.causal || !decoder.causal || model.model_dim != decoder.model_dim) {
    return Fail(
        ErrorCode::kUnsupported,
        fmt::format("{}: the encoder is {} wide and {}, the decoder {} and {}, expected the "
                    "same width, and \"is_decoder\" in the decoder alone",
                    json.name(),
                    model.model_dim,
                    model.causal ? "a decoder" : "none",
                    decoder.model_dim,
                    decoder.causal ? "one" : "none"));
  }
  HEADSCOPE_TRY(const auto half, json.Object("decoder"));
  HEADSCOPE_TRY(const auto type, half->String("model_type"));
  const std::string prefix = type.starts_with("bert") ? "decoder.bert." : "decoder.roberta.";
  for (TensorNeed* need : AllNeeds(&decoder)) {
    if (is_tied) {
      need->stand_ins = {"encoder." + need->name};
    }
    need->name = prefix + need->name;
  }
  for (TensorNeed* need : AllNeeds(&model)) {
    if (is_tied) {
      need->stand_ins = {prefix + need->name};
    }
    need->name = "encoder." + need->name;
  }
  for (LayerDescription& layer : decoder.layer) {
    layer.cross = Cross(layer);
    UseCrossNames(&*layer.cross);
  }
  model.has_target_vocabulary = decoder.vocabulary != model.vocabulary;
  model.decoder = std::move(decoder);
  HEADSCOPE_TRY(ReadGeneration(json, 0, 2, &model));
  if (type == "bert-generation") {
    model.generation->output.name = "decoder.lm_head.decoder.weight";
    model.generation->output.stand_ins = {model.decoder->token_embedding.name};
    model.generation->bias = TensorNeed{"decoder.lm_head.bias", {model.decoder->vocabulary}};
  } else {
    model.generation.reset();
    model.note = "This model writes no target by itself here: give one.";
  }
  model.unread = {"decoder.cls.", "decoder.lm_head.", "encoder.pooler."};
  return model;
}

}  // namespace

const Family kEncoderDecoderFamily = {
    .id = "encoder-decoder",
    .describe = DescribePair,
    .prefixes = kNoPrefix,
    .example = R"({"model_type": "encoder-decoder", "encoder": {"model_type": "bert",
                   "num_hidden_layers": 3, "num_attention_heads": 3, "hidden_size": 12,
                   "intermediate_size": 10, "max_position_embeddings": 16, "vocab_size": 11},
                   "decoder": {"model_type": "bert", "is_decoder": true,
                   "add_cross_attention": true, "num_hidden_layers": 2, "num_attention_heads": 4,
                   "hidden_size": 12, "intermediate_size": 10, "max_position_embeddings": 16,
                   "vocab_size": 11}})",
};

}  // namespace headscope
