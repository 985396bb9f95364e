#include "core/compare/aligned_axis.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include <fmt/format.h>

#include "core/base/counted.h"
#include "core/base/stop.h"
#include "core/text/words.h"

namespace headscope {
namespace {

constexpr std::size_t kMostSteps = std::size_t{1} << 24U;

// A word, or a single special token.
struct Unit {
  std::string text;
  bool is_word = false;
  std::vector<std::size_t> tokens;
};

void Trim(std::string* text) {
  const std::size_t first = text->find_first_not_of(' ');
  if (first != std::string::npos) {
    *text = text->substr(first, text->find_last_not_of(' ') + 1 - first);
  }
}

std::vector<Unit> UnitsOf(const Encoding& encoding) {
  std::vector<Unit> units;
  for (std::size_t i = 0; i < encoding.tokens.size(); ++i) {
    const Token& token = encoding.tokens[i];
    const Token* const before = i > 0 ? &encoding.tokens[i - 1] : nullptr;
    const bool goes_on = before != nullptr && token.word >= 0 && token.word == before->word &&
                         token.segment == before->segment;
    if (!goes_on) {
      units.push_back({.text = {}, .is_word = token.word >= 0, .tokens = {}});
    }
    units.back().text += token.display;
    units.back().tokens.push_back(i);
  }
  for (Unit& unit : units) {
    Trim(&unit.text);
  }
  return units;
}

// Matching places of units in A and in B, ascending in both.
using Matches = std::vector<std::pair<std::size_t, std::size_t>>;

// Finds the longest common subsequence of the units in [begin, end).
struct Stretch {
  std::size_t begin_a;
  std::size_t end_a;
  std::size_t begin_b;
  std::size_t end_b;
};

Status MatchWithin(const std::vector<Unit>& a,
                   const std::vector<Unit>& b,
                   const Stretch& stretch,
                   const std::stop_token& stop,
                   Matches* matches) {
  const std::size_t rows = stretch.end_a - stretch.begin_a;
  const std::size_t cols = stretch.end_b - stretch.begin_b;
  if (rows == 0 || cols == 0) {
    return {};
  }
  if (rows > kMostSteps / cols) {
    return Fail(ErrorCode::kInput,
                fmt::format("the two texts differ over {} and {}, more than can be matched; "
                            "compare shorter ones",
                            Counted(rows, "word"),
                            Counted(cols, "word")));
  }
  // [rows + 1, cols + 1]: how many units can be matched from there on.
  std::vector<std::uint16_t> most((rows + 1) * (cols + 1), 0);
  const auto at = [cols](std::size_t row, std::size_t col) { return row * (cols + 1) + col; };
  const auto same = [&](std::size_t row, std::size_t col) {
    return a[stretch.begin_a + row].text == b[stretch.begin_b + col].text;
  };
  StopPoll poll(stop, 16);
  for (std::size_t row = rows; row-- > 0;) {
    HEADSCOPE_TRY(poll.Check());
    for (std::size_t col = cols; col-- > 0;) {
      most[at(row, col)] = same(row, col)
                               ? static_cast<std::uint16_t>(most[at(row + 1, col + 1)] + 1)
                               : std::max(most[at(row + 1, col)], most[at(row, col + 1)]);
    }
  }
  std::size_t row = 0;
  std::size_t col = 0;
  while (row < rows && col < cols) {
    if (same(row, col)) {
      matches->emplace_back(stretch.begin_a + row, stretch.begin_b + col);
      ++row;
      ++col;
    } else if (most[at(row + 1, col)] >= most[at(row, col + 1)]) {
      ++row;
    } else {
      ++col;
    }
  }
  return {};
}

Result<Matches> AlignedAxisMatch(const std::vector<Unit>& a,
                                 const std::vector<Unit>& b,
                                 const std::stop_token& stop) {
  Matches matches;
  const std::size_t both = std::min(a.size(), b.size());
  std::size_t first = 0;
  while (first < both && a[first].text == b[first].text) {
    matches.emplace_back(first, first);
    ++first;
  }
  std::size_t last = 0;
  while (last < both - first && a[a.size() - 1 - last].text == b[b.size() - 1 - last].text) {
    ++last;
  }
  const Stretch middle{first, a.size() - last, first, b.size() - last};
  HEADSCOPE_TRY(MatchWithin(a, b, middle, stop, &matches));
  for (; last > 0; --last) {
    matches.emplace_back(a.size() - last, b.size() - last);
  }
  return matches;
}

// If both have the same number of words between two matches, they replace one another.
Matches WithExchanged(const std::vector<Unit>& a,
                      const std::vector<Unit>& b,
                      const Matches& matches) {
  Matches all;
  std::size_t next_a = 0;
  std::size_t next_b = 0;
  const auto fill = [&](std::size_t end_a, std::size_t end_b) {
    if (end_a - next_a == end_b - next_b) {
      for (; next_a < end_a; ++next_a, ++next_b) {
        if (a[next_a].is_word && b[next_b].is_word) {
          all.emplace_back(next_a, next_b);
        }
      }
    }
    next_a = end_a;
    next_b = end_b;
  };
  for (const auto& [one, two] : matches) {
    fill(one, two);
    all.emplace_back(one, two);
    next_a = one + 1;
    next_b = two + 1;
  }
  fill(a.size(), b.size());
  return all;
}

std::string Together(const std::string& one, const std::string& two) {
  return one == two ? one : one + " / " + two;
}

// "“a”, “b” and 3 more"
std::string Listed(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 4;
  std::string words;
  for (std::size_t i = 0; i < std::min(names.size(), kMost); ++i) {
    words += fmt::format("{}“{}”", i == 0 ? "" : ", ", names[i]);
  }
  return names.size() > kMost ? fmt::format("{} and {} more", words, names.size() - kMost) : words;
}

std::vector<std::string> LeftOut(const std::vector<Unit>& units,
                                 const std::vector<std::int32_t>& places) {
  std::vector<std::string> names;
  for (const Unit& unit : units) {
    if (places[unit.tokens.front()] == kNoPlace) {
      names.push_back(unit.text);
    }
  }
  return names;
}

}  // namespace

Result<SharedAxis> AlignAxis(const Encoding& a, const Encoding& b, const std::stop_token& stop) {
  const std::vector<Unit> of_a = UnitsOf(a);
  const std::vector<Unit> of_b = UnitsOf(b);
  HEADSCOPE_TRY(const auto matches, AlignedAxisMatch(of_a, of_b, stop));
  const bool shares_word =
      std::ranges::any_of(matches, [&](const auto& match) { return of_a[match.first].is_word; });
  const auto has_words = [](const std::vector<Unit>& units) {
    return std::ranges::any_of(units, &Unit::is_word);
  };
  if (matches.empty() || (!shares_word && has_words(of_a) && has_words(of_b))) {
    return Fail(ErrorCode::kInput,
                "the two texts have no word in common: no row of one stands beside a row of the "
                "other; compare texts that share some");
  }
  SharedAxis axis;
  axis.place_a.assign(a.tokens.size(), kNoPlace);
  axis.place_b.assign(b.tokens.size(), kNoPlace);
  std::vector<std::string> exchanged;
  const auto add = [&axis](std::string name) {
    axis.names.push_back(name);
    axis.displays.push_back(std::move(name));
    return static_cast<std::int32_t>(axis.names.size() - 1);
  };
  for (const auto& [one, two] : WithExchanged(of_a, of_b, matches)) {
    const Unit& unit_a = of_a[one];
    const Unit& unit_b = of_b[two];
    if (unit_a.text != unit_b.text) {
      exchanged.push_back(Together(unit_a.text, unit_b.text));
    }
    if (unit_a.tokens.size() == unit_b.tokens.size()) {
      for (std::size_t i = 0; i < unit_a.tokens.size(); ++i) {
        const std::size_t token_a = unit_a.tokens[i];
        const std::size_t token_b = unit_b.tokens[i];
        axis.place_a[token_a] = axis.place_b[token_b] =
            add(Together(TokenName(a, token_a), TokenName(b, token_b)));
      }
      continue;
    }
    const std::int32_t place = add(Together(unit_a.text, unit_b.text));
    for (const std::size_t token : unit_a.tokens) {
      axis.place_a[token] = place;
    }
    for (const std::size_t token : unit_b.tokens) {
      axis.place_b[token] = place;
    }
  }
  const std::vector<std::string> only_a = LeftOut(of_a, axis.place_a);
  const std::vector<std::string> only_b = LeftOut(of_b, axis.place_b);
  axis.has_special = !only_a.empty() || !only_b.empty();
  axis.note = fmt::format("The texts differ; the words that both have are matched in order: {}.",
                          Counted(axis.names.size(), "place"));
  if (!exchanged.empty()) {
    axis.note += fmt::format(" Exchanged: {}.", Listed(exchanged));
  }
  for (const auto& [side, names] : {std::pair('A', &only_a), std::pair('B', &only_b)}) {
    if (!names->empty()) {
      axis.note += fmt::format(" {} alone has {}.", side, Listed(*names));
    }
  }
  if (axis.has_special) {
    axis.note += " What one side alone has is no row, and one column together.";
  }
  return axis;
}

}  // namespace headscope
