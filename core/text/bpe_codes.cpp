// Folders with a vocab.txt and a bpe.codes, as fastBPE and fairseq write them: PhoBERT and BERTweet.
// Words are joined from characters as in any byte-pair encoding, the last one with "</w>"; the
// vocabulary has the results with "@@" where the word goes on.
//
// Source   Sennrich 2016; transformers' PhobertTokenizer and BertweetTokenizer.
#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/quote.h"
#include "core/base/stop.h"
#include "core/text/folder_files.h"
#include "core/text/joiner.h"
#include "core/text/merge_table.h"
#include "core/text/text_tokenizer.h"
#include "core/text/tokenizer_config.h"
#include "core/text/unicode.h"
#include "core/text/wordwise_model.h"

namespace headscope::text {
namespace {

constexpr std::string_view kEndOfWord = "</w>";
constexpr std::string_view kGoesOn = "@@";

// As Python counts blanks.
bool IsBlank(char32_t code) {
  return IsWhitespace(code) || (code >= 0x1C && code <= 0x1F);
}

std::vector<std::string_view> Fields(std::string_view line) {
  std::vector<std::string_view> fields;
  std::size_t first = 0;  // of the field that is being read
  for (const auto& [begin, end, code] : Characters(line)) {
    if (IsBlank(code)) {
      if (begin > first) {
        fields.push_back(line.substr(first, begin - first));
      }
      first = end;
    }
  }
  if (first < line.size()) {
    fields.push_back(line.substr(first));
  }
  return fields;
}

// Words are what is between blanks; a line break right behind one belongs to it.
Result<std::vector<ByteRange>> CutAtBlanks(std::string_view text) {
  std::vector<ByteRange> words;
  bool is_inside = false;
  for (const auto& [begin, end, code] : Characters(text)) {
    const bool is_blank = IsBlank(code);
    if (!is_blank && !is_inside) {
      words.push_back({begin, end});
    } else if (!is_blank || (is_inside && code == '\n')) {
      words.back().end = end;
    }
    is_inside = !is_blank;
  }
  return words;
}

class BpeCodes : public WordwiseModel {
 public:
  BpeCodes(Vocabulary vocabulary, Vocabulary symbols, MergeTable merges, std::int32_t unknown)
      : WordwiseModel(std::move(vocabulary)),
        symbols_(std::move(symbols)),
        merges_(std::move(merges)) {
    unknown_id_ = unknown;
    markers_.unfinished_suffix = kGoesOn;
  }

  Status TokenizeWord(const std::string& word,
                      const std::stop_token& stop,
                      std::vector<Hit>& hits) const override {
    std::vector<Symbol> symbols;
    for (const auto& [begin, end, code] : Characters(word)) {
      std::string character = word.substr(begin, end - begin);
      if (end == word.size()) {
        character += kEndOfWord;
      }
      symbols.push_back({.id = symbols_.Id(character).value_or(Symbol::kNone),
                         .begin = static_cast<std::uint32_t>(begin),
                         .end = static_cast<std::uint32_t>(end)});
    }
    HEADSCOPE_TRY(JoinSymbols(symbols, stop, [this](const Symbol& left, const Symbol& right) {
      return left.id < 0 || right.id < 0 ? std::nullopt : merges_.Find(left.id, right.id);
    }));
    for (const Symbol& symbol : symbols) {
      if (!symbol.is_gone) {
        std::string piece = word.substr(symbol.begin, symbol.end - symbol.begin);
        piece += symbol.end < word.size() ? kGoesOn : "";
        hits.push_back({vocabulary_.Id(piece).value_or(*unknown_id_), symbol.begin, symbol.end});
      }
    }
    return {};
  }

