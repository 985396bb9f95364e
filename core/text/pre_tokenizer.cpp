#include "core/text/pre_tokenizer.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/text/byte_level.h"
#include "core/text/parts.h"
#include "core/text/unicode.h"

namespace headscope::text {
namespace {

Status Prepend(AlignedText& piece, const std::string& text) {
  const Edit edit{0, 0, text};
  return piece.Apply({&edit, 1});
}

class SequencePreTokenizer : public PreTokenizer {
 public:
  explicit SequencePreTokenizer(std::vector<std::unique_ptr<const PreTokenizer>> steps)
      : steps_(std::move(steps)) {}

  Status Cut(std::vector<AlignedText>& pieces) const override {
    for (const auto& step : steps_) {
      HEADSCOPE_TRY(step->Cut(pieces));
    }
    return {};
  }

  bool MakesByteCharacters() const override {
    return std::any_of(
        steps_.begin(), steps_.end(), [](const auto& step) { return step->MakesByteCharacters(); });
  }

  std::string BlankMarker() const override {
    for (const auto& step : steps_) {
      if (std::string marker = step->BlankMarker(); !marker.empty()) {
        return marker;
      }
    }
    return {};
  }

 private:
  std::vector<std::unique_ptr<const PreTokenizer>> steps_;
};

// Every kind that cuts at matches of a pattern and changes nothing else.
class SplitPreTokenizer : public PreTokenizer {
 public:
  SplitPreTokenizer(Pattern pattern, SplitBehavior behavior, bool invert)
      : pattern_(std::move(pattern)), behavior_(behavior), invert_(invert) {}

  Status Cut(std::vector<AlignedText>& pieces) const override {
    std::vector<AlignedText> cut;
    for (const AlignedText& piece : pieces) {
      const Result<std::vector<Section>> sections = FindSections(pattern_, piece.text(), invert_);
      if (!sections) {
        return PassOn(sections.error());
      }
      for (const ByteRange& range : Split(*sections, behavior_)) {
        cut.push_back(piece.Slice(range.begin, range.end));
      }
    }
    pieces = std::move(cut);
    return {};
  }

 private:
  Pattern pattern_;
  SplitBehavior behavior_;
  bool invert_;
};

// Words, and between them what is neither word nor whitespace.
class WhitespacePreTokenizer : public PreTokenizer {
 public:
  Status Cut(std::vector<AlignedText>& pieces) const override {
    enum class Kind { kBlank, kWord, kOther };
    std::vector<AlignedText> cut;
    for (const AlignedText& piece : pieces) {
      const std::string& bytes = piece.text();
      Kind kind = Kind::kBlank;
      std::size_t begin = 0;
      for (std::size_t next = 0; next < bytes.size();) {
        const std::size_t at = next;
        const char32_t character = NextCharacter(bytes, next);
        const Kind now = IsWordCharacter(character) ? Kind::kWord
                         : IsWhitespace(character)  ? Kind::kBlank
                                                    : Kind::kOther;
        if (now != kind) {
          if (kind != Kind::kBlank) {
            cut.push_back(piece.Slice(begin, at));
          }
          kind = now;
          begin = at;
        }
      }
      if (kind != Kind::kBlank) {
        cut.push_back(piece.Slice(begin, bytes.size()));
      }
    }
    pieces = std::move(cut);
    return {};
  }
};

class MetaspacePreTokenizer : public PreTokenizer {
 public:
  enum class Scheme { kNever, kFirst, kAlways };

  MetaspacePreTokenizer(std::string marker, Scheme scheme, bool split)
      : marker_(std::move(marker)), scheme_(scheme), split_(split) {}

  Status Cut(std::vector<AlignedText>& pieces) const override {
    std::vector<AlignedText> cut;
    for (AlignedText& piece : pieces) {
      HEADSCOPE_TRY(Mark(piece));
      if (!split_) {
        cut.push_back(std::move(piece));
        continue;
      }
      const Result<std::vector<Section>> sections = FindSections(marker_, piece.text(), false);
      if (!sections) {
        return PassOn(sections.error());
      }
      for (const ByteRange& range : Split(*sections, SplitBehavior::kMergedWithNext)) {
        cut.push_back(piece.Slice(range.begin, range.end));
      }
    }
    pieces = std::move(cut);
    return {};
  }

  std::string BlankMarker() const override { return marker_; }

 private:
  Status Mark(AlignedText& piece) const {
    const bool is_first = piece.Source(0, 0).begin == 0;
    const Result<std::vector<ByteRange>> blanks = FindMatches(std::string(" "), piece.text());
    HEADSCOPE_TRY(blanks);
    HEADSCOPE_TRY(piece.Replace(*blanks, marker_));
    const bool prepends = scheme_ == Scheme::kAlways || (scheme_ == Scheme::kFirst && is_first);
    return prepends && !piece.text().starts_with(marker_) ? Prepend(piece, marker_) : Status{};
  }

  std::string marker_;
  Scheme scheme_;
  bool split_;
};

class ByteLevelPreTokenizer : public PreTokenizer {
 public:
  ByteLevelPreTokenizer(bool add_prefix_space, std::unique_ptr<const PreTokenizer> split)
      : add_prefix_space_(add_prefix_space), split_(std::move(split)) {}

  Status Cut(std::vector<AlignedText>& pieces) const override {
    if (add_prefix_space_) {
      for (AlignedText& piece : pieces) {
        if (!piece.text().starts_with(' ')) {
          HEADSCOPE_TRY(Prepend(piece, " "));
        }
      }
    }
    if (split_ != nullptr) {
      HEADSCOPE_TRY(split_->Cut(pieces));
    }
    for (AlignedText& piece : pieces) {
      HEADSCOPE_TRY(piece.MapBytes(ByteCharacters()));
    }
    return {};
  }

