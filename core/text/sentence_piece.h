// SentencePiece models: the content of their file (a protocol buffer), and its tokenizer.
//
// Errors   kIo, kFormat, kUnsupported (a model of words or of characters), kCancelled.
// Source   sentencepiece_model.proto; equality with the sentencepiece library is tested.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/error.h"
#include "core/text/scored_pieces.h"
#include "core/text/sentence_normalizers.h"
#include "core/text/text_tokenizer.h"

namespace headscope::text {

struct SentencePieceModel {
  enum class Kind { kUnigram, kBpe };
  Kind kind = Kind::kUnigram;
  ScoredPieces pieces;  // texts point into the file
  SentenceNormalization normalization;
};

[[nodiscard]] Result<SentencePieceModel> ParseSentencePiece(std::string_view bytes,
                                                            const std::string& name,
                                                            const std::stop_token& stop);

// Makes normaliser and model, with the control pieces as special tokens; nothing goes around a
// text.
[[nodiscard]] Result<TokenizerSetup> MakeSentencePieceSetup(SentencePieceModel model,
                                                            const std::stop_token& stop);

// Does both for a file.
[[nodiscard]] Result<TokenizerSetup> ReadSentencePieceSetup(const std::filesystem::path& path,
                                                            const std::stop_token& stop);

}  // namespace headscope::text
