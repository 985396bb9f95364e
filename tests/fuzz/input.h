// What every fuzz target shares: the input as text or bytes, and the demand on an error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/base/check.h"
#include "core/base/error.h"

namespace headscope::fuzz {

inline std::string_view Text(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

inline std::span<const std::byte> Bytes(const std::uint8_t* data, std::size_t size) {
  return std::as_bytes(std::span(data, size));
}

// One line that begins with the name of the input, of a length that a panel can show.
inline void CheckMessage(const Error& error, std::string_view name) {
  HEADSCOPE_CHECK(error.message.starts_with(name), "a message begins with the file");
  HEADSCOPE_CHECK(error.message.find('\n') == std::string::npos, "a message is one line");
  HEADSCOPE_CHECK(error.message.size() < 2000, "a message is short");
}

}  // namespace headscope::fuzz
