// The models that lie in the Hugging Face cache: one folder for each repository,
// "models--org--name", with refs/main naming the snapshot that is current. Nothing is ever fetched.
//
// Errors   none: what cannot be read is not in the list.
// Threads  any.
// Cost     a few system calls for each repository; the start of no file but config.json is read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"

namespace headscope {

struct CachedModel {
  std::string name;              // "org/name"
  std::filesystem::path folder;  // of the repository: refs/main may move on
  std::string family;            // config.json's model_type; "gguf"; empty where neither says
  std::uint64_t bytes = 0;       // of the weights
};

// $HF_HUB_CACHE, $HUGGINGFACE_HUB_CACHE, $HF_HOME/hub, $XDG_CACHE_HOME/huggingface/hub or
// ~/.cache/huggingface/hub: the first that is set. Empty: none.
[[nodiscard]] std::filesystem::path CacheFolder();

// Repositories of models that have a snapshot, by name.
[[nodiscard]] std::vector<CachedModel> ListCachedModels(const std::filesystem::path& cache);

// The repository's folder in `cache` for "org/name" or "name"; nothing if there is none.
[[nodiscard]] std::optional<std::filesystem::path> FindCachedModel(
    const std::filesystem::path& cache, std::string_view name);

// Where the repository's folder would lie, whether or not it does; empty for what is no name.
[[nodiscard]] std::filesystem::path RepositoryFolder(const std::filesystem::path& cache,
                                                     std::string_view name);

// Why a repository's folder opens no snapshot though it is there: it has none, or several and no
// word which is meant. Nothing for another folder.
[[nodiscard]] std::optional<Error> RefuseSnapshots(const std::filesystem::path& folder);

// Whether a path that is not there reads as the name of a repository: "org/name" or "name".
[[nodiscard]] bool IsRepositoryName(const std::filesystem::path& path);

// "org/name" of "models--org--name"; nothing for other names.
[[nodiscard]] std::optional<std::string> RepositoryName(const std::filesystem::path& folder);

// The snapshot that the repository's refs/main names; its only snapshot where there is no such
// file; nothing if `folder` is no repository or has none.
[[nodiscard]] std::optional<std::filesystem::path> CurrentSnapshot(
    const std::filesystem::path& folder);

}  // namespace headscope
