// A file's bytes, mapped read-only.
//
// Errors   kIo: missing, a folder, not readable, empty, a Git LFS pointer in place of the file.
// Threads  Open: any but the drawing one (thread_role.h). Immutable afterwards: any thread may
//          read, and may release pages that others read.
// Cost     no read until a page is touched.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

#include "core/base/error.h"

namespace headscope {

class MappedFile {
 public:
  MappedFile() = default;
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;

  [[nodiscard]] static Result<MappedFile> Open(const std::filesystem::path& path);
  [[nodiscard]] std::span<const std::byte> bytes() const { return {data_, size_}; }

 private:
  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

// Releases the memory behind `bytes` if they are part of a mapped file; otherwise does nothing.
// They can be read as before: the system brings the pages back, usually from its cache.
void ReleasePages(std::span<const std::byte> bytes);

}  // namespace headscope
