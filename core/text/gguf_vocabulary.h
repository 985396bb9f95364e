// Makes tokenizers from the vocabulary in the metadata of a GGUF file.
//
// Shapes   scores and types have one entry per token, or none; id i is tokens[i].
// Errors   kFormat: lists of different lengths, ids beyond the vocabulary, a merge of unknown
//          pieces; kUnsupported: an unknown `model` or `pre`, which is named; kCancelled.
// Threads  as Tokenizer.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/text/tokenizer.h"

namespace headscope {

// Each member's comment is its key in the file, after "tokenizer.ggml.". Views point into the file,
// which must outlive the call that makes the tokenizer.
struct GgufVocabulary {
  std::string name;                      // the file's, for messages
  std::string model;                     // model: "llama", "gpt2", "gemma4", "bert", "t5"
  std::string pre;                       // pre: "llama-bpe", "qwen2"; may be empty
  std::vector<std::string_view> tokens;  // tokens
  std::vector<float> scores;             // scores
  // token_type: 1 normal, 2 unknown, 3 control, 4 user defined, 5 unused, 6 byte
  std::vector<std::int32_t> types;
  std::vector<std::string_view> merges;          // merges: "a b"
  std::string_view charsmap;                     // precompiled_charsmap
  std::optional<std::int64_t> bos_id;            // bos_token_id
  std::optional<std::int64_t> eos_id;            // eos_token_id
  std::optional<std::int64_t> unknown_id;        // unknown_token_id
  std::optional<std::int64_t> separator_id;      // seperator_token_id (as the format spells it)
  std::optional<std::int64_t> cls_id;            // cls_token_id
  std::optional<bool> add_bos;                   // add_bos_token
  std::optional<bool> add_eos;                   // add_eos_token
  std::optional<bool> add_space_prefix;          // add_space_prefix
  std::optional<bool> remove_extra_whitespaces;  // remove_extra_whitespaces
};

[[nodiscard]] Result<std::shared_ptr<const Tokenizer>> MakeTokenizer(
    const GgufVocabulary& vocabulary, const std::stop_token& stop = {});

}  // namespace headscope
