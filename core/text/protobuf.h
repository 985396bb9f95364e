// Reads the fields of a protocol buffer message one by one.
//
// Units    views into the message.
// Errors   kFormat: a field that extends beyond the end, a number that is too long, a group.
// Source   the wire format of protocol buffers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/error.h"

namespace headscope::text {

struct ProtoField {
  std::uint32_t number = 0;  // 0: no more fields
  std::uint64_t value = 0;   // of a number: varint, or the bits of a fixed-size one
  std::string_view bytes;    // of a text or message
  bool is_bytes = false;

  [[nodiscard]] float AsFloat() const;
};

class ProtoReader {
 public:
  // Messages call the message `name`.
  ProtoReader(std::string_view message, std::string name)
      : rest_(message), name_(std::move(name)) {}

  [[nodiscard]] Result<ProtoField> Next();

 private:
  [[nodiscard]] Result<std::uint64_t> Varint();
  [[nodiscard]] Result<std::string_view> Take(std::uint64_t size);
  [[nodiscard]] Result<std::uint64_t> Fixed(std::size_t size);

  std::string_view rest_;
  std::string name_;
};

}  // namespace headscope::text
