#include <array>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "core/base/quote.h"
#include "core/base/stop.h"
#include "core/io/annotated_lines.h"
#include "core/io/conllu_parts.h"

namespace headscope {
namespace {

using annotated::CheckLine;
using annotated::Collector;
using annotated::FailAt;
using annotated::Line;
using annotated::LineCutter;
using annotated::OrProblem;
using annotated::ParseNumber;
using annotated::Problem;
using conllu::Row;

// Reads "1 From from ADP ...", ten fields with tabs between.
OrProblem<Row> ReadRow(const Line& line) {
  const std::vector<std::string_view> fields = annotated::Fields(line.text, '\t');
  if (fields.size() != conllu::kFields) {
    const bool has_blanks = fields.size() == 1 && line.text.find(' ') != std::string_view::npos;
    return FailAt(line,
                  line.text,
                  fmt::format("expected {} fields with tabs between them, found {}{}",
                              conllu::kFields,
                              fields.size(),
                              has_blanks ? "; there are blanks where tabs should be" : ""));
  }
  Row row{line, {}};
  for (std::size_t i = 0; i < conllu::kFields; ++i) {
    if (fields[i].empty()) {
      return FailAt(line, fields[i], fmt::format("field {} is empty, expected a word or _", i + 1));
    }
    row.fields[i] = fields[i];
  }
  return row;
}

// Splits "global.Entity = eid-etype" into {"global.Entity", "eid-etype"}.
std::pair<std::string_view, std::string_view> ReadComment(std::string_view text) {
  text.remove_prefix(1);
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) {
    return {annotated::Trimmed(text), {}};
  }
  return {annotated::Trimmed(text.substr(0, equals)), annotated::Trimmed(text.substr(equals + 1))};
}

// Returns which field of "eid-etype-head" names the entity.
std::size_t EntityField(std::string_view description) {
  const std::vector<std::string_view> names = annotated::Fields(description, '-');
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == "eid" || names[i] == "GRP") {
      return i;
    }
  }
  return 0;
}

// Reads the lines of one sentence.
class SentenceReader {
 public:
  SentenceReader(std::size_t& entity_field, Collector& collector)
      : entity_field_(entity_field), collector_(collector) {}

  // The sentence has no words if the lines are all comments.
  OrProblem<AnnotatedSentence> Read(std::span<const Line> lines) {
    sentence_.line = lines.front().number;
    for (const Line& line : lines) {
      HEADSCOPE_TRY(CheckLine(line));
      if (line.text.starts_with('#')) {
        TakeComment(line);
      } else {
        HEADSCOPE_TRY(TakeLine(line));
      }
    }
    if (sentence_.words.empty() && surfaces_.empty()) {
      return std::move(sentence_);
    }
    if (token_last_ > std::ssize(sentence_.words)) {
      return FailAt(token_line_,
                    token_line_.text,
                    fmt::format("a multi-word token up to word {}, but the last word is {}",
                                token_last_,
                                sentence_.words.size()));
    }
    HEADSCOPE_TRY(conllu::LinkHeads(rows_, sentence_.words));
    conllu::PlaceWords(text_, surfaces_, sentence_, collector_);
    sentence_.mentions = conllu::ReadMentions(notes_, sentence_.words, entity_field_, collector_);
    return std::move(sentence_);
  }

 private:
  void TakeComment(const Line& line) {
    const auto [key, value] = ReadComment(line.text);
    if (key == "sent_id") {
      sentence_.id = value;
    } else if (key == "text") {
      text_ = {line, value};
    } else if (key == "global.Entity") {
      entity_field_ = EntityField(value);
    }
  }

  OrProblem<void> TakeLine(const Line& line) {
    HEADSCOPE_TRY(const auto row, ReadRow(line));
    const std::string_view id = row.fields[conllu::kId];
    if (const std::size_t dot = id.find('.'); dot != std::string_view::npos) {
      return TakeEmptyNode(row, ParseNumber(id.substr(0, dot)), ParseNumber(id.substr(dot + 1)));
    }
    if (const std::size_t dash = id.find('-'); dash != std::string_view::npos) {
      return TakeToken(row, ParseNumber(id.substr(0, dash)), ParseNumber(id.substr(dash + 1)));
    }
    return TakeWord(row, ParseNumber(id));
  }

  std::int64_t next_id() const { return std::ssize(sentence_.words) + 1; }

  static tl::unexpected<Problem> Unexpected(const Row& row, std::string expected) {
    const std::string_view id = row.fields[conllu::kId];
    return FailAt(
        row.line, id, fmt::format("expected {}, found {}", std::move(expected), Quoted(id)));
  }

  // A mention that opens at an empty node begins with the next word; one that closes there ends
  // with the previous word.
  OrProblem<void> TakeEmptyNode(const Row& row,
                                std::optional<std::int64_t> after,
                                std::optional<std::int64_t> number) {
    if (after != next_id() - 1 || !number) {
      return Unexpected(row, fmt::format("an empty node after word {}", next_id() - 1));
    }
    TakeNote(row, next_id() - 1, next_id() - 2);
    return {};
  }

