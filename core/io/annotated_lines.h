// The lines of an annotated file and the problems in them: the common part of the three readers.
//
// Units    lines and columns from 1, columns in characters.
// Errors   a Problem describes what is wrong at one place; Collector turns it into a warning.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "core/io/annotated_text.h"

namespace headscope::annotated {

struct Line {
  std::int64_t number = 0;
  std::string_view text;  // without its line end
};

// Splits at \n and drops a \r before it; splits at \r where no \n follows within kMaxSentenceBytes.
// A byte order mark is not part of the first line.
class LineCutter {
 public:
  explicit LineCutter(std::string_view bytes);
  [[nodiscard]] std::optional<Line> Next();

 private:
  std::string_view rest_;
  char end_ = '\n';
  std::int64_t number_ = 0;
};

// Whether it is empty or has only blanks and tabs.
[[nodiscard]] bool IsBlank(std::string_view text);
[[nodiscard]] std::string_view Trimmed(std::string_view text);
[[nodiscard]] std::vector<std::string_view> Fields(std::string_view text, char separator);
// Reads a whole number of up to 18 digits and nothing else.
[[nodiscard]] std::optional<std::int64_t> ParseNumber(std::string_view text);

struct Problem {
  std::int64_t line = 0;
  std::int64_t column = 0;
  std::string words;
};
template <typename T>
using OrProblem = tl::expected<T, Problem>;

// Makes a problem located at `part`, which points into the line's text.
[[nodiscard]] Problem ProblemAt(const Line& line, std::string_view part, std::string words);
[[nodiscard]] tl::unexpected<Problem> FailAt(const Line& line,
                                             std::string_view part,
                                             std::string words);
// Fails if the line is too long, not UTF-8, or has a zero byte.
[[nodiscard]] OrProblem<void> CheckLine(const Line& line);

// Collects sentences and warnings for the file called `name`.
class Collector {
 public:
  explicit Collector(std::string name) : name_(std::move(name)) {}

  void Warn(const Problem& problem);
  void LeaveOut(const Problem& problem);
  void Keep(AnnotatedSentence sentence);
  // Keeps a sentence, or leaves it out if it has a problem. Returns false when the limit is reached
  // and reading ends at this line.
  [[nodiscard]] bool Add(OrProblem<AnnotatedSentence> sentence, std::int64_t line);
  // Whether the limit is reached, so that reading ends; warns once.
  [[nodiscard]] bool IsFull(std::int64_t line);
  // Fails with kFormat if no sentence was kept.
  [[nodiscard]] Result<AnnotatedText> Take();

 private:
  std::string name_;
  AnnotatedText text_;
  std::int64_t more_ = 0;
  std::int64_t kept_bytes_ = 0;
};

// Reads a file with one sentence per line; blank lines are skipped.
[[nodiscard]] Result<AnnotatedText> ReadLines(
    LineCutter lines,
    const std::string& name,
    const std::stop_token& stop,
    OrProblem<AnnotatedSentence> (*read)(const Line& line));

// Returns the word of [first, last] whose own head lies outside, ignoring punctuation; the last
// word where no word of the sentence has a head.
[[nodiscard]] std::int64_t HeadOfSpan(const std::vector<AnnotatedWord>& words,
                                      std::int64_t first,
                                      std::int64_t last);

// Sorts by first word, then longer mentions first.
void SortMentions(std::vector<Mention>& mentions);

}  // namespace headscope::annotated
