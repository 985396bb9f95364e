// 64-bit FNV-1a: tells values apart, but is no protection against somebody who wants a collision.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace headscope {

class Digest {
 public:
  void Add(std::uint64_t value) {
    for (int byte = 0; byte < 8; ++byte) {
      AddByte(value >> (8 * byte) & 0xFFU);
    }
  }
  void Add(std::string_view text) {
    Add(static_cast<std::uint64_t>(text.size()));
    AddBytes(text);
  }
  void AddBytes(std::string_view bytes) {
    for (const char byte : bytes) {
      AddByte(static_cast<unsigned char>(byte));
    }
  }
  [[nodiscard]] std::string Text() const { return fmt::format("{:016x}", state_); }

 private:
  void AddByte(std::uint64_t byte) { state_ = (state_ ^ byte) * 0x100000001B3U; }

  std::uint64_t state_ = 0xCBF29CE484222325U;
};

// Returns the FNV-1a hash of the bytes as 16 hexadecimal digits.
[[nodiscard]] inline std::string DigestOf(std::string_view text) {
  Digest digest;
  digest.AddBytes(text);
  return digest.Text();
}

}  // namespace headscope
