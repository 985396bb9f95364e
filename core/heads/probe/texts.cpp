#include <algorithm>
#include <charconv>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "core/base/counted.h"
#include "core/base/quote.h"
#include "core/base/stop.h"
#include "core/heads/probe/probe.h"
#include "core/io/annotated_text.h"
#include "core/io/text_file.h"
#include "core/text/unicode.h"

namespace headscope {
namespace {

constexpr std::uint64_t kMostProbeBytes = std::uint64_t{1} << 30U;

bool IsPunctuation(std::string_view text) {
  std::size_t position = 0;
  while (position < text.size()) {
    if (!text::IsPunctuation(NextCharacter(text, position))) {
      return false;
    }
  }
  return !text.empty();
}

// Matches "<0x0A>".
bool IsSpeltByte(std::string_view text) {
  return text.size() == 6 && text.starts_with("<0x") && text.ends_with(">");
}

// The same, or one byte of a byte-level vocabulary.
bool IsByte(std::string_view text) {
  std::size_t position = 0;
  if (!text.empty()) {
    NextCharacter(text, position);
  }
  return IsSpeltByte(text) || position == text.size();
}

// True if it stands for text that the vocabulary cannot express, and is not a byte of it.
bool IsUnknown(const Token& token) {
  return token.unknown && !IsSpeltByte(token.text);
}

// Texts that share one note, which names the first of them.
class Alike {
 public:
  void Add(const std::string& where) {
    first_ = count_ == 0 ? where : first_;
    ++count_;
  }
  // For example: "corpus.txt: line 3, and 4 texts more: of one token or none; they are left out".
  void AddNote(std::string_view what, std::string_view outcome, std::vector<std::string>* notes) {
    if (count_ > 0) {
      notes->push_back(
          fmt::format("{}{}: {}; {} {}",
                      first_,
                      count_ > 1 ? fmt::format(", and {} more", Counted(count_ - 1, "text")) : "",
                      what,
                      count_ > 1 ? "they are" : "it is",
                      outcome));
    }
  }

 private:
  std::int64_t count_ = 0;
  std::string first_;
};

// The sequences of a corpus, and how many texts it could not take.
class Texts {
 public:
  // `name`: the corpus's; `file`: its name in messages.
  Texts(const Model& model, std::string name, std::string file)
      : model_(model), file_(std::move(file)) {
    corpus_.probe = std::move(name);
    corpus_.groups = {""};
  }

  // Null: the text was left out. `where` names it: "corpus.txt: line 3".
  ProbeSequence* Add(std::string text, const std::string& where) {
    const auto encoding = model_.tokenizer()->Encode(text, {.pair = {}, .stop = {}});
    if (!encoding) {
      Note(fmt::format("{}: {}; it is left out", where, encoding.error().message));
      return nullptr;
    }
    encoding_ = *encoding;
    if (!Add(SequenceOf(*encoding), where)) {
      return nullptr;
    }
    corpus_.sequences.back().text = std::move(text);
    words_ += encoding_.unknown.words;
    unknown_words_ += encoding_.unknown.unknown;
    if (encoding_.unknown.unknown > 0) {
      corpus_.sequences.back().has_unknown_words = true;
      unknown_.Add(where);
    }
    return &corpus_.sequences.back();
  }
  [[nodiscard]] const Encoding& encoding() const { return encoding_; }

  bool Add(ProbeSequence sequence, const std::string& where) {
    const std::int64_t vocabulary = model_.description().vocabulary;
    if (std::ranges::any_of(sequence.ids, [&](std::int32_t id) { return id >= vocabulary; })) {
      foreign_.Add(where);
      return false;
    }
    if (sequence.tokens() > model_.description().positions) {
      too_long_.Add(where);
      return false;
    }
    if (sequence.tokens() < 2) {
      too_short_.Add(where);
      return false;
    }
    corpus_.sequences.push_back(std::move(sequence));
    return true;
  }
  void Note(std::string note) {
    constexpr std::size_t kMostNotes = 20;
    if (corpus_.notes.size() < kMostNotes) {
      corpus_.notes.push_back(std::move(note));
    } else {
      ++more_notes_;
    }
  }

  Result<ProbeCorpus> Take() {
    std::vector<std::string>& notes = corpus_.notes;
    if (more_notes_ > 0) {
      notes.push_back(fmt::format("and {} more like these", more_notes_));
    }
    too_long_.AddNote(fmt::format("longer than the {} tokens that the model reads",
                                  model_.description().positions),
                      "left out",
                      &notes);
    too_short_.AddNote("of one token or none", "left out", &notes);
    foreign_.AddNote(fmt::format("with tokens past the {} ids of the model's vocabulary",
                                 model_.description().vocabulary),
                     "left out",
                     &notes);
    unknown_.AddNote(kUnknownWords, "kept", &notes);
    if (unknown_words_ > 0) {
      notes.push_back(fmt::format("{} of {} of these texts {}{}",
                                  unknown_words_,
                                  Counted(words_, "word"),
                                  unknown_words_ == 1 ? "is" : "are",
                                  kOutOfScores));
    }
    if (corpus_.sequences.empty()) {
      return Fail(ErrorCode::kInput,
                  notes.empty()
                      ? fmt::format("{}: it is empty, expected texts", file_)
                      : fmt::format("{}: no text of it can be used; {}", file_, notes.front()));
    }
    CountTokens();
    return std::move(corpus_);
  }

