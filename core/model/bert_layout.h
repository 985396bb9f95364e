// What BERT and RoBERTa share: one layout of tensors, one set of keys.
//
// Errors   as ParseConfig.
// Threads  any.
// Source   transformers' BertModel and RobertaModel, whose tensors have the same names.
#pragma once

#include <string_view>

#include "core/model/config.h"

namespace headscope {

[[nodiscard]] Result<ModelDescription> DescribeBertLayout(const JsonObject& json,
                                                          std::string_view family);

}  // namespace headscope
