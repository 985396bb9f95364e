// The whole path from text to tokens: added tokens, normaliser, pre-tokenizer, model, special
// tokens around them.
//
// Errors   as Tokenizer.
// Threads  immutable; any thread encodes.
#pragma once

#include <memory>

#include "core/text/added_tokens.h"
#include "core/text/display.h"
#include "core/text/normalizer.h"
#include "core/text/post_processor.h"
#include "core/text/pre_tokenizer.h"
#include "core/text/token_model.h"
#include "core/text/tokenizer.h"

namespace headscope::text {

struct TokenizerSetup {
  Normalizer normalizer;
  PreTokenizer pre_tokenizer;
  std::unique_ptr<const TokenModel> model;
  AddedTokens added;
  PostProcessor post_processor;
};

class TextTokenizer : public Tokenizer {
 public:
  // For each text of a pair.
  static constexpr std::size_t kMaxTextBytes = std::size_t{4} << 20U;

  [[nodiscard]] static Result<std::shared_ptr<const Tokenizer>> Make(TokenizerSetup setup,
                                                                     const std::stop_token& stop);

  [[nodiscard]] Result<Encoding> Encode(std::string_view text,
                                        const EncodeOptions& options) const override;
  [[nodiscard]] Encoding Describe(std::span<const std::int32_t> ids) const override;
  [[nodiscard]] std::string Spell(std::span<const std::int32_t> ids) const override;
  [[nodiscard]] std::int64_t vocabulary_size() const override;

 private:
  explicit TextTokenizer(TokenizerSetup setup);

  [[nodiscard]] Result<std::vector<Token>> EncodeOne(std::string_view text,
                                                     TokenModel::Cache& cache) const;
  // `section` contains no token that is searched for in the original text.
  [[nodiscard]] Status EncodeSection(AlignedText section,
                                     TokenModel::Cache& cache,
                                     std::vector<Token>& tokens) const;
  [[nodiscard]] Status EncodePieces(std::vector<AlignedText> pieces,
                                    TokenModel::Cache& cache,
                                    std::vector<Token>& tokens) const;
  // `bytes`, if given, gets the text that the token stands for.
  [[nodiscard]] Token TokenOf(std::int32_t id,
                              SourceRange source = {},
                              std::string* bytes = nullptr) const;

  // `bytes` gets what each token stands for.
  [[nodiscard]] std::vector<Token> TokensOf(std::span<const std::int32_t> ids,
                                            std::vector<std::string>& bytes) const;

  TokenizerSetup setup_;
  PieceStyle style_;
};

}  // namespace headscope::text
