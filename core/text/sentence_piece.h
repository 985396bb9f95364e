// SentencePiece models: what their file (a protocol buffer) holds, and the tokenizer of it.
//
// Errors   kIo, kFormat, kUnsupported (a model of words or of characters), kCancelled.
// Threads  plain values.
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
  ScoredPieces pieces;  // texts are views into the file
  SentenceNormalization normalization;
};

[[nodiscard]] Result<SentencePieceModel> ParseSentencePiece(std::string_view bytes,
                                                            const std::string& name,
                                                            const std::stop_token& stop);

// Normaliser, model, and the control pieces as special tokens; nothing goes around a text.
[[nodiscard]] Result<TokenizerSetup> MakeSentencePieceSetup(SentencePieceModel model,
                                                            const std::stop_token& stop);

// Both steps for a file.
[[nodiscard]] Result<TokenizerSetup> ReadSentencePieceSetup(const std::filesystem::path& path,
                                                            const std::stop_token& stop);

}  // namespace headscope::text
