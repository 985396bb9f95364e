#include "core/text/word_level.h"

#include <fmt/format.h>

#include "core/base/quote.h"

namespace headscope::text {
namespace {

class WordLevel : public TokenModel {
 public:
  WordLevel(Vocabulary vocabulary, std::optional<std::int32_t> unknown_id)
      : TokenModel(std::move(vocabulary)) {
    unknown_id_ = unknown_id;
    markers_.is_word_each = true;
  }

  Status Tokenize(const std::string& piece,
                  Cache& /*cache*/,
                  std::vector<Hit>& hits) const override {
    std::optional<std::int32_t> id = vocabulary_.Id(piece);
    id = id ? id : unknown_id_;
    if (!id) {
      return Fail(ErrorCode::kInput,
                  fmt::format("the word {} is not in the vocabulary, which has no unknown token; "
                              "use words that it has",
                              Quoted(piece)));
    }
    hits.push_back({*id, 0, static_cast<std::uint32_t>(piece.size())});
    return {};
  }
};

}  // namespace

Result<std::unique_ptr<const TokenModel>> ParseWordLevel(const JsonObject& model,
                                                         const std::stop_token& stop) {
  HEADSCOPE_TRY(auto vocabulary, Vocabulary::OfModel(model, stop));
  HEADSCOPE_TRY(const auto unknown, model.String("unk_token", "<unk>"));
  const std::optional<std::int32_t> unknown_id = vocabulary.Id(unknown);
  return std::make_unique<WordLevel>(std::move(vocabulary), unknown_id);
}

}  // namespace headscope::text
