#include "core/text/tokenizer_config.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "core/base/parse_number.h"
#include "core/base/quote.h"

namespace headscope::text {
namespace {

constexpr std::uint64_t kMaxConfigBytes = std::uint64_t{4} << 20U;
constexpr const char* kDecoder = "added_tokens_decoder";

// The keys, in the order in which transformers reads them.
constexpr std::array<std::string_view, 7> kNamed = {
    "bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token"};
constexpr std::array<std::string_view, 2> kExtra = {"extra_special_tokens",
                                                    "additional_special_tokens"};

// Reads "x" or {"content": "x", "lstrip": true}; empty for any other value. The token has no id
// yet.
Result<std::optional<AddedToken>> ReadSpecial(JsonValue value, const std::string& name) {
  if (const auto text = value.Text()) {
    return std::optional(SpecialToken(std::string(*text)));
  }
  const std::optional<JsonObject> object = JsonObject::Of(value, name);
  if (!object || !object->Has("content")) {
    return std::optional<AddedToken>();
  }
  HEADSCOPE_TRY(auto token, ParseAddedToken(*object, 0));
  token.special = true;
  return std::optional(std::move(token));
}

Result<JsonFile> ReadUnless(bool is_out, const std::filesystem::path& path) {
  return JsonFile::Read(is_out ? std::filesystem::path() : path);
}

}  // namespace

Result<JsonFile> JsonFile::Read(const std::filesystem::path& path) {
  std::error_code error;
  HEADSCOPE_TRY(auto document,
                std::filesystem::exists(path, error) ? JsonDocument::Read(path, kMaxConfigBytes)
                                                     : JsonDocument::Parse("{}", path.string()));
  HEADSCOPE_TRY(auto root, JsonObject::Root(document));
  return JsonFile(std::move(document), std::move(root));
}

Result<TokenizerConfig> TokenizerConfig::Read(const std::filesystem::path& folder) {
  HEADSCOPE_TRY(auto config, JsonFile::Read(folder / "tokenizer_config.json"));
  const bool has_decoder = config.root().Has(kDecoder);
  HEADSCOPE_TRY(auto special, ReadUnless(has_decoder, folder / "special_tokens_map.json"));
  HEADSCOPE_TRY(auto added, ReadUnless(has_decoder, folder / "added_tokens.json"));
  const JsonValue name = config.root().Value("tokenizer_class").value_or(JsonValue());
  std::string class_name(name.Text().value_or(""));  // a value of another type names no class
  TokenizerConfig made(std::move(config), std::move(special), std::move(added));
  made.class_ = std::move(class_name);
  if (made.class_.ends_with("Fast")) {
    made.class_.resize(made.class_.size() - 4);
  }
  return made;
}

std::optional<JsonValue> TokenizerConfig::Find(std::string_view key) const {
  for (const JsonFile* file : {&special_, &config_}) {
    if (file->root().IsNull(key)) {
      return JsonValue();
    }
    if (const std::optional<JsonValue> value = file->root().Value(key)) {
      return value;
    }
  }
  return std::nullopt;
}

Result<bool> TokenizerConfig::Boolean(std::string_view key, bool fallback) const {
  return config_.root().Boolean(key, fallback);
}

Result<std::optional<std::string>> TokenizerConfig::Token(const std::string& key,
                                                          std::string_view fallback) const {
  const std::optional<JsonValue> value = Find(key);
  if (!value || value->is_null()) {
    return value ? std::nullopt : std::optional(std::string(fallback));
  }
  const JsonObject& file = special_.root().Has(key) ? special_.root() : config_.root();
  const std::string place = fmt::format("{}: {}", file.name(), key);
  const auto object = JsonObject::Of(*value, place);
  HEADSCOPE_TRY(auto content, object ? object->String("content") : file.String(key));
  return std::optional(std::move(content));
}

Status TokenizerConfig::AddDecoder(const Vocabulary& vocabulary, AddedTokens& added) const {
  HEADSCOPE_TRY(const auto decoder, config_.root().Object(kDecoder));
  if (!decoder) {
    return {};
  }
  for (const JsonField& field : decoder->Fields()) {
    const auto id = ParseAs<std::int64_t>(field.key);
    const std::optional<JsonObject> object = JsonObject::Of(field.value, decoder->name());
    if (!id || *id < 0 || *id > kMaxId || !object) {
      return Fail(
          ErrorCode::kFormat,
          fmt::format("{}: {} is not an id with its token", decoder->name(), Quoted(field.key)));
    }
    HEADSCOPE_TRY(auto token, ParseAddedToken(*object, static_cast<std::int32_t>(*id)));
    HEADSCOPE_TRY(added.Add(std::move(token), vocabulary, name()));
  }
  return {};
}

// Adds tokens such as {"[ENT]": 30522}: special if another file says so, otherwise searched for in
// the normalised text.
Status TokenizerConfig::AddOlder(const Vocabulary& vocabulary, AddedTokens& added) const {
  std::vector<std::string> special;
  for (const std::string_view key : kNamed) {
    HEADSCOPE_TRY(const auto token, Token(std::string(key), ""));
    special.push_back(token.value_or(""));
  }
  for (const JsonObject* file : {&config_.root(), &special_.root()}) {
    for (const std::string_view key : kExtra) {
      // transformers reads the additional tokens of special_tokens_map.json too late for them to
      // count.
      const bool counts = file == &config_.root() || key == kExtra.front();
      const std::optional<JsonValue> list = counts ? file->Value(key) : std::nullopt;
      for (const JsonValue value : list ? list->Array().value_or(JsonArray()) : JsonArray()) {
        HEADSCOPE_TRY(const auto token, ReadSpecial(value, file->name()));
        special.push_back(token ? token->content : "");
      }
    }
  }
  for (const JsonField& field : added_.root().Fields()) {
    const std::int64_t id = field.value.Integer().value_or(-1);
    if (id < 0 || id > kMaxId) {
      return Fail(ErrorCode::kFormat,
                  fmt::format("{}: {} has no id, expected a whole number",
                              added_.root().name(),
                              Quoted(field.key)));
    }
    const bool is_special = std::ranges::find(special, field.key) != special.end();
    HEADSCOPE_TRY(added.Add(AddedToken{.id = static_cast<std::int32_t>(id),
                                       .content = std::string(field.key),
                                       .special = is_special,
                                       .normalized = !is_special},
                            vocabulary,
                            added_.root().name()));
  }
  return {};
}

// Returns the tokens that the files name.
Result<std::vector<AddedToken>> TokenizerConfig::Special() const {
  std::vector<JsonValue> values;
  for (const std::string_view key : kNamed) {
    if (const auto value = Find(key)) {
      values.push_back(*value);
    }
  }
  for (const std::string_view key : kExtra) {
    const std::optional<JsonValue> list = Find(key);
    const JsonArray own = list ? list->Array().value_or(JsonArray()) : JsonArray();
    values.insert(values.end(), own.begin(), own.end());
  }
  std::vector<AddedToken> tokens;
  for (const JsonValue value : values) {
    HEADSCOPE_TRY(auto token, ReadSpecial(value, name()));
    if (token) {
      tokens.push_back(std::move(*token));
    }
  }
  return tokens;
}

Status TokenizerConfig::AddTokens(const std::vector<AddedToken>& own,
                                  const Vocabulary& vocabulary,
                                  AddedTokens& added) const {
  HEADSCOPE_TRY(AddDecoder(vocabulary, added));
  HEADSCOPE_TRY(AddOlder(vocabulary, added));
  for (const AddedToken& token : own) {
    if (vocabulary.Id(token.content)) {
      HEADSCOPE_TRY(added.Add(token, vocabulary, name()));
    }
  }
  HEADSCOPE_TRY(auto special, Special());
  for (AddedToken& token : special) {
    const std::optional<std::int32_t> known = added.IdOf(token.content);
    const std::int64_t next = std::max(vocabulary.end_id(), added.end_id());
    token.id = known.value_or(static_cast<std::int32_t>(std::min(next, kMaxId)));
    HEADSCOPE_TRY(added.Add(std::move(token), vocabulary, name()));
  }
  return {};
}

AddedToken SpecialToken(const std::optional<std::string>& content) {
  return {.id = -1, .content = content.value_or(""), .special = true};
}

Result<std::string> ReadModelType(const std::filesystem::path& folder) {
  HEADSCOPE_TRY(const auto config, JsonFile::Read(folder / "config.json"));
  return config.root().String("model_type", "");
}

}  // namespace headscope::text
