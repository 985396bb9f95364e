#include "core/text/pre_tokenizer.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/text/byte_level.h"
#include "core/text/json_readers.h"
#include "core/text/unicode.h"

namespace headscope::text {
namespace {

class Metaspace {
 public:
  enum class Scheme { kNever, kFirst, kAlways };

  Metaspace(std::string marker, Scheme scheme, bool split)
      : marker_(std::move(marker)), scheme_(scheme), split_(split) {}

  Status operator()(std::vector<AlignedText>& pieces) const {
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

 private:
  Status Mark(AlignedText& piece) const {
    const bool is_first = piece.Source(0, 0).begin == 0;
    HEADSCOPE_TRY(const auto blanks, FindMatches(std::string(" "), piece.text()));
    HEADSCOPE_TRY(piece.Replace(blanks, marker_));
    const bool prepends = scheme_ == Scheme::kAlways || (scheme_ == Scheme::kFirst && is_first);
    return prepends && !piece.text().starts_with(marker_) ? piece.Insert(0, marker_) : Status{};
  }

  std::string marker_;
  Scheme scheme_;
  bool split_;
};

constexpr std::int64_t kMaxFixedLength = 1'000'000;

using Parsed = Result<PreTokenizer>;

Parsed ParseMetaspace(const JsonObject& object) {
  HEADSCOPE_TRY(const auto marker, ParseCharacter(object, "replacement", "▁"));
  HEADSCOPE_TRY(const auto prefix, object.Boolean("add_prefix_space", true));
  HEADSCOPE_TRY(const auto split, object.Boolean("split", true));
  HEADSCOPE_TRY(const auto scheme, object.String("prepend_scheme", prefix ? "always" : "never"));
  constexpr std::array<std::string_view, 3> kSchemes = {"never", "first", "always"};
  const auto* const found = std::find(kSchemes.begin(), kSchemes.end(), scheme);
  if (found == kSchemes.end()) {
    return NotYet(object.name(), "Metaspace prepend_scheme", scheme);
  }
  const auto which = static_cast<Metaspace::Scheme>(found - kSchemes.begin());
  return PreTokenizer{Metaspace(marker, which, split), marker};
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

Parsed ParseWhitespaceSplit(const JsonObject& /*object*/) {
  return MakeCutting(AtMatches(&IsWhitespace, SplitBehavior::kRemoved, false));
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
    return MakeByteLevel(prefix, {});
  }
  HEADSCOPE_TRY(auto regex, Regex::Compile(kGpt2Pattern, object.name()));
  return MakeByteLevel(prefix,
                       MakeCutting(AtMatches(std::move(regex), SplitBehavior::kIsolated, false)));
}

// For a type without settings.
template <Result<std::vector<ByteRange>> (*Cut)(std::string_view)>
Parsed ReadPlainCut(const JsonObject& /*object*/) {
  return MakeCutting(Cut);
}

constexpr StepReader<PreTokenizer> kPreTokenizers[] = {
    {"ByteLevel", ParseByteLevel},
    {"Metaspace", ParseMetaspace},
    {"BertPreTokenizer", ReadPlainCut<CutBertWords>},
    {"Whitespace", ReadPlainCut<CutWords>},
    {"WhitespaceSplit", ParseWhitespaceSplit},
    {"Split", ParseSplit},
    {"CharDelimiterSplit", ParseCharDelimiterSplit},
    {"Punctuation", ParsePunctuation},
    {"Digits", ParseDigits},
    {"UnicodeScripts", ReadPlainCut<CutScripts>},
    {"FixedLength", ParseFixedLength},
};

}  // namespace

PreTokenizer MakeCutting(Cutter cutter) {
  return {[cutter = std::move(cutter)](std::vector<AlignedText>& pieces) -> Status {
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
      HEADSCOPE_TRY(const auto ranges, cutter(piece.text()));
      for (const ByteRange& range : ranges) {
        cut.push_back(piece.Slice(range.begin, range.end));
      }
    }
    pieces = std::move(cut);
    return {};
  }};
}

PreTokenizer MakeByteLevel(bool add_prefix_space, PreTokenizer split) {
  PreTokenizer made{.makes_byte_characters = true};
  made.apply = [add_prefix_space,
                split = std::move(split)](std::vector<AlignedText>& pieces) -> Status {
    for (AlignedText& piece : pieces) {
      if (add_prefix_space && !piece.text().starts_with(' ')) {
        HEADSCOPE_TRY(piece.Insert(0, " "));
      }
    }
    HEADSCOPE_TRY(split.apply(pieces));
    for (AlignedText& piece : pieces) {
      HEADSCOPE_TRY(piece.MapBytes(ByteCharacters()));
    }
    return {};
  };
  return made;
}

Result<PreTokenizer> ParsePreTokenizer(const JsonObject& object) {
  return ReadStep<PreTokenizer>(object, "pre_tokenizer", "pretokenizers", kPreTokenizers);
}

}  // namespace headscope::text
