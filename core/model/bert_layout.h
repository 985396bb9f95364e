// The common part of BERT and RoBERTa: one layout of tensors, and one set of keys.
//
// Errors   as ParseConfig.
// Source   transformers' BertModel and RobertaModel, whose tensors have the same names.
#pragma once

#include <string_view>

#include "core/model/config.h"

namespace headscope {

[[nodiscard]] Result<ModelDescription> DescribeBertLayout(const JsonObject& json,
                                                          std::string_view family);

}  // namespace headscope
