// A file that gets its name only when it is complete.
//
// Until then it has no name at all where the file system supports that (O_TMPFILE): however the
// program ends, the system removes it. Elsewhere it has a hidden name, .headscope-*, in the
// target's folder, and a signal that ends the program removes it first (except SIGKILL, which
// cannot be handled).
//
// Errors   an errno value; 0 is success.
#pragma once

#include <filesystem>

#include <tl/expected.hpp>

namespace headscope {

class TemporaryFile {
 public:
  enum class Kind { kNameless, kNamed };

  // Makes an empty file with the permissions that `target` has or would get. kNameless becomes
  // kNamed where the file system has no files without a name.
  [[nodiscard]] static tl::expected<TemporaryFile, int> Make(const std::filesystem::path& target,
                                                             Kind kind = Kind::kNameless);
  // Removes the file unless it has become the target.
  ~TemporaryFile();
  TemporaryFile(TemporaryFile&& other) noexcept;
  TemporaryFile& operator=(TemporaryFile&& other) noexcept;
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  // For writing, and for reading back what was written.
  [[nodiscard]] int descriptor() const { return descriptor_; }
  [[nodiscard]] Kind kind() const { return name_.empty() ? Kind::kNameless : Kind::kNamed; }

  // Syncs to disk, then takes the target's place atomically.
  [[nodiscard]] int BecomeTarget();

 private:
  TemporaryFile(std::filesystem::path target, std::filesystem::path name, int descriptor);

  std::filesystem::path target_;
  std::filesystem::path name_;  // empty: nameless
  int descriptor_ = -1;
};

}  // namespace headscope
