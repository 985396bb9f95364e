#include "core/compare/shared_axis.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "core/base/counted.h"
#include "core/base/quote.h"
#include "core/text/words.h"

namespace headscope {
namespace {

bool IsBlank(char letter) {
  return letter == ' ' || (letter >= '\t' && letter <= '\r');
}

// A run of tokens, with the range of its bytes in the text without the blanks around them.
struct Word {
  std::int32_t segment = 0;
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::vector<std::size_t> tokens;

  // Its end, in the order of the texts.
  [[nodiscard]] std::pair<std::int32_t, std::int64_t> Key() const { return {segment, end}; }
};

std::string_view TextOf(const SharedText& texts, std::int32_t segment) {
  const std::string* const text = segment == 0 ? texts.text : texts.pair;
  return text != nullptr ? std::string_view(*text) : std::string_view();
}

// Returns the words in order; blanks that are tokens of their own belong to the next word.
std::vector<Word> WordsOf(const Encoding& encoding, const SharedText& texts) {
  std::vector<Word> words;
  std::vector<std::size_t> waiting;
  std::int32_t last = kNoPlace;
  for (std::size_t i = 0; i < encoding.tokens.size(); ++i) {
    const Token& token = encoding.tokens[i];
    if (token.word < 0) {
      continue;
    }
    const std::string_view text = TextOf(texts, token.segment);
    const auto size = static_cast<std::int64_t>(text.size());
    std::int64_t end = std::clamp<std::int64_t>(token.end, 0, size);
    std::int64_t begin = std::clamp<std::int64_t>(token.begin, 0, end);
    while (begin < end && IsBlank(text[static_cast<std::size_t>(begin)])) {
      ++begin;
    }
    while (end > begin && IsBlank(text[static_cast<std::size_t>(end - 1)])) {
      --end;
    }
    if (begin == end) {
      waiting.push_back(i);
      continue;
    }
    const bool goes_on =
        !words.empty() && token.word == last && words.back().segment == token.segment;
    if (!goes_on) {
      words.push_back({token.segment, begin, end, {}});
    }
    Word& word = words.back();
    word.begin = std::min(word.begin, begin);
    word.end = std::max(word.end, end);
    word.tokens.insert(word.tokens.end(), waiting.begin(), waiting.end());
    word.tokens.push_back(i);
    waiting.clear();
    last = token.word;
  }
  if (!words.empty()) {
    words.back().tokens.insert(words.back().tokens.end(), waiting.begin(), waiting.end());
  }
  return words;
}

void Place(const Word& word, std::int32_t place, std::vector<std::int32_t>* places) {
  for (const std::size_t token : word.tokens) {
    (*places)[token] = place;
  }
}

bool IsNumbered(const Encoding& encoding) {
  for (std::size_t i = 0; i < encoding.tokens.size(); ++i) {
    if (encoding.tokens[i].text != std::to_string(i)) {
      return false;
    }
  }
  return true;
}

std::optional<std::size_t> FirstDifference(const SharedText& texts) {
  const auto same = [](const Token& a, const Token& b) { return a.text == b.text; };
  const auto [a, b] = std::ranges::mismatch(texts.a.tokens, texts.b.tokens, same);
  if (a == texts.a.tokens.end() && b == texts.b.tokens.end()) {
    return std::nullopt;
  }
  return static_cast<std::size_t>(a - texts.a.tokens.begin());
}

SharedAxis SameTokens(const Encoding& encoding) {
  SharedAxis axis;
  for (std::size_t i = 0; i < encoding.tokens.size(); ++i) {
    axis.names.push_back(encoding.tokens[i].text);
    axis.displays.push_back(TokenName(encoding, i));
  }
  return axis;
}

std::string TokenAt(const Encoding& encoding, std::size_t index) {
  return index < encoding.tokens.size() ? Quoted(encoding.tokens[index].text) : "missing";
}

// Finds words that end at the same byte of the text in both; one tokenizer's word may be several of
// the other's.
Result<SharedAxis> SameWords(const SharedText& texts) {
  const std::vector<Word> a = WordsOf(texts.a, texts);
  const std::vector<Word> b = WordsOf(texts.b, texts);
  SharedAxis axis;
  axis.place_a.assign(texts.a.tokens.size(), kNoPlace);
  axis.place_b.assign(texts.b.tokens.size(), kNoPlace);
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() && j < b.size()) {
    const auto place = static_cast<std::int32_t>(axis.names.size());
    const std::int32_t segment = a[i].segment;
    std::int64_t begin = std::min(a[i].begin, b[j].begin);
    Place(a[i], place, &axis.place_a);
    Place(b[j], place, &axis.place_b);
    while (a[i].Key() != b[j].Key()) {
      if (a[i].Key() < b[j].Key()) {
        if (++i == a.size()) {
          break;
        }
        Place(a[i], place, &axis.place_a);
      } else {
        if (++j == b.size()) {
          break;
        }
        Place(b[j], place, &axis.place_b);
      }
    }
    if (i == a.size() || j == b.size()) {
      break;
    }
    const std::string_view text = TextOf(texts, segment);
    axis.names.emplace_back(
        text.substr(static_cast<std::size_t>(begin), static_cast<std::size_t>(a[i].end - begin)));
    ++i;
    ++j;
  }
  if (i < a.size() || j < b.size() || axis.names.empty()) {
    return Fail(ErrorCode::kInput,
                fmt::format("the two tokenizers part after {} of the text: one reads more of it "
                            "than the other; give a text that both read whole",
                            Counted(axis.names.size(), "word")));
  }
  axis.displays = axis.names;
  for (const std::vector<std::int32_t>* places : {&axis.place_a, &axis.place_b}) {
    axis.has_special = axis.has_special || std::ranges::count(*places, kNoPlace) > 0;
  }
  axis.note = fmt::format(
      "The two tokenizers cut the text in other ways ({} and {}), so words are compared: a word's "
      "row is the mean of its tokens' rows, its column their sum{}.",
      Counted(texts.a.tokens.size(), "token"),
      Counted(texts.b.tokens.size(), "token"),
      axis.has_special ? "; special tokens have one column together, and no rows" : "");
  return axis;
}

}  // namespace

