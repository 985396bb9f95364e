// BART and types of its layout: an encoder and a decoder. BART and Blenderbot Small norm after each
// half and after the embeddings; mBART, M2M (NLLB), Pegasus and Blenderbot before each half and at the end;
// FSMT after each half alone, with a vocabulary for each language.
//
// Source   Lewis 2020; Liu 2020 (mBART); Ng 2019 (FSMT); Zhang 2020 (Pegasus); Roller 2021 (Blenderbot); tensors as
//          transformers' classes name them, matrices [out, in].
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "core/model/bart_layout.h"

namespace headscope {
extern const Family kBartFamily;
namespace {

constexpr std::array<std::string_view, 2> kBartPrefixes = {"model.", ""};

struct BartKin {
  std::string_view type;
  BartLayout layout;
};
const std::array<BartKin, 9> kBartKin = {{
    {.type = "bart", .layout = {}},
    {.type = "mvp", .layout = {}},
    {.type = "plbart", .layout = {.is_scaled = true}},
    {.type = "m2m_100",
     .layout = {.has_embedding_norm = false,
                .is_normed_before = true,
                .positions = PositionScheme::kFairseqSinusoidal,
                .activation = "relu",
                .is_scaled = true}},
    {.type = "mbart", .layout = {.is_normed_before = true}},
    {.type = "pegasus",
     .layout = {.has_embedding_norm = false,
                .is_normed_before = true,
                .positions = PositionScheme::kSinusoidal,
                .default_start = 0,
                .default_end = 1}},
    {.type = "blenderbot",
     .layout = {.has_embedding_norm = false,
                .is_normed_before = true,
                .position_offset = 0,
                .default_start = 1}},
    {.type = "blenderbot-small",
     .layout = {.is_placed_last = true, .position_offset = 0, .default_start = 1}},
    {.type = "fsmt",
     .layout = {.has_embedding_norm = false,
                .positions = PositionScheme::kFairseqSinusoidal,
                .activation = "relu",
                .is_scaled = true,
                .encoder_vocabulary = "src_vocab_size",
                .decoder_vocabulary = "tgt_vocab_size",
                .is_tied = false,
                .output = "decoder.output_projection.weight"}},
}};

Result<ModelDescription> DescribeBart(const JsonObject& json) {
  HEADSCOPE_TRY(const auto type, json.String("model_type"));
  HEADSCOPE_TRY(const auto has_prompt, json.Boolean("use_prompt", false));
  if (has_prompt) {
    return json.Refuse("use_prompt", "false; keys and values that are no tokens' do not open");
  }
  BartLayout layout = std::ranges::find(kBartKin, std::string_view(type), &BartKin::type)->layout;
  layout.family = kBartFamily.id;
  if (layout.positions == PositionScheme::kFairseqSinusoidal) {
    HEADSCOPE_TRY(const auto padding, json.Integer("pad_token_id", 0, kMaxVocabulary, 1));
    layout.position_offset = padding + 1;
  }
  return DescribeBartLayout(json, layout);
}

}  // namespace

const Family kBartFamily = {
    .id = "bart",
    .other_types = "m2m_100 mbart pegasus blenderbot blenderbot-small mvp plbart fsmt",
    .describe = DescribeBart,
    .prefixes = kBartPrefixes,
    .example = R"({"model_type": "bart", "encoder_layers": 3, "decoder_layers": 3,
                   "encoder_attention_heads": 3, "decoder_attention_heads": 2, "d_model": 12,
                   "encoder_ffn_dim": 10, "decoder_ffn_dim": 9, "max_position_embeddings": 16,
                   "vocab_size": 11})",
};

}  // namespace headscope
