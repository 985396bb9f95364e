#include "core/text/sentence_piece.h"

#include <utility>

#include <fmt/format.h>

#include "core/base/stop.h"
#include "core/text/folder_files.h"
#include "core/text/protobuf.h"
#include "core/text/sentence_bpe.h"
#include "core/text/unigram.h"

namespace headscope {
namespace text {
namespace {

// Calls `visit(field)` for every field of the message.
template <typename Visit>
Status ForEachField(std::string_view message, const std::string& name, const Visit& visit) {
  ProtoReader reader(message, name);
  for (;;) {
    HEADSCOPE_TRY(const auto field, reader.Next());
    if (field.number == 0) {
      return {};
    }
    HEADSCOPE_TRY(visit(field));
  }
}

Status ParsePiece(std::string_view message, ScoredPieces& result) {
  ScoredPiece piece;
  std::uint64_t type = 1;
  HEADSCOPE_TRY(ForEachField(message, result.name, [&](const ProtoField& field) -> Status {
    if (field.number == 1 && field.is_bytes) {
      piece.text = field.bytes;
    } else if (field.number == 2 && !field.is_bytes) {
      piece.score = static_cast<double>(field.AsFloat());
    } else if (field.number == 3 && !field.is_bytes) {
      type = field.value;
    }
    return {};
  }));
  if (type < 1 || type > 6 || piece.text.empty()) {
    return Fail(
        ErrorCode::kFormat,
        fmt::format("{}: piece {} has type {} and {} bytes, expected type 1 to 6 and a text",
                    result.name,
                    result.pieces.size(),
                    type,
                    piece.text.size()));
  }
  piece.type = static_cast<PieceType>(type);
  if (piece.type == PieceType::kUnknown) {
    if (result.unknown_id) {
      return Fail(ErrorCode::kFormat,
                  fmt::format("{}: the pieces {} and {} are both the unknown one",
                              result.name,
                              *result.unknown_id,
                              result.pieces.size()));
    }
    result.unknown_id = static_cast<std::int32_t>(result.pieces.size());
  }
  if (result.pieces.size() >= Vocabulary::kMaxPieces) {
    return Fail(ErrorCode::kFormat,
                fmt::format("{}: over {} pieces", result.name, Vocabulary::kMaxPieces));
  }
  result.pieces.push_back(piece);
  return {};
}

Status ParseTrainer(std::string_view message, SentencePieceModel& model) {
  return ForEachField(message, model.pieces.name, [&](const ProtoField& field) -> Status {
    if (field.number == 3 && !field.is_bytes) {
      if (field.value != 1 && field.value != 2) {
        return Fail(ErrorCode::kUnsupported,
                    fmt::format("{}: a SentencePiece model of type {} is not supported, only 1 "
                                "(unigram) and 2 (bpe)",
                                model.pieces.name,
                                field.value));
      }
      model.kind =
          field.value == 1 ? SentencePieceModel::Kind::kUnigram : SentencePieceModel::Kind::kBpe;
    } else if (field.number == 24 && !field.is_bytes) {
      model.normalization.is_suffix = field.value != 0;
    } else if (field.number == 35 && !field.is_bytes) {
      model.pieces.byte_fallback = field.value != 0;
    }
    return {};
  });
}

Status ParseNormalization(std::string_view message, SentencePieceModel& model) {
  return ForEachField(message, model.pieces.name, [&](const ProtoField& field) -> Status {
    if (field.number == 2 && field.is_bytes) {
      HEADSCOPE_TRY(model.normalization.charsmap, Charsmap::Parse(field.bytes, model.pieces.name));
    } else if (field.number == 3 && !field.is_bytes) {
      model.normalization.add_dummy_prefix = field.value != 0;
    } else if (field.number == 4 && !field.is_bytes) {
      model.normalization.remove_extra_whitespaces = field.value != 0;
    } else if (field.number == 5 && !field.is_bytes) {
      model.normalization.escape_whitespaces = field.value != 0;
    }
    return {};
  });
}

Result<TokenizerSetup> SetupOf(std::string_view bytes,
                               const std::string& name,
                               const std::stop_token& stop) {
  HEADSCOPE_TRY(auto model, ParseSentencePiece(bytes, name, stop));
  return MakeSentencePieceSetup(std::move(model), stop);
}

}  // namespace

Result<SentencePieceModel> ParseSentencePiece(std::string_view bytes,
                                              const std::string& name,
                                              const std::stop_token& stop) {
  SentencePieceModel model;
  StopPoll poll(stop);
  model.pieces.name = name;
  HEADSCOPE_TRY(ForEachField(bytes, name, [&](const ProtoField& field) -> Status {
    if (Status status = poll.Check(); !status || !field.is_bytes) {
      return status;
    }
    switch (field.number) {
      case 1:
        return ParsePiece(field.bytes, model.pieces);
      case 2:
        return ParseTrainer(field.bytes, model);
      case 3:
        return ParseNormalization(field.bytes, model);
      default:
        return {};
    }
  }));
  if (model.pieces.pieces.empty()) {
    return Fail(ErrorCode::kFormat,
                fmt::format("{}: there are no pieces; is this a SentencePiece model?", name));
  }
  return model;
}

Result<TokenizerSetup> MakeSentencePieceSetup(SentencePieceModel model,
                                              const std::stop_token& stop) {
  TokenizerSetup setup;
  const ScoredPieces& pieces = model.pieces;
  HEADSCOPE_TRY(setup.model,
                model.kind == SentencePieceModel::Kind::kBpe ? MakeSentenceBpe(pieces, stop)
                                                             : MakeSentenceUnigram(pieces, stop));
  StopPoll poll(stop);
  for (std::size_t id = 0; id < pieces.pieces.size(); ++id) {
    HEADSCOPE_TRY(poll.Check());
    const ScoredPiece& piece = pieces.pieces[id];
    if (piece.type == PieceType::kUserDefined) {
      model.normalization.kept.emplace_back(piece.text);
    }
    if (piece.type == PieceType::kControl || static_cast<std::int32_t>(id) == pieces.unknown_id) {
      HEADSCOPE_TRY(setup.added.Add(AddedToken{.id = static_cast<std::int32_t>(id),
                                               .content = std::string(piece.text),
                                               .special = true},
                                    setup.model->vocabulary(),
                                    pieces.name));
    }
  }
  setup.normalizer = MakeSentenceNormalizer(std::move(model.normalization));
  return setup;
}

Result<TokenizerSetup> ReadSentencePieceSetup(const std::filesystem::path& path,
                                              const std::stop_token& stop) {
  HEADSCOPE_TRY(const auto file, OpenTokenizerFile(path));
  return SetupOf(file.text(), path.string(), stop);
}

}  // namespace text

Result<std::shared_ptr<const Tokenizer>> ParseTokenizerModel(std::string_view bytes,
                                                             const std::string& name) {
  HEADSCOPE_TRY(text::CheckTokenizerSize(bytes, name));
  HEADSCOPE_TRY(auto setup, text::SetupOf(bytes, name, {}));
  return text::TextTokenizer::Make(std::move(setup), {});
}

}  // namespace headscope