std::vector<std::vector<std::int64_t>> TokensOfPlaces(std::span<const std::int32_t> places,
                                                      std::int64_t count) {
  std::vector<std::vector<std::int64_t>> tokens(static_cast<std::size_t>(count));
  for (std::size_t token = 0; token < places.size(); ++token) {
    if (places[token] != kNoPlace) {
      tokens[static_cast<std::size_t>(places[token])].push_back(static_cast<std::int64_t>(token));
    }
  }
  return tokens;
}

Result<SharedAxis> ShareAxis(const SharedText& texts) {
  const std::optional<std::size_t> parts_at = FirstDifference(texts);
  if (!parts_at) {
    return SameTokens(texts.a);
  }
  const bool as_many = texts.a.tokens.size() == texts.b.tokens.size();
  if (as_many && (IsNumbered(texts.a) || IsNumbered(texts.b))) {
    SharedAxis axis = SameTokens(IsNumbered(texts.a) ? texts.b : texts.a);
    axis.note = "One of the two does not say its tokens; it is taken to be of the same ones.";
    return axis;
  }
  if (texts.text != nullptr) {
    return SameWords(texts);
  }
  return Fail(ErrorCode::kInput,
              fmt::format("the two are of other tokens: {} and {}, and token {} is {} in one and "
                          "{} in the other; {}",
                          Counted(texts.a.tokens.size(), "token"),
                          texts.b.tokens.size(),
                          *parts_at,
                          TokenAt(texts.a, *parts_at),
                          TokenAt(texts.b, *parts_at),
                          texts.advice));
}

}  // namespace headscope
