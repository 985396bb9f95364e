#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/quote.h"
#include "core/base/stop.h"
#include "core/text/folder_files.h"
#include "core/text/json_readers.h"
#include "core/text/text_tokenizer.h"
#include "core/text/tokenizer_config.h"
#include "core/text/unicode.h"
#include "core/text/word_piece.h"

namespace headscope::text {
namespace {

using Loaded = Result<std::shared_ptr<const Tokenizer>>;

// Other classes with a vocab.txt split words or add tokens in their own ways.
constexpr std::array<std::string_view, 9> kBertClasses = {"",
                                                          "BertTokenizer",
                                                          "DistilBertTokenizer",
                                                          "ElectraTokenizer",
                                                          "MobileBertTokenizer",
                                                          "ConvBertTokenizer",
                                                          "SqueezeBertTokenizer",
                                                          "LayoutLMTokenizer",
                                                          "PreTrainedTokenizer"};

constexpr const char* kBertUnknown = "[UNK]";
constexpr const char* kBertFirst = "[CLS]";
constexpr const char* kBertLast = "[SEP]";

Result<Vocabulary> ParseLines(std::string_view text,
                              const std::string& name,
                              const std::stop_token& stop) {
  HEADSCOPE_TRY(CheckUtf8(text, name));
  Vocabulary vocabulary;
  StopPoll poll(stop);
  std::int64_t id = 0;
  for (const std::string_view piece : Lines(text)) {
    HEADSCOPE_TRY(poll.Check());
    if (!piece.empty()) {
      HEADSCOPE_TRY(vocabulary.Add(piece, id, name));
    }
    ++id;
  }
  return vocabulary;
}

Result<std::int32_t> IdOf(const Vocabulary& vocabulary,
                          const std::string& piece,
                          const std::string& name) {
  if (const std::optional<std::int32_t> id = vocabulary.Id(piece)) {
    return *id;
  }
  return Fail(ErrorCode::kFormat,
              fmt::format("{}: there is no line {}, which goes around every text; is this the "
                          "vocab.txt of a BERT?",
                          name,
                          Quoted(piece)));
}

}  // namespace

Result<BertNormalization> ReadBertNormalization(const TokenizerConfig& config) {
  BertNormalization read;
  HEADSCOPE_TRY(read.lowercase, config.Boolean("do_lower_case", true));
  HEADSCOPE_TRY(read.handle_chinese_chars, config.Boolean("tokenize_chinese_chars", true));
  HEADSCOPE_TRY(read.strip_accents, config.Boolean("strip_accents", read.lowercase));
  return read;
}

Loaded LoadVocabText(const std::filesystem::path& vocab_path,
                     const std::filesystem::path& folder,
                     const std::stop_token& stop) {
  HEADSCOPE_TRY(const auto config, TokenizerConfig::Read(folder));
  const std::string& kind = config.tokenizer_class();
  if (std::find(kBertClasses.begin(), kBertClasses.end(), kind) == kBertClasses.end()) {
    return NotYet(config.name(), "tokenizer_class without a tokenizer.json", kind);
  }
  HEADSCOPE_TRY(const auto file, OpenTokenizerFile(vocab_path));
  const std::string name = vocab_path.string();
  HEADSCOPE_TRY(auto vocabulary, ParseLines(file.text(), name, stop));

  HEADSCOPE_TRY(const auto unknown, config.Token("unk_token", kBertUnknown));
  HEADSCOPE_TRY(const auto cls, config.Token("cls_token", kBertFirst));
  HEADSCOPE_TRY(const auto sep, config.Token("sep_token", kBertLast));
  HEADSCOPE_TRY(const auto pad, config.Token("pad_token", "[PAD]"));
  HEADSCOPE_TRY(const auto mask, config.Token("mask_token", "[MASK]"));
  HEADSCOPE_TRY(const auto normalization, ReadBertNormalization(config));
  // A text is still put between the default tokens where the settings say null.
  HEADSCOPE_TRY(const auto cls_id, IdOf(vocabulary, cls.value_or(kBertFirst), name));
  HEADSCOPE_TRY(const auto sep_id, IdOf(vocabulary, sep.value_or(kBertLast), name));

  TokenizerSetup setup;
  setup.normalizer = MakeBertNormalizer(normalization);
  setup.pre_tokenizer = MakeCutting(&CutBertWords);
  setup.post_processor = Surround({.first = {cls_id}, .last = {sep_id}, .between = {}});
  WordPieceOptions options;
  options.unknown = unknown.value_or(kBertUnknown);
  HEADSCOPE_TRY(setup.model, MakeWordPiece(std::move(vocabulary), std::move(options), name, stop));
  std::vector<AddedToken> own;
  for (const auto* token : {&unknown, &cls, &sep, &pad, &mask}) {
    own.push_back(SpecialToken(*token));
  }
  HEADSCOPE_TRY(config.AddTokens(own, setup.model->vocabulary(), setup.added));
  return TextTokenizer::Make(std::move(setup), stop);
}

}  // namespace headscope::text
