// tokenizer_config.json: what a folder without tokenizer.json says of its tokenizer.
//
// Errors   kIo, kFormat, as JsonObject. A file that is not there says nothing: fallbacks hold.
// Threads  as JsonObject.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/io/json.h"
#include "core/text/added_tokens.h"

namespace headscope::text {

class TokenizerConfig {
 public:
  [[nodiscard]] static Result<TokenizerConfig> Read(const std::filesystem::path& path);

  // "BertTokenizer", without a "Fast" at its end; empty if it is not said.
  [[nodiscard]] const std::string& tokenizer_class() const { return class_; }
  [[nodiscard]] Result<bool> Boolean(std::string_view key, bool fallback) const;
  // Is the key there?
  [[nodiscard]] bool Has(std::string_view key) const { return root_.Has(key); }
  // A token, as "x" or as {"content": "x"}.
  [[nodiscard]] Result<std::string> Token(const std::string& key, std::string fallback) const;
  [[nodiscard]] const std::string& name() const { return root_.name(); }

  // Adds the tokens of "added_tokens_decoder" with their ids, and those of `contents` that the
  // vocabulary has as special tokens.
  [[nodiscard]] Status AddTokens(const std::vector<std::string>& contents,
                                 const Vocabulary& vocabulary,
                                 AddedTokens& added) const;

 private:
  TokenizerConfig(JsonDocument document, JsonObject root)
      : document_(std::move(document)), root_(std::move(root)) {}

  JsonDocument document_;
  JsonObject root_;  // of document_
  std::string class_;
};

}  // namespace headscope::text
