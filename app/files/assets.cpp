#include "app/files/assets.h"

#include <algorithm>
#include <cstdlib>

#include "core/model/model_cache.h"
#include "core/model/model_folder.h"

namespace headscope {

std::filesystem::path AssetsFolder() {
  std::error_code error;
  if (const char* folder = std::getenv("HEADSCOPE_ASSETS"); folder != nullptr && *folder != '\0') {
    return folder;
  }
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::filesystem::path installed =
      program.parent_path().parent_path() / "share" / "headscope" / "assets";
  if (std::filesystem::is_directory(installed, error)) {
    return installed;
  }
  for (std::filesystem::path at = program.parent_path(); !at.empty(); at = at.parent_path()) {
    if (std::filesystem::is_directory(at / "assets" / "models", error)) {
      return at / "assets";
    }
    if (at == at.root_path()) {
      break;
    }
  }
  return {};
}

std::filesystem::path ResolveModel(const std::string& name) {
  std::error_code error;
  std::filesystem::path bundled = AssetsFolder() / "models" / (name.empty() ? kDefaultModel : name);
  if (name.empty()) {
    return bundled;
  }
  if (std::filesystem::exists(name, error)) {
    const std::filesystem::path folder = FolderOfModelFile(name);
    return folder.empty() ? std::filesystem::path(name) : folder;
  }
  const bool is_name = name.front() != '/' && name.find("..") == std::string::npos;
  if (is_name && std::filesystem::is_directory(bundled, error)) {
    return bundled;
  }
  const std::string repository = RepositoryOfAddress(name).value_or(name);
  return FindCachedModel(CacheFolder(), repository).value_or(repository);
}

std::vector<std::filesystem::path> BundledModels() {
  std::vector<std::filesystem::path> models;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(AssetsFolder() / "models", error), end;
       !error && entry != end;
       entry.increment(error)) {
    if (std::filesystem::is_regular_file(entry->path() / "config.json", error)) {
      models.push_back(entry->path());
    }
  }
  std::sort(models.begin(), models.end());
  return models;
}

}  // namespace headscope
