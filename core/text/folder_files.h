// Tokenizers of a folder, by the files that describe them.
//
// Errors   as LoadTokenizer.
// Threads  any.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>

#include "core/base/error.h"
#include "core/base/mapped_file.h"
#include "core/io/json.h"
#include "core/text/character_normalizers.h"
#include "core/text/tokenizer.h"

namespace headscope::text {

inline constexpr std::uint64_t kMaxTokenizerBytes = std::uint64_t{128} << 20U;

// A whole tokenizer.json. `bert`, where there is one, goes before its own normaliser, if it cuts
// words as BERT does.
[[nodiscard]] Result<std::shared_ptr<const Tokenizer>> MakeFromJson(
    const JsonDocument& document,
    const std::optional<BertNormalization>& bert,
    const std::stop_token& stop);

// GPT-2's two files, also as RoBERTa, BART and Qwen2 use them. The folder's tokenizer_config.json
// and its like may be missing, here and below.
[[nodiscard]] Result<std::shared_ptr<const Tokenizer>> LoadByteLevel(
    const std::filesystem::path& vocab_path,
    const std::filesystem::path& merges_path,
    const std::filesystem::path& folder,
    const std::stop_token& stop);

// BERT's vocab.txt, a piece in each line.
[[nodiscard]] Result<std::shared_ptr<const Tokenizer>> LoadVocabText(
    const std::filesystem::path& vocab_path,
    const std::filesystem::path& folder,
    const std::stop_token& stop);

// A SentencePiece model. What goes around a text follows tokenizer_config.json, or the model_type
// of config.json; both may be missing.
[[nodiscard]] Result<std::shared_ptr<const Tokenizer>> LoadSentencePiece(
    const std::filesystem::path& model_path,
    const std::filesystem::path& folder,
    const std::stop_token& stop);

// One side of Marian's files: source.spm or target.spm cuts a text, vocab.json (target_vocab.json)
// numbers the pieces.
[[nodiscard]] Result<std::shared_ptr<const Tokenizer>> LoadMarian(
    const std::filesystem::path& pieces_path,
    const std::filesystem::path& vocab_path,
    const std::stop_token& stop);

// The bytes of a file of pieces; over kMaxTokenizerBytes is an error.
[[nodiscard]] Result<MappedFile> OpenTokenizerFile(const std::filesystem::path& path);

}  // namespace headscope::text
