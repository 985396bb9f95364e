// What BART and Marian share: an encoder and a decoder of one layout, one set of keys.
//
// Errors   as ParseConfig.
// Threads  any.
// Source   transformers' BartModel and MarianModel, whose tensors have the same names.
#pragma once

#include <string_view>

#include "core/model/config.h"

namespace headscope {

struct BartLayout {
  std::string_view family;
  bool has_embedding_norm = true;
  bool has_sinusoidal_positions = false;  // else learned ones, from the third row of a table on
  bool may_be_unshared = false;           // encoder and decoder may have vocabularies of their own
  std::int64_t default_start = 2;         // id of the token that the decoder starts with
  std::int64_t default_end = 2;           // and of the one that ends its text
};

// An encoder and a decoder, or a decoder that was saved as a language model by itself.
[[nodiscard]] Result<ModelDescription> DescribeBartLayout(const JsonObject& json,
                                                          const BartLayout& layout);

}  // namespace headscope
