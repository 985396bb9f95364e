#include "core/text/unknown_words.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>

#include <fmt/format.h>
#include <unicode/ubrk.h>
#include <unicode/utext.h>

#include "core/text/unicode.h"

namespace headscope::text {
namespace {

constexpr std::size_t kMostListed = 200;
constexpr std::size_t kMostBytes = 48;  // of a listed word

struct Closer {
  void operator()(UText* text) const { utext_close(text); }
  void operator()(UBreakIterator* words) const { ubrk_close(words); }
};

// Whether it has only blanks and invisible characters, which tokenizers may leave out.
bool IsBlank(std::string_view text) {
  return std::ranges::all_of(Characters(text), [](const Character& character) {
    return IsWhitespace(character.code) || IsInvisible(character.code) || IsMark(character.code);
  });
}

// Whether a token is unknown, or some text other than blanks has no token.
bool HasUnknown(const TokenizedText& tokenized) {
  const std::string_view text = tokenized.text;
  std::size_t end = 0;
  for (const Token& token : tokenized.tokens) {
    const auto begin = std::min(static_cast<std::size_t>(token.begin), text.size());
    if (token.unknown || (begin > end && !IsBlank(text.substr(end, begin - end)))) {
      return true;
    }
    end = std::max(end, static_cast<std::size_t>(token.end));
  }
  return end < text.size() && !IsBlank(text.substr(end));
}

std::string Listed(std::string_view word) {
  return word.size() <= kMostBytes
             ? std::string(word)
             : std::string(word.substr(0, CharacterStart(word, kMostBytes))) + "…";
}

void Add(std::string_view word, UnknownWords* words) {
  ++words->unknown;
  const std::string listed = Listed(word);
  if (words->list.size() < kMostListed &&
      std::ranges::find(words->list, listed) == words->list.end()) {
    words->list.push_back(listed);
  }
}

void AddWords(const TokenizedText& tokenized, const std::stop_token& stop, UnknownWords* words) {
  const auto& [text, tokens] = tokenized;
  UErrorCode status = U_ZERO_ERROR;
  const std::unique_ptr<UText, Closer> source(
      utext_openUTF8(nullptr, text.data(), static_cast<std::int64_t>(text.size()), &status));
  const std::unique_ptr<UBreakIterator, Closer> breaks(
      ubrk_open(UBRK_WORD, "", nullptr, 0, &status));
  ubrk_setUText(breaks.get(), source.get(), &status);
  if (U_FAILURE(status)) {
    return;
  }
  auto first = tokens.begin();  // the first that does not end before the word
  std::int32_t begin = ubrk_first(breaks.get());
  for (std::int32_t end = ubrk_next(breaks.get()); end != UBRK_DONE && !stop.stop_requested();
       begin = end, end = ubrk_next(breaks.get())) {
    const bool is_word = ubrk_getRuleStatus(breaks.get()) >= UBRK_WORD_NONE_LIMIT;
    const std::string_view word =
        text.substr(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
    if (!is_word && IsBlank(word)) {
      continue;
    }
    while (first != tokens.end() && first->end <= begin) {
      ++first;
    }
    bool has_token = false;
    bool is_unknown = false;
    for (auto token = first; token != tokens.end() && token->begin < end; ++token) {
      has_token = has_token || token->end > begin;
      is_unknown = is_unknown || (token->unknown && token->end > begin);
    }
    is_unknown = is_unknown || !has_token;
    words->words += is_word || is_unknown ? 1 : 0;
    if (is_unknown) {
      Add(word, words);
    }
  }
}

}  // namespace

UnknownWords FindUnknownWords(const TokenizedText& first,
                              const TokenizedText& second,
                              const std::stop_token& stop) {
  UnknownWords words;
  if (HasUnknown(first) || HasUnknown(second)) {
    AddWords(first, stop, &words);
    AddWords(second, stop, &words);
  }
  return words;
}

}  // namespace headscope::text

namespace headscope {

std::string UnknownSentence(const UnknownWords& words) {
  const std::string_view more = words.list.size() == text::kMostListed ? ", …" : "";
  return fmt::format("{} of {} word{} {} unknown to this model: {}{}",
                     words.unknown,
                     words.words,
                     words.words == 1 ? "" : "s",
                     words.unknown == 1 ? "is" : "are",
                     fmt::join(words.list, ", "),
                     more);
}

}  // namespace headscope
