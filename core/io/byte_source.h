// Bytes that are made as they are written, so that a file may be larger than memory.
//
// Errors   whatever making them gives; the file is then not written.
// Threads  one at a time.
#pragma once

#include <cstddef>
#include <span>
#include <utility>

#include "core/base/error.h"
#include "core/base/tensor_view.h"

namespace headscope {

class ByteSource {
 public:
  ByteSource() = default;
  virtual ~ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  // Back to the first byte; a writer may read twice.
  virtual void Rewind() = 0;
  // What follows, for as long as it is not asked again; nothing: the end.
  [[nodiscard]] virtual Result<std::span<const std::byte>> Next() = 0;
};

// Bytes that are there already, and outlive this.
class ReadyBytes : public ByteSource {
 public:
  explicit ReadyBytes(std::span<const std::byte> bytes) : bytes_(bytes), rest_(bytes) {}
  void Rewind() override { rest_ = bytes_; }
  Result<std::span<const std::byte>> Next() override { return std::exchange(rest_, {}); }

 private:
  std::span<const std::byte> bytes_;
  std::span<const std::byte> rest_;
};

// A tensor and what makes its bytes; `about` holds none.
struct StreamedTensor {
  TensorView about;
  ByteSource* bytes = nullptr;
};

}  // namespace headscope
