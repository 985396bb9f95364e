#include "core/model/model_cache.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <system_error>

#include <fmt/format.h>

#include "core/io/json.h"
#include "core/model/config.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kModels = "models--";
constexpr std::string_view kSlash = "--";
constexpr std::size_t kMostListed = 10'000;
// The Hub's addresses, what follows a model's name in them, and what is not a model's.
constexpr std::array<std::string_view, 2> kHosts = {"huggingface.co/", "hf.co/"};
constexpr std::array<std::string_view, 6> kPages = {
    "tree", "blob", "resolve", "raw", "commits", "discussions"};
constexpr std::array<std::string_view, 6> kNoModels = {
    "datasets", "spaces", "papers", "collections", "docs", "models"};

fs::path FromEnvironment(const char* variable) {
  const char* value = std::getenv(variable);
  return value == nullptr ? fs::path() : fs::path(value);
}

// Reads the commit in refs/main, which must be a plain file name.
std::string ReadRef(const fs::path& path) {
  constexpr std::size_t kMostBytes = 100;
  std::array<char, kMostBytes> text = {};
  std::ifstream file(path, std::ios::binary);
  file.read(text.data(), text.size());
  std::string ref(text.data(), static_cast<std::size_t>(file.gcount()));
  ref.erase(ref.find_last_not_of(" \r\n") + 1);
  const bool is_plain = std::ranges::all_of(ref, [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  });
  return is_plain ? ref : std::string();
}

std::vector<fs::path> Entries(const fs::path& folder) {
  std::vector<fs::path> entries;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end;
       !error && entry != end && entries.size() < kMostListed;
       entry.increment(error)) {
    entries.push_back(entry->path());
  }
  std::ranges::sort(entries);
  return entries;
}

std::string FamilyIn(const fs::path& snapshot) {
  const auto document = JsonDocument::Read(snapshot / "config.json", kMaxConfigBytes);
  if (!document) {
    return {};
  }
  const auto root = JsonObject::Root(*document);
  if (!root) {
    return {};
  }
  auto type = root->String("model_type", std::string());
  return type ? std::move(*type) : std::string();
}

}  // namespace

fs::path CacheFolder() {
  for (const char* variable : {"HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"}) {
    if (fs::path folder = FromEnvironment(variable); !folder.empty()) {
      return folder;
    }
  }
  if (const fs::path home = FromEnvironment("HF_HOME"); !home.empty()) {
    return home / "hub";
  }
  if (const fs::path caches = FromEnvironment("XDG_CACHE_HOME"); caches.is_absolute()) {
    return caches / "huggingface" / "hub";
  }
  const fs::path home = FromEnvironment("HOME");
  return home.empty() ? home : home / ".cache" / "huggingface" / "hub";
}

std::optional<std::string> RepositoryName(const fs::path& folder) {
  std::string name = folder.filename().string();
  if (!name.starts_with(kModels) || name.size() == kModels.size()) {
    return std::nullopt;
  }
  name.erase(0, kModels.size());
  // Replaces only the first: a name may contain two hyphens itself.
  if (const std::size_t at = name.find(kSlash); at != std::string::npos) {
    name.replace(at, kSlash.size(), "/");
  }
  return name;
}

bool IsRepositoryName(const fs::path& path) {
  const std::string& name = path.native();
  const std::size_t slash = name.find('/');
  const bool has_parts = !name.empty() && name.front() != '.' && name.front() != '~' &&
                         slash != 0 && slash != name.size() - 1 &&
                         (slash == std::string::npos || name.find('/', slash + 1) == name.npos);
  const bool has_letters = std::ranges::all_of(name, [](unsigned char letter) {
    return std::isalnum(letter) != 0 || letter == '-' || letter == '_' || letter == '.' ||
           letter == '/';
  });
  std::error_code error;
  return has_parts && has_letters && !fs::exists(path.parent_path(), error);
}

