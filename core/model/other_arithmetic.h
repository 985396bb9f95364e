// Settings in config.json that change a family's arithmetic and are not supported.
//
// Errors   kUnsupported; the message names the file and the key.
// Source   transformers' configurations and masks; settings for code in a model's own folder
//          (auto_map).
#pragma once

#include <string>

#include "core/base/error.h"
#include "core/io/json.h"
#include "core/model/block_description.h"

namespace headscope {

[[nodiscard]] Status RefuseOtherArithmetic(const JsonObject& config, const ModelDescription& model);

// Returns a sentence about the model's own code that "auto_map" names and that is not run; empty if
// there is none.
[[nodiscard]] std::string OwnCodeNote(const JsonObject& config, const ModelDescription& model);

}  // namespace headscope
