#include <algorithm>
#include <optional>
#include <system_error>

#include <fmt/format.h>

#include "core/base/utf8.h"
#include "core/text/folder_files.h"
#include "core/text/tokenizer.h"

namespace headscope {

namespace {

// Loads a folder without a tokenizer.json.
Result<std::shared_ptr<const Tokenizer>> LoadOther(const std::filesystem::path& folder,
                                                   const std::stop_token& stop) {
  std::error_code error;
  const std::filesystem::path lines = folder / "vocab.txt";
  const std::filesystem::path codes = folder / "bpe.codes";
  if (std::filesystem::exists(lines, error) && std::filesystem::exists(codes, error)) {
    return text::LoadBpeCodes(lines, codes, folder, stop);
  }
  if (std::filesystem::exists(lines, error)) {
    return text::LoadVocabText(lines, folder, stop);
  }
  for (const char* name : {"tokenizer.model", "spiece.model", "sentencepiece.bpe.model"}) {
    const std::filesystem::path model = folder / name;
    if (std::filesystem::exists(model, error)) {
      return text::LoadSentencePiece(model, folder, stop);
    }
  }
  return nullptr;
}

// A tokenizer.json serves both sides and takes precedence over the files it was made from.
bool IsMarian(const std::filesystem::path& folder) {
  std::error_code error;
  return std::filesystem::exists(folder / "source.spm", error) &&
         std::filesystem::exists(folder / "vocab.json", error) &&
         !std::filesystem::exists(folder / "tokenizer.json", error);
}

// Whether transformers opens a folder with BERT's tokenizer: decided by its tokenizer_class, or, if
// it has none, by the model_type of config.json.
bool IsBertTokenizer(std::string_view tokenizer_class, std::string_view model_type) {
  return tokenizer_class.empty()
             ? model_type == "bert" || model_type == "distilbert"
             : tokenizer_class == "BertTokenizer" || tokenizer_class == "DistilBertTokenizer";
}

// Returns the settings that replace the normaliser of a tokenizer.json; empty unless it is BERT's.
Result<std::optional<text::BertNormalization>> BertSettings(const std::filesystem::path& folder) {
  HEADSCOPE_TRY(const auto config, text::TokenizerConfig::Read(folder));
  HEADSCOPE_TRY(const auto type, text::ReadModelType(folder));
  if (!IsBertTokenizer(config.tokenizer_class(), type)) {
    return std::optional<text::BertNormalization>();
  }
  HEADSCOPE_TRY(const auto bert, text::ReadBertNormalization(config));
  return std::optional(bert);
}

}  // namespace

Result<std::shared_ptr<const Tokenizer>> LoadTokenizer(const std::filesystem::path& folder,
                                                       const std::stop_token& stop) {
  std::error_code error;
  if (!std::filesystem::is_directory(folder, error)) {
    return Fail(
        ErrorCode::kIo,
        fmt::format("{}: there is no such folder to read a tokenizer from", folder.string()));
  }
  const std::filesystem::path json = folder / "tokenizer.json";
  if (std::filesystem::exists(json, error)) {
    HEADSCOPE_TRY(const auto document, JsonDocument::Read(json, text::kMaxTokenizerBytes));
    HEADSCOPE_TRY(const auto bert, BertSettings(folder));
    return text::MakeFromJson(document, bert, stop);
  }
  const std::filesystem::path vocab = folder / "vocab.json";
  if (IsMarian(folder)) {
    return text::LoadMarian(folder / "source.spm", vocab, stop);
  }
  const std::filesystem::path merges = folder / "merges.txt";
  const bool has_vocab = std::filesystem::exists(vocab, error);
  const bool has_merges = std::filesystem::exists(merges, error);
  if (!has_vocab && !has_merges) {
    return LoadOther(folder, stop);
  }
  if (!has_vocab || !has_merges) {
    return Fail(ErrorCode::kIo,
                fmt::format("{}: {} is missing beside {}; copy both, or the model's tokenizer.json",
                            folder.string(),
                            has_vocab ? "merges.txt" : "vocab.json",
                            has_vocab ? "vocab.json" : "merges.txt"));
  }
  return text::LoadByteLevel(vocab, merges, folder, stop);
}

Result<std::shared_ptr<const Tokenizer>> LoadTargetTokenizer(const std::filesystem::path& folder,
                                                             const std::stop_token& stop) {
  std::error_code error;
  const std::filesystem::path pieces = folder / "target.spm";
  if (!IsMarian(folder) || !std::filesystem::exists(pieces, error)) {
    return nullptr;
  }
  const std::filesystem::path own = folder / "target_vocab.json";
  return text::LoadMarian(
      pieces, std::filesystem::exists(own, error) ? own : folder / "vocab.json", stop);
}

std::vector<std::string_view> text::Lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (lines.back().ends_with('\r')) {
      lines.back().remove_suffix(1);
    }
  }
  return lines;
}

Status text::CheckTokenizerSize(std::string_view bytes, const std::string& name) {
  return bytes.size() <= kMaxTokenizerBytes
             ? Status{}
             : Fail(ErrorCode::kFormat,
                    fmt::format("{}: expected at most {} bytes, found {}",
                                name,
                                kMaxTokenizerBytes,
                                bytes.size()));
}

Status text::CheckUtf8(std::string_view bytes, const std::string& name) {
  const std::optional<std::size_t> offset = FirstInvalidByte(bytes);
  return offset ? Fail(ErrorCode::kFormat,
                       fmt::format(
                           "{}: not UTF-8 from byte {} on; convert it to UTF-8", name, *offset))
                : Status();
}

Result<MappedFile> text::OpenTokenizerFile(const std::filesystem::path& path) {
  HEADSCOPE_TRY(auto file, MappedFile::Open(path));
  HEADSCOPE_TRY(CheckTokenizerSize(file.text(), path.string()));
  return file;
}

}  // namespace headscope