  bool MakesByteCharacters() const override { return true; }

 private:
  bool add_prefix_space_;
  std::unique_ptr<const PreTokenizer> split_;
};

using Parsed = Result<std::unique_ptr<const PreTokenizer>>;

Parsed ParseMetaspace(const JsonObject& object) {
  Result<std::string> marker = ParseCharacter(object, "replacement", "▁");
  const Result<bool> prefix = object.Boolean("add_prefix_space", true);
  const Result<bool> split = object.Boolean("split", true);
  if (!marker || !prefix || !split) {
    return PassOn(!marker ? marker.error() : !prefix ? prefix.error() : split.error());
  }
  const Result<std::string> scheme = object.String("prepend_scheme", *prefix ? "always" : "never");
  if (!scheme) {
    return PassOn(scheme.error());
  }
  constexpr std::array<std::string_view, 3> kSchemes = {"never", "first", "always"};
  const auto* const found = std::find(kSchemes.begin(), kSchemes.end(), *scheme);
  if (found == kSchemes.end()) {
    return NotYet(object.name(), "Metaspace prepend_scheme", *scheme);
  }
  return std::make_unique<MetaspacePreTokenizer>(
      std::move(*marker),
      static_cast<MetaspacePreTokenizer::Scheme>(found - kSchemes.begin()),
      *split);
}

Result<SplitBehavior> ParseBehavior(const JsonObject& object,
                                    std::optional<std::string> fallback = std::nullopt) {
  const Result<std::string> name = object.String("behavior", std::move(fallback));
  if (!name) {
    return PassOn(name.error());
  }
  constexpr std::array<std::string_view, 5> kNames = {
      "Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous"};
  const auto* const found = std::find(kNames.begin(), kNames.end(), *name);
  if (found == kNames.end()) {
    return NotYet(object.name(), "split behavior", *name);
  }
  return static_cast<SplitBehavior>(found - kNames.begin());
}

Parsed ParseSplit(const JsonObject& object) {
  Result<Pattern> pattern = ParsePattern(object);
  if (!pattern) {
    return PassOn(std::move(pattern.error()));
  }
  const Result<SplitBehavior> behavior = ParseBehavior(object);
  if (!behavior) {
    return PassOn(behavior.error());
  }
  const Result<bool> invert = object.Boolean("invert", false);
  if (!invert) {
    return PassOn(invert.error());
  }
  return std::make_unique<SplitPreTokenizer>(std::move(*pattern), *behavior, *invert);
}

Parsed ParseSequence(const JsonObject& object, int nesting) {
  std::vector<std::unique_ptr<const PreTokenizer>> steps;
  HEADSCOPE_TRY(ForEachStep(object, "pretokenizers", [&](const JsonObject& step) -> Status {
    Parsed parsed = ParsePreTokenizer(step, nesting + 1);
    if (!parsed) {
      return PassOn(std::move(parsed.error()));
    }
    steps.push_back(std::move(*parsed));
    return {};
  }));
  return std::make_unique<SequencePreTokenizer>(std::move(steps));
}

}  // namespace

Parsed MakeByteLevel(bool add_prefix_space, bool use_regex, const std::string& name) {
  if (!use_regex) {
    return std::make_unique<ByteLevelPreTokenizer>(add_prefix_space, nullptr);
  }
  // As published with GPT-2: clitics; letters, numbers or others with at most one blank before;
  // blanks, of which the last goes with the word after them.
  Result<Regex> regex = Regex::Compile(
      R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)", name);
  if (!regex) {
    return PassOn(std::move(regex.error()));
  }
  return std::make_unique<ByteLevelPreTokenizer>(
      add_prefix_space,
      std::make_unique<SplitPreTokenizer>(std::move(*regex), SplitBehavior::kIsolated, false));
}

Parsed ParsePreTokenizer(const JsonObject& object, int nesting) {
  const Result<std::string> type = object.String("type");
  if (!type) {
    return PassOn(type.error());
  }
  if (*type == "Sequence" && nesting < kMaxNesting) {
    return ParseSequence(object, nesting);
  }
  if (*type == "ByteLevel") {
    const Result<bool> prefix = object.Boolean("add_prefix_space", true);
    const Result<bool> use_regex = object.Boolean("use_regex", true);
    if (!prefix || !use_regex) {
      return PassOn(prefix ? use_regex.error() : prefix.error());
    }
    return MakeByteLevel(*prefix, *use_regex, object.name());
  }
  if (*type == "Metaspace") {
    return ParseMetaspace(object);
  }
  if (*type == "Whitespace") {
    return std::make_unique<WhitespacePreTokenizer>();
  }
  if (*type == "WhitespaceSplit") {
    return std::make_unique<SplitPreTokenizer>(&IsWhitespace, SplitBehavior::kRemoved, false);
  }
  if (*type == "Split") {
    return ParseSplit(object);
  }
  if (*type == "Punctuation") {
    const Result<SplitBehavior> behavior = ParseBehavior(object, "Isolated");
    if (!behavior) {
      return PassOn(behavior.error());
    }
    return std::make_unique<SplitPreTokenizer>(&IsPunctuation, *behavior, false);
  }
  if (*type == "Digits") {
    const Result<bool> individual = object.Boolean("individual_digits", false);
    if (!individual) {
      return PassOn(individual.error());
    }
    return std::make_unique<SplitPreTokenizer>(
        &IsNumber, *individual ? SplitBehavior::kIsolated : SplitBehavior::kContiguous, false);
  }
  return NotYet(object.name(), "pre_tokenizer", *type);
}

}  // namespace headscope::text
