// The common part of BART and Marian: an encoder and a decoder of one layout, and one set of keys.
//
// Errors   as ParseConfig.
// Source   transformers' BartModel and MarianModel, whose tensors have the same names.
#pragma once

#include <string_view>

#include "core/model/config.h"

namespace headscope {

struct BartLayout {
  std::string_view family;
  bool has_embedding_norm = true;
  bool has_sinusoidal_positions = false;  // false: learned, from the third row of a table on
  bool may_be_unshared = false;           // encoder and decoder may have separate vocabularies
  std::int64_t default_start = 2;         // id of the token that the decoder starts with
  std::int64_t default_end = 2;           // id of the token that ends its text
};

// Describes an encoder with its decoder, or a decoder that was saved alone as a language model.
[[nodiscard]] Result<ModelDescription> DescribeBartLayout(const JsonObject& json,
                                                          const BartLayout& layout);

}  // namespace headscope
