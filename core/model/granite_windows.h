// Granite SWA: windows in most layers, a base of the rotary positions in each, and a sink for each head.
//
// Errors   as core/model/family_kit.h.
// Source   tensors as transformers' GraniteSWAModel and GraniteMoeSWAModel name them.
#pragma once

#include <string_view>

#include "core/model/llama_layout.h"

namespace headscope {

[[nodiscard]] Result<ModelDescription> DescribeGraniteSwa(std::string_view family,
                                                          const JsonObject& json,
                                                          LlamaConfig config);

}  // namespace headscope
