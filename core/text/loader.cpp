#include <system_error>

#include <fmt/format.h>

#include "core/text/folder_files.h"
#include "core/text/tokenizer.h"

namespace headscope {

Result<std::shared_ptr<const Tokenizer>> LoadTokenizer(const std::filesystem::path& folder) {
  std::error_code error;
  if (!std::filesystem::is_directory(folder, error)) {
    return Fail(
        ErrorCode::kIo,
        fmt::format("{}: there is no such folder to read a tokenizer from", folder.string()));
  }
  const std::filesystem::path json = folder / "tokenizer.json";
  if (std::filesystem::exists(json, error)) {
    const Result<JsonDocument> document = JsonDocument::Read(json, text::kMaxTokenizerBytes);
    if (!document) {
      return PassOn(document.error());
    }
    return text::MakeFromJson(*document);
  }
  const std::filesystem::path vocab = folder / "vocab.json";
  const std::filesystem::path merges = folder / "merges.txt";
  const bool has_vocab = std::filesystem::exists(vocab, error);
  const bool has_merges = std::filesystem::exists(merges, error);
  const std::filesystem::path config = folder / "tokenizer_config.json";
  if (!has_vocab && !has_merges) {
    const std::filesystem::path lines = folder / "vocab.txt";
    return std::filesystem::exists(lines, error)
               ? text::LoadVocabText(lines, config)
               : Result<std::shared_ptr<const Tokenizer>>(nullptr);
  }
  if (!has_vocab || !has_merges) {
    return Fail(ErrorCode::kIo,
                fmt::format("{}: {} is missing beside {}; copy both, or the model's tokenizer.json",
                            folder.string(),
                            has_vocab ? "merges.txt" : "vocab.json",
                            has_vocab ? "vocab.json" : "merges.txt"));
  }
  return text::LoadByteLevel(vocab, merges, config);
}

Result<MappedFile> text::OpenTokenizerFile(const std::filesystem::path& path) {
  Result<MappedFile> file = MappedFile::Open(path);
  if (file && file->bytes().size() > kMaxTokenizerBytes) {
    return Fail(ErrorCode::kFormat,
                fmt::format("{}: expected at most {} bytes, found {}",
                            path.string(),
                            kMaxTokenizerBytes,
                            file->bytes().size()));
  }
  return file;
}

}  // namespace headscope
