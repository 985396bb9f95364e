#include "core/text/word_piece.h"

#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/quote.h"
#include "core/text/piece_trie.h"
#include "core/text/unicode.h"

namespace headscope::text {
namespace {

bool HasMoreCharacters(std::string_view text, std::int64_t most) {
  if (static_cast<std::int64_t>(text.size()) <= most) {
    return false;
  }
  std::int64_t count = 0;
  for (std::size_t next = 0; next < text.size() && count <= most; ++count) {
    NextCharacter(text, next);
  }
  return count > most;
}

class WordPiece : public TokenModel {
 public:
  // `first` has all pieces of the vocabulary, `following` the continuing ones without their prefix.
  WordPiece(Vocabulary vocabulary, WordPieceOptions options, PieceTrie first, PieceTrie following)
      : TokenModel(std::move(vocabulary)),
        options_(std::move(options)),
        first_(std::move(first)),
        following_(std::move(following)) {
    unknown_id_ = vocabulary_.Id(options_.unknown);
    markers_.continuation_prefix = options_.prefix;
  }

  Status Tokenize(const std::string& piece,
                  Cache& /*cache*/,
                  std::vector<Hit>& hits) const override {
    const std::size_t num_before = hits.size();
    bool is_known = !HasMoreCharacters(piece, options_.max_characters);
    for (std::size_t begin = 0; is_known && begin < piece.size();) {
      const auto [end, id] = (begin == 0 ? first_ : following_).Longest(piece, begin);
      is_known = id >= 0;
      hits.push_back({id, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)});
      begin = end;
    }
    if (is_known) {
      return {};
    }
    hits.resize(num_before);
    if (!unknown_id_) {
      return Fail(ErrorCode::kInput,
                  fmt::format("the vocabulary has neither pieces for {} nor the unknown token {}",
                              Quoted(piece),
                              Quoted(options_.unknown)));
    }
    hits.push_back({*unknown_id_, 0, static_cast<std::uint32_t>(piece.size())});
    return {};
  }

 private:
  WordPieceOptions options_;
  PieceTrie first_;
  PieceTrie following_;  // without the prefix
};

using Made = Result<std::unique_ptr<const TokenModel>>;

}  // namespace

Made ParseWordPiece(const JsonObject& model, const std::stop_token& stop) {
  WordPieceOptions options;
  HEADSCOPE_TRY(options.unknown, model.String("unk_token", options.unknown));
  HEADSCOPE_TRY(options.prefix, model.String("continuing_subword_prefix", options.prefix));
  HEADSCOPE_TRY(options.max_characters,
                model.Integer("max_input_chars_per_word", 0, kMaxId, options.max_characters));
  HEADSCOPE_TRY(auto vocabulary, Vocabulary::OfModel(model, stop));
  return MakeWordPiece(std::move(vocabulary), std::move(options), model.name(), stop);
}

Made MakeWordPiece(Vocabulary vocabulary,
                   WordPieceOptions options,
                   const std::string& name,
                   const std::stop_token& stop) {
  HEADSCOPE_TRY(vocabulary.CheckLengths(name));
  std::vector<PieceTrie::Entry> first;
  std::vector<PieceTrie::Entry> following;
  vocabulary.ForEach([&](std::string_view piece, std::int32_t id) {
    first.emplace_back(piece, id);
    if (piece.starts_with(options.prefix)) {
      following.emplace_back(piece.substr(options.prefix.size()), id);
    }
  });
  HEADSCOPE_TRY(auto all, PieceTrie::Make(std::move(first), stop));
  HEADSCOPE_TRY(auto inner, PieceTrie::Make(std::move(following), stop));
  return std::make_unique<WordPiece>(
      std::move(vocabulary), std::move(options), std::move(all), std::move(inner));
}

}  // namespace headscope::text
