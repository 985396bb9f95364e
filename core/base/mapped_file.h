// A file's bytes, mapped read-only.
//
// Errors   kIo: missing, a folder, not readable, empty, a Git LFS pointer in place of the file.
// Threads  Open: any but the one that draws (thread_role.h); then immutable, any thread reads, and
//          may release what others read.
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

// Gives back the memory behind `bytes` where they lie in a mapped file; elsewhere it does nothing.
// They can be read as before: the system brings the pages back, usually from its cache.
void ReleasePages(std::span<const std::byte> bytes);

}  // namespace headscope
