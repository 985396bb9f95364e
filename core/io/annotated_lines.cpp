#include "core/io/annotated_lines.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "core/base/counted.h"
#include "core/base/parse_number.h"
#include "core/base/stop.h"
#include "core/base/utf8.h"

namespace headscope::annotated {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

std::string Warning(const std::string& name, const Problem& problem) {
  return fmt::format(
      "{}: line {}, column {}: {}", name, problem.line, problem.column, problem.words);
}

}  // namespace

LineCutter::LineCutter(std::string_view bytes) : rest_(bytes) {
  if (rest_.starts_with(kByteOrderMark)) {
    rest_.remove_prefix(kByteOrderMark.size());
  }
  if (rest_.substr(0, kMaxSentenceBytes).find('\n') == std::string_view::npos) {
    end_ = '\r';
  }
}

std::optional<Line> LineCutter::Next() {
  if (rest_.empty()) {
    return std::nullopt;
  }
  const std::size_t end = rest_.find(end_);
  Line line{++number_, rest_.substr(0, end)};
  rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
  if (line.text.ends_with('\r')) {
    line.text.remove_suffix(1);
  }
  return line;
}

bool IsBlank(std::string_view text) {
  return text.find_first_not_of(" \t") == std::string_view::npos;
}

std::string_view Trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) {
    return {};
  }
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::vector<std::string_view> Fields(std::string_view text, char separator) {
  std::vector<std::string_view> fields;
  std::size_t begin = 0;
  for (std::size_t end = text.find(separator); end != std::string_view::npos;
       end = text.find(separator, begin)) {
    fields.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  fields.push_back(text.substr(begin));
  return fields;
}

std::optional<std::int64_t> ParseNumber(std::string_view text) {
  constexpr std::size_t kMostDigits = 18;
  return text.size() <= kMostDigits && !text.starts_with('-') ? ParseAs<std::int64_t>(text)
                                                              : std::nullopt;
}

Problem ProblemAt(const Line& line, std::string_view part, std::string words) {
  const std::string_view before =
      line.text.substr(0, static_cast<std::size_t>(part.data() - line.text.data()));
  const auto column = std::ranges::count_if(before, StartsCharacter) + 1;
  return Problem{line.number, column, std::move(words)};
}

tl::unexpected<Problem> FailAt(const Line& line, std::string_view part, std::string words) {
  return tl::make_unexpected(ProblemAt(line, part, std::move(words)));
}

OrProblem<void> CheckLine(const Line& line) {
  if (line.text.size() > static_cast<std::size_t>(kMaxSentenceBytes)) {
    return FailAt(
        line,
        line.text,
        fmt::format(
            "a line of {} bytes, expected at most {}", line.text.size(), kMaxSentenceBytes));
  }
  const std::size_t valid = FirstInvalidByte(line.text).value_or(line.text.size());
  const std::size_t zero = line.text.substr(0, valid).find('\0');
  if (zero != std::string_view::npos) {
    return FailAt(
        line, line.text.substr(zero), "a zero byte, as UTF-16 has; save the file as UTF-8");
  }
  if (valid < line.text.size()) {
    const auto byte = static_cast<unsigned char>(line.text[valid]);
    return FailAt(
        line,
        line.text.substr(valid),
        fmt::format("byte 0x{:02x} is not UTF-8; save the file as UTF-8", unsigned{byte}));
  }
  return {};
}

void Collector::Warn(const Problem& problem) {
  if (text_.warnings.size() < kMaxAnnotationWarnings) {
    text_.warnings.push_back(Warning(name_, problem));
  } else {
    ++more_;
  }
}

void Collector::LeaveOut(const Problem& problem) {
  Warn({problem.line, problem.column, problem.words + "; the sentence is left out"});
  ++text_.left_out;
}

void Collector::Keep(AnnotatedSentence sentence) {
  std::size_t bytes = sizeof(AnnotatedSentence) + sentence.id.size() + sentence.text.size();
  for (const AnnotatedWord& word : sentence.words) {
    bytes += sizeof(AnnotatedWord) + word.form.size() + word.upos.size() + word.relation.size();
  }
  for (const Mention& mention : sentence.mentions) {
    bytes += sizeof(Mention) + mention.entity.size();
  }
  kept_bytes_ += static_cast<std::int64_t>(bytes);
  text_.sentences.push_back(std::move(sentence));
}

bool Collector::Add(OrProblem<AnnotatedSentence> sentence, std::int64_t line) {
  if (!sentence) {
    LeaveOut(sentence.error());
    return true;
  }
  Keep(std::move(*sentence));
  return !IsFull(line);
}

bool Collector::IsFull(std::int64_t line) {
  if (kept_bytes_ <= kMaxAnnotatedBytes) {
    return false;
  }
  text_.warnings.insert(
      text_.warnings.begin(),
      Warning(name_,
              {line,
               1,
               fmt::format("the first {} fill {} MB, and no more are read; cut the file into parts",
                           Counted(text_.sentences.size(), "sentence"),
                           kMaxAnnotatedBytes >> 20U)}));
  return true;
}

Result<AnnotatedText> Collector::Take() {
  if (text_.sentences.empty()) {
    std::string reason = text_.warnings.empty() ? name_ + ": expected sentences, found none"
                                                : text_.warnings.front();
    if (text_.left_out > 1) {
      reason += fmt::format("; so are {} more, and nothing is left", text_.left_out - 1);
    } else if (text_.left_out == 1) {
      reason += ", and it is the only one";
    }
    return Fail(ErrorCode::kFormat, std::move(reason));
  }
  if (more_ > 0) {
    text_.warnings.push_back(fmt::format("{}: and {} more", name_, more_));
  }
  return std::move(text_);
}

Result<AnnotatedText> ReadLines(LineCutter lines,
                                const std::string& name,
                                const std::stop_token& stop,
                                OrProblem<AnnotatedSentence> (*read)(const Line& line)) {
  Collector collector(name);
  while (const std::optional<Line> line = lines.Next()) {
    HEADSCOPE_TRY(CheckStop(stop));
    if (!IsBlank(line->text) && !collector.Add(read(*line), line->number)) {
      break;
    }
  }
  return collector.Take();
}

std::int64_t HeadOfSpan(const std::vector<AnnotatedWord>& words,
                        std::int64_t first,
                        std::int64_t last) {
  std::int64_t found = -1;
  for (std::int64_t i = first; i <= last; ++i) {
    const AnnotatedWord& word = words[static_cast<std::size_t>(i)];
    const bool is_outside = !word.relation.empty() && (word.head < first || word.head > last);
    const bool is_better = found < 0 || words[static_cast<std::size_t>(found)].relation == "punct";
    if (is_outside && is_better && (found < 0 || word.relation != "punct")) {
      found = i;
    }
  }
  return found >= 0 ? found : last;
}

void SortMentions(std::vector<Mention>& mentions) {
  std::ranges::sort(mentions, {}, [](const Mention& mention) {
    return std::tuple(mention.first, -mention.last, std::string_view(mention.entity));
  });
}

}  // namespace headscope::annotated
