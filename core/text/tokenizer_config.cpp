#include "core/text/tokenizer_config.h"

#include <charconv>
#include <cstdint>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "core/base/quote.h"

namespace headscope::text {
namespace {

constexpr std::uint64_t kMaxConfigBytes = std::uint64_t{4} << 20U;

}  // namespace

Result<TokenizerConfig> TokenizerConfig::Read(const std::filesystem::path& path) {
  std::error_code error;
  Result<JsonDocument> document = std::filesystem::exists(path, error)
                                      ? JsonDocument::Read(path, kMaxConfigBytes)
                                      : JsonDocument::Parse("{}", path.string());
  if (!document) {
    return PassOn(std::move(document.error()));
  }
  Result<JsonObject> root = JsonObject::Root(*document);
  HEADSCOPE_TRY(root);
  TokenizerConfig config(std::move(*document), std::move(*root));
  Result<std::string> name = config.root_.String("tokenizer_class", "");
  HEADSCOPE_TRY(name);
  config.class_ = std::move(*name);
  if (config.class_.ends_with("Fast")) {
    config.class_.resize(config.class_.size() - 4);
  }
  return config;
}

Result<bool> TokenizerConfig::Boolean(std::string_view key, bool fallback) const {
  return root_.Boolean(key, fallback);
}

Result<std::string> TokenizerConfig::Token(const std::string& key, std::string fallback) const {
  const std::string place = fmt::format("{}: {}", name(), key);
  if (const auto object = JsonObject::Of(root_.Value(key).value_or(JsonValue()), place)) {
    return object->String("content", std::move(fallback));
  }
  return root_.String(key, std::move(fallback));
}

Status TokenizerConfig::AddTokens(const std::vector<std::string>& contents,
                                  const Vocabulary& vocabulary,
                                  AddedTokens& added) const {
  const Result<std::optional<JsonObject>> decoder = root_.Object("added_tokens_decoder");
  HEADSCOPE_TRY(decoder);
  if (*decoder) {
    for (const JsonField& field : (*decoder)->Fields()) {
      std::int64_t id = -1;
      const auto [end, error] =
          std::from_chars(field.key.data(), field.key.data() + field.key.size(), id);
      const std::optional<JsonObject> object = JsonObject::Of(field.value, (*decoder)->name());
      if (error != std::errc() || end != field.key.data() + field.key.size() || id < 0 ||
          id > kMaxId || !object) {
        return Fail(
            ErrorCode::kFormat,
            fmt::format(
                "{}: {} is not an id with its token", (*decoder)->name(), Quoted(field.key)));
      }
      Result<AddedToken> token = ParseAddedToken(*object, static_cast<std::int32_t>(id));
      HEADSCOPE_TRY(token);
      HEADSCOPE_TRY(added.Add(std::move(*token), vocabulary, name()));
    }
  }
  for (const std::string& content : contents) {
    if (const std::optional<std::int32_t> id = vocabulary.Id(content)) {
      HEADSCOPE_TRY(added.Add(
          AddedToken{.id = *id, .content = content, .special = true}, vocabulary, name()));
    }
  }
  return {};
}

}  // namespace headscope::text
