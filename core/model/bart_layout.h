// The common part of BART, Marian and their kin: an encoder and a decoder of one layout, and one set of keys.
//
// Errors   as ParseConfig.
// Source   transformers' BartModel and MarianModel, whose tensors have the same names.
#pragma once

#include <string_view>

#include "core/model/config.h"

namespace headscope {

struct BartLayout {
  std::string_view family = {};
  bool has_embedding_norm = true;
  bool is_placed_last = false;    // the decoder adds positions after its embeddings' norm
  bool is_normed_before = false;  // each part is normed before it, and each stack at its end
  // Learned, or sines: stored, or computed as fairseq does, counted from the padding token's id.
  PositionScheme positions = PositionScheme::kLearned;
  std::string_view activation = "gelu";  // if "activation_function" is missing
  std::int64_t position_offset = 2;      // row of the first learned position
  std::string_view encoder_positions = "max_position_embeddings";
  std::string_view decoder_positions = "max_position_embeddings";
  bool is_scaled = false;        // if "scale_embedding" is missing
  bool may_be_unshared = false;  // encoder and decoder may have separate vocabularies
  std::string_view encoder_vocabulary = "vocab_size";
  std::string_view decoder_vocabulary = {};  // empty: as the encoder's, if it is shared
  bool is_tied = true;                       // if "tie_word_embeddings" is missing
  std::string_view output = "lm_head.weight";
  std::int64_t default_start = 2;  // id of the token that the decoder starts with
  std::int64_t default_end = 2;    // id of the token that ends its text
};

// Describes an encoder with its decoder, or a decoder that was saved alone as a language model.
[[nodiscard]] Result<ModelDescription> DescribeBartLayout(const JsonObject& json,
                                                          const BartLayout& layout);

}  // namespace headscope
