// BART: an encoder and a decoder, normed after each half and after the embeddings.
//
// Source   Lewis 2020; tensors as transformers' BartModel names them, matrices [out, in].
#include <array>

#include "core/model/bart_layout.h"

namespace headscope {
extern const Family kBartFamily;
namespace {

constexpr std::array<std::string_view, 2> kBartPrefixes = {"model.", ""};

Result<ModelDescription> DescribeBart(const JsonObject& json) {
  return DescribeBartLayout(json, {.family = kBartFamily.id});
}

}  // namespace

const Family kBartFamily = {
    .id = "bart",
    .describe = DescribeBart,
    .prefixes = kBartPrefixes,
    .example = R"({"model_type": "bart", "encoder_layers": 3, "decoder_layers": 3,
                   "encoder_attention_heads": 3, "decoder_attention_heads": 2, "d_model": 12,
                   "encoder_ffn_dim": 10, "decoder_ffn_dim": 9, "max_position_embeddings": 16,
                   "vocab_size": 11})",
};

}  // namespace headscope
