// Loads tokenizers from the files in a folder that describe them.
//
// Errors   as LoadTokenizer.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/base/mapped_file.h"
#include "core/io/json.h"
#include "core/text/character_normalizers.h"
#include "core/text/tokenizer.h"
#include "core/text/tokenizer_config.h"

namespace headscope::text {

inline constexpr std::uint64_t kMaxTokenizerBytes = std::uint64_t{128} << 20U;

// Makes a tokenizer from a whole tokenizer.json. If it splits words as BERT does, `bert` (if given)
// replaces its own normaliser.
[[nodiscard]] Result<std::shared_ptr<const Tokenizer>> MakeFromJson(
    const JsonDocument& document,
    const std::optional<BertNormalization>& bert,
    const std::stop_token& stop);

// Loads GPT-2's two files, which RoBERTa, BART and Qwen2 also use. Here and below, the folder's
// tokenizer_config.json and similar files may be missing.
[[nodiscard]] Result<std::shared_ptr<const Tokenizer>> LoadByteLevel(
    const std::filesystem::path& vocab_path,
    const std::filesystem::path& merges_path,
    const std::filesystem::path& folder,
    const std::stop_token& stop);

// Loads BERT's vocab.txt, with one piece per line.
[[nodiscard]] Result<std::shared_ptr<const Tokenizer>> LoadVocabText(
    const std::filesystem::path& vocab_path,
    const std::filesystem::path& folder,
    const std::stop_token& stop);

// Loads fastBPE's two files: pieces with counts, and the pairs that are joined.
[[nodiscard]] Result<std::shared_ptr<const Tokenizer>> LoadBpeCodes(
    const std::filesystem::path& vocab_path,
    const std::filesystem::path& codes_path,
    const std::filesystem::path& folder,
    const std::stop_token& stop);

// Loads a SentencePiece model. The special tokens around a text follow tokenizer_config.json, or
// the model_type of config.json; both may be missing.
[[nodiscard]] Result<std::shared_ptr<const Tokenizer>> LoadSentencePiece(
    const std::filesystem::path& model_path,
    const std::filesystem::path& folder,
    const std::stop_token& stop);

// Loads one side of Marian's files: source.spm or target.spm splits a text, vocab.json
// (target_vocab.json) numbers the pieces.
[[nodiscard]] Result<std::shared_ptr<const Tokenizer>> LoadMarian(
    const std::filesystem::path& pieces_path,
    const std::filesystem::path& vocab_path,
    const std::stop_token& stop);

// Fails for more than kMaxTokenizerBytes.
[[nodiscard]] Status CheckTokenizerSize(std::string_view bytes, const std::string& name);
// Opens a vocabulary file and checks its size.
[[nodiscard]] Result<MappedFile> OpenTokenizerFile(const std::filesystem::path& path);

// Fails where the bytes are not UTF-8.
[[nodiscard]] Status CheckUtf8(std::string_view bytes, const std::string& name);

// Splits at \n and drops a \r before it.
[[nodiscard]] std::vector<std::string_view> Lines(std::string_view text);

// Reads how BERT's tokenizers normalise a text, as transformers' BertTokenizer does: these settings
// override those of a tokenizer.json in the same folder.
[[nodiscard]] Result<BertNormalization> ReadBertNormalization(const TokenizerConfig& config);

}  // namespace headscope::text
