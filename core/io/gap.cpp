// GAP: a table with one text per row, and in it a pronoun and two names that it could refer to.
#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "core/base/quote.h"
#include "core/base/utf8.h"
#include "core/io/annotated_lines.h"
#include "core/io/annotated_words.h"

namespace headscope {
namespace {

namespace an = annotated;

// Fields of a row, in the order of the header names.
enum GapField : std::size_t {
  kGapId,
  kGapText,
  kGapPronoun,
  kGapPronounOffset,
  kGapA,
  kGapAOffset,
  kGapACoref,
  kGapB,
  kGapBOffset,
  kGapBCoref,
};
constexpr std::array<std::string_view, 10> kGapNames = {"ID",
                                                        "Text",
                                                        "Pronoun",
                                                        "Pronoun-offset",
                                                        "A",
                                                        "A-offset",
                                                        "A-coref",
                                                        "B",
                                                        "B-offset",
                                                        "B-coref"};

struct ByteSpan {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

an::OrProblem<ByteSpan> FindGapMention(const an::Line& line,
                                       std::string_view text,
                                       std::string_view mention,
                                       std::string_view offset) {
  const std::optional<std::int64_t> characters = an::ParseNumber(offset);
  if (!characters) {
    return an::FailAt(
        line, offset, fmt::format("expected a number of characters, found {}", Quoted(offset)));
  }
  std::size_t at = 0;
  for (std::int64_t i = 0; i < *characters && at < text.size(); ++i) {
    NextCharacter(text, at);
  }
  if (mention.empty() || !text.substr(at).starts_with(mention)) {
    return an::FailAt(
        line,
        mention,
        fmt::format("{} does not stand at character {} of the text", Quoted(mention), *characters));
  }
  const auto begin = static_cast<std::int64_t>(at);
  return ByteSpan{begin, begin + std::ssize(mention)};
}

an::OrProblem<bool> ReadGapTruth(const an::Line& line, std::string_view field) {
  if (field != "TRUE" && field != "FALSE") {
    return an::FailAt(line, field, fmt::format("expected TRUE or FALSE, found {}", Quoted(field)));
  }
  return field == "TRUE";
}

an::OrProblem<AnnotatedSentence> ReadGapRow(const an::Line& line) {
  HEADSCOPE_TRY(an::CheckLine(line));
  const std::vector<std::string_view> row = an::Fields(line.text, '\t');
  if (row.size() < kGapNames.size()) {
    return an::FailAt(
        line,
        line.text,
        fmt::format(
            "expected {} fields with tabs between them, found {}", kGapNames.size(), row.size()));
  }
  const std::string_view text = row[kGapText];
  std::vector<ByteSpan> spans;
  std::vector<std::int64_t> cuts;
  for (const auto& [mention, offset] : {std::pair(kGapPronoun, kGapPronounOffset),
                                        std::pair(kGapA, kGapAOffset),
                                        std::pair(kGapB, kGapBOffset)}) {
    HEADSCOPE_TRY(const auto span, FindGapMention(line, text, row[mention], row[offset]));
    spans.push_back(span);
    cuts.insert(cuts.end(), {span.begin, span.end});
  }
  HEADSCOPE_TRY(const auto is_a, ReadGapTruth(line, row[kGapACoref]));
  HEADSCOPE_TRY(const auto is_b, ReadGapTruth(line, row[kGapBCoref]));
  Result<std::vector<AnnotatedWord>> words = an::CutWords(text, cuts);
  if (!words) {
    return an::FailAt(line, text, words.error().message);
  }
  AnnotatedSentence sentence;
  sentence.id = row[kGapId];
  sentence.line = line.number;
  sentence.text = text;
  sentence.words = std::move(*words);
  const std::array<std::string, 3> entities = {"1", is_a ? "1" : "2", is_b ? "1" : "3"};
  for (std::size_t i = 0; i < spans.size(); ++i) {
    Mention mention = an::MentionOf(sentence.words, spans[i].begin, spans[i].end, entities[i]);
    if (mention.last < mention.first) {
      return an::FailAt(line, line.text, "a mention without a word");
    }
    sentence.mentions.push_back(std::move(mention));
  }
  an::SortMentions(sentence.mentions);
  return sentence;
}

Status CheckGapHeader(const an::Line& line, const std::string& name) {
  if (const auto checked = an::CheckLine(line); !checked) {
    return Fail(
        ErrorCode::kFormat,
        fmt::format(
            "{}: line 1, column {}: {}", name, checked.error().column, checked.error().words));
  }
  const std::vector<std::string_view> row = an::Fields(line.text, '\t');
  if (row.size() < kGapNames.size() ||
      !std::equal(kGapNames.begin(), kGapNames.end(), row.begin())) {
    return Fail(ErrorCode::kFormat,
                fmt::format("{}: line 1, column 1: expected GAP's header ({}, with tabs between), "
                            "found {}",
                            name,
                            fmt::join(kGapNames, " "),
                            Quoted(line.text)));
  }
  return {};
}

}  // namespace

Result<AnnotatedText> ParseGap(std::string_view bytes,
                               const std::string& name,
                               const std::stop_token& stop) {
  an::LineCutter lines(bytes);
  if (const std::optional<an::Line> header = lines.Next()) {
    HEADSCOPE_TRY(CheckGapHeader(*header, name));
  }
  return an::ReadLines(lines, name, stop, ReadGapRow);
}

}  // namespace headscope
