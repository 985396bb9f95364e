// Small files of texts to score heads on, in words that the bundled models know.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace headscope::test {

inline std::string GapRowOf(int number,
                            const std::string& text,
                            std::string_view pronoun,
                            std::string_view a,
                            std::string_view b,
                            bool is_a) {
  return fmt::format("row-{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\thttp://example.org/{}\n",
                     number,
                     text,
                     pronoun,
                     text.rfind(pronoun),
                     a,
                     text.find(a),
                     is_a ? "TRUE" : "FALSE",
                     b,
                     text.find(b),
                     is_a ? "FALSE" : "TRUE",
                     number);
}

inline constexpr std::string_view kGapHeader =
    "ID\tText\tPronoun\tPronoun-offset\tA\tA-offset\tA-coref\tB\tB-offset\tB-coref\tURL\n";

// GAP's table: each row two persons and the pronoun of one of them.
inline std::string GapTable(int rows) {
  constexpr std::array<std::string_view, 5> kNames = {"Anna", "Mary", "Julia", "Maria", "Emma"};
  constexpr std::array<std::string_view, 3> kThings = {"letter", "book", "ring"};
  std::string table(kGapHeader);
  for (int i = 0; i < rows; ++i) {
    const auto place = static_cast<std::size_t>(i);
    const std::string_view a = kNames[place % 5];
    const std::string_view b = kNames[(place + 1 + place / 5 % 4) % 5];
    const std::string text = fmt::format(
        "The old sailor told {} a story. {}{} hid the {} in the garden before she went home.",
        a,
        i % 2 == 0 ? "In the morning " : "",
        b,
        kThings[place % 3]);
    table += GapRowOf(i, text, "she", a, b, i % 3 == 0);
  }
  return table;
}

}  // namespace headscope::test
