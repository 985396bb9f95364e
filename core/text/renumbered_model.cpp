#include "core/text/renumbered_model.h"

#include <utility>

#include <fmt/format.h>

#include "core/base/quote.h"

namespace headscope::text {
namespace {

class RenumberedModel : public TokenModel {
 public:
  RenumberedModel(std::unique_ptr<const TokenModel> pieces,
                  Vocabulary vocabulary,
                  std::int32_t unknown_id)
      : TokenModel(std::move(vocabulary)), pieces_(std::move(pieces)) {
    unknown_id_ = unknown_id;
    markers_ = pieces_->markers();
  }

  Status Tokenize(const std::string& piece, Cache& cache, std::vector<Hit>& hits) const override {
    const std::size_t before = hits.size();
    HEADSCOPE_TRY(pieces_->Tokenize(piece, cache, hits));
    for (std::size_t i = before; i < hits.size(); ++i) {
      hits[i].id = Renumbered(hits[i], piece);
    }
    return {};
  }

 private:
  // Text unknown to the model of pieces is looked up as written: the vocabulary may have it.
  [[nodiscard]] std::int32_t Renumbered(const Hit& hit, const std::string& piece) const {
    const std::string* known =
        hit.id == pieces_->unknown_id() ? nullptr : pieces_->vocabulary().Piece(hit.id);
    const std::string text =
        known != nullptr ? *known : piece.substr(hit.begin, hit.end - hit.begin);
    return vocabulary_.Id(text).value_or(*unknown_id_);
  }

  std::unique_ptr<const TokenModel> pieces_;
};

}  // namespace

Result<std::unique_ptr<const TokenModel>> MakeRenumberedModel(
    std::unique_ptr<const TokenModel> pieces,
    Vocabulary vocabulary,
    const std::string& unknown,
    const std::string& name) {
  const std::optional<std::int32_t> unknown_id = vocabulary.Id(unknown);
  if (!unknown_id) {
    return Fail(ErrorCode::kFormat,
                fmt::format("{}: there is no {}, which stands for pieces that are not there",
                            name,
                            Quoted(unknown)));
  }
  return std::make_unique<const RenumberedModel>(
      std::move(pieces), std::move(vocabulary), *unknown_id);
}

}  // namespace headscope::text
