#include "core/model/family_kit.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "core/base/quote.h"
#include "core/model/tensor_needs.h"

namespace headscope {
namespace {

tl::unexpected<Error> NotAMultiple(const JsonObject& json,
                                   std::string_view key,
                                   std::int64_t value,
                                   std::string_view of,
                                   std::int64_t of_value) {
  return Fail(ErrorCode::kFormat,
              fmt::format("{}: {} is {}, expected a multiple of {}, which is {}",
                          json.name(),
                          Quoted(key),
                          value,
                          Quoted(of),
                          of_value));
}

Status ReadHeads(const JsonObject& json, const SizeKeys& keys, StackSizes* sizes) {
  HEADSCOPE_TRY(const auto heads, json.Integer(keys.heads, 1, kMaxHeads, keys.default_heads));
  sizes->heads = heads;
  sizes->kv_heads = heads;
  if (!keys.kv_heads.empty()) {
    HEADSCOPE_TRY(
        const auto kv_heads,
        json.Integer(
            keys.kv_heads, 1, heads, std::min(keys.default_kv_heads.value_or(heads), heads)));
    if (heads % kv_heads != 0) {
      return NotAMultiple(json, keys.heads, heads, keys.kv_heads, kv_heads);
    }
    sizes->kv_heads = kv_heads;
  }
  HEADSCOPE_TRY(const auto model_dim,
                json.Integer(keys.model_dim, 1, kMaxWidth, keys.default_model_dim));
  sizes->model_dim = model_dim;
  const bool has_head_dim = !keys.head_dim.empty() && json.Has(keys.head_dim);
  if (!has_head_dim && !keys.default_head_dim) {
    if (model_dim % heads != 0) {
      return NotAMultiple(json, keys.model_dim, model_dim, keys.heads, heads);
    }
    sizes->head_dim = model_dim / heads;
    return {};
  }
  const std::int64_t most = std::min(kMaxWidth, kMaxInnerWidth / heads);
  HEADSCOPE_TRY(const auto head_dim, json.Integer(keys.head_dim, 1, most, keys.default_head_dim));
  sizes->head_dim = head_dim;
  return {};
}

}  // namespace

Result<StackSizes> ReadSizes(const JsonObject& json, const SizeKeys& keys) {
  StackSizes sizes;
  HEADSCOPE_TRY(const auto layers, json.Integer(keys.layers, 1, kMaxLayers, keys.default_layers));
  HEADSCOPE_TRY(ReadHeads(json, keys, &sizes));
  std::optional<std::int64_t> default_inner = keys.default_inner;
  if (keys.default_inner_factor) {
    default_inner = *keys.default_inner_factor * sizes.model_dim;
  }
  HEADSCOPE_TRY(const auto inner,
                keys.inner.empty() ? Result<std::int64_t>(default_inner.value_or(sizes.model_dim))
                                   : json.Integer(keys.inner, 1, kMaxInnerWidth, default_inner));
  if (!keys.positions.empty()) {
    HEADSCOPE_TRY(const auto positions,
                  json.Integer(keys.positions, 1, kMaxPositions, keys.default_positions));
    sizes.positions = positions;
  } else {
    sizes.positions = keys.default_positions.value_or(kMaxPositions);
  }
  HEADSCOPE_TRY(const auto vocabulary,
                json.Integer(keys.vocabulary, 1, kMaxVocabulary, keys.default_vocabulary));
  sizes.layers = layers;
  sizes.inner = inner;
  sizes.vocabulary = vocabulary;
  return sizes;
}

ModelDescription StartDescription(std::string_view family,
                                  const StackSizes& sizes,
                                  std::string token_embedding) {
  ModelDescription model;
  model.family = family;
  model.layers = sizes.layers;
  model.heads = sizes.heads;
  model.kv_heads = sizes.kv_heads;
  model.model_dim = sizes.model_dim;
  model.head_dim = sizes.head_dim;
  model.value_dim = sizes.head_dim;
  model.positions = sizes.positions;
  model.vocabulary = sizes.vocabulary;
  model.token_embedding = {std::move(token_embedding), {sizes.vocabulary, sizes.model_dim}};
  model.layer.reserve(static_cast<std::size_t>(sizes.layers));
  return model;
}

OutputLayer OutputNamed(const std::string& name, const ModelDescription& model) {
  return {.weight = {name + ".weight", {model.vocabulary, model.embedding_dim()}},
          .bias = TensorNeed{name + ".bias", {model.vocabulary}}};
}

NormNeed LayerNorm(const std::string& name, std::int64_t width, double epsilon, HasBias bias) {
  return {.kind = NormKind::kLayer,
          .weight = {name + ".weight", {width}},
          .bias = bias == HasBias::kYes ? std::optional(TensorNeed{name + ".bias", {width}})
                                        : std::nullopt,
          .epsilon = epsilon};
}

NormNeed RmsNorm(const std::string& name, std::int64_t width, double epsilon) {
  return {.kind = NormKind::kRms,
          .weight = {name.empty() ? "" : name + ".weight", {width}},
          .bias = std::nullopt,
          .epsilon = epsilon};
}

NormPlaces NormBefore(NormNeed norm) {
  return {.before = std::move(norm)};
}

LinearNeed::Matrix MatrixPart(const std::string& name,
                              std::int64_t in,
                              std::int64_t out,
                              HasBias bias) {
  return {.weight = {name + ".weight", {out, in}},
          .bias = bias == HasBias::kYes ? std::optional(TensorNeed{name + ".bias", {out}})
                                        : std::nullopt};
}

LinearNeed::Matrix RowsOf(LinearNeed::Matrix whole, std::int64_t first, std::int64_t count) {
  whole.weight.rows = RowRange{first, count};
  if (whole.bias) {
    whole.bias->rows = whole.weight.rows;
  }
  return whole;
}

Result<double> ReadLogitCap(const JsonObject& json, double usual) {
  constexpr const char* kCap = "final_logit_softcapping";
  return json.Number(kCap, 0.0, 1e9, json.IsNull(kCap) ? 0.0 : usual);
}

LinearNeed Product(std::vector<LinearNeed::Matrix> parts) {
  const std::int64_t in = parts.front().weight.shape.back();
  return {.layout = WeightLayout::kOutIn, .in = in, .matrices = std::move(parts)};
}

void UseOtherNames(std::span<const OtherName> names, ModelDescription* model) {
  for (TensorNeed* need : AllNeeds(model)) {
    for (const OtherName& name : names) {
      if (const std::size_t at = need->name.find(name.usual); at != std::string::npos) {
        need->name.replace(at, name.usual.size(), name.own);
      }
    }
  }
}

void UseOtherNamesInEncoder(std::span<const OtherName> names, ModelDescription* model) {
  auto decoder = std::exchange(model->decoder, std::nullopt);
  UseOtherNames(names, model);
  model->decoder = std::move(decoder);
}

double UsualScale(std::int64_t head_dim) {
  return 1.0 / std::sqrt(static_cast<double>(head_dim));
}

std::shared_ptr<const RelativeBias> AlibiBias(std::int64_t heads, double factor) {
  // With 2^k heads, head i has the slope 2^(-8 (i + 1) / 2^k); what is beyond 2^k heads takes every
  // other slope of twice as many.
  const auto whole = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(heads)));
  RelativeBias bias;
  for (std::int64_t head = 0; head < heads; ++head) {
    const auto step = static_cast<double>(head < whole ? 2 * (head + 1) : 2 * (head - whole) + 1);
    bias.slopes.push_back(
        static_cast<float>(factor * std::exp2(-8.0 * step / static_cast<double>(2 * whole))));
  }
  return std::make_shared<const RelativeBias>(std::move(bias));
}

Result<HasBias> ReadBias(const JsonObject& json, std::string_view key, bool fallback) {
  HEADSCOPE_TRY(const auto has_bias, json.Boolean(key, fallback));
  return has_bias ? HasBias::kYes : HasBias::kNo;
}

Result<std::int64_t> MostSeenWhole(const JsonObject& json, std::int64_t positions) {
  HEADSCOPE_TRY(const auto type, json.String("attention_type", "block_sparse"));
  HEADSCOPE_TRY(const auto block, json.Integer("block_size", 1, kMaxPositions / 64, 64));
  HEADSCOPE_TRY(const auto drawn, json.Integer("num_random_blocks", 0, 1024, 3));
  return type == "original_full" ? positions : std::min(positions, (5 + 2 * drawn) * block);
}

}  // namespace headscope
