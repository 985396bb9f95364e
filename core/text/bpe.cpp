#include "core/text/bpe.h"

#include <utility>

#include <fmt/format.h>

#include "core/base/quote.h"
#include "core/base/stop.h"
#include "core/text/joiner.h"
#include "core/text/merge_table.h"
#include "core/text/scored_pieces.h"
#include "core/text/unicode.h"
#include "core/text/wordwise_model.h"

namespace headscope::text {
namespace {

struct BpeOptions {
  std::optional<std::string> unknown;
  std::string prefix;  // of every character except a piece's first
  std::string suffix;  // of a piece's last character
  bool fuse_unknown = false;
  bool byte_fallback = false;
  bool ignore_merges = false;  // a piece in the vocabulary stays whole
};

class Bpe : public WordwiseModel {
 public:
  Bpe(Vocabulary vocabulary, MergeTable merges, BpeOptions options)
      : WordwiseModel(std::move(vocabulary)),
        merges_(std::move(merges)),
        options_(std::move(options)),
        bytes_(options_.byte_fallback ? ByteIds(vocabulary_) : ByteIds()) {
    if (options_.unknown) {
      unknown_id_ = vocabulary_.Id(*options_.unknown);
    }
    markers_.byte_fallback = options_.byte_fallback;
    markers_.continuation_prefix = options_.prefix;
    markers_.word_suffix = options_.suffix;
    if (options_.prefix.empty() && options_.suffix.empty() && !options_.ignore_merges) {
      CutAtMarkers();
    }
  }

  Status TokenizeWord(const std::string& word,
                      const std::stop_token& stop,
                      std::vector<Hit>& hits) const override {
    if (options_.ignore_merges) {
      if (const std::optional<std::int32_t> whole = vocabulary_.Id(word)) {
        hits.push_back({*whole, 0, static_cast<std::uint32_t>(word.size())});
        return {};
      }
    }
    std::vector<Symbol> symbols;
    HEADSCOPE_TRY(Spell(word, symbols));
    HEADSCOPE_TRY(JoinSymbols(symbols, stop, [this](const Symbol& left, const Symbol& right) {
      return merges_.Find(left.id, right.id);
    }));
    for (const Symbol& symbol : symbols) {
      if (!symbol.is_gone) {
        hits.push_back({symbol.id, symbol.begin, symbol.end});
      }
    }
    return {};
  }

 private:
  // Makes one symbol per character, or per byte where the vocabulary lacks the character.
  Status Spell(const std::string& piece, std::vector<Symbol>& symbols) const {
    bool is_after_unknown = false;
    for (const auto& [begin, next, code] : Characters(piece)) {
      const auto first = static_cast<std::uint32_t>(begin);
      const auto end = static_cast<std::uint32_t>(next);
      std::string character = piece.substr(begin, next - begin);
      if (begin > 0) {
        character.insert(0, options_.prefix);
      }
      if (next == piece.size()) {
        character += options_.suffix;
      }
      if (const std::optional<std::int32_t> id = vocabulary_.Id(character)) {
        symbols.push_back({*id, first, end});
        is_after_unknown = false;
        continue;
      }
      if (bytes_.Spell(character, first, end, symbols)) {
        is_after_unknown = false;
        continue;
      }
      if (!options_.unknown) {
        continue;  // dropped, as in the tokenizers library
      }
      if (!unknown_id_) {
        return Fail(ErrorCode::kInput,
                    fmt::format("the vocabulary has neither {} nor the unknown token {}",
                                Quoted(character),
                                Quoted(*options_.unknown)));
      }
      if (is_after_unknown && options_.fuse_unknown) {
        symbols.back().end = end;
      } else {
        symbols.push_back({*unknown_id_, first, end});
      }
      is_after_unknown = true;
    }
    return {};
  }

