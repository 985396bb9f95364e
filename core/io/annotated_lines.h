// The lines of an annotated file, and what is wrong with them: what its three readers share.
//
// Units    lines and columns from 1, columns in characters.
// Errors   a Problem is one sentence's; Collector turns it into a warning.
// Threads  plain values.
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
  std::string_view text;  // without its end
};

// Cuts at \n, and takes a \r before it off; at \r where there is no \n for kMaxSentenceBytes. A byte
// order mark is not part of the first line.
class LineCutter {
 public:
  explicit LineCutter(std::string_view bytes);
  [[nodiscard]] std::optional<Line> Next();

 private:
  std::string_view rest_;
  char end_ = '\n';
  std::int64_t number_ = 0;
};

// The character at byte `at`, which moves past it; negative for bytes that are none.
std::int32_t NextCharacter(std::string_view text, std::size_t& at);

// Empty, or of blanks and tabs alone.
[[nodiscard]] bool IsBlank(std::string_view text);
[[nodiscard]] std::string_view Trimmed(std::string_view text);
[[nodiscard]] std::vector<std::string_view> Fields(std::string_view text, char separator);
// A whole number of digits alone, of at most 18.
[[nodiscard]] std::optional<std::int64_t> ParseNumber(std::string_view text);

struct Problem {
  std::int64_t line = 0;
  std::int64_t column = 0;
  std::string words;
};
template <typename T>
using OrProblem = tl::expected<T, Problem>;

// The problem at `part`, which points into the line's text.
[[nodiscard]] Problem ProblemAt(const Line& line, std::string_view part, std::string words);
[[nodiscard]] tl::unexpected<Problem> FailAt(const Line& line,
                                             std::string_view part,
                                             std::string words);
// Where a line is too long, not UTF-8, or has a zero byte.
[[nodiscard]] std::optional<Problem> CheckLine(const Line& line);

// Gathers sentences and warnings for the file called `name`.
class Collector {
 public:
  explicit Collector(std::string name) : name_(std::move(name)) {}

  void Warn(const Problem& problem);
  void LeaveOut(const Problem& problem);
  void Keep(AnnotatedSentence sentence);
  // Keeps a sentence, or leaves it out where it has a problem. False: so much is kept that reading
  // ends at this line.
  [[nodiscard]] bool Add(OrProblem<AnnotatedSentence> sentence, std::int64_t line);
  // Whether so much is kept that reading ends; warned of once.
  [[nodiscard]] bool IsFull(std::int64_t line);
  // kFormat where no sentence was kept.
  [[nodiscard]] Result<AnnotatedText> Take();

 private:
  std::string name_;
  AnnotatedText text_;
  std::int64_t more_ = 0;
  std::int64_t kept_bytes_ = 0;
};

// The word of [first, last] whose own head lies outside, punctuation aside; the last word where no
// word of the sentence has a head.
[[nodiscard]] std::int64_t HeadOfSpan(const std::vector<AnnotatedWord>& words,
                                      std::int64_t first,
                                      std::int64_t last);

// By first word, then the longer one first, then by entity.
void SortMentions(std::vector<Mention>& mentions);

}  // namespace headscope::annotated
