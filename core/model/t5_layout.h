// The layout of T5: an encoder and a decoder with relative positions as a bias on the unscaled scores;
// root-mean-square norms before each half.
//
// Errors   as core/model/family_kit.h.
// Source   Raffel 2020; Chung 2023 (umT5, whose layers each have a bias of their own); tensors as
//          transformers' T5Model names them, matrices [out, in].
#pragma once

#include <string_view>

#include "core/model/family_kit.h"

namespace headscope {

[[nodiscard]] Result<ModelDescription> DescribeT5(const JsonObject& json, std::string_view family);

}  // namespace headscope
