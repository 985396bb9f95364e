// Small layers of attention with known weights, for tests of what is shown.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/attention/layer_attention.h"
#include "core/text/tokenizer.h"

namespace headscope::test {

// A causal layer whose queries and keys are all zero: row i is 1/(i+1) over keys 0..i. Thumbnails
// of more than `most_cells` cells a side are pooled by two.
inline std::shared_ptr<const LayerAttention> EvenLayer(std::int64_t layer,
                                                       std::int64_t heads,
                                                       std::int64_t tokens,
                                                       bool pooled = false) {
  LayerAttention::Parts parts;
  parts.layer = layer;
  parts.shape = {.queries = tokens,
                 .keys = tokens,
                 .heads = heads,
                 .kv_heads = heads,
                 .head_dim = 2,
                 .value_dim = 2};
  parts.rule.causal = true;
  const auto cells = static_cast<std::size_t>(tokens * heads * 2);
  parts.queries.assign(cells, 0.0F);
  parts.keys.assign(cells, 0.0F);
  parts.values.assign(cells, 0.0F);
  parts.row_max.assign(static_cast<std::size_t>(heads * tokens), 0.0F);
  parts.row_inverse_sum.resize(static_cast<std::size_t>(heads * tokens));
  const std::int64_t side = pooled ? (tokens + 1) / 2 : tokens;
  Thumbnail thumbnail{.rows = side, .cols = side, .pooled = pooled, .mean = {}, .max = {}};
  for (std::int64_t row = 0; row < side; ++row) {
    for (std::int64_t col = 0; col < side; ++col) {
      thumbnail.mean.push_back(col > row ? kMasked : 1.0F / static_cast<float>(row + 1));
    }
  }
  if (pooled) {
    thumbnail.max = thumbnail.mean;
  }
  for (std::int64_t head = 0; head < heads; ++head) {
    for (std::int64_t row = 0; row < tokens; ++row) {
      parts.row_inverse_sum[static_cast<std::size_t>(head * tokens + row)] =
          1.0F / static_cast<float>(row + 1);
    }
    parts.thumbnails.push_back(thumbnail);
  }
  return std::make_shared<const LayerAttention>(std::move(parts));
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

inline std::shared_ptr<const Encoding> NumberedWords(std::int64_t count) {
  std::vector<std::string> words;
  for (std::int64_t i = 0; i < count; ++i) {
    words.push_back("w" + std::to_string(i));
  }
  return Words(words);
}

}  // namespace headscope::test
