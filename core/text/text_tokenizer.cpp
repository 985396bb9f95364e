#include "core/text/text_tokenizer.h"

#include <array>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "core/text/unicode.h"
#include "core/text/unknown_words.h"
#include "core/text/words.h"
#include "core/text/wordwise_model.h"

namespace headscope {

std::vector<std::int32_t> Encoding::Ids() const {
  std::vector<std::int32_t> ids;
  ids.reserve(tokens.size());
  for (const Token& token : tokens) {
    ids.push_back(token.id);
  }
  return ids;
}

Encoding DescribeAsNumbers(std::span<const std::int32_t> ids) {
  Encoding encoding;
  encoding.tokens.reserve(ids.size());
  for (const std::int32_t id : ids) {
    Token token;
    token.id = id;
    token.text = fmt::format("{}", id);
    token.display = token.text;
    token.word = static_cast<std::int32_t>(encoding.tokens.size());
    encoding.tokens.push_back(std::move(token));
  }
  return encoding;
}

namespace text {
namespace {

constexpr std::size_t kPiecesBetweenPolls = 1024;

Status CheckText(std::string_view text, std::string_view which) {
  if (text.size() > TextTokenizer::kMaxTextBytes) {
    return Fail(ErrorCode::kInput,
                fmt::format("the {} has {} bytes, expected at most {}; give a shorter one",
                            which,
                            text.size(),
                            TextTokenizer::kMaxTextBytes));
  }
  if (const std::optional<std::size_t> offset = FirstInvalidByte(text)) {
    return Fail(ErrorCode::kInput,
                fmt::format("the {} is not UTF-8 from byte {} on (0x{:02x}); convert it to UTF-8",
                            which,
                            *offset,
                            static_cast<unsigned char>(text[*offset])));
  }
  return {};
}

}  // namespace

TextTokenizer::TextTokenizer(TokenizerSetup setup) : setup_(std::move(setup)) {
  const std::string& marker = setup_.pre_tokenizer.blank_marker;
  style_ = {.byte_characters = setup_.pre_tokenizer.makes_byte_characters,
            .blank_marker = marker.empty() ? setup_.normalizer.blank_marker : marker,
            .markers = setup_.model->markers()};
}

Result<std::shared_ptr<const Tokenizer>> TextTokenizer::Make(TokenizerSetup setup,
                                                             const std::stop_token& stop) {
  HEADSCOPE_TRY(setup.added.Finish(setup.normalizer, stop));
  return std::shared_ptr<const Tokenizer>(new TextTokenizer(std::move(setup)));
}

std::int64_t TextTokenizer::vocabulary_size() const {
  return std::max(setup_.model->vocabulary().end_id(), setup_.added.end_id());
}

Token TextTokenizer::TokenOf(std::int32_t id, SourceRange source, std::string* bytes) const {
  Token token;
  token.id = id;
  token.begin = source.begin;
  token.end = source.end;
  const AddedToken* added = setup_.added.OfId(id);
  const std::string* piece =
      added != nullptr ? &added->content : setup_.model->vocabulary().Piece(id);
  std::string stands_for;
  if (piece == nullptr) {
    token.text = fmt::format("{}", id);
    stands_for = token.text;
  } else {
    token.text = *piece;
    stands_for = added != nullptr ? *piece : BytesOf(*piece, style_);
  }
  // The unknown token stands for the user's text, though tokenizers list it among the special
  // tokens.
  token.unknown = setup_.model->unknown_id() == id;
  token.special = added != nullptr && added->special && !token.unknown;
  token.display = Display(stands_for);
  if (bytes != nullptr) {
    *bytes = std::move(stands_for);
  }
  return token;
}

Status TextTokenizer::EncodePieces(std::vector<AlignedText> pieces,
                                   TokenModel::Cache& cache,
                                   std::vector<Token>& tokens) const {
  HEADSCOPE_TRY(setup_.pre_tokenizer.apply(pieces));
  std::vector<Hit> hits;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (i % kPiecesBetweenPolls == 0) {
      HEADSCOPE_TRY(CheckStop(cache.stop));
    }
    hits.clear();
    HEADSCOPE_TRY(setup_.model->Tokenize(pieces[i].text(), cache, hits));
    for (const Hit& hit : hits) {
      Token& token = tokens.emplace_back(TokenOf(hit.id, pieces[i].Source(hit.begin, hit.end)));
      token.unknown =
          token.unknown || (setup_.model->markers().byte_fallback && IsFallbackByte(token.text));
    }
  }
  return {};
}

Status TextTokenizer::EncodeSection(AlignedText section,
                                    TokenModel::Cache& cache,
                                    std::vector<Token>& tokens) const {
  HEADSCOPE_TRY(setup_.normalizer.apply(section));
  for (const AddedSection& part : setup_.added.Find(section.text(), true)) {
    if (part.token == nullptr) {
      std::vector<AlignedText> pieces;
      pieces.push_back(section.Slice(part.begin, part.end));
      HEADSCOPE_TRY(EncodePieces(std::move(pieces), cache, tokens));
      continue;
    }
    tokens.push_back(TokenOf(part.token->id, section.Source(part.begin, part.end)));
  }
  return {};
}

Result<std::vector<Token>> TextTokenizer::EncodeOne(std::string_view text,
                                                    TokenModel::Cache& cache) const {
  const AlignedText whole{std::string(text)};
  std::vector<Token> tokens;
  for (const AddedSection& part : setup_.added.Find(text, false)) {
    if (part.token == nullptr) {
      HEADSCOPE_TRY(EncodeSection(whole.Slice(part.begin, part.end), cache, tokens));
      continue;
    }
    tokens.push_back(TokenOf(part.token->id, whole.Source(part.begin, part.end)));
  }
  return tokens;
}

Result<Encoding> TextTokenizer::Encode(std::string_view text, const EncodeOptions& options) const {
  HEADSCOPE_TRY(CheckText(text, "text"));
  const std::string_view second = options.pair ? std::string_view(*options.pair) : "";
  HEADSCOPE_TRY(CheckText(second, "second text"));
  TokenModel::Cache cache;
  cache.stop = options.stop;
  HEADSCOPE_TRY(auto first_tokens, EncodeOne(text, cache));
  HEADSCOPE_TRY(auto second_tokens, EncodeOne(second, cache));
  const std::int32_t next_word = AssignWords(text, first_tokens, 0);
  AssignWords(second, second_tokens, next_word);
  const std::array<std::vector<Token>*, 2> sequences = {&first_tokens, &second_tokens};

  Encoding encoding;
  encoding.unknown = FindUnknownWords({text, first_tokens}, {second, second_tokens}, options.stop);
  const PostProcessor plain;
  const PostProcessor& processor = options.add_special ? setup_.post_processor : plain;
  for (const TemplateItem& part : options.pair ? processor.pair : processor.single) {
    if (part.sequence < 0) {
      for (const std::int32_t id : part.ids) {
        encoding.tokens.push_back(TokenOf(id));
        encoding.tokens.back().special = true;
        encoding.tokens.back().unknown = false;  // some models begin texts with the unknown token
        encoding.tokens.back().segment = part.segment;
      }
      continue;
    }
    for (Token& token : *sequences[static_cast<std::size_t>(part.sequence)]) {
      token.segment = part.segment;
      encoding.tokens.push_back(std::move(token));
    }
  }
  return encoding;
}

std::vector<Token> TextTokenizer::TokensOf(std::span<const std::int32_t> ids,
                                           std::vector<std::string>& bytes) const {
  std::vector<Token> tokens;
  tokens.reserve(ids.size());
  for (const std::int32_t id : ids) {
    tokens.push_back(TokenOf(id, {}, &bytes.emplace_back()));
  }
  return tokens;
}

std::string TextTokenizer::Spell(std::span<const std::int32_t> ids) const {
  std::vector<std::string> bytes;
  std::vector<Token> tokens = TokensOf(ids, bytes);
  const std::string spelt = SpellTokens(tokens, bytes, style_.markers);
  const std::size_t first = std::min(spelt.find_first_not_of(' '), spelt.size());
  return spelt.substr(first, spelt.find_last_not_of(' ') + 1 - first);
}

Encoding TextTokenizer::Describe(std::span<const std::int32_t> ids) const {
  std::vector<std::string> bytes;
  Encoding encoding;
  encoding.tokens = TokensOf(ids, bytes);
  AssignSpeltWords(encoding.tokens, bytes, style_.markers);
  return encoding;
}

}  // namespace text
}  // namespace headscope
