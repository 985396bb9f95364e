// Reads how a decoder's text begins, goes on and ends, from generation_config.json, or from
// config.json in folders without it.
//
// Errors   kIo, kFormat; each names the file and the key.
// Source   transformers' GenerationConfig.
#pragma once

#include <cstdint>
#include <filesystem>

#include "core/base/error.h"
#include "core/io/json.h"
#include "core/model/block_description.h"

namespace headscope {

// Reads the rule for a description with a decoder from config.json; the output layer is lm_head's.
// The defaults apply if the file says nothing.
[[nodiscard]] Status ReadGeneration(const JsonObject& config,
                                    std::int64_t default_start,
                                    std::int64_t default_end,
                                    ModelDescription* model);

// Replaces the rule by generation_config.json, all of it, if the folder has one and the model
// generates. A mistake in the file does not prevent opening the model: it then generates no
// targets, and the description says why.
void ReadGenerationFile(const std::filesystem::path& folder, ModelDescription* model);

}  // namespace headscope
