#include "core/text/token_texts.h"

#include <algorithm>
#include <limits>
#include <string_view>

#include "core/base/check.h"
#include "core/text/byte_level.h"
#include "core/text/display.h"
#include "core/text/words.h"

namespace headscope {
namespace {

constexpr std::string_view kByteBlank = "Ġ";
constexpr std::string_view kByteNewline = "Ċ";
constexpr std::string_view kSentenceBlank = "▁";
constexpr std::string_view kContinuation = "##";
constexpr std::string_view kWordEnd = "</w>";

// Whether it looks like "[CLS]", "<s>" or "<|endoftext|>": in brackets, and not text that a user
// would write.
bool LooksSpecial(std::string_view text) {
  if (text.size() < 3) {
    return false;
  }
  const bool in_angles = text.front() == '<' && text.back() == '>';
  const bool in_squares = text.front() == '[' && text.back() == ']';
  return (in_angles || in_squares) && text.find(' ') == std::string_view::npos &&
         !text.starts_with("<0x");
}

text::PieceStyle StyleOf(std::span<const std::string> texts) {
  const auto any = [&](auto&& holds) { return std::ranges::any_of(texts, holds); };
  const auto has = [&](std::string_view marker) {
    return any([&](const std::string& text) { return text.find(marker) != std::string::npos; });
  };
  text::PieceStyle style;
  style.byte_characters =
      (has(kByteBlank) || has(kByteNewline)) && std::ranges::all_of(texts, [](const auto& text) {
        return text.empty() || LooksSpecial(text) || text::BytesOfPiece(text).has_value();
      });
  if (style.byte_characters) {
    return style;
  }
  if (has(kSentenceBlank)) {
    style.blank_marker = kSentenceBlank;
    style.markers.byte_fallback = true;
  }
  if (any([](const std::string& text) {
        return text.starts_with(kContinuation) && text.size() > kContinuation.size();
      })) {
    style.markers.continuation_prefix = kContinuation;
  }
  if (any([](const std::string& text) {
        return text.ends_with(kWordEnd) && text.size() > kWordEnd.size();
      })) {
    style.markers.word_suffix = kWordEnd;
  }
  return style;
}

bool HasMarkers(const text::PieceStyle& style) {
  return style.byte_characters || !style.blank_marker.empty() ||
         !style.markers.continuation_prefix.empty() || !style.markers.word_suffix.empty();
}

}  // namespace

Encoding DescribeTexts(std::span<const std::string> texts,
                       std::span<const std::int64_t> ids,
                       std::span<const std::string> displays) {
  HEADSCOPE_CHECK(ids.empty() || ids.size() == texts.size(), "a text has an id or none has");
  HEADSCOPE_CHECK(displays.empty() || displays.size() == texts.size(),
                  "a text has a display or none has");
  const text::PieceStyle style = StyleOf(texts);
  Encoding encoding;
  encoding.tokens.reserve(texts.size());
  std::vector<std::string> bytes;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    Token token;
    const bool has_id =
        !ids.empty() && ids[i] >= 0 && ids[i] <= std::numeric_limits<std::int32_t>::max();
    token.id = static_cast<std::int32_t>(has_id ? ids[i] : static_cast<std::int64_t>(i));
    token.text = texts[i];
    token.special = LooksSpecial(texts[i]);
    bytes.push_back(token.special ? texts[i] : text::BytesOf(texts[i], style));
    const bool has_display = !displays.empty() && !displays[i].empty();
    token.display = text::Display(has_display ? displays[i] : bytes.back());
    token.word = token.special ? -1 : static_cast<std::int32_t>(i);
    encoding.tokens.push_back(std::move(token));
  }
  if (HasMarkers(style)) {
    text::AssignSpeltWords(encoding.tokens, bytes, style.markers);
  }
  return encoding;
}

}  // namespace headscope
