// What the files beside a vocabulary say of its tokenizer: tokenizer_config.json, and in older
// folders special_tokens_map.json and added_tokens.json.
//
// Errors   kIo, kFormat, as JsonObject. A file that is not there says nothing: fallbacks hold.
// Threads  as JsonObject.
// Source   transformers' from_pretrained: the older files count where "added_tokens_decoder" is
//          not in tokenizer_config.json.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/io/json.h"
#include "core/text/added_tokens.h"

namespace headscope::text {

// A JSON file and the object in it; a file that is not there is an empty one.
class JsonFile {
 public:
  [[nodiscard]] static Result<JsonFile> Read(const std::filesystem::path& path);
  [[nodiscard]] const JsonObject& root() const { return root_; }

 private:
  JsonFile(JsonDocument document, JsonObject root)
      : document_(std::move(document)), root_(std::move(root)) {}

  JsonDocument document_;
  JsonObject root_;  // of document_
};

class TokenizerConfig {
 public:
  [[nodiscard]] static Result<TokenizerConfig> Read(const std::filesystem::path& folder);

  // "BertTokenizer", without a "Fast" at its end; empty if it is not said.
  [[nodiscard]] const std::string& tokenizer_class() const { return class_; }
  [[nodiscard]] Result<bool> Boolean(std::string_view key, bool fallback) const;
  // Whether the key is in tokenizer_config.json.
  [[nodiscard]] bool Has(std::string_view key) const { return config_.root().Has(key); }
  // A token, as "x" or as {"content": "x"}; none where the files say null, `fallback` where they are
  // silent.
  [[nodiscard]] Result<std::optional<std::string>> Token(const std::string& key,
                                                         std::string_view fallback) const;
  // The name of tokenizer_config.json, for messages.
  [[nodiscard]] const std::string& name() const { return config_.root().name(); }

  // Adds the tokens that the files add, with their ids; then those of `own`, a class's own special
  // tokens, that the vocabulary has, and those that the files call special. What is called special
  // and has no id gets the next one.
  [[nodiscard]] Status AddTokens(const std::vector<AddedToken>& own,
                                 const Vocabulary& vocabulary,
                                 AddedTokens& added) const;

 private:
  TokenizerConfig(JsonFile config, JsonFile special, JsonFile added)
      : config_(std::move(config)), special_(std::move(special)), added_(std::move(added)) {}

  // Null where the file that counts says so; none: no file has the key.
  [[nodiscard]] std::optional<JsonValue> Find(std::string_view key) const;
  [[nodiscard]] Status AddDecoder(const Vocabulary& vocabulary, AddedTokens& added) const;
  [[nodiscard]] Status AddOlder(const Vocabulary& vocabulary, AddedTokens& added) const;
  [[nodiscard]] Result<std::vector<AddedToken>> Special() const;

  JsonFile config_;
  JsonFile special_;  // empty where it does not count
  JsonFile added_;    // empty where it does not count
  std::string class_;
};

// A special token where there is one: what TokenizerConfig::Token gave.
[[nodiscard]] AddedToken SpecialToken(const std::optional<std::string>& content);

// The "model_type" of a folder's config.json; empty: not said.
[[nodiscard]] Result<std::string> ReadModelType(const std::filesystem::path& folder);

}  // namespace headscope::text
