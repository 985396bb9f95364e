// Small layers of attention with known weights, for tests of what is shown.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/attention/layer_attention.h"
#include "core/text/tokenizer.h"

namespace headscope::test {

// A layer whose queries and keys are all zero: a row is even over its visible keys.
struct EvenMaps {
  LayerId id;
  std::int64_t heads = 1;
  std::int64_t queries = 1;
  std::int64_t keys = 1;
  bool causal = true;
  bool pooled = false;  // thumbnails by two
  bool sink = false;    // with a score of 0, so that it takes as much as a key
};

inline std::shared_ptr<const LayerAttention> MakeEven(const EvenMaps& even) {
  LayerAttention::Content content;
  content.part = even.id.part;
  content.layer = even.id.layer;
  content.shape = {.queries = even.queries,
                   .keys = even.keys,
                   .heads = even.heads,
                   .kv_heads = even.heads,
                   .head_dim = 2,
                   .value_dim = 2};
  content.rule.causal = even.causal;
  const auto width = static_cast<std::size_t>(even.heads * 2);
  content.queries.assign(static_cast<std::size_t>(even.queries) * width, 0.0F);
  content.keys.assign(static_cast<std::size_t>(even.keys) * width, 0.0F);
  content.values.assign(static_cast<std::size_t>(even.keys) * width, 0.0F);
  const auto weight = [&even](std::int64_t row) {
    return 1.0F / static_cast<float>((even.causal ? row + 1 : even.keys) + (even.sink ? 1 : 0));
  };
  if (even.sink) {
    content.rule.sinks =
        std::make_shared<const std::vector<float>>(static_cast<std::size_t>(even.heads), 0.0F);
  }
  const std::int64_t longest = std::max(even.queries, even.keys);
  const std::int64_t by = even.pooled ? std::max<std::int64_t>(2, longest / 128) : 1;
  Thumbnail thumbnail{.rows = (even.queries + by - 1) / by,
                      .cols = (even.keys + by - 1) / by,
                      .pooled = even.pooled,
                      .mean = {},
                      .max = {}};
  for (std::int64_t row = 0; row < thumbnail.rows; ++row) {
    for (std::int64_t col = 0; col < thumbnail.cols; ++col) {
      thumbnail.mean.push_back(even.causal && col > row ? kMasked : weight(row));
    }
  }
  if (even.pooled) {
    thumbnail.max = thumbnail.mean;
  }
  content.row_max.assign(static_cast<std::size_t>(even.heads * even.queries), 0.0F);
  for (std::int64_t head = 0; head < even.heads; ++head) {
    for (std::int64_t row = 0; row < even.queries; ++row) {
      content.row_inverse_sum.push_back(weight(row));
    }
    content.thumbnails.push_back(thumbnail);
  }
  return std::make_shared<const LayerAttention>(std::move(content));
}

// Causal: row i is 1/(i+1) over keys 0..i.
inline std::shared_ptr<const LayerAttention> EvenLayer(std::int64_t layer,
                                                       std::int64_t heads,
                                                       std::int64_t tokens,
                                                       bool pooled = false) {
  return MakeEven({.id = {ModelPart::kWhole, layer},
                   .heads = heads,
                   .queries = tokens,
                   .keys = tokens,
                   .pooled = pooled});
}

inline std::shared_ptr<const Encoding> Words(const std::vector<std::string>& words) {
  Encoding encoding;
  for (const std::string& word : words) {
    Token token;
    token.id = static_cast<std::int32_t>(encoding.tokens.size());
    token.text = word;
    token.display = word;
    token.word = token.id;
    encoding.tokens.push_back(token);
  }
  return std::make_shared<const Encoding>(std::move(encoding));
}

// "w0 w1 w2 ...".
inline std::shared_ptr<const Encoding> NumberedWords(std::int64_t count,
                                                     const std::string& letter = "w") {
  std::vector<std::string> words;
  for (std::int64_t i = 0; i < count; ++i) {
    words.push_back(letter + std::to_string(i));
  }
  return Words(words);
}

}  // namespace headscope::test
