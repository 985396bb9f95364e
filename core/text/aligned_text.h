// A text during normalisation that knows where each of its bytes comes from.
//
// Units    bytes, of this text and of the original.
// Errors   kInput where edits would make the text much longer than the original: beyond kMaxBytes,
//          or beyond kFreeBytes and kMaxGrowth bytes per original byte.
// Cost     only the bytes until the first edit; from then on 8 more bytes per byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"

namespace headscope::text {

// Bytes [begin, end) of the original text.
struct SourceRange {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

// Bytes [begin, end) of one text.
struct ByteRange {
  std::size_t begin = 0;
  std::size_t end = 0;
};

// Replaces bytes [begin, end). An insertion (begin == end) has no source; all other new bytes have
// the whole replaced range as their source.
struct Edit {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string replacement;
};

class AlignedText {
 public:
  static constexpr std::size_t kMaxBytes = std::size_t{16} << 20U;
  static constexpr std::size_t kFreeBytes = std::size_t{256} << 10U;
  static constexpr std::size_t kMaxGrowth = 12;  // a ligature of 3 bytes may become 33

  AlignedText() = default;
  explicit AlignedText(std::string text);

  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] bool empty() const { return text_.empty(); }
  [[nodiscard]] SourceRange Source(std::size_t begin, std::size_t end) const;
  [[nodiscard]] AlignedText Slice(std::size_t begin, std::size_t end) const;

  // Applies edits, which must be in order and must not overlap.
  [[nodiscard]] Status Apply(std::span<const Edit> edits);
  // Replaces all ranges by the same content; they must be in order and must not overlap.
  [[nodiscard]] Status Replace(std::span<const ByteRange> ranges, std::string_view content);
  [[nodiscard]] Status Insert(std::size_t at, std::string_view content);
  // Replaces every byte by the string for its value.
  [[nodiscard]] Status MapBytes(std::span<const std::string, 256> strings);

 private:
  [[nodiscard]] Status CheckSize(std::size_t size) const;
  [[nodiscard]] SourceRange At(std::size_t index) const;
  [[nodiscard]] std::uint32_t BeginAt(std::size_t index) const;
  // `edit_at(i)` gives a range and its replacement.
  template <typename EditAt>
  [[nodiscard]] Status ApplyAll(std::size_t count, const EditAt& edit_at);

  std::string text_;
  std::vector<SourceRange> sources_;  // per byte; empty: byte i comes from base_ + i
  std::uint32_t base_ = 0;
  std::size_t most_bytes_ = kFreeBytes;
};

}  // namespace headscope::text
