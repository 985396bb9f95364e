#include "core/text/charsmap.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/text/unicode.h"

namespace headscope::text {
namespace {

// These read a unit of the double array.
bool HasLeaf(std::uint32_t unit) {
  return ((unit >> 8U) & 1U) != 0;
}
std::uint32_t Value(std::uint32_t unit) {
  return unit & 0x7FFFFFFFU;
}
std::uint32_t Label(std::uint32_t unit) {
  return unit & 0x800000FFU;
}
std::uint32_t Offset(std::uint32_t unit) {
  return (unit >> 10U) << ((unit & 0x200U) >> 6U);
}

std::uint32_t ReadU32(std::string_view bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 4; i-- > 0;) {
    value = (value << 8U) | static_cast<unsigned char>(bytes[at + i]);
  }
  return value;
}

bool IsInsideCharacter(std::string_view text, std::size_t at) {
  return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U;
}

std::optional<std::uint32_t> SixBits(char c) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const std::size_t at = kDigits.find(c);
  return at == std::string_view::npos ? std::nullopt
                                      : std::optional(static_cast<std::uint32_t>(at));
}

}  // namespace

Result<Charsmap> Charsmap::Parse(std::string_view bytes, const std::string& name) {
  Charsmap map;
  if (bytes.empty()) {
    return map;
  }
  const std::uint32_t size = bytes.size() < 4 ? 0 : ReadU32(bytes, 0);
  if (size == 0 || size % 4 != 0 || size > bytes.size() - 4) {
    return Fail(ErrorCode::kFormat,
                fmt::format("{}: the table of replacements has {} bytes, of which its trie asks "
                            "for {}; expected a multiple of 4 that fits",
                            name,
                            bytes.size(),
                            size));
  }
  map.units_.reserve(size / 4);
  for (std::size_t at = 4; at < std::size_t{4} + size; at += 4) {
    map.units_.push_back(ReadU32(bytes, at));
  }
  map.texts_ = bytes.substr(std::size_t{4} + size);
  if (FirstInvalidByte(map.texts_)) {
    return Fail(ErrorCode::kFormat,
                fmt::format("{}: the table of replacements holds texts that are not UTF-8", name));
  }
  return map;
}

Result<Charsmap> Charsmap::ParseBase64(std::string_view text, const std::string& name) {
  while (text.ends_with('=')) {
    text.remove_suffix(1);
  }
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3 + 2);
  std::uint32_t bits = 0;
  unsigned num_bits = 0;
  for (const char c : text) {
    const std::optional<std::uint32_t> six = SixBits(c);
    if (!six) {
      return Fail(ErrorCode::kFormat,
                  fmt::format("{}: the table of replacements is not base64", name));
    }
    bits = ((bits << 6U) | *six) & 0xFFFFU;
    num_bits += 6;
    if (num_bits >= 8) {
      num_bits -= 8;
      bytes.push_back(static_cast<char>((bits >> num_bits) & 0xFFU));
    }
  }
  return Parse(bytes, name);
}

// `visit(match)` returns whether to go on.
template <typename Visit>
void Charsmap::ForEachMatch(std::string_view text, const Visit& visit) const {
  if (units_.empty()) {
    return;
  }
  std::uint32_t node = Offset(units_[0]);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    node ^= byte;
    if (byte == 0 || node >= units_.size() || Label(units_[node]) != byte) {
      return;
    }
    const std::uint32_t unit = units_[node];
    node ^= Offset(unit);
    if (!HasLeaf(unit)) {
      continue;
    }
    if (node >= units_.size()) {
      return;
    }
    const std::uint32_t begin = Value(units_[node]);
    const bool is_whole = begin < texts_.size() && !IsInsideCharacter(texts_, begin) &&
                          !IsInsideCharacter(text, i + 1);
    if (is_whole) {
      const std::size_t end = std::min(texts_.find('\0', begin), texts_.size());
      if (!visit(Match{i + 1, std::string_view(texts_).substr(begin, end - begin)})) {
        return;
      }
    }
  }
}

std::optional<Charsmap::Match> Charsmap::Shortest(std::string_view text) const {
  std::optional<Match> found;
  ForEachMatch(text, [&](const Match& match) {
    found = match;
    return false;
  });
  return found;
}

std::optional<Charsmap::Match> Charsmap::Longest(std::string_view text) const {
  std::optional<Match> found;
  ForEachMatch(text, [&](const Match& match) {
    found = match;
    return true;
  });
  return found;
}

}  // namespace headscope::text
