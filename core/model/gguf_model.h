// Opens a GGUF file as a model: turns its metadata into the config.json that a family reads, and
// uses the tensor names of the file.
//
// Errors   kFormat (a key missing or wrong), kUnsupported (an architecture or a setting that the
//          program does not run); the message names the file and the key.
// Source   the GGUF architectures; the description, not a copy of the weights, undoes what their
//          converters change in a Hugging Face folder (rows of queries and keys in a llama, the 1
//          that Gemma's norms add, transposed and joined matrices).
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "core/base/error.h"
#include "core/io/gguf.h"
#include "core/model/block_description.h"
#include "core/text/tokenizer.h"

namespace headscope {

// Returns the metadata in the form of a config.json.
[[nodiscard]] Result<std::string> GgufConfig(const GgufFile& file);

// Returns the description, with the file's own tensor names; marks tensors with interleaved rows.
[[nodiscard]] Result<ModelDescription> DescribeGguf(GgufFile* file);

// Returns how the file calls a tensor that a model folder calls `name`, whatever class saved it; empty:
// the file has it in another order, or not at all.
[[nodiscard]] Result<std::function<std::string(const std::string& name)>> GgufNames(
    const GgufFile& file);

// Describes the rule by which texts are split if the file does not give one; otherwise empty.
[[nodiscard]] std::string CuttingNote(const GgufMetadata& metadata);
// The same for a path that may hold a model.
[[nodiscard]] std::string CuttingNote(const std::filesystem::path& path);

// Returns null if the file has none.
[[nodiscard]] Result<std::shared_ptr<const Tokenizer>> GgufTokenizer(
    const GgufMetadata& metadata, const std::stop_token& stop = {});

}  // namespace headscope
