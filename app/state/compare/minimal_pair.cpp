#include "app/state/compare/minimal_pair.h"

#include <algorithm>
#include <string_view>
#include <vector>

namespace headscope {
namespace {

constexpr std::size_t kLongWord = 4;  // bytes; most articles and prepositions have fewer

bool IsInWord(char letter) {
  return (static_cast<unsigned char>(letter) & 0x80U) != 0 || (letter >= 'a' && letter <= 'z') ||
         (letter >= 'A' && letter <= 'Z') || (letter >= '0' && letter <= '9');
}

std::vector<std::string_view> SplitWords(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at < text.size() && words.size() < kMostWordsPaired;) {
    const std::size_t begin = at;
    while (at < text.size() && IsInWord(text[at])) {
      ++at;
    }
    if (at > begin) {
      words.push_back(text.substr(begin, at - begin));
    }
    at = std::max(at, begin + 1);
  }
  return words;
}

bool IsCapital(std::string_view word) {
  return word.front() >= 'A' && word.front() <= 'Z';
}

bool IsSame(std::string_view a, std::string_view b) {
  const auto lower = [](char letter) {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter + ('a' - 'A')) : letter;
  };
  return std::ranges::equal(a, b, {}, lower, lower);
}

// How alike the places of two words are; 0: they have nothing in common.
int Likeness(std::string_view text,
             const std::vector<std::string_view>& words,
             std::size_t a,
             std::size_t b) {
  int before = 0;
  while (before < 2 && static_cast<std::size_t>(before) < a &&
         IsSame(words[a - 1 - static_cast<std::size_t>(before)],
                words[b - 1 - static_cast<std::size_t>(before)])) {
    ++before;
  }
  const bool are_names = a > 0 && IsCapital(words[a]) && IsCapital(words[b]);
  if (before == 0 && !are_names) {
    return 0;
  }
  const auto ends_part = [&](std::size_t at) {  // a mark stands right after it
    const std::size_t end =
        static_cast<std::size_t>(words[at].data() - text.data()) + words[at].size();
    return end == text.size() || (text[end] != ' ' && !IsInWord(text[end]));
  };
  const bool ends_a = ends_part(a);
  const bool ends_b = ends_part(b);
  const bool goes_on_alike = ends_a && ends_b;
  const bool same_follows =
      !ends_a && !ends_b && b + 1 < words.size() && IsSame(words[a + 1], words[b + 1]);
  const bool are_long = std::min(words[a].size(), words[b].size()) >= kLongWord;
  return 2 * before + (are_names ? 3 : 0) + (goes_on_alike || same_follows ? 1 : 0) +
         (are_long ? 1 : 0);
}

}  // namespace

std::optional<MinimalPair> MinimalPairOf(const std::string& text) {
  const std::vector<std::string_view> words = SplitWords(text);
  std::size_t longest = 0;  // up to kLongWord
  for (const std::string_view word : words) {
    longest = std::max(longest, std::min(word.size(), kLongWord));
  }
  if (longest < 2) {
    return std::nullopt;
  }
  constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  std::size_t given_up = kNone;
  std::size_t taken = kNone;
  int most = 0;
  for (std::size_t a = 0; a < words.size(); ++a) {
    for (std::size_t b = a + 1; b < words.size(); ++b) {
      if (std::min(words[a].size(), words[b].size()) < longest - 1 || IsSame(words[a], words[b])) {
        continue;
      }
      const int likeness = Likeness(text, words, a, b);
      if (likeness > most) {
        most = likeness;
        given_up = a;
        taken = b;
      }
    }
  }
  for (std::size_t at = 0; at < words.size() && most == 0; ++at) {
    if (words[at].size() < longest) {
      continue;
    }
    if (given_up == kNone) {
      given_up = at;
    } else if (!IsSame(words[at], words[given_up])) {
      taken = at;
    }
  }
  if (taken == kNone) {
    return std::nullopt;
  }
  const auto begin = static_cast<std::size_t>(words[given_up].data() - text.data());
  return MinimalPair{.text = text.substr(0, begin) + std::string(words[taken]) +
                             text.substr(begin + words[given_up].size()),
                     .given_up = std::string(words[given_up]),
                     .taken = std::string(words[taken])};
}

}  // namespace headscope
