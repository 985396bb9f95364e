#include "core/text/pre_tokenizer.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/text/byte_level.h"
#include "core/text/json_readers.h"
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

  std::string BlankMarker() const override { return FirstBlankMarker(steps_); }

 private:
  std::vector<std::unique_ptr<const PreTokenizer>> steps_;
};

// All kinds that change no byte.
class CuttingPreTokenizer : public PreTokenizer {
 public:
  explicit CuttingPreTokenizer(Cutter cutter) : cutter_(std::move(cutter)) {}

  Status Cut(std::vector<AlignedText>& pieces) const override {
    constexpr std::size_t kPiecesBetweenChecks = 16;
    std::size_t num_bytes = 0;
    for (const AlignedText& piece : pieces) {
      num_bytes += piece.text().size();
    }
    const MatchAllowance allowance(num_bytes);
    std::vector<AlignedText> cut;
    std::size_t num_pieces = 0;
    for (const AlignedText& piece : pieces) {
      if (++num_pieces % kPiecesBetweenChecks == 0) {
        HEADSCOPE_TRY(allowance.Check("tokenizer"));
      }
      HEADSCOPE_TRY(const auto ranges, cutter_(piece.text()));
      for (const ByteRange& range : ranges) {
        cut.push_back(piece.Slice(range.begin, range.end));
      }
    }
    pieces = std::move(cut);
    return {};
  }

