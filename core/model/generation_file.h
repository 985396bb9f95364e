// How a decoder's text begins, goes on and ends, as generation_config.json says, or config.json in
// folders that have none.
//
// Errors   kIo, kFormat; each names the file and the key.
// Threads  any.
// Source   transformers' GenerationConfig.
#pragma once

#include <cstdint>
#include <filesystem>

#include "core/base/error.h"
#include "core/io/json.h"
#include "core/model/block_description.h"

namespace headscope {

// Reads the rule of a description with a decoder from config.json; the output layer is lm_head's.
// The defaults hold where the file says nothing.
[[nodiscard]] Status ReadGeneration(const JsonObject& config,
                                    std::int64_t default_start,
                                    std::int64_t default_end,
                                    ModelDescription* model);

// Puts what generation_config.json says in its place, all of it, where the folder has one and the
// model generates. What is wrong in it closes no model: its targets are not made then, and the
// description says why.
void ReadGenerationFile(const std::filesystem::path& folder, ModelDescription* model);

}  // namespace headscope
