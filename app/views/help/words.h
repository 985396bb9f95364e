// Every word on screen, in plain English: what the help shows.
//
// Threads  constants.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headscope {

struct AppState;

struct HelpWord {
  std::string term;     // "query"; several that belong together: "linear, √, log"
  std::string meaning;  // whole sentences
  std::string (*numbers)(const AppState& state) =
      nullptr;  // of the open model; empty: there are none
};

struct HelpChapter {
  std::string_view title;
  std::vector<HelpWord> words;
};

[[nodiscard]] std::span<const HelpChapter> HelpChapters();

// The entry whose term it is, or one of whose terms; letters of either case. Null: undefined.
[[nodiscard]] const HelpWord* FindHelpWord(std::string_view term,
                                           std::span<const HelpChapter> chapters = HelpChapters());

}  // namespace headscope