 private:
  Vocabulary symbols_;  // numbers of its own
  MergeTable merges_;
};

Status AddSymbol(std::string_view symbol, const std::string& name, Vocabulary* symbols) {
  return symbols->Id(symbol)
             ? Status()
             : symbols->Add(symbol, static_cast<std::int64_t>(symbols->size()), name);
}

// Reads lines of two pieces and a count. Others count for nothing, and so does a last line without
// its end.
Status ReadCodes(std::string_view text,
                 const std::string& name,
                 const std::stop_token& stop,
                 Vocabulary* symbols,
                 MergeTable* merges) {
  std::vector<std::string_view> lines = Lines(text);
  if (!text.empty() && text.back() != '\n') {
    lines.pop_back();
  }
  StopPoll poll(stop);
  for (const std::string_view line : lines) {
    HEADSCOPE_TRY(poll.Check());
    const std::vector<std::string_view> fields = Fields(line);
    if (fields.size() != 3) {
      continue;
    }
    const std::string joined = std::string(fields[0]) + std::string(fields[1]);
    for (const std::string_view symbol : {fields[0], fields[1], std::string_view(joined)}) {
      HEADSCOPE_TRY(AddSymbol(symbol, name, symbols));
    }
    HEADSCOPE_TRY(merges->Add(fields[0], fields[1], *symbols, 0, name));
  }
  return symbols->size() > 0
             ? Status()
             : Fail(ErrorCode::kFormat,
                    fmt::format("{}: has no line of two pieces and a count, expected one for each "
                                "pair that is joined; is it fastBPE's file?",
                                name));
}

// Reads lines of a piece and a count behind four tokens that the file does not have.
Status ReadPieces(std::string_view text,
                  const std::string& name,
                  const std::stop_token& stop,
                  Vocabulary* vocabulary) {
  StopPoll poll(stop);
  for (const std::string_view line : Lines(text)) {
    HEADSCOPE_TRY(poll.Check());
    const std::size_t first = line.find_first_not_of(" \t");
    const std::size_t last = line.find_last_not_of(" \t");
    const std::size_t blank = line.substr(0, last + 1).rfind(' ');
    if (first == std::string_view::npos || blank == std::string_view::npos || blank < first) {
      return Fail(ErrorCode::kFormat,
                  fmt::format("{}: the line {} is not a piece, a blank and a count, as beside a "
                              "bpe.codes",
                              name,
                              Quoted(line)));
    }
    HEADSCOPE_TRY(vocabulary->Add(
        line.substr(first, blank - first), static_cast<std::int64_t>(vocabulary->size()), name));
  }
  return {};
}

Status CheckClass(const TokenizerConfig& config) {
  constexpr std::array<std::string_view, 4> kClasses = {
      "", "PhobertTokenizer", "BertweetTokenizer", "PreTrainedTokenizer"};
  const std::string& kind = config.tokenizer_class();
  if (std::ranges::find(kClasses, kind) == kClasses.end()) {
    return NotYet(config.name(), "tokenizer_class with a bpe.codes", kind);
  }
  HEADSCOPE_TRY(const auto rewrites, config.Boolean("normalization", false));
  if (rewrites) {
    return Fail(ErrorCode::kUnsupported,
                fmt::format("{}: \"normalization\" is true, expected false; tweets are not "
                            "rewritten (\"@USER\", \"HTTPURL\") before they are split",
                            config.name()));
  }
  return {};
}

}  // namespace

Result<std::shared_ptr<const Tokenizer>> LoadBpeCodes(const std::filesystem::path& vocab_path,
                                                      const std::filesystem::path& codes_path,
                                                      const std::filesystem::path& folder,
                                                      const std::stop_token& stop) {
  HEADSCOPE_TRY(const auto config, TokenizerConfig::Read(folder));
  HEADSCOPE_TRY(CheckClass(config));
  HEADSCOPE_TRY(const auto pieces, OpenTokenizerFile(vocab_path));
  HEADSCOPE_TRY(const auto codes, OpenTokenizerFile(codes_path));
  HEADSCOPE_TRY(CheckUtf8(pieces.text(), vocab_path.string()));
  HEADSCOPE_TRY(CheckUtf8(codes.text(), codes_path.string()));
  constexpr std::array<std::pair<const char*, const char*>, 7> kSpecials = {
      {{"bos_token", "<s>"},
       {"pad_token", "<pad>"},
       {"eos_token", "</s>"},
       {"unk_token", "<unk>"},
       {"cls_token", "<s>"},
       {"sep_token", "</s>"},
       {"mask_token", "<mask>"}}};
  std::vector<std::string> names;
  std::vector<AddedToken> own;
  for (const auto& [key, usual] : kSpecials) {
    HEADSCOPE_TRY(const auto token, config.Token(key, usual));
    names.push_back(token.value_or(usual));
    own.push_back(SpecialToken(names.back()));
  }
  Vocabulary vocabulary;
  for (std::size_t i = 0; i < 4; ++i) {  // the file begins behind these
    HEADSCOPE_TRY(vocabulary.Add(names[i], static_cast<std::int64_t>(i), vocab_path.string()));
  }
  HEADSCOPE_TRY(ReadPieces(pieces.text(), vocab_path.string(), stop, &vocabulary));
  for (std::size_t i = 4; i < names.size(); ++i) {  // and those that it lacks follow it
    HEADSCOPE_TRY(AddSymbol(names[i], vocab_path.string(), &vocabulary));
  }
  const auto id_of = [&](std::size_t i) { return *vocabulary.Id(names[i]); };
  const std::int32_t unknown = id_of(3);
  TokenizerSetup setup;
  setup.pre_tokenizer = MakeCutting(&CutAtBlanks);
  setup.post_processor = Surround({.first = {id_of(4)}, .last = {id_of(5)}, .between = {id_of(5)}});
  Vocabulary symbols;
  MergeTable merges;
  HEADSCOPE_TRY(ReadCodes(codes.text(), codes_path.string(), stop, &symbols, &merges));
  setup.model = std::make_unique<BpeCodes>(
      std::move(vocabulary), std::move(symbols), std::move(merges), unknown);
  HEADSCOPE_TRY(config.AddTokens(own, setup.model->vocabulary(), setup.added));
  return TextTokenizer::Make(std::move(setup), stop);
}

}  // namespace headscope::text
