#include "core/text/scored_pieces.h"

#include <cmath>

#include <fmt/format.h>

#include "core/base/quote.h"
#include "core/base/stop.h"
#include "core/text/unicode.h"

namespace headscope::text {

Result<Vocabulary> ScoredPieces::MakeVocabulary(const std::stop_token& stop) const {
  if (unknown_id && (*unknown_id < 0 || static_cast<std::size_t>(*unknown_id) >= pieces.size())) {
    return Fail(ErrorCode::kFormat,
                fmt::format("{}: the unknown piece has id {}, expected 0 to {}",
                            name,
                            *unknown_id,
                            static_cast<std::int64_t>(pieces.size()) - 1));
  }
  Vocabulary vocabulary;
  StopPoll poll(stop);
  for (std::size_t id = 0; id < pieces.size(); ++id) {
    HEADSCOPE_TRY(poll.Check());
    const ScoredPiece& piece = pieces[id];
    if (!std::isfinite(piece.score)) {
      return Fail(
          ErrorCode::kFormat,
          fmt::format(
              "{}: the score of the piece {} is not a finite number", name, Quoted(piece.text)));
    }
    if (FirstInvalidByte(piece.text)) {
      return Fail(
          ErrorCode::kFormat,
          fmt::format("{}: the piece {} (id {}) is not UTF-8", name, Quoted(piece.text), id));
    }
    HEADSCOPE_TRY(vocabulary.Add(piece.text, static_cast<std::int64_t>(id), name));
  }
  HEADSCOPE_TRY(vocabulary.CheckLengths(name));
  return vocabulary;
}

ByteIds::ByteIds(const Vocabulary& vocabulary) {
  for (std::size_t byte = 0; byte < ids_.size(); ++byte) {
    ids_[byte] = vocabulary.Id(fmt::format("<0x{:02X}>", byte)).value_or(-1);
  }
}

}  // namespace headscope::text
