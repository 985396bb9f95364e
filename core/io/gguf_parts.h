// A GGUF model in several files, as written by gguf-split and the gguf package:
// NAME-00001-of-00003.gguf holds the metadata, the others hold tensors. Also recognises GGUF files
// that accompany a model.
//
// Threads  any but the drawing one for functions that read a file.
// Source   the GGUF format, "split.no", "split.count", "split.tensors.count".
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

namespace headscope {

// Parses "llama-00002-of-00003" into "llama", 2 and 3; empty for other names. Shards of safetensors
// have such names, too.
struct NumberedPart {
  std::string_view name;
  std::int64_t number = 0;  // from 1
  std::int64_t count = 0;
};
[[nodiscard]] std::optional<NumberedPart> PartOfName(std::string_view stem);

// Returns the path of part `number` (from 1) of the model that `path` is a part of; `path` itself
// if its name is not a part's.
[[nodiscard]] std::filesystem::path GgufPart(const std::filesystem::path& path,
                                             std::int64_t number);
// Returns the first part if it exists, otherwise `path`.
[[nodiscard]] std::filesystem::path FirstGgufPart(const std::filesystem::path& path);

// Whether a GGUF file is not a model but accompanies one: an image encoder (mmproj), an adapter, or
// an importance matrix from quantising.
[[nodiscard]] bool IsGgufBesideModel(const std::filesystem::path& path);

}  // namespace headscope
