// WinoBias: a sentence a line, with brackets around what means the same.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/base/stop.h"
#include "core/io/annotated_lines.h"
#include "core/io/annotated_words.h"

namespace headscope {
namespace {

// "12 [She] left" is {"12", "[She] left"}.
std::pair<std::string_view, std::string_view> CutWinoNumber(std::string_view text) {
  text = annotated::Trimmed(text);
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const bool has_number = digits > 0 && digits < text.size() && text[digits] == ' ';
  return has_number ? std::pair(text.substr(0, digits), annotated::Trimmed(text.substr(digits)))
                    : std::pair(std::string_view(), text);
}

annotated::OrProblem<AnnotatedSentence> ReadWinoLine(const annotated::Line& line,
                                                     annotated::WordCutter& cutter) {
  const auto [number, marked] = CutWinoNumber(line.text);
  AnnotatedSentence sentence;
  sentence.id = number;
  sentence.line = line.number;
  std::vector<std::int64_t> cuts;  // a bracket's begin and end, the next one's, ...
  for (std::size_t i = 0; i < marked.size(); ++i) {
    const bool is_open = cuts.size() % 2 == 1;
    if (marked[i] != '[' && marked[i] != ']') {
      sentence.text += marked[i];
      continue;
    }
    if ((marked[i] == '[') == is_open) {
      return annotated::FailAt(
          line,
          marked.substr(i),
          is_open ? "a bracket opens within another" : "a bracket closes that has not opened");
    }
    cuts.push_back(std::ssize(sentence.text));
  }
  if (cuts.size() % 2 == 1) {
    return annotated::FailAt(line, line.text, "a bracket opens and does not close");
  }
  if (cuts.size() < 4) {
    return annotated::FailAt(line, line.text, "expected brackets around two mentions or more");
  }
  Result<std::vector<AnnotatedWord>> words = cutter.Cut(sentence.text, cuts);
  if (!words) {
    return annotated::FailAt(line, line.text, words.error().message);
  }
  sentence.words = std::move(*words);
  for (std::size_t i = 0; i < cuts.size(); i += 2) {
    Mention mention = annotated::MentionOf(sentence.words, cuts[i], cuts[i + 1], "1");
    if (mention.last < mention.first) {
      return annotated::FailAt(line, line.text, "there is no word between two brackets");
    }
    sentence.mentions.push_back(std::move(mention));
  }
  return sentence;
}

}  // namespace

Result<AnnotatedText> ParseWinoBias(std::string_view bytes,
                                    const std::string& name,
                                    const std::stop_token& stop) {
  annotated::LineCutter lines(bytes);
  annotated::Collector collector(name);
  annotated::WordCutter cutter;
  while (const std::optional<annotated::Line> line = lines.Next()) {
    HEADSCOPE_TRY(CheckStop(stop));
    if (annotated::IsBlank(line->text)) {
      continue;
    }
    const std::optional<annotated::Problem> problem = annotated::CheckLine(*line);
    annotated::OrProblem<AnnotatedSentence> sentence =
        problem ? tl::make_unexpected(*problem) : ReadWinoLine(*line, cutter);
    if (!collector.Add(std::move(sentence), line->number)) {
      break;
    }
  }
  return collector.Take();
}

}  // namespace headscope
