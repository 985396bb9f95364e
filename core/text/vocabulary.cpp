#include "core/text/vocabulary.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/base/quote.h"
#include "core/base/stop.h"
#include "core/text/folder_files.h"

namespace headscope::text {

Result<Vocabulary> Vocabulary::Parse(const JsonObject& object, const std::stop_token& stop) {
  Vocabulary vocabulary;
  StopPoll poll(stop);
  const JsonFields fields = object.Fields();
  const std::size_t pieces = std::min(fields.size(), kMaxPieces);
  vocabulary.ids_.reserve(pieces);
  vocabulary.pieces_.reserve(pieces);
  for (const JsonField& field : fields) {
    HEADSCOPE_TRY(poll.Check());
    const std::optional<std::int64_t> id = field.value.Integer();
    if (!id) {
      return Fail(ErrorCode::kFormat,
                  fmt::format("{}: the id of the piece {} is not a whole number",
                              object.name(),
                              Quoted(field.key)));
    }
    HEADSCOPE_TRY(vocabulary.Add(field.key, *id, object.name()));
  }
  return vocabulary;
}

Result<Vocabulary> Vocabulary::Read(const std::filesystem::path& path,
                                    const std::stop_token& stop) {
  HEADSCOPE_TRY(const auto document, JsonDocument::Read(path, kMaxTokenizerBytes));
  HEADSCOPE_TRY(const auto root, JsonObject::Root(document));
  return Parse(root, stop);
}

Result<Vocabulary> Vocabulary::OfModel(const JsonObject& model, const std::stop_token& stop) {
  HEADSCOPE_TRY(const auto vocab, model.Object("vocab"));
  if (!vocab) {
    return Fail(ErrorCode::kFormat, fmt::format("{}: \"vocab\" is missing", model.name()));
  }
  return Parse(*vocab, stop);
}

Status Vocabulary::CheckLengths(const std::string& name) const {
  for (const auto& [piece, id] : ids_) {
    if (piece.size() > kMaxPieceBytes) {
      return Fail(ErrorCode::kFormat,
                  fmt::format("{}: the piece {} (id {}) has {} bytes, expected at most {}",
                              name,
                              Quoted(piece),
                              id,
                              piece.size(),
                              kMaxPieceBytes));
    }
  }
  return {};
}

Status Vocabulary::Add(std::string_view piece, std::int64_t id, const std::string& name) {
  if (id < 0 || id > kMaxId) {
    return Fail(
        ErrorCode::kFormat,
        fmt::format(
            "{}: the piece {} has id {}, expected 0 to {}", name, Quoted(piece), id, kMaxId));
  }
  if (pieces_.size() >= kMaxPieces) {
    return Fail(ErrorCode::kFormat, fmt::format("{}: over {} pieces", name, kMaxPieces));
  }
  const auto narrow = static_cast<std::int32_t>(id);
  const auto entry = ids_.insert_or_assign(std::string(piece), narrow).first;
  pieces_.insert_or_assign(narrow, &entry->first);
  end_id_ = std::max(end_id_, id + 1);
  return {};
}

std::optional<std::int32_t> Vocabulary::Id(std::string_view piece) const {
  const auto found = ids_.find(piece);
  return found == ids_.end() ? std::nullopt : std::optional(found->second);
}

const std::string* Vocabulary::Piece(std::int32_t id) const {
  const auto found = pieces_.find(id);
  return found == pieces_.end() ? nullptr : found->second;
}

}  // namespace headscope::text
