// The models in the Hugging Face cache: one folder per repository, "models--org--name", where
// refs/main names the current snapshot. Nothing is ever downloaded.
//
// Errors   none: unreadable repositories are left out.
// Cost     a few system calls per repository, and the start of its config.json.
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
  std::filesystem::path folder;  // the repository's: refs/main may change
  std::string family;            // config.json's model_type; "gguf"; may be empty
  std::uint64_t bytes = 0;       // size of the weights
};

// $HF_HUB_CACHE, $HUGGINGFACE_HUB_CACHE, $HF_HOME/hub, $XDG_CACHE_HOME/huggingface/hub or
// ~/.cache/huggingface/hub: the first that is set. Empty if there is none.
[[nodiscard]] std::filesystem::path CacheFolder();

// Returns the repositories that have a snapshot, sorted by name.
[[nodiscard]] std::vector<CachedModel> ListCachedModels(const std::filesystem::path& cache);

// Returns the repository's folder in `cache` for "org/name" or "name", or nothing.
[[nodiscard]] std::optional<std::filesystem::path> FindCachedModel(
    const std::filesystem::path& cache, std::string_view name);

// Returns where the repository's folder would be, whether it exists or not; empty for an invalid
// name.
[[nodiscard]] std::filesystem::path RepositoryFolder(const std::filesystem::path& cache,
                                                     std::string_view name);

// Explains why an existing repository folder has no snapshot to open: there is none, or several
// without a current one. Empty for any other folder.
[[nodiscard]] std::optional<Error> RefuseSnapshots(const std::filesystem::path& folder);

// Whether a path that does not exist looks like a repository name: "org/name" or "name".
[[nodiscard]] bool IsRepositoryName(const std::filesystem::path& path);

// Returns "org/name" for the address of a model's page or file on the Hub, as a browser shows it:
// "https://huggingface.co/org/name/tree/main", "hf.co/name"; nothing for any other text.
[[nodiscard]] std::optional<std::string> RepositoryOfAddress(std::string_view text);

// Returns "org/name" for "models--org--name"; nothing for other names.
[[nodiscard]] std::optional<std::string> RepositoryName(const std::filesystem::path& folder);

// Returns the snapshot named by the repository's refs/main, or its only snapshot if there is no
// such file; nothing if `folder` is not a repository or has none.
[[nodiscard]] std::optional<std::filesystem::path> CurrentSnapshot(
    const std::filesystem::path& folder);

}  // namespace headscope
