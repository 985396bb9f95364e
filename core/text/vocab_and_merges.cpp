#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/mapped_file.h"
#include "core/base/quote.h"
#include "core/text/bpe.h"
#include "core/text/folder_files.h"
#include "core/text/parts.h"
#include "core/text/text_tokenizer.h"

namespace headscope::text {
namespace {

constexpr std::uint64_t kMaxConfigBytes = std::uint64_t{4} << 20U;

using Loaded = Result<std::shared_ptr<const Tokenizer>>;

// tokenizer_config.json, as far as a folder without tokenizer.json needs it.
struct ByteLevelConfig {
  bool add_prefix_space = false;
  bool add_bos_token = false;
  std::string bos = "<|endoftext|>";
  std::vector<std::string> specials = {"<|endoftext|>"};
};

// "x" or {"content": "x"}.
Result<std::string> SpecialContent(const JsonObject& config, const char* key) {
  simdjson::dom::object object;
  if (config.Has(key) && config.raw().at_key(key).get(object) == simdjson::SUCCESS) {
    return JsonObject(object, fmt::format("{}: {}", config.name(), key)).String("content", "");
  }
  return config.String(key, "");
}

Result<ByteLevelConfig> ParseByteLevelConfig(const JsonObject& config) {
  ByteLevelConfig result;
  const Result<std::string> kind = config.String("tokenizer_class", "GPT2Tokenizer");
  HEADSCOPE_TRY(kind);
  if (!kind->starts_with("GPT2Tokenizer") && !kind->starts_with("CodeGenTokenizer") &&
      !kind->starts_with("PreTrainedTokenizer")) {
    return NotYet(config.name(), "tokenizer_class without a tokenizer.json", *kind);
  }
  const Result<bool> prefix = config.Boolean("add_prefix_space", false);
  const Result<bool> bos = config.Boolean("add_bos_token", false);
  HEADSCOPE_TRY(prefix);
  HEADSCOPE_TRY(bos);
  result.add_prefix_space = *prefix;
  result.add_bos_token = *bos;
  for (const char* key : {"bos_token", "eos_token", "unk_token", "pad_token"}) {
    const Result<std::string> content = SpecialContent(config, key);
    HEADSCOPE_TRY(content);
    if (content->empty()) {
      continue;
    }
    if (std::string_view(key) == "bos_token") {
      result.bos = *content;
    }
    result.specials.push_back(*content);
  }
  return result;
}

Result<ByteLevelConfig> ReadByteLevelConfig(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) {
    return ByteLevelConfig{};
  }
  const Result<JsonDocument> document = JsonDocument::Read(path, kMaxConfigBytes);
  if (!document) {
    return PassOn(document.error());
  }
  const Result<JsonObject> root = JsonObject::Root(*document);
  HEADSCOPE_TRY(root);
  return ParseByteLevelConfig(*root);
}

Status AddSpecials(const ByteLevelConfig& config, const std::string& name, TokenizerParts& parts) {
  const Vocabulary& vocabulary = parts.model->vocabulary();
  for (const std::string& content : config.specials) {
    if (const std::optional<std::int32_t> id = vocabulary.Id(content)) {
      HEADSCOPE_TRY(parts.added.Add(
          AddedToken{.id = *id, .content = content, .special = true}, vocabulary, name));
    }
  }
  if (!config.add_bos_token) {
    return {};
  }
  const std::optional<std::int32_t> bos = vocabulary.Id(config.bos);
  if (!bos) {
    return Fail(
        ErrorCode::kFormat,
        fmt::format(
            "{}: \"add_bos_token\" asks for {}, which vocab.json lacks", name, Quoted(config.bos)));
  }
  Template& single = parts.post_processor.single;
  Template& pair = parts.post_processor.pair;
  const TemplatePart bos_part{.sequence = -1, .ids = {*bos}, .segment = 0};
  single.insert(single.begin(), bos_part);
  pair.insert(pair.begin(), bos_part);
  pair.insert(pair.end() - 1, TemplatePart{.sequence = -1, .ids = {*bos}, .segment = 1});
  return {};
}

}  // namespace

Loaded LoadByteLevel(const std::filesystem::path& vocab_path,
                     const std::filesystem::path& merges_path,
                     const std::filesystem::path& config_path) {
  const Result<ByteLevelConfig> config = ReadByteLevelConfig(config_path);
  HEADSCOPE_TRY(config);
  const Result<JsonDocument> document = JsonDocument::Read(vocab_path, kMaxTokenizerBytes);
  if (!document) {
    return PassOn(document.error());
  }
  const Result<JsonObject> vocab = JsonObject::Root(*document);
  HEADSCOPE_TRY(vocab);
  const Result<MappedFile> merges = MappedFile::Open(merges_path);
  if (!merges) {
    return PassOn(merges.error());
  }
  const std::span<const std::byte> bytes = merges->bytes();
  if (bytes.size() > kMaxTokenizerBytes) {
    return Fail(ErrorCode::kFormat,
                fmt::format("{}: expected at most {} bytes, found {}",
                            merges_path.string(),
                            kMaxTokenizerBytes,
                            bytes.size()));
  }
  TokenizerParts parts;
  Result<std::unique_ptr<const TokenModel>> model = MakeBpe(
      *vocab, {reinterpret_cast<const char*>(bytes.data()), bytes.size()}, merges_path.string());
  if (!model) {
    return PassOn(std::move(model.error()));
  }
  parts.model = std::move(*model);
  Result<std::unique_ptr<const PreTokenizer>> pre_tokenizer =
      MakeByteLevel(config->add_prefix_space, true, vocab_path.string());
  if (!pre_tokenizer) {
    return PassOn(std::move(pre_tokenizer.error()));
  }
  parts.pre_tokenizer = std::move(*pre_tokenizer);
  HEADSCOPE_TRY(AddSpecials(*config, config_path.string(), parts));
  return TextTokenizer::Make(std::move(parts));
}

}  // namespace headscope::text
