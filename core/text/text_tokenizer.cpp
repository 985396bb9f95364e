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
  style_.markers = setup_.model->markers();
  if (setup_.pre_tokenizer != nullptr) {
    style_.byte_characters = setup_.pre_tokenizer->MakesByteCharacters();
    style_.blank_marker = setup_.pre_tokenizer->BlankMarker();
  }
  if (style_.blank_marker.empty() && setup_.normalizer != nullptr) {
    style_.blank_marker = setup_.normalizer->BlankMarker();
  }
}

Result<std::shared_ptr<const Tokenizer>> TextTokenizer::Make(TokenizerSetup setup,
                                                             const std::stop_token& stop) {
  HEADSCOPE_TRY(setup.added.Finish(setup.normalizer.get(), stop));
  return std::shared_ptr<const Tokenizer>(new TextTokenizer(std::move(setup)));
}

std::int64_t TextTokenizer::vocabulary_size() const {
  return std::max(setup_.model->vocabulary().end_id(), setup_.added.end_id());
}

Token TextTokenizer::TokenOf(std::int32_t id, std::string* bytes) const {
  Token token;
  token.id = id;
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
  if (setup_.pre_tokenizer != nullptr) {
    HEADSCOPE_TRY(setup_.pre_tokenizer->Cut(pieces));
  }
  std::vector<Hit> hits;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (i % kPiecesBetweenPolls == 0) {
      HEADSCOPE_TRY(CheckStop(cache.stop));
    }
    hits.clear();
    HEADSCOPE_TRY(setup_.model->Tokenize(pieces[i].text(), cache, hits));
    for (const Hit& hit : hits) {
      Token token = TokenOf(hit.id);
      token.unknown =
          token.unknown || (setup_.model->markers().byte_fallback && IsFallbackByte(token.text));
      const SourceRange source = pieces[i].Source(hit.begin, hit.end);
      token.begin = source.begin;
      token.end = source.end;
      tokens.push_back(std::move(token));
    }
  }
  return {};
}

Status TextTokenizer::EncodeSection(AlignedText section,
                                    TokenModel::Cache& cache,
                                    std::vector<Token>& tokens) const {
  if (setup_.normalizer != nullptr) {
    HEADSCOPE_TRY(setup_.normalizer->Apply(section));
  }
  for (const AddedSection& part : setup_.added.Find(section.text(), true)) {
    if (part.token == nullptr) {
      std::vector<AlignedText> pieces;
      pieces.push_back(section.Slice(part.begin, part.end));
      HEADSCOPE_TRY(EncodePieces(std::move(pieces), cache, tokens));
      continue;
    }
    Token token = TokenOf(part.token->id);
    const SourceRange source = section.Source(part.begin, part.end);
    token.begin = source.begin;
    token.end = source.end;
    tokens.push_back(std::move(token));
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
    Token token = TokenOf(part.token->id);
    token.begin = static_cast<std::int64_t>(part.begin);
    token.end = static_cast<std::int64_t>(part.end);
    tokens.push_back(std::move(token));
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

std::vector<Token> TextTokenizer::SpellInto(std::span<const std::int32_t> ids,
                                            std::string& spelt) const {
  std::vector<Token> tokens;
  tokens.reserve(ids.size());
  for (const std::int32_t id : ids) {
    std::string bytes;
    Token token = TokenOf(id, &bytes);
    const PieceMarkers& markers = style_.markers;
    if (markers.is_word_each || (!markers.continuation_prefix.empty() &&
                                 !token.text.starts_with(markers.continuation_prefix))) {
      spelt += ' ';
    }
    token.begin = static_cast<std::int64_t>(spelt.size());
    if (!token.special) {
      spelt += bytes;
    }
    token.end = static_cast<std::int64_t>(spelt.size());
    if (!markers.word_suffix.empty() && token.text.ends_with(markers.word_suffix)) {
      spelt += ' ';
    }
    tokens.push_back(std::move(token));
  }
  return tokens;
}

std::string TextTokenizer::Spell(std::span<const std::int32_t> ids) const {
  std::string spelt;
  static_cast<void>(SpellInto(ids, spelt));
  const std::size_t first = std::min(spelt.find_first_not_of(' '), spelt.size());
  return spelt.substr(first, spelt.find_last_not_of(' ') + 1 - first);
}

Encoding TextTokenizer::Describe(std::span<const std::int32_t> ids) const {
  std::string spelt;
  Encoding encoding;
  encoding.tokens = SpellInto(ids, spelt);
  AssignWords(spelt, encoding.tokens, 0);
  for (Token& token : encoding.tokens) {
    token.begin = 0;  // there is no original text
    token.end = 0;
  }
  return encoding;
}

}  // namespace text
}  // namespace headscope
