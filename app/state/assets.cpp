#include "app/state/assets.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "core/model/model_cache.h"
#include "core/model/model_folder.h"

namespace headscope {
namespace {

std::optional<std::int64_t> ParseCount(std::string_view text) {
  std::int64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  const bool is_whole = error == std::errc() && end == text.data() + text.size() && count >= 0;
  return is_whole ? std::optional(count) : std::nullopt;
}

}  // namespace

std::filesystem::path AssetsFolder() {
  std::error_code error;
  if (const char* folder = std::getenv("HEADSCOPE_ASSETS"); folder != nullptr && *folder != '\0') {
    return folder;
  }
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  for (std::filesystem::path at = program.parent_path(); !at.empty(); at = at.parent_path()) {
    if (std::filesystem::is_directory(at / "assets" / "models", error)) {
      return at / "assets";
    }
    if (at == at.root_path()) {
      break;
    }
  }
  const std::filesystem::path installed =
      program.parent_path().parent_path() / "share" / "headscope" / "assets";
  return std::filesystem::is_directory(installed, error) ? installed : std::filesystem::path();
}

std::filesystem::path ResolveModel(const std::string& name) {
  std::error_code error;
  std::filesystem::path bundled = AssetsFolder() / "models" / (name.empty() ? kDefaultModel : name);
  if (name.empty()) {
    return bundled;
  }
  if (std::filesystem::exists(name, error)) {
    return name;
  }
  const bool is_name = name.front() != '/' && name.find("..") == std::string::npos;
  if (is_name && std::filesystem::is_directory(bundled, error)) {
    return bundled;
  }
  return FindCachedModel(CacheFolder(), name).value_or(name);
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

std::vector<std::int64_t> CheckpointSteps(const std::filesystem::path& folder) {
  std::vector<std::int64_t> steps;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    const std::optional<std::int64_t> step = name.starts_with(kCheckpointPrefix)
                                                 ? ParseCount(name.substr(kCheckpointPrefix.size()))
                                                 : std::nullopt;
    if (step && std::filesystem::is_regular_file(entry->path() / "config.json", error)) {
      steps.push_back(*step);
    }
  }
  std::sort(steps.begin(), steps.end());
  return steps;
}

std::optional<FamilyMember> ParseFamilyMember(std::string_view name) {
  const std::size_t mark = name.rfind("-h");
  if (mark == std::string_view::npos || mark == 0) {
    return std::nullopt;
  }
  const std::optional<std::int64_t> heads = ParseCount(name.substr(mark + 2));
  return heads ? std::optional(FamilyMember{std::string(name.substr(0, mark)), *heads})
               : std::nullopt;
}

}  // namespace headscope
