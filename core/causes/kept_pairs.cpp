#include "core/causes/kept_pairs.h"

#include <algorithm>
#include <fstream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/atomic_file.h"
#include "core/base/digest.h"

namespace headscope {
namespace {

constexpr std::string_view kKeptPairsStart = "patch-";
constexpr std::string_view kKeptPairsEnd = ".progress";

void RemoveOldPairs(const std::filesystem::path& folder, const std::filesystem::path& own) {
  std::error_code error;
  std::vector<std::pair<std::filesystem::file_time_type, std::filesystem::path>> others;
  for (auto file = std::filesystem::directory_iterator(folder, error);
       !error && file != std::filesystem::directory_iterator();
       file.increment(error)) {
    const std::string name = file->path().filename().string();
    std::error_code is_gone;
    const auto written = std::filesystem::last_write_time(file->path(), is_gone);
    if (name.starts_with(kKeptPairsStart) && name.ends_with(kKeptPairsEnd) && file->path() != own &&
        !is_gone) {
      others.emplace_back(written, file->path());
    }
  }
  std::ranges::sort(others);
  for (std::size_t i = 0; i + kMostKeptPairs - 1 < others.size(); ++i) {
    std::filesystem::remove(others[i].second, error);
  }
}

}  // namespace

Status KeptPairs::Begin(bool resumes, PatchPart* part) const {
  std::error_code error;
  if (resumes && std::filesystem::exists(path_, error)) {
    HEADSCOPE_TRY(auto before, ReadPatchPart(path_));
    HEADSCOPE_TRY(MergePatchPart(std::move(before), path_.string(), part));
  }
  return WriteFileAtomically(path_, PatchPartText(*part));
}

Status KeptPairs::Keep(std::int64_t pair, const PatchedPair& patched) const {
  std::ofstream file(path_, std::ios::binary | std::ios::app);
  file << PatchPairText(pair, patched) << std::flush;
  return file
             ? Status()
             : Fail(ErrorCode::kIo, fmt::format("{}: what is done cannot be kept", path_.string()));
}

void KeptPairs::Remove() const {
  std::error_code error;
  std::filesystem::remove(path_, error);
}

std::filesystem::path PlaceOfPairs(const std::filesystem::path& folder, const PatchAbout& about) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  const std::string digest = DigestOf(PatchPartText({.about = about, .done = {}}));
  std::filesystem::path place =
      folder / fmt::format("{}{}{}", kKeptPairsStart, digest, kKeptPairsEnd);
  RemoveOldPairs(folder, place);
  return place;
}

}  // namespace headscope
