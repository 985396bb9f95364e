// Layers built by hand: random queries, keys and values, and an output projection to cut them with.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/attention/layer_attention.h"
#include "core/base/random.h"
#include "core/compute/backend.h"
#include "core/headcount/split.h"
#include "tests/support/catch.h"

namespace headscope {

inline std::vector<float> RandomValues(std::int64_t count, RandomStream* random) {
  std::vector<float> values;
  for (std::int64_t i = 0; i < count; ++i) {
    values.push_back(static_cast<float>(random->Normal()));
  }
  return values;
}

struct LayerOptions {
  std::int64_t tokens = 9;
  std::int64_t heads = 4;
  std::int64_t kv_heads = 4;
  std::int64_t head_dim = 6;
  bool causal = true;
  double softcap = 0.0;
  std::int64_t window = 0;
};

inline std::shared_ptr<const LayerAttention> MakeLayer(const LayerOptions& options) {
  RandomStream random(17);
  LayerAttention::Content content;
  content.layer = 3;
  content.shape = {.queries = options.tokens,
                   .keys = options.tokens,
                   .heads = options.heads,
                   .kv_heads = options.kv_heads,
                   .head_dim = options.head_dim,
                   .value_dim = options.head_dim};
  content.rule.scale = 1.0 / std::sqrt(static_cast<double>(options.head_dim));
  content.rule.causal = options.causal;
  content.rule.softcap = options.softcap;
  content.rule.window = options.window;
  const std::int64_t kv = options.tokens * options.kv_heads * options.head_dim;
  content.queries = RandomValues(options.tokens * options.heads * options.head_dim, &random);
  content.keys = RandomValues(kv, &random);
  content.values = RandomValues(kv, &random);
  content.row_max.resize(static_cast<std::size_t>(options.heads * options.tokens));
  content.row_inverse_sum.resize(content.row_max.size());
  content.thumbnails.resize(static_cast<std::size_t>(options.heads));
  return std::make_shared<const LayerAttention>(std::move(content));
}

// W_O [D, d] and b_O with the backend that prepared them.
class Output {
 public:
  Output(std::unique_ptr<Backend> backend, std::int64_t width, std::int64_t model_dim)
      : backend_(std::move(backend)) {
    RandomStream random(23);
    weight_ = RandomValues(width * model_dim, &random);
    bias_ = RandomValues(model_dim, &random);
    LinearSource source;
    source.layout = WeightLayout::kInOut;
    source.in = width;
    source.matrices.push_back(
        {View("weight", {width, model_dim}, weight_), View("bias", {model_dim}, bias_)});
    auto prepared = backend_->Prepare(source, {});
    REQUIRE(prepared.has_value());
    linear_ = std::move(*prepared);
  }

  [[nodiscard]] Backend* backend() { return backend_.get(); }
  [[nodiscard]] const Linear& linear() const { return *linear_; }
  [[nodiscard]] const std::vector<float>& weight() const { return weight_; }
  [[nodiscard]] const std::vector<float>& bias() const { return bias_; }

 private:
  static TensorView View(const char* name,
                         std::vector<std::int64_t> shape,
                         const std::vector<float>& values) {
    return {.name = name,
            .type = DataType::kF32,
            .shape = std::move(shape),
            .bytes = std::as_bytes(std::span<const float>(values))};
  }

  std::unique_ptr<Backend> backend_;
  std::vector<float> weight_;
  std::vector<float> bias_;
  std::unique_ptr<Linear> linear_;
};

}  // namespace headscope
