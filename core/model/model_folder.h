// What lies at a path that somebody calls a model: the files to read, or the reason it does not
// open.
//
// Errors   kIo (nothing there, not readable), kFormat (no model), kUnsupported (a pickle, with how
//          to convert it; a GGUF file). Nothing is read but the first bytes of a file.
// Threads  any.
#pragma once

#include <filesystem>

#include "core/base/error.h"

namespace headscope {

struct ModelFiles {
  std::filesystem::path config;
  std::filesystem::path weights;  // model.safetensors, or the index of its shards
  bool is_sharded = false;
};

[[nodiscard]] Result<ModelFiles> FindModelFiles(const std::filesystem::path& folder);

// The folder's own name; its parent's, if that is "hf".
[[nodiscard]] std::string ModelName(const std::filesystem::path& folder);

}  // namespace headscope