 private:
  void CountTokens() {
    std::unordered_map<std::int32_t, std::int64_t> counts;
    for (const ProbeSequence& sequence : corpus_.sequences) {
      for (const std::int32_t id : sequence.ids) {
        ++counts[id];
      }
    }
    for (ProbeSequence& sequence : corpus_.sequences) {
      for (const std::int32_t id : sequence.ids) {
        sequence.count.push_back(counts[id]);
      }
    }
  }

  const Model& model_;
  std::string file_;
  ProbeCorpus corpus_;
  Encoding encoding_;
  Alike too_long_;
  Alike too_short_;
  Alike foreign_;
  Alike unknown_;
  std::int64_t words_ = 0;          // of texts with unknown ones
  std::int64_t unknown_words_ = 0;  // how many of these are unknown
  std::int64_t more_notes_ = 0;
};

Status NeedTokenizer(const Model& model) {
  return CheckReadsText(model, "scan repeats, or a file of ids (.ids)");
}

std::vector<std::string> LinesOf(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) {
      line.remove_suffix(1);
    }
    lines.emplace_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

// Parses a line of numbers; on failure returns the column, from 1, of what is not an id of the
// vocabulary.
tl::expected<std::vector<std::int32_t>, std::size_t> IdsOf(std::string_view line,
                                                           std::int64_t vocabulary) {
  std::vector<std::int32_t> ids;
  const char* const first = line.data();
  const char* const end = first + line.size();
  for (const char* at = first;;) {
    while (at != end && *at == ' ') {
      ++at;
    }
    std::int32_t id = 0;
    const auto [after, error] = std::from_chars(at, end, id);
    if (error != std::errc() || id < 0 || id >= vocabulary) {
      return tl::unexpected(static_cast<std::size_t>(at - first) + 1);
    }
    ids.push_back(id);
    at = after;
    while (at != end && *at == ' ') {
      ++at;
    }
    if (at == end) {
      return ids;
    }
    if (*at != ',') {
      return tl::unexpected(static_cast<std::size_t>(at - first) + 1);
    }
    ++at;
  }
}

Result<ProbeCorpus> ReadIds(const Model& model,
                            const VocabularyFacts& vocabulary,
                            const std::filesystem::path& path,
                            const std::string& text) {
  Texts texts(model, path.filename().string(), path.string());
  std::size_t number = 0;
  for (const std::string& line : LinesOf(text)) {
    ++number;
    if (line.empty()) {
      continue;
    }
    const auto ids = IdsOf(line, model.description().vocabulary);
    if (!ids) {
      texts.Note(
          fmt::format("{}: line {}, column {}: expected ids from 0 to {}, separated by "
                      "commas; the line is left out",
                      path.string(),
                      number,
                      ids.error(),
                      model.description().vocabulary - 1));
      continue;
    }
    ProbeSequence sequence;
    sequence.ids = *ids;
    const Encoding told =
        model.tokenizer() != nullptr ? model.tokenizer()->Describe(*ids) : DescribeAsNumbers(*ids);
    for (std::size_t i = 0; i < ids->size(); ++i) {
      const auto id = static_cast<std::size_t>((*ids)[i]);
      const bool is_unknown = IsUnknown(told.tokens[i]);
      sequence.special.push_back(is_unknown ? 1 : vocabulary.special[id]);
      sequence.separator.push_back(vocabulary.separator[id]);
      sequence.word.push_back(is_unknown ? -1 : told.tokens[i].word);
    }
    texts.Add(std::move(sequence), fmt::format("{}: line {}", path.string(), number));
  }
  return texts.Take();
}

Result<ProbeCorpus> ReadAnnotated(const Model& model,
                                  const std::filesystem::path& path,
                                  const std::stop_token& stop) {
  HEADSCOPE_TRY(auto annotated, ReadAnnotatedText(path, stop));
  Texts texts(model, path.filename().string(), path.string());
  for (std::string& warning : annotated.warnings) {
    texts.Note(std::move(warning));
  }
  for (AnnotatedSentence& sentence : annotated.sentences) {
    HEADSCOPE_TRY(CheckStop(stop));
    const std::string where = fmt::format("{}: line {}", path.string(), sentence.line);
    ProbeSequence* sequence = texts.Add(sentence.text, where);
    if (sequence != nullptr) {
      sequence->annotated_word = AnnotatedWords(texts.encoding(), sentence);
      sequence->annotation = std::make_shared<const AnnotatedSentence>(std::move(sentence));
    }
  }
  return texts.Take();
}

}  // namespace

std::vector<std::int32_t> AnnotatedWords(const Encoding& encoding,
                                         const AnnotatedSentence& sentence) {
  std::vector<std::int32_t> words;
  for (const Token& token : encoding.tokens) {
    std::int64_t most = 0;
    std::int32_t best = -1;
    const bool is_of_word = !token.special && !IsUnknown(token);
    for (std::size_t i = 0; i < sentence.words.size() && is_of_word; ++i) {
      const AnnotatedWord& word = sentence.words[i];
      const std::int64_t shared = std::min(token.end, word.end) - std::max(token.begin, word.begin);
      if (shared > most) {
        most = shared;
        best = static_cast<std::int32_t>(i);
      }
    }
    words.push_back(best);
  }
  return words;
}

std::string UnknownWordsOf(std::span<const std::string> notes) {
  for (const std::string& note : notes) {
    if (note.ends_with(kOutOfScores)) {
      return note.substr(0, note.find(';', note.size() - kOutOfScores.size()));
    }
  }
  return "";
}

bool LeavesOutUnknown(std::span<const std::string> notes) {
  return std::ranges::any_of(notes, [](const std::string& note) {
    return note.find(kUnknownWords) != std::string::npos && note.ends_with("left out");
  });
}

ProbeSequence SequenceOf(const Encoding& encoding) {
  ProbeSequence sequence;
  bool has_segments = false;
  for (const Token& token : encoding.tokens) {
    sequence.ids.push_back(token.id);
    sequence.segment_ids.push_back(token.segment);
    has_segments = has_segments || token.segment != 0;
    const bool is_unknown = IsUnknown(token);
    sequence.special.push_back(token.special || is_unknown ? 1 : 0);
    sequence.separator.push_back(token.special || IsPunctuation(token.display) ? 1 : 0);
    sequence.word.push_back(is_unknown ? -1 : token.word);
  }
  if (!has_segments) {
    sequence.segment_ids.clear();
  }
  return sequence;
}

VocabularyFacts ReadVocabulary(const Model& model) {
  VocabularyFacts facts;
  const auto size = static_cast<std::size_t>(model.description().vocabulary);
  facts.special.resize(size);
  facts.separator.resize(size);
  facts.byte.resize(size);
  const Tokenizer* tokenizer = model.tokenizer();
  if (tokenizer != nullptr) {
    std::vector<std::int32_t> all(size);
    for (std::size_t id = 0; id < size; ++id) {
      all[id] = static_cast<std::int32_t>(id);
    }
    const Encoding told = tokenizer->Describe(all);
    for (std::size_t id = 0; id < size; ++id) {
      const Token& token = told.tokens[id];
      facts.special[id] = token.special ? 1 : 0;
      facts.separator[id] = token.special || IsPunctuation(token.display) ? 1 : 0;
      facts.byte[id] = IsByte(token.text) ? 1 : 0;
    }
    if (const auto text = tokenizer->Encode("a", {.pair = {}, .stop = {}})) {
      for (const Token& token : text->tokens) {
        if (!token.special) {
          break;
        }
        if (token.id < model.description().vocabulary) {  // a tokenizer may belong to another model
          facts.begin.push_back(token.id);
        }
      }
    }
  }
  for (const std::int32_t id : model.description().special_ids) {
    facts.special[static_cast<std::size_t>(id)] = 1;
    facts.separator[static_cast<std::size_t>(id)] = 1;
  }
  if (const auto begin = model.description().begin_id; begin && facts.begin.empty()) {
    facts.begin.push_back(*begin);
  }
  return facts;
}

std::vector<std::string> ReadProbeTexts(const std::filesystem::path& folder) {
  constexpr std::string_view kText = "# text = ";
  std::error_code error;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    files.push_back(entry.path());
  }
  std::ranges::sort(files);
  std::vector<std::string> texts;
  for (const std::filesystem::path& file : files) {
    const bool is_annotated = file.extension() == ".conllu";
    const auto text =
        is_annotated || file.extension() == ".txt" ? ReadTextFile(file) : Result<std::string>();
    for (std::string& line : LinesOf(text.value_or(""))) {
      if (is_annotated && line.starts_with(kText)) {
        texts.push_back(line.substr(kText.size()));
      } else if (!is_annotated && !line.empty()) {
        texts.push_back(std::move(line));
      }
    }
  }
  return texts;
}

Result<ProbeCorpus> ReadProbe(const Model& model,
                              const VocabularyFacts& vocabulary,
                              const std::filesystem::path& path,
                              const std::stop_token& stop) {
  const std::string ending = path.extension().string();
  if (ending != ".ids") {
    HEADSCOPE_TRY(NeedTokenizer(model));
  }
  if (ending != ".txt" && ending != ".ids") {
    return ReadAnnotated(model, path, stop);
  }
  HEADSCOPE_TRY(const auto text, ReadTextFile(path, kMostProbeBytes));
  if (ending == ".ids") {
    return ReadIds(model, vocabulary, path, text);
  }
  if (HasMentionsInBrackets(text)) {
    return ReadAnnotated(model, path, stop);
  }
  Texts texts(model, path.filename().string(), path.string());
  std::size_t number = 0;
  for (std::string& line : LinesOf(text)) {
    HEADSCOPE_TRY(CheckStop(stop));
    ++number;
    if (!line.empty()) {
      texts.Add(std::move(line), fmt::format("{}: line {}", path.string(), number));
    }
  }
  return texts.Take();
}

}  // namespace headscope
