#include "core/text/protobuf.h"

#include <bit>

#include <fmt/format.h>

#include "core/base/counted.h"

namespace headscope::text {

float ProtoField::AsFloat() const {
  return std::bit_cast<float>(static_cast<std::uint32_t>(value));
}

Result<std::uint64_t> ProtoReader::Varint() {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(rest_.front());
    rest_.remove_prefix(1);
    value |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
    if ((byte & 0x80U) == 0) {
      return value;
    }
  }
  return Fail(ErrorCode::kFormat, fmt::format("{}: a number is cut off or too long", name_));
}

Result<std::string_view> ProtoReader::Take(std::uint64_t size) {
  if (size > rest_.size()) {
    return Fail(ErrorCode::kFormat,
                fmt::format("{}: a field asks for {} where {} are left; the file is cut off "
                            "or of another kind",
                            name_,
                            Counted(size, "byte"),
                            rest_.size()));
  }
  const std::string_view taken = rest_.substr(0, static_cast<std::size_t>(size));
  rest_.remove_prefix(taken.size());
  return taken;
}

Result<std::uint64_t> ProtoReader::Fixed(std::size_t size) {
  HEADSCOPE_TRY(const auto bytes, Take(size));
  std::uint64_t value = 0;
  for (std::size_t i = size; i-- > 0;) {
    value = (value << 8U) | static_cast<unsigned char>(bytes[i]);
  }
  return value;
}

Result<ProtoField> ProtoReader::Next() {
  ProtoField field;
  if (rest_.empty()) {
    return field;
  }
  HEADSCOPE_TRY(const auto key, Varint());
  const std::uint64_t number = key >> 3U;
  const std::uint64_t wire = key & 7U;
  constexpr std::uint64_t kMaxNumber = (std::uint64_t{1} << 29U) - 1;
  if (number == 0 || number > kMaxNumber || (wire != 0 && wire != 1 && wire != 2 && wire != 5)) {
    return Fail(
        ErrorCode::kFormat,
        fmt::format("{}: no field of a protocol buffer; is this a SentencePiece model?", name_));
  }
  field.number = static_cast<std::uint32_t>(number);
  field.is_bytes = wire == 2;
  HEADSCOPE_TRY(const auto value, wire == 1 ? Fixed(8) : wire == 5 ? Fixed(4) : Varint());
  field.value = value;
  if (field.is_bytes) {
    HEADSCOPE_TRY(const auto bytes, Take(value));
    field.bytes = bytes;
  }
  return field;
}

}  // namespace headscope::text