  MergeTable merges_;
  BpeOptions options_;
  ByteIds bytes_;
};

using Made = Result<std::unique_ptr<const TokenModel>>;

Status AddMergeLine(std::string_view line,
                    const Vocabulary& vocabulary,
                    std::size_t prefix_bytes,
                    const std::string& name,
                    MergeTable& merges) {
  const std::size_t blank = line.find(' ');
  if (blank == std::string_view::npos || line.find(' ', blank + 1) != std::string_view::npos) {
    return Fail(
        ErrorCode::kFormat,
        fmt::format(
            "{}: the merge {} is not two pieces with a blank between them", name, Quoted(line)));
  }
  return merges.Add(line.substr(0, blank), line.substr(blank + 1), vocabulary, prefix_bytes, name);
}

// Reads "a b" or ["a", "b"].
Status AddMerge(JsonValue value,
                const Vocabulary& vocabulary,
                std::size_t prefix_bytes,
                const std::string& name,
                MergeTable& merges) {
  if (const auto line = value.Text()) {
    return line->starts_with("#version")
               ? Status{}
               : AddMergeLine(*line, vocabulary, prefix_bytes, name, merges);
  }
  const std::optional<JsonArray> pair = value.Array();
  const bool is_pair = pair && pair->size() == 2;
  const auto first = is_pair ? pair->front().Text() : std::nullopt;
  const auto second = is_pair ? pair->back().Text() : std::nullopt;
  if (!first || !second) {
    return Fail(ErrorCode::kFormat,
                fmt::format("{}: a merge is neither \"a b\" nor [\"a\", \"b\"]", name));
  }
  return merges.Add(*first, *second, vocabulary, prefix_bytes, name);
}

Result<BpeOptions> ParseOptions(const JsonObject& model) {
  BpeOptions options;
  HEADSCOPE_TRY(const auto dropout, model.Number("dropout", 0.0, 1.0, 0.0));
  HEADSCOPE_TRY(auto unknown, model.String("unk_token", ""));
  HEADSCOPE_TRY(options.prefix, model.String("continuing_subword_prefix", ""));
  HEADSCOPE_TRY(options.suffix, model.String("end_of_word_suffix", ""));
  HEADSCOPE_TRY(options.fuse_unknown, model.Boolean("fuse_unk", false));
  HEADSCOPE_TRY(options.byte_fallback, model.Boolean("byte_fallback", false));
  HEADSCOPE_TRY(options.ignore_merges, model.Boolean("ignore_merges", false));
  if (dropout > 0.0) {
    return Fail(ErrorCode::kUnsupported,
                fmt::format("{}: \"dropout\" {} is not yet supported (tokens would differ from "
                            "call to call); expected none",
                            model.name(),
                            dropout));
  }
  constexpr std::size_t kMaxAffixBytes = 64;
  if (options.prefix.size() > kMaxAffixBytes || options.suffix.size() > kMaxAffixBytes) {
    return Fail(
        ErrorCode::kFormat,
        fmt::format(
            "{}: a prefix or suffix of pieces is over {} bytes", model.name(), kMaxAffixBytes));
  }
  if (model.Has("unk_token")) {
    options.unknown = std::move(unknown);
  }
  return options;
}

}  // namespace

Made ParseBpe(const JsonObject& model, const std::stop_token& stop) {
  HEADSCOPE_TRY(auto options, ParseOptions(model));
  HEADSCOPE_TRY(const auto list, model.Array("merges"));
  if (!list) {
    return Fail(ErrorCode::kFormat, fmt::format("{}: \"merges\" is missing", model.name()));
  }
  HEADSCOPE_TRY(auto vocabulary, Vocabulary::OfModel(model, stop));
  MergeTable merges;
  merges.Reserve(list->size());
  StopPoll poll(stop);
  for (const JsonValue merge : *list) {
    HEADSCOPE_TRY(poll.Check());
    HEADSCOPE_TRY(AddMerge(merge, vocabulary, options.prefix.size(), model.name(), merges));
  }
  return std::make_unique<Bpe>(std::move(vocabulary), std::move(merges), std::move(options));
}

Made MakeBpe(Vocabulary vocabulary,
             std::span<const std::string_view> lines,
             BpeRule rule,
             const std::string& name,
             const std::stop_token& stop) {
  MergeTable merges;
  merges.Reserve(lines.size());
  StopPoll poll(stop);
  for (const std::string_view line : lines) {
    HEADSCOPE_TRY(poll.Check());
    if (!line.empty() && !line.starts_with("#version")) {
      HEADSCOPE_TRY(AddMergeLine(line, vocabulary, 0, name, merges));
    }
  }
  BpeOptions options;
  options.ignore_merges = rule.ignore_merges;
  options.byte_fallback = rule.byte_fallback;
  return std::make_unique<Bpe>(std::move(vocabulary), std::move(merges), std::move(options));
}

}  // namespace headscope::text
