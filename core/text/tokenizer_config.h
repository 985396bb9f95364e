// Tokenizer settings from the files next to a vocabulary: tokenizer_config.json, and in older
// folders special_tokens_map.json and added_tokens.json.
//
// Errors   kIo, kFormat, as JsonObject. A missing file is not an error: the fallbacks apply.
// Threads  as JsonObject.
// Source   transformers' from_pretrained: the older files count only if tokenizer_config.json has
//          no "added_tokens_decoder".
#pragma once

#include <algorithm>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/io/json.h"
#include "core/text/added_tokens.h"
#include "core/text/json_readers.h"

namespace headscope::text {

// A JSON file and the object in it; a missing file gives an empty object.
class JsonFile {
 public:
  [[nodiscard]] static Result<JsonFile> Read(const std::filesystem::path& path);
  [[nodiscard]] const JsonObject& root() const { return root_; }

 private:
  JsonFile(JsonDocument document, JsonObject root)
      : document_(std::move(document)), root_(std::move(root)) {}

  JsonDocument document_;
  JsonObject root_;  // points into document_
};

class TokenizerConfig {
 public:
  [[nodiscard]] static Result<TokenizerConfig> Read(const std::filesystem::path& folder);

  // Such as "BertTokenizer", without a "Fast" at its end; empty if there is none.
  [[nodiscard]] const std::string& tokenizer_class() const { return class_; }
  [[nodiscard]] Result<bool> Boolean(std::string_view key, bool fallback) const;
  // Whether the key is in tokenizer_config.json.
  [[nodiscard]] bool Has(std::string_view key) const { return config_.root().Has(key); }
  // Reads a token given as "x" or {"content": "x"}; empty if the files say null, `fallback` if they
  // do not mention it.
  [[nodiscard]] Result<std::optional<std::string>> Token(const std::string& key,
                                                         std::string_view fallback) const;
  // The name of tokenizer_config.json, for messages.
  [[nodiscard]] const std::string& name() const { return config_.root().name(); }

  // Adds the tokens that the files add, with their ids; then those of `own`, a class's own special
  // tokens, that are in the vocabulary, and those that the files list as special. A special token
  // without an id gets the next one.
  [[nodiscard]] Status AddTokens(const std::vector<AddedToken>& own,
                                 const Vocabulary& vocabulary,
                                 AddedTokens& added) const;

 private:
  TokenizerConfig(JsonFile config, JsonFile special, JsonFile added)
      : config_(std::move(config)), special_(std::move(special)), added_(std::move(added)) {}

  // Returns a null value if the file that counts says null; empty if no file has the key.
  [[nodiscard]] std::optional<JsonValue> Find(std::string_view key) const;
  [[nodiscard]] Status AddDecoder(const Vocabulary& vocabulary, AddedTokens& added) const;
  [[nodiscard]] Status AddOlder(const Vocabulary& vocabulary, AddedTokens& added) const;
  [[nodiscard]] Result<std::vector<AddedToken>> Special() const;

  JsonFile config_;
  JsonFile special_;  // empty where it does not count
  JsonFile added_;    // empty where it does not count
  std::string class_;
};

// Makes a special token from what TokenizerConfig::Token returned.
[[nodiscard]] AddedToken SpecialToken(const std::optional<std::string>& content);

// Returns the "model_type" in a folder's config.json; empty if there is none.
[[nodiscard]] Result<std::string> ReadModelType(const std::filesystem::path& folder);

// Finds the class of a folder's tokenizer: by its tokenizer_class, or, if it has none, by the
// model_type of config.json. The first of `classes` is for a folder that tells neither.
template <typename Class>
[[nodiscard]] Result<const Class*> FindClass(std::span<const Class> classes,
                                             const TokenizerConfig& config,
                                             const std::filesystem::path& folder) {
  const std::string& name = config.tokenizer_class();
  if (!name.empty()) {
    const auto found = std::ranges::find(classes, name, &Class::name);
    return found != classes.end()
               ? Result<const Class*>(&*found)
               : NotYet(config.name(), "tokenizer_class without a tokenizer.json", name);
  }
  HEADSCOPE_TRY(const auto type, ReadModelType(folder));
  const auto found = std::ranges::find_if(classes, [&](const Class& each) {
    return !type.empty() && std::ranges::find(each.model_types, type) != each.model_types.end();
  });
  return found != classes.end() ? &*found : &classes.front();
}

}  // namespace headscope::text
