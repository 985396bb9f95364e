// A file's bytes, mapped read-only; copies share the mapping.
//
// Errors   kIo: missing, a folder, not readable, empty, a Git LFS pointer in place of the file.
// Threads  Open: any but the drawing one (thread_role.h). Immutable afterwards: any thread may
//          read, and may release pages that others read.
// Cost     no read until a page is touched.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>

#include "core/base/error.h"

namespace headscope {

class MappedFile {
 public:
  [[nodiscard]] static Result<MappedFile> Open(const std::filesystem::path& path);
  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }
  [[nodiscard]] std::string_view text() const {
    return {reinterpret_cast<const char*>(bytes_.data()), bytes_.size()};
  }

 private:
  std::span<const std::byte> bytes_;
  std::shared_ptr<const void> mapping_;  // ends with its last owner
};

// Releases the memory behind `bytes` if they are part of a mapped file; otherwise does nothing.
// They can be read as before: the system brings the pages back, usually from its cache.
void ReleasePages(std::span<const std::byte> bytes);

}  // namespace headscope
