// What a config.json or the names of tensors tell of models that do not open: how their weights are
// quantised, that they have no attention, that they read pictures or sound.
//
// Errors   kUnsupported: what the model is, with what to do.
// Threads  any.
// Source   "quantization_config" of transformers, and what its quantisers call their tensors.
#pragma once

#include <string>
#include <string_view>

#include "core/base/error.h"
#include "core/io/json.h"
#include "core/io/weight_store.h"

namespace headscope {

// Asked before a family reads the config: weights that are no numbers of their own.
[[nodiscard]] Status RefuseQuantised(const JsonObject& config);
// The same by the tensors, of files whose config says nothing.
[[nodiscard]] Status RefuseQuantised(const TensorMap& tensors, const std::string& name);

// Asked where no family takes the config: what kind of model it is, as a clause behind
// "models of the family X"; empty for one that may be of text like those that open.
[[nodiscard]] std::string_view WhyNoFamily(std::string_view model_type, const JsonObject& config);
// The same of an architecture of GGUF.
[[nodiscard]] std::string_view WhyNoFamily(std::string_view architecture);

}  // namespace headscope
