// Finds the files to read for a path that should be a model, or the reason why it does not open.
//
// Errors   kIo (nothing there, not readable), kFormat (not a model), kUnsupported (what it is
//          instead, and what to do: core/model/foreign_kind.h). Files are read only as far as
//          needed to recognise them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

#include "core/base/error.h"

namespace headscope {

struct ModelFiles {
  // kCheckpoint: one file of torch that holds the settings, too.
  enum class Kind { kFolder, kShards, kGguf, kModule, kCheckpoint };
  Kind kind = Kind::kFolder;
  // The user's name for the model: the given path; for a file in a folder the folder, for one part
  // of several the first.
  std::filesystem::path path = {};
  std::filesystem::path folder;  // has the config and the tokenizer
  std::filesystem::path config;  // empty: the weights hold it
  // model.safetensors, the index of its shards, a GGUF file, or an attention module's state.
  std::filesystem::path weights;
  // The folder of an adapter, for which everything else is of its base. Usually empty.
  std::filesystem::path adapter = {};
};

// `path` may be a folder with a config.json (TransformerLens' may be cfg.json) or a file in one, a
// GGUF file or a folder with one, a .safetensors file, nanoGPT's ckpt.pt or its folder, the folder
// of a LoRA adapter whose base is found (core/model/adapter.h), or a repository
// of the Hugging Face cache, which stands for its main snapshot (core/model/model_cache.h).
[[nodiscard]] Result<ModelFiles> FindModelFiles(const std::filesystem::path& path);

// Returns the folder of the model that a file with such a name belongs to: config.json,
// model.safetensors, a shard, tokenizer.json and others. Empty if the file stands for itself.
[[nodiscard]] std::filesystem::path FolderOfModelFile(const std::filesystem::path& path);

// A checkpoint of a bundled model is in step-<N> in the model's folder.
inline constexpr std::string_view kCheckpointPrefix = "step-";

// Returns the step in the name of a checkpoint's folder: "step-64", "step-000064", or
// "checkpoint-64" as written by transformers' Trainer; nothing for other names.
[[nodiscard]] std::optional<std::int64_t> StepOfCheckpoint(std::string_view folder_name);

// Returns a model's name: the folder's own name; its parent's if it is "hf"; with its parent's in
// front if it is a checkpoint ("gpt-h8/step-64"). For a file, its name without the ending. In the
// Hugging Face cache, the repository's: "org/name".
[[nodiscard]] std::string ModelName(const std::filesystem::path& path);

}  // namespace headscope
