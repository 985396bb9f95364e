// What lies at a path that somebody calls a model: the files to read, or the reason it does not
// open.
//
// Errors   kIo (nothing there, not readable), kFormat (no model), kUnsupported (what it is instead,
//          with what to do: core/model/foreign_kind.h). Of files no more is read than tells them
//          apart.
// Threads  any.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

#include "core/base/error.h"

namespace headscope {

struct ModelFiles {
  enum class Kind { kFolder, kShards, kGguf, kModule };
  Kind kind = Kind::kFolder;
  // What a person calls the model: the path that was asked for; of a file of a folder the folder,
  // of one part of several the first.
  std::filesystem::path path = {};
  std::filesystem::path folder;  // where the config and the tokenizer lie
  std::filesystem::path config;  // empty: the weights hold it
  // model.safetensors, the index of its shards, a GGUF file, or an attention module's state.
  std::filesystem::path weights;
};

// `path`: a folder with a config.json, or a file of one, a GGUF file or a folder with one, a
// .safetensors file, or a repository of the Hugging Face cache, which stands for its main snapshot
// (core/model/model_cache.h).
[[nodiscard]] Result<ModelFiles> FindModelFiles(const std::filesystem::path& path);

// The folder of the model that a file with such a name belongs to, config.json, model.safetensors,
// a shard, tokenizer.json and others; empty: the file stands for itself.
[[nodiscard]] std::filesystem::path FolderOfModelFile(const std::filesystem::path& path);

// A checkpoint of a bundled model lies in step-<N> under the model's folder.
inline constexpr std::string_view kCheckpointPrefix = "step-";

// The step that a checkpoint's folder is named by: "step-64", "step-000064", or, as the Trainer of
// transformers has it, "checkpoint-64"; nothing for a name of another form.
[[nodiscard]] std::optional<std::int64_t> StepOfCheckpoint(std::string_view folder_name);

// The folder's own name; its parent's, if that is "hf"; with its parent's before it, if it is a
// checkpoint ("gpt-h8/step-64"). A file's without its ending. In the Hugging Face cache the
// repository's: "org/name".
[[nodiscard]] std::string ModelName(const std::filesystem::path& path);

}  // namespace headscope
