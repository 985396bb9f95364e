// A GGUF model in several files, as gguf-split and the gguf package write it: NAME-00001-of-00003.gguf
// holds the metadata, each of the others tensors; and what else lies beside a model as GGUF.
//
// Threads  any but the one that draws, where a file is read.
// Source   the GGUF format, "split.no", "split.count", "split.tensors.count".
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

namespace headscope {

// "llama" 2 3 of "llama-00002-of-00003"; nothing for other names. Shards of safetensors are called
// so, too.
struct NumberedPart {
  std::string_view name;
  std::int64_t number = 0;  // from 1
  std::int64_t count = 0;
};
[[nodiscard]] std::optional<NumberedPart> PartOfName(std::string_view stem);

// The file of part `number`, from 1, beside one of the same model; the path itself where it is not
// called as a part is.
[[nodiscard]] std::filesystem::path GgufPart(const std::filesystem::path& path,
                                             std::int64_t number);
// The first part, where it is there; else the path.
[[nodiscard]] std::filesystem::path FirstGgufPart(const std::filesystem::path& path);

// Whether a GGUF file is no model of its own but goes with one: what reads its pictures (mmproj), an
// adapter, what was measured to quantise it.
[[nodiscard]] bool IsGgufBesideModel(const std::filesystem::path& path);

}  // namespace headscope