  OrProblem<void> TakeToken(const Row& row,
                            std::optional<std::int64_t> first,
                            std::optional<std::int64_t> last) {
    if (first != next_id() || !last || *last < *first || token_last_ >= *first) {
      return Unexpected(row, fmt::format("word {}, or a token that begins with it", next_id()));
    }
    token_last_ = *last;
    token_line_ = row.line;
    TakeSurface(row, *first - 1, *last - 1);
    return {};
  }

  OrProblem<void> TakeWord(const Row& row, std::optional<std::int64_t> id) {
    const std::int64_t index = next_id() - 1;
    if (id != index + 1) {
      const char* or_end = index > 0 ? " or an empty line" : "";
      return Unexpected(row, fmt::format("word {}{}", index + 1, or_end));
    }
    if (token_last_ <= index) {
      TakeSurface(row, index, index);
    }
    const std::string_view upos = row.fields[conllu::kUpos];
    AnnotatedWord& word = sentence_.words.emplace_back();
    word.form = row.fields[conllu::kForm];
    word.upos = upos == "_" ? std::string_view() : upos;
    rows_.push_back(row);
    TakeNote(row, index, index);
    return {};
  }

  void TakeSurface(const Row& row, std::int64_t first, std::int64_t last) {
    const bool has_blank_after = conllu::MiscValue(row, "SpaceAfter") != "No";
    surfaces_.push_back({std::string(row.fields[conllu::kForm]), first, last, has_blank_after});
  }

  void TakeNote(const Row& row, std::int64_t opens, std::int64_t closes) {
    if (const std::optional<std::string_view> value = conllu::MiscValue(row, "Entity")) {
      notes_.push_back({row.line, *value, opens, closes});
    }
  }

  std::size_t& entity_field_;
  Collector& collector_;
  AnnotatedSentence sentence_;
  conllu::GivenText text_;
  std::vector<Row> rows_;  // one per word
  std::vector<conllu::Surface> surfaces_;
  std::vector<conllu::EntityNote> notes_;
  std::int64_t token_last_ = 0;  // last id and line of the latest multi-word token
  Line token_line_;
};

// Splits the file into sentences, which end with an empty line.
class FileReader {
 public:
  FileReader(std::string_view bytes, const std::string& name) : lines_(bytes), collector_(name) {}

  Result<AnnotatedText> Read(const std::stop_token& stop) {
    std::int64_t last = 0;
    while (const std::optional<Line> line = lines_.Next()) {
      HEADSCOPE_TRY(CheckStop(stop));
      last = line->number;
      if (annotated::IsBlank(line->text)) {
        EndSentence();
        if (collector_.IsFull(last)) {
          return collector_.Take();
        }
      } else {
        TakeLine(*line);
      }
    }
    if (!block_.empty() || is_skipping_) {
      const Problem cut{last, 1, "the file ends without an empty line; it may be cut off here"};
      EndSentence();
      collector_.Warn(cut);
    }
    return collector_.Take();
  }

 private:
  void TakeLine(const Line& line) {
    block_bytes_ += std::ssize(line.text) + 1;
    if (is_skipping_) {
      return;
    }
    block_.push_back(line);
    if (block_bytes_ > kMaxSentenceBytes) {
      collector_.LeaveOut(
          {block_.front().number,
           1,
           fmt::format("a sentence of more than {} bytes; a sentence ends with an empty line",
                       kMaxSentenceBytes)});
      block_.clear();
      is_skipping_ = true;
    }
  }

  void EndSentence() {
    if (!block_.empty()) {
      SentenceReader reader(entity_field_, collector_);
      OrProblem<AnnotatedSentence> sentence = reader.Read(block_);
      if (!sentence) {
        collector_.LeaveOut(sentence.error());
      } else if (!sentence->words.empty()) {
        collector_.Keep(std::move(*sentence));
      }
    }
    block_.clear();
    block_bytes_ = 0;
    is_skipping_ = false;
  }

  LineCutter lines_;
  Collector collector_;
  std::size_t entity_field_ = 0;
  std::vector<Line> block_;
  std::int64_t block_bytes_ = 0;
  bool is_skipping_ = false;
};

}  // namespace

std::optional<std::string_view> conllu::MiscValue(const Row& row, std::string_view name) {
  for (const std::string_view part : annotated::Fields(row.fields[kMisc], '|')) {
    if (part.size() > name.size() && part.starts_with(name) && part[name.size()] == '=') {
      return part.substr(name.size() + 1);
    }
  }
  return std::nullopt;
}

Result<AnnotatedText> ParseConllu(std::string_view bytes,
                                  const std::string& name,
                                  const std::stop_token& stop) {
  return FileReader(bytes, name).Read(stop);
}

}  // namespace headscope
