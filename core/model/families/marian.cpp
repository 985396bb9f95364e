// Marian: BART's layout with sinusoidal positions that are not in any file, and no norm of the
// embeddings.
//
// Source   Junczys-Dowmunt 2018; tensors as transformers' MarianModel names them, matrices [out,
//          in].
#include <algorithm>
#include <array>

#include "core/model/bart_layout.h"

namespace headscope {
extern const Family kMarianFamily;
namespace {

constexpr std::array<std::string_view, 2> kMarianPrefixes = {"model.", ""};

Result<ModelDescription> DescribeMarian(const JsonObject& json) {
  const std::int64_t padding =
      json.Value("pad_token_id").value_or(JsonValue()).Integer().value_or(58100);
  return DescribeBartLayout(json,
                            {.family = kMarianFamily.id,
                             .has_embedding_norm = false,
                             .positions = PositionScheme::kSinusoidal,
                             .may_be_unshared = true,
                             .default_start = std::max<std::int64_t>(padding, 0),
                             .default_end = 0});
}

}  // namespace

const Family kMarianFamily = {
    .id = "marian",
    .describe = DescribeMarian,
    .prefixes = kMarianPrefixes,
    .example = R"({"model_type": "marian", "encoder_layers": 3, "decoder_layers": 3,
                   "encoder_attention_heads": 3, "decoder_attention_heads": 3, "d_model": 12,
                   "encoder_ffn_dim": 10, "decoder_ffn_dim": 10, "max_position_embeddings": 16,
                   "scale_embedding": true, "pad_token_id": 3, "vocab_size": 11})",
};

}  // namespace headscope
