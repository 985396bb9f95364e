#include "core/text/gguf_vocabulary.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "core/base/counted.h"
#include "core/base/quote.h"
#include "core/base/stop.h"
#include "core/text/bpe.h"
#include "core/text/byte_level_kinds.h"
#include "core/text/character_normalizers.h"
#include "core/text/json_readers.h"
#include "core/text/sentence_normalizers.h"
#include "core/text/sentence_piece.h"
#include "core/text/text_tokenizer.h"
#include "core/text/unicode.h"
#include "core/text/word_piece.h"

namespace headscope {
namespace text {
namespace {

// Which special tokens go around a text if the file does not say.
struct Around {
  bool bos = false;
  bool eos = false;
};

PieceType TypeOf(const GgufVocabulary& vocabulary, std::size_t id) {
  return vocabulary.types.empty() ? PieceType::kNormal
                                  : static_cast<PieceType>(vocabulary.types[id]);
}

Status Check(const GgufVocabulary& vocabulary) {
  const std::size_t count = vocabulary.tokens.size();
  const auto fits = [&](std::size_t size) { return size == 0 || size == count; };
  if (count == 0 || !fits(vocabulary.scores.size()) || !fits(vocabulary.types.size())) {
    return Fail(ErrorCode::kFormat,
                fmt::format("{}: the vocabulary has {}, {} and {}, expected as many of each",
                            vocabulary.name,
                            Counted(count, "token"),
                            Counted(vocabulary.scores.size(), "score"),
                            Counted(vocabulary.types.size(), "type")));
  }
  for (std::size_t id = 0; id < vocabulary.types.size(); ++id) {
    if (vocabulary.types[id] < 1 || vocabulary.types[id] > 6) {
      return Fail(ErrorCode::kFormat,
                  fmt::format("{}: token {} has type {}, expected 1 to 6",
                              vocabulary.name,
                              id,
                              vocabulary.types[id]));
    }
  }
  for (const auto& [key, id] : {std::pair("bos_token_id", vocabulary.bos_id),
                                std::pair("eos_token_id", vocabulary.eos_id),
                                std::pair("unknown_token_id", vocabulary.unknown_id),
                                std::pair("seperator_token_id", vocabulary.separator_id),
                                std::pair("cls_token_id", vocabulary.cls_id)}) {
    if (id && (*id < 0 || *id >= static_cast<std::int64_t>(count))) {
      return Fail(ErrorCode::kFormat,
                  fmt::format("{}: tokenizer.ggml.{} is {}, expected 0 to {}",
                              vocabulary.name,
                              key,
                              *id,
                              count - 1));
    }
  }
  return {};
}

std::vector<std::int32_t> Ids(bool is_wanted, const std::optional<std::int64_t>& id) {
  return is_wanted && id ? std::vector<std::int32_t>{static_cast<std::int32_t>(*id)}
                         : std::vector<std::int32_t>();
}

PostProcessor SurroundAs(const GgufVocabulary& vocabulary, Around around) {
  const auto bos = Ids(vocabulary.add_bos.value_or(around.bos), vocabulary.bos_id);
  const auto eos = Ids(vocabulary.add_eos.value_or(around.eos), vocabulary.eos_id);
  return Surround({.first = bos, .last = eos, .between = bos});
}

// Control tokens are special; user-defined ones are found in the text before it is split.
Status AddTokens(const GgufVocabulary& vocabulary,
                 const std::stop_token& stop,
                 TokenizerSetup& setup) {
  StopPoll poll(stop);
  for (std::size_t id = 0; id < vocabulary.tokens.size(); ++id) {
    HEADSCOPE_TRY(poll.Check());
    const PieceType type = TypeOf(vocabulary, id);
    if (type == PieceType::kControl || type == PieceType::kUserDefined) {
      HEADSCOPE_TRY(setup.added.Add(AddedToken{.id = static_cast<std::int32_t>(id),
                                               .content = std::string(vocabulary.tokens[id]),
                                               .special = type == PieceType::kControl},
                                    setup.model->vocabulary(),
                                    vocabulary.name));
    }
  }
  return {};
}

// Makes the pieces that the tokens stand for.
Result<Vocabulary> PiecesOf(const GgufVocabulary& vocabulary,
                            const std::stop_token& stop,
                            std::string (*piece_of)(std::string_view)) {
  Vocabulary pieces;
  StopPoll poll(stop);
  for (const std::string_view token : vocabulary.tokens) {
    HEADSCOPE_TRY(poll.Check());
    HEADSCOPE_TRY(pieces.Add(piece_of(token), pieces.end_id(), vocabulary.name));
  }
  return pieces;
}

Result<TokenizerSetup> MakeByteLevelParts(const GgufVocabulary& vocabulary,
                                          const std::stop_token& stop) {
  const auto as_given = [](std::string_view token) { return std::string(token); };
  HEADSCOPE_TRY(auto pieces, PiecesOf(vocabulary, stop, as_given));
  HEADSCOPE_TRY(auto cutting,
                MakeByteLevelKind(
                    vocabulary.pre, vocabulary.add_space_prefix.value_or(false), vocabulary.name));
  TokenizerSetup setup;
  HEADSCOPE_TRY(setup.model,
                MakeBpe(std::move(pieces),
                        vocabulary.merges,
                        {.ignore_merges = cutting.ignore_merges},
                        vocabulary.name,
                        stop));
  setup.normalizer = std::move(cutting.normalizer);
  setup.pre_tokenizer = std::move(cutting.pre_tokenizer);
  // Files of Llama 3 begin every text with BOS without saying so.
  setup.post_processor = SurroundAs(vocabulary, {.bos = cutting.ignore_merges, .eos = false});
  HEADSCOPE_TRY(AddTokens(vocabulary, stop, setup));
  return setup;
}

// Gemma 4's: merges over whole texts, with "▁" for spaces.
Result<TokenizerSetup> MakeMarkedParts(const GgufVocabulary& vocabulary,
                                       const std::stop_token& stop) {
  const auto as_given = [](std::string_view token) { return std::string(token); };
  HEADSCOPE_TRY(auto pieces, PiecesOf(vocabulary, stop, as_given));
  TokenizerSetup setup;
  HEADSCOPE_TRY(
      setup.model,
      MakeBpe(
          std::move(pieces), vocabulary.merges, {.byte_fallback = true}, vocabulary.name, stop));
  SentenceNormalization normalization;
  normalization.add_dummy_prefix = vocabulary.add_space_prefix.value_or(false);
  normalization.remove_extra_whitespaces = vocabulary.remove_extra_whitespaces.value_or(false);
  setup.normalizer = MakeSentenceNormalizer(std::move(normalization));
  setup.post_processor = SurroundAs(vocabulary, {.bos = true, .eos = false});
  HEADSCOPE_TRY(AddTokens(vocabulary, stop, setup));
  return setup;
}

// "▁word" begins a word and "ing" continues it; "[CLS]" is unchanged.
std::string WordPieceOf(std::string_view token) {
  constexpr std::string_view kMarker = "▁";
  if (token.starts_with(kMarker)) {
    return std::string(token.substr(kMarker.size()));
  }
  const bool is_bracketed = token.starts_with('[') && token.ends_with(']');
  return (is_bracketed ? "" : "##") + std::string(token);
}

Result<TokenizerSetup> MakeBertParts(const GgufVocabulary& vocabulary,
                                     const std::stop_token& stop) {
  HEADSCOPE_TRY(auto pieces, PiecesOf(vocabulary, stop, WordPieceOf));
  WordPieceOptions options;
  if (vocabulary.unknown_id) {
    options.unknown = *pieces.Piece(static_cast<std::int32_t>(*vocabulary.unknown_id));
  }
  TokenizerSetup setup;
  HEADSCOPE_TRY(setup.model,
                MakeWordPiece(std::move(pieces), std::move(options), vocabulary.name, stop));
  setup.normalizer = MakeBertNormalizer({});
  setup.pre_tokenizer = MakeCutting(&CutBertWords);
  const auto first = vocabulary.cls_id ? vocabulary.cls_id : vocabulary.bos_id;
  const auto last = vocabulary.separator_id ? vocabulary.separator_id : vocabulary.eos_id;
  setup.post_processor = Surround({.first = Ids(vocabulary.add_bos.value_or(true), first),
                                   .last = Ids(vocabulary.add_eos.value_or(true), last),
                                   .between = {}});
  HEADSCOPE_TRY(AddTokens(vocabulary, stop, setup));
  return setup;
}

Result<TokenizerSetup> MakeSentenceParts(const GgufVocabulary& vocabulary,
                                         bool is_bpe,
                                         const std::stop_token& stop) {
  SentencePieceModel model;
  model.kind = is_bpe ? SentencePieceModel::Kind::kBpe : SentencePieceModel::Kind::kUnigram;
  model.pieces.name = vocabulary.name;
  for (std::size_t id = 0; id < vocabulary.tokens.size(); ++id) {
    const PieceType type = TypeOf(vocabulary, id);
    model.pieces.pieces.push_back(
        {.text = vocabulary.tokens[id],
         .score = vocabulary.scores.empty() ? 0.0 : static_cast<double>(vocabulary.scores[id]),
         .type = type});
    model.pieces.byte_fallback = model.pieces.byte_fallback || type == PieceType::kByte;
    if (type == PieceType::kUnknown && !model.pieces.unknown_id) {
      model.pieces.unknown_id = static_cast<std::int32_t>(id);
    }
  }
  if (vocabulary.unknown_id) {
    model.pieces.unknown_id = static_cast<std::int32_t>(*vocabulary.unknown_id);
  }
  HEADSCOPE_TRY(model.normalization.charsmap,
                Charsmap::Parse(vocabulary.charsmap, vocabulary.name));
  model.normalization.add_dummy_prefix = vocabulary.add_space_prefix.value_or(true);
  model.normalization.remove_extra_whitespaces =
      vocabulary.remove_extra_whitespaces.value_or(!is_bpe);
  Result<TokenizerSetup> setup = MakeSentencePieceSetup(std::move(model), stop);
  if (setup) {
    setup->post_processor = SurroundAs(vocabulary, {.bos = is_bpe, .eos = !is_bpe});
  }
  return setup;
}

Result<TokenizerSetup> MakeSetup(const GgufVocabulary& vocabulary, const std::stop_token& stop) {
  if (vocabulary.model == "gpt2") {
    return MakeByteLevelParts(vocabulary, stop);
  }
  if (vocabulary.model == "gemma4") {
    return MakeMarkedParts(vocabulary, stop);
  }
  if (vocabulary.model == "bert") {
    return MakeBertParts(vocabulary, stop);
  }
  if (vocabulary.model == "llama" || vocabulary.model == "t5") {
    return MakeSentenceParts(vocabulary, vocabulary.model == "llama", stop);
  }
  return NotYet(vocabulary.name, "tokenizer.ggml.model", vocabulary.model);
}

}  // namespace
}  // namespace text

Result<std::shared_ptr<const Tokenizer>> MakeTokenizer(const GgufVocabulary& vocabulary,
                                                       const std::stop_token& stop) {
  HEADSCOPE_TRY(text::Check(vocabulary));
  HEADSCOPE_TRY(auto setup, text::MakeSetup(vocabulary, stop));
  return text::TextTokenizer::Make(std::move(setup), stop);
}

}  // namespace headscope