 private:
  Cutter cutter_;
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
      HEADSCOPE_TRY(const auto sections, FindSections(marker_, piece.text(), false));
      for (const ByteRange& range : Split(sections, SplitBehavior::kMergedWithNext)) {
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
    HEADSCOPE_TRY(const auto blanks, FindMatches(std::string(" "), piece.text()));
    HEADSCOPE_TRY(piece.Replace(blanks, marker_));
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

constexpr std::int64_t kMaxFixedLength = 1'000'000;

using Parsed = Result<std::unique_ptr<const PreTokenizer>>;

Parsed ParseMetaspace(const JsonObject& object) {
  HEADSCOPE_TRY(auto marker, ParseCharacter(object, "replacement", "▁"));
  HEADSCOPE_TRY(const auto prefix, object.Boolean("add_prefix_space", true));
  HEADSCOPE_TRY(const auto split, object.Boolean("split", true));
  HEADSCOPE_TRY(const auto scheme, object.String("prepend_scheme", prefix ? "always" : "never"));
  constexpr std::array<std::string_view, 3> kSchemes = {"never", "first", "always"};
  const auto* const found = std::find(kSchemes.begin(), kSchemes.end(), scheme);
  if (found == kSchemes.end()) {
    return NotYet(object.name(), "Metaspace prepend_scheme", scheme);
  }
  return std::make_unique<MetaspacePreTokenizer>(
      std::move(marker),
      static_cast<MetaspacePreTokenizer::Scheme>(found - kSchemes.begin()),
      split);
}

Result<SplitBehavior> ParseBehavior(const JsonObject& object,
                                    std::optional<std::string> fallback = std::nullopt) {
  HEADSCOPE_TRY(const auto name, object.String("behavior", std::move(fallback)));
  constexpr std::array<std::string_view, 5> kNames = {
      "Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous"};
  const auto* const found = std::find(kNames.begin(), kNames.end(), name);
  if (found == kNames.end()) {
    return NotYet(object.name(), "split behavior", name);
  }
  return static_cast<SplitBehavior>(found - kNames.begin());
}

Parsed ParseSplit(const JsonObject& object) {
  HEADSCOPE_TRY(auto pattern, ParsePattern(object));
  HEADSCOPE_TRY(const auto behavior, ParseBehavior(object));
  HEADSCOPE_TRY(const auto invert, object.Boolean("invert", false));
  return MakeCutting(AtMatches(std::move(pattern), behavior, invert));
}

Parsed ParseCharDelimiterSplit(const JsonObject& object) {
  HEADSCOPE_TRY(auto delimiter, ParseCharacter(object, "delimiter", ""));
  return MakeCutting(AtMatches(std::move(delimiter), SplitBehavior::kRemoved, false));
}

Parsed ParsePunctuation(const JsonObject& object) {
  HEADSCOPE_TRY(const auto behavior, ParseBehavior(object, "Isolated"));
  return MakeCutting(AtMatches(&IsPunctuation, behavior, false));
}

Parsed ParseDigits(const JsonObject& object) {
  HEADSCOPE_TRY(const auto individual, object.Boolean("individual_digits", false));
  return MakeCutting(AtMatches(
      &IsNumber, individual ? SplitBehavior::kIsolated : SplitBehavior::kContiguous, false));
}

Parsed ParseFixedLength(const JsonObject& object) {
  HEADSCOPE_TRY(const auto length, object.Integer("length", 1, kMaxFixedLength, 5));
  return MakeCutting(OfLength(static_cast<std::size_t>(length)));
}

Parsed ParseByteLevel(const JsonObject& object) {
  HEADSCOPE_TRY(const auto prefix, object.Boolean("add_prefix_space", true));
  HEADSCOPE_TRY(const auto use_regex, object.Boolean("use_regex", true));
  if (!use_regex) {
    return MakeByteLevel(prefix, nullptr);
  }
  HEADSCOPE_TRY(auto regex, Regex::Compile(kGpt2Pattern, object.name()));
  return MakeByteLevel(prefix,
                       MakeCutting(AtMatches(std::move(regex), SplitBehavior::kIsolated, false)));
}

Parsed ParseSequence(const JsonObject& object, int nesting) {
  std::vector<std::unique_ptr<const PreTokenizer>> steps;
  const Status walked = ForEachStep(object, "pretokenizers", [&](const JsonObject& step) -> Status {
    Parsed parsed = ParsePreTokenizer(step, nesting + 1);
    HEADSCOPE_TRY(parsed);
    steps.push_back(std::move(*parsed));
    return {};
  });
  HEADSCOPE_TRY(walked);
  return MakeSequence(std::move(steps));
}

}  // namespace

std::unique_ptr<const PreTokenizer> MakeSequence(
    std::vector<std::unique_ptr<const PreTokenizer>> steps) {
  return std::make_unique<SequencePreTokenizer>(std::move(steps));
}

std::unique_ptr<const PreTokenizer> MakeCutting(Cutter cutter) {
  return std::make_unique<CuttingPreTokenizer>(std::move(cutter));
}

std::unique_ptr<const PreTokenizer> MakeByteLevel(bool add_prefix_space,
                                                  std::unique_ptr<const PreTokenizer> split) {
  return std::make_unique<ByteLevelPreTokenizer>(add_prefix_space, std::move(split));
}

Parsed ParsePreTokenizer(const JsonObject& object, int nesting) {
  HEADSCOPE_TRY(const auto type, object.String("type"));
  if (type == "Sequence" && nesting < kMaxNesting) {
    return ParseSequence(object, nesting);
  }
  if (type == "ByteLevel") {
    return ParseByteLevel(object);
  }
  if (type == "Metaspace") {
    return ParseMetaspace(object);
  }
  if (type == "BertPreTokenizer") {
    return MakeCutting(&CutBertWords);
  }
  if (type == "Whitespace") {
    return MakeCutting(&CutWords);
  }
  if (type == "WhitespaceSplit") {
    return MakeCutting(AtMatches(&IsWhitespace, SplitBehavior::kRemoved, false));
  }
  if (type == "Split") {
    return ParseSplit(object);
  }
  if (type == "CharDelimiterSplit") {
    return ParseCharDelimiterSplit(object);
  }
  if (type == "Punctuation") {
    return ParsePunctuation(object);
  }
  if (type == "Digits") {
    return ParseDigits(object);
  }
  if (type == "UnicodeScripts") {
    return MakeCutting(&CutScripts);
  }
  if (type == "FixedLength") {
    return ParseFixedLength(object);
  }
  return NotYet(object.name(), "pre_tokenizer", type);
}

}  // namespace headscope::text
