#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/quote.h"
#include "core/base/stop.h"
#include "core/text/bert_settings.h"
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
  if (const std::optional<std::size_t> offset = FirstInvalidByte(text)) {
    return Fail(ErrorCode::kFormat,
                fmt::format("{}: not UTF-8 from byte {} on; convert it to UTF-8", name, *offset));
  }
  Vocabulary vocabulary;
  StopPoll poll(stop);
  for (std::int64_t id = 0; !text.empty(); ++id) {
    HEADSCOPE_TRY(poll.Check());
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view piece = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (piece.ends_with('\r')) {
      piece.remove_suffix(1);
    }
    if (!piece.empty()) {
      HEADSCOPE_TRY(vocabulary.Add(piece, id, name));
    }
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
  const std::span<const std::byte> bytes = file.bytes();
  HEADSCOPE_TRY(
      auto vocabulary,
      ParseLines({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, name, stop));

  const auto unknown = config.Token("unk_token", kBertUnknown);
  const auto cls = config.Token("cls_token", kBertFirst);
  const auto sep = config.Token("sep_token", kBertLast);
  const auto pad = config.Token("pad_token", "[PAD]");
  const auto mask = config.Token("mask_token", "[MASK]");
  const Result<BertNormalization> normalization = ReadBertNormalization(config);
  for (const auto* token : {&unknown, &cls, &sep, &pad, &mask}) {
    HEADSCOPE_TRY(*token);
  }
  HEADSCOPE_TRY(normalization);
  // A text is still put between the default tokens where the settings say null.
  HEADSCOPE_TRY(const auto cls_id, IdOf(vocabulary, cls->value_or(kBertFirst), name));
  HEADSCOPE_TRY(const auto sep_id, IdOf(vocabulary, sep->value_or(kBertLast), name));

  TokenizerSetup setup;
  setup.normalizer = MakeBertNormalizer(*normalization);
  setup.pre_tokenizer = MakeCutting(&CutBertWords);
  setup.post_processor = Surround({.first = {cls_id}, .last = {sep_id}, .between = {}});
  WordPieceOptions options;
  options.unknown = unknown->value_or(kBertUnknown);
  HEADSCOPE_TRY(auto model, MakeWordPiece(std::move(vocabulary), std::move(options), name, stop));
  setup.model = std::move(model);
  std::vector<AddedToken> own;
  for (const auto* token : {&unknown, &cls, &sep, &pad, &mask}) {
    own.push_back(SpecialToken(**token));
  }
  HEADSCOPE_TRY(config.AddTokens(own, setup.model->vocabulary(), setup.added));
  return TextTokenizer::Make(std::move(setup), stop);
}

}  // namespace headscope::text
