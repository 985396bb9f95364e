// Small tokenizer.json texts for tests, made in code.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/text/tokenizer.h"

namespace headscope {

// The parts of a tokenizer.json, each as JSON.
struct TinyJson {
  std::string model;
  std::string normalizer = "null";
  std::string pre_tokenizer = "null";
  std::string post_processor = "null";
  std::string added_tokens = "[]";

  [[nodiscard]] std::string Text() const;
};

// {"a":0,"b":1,...} in the order given.
[[nodiscard]] std::string VocabJson(const std::vector<std::string>& pieces);

[[nodiscard]] std::string WordLevelJson(const std::vector<std::string>& pieces,
                                        const std::string& unknown = "[UNK]");

// Merges as written: "\"a b\"" or "[\"a\",\"b\"]". `more` are further keys, each with a comma
// first.
[[nodiscard]] std::string BpeJson(const std::vector<std::string>& pieces,
                                  const std::vector<std::string>& merges,
                                  const std::string& more = "");

// The 256 characters of byte-level BPE, then `more`.
[[nodiscard]] std::vector<std::string> BytePieces(const std::vector<std::string>& more);

// Fails the test if it does not parse.
[[nodiscard]] std::shared_ptr<const Tokenizer> Parse(const TinyJson& json);

// Fails the test if it does not encode.
[[nodiscard]] Encoding EncodeOrFail(const Tokenizer& tokenizer,
                                    std::string_view text,
                                    const EncodeOptions& options = {});

[[nodiscard]] std::vector<std::string> Texts(const Encoding& encoding);
[[nodiscard]] std::vector<std::string> Displays(const Encoding& encoding);
[[nodiscard]] std::vector<std::int32_t> Words(const Encoding& encoding);
// "begin-end" of each token.
[[nodiscard]] std::vector<std::string> Ranges(const Encoding& encoding);

}  // namespace headscope
