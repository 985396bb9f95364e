// The characters of UTF-8, by ICU.
//
// Units    byte positions in the text.
// Errors   none; invalid text gives kBadCharacter, and places that may lie within what was meant.
#pragma once

#include <cstddef>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

namespace headscope {

// Represents a byte that is not part of a character.
inline constexpr char32_t kBadCharacter = 0xFFFFFFFF;

[[nodiscard]] inline bool StartsCharacter(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;
}

// Returns the start of the character that byte `at` belongs to.
[[nodiscard]] inline std::size_t CharacterStart(std::string_view text, std::size_t at) {
  constexpr std::size_t kMostSteps = 3;  // a character has at most four bytes
  const std::size_t least = at > kMostSteps ? at - kMostSteps : 0;
  while (at > least && at < text.size() && !StartsCharacter(text[at])) {
    --at;
  }
  return at;
}

// Returns the character at `position` and moves past it: past one byte for kBadCharacter.
char32_t NextCharacter(std::string_view text, std::size_t& position);

// Returns the character that ends at `position` > 0, and moves to its start.
[[nodiscard]] char32_t PreviousCharacter(std::string_view text, std::size_t& position);

// Returns the position of the first byte that is not valid UTF-8.
[[nodiscard]] std::optional<std::size_t> FirstInvalidByte(std::string_view text);

void AppendCharacter(std::string& text, char32_t character);

[[nodiscard]] bool IsWhitespace(char32_t character);

// Bytes [begin, end) of a text are this character.
struct Character {
  std::size_t begin = 0;
  std::size_t end = 0;
  char32_t code = 0;
};

// The characters of a text, in order: for (const auto& [begin, end, code] : Characters(text)).
class Characters {
 public:
  class Iterator {
   public:
    using value_type = Character;
    using difference_type = std::ptrdiff_t;
    explicit Iterator(std::string_view text) : text_(text) { ++*this; }
    const Character& operator*() const { return now_; }
    Iterator& operator++() {
      now_.begin = now_.end;
      now_.code = now_.begin < text_.size() ? NextCharacter(text_, now_.end) : 0;
      return *this;
    }
    void operator++(int) { ++*this; }
    bool operator==(std::default_sentinel_t /*end*/) const { return now_.begin == text_.size(); }

   private:
    std::string_view text_;
    Character now_;
  };

  explicit Characters(std::string_view text) : text_(text) {}
  [[nodiscard]] Iterator begin() const { return Iterator(text_); }
  [[nodiscard]] std::default_sentinel_t end() const { return {}; }

 private:
  std::string_view text_;
};

}  // namespace headscope
