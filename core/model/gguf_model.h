// A GGUF file as a model: its metadata as the config.json that a family reads, its tensors by the
// names that the file gives them.
//
// Errors   kFormat (a key missing or wrong), kUnsupported (an architecture or a setting that this
//          program does not run); the message names the file and the key.
// Threads  any.
// Source   the GGUF architectures; what their converters change on the way from a Hugging Face
//          folder (rows of queries and keys in a llama, the 1 that Gemma's norms add, transposed
//          and joined matrices) is undone by the description, not by copying weights.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "core/base/error.h"
#include "core/io/gguf.h"
#include "core/model/block_description.h"
#include "core/text/tokenizer.h"

namespace headscope {

// What the metadata says, as a config.json says it.
[[nodiscard]] Result<std::string> GgufConfig(const GgufFile& file);

// The description, with the file's own tensor names; marks tensors whose rows lie interleaved.
[[nodiscard]] Result<ModelDescription> DescribeGguf(GgufFile* file);

// Where the file leaves unsaid how a text is cut: by which rule it is. Else empty.
[[nodiscard]] std::string CuttingNote(const GgufMetadata& metadata);
// The same of what lies at a path that somebody calls a model.
[[nodiscard]] std::string CuttingNote(const std::filesystem::path& path);

// Null where the file has none.
[[nodiscard]] Result<std::shared_ptr<const Tokenizer>> GgufTokenizer(
    const GgufMetadata& metadata, const std::stop_token& stop = {});

}  // namespace headscope
