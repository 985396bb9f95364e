// The common part of BERT, RoBERTa and their kin: one layout of tensors, and one set of keys.
//
// Errors   as ParseConfig.
// Source   transformers' BertModel and RobertaModel, whose tensors have the same names.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core/model/family_kit.h"

namespace headscope {

// What types of this layout differ in; `names` as UseOtherNames takes them, `unread` as
// ModelDescription has it.
struct BertLayout {
  std::string_view family = {};
  bool is_normed_before = false;  // each half is normed before it, not after its residual
  bool has_embedding_norm = true;
  bool has_token_types = true;
  bool decides_positions = false;        // the family reads "position_embedding_type" itself
  bool may_read_encoder = false;         // "add_cross_attention"; the family adds it
  std::string_view activation = "gelu";  // if "hidden_act" is missing
  double epsilon = 1e-12;                // if "layer_norm_eps" is missing
  std::string_view final_norm = {};      // after the last layer; empty: none
  std::span<const OtherName> names = {};
  std::span<const std::string_view> unread = {};
};

[[nodiscard]] Result<ModelDescription> DescribeBertLayout(const JsonObject& json,
                                                          const BertLayout& layout);

// Counts positions from the one after the padding token's, as RoBERTa does. kFormat: there is none.
[[nodiscard]] Status CountFromPadding(const JsonObject& json,
                                      std::int64_t padding,
                                      ModelDescription* model);
// From the one after "pad_token_id", which is `usual` where it is not given.
[[nodiscard]] Status CountFromPaddingToken(const JsonObject& json,
                                           std::int64_t usual,
                                           ModelDescription* model);

}  // namespace headscope
