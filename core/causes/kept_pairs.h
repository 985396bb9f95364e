// Keeps what is done of patching over pairs in a file, so that a run that was stopped can go on.
//
// Errors   kIo; Begin also kInput and kFormat: what is there is of another run, or damaged. Messages name
//          the file.
// Threads  one at a time.
// Source   the format of core/causes/patch_file.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <utility>

#include "core/base/error.h"
#include "core/causes/patch_file.h"

namespace headscope {

class KeptPairs {
 public:
  explicit KeptPairs(std::filesystem::path path) : path_(std::move(path)) {}

  // Takes over what is done, if it resumes and there is such a file; then writes all of it.
  [[nodiscard]] Status Begin(bool resumes, PatchPart* part) const;
  [[nodiscard]] Status Keep(std::int64_t pair, const PatchedPair& patched) const;
  void Remove() const;

 private:
  std::filesystem::path path_;
};

// Where a run is kept in a folder that may hold those of many; makes the folder, and removes the oldest
// runs but kMostKeptPairs.
inline constexpr std::size_t kMostKeptPairs = 16;
[[nodiscard]] std::filesystem::path PlaceOfPairs(const std::filesystem::path& folder,
                                                 const PatchAbout& about);

}  // namespace headscope