std::optional<std::string> RepositoryOfAddress(std::string_view text) {
  for (const std::string_view scheme : {"https://", "http://"}) {
    text.remove_prefix(text.starts_with(scheme) ? scheme.size() : 0);
  }
  text.remove_prefix(text.starts_with("www.") ? 4 : 0);
  const auto host = std::ranges::find_if(
      kHosts, [text](std::string_view name) { return text.starts_with(name); });
  if (host == kHosts.end()) {
    return std::nullopt;
  }
  text.remove_prefix(host->size());
  text = text.substr(0, text.find_first_of("?#"));
  // "org/name", or an old model's "name"; then pages: "tree/main", "blob/main/config.json".
  const auto cut = [&text] {
    const std::string_view part = text.substr(0, text.find('/'));
    text.remove_prefix(std::min(text.size(), part.size() + 1));
    return std::string(part);
  };
  std::string name = cut();
  const std::string next = cut();
  if (name.empty() || std::ranges::find(kNoModels, name) != kNoModels.end()) {
    return std::nullopt;
  }
  if (!next.empty() && std::ranges::find(kPages, next) == kPages.end()) {
    name += "/" + next;
  }
  return name;
}

std::optional<fs::path> CurrentSnapshot(const fs::path& folder) {
  if (!RepositoryName(folder)) {
    return std::nullopt;
  }
  std::error_code error;
  const std::string ref = ReadRef(folder / "refs" / "main");
  if (!ref.empty() && fs::is_directory(folder / "snapshots" / ref, error)) {
    return folder / "snapshots" / ref;
  }
  const std::vector<fs::path> snapshots = Entries(folder / "snapshots");
  return snapshots.size() == 1 && fs::is_directory(snapshots[0], error)
             ? std::optional(snapshots[0])
             : std::nullopt;
}

std::vector<CachedModel> ListCachedModels(const fs::path& cache) {
  std::vector<CachedModel> models;
  if (cache.empty()) {
    return models;
  }
  for (const fs::path& folder : Entries(cache)) {
    const std::optional<std::string> name = RepositoryName(folder);
    const std::optional<fs::path> snapshot = CurrentSnapshot(folder);
    if (!name || !snapshot) {
      continue;
    }
    CachedModel model{.name = *name, .folder = folder, .family = FamilyIn(*snapshot), .bytes = 0};
    for (const fs::path& file : Entries(*snapshot)) {
      const bool is_gguf = file.extension() == ".gguf";
      const bool is_torch =
          file.extension() == ".bin" && file.filename().string().starts_with("pytorch_model");
      if (!is_gguf && !is_torch && file.extension() != ".safetensors") {
        continue;
      }
      std::error_code error;
      const std::uintmax_t size = fs::file_size(file, error);
      model.bytes += error ? 0 : size;
      if (is_gguf && model.family.empty()) {
        model.family = "gguf";
      }
    }
    models.push_back(std::move(model));
  }
  std::ranges::sort(models, {}, &CachedModel::name);
  return models;
}

fs::path RepositoryFolder(const fs::path& cache, std::string_view name) {
  const std::size_t slash = name.find('/');
  if (cache.empty() || name.empty() || name.front() == '.' ||
      (slash != std::string_view::npos && name.find('/', slash + 1) != std::string_view::npos)) {
    return {};
  }
  std::string folder(kModels);
  folder += name.substr(0, slash);
  if (slash != std::string_view::npos) {
    folder.append(kSlash).append(name.substr(slash + 1));
  }
  return cache / folder;
}

std::optional<fs::path> FindCachedModel(const fs::path& cache, std::string_view name) {
  const fs::path folder = RepositoryFolder(cache, name);
  return CurrentSnapshot(folder) ? std::optional(folder) : std::nullopt;
}

std::optional<Error> RefuseSnapshots(const fs::path& folder) {
  std::error_code error;
  const auto name = RepositoryName(folder);
  if (!name || !fs::is_directory(folder, error) || CurrentSnapshot(folder)) {
    return std::nullopt;
  }
  const std::vector<fs::path> snapshots = Entries(folder / "snapshots");
  if (snapshots.empty()) {
    return Error{ErrorCode::kFormat,
                 fmt::format("{}: the Hugging Face cache has a folder of it and no snapshot in it; "
                             "was fetching it stopped? Fetch it again with `hf download {}`",
                             *name,
                             *name)};
  }
  std::string paths;
  for (const fs::path& snapshot : snapshots) {
    paths += (paths.empty() ? "" : ", ") + snapshot.string();
  }
  return Error{ErrorCode::kFormat,
               fmt::format("{}: the Hugging Face cache holds {} snapshots of it and no refs/main "
                           "that names the one that is meant; open one by its path: {}",
                           *name,
                           snapshots.size(),
                           paths)};
}

}  // namespace headscope
