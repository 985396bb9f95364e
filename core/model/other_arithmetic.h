// What a config.json says that changes the arithmetic of its family, and is not run here.
//
// Errors   kUnsupported; the message names the file and the key.
// Threads  any.
// Source   transformers' configurations and masks; what code in a model's own folder (auto_map) is
//          told.
#pragma once

#include <string>

#include "core/base/error.h"
#include "core/io/json.h"
#include "core/model/block_description.h"

namespace headscope {

[[nodiscard]] Status RefuseOtherArithmetic(const JsonObject& config, const ModelDescription& model);

// A sentence about code of the model's own that "auto_map" names and that is not run; empty: none.
[[nodiscard]] std::string OwnCodeNote(const JsonObject& config, const ModelDescription& model);

}  // namespace headscope
