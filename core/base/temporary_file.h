// A file in the making, that takes its name when it is whole.
//
// It has no name until then, where the file system makes such files (O_TMPFILE): however the
// program ends, the system takes them back. Elsewhere it is hidden under a name of its own in the
// target's folder, .headscope-*, and a signal that ends the program removes it first (SIGKILL,
// which nobody can answer, leaves it).
//
// Errors   the system's reason as errno has it, 0: none.
// Threads  plain value.
#pragma once

#include <filesystem>

#include <tl/expected.hpp>

namespace headscope {

class TemporaryFile {
 public:
  enum class Kind { kNameless, kNamed };

  // Empty, with the permissions that `target` has or would get. kNameless becomes kNamed where the
  // file system has no files without a name.
  [[nodiscard]] static tl::expected<TemporaryFile, int> Make(const std::filesystem::path& target,
                                                             Kind kind = Kind::kNameless);
  // Removes what has not become the target.
  ~TemporaryFile();
  TemporaryFile(TemporaryFile&& other) noexcept;
  TemporaryFile& operator=(TemporaryFile&& other) noexcept;
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  // To write to, and to read what was written.
  [[nodiscard]] int descriptor() const { return descriptor_; }
  [[nodiscard]] Kind kind() const { return name_.empty() ? Kind::kNameless : Kind::kNamed; }

  // Waits for the disk, then stands in the target's place, at once and whole.
  [[nodiscard]] int BecomeTarget();

 private:
  TemporaryFile(std::filesystem::path target, std::filesystem::path name, int descriptor);

  std::filesystem::path target_;
  std::filesystem::path name_;  // empty: none
  int descriptor_ = -1;
};

}  // namespace headscope
