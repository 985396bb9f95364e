// What a config.json or tensor names reveal about models that cannot be opened: a method of
// quantisation, no attention, or images or sound as input.
//
// Errors   kUnsupported: says what the model is, and what to do.
// Source   "quantization_config" of transformers, and the tensor names of its quantisers.
#pragma once

#include <string>
#include <string_view>

#include "core/base/error.h"
#include "core/io/json.h"
#include "core/io/weight_store.h"

namespace headscope {

// Called before a family reads the config: rejects quantised weights; with `takes_mxfp4`, all but
// these.
[[nodiscard]] Status RefuseQuantised(const JsonObject& config, bool takes_mxfp4);
// The same by tensor names, for files whose config does not say it.
[[nodiscard]] Status RefuseQuantised(const TensorMap& tensors, const std::string& name);

// Called if no family accepts the config: returns the kind of model as a clause to follow "models
// of the family X"; empty if it may be a text model like the supported ones.
[[nodiscard]] std::string_view WhyNoFamily(std::string_view model_type, const JsonObject& config);
// The same for an architecture of GGUF.
[[nodiscard]] std::string_view WhyNoFamily(std::string_view architecture);

}  // namespace headscope
