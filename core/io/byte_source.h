// Bytes that are made as they are written, so that a file may be larger than memory.
//
// Errors   passes on whatever making the bytes gives; the file is then not written.
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

  // Goes back to the first byte; a writer may read twice.
  virtual void Rewind() = 0;
  // Returns the next bytes, valid until the next call; empty at the end.
  [[nodiscard]] virtual Result<std::span<const std::byte>> Next() = 0;
};

// Bytes that exist already, and outlive this.
class ReadyBytes : public ByteSource {
 public:
  explicit ReadyBytes(std::span<const std::byte> bytes) : bytes_(bytes), rest_(bytes) {}
  void Rewind() override { rest_ = bytes_; }
  Result<std::span<const std::byte>> Next() override { return std::exchange(rest_, {}); }

 private:
  std::span<const std::byte> bytes_;
  std::span<const std::byte> rest_;
};

// A tensor and the source of its bytes; `about` has none.
struct StreamedTensor {
  TensorView about;
  ByteSource* bytes = nullptr;
};

}  // namespace headscope
