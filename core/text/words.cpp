#include "core/text/words.h"

#include <algorithm>
#include <cstddef>

#include "core/text/unicode.h"

namespace headscope::text {
namespace {

enum class CharacterKind { kAny, kWord, kOther, kJoiner };

CharacterKind KindOf(char32_t character) {
  if (character == kBadCharacter) {
    return CharacterKind::kAny;
  }
  if (IsJoiner(character)) {
    return CharacterKind::kJoiner;
  }
  return IsWordCharacter(character) ? CharacterKind::kWord : CharacterKind::kOther;
}

bool IsContinuationByte(std::string_view text, std::size_t position) {
  return position < text.size() && !StartsCharacter(text[position]);
}

bool HasWhitespace(std::string_view text) {
  return std::ranges::any_of(Characters(text), IsWhitespace, &Character::code);
}

// Whether the text before `position` ends with an apostrophe that follows a word.
bool IsAfterApostrophe(std::string_view text, std::size_t position) {
  if (position == 0) {
    return false;
  }
  const char32_t character = PreviousCharacter(text, position);
  return (character == U'\'' || character == U'\u2019') && position > 0 &&
         IsWordCharacter(PreviousCharacter(text, position));
}

class Grouper {
 public:
  Grouper(std::string_view text, std::int32_t first_word) : text_(text), word_(first_word - 1) {}

  void Add(Token& token) {
    if (token.special) {
      token.word = -1;
      is_open_ = false;
      return;
    }
    const std::size_t begin = std::min(static_cast<std::size_t>(token.begin), text_.size());
    const std::size_t end = std::clamp(static_cast<std::size_t>(token.end), begin, text_.size());
    if (begin > last_end_ && HasWhitespace(text_.substr(last_end_, begin - last_end_))) {
      is_open_ = false;
    }
    last_end_ = std::max(last_end_, end);
    if (!Continues(begin, end)) {
      ++word_;
    }
    token.word = word_;
    Remember(begin, end);
  }

  [[nodiscard]] std::int32_t next_word() const { return word_ + 1; }

 private:
  [[nodiscard]] bool Continues(std::size_t begin, std::size_t end) const {
    if (!is_open_ || begin == end) {
      return false;
    }
    if (IsContinuationByte(text_, begin) && begin > 0) {
      return true;
    }
    std::size_t next = begin;
    const char32_t first = NextCharacter(text_, next);
    if (IsWhitespace(first)) {
      return false;
    }
    const CharacterKind kind = KindOf(first);
    return last_ == CharacterKind::kAny || kind == CharacterKind::kAny ||
           kind == CharacterKind::kJoiner || kind == last_ ||
           (kind == CharacterKind::kWord && IsAfterApostrophe(text_, begin));
  }

  void Remember(std::size_t begin, std::size_t end) {
    const std::string_view own = text_.substr(begin, end - begin);
    if (own.empty() || own == " ") {
      // A marker from normalisation, or a space: it belongs to the next word.
      is_open_ = true;
      last_ = CharacterKind::kAny;
      return;
    }
    std::size_t last_end = end;
    while (IsContinuationByte(text_, last_end)) {
      ++last_end;
    }
    const char32_t last = PreviousCharacter(text_, last_end);
    is_open_ = !std::ranges::all_of(Characters(own), IsWhitespace, &Character::code) &&
               !IsWhitespace(last);
    if (const CharacterKind kind = KindOf(last); kind != CharacterKind::kJoiner) {
      last_ = kind;
    } else if (last_ == CharacterKind::kAny) {
      last_ = CharacterKind::kOther;
    }
  }

  std::string_view text_;
  std::int32_t word_;
  std::size_t last_end_ = 0;
  bool is_open_ = false;
  CharacterKind last_ = CharacterKind::kAny;
};

}  // namespace

std::int32_t AssignWords(std::string_view text, std::span<Token> tokens, std::int32_t first_word) {
  Grouper grouper(text, first_word);
  for (Token& token : tokens) {
    grouper.Add(token);
  }
  return grouper.next_word();
}

std::string SpellTokens(std::span<Token> tokens,
                        std::span<const std::string> bytes,
                        const PieceMarkers& markers) {
  const std::string& prefix = markers.continuation_prefix;
  const std::string& suffix = markers.word_suffix;
  const std::string& unfinished = markers.unfinished_suffix;
  std::string spelt;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    Token& token = tokens[i];
    if (markers.is_word_each || (!prefix.empty() && !token.text.starts_with(prefix))) {
      spelt += ' ';
    }
    token.begin = std::ssize(spelt);
    spelt += token.special ? "" : bytes[i];
    token.end = std::ssize(spelt);
    if ((!suffix.empty() && token.text.ends_with(suffix)) ||
        (!unfinished.empty() && !token.text.ends_with(unfinished))) {
      spelt += ' ';
    }
  }
  return spelt;
}

void AssignSpeltWords(std::span<Token> tokens,
                      std::span<const std::string> bytes,
                      const PieceMarkers& markers) {
  AssignWords(SpellTokens(tokens, bytes, markers), tokens, 0);
  for (Token& token : tokens) {
    token.begin = 0;  // there is no original text
    token.end = 0;
  }
}

}  // namespace headscope::text

namespace headscope {

bool ContinuesWord(const Encoding& encoding, std::size_t index) {
  if (index == 0) {
    return false;
  }
  const Token& token = encoding.tokens[index];
  const Token& before = encoding.tokens[index - 1];
  if (token.word < 0 || token.word != before.word || token.segment != before.segment ||
      token.display.empty() || before.display == "␣") {  // a space is not part of a word
    return false;
  }
  std::size_t next = 0;
  return !text::IsOfBlanklessScript(NextCharacter(token.display, next));
}

std::string TokenName(const Encoding& encoding, std::size_t index) {
  const std::string& display = encoding.tokens[index].display;
  return ContinuesWord(encoding, index) ? "·" + display : display;
}

}  // namespace headscope
