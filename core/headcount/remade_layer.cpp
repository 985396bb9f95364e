#include "core/headcount/remade_layer.h"

#include <cmath>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/check.h"
#include "core/base/random.h"
#include "core/compute/rows.h"

namespace headscope {
namespace {

// The input and the weights have separate streams, so that neither draw depends on the other.
constexpr std::uint64_t kInputStream = 1;
constexpr std::uint64_t kWeightStream = 2;

std::uint64_t SeedOf(const SplitRequest& request, std::uint64_t stream) {
  return request.seed ^ (stream << 62U);
}

// Matrices of one kind, one after another.
class PlainWeights {
 public:
  PlainWeights(const SplitRequest& request, std::int64_t model_dim)
      : is_random_(request.weights == SplitWeights::kRandom),
        spread_(1.0 / std::sqrt(static_cast<double>(model_dim))),
        random_(SeedOf(request, kWeightStream)) {}

  Result<std::unique_ptr<Linear>> Make(Backend* backend,
                                       std::int64_t in,
                                       std::int64_t out,
                                       const std::stop_token& stop) {
    std::vector<float> values(static_cast<std::size_t>(in * out), 1.0F);
    if (is_random_) {
      for (float& value : values) {
        value = static_cast<float>(spread_ * random_.Normal());
      }
    }
    LinearSource source;
    source.layout = WeightLayout::kInOut;
    source.in = in;
    source.matrices.push_back({{.name = "weights that were made up",
                                .type = DataType::kF32,
                                .shape = {in, out},
                                .bytes = std::as_bytes(std::span<const float>(values))},
                               std::nullopt});
    return backend->Prepare(source, stop);
  }

 private:
  bool is_random_;
  double spread_;
  RandomStream random_;
};

// Returns what the attention reads: the layer's own input or a drawn one, scaled.
std::vector<float> InputOf(const LayerAttention& layer,
                           const SplitRequest& request,
                           std::int64_t model_dim) {
  if (request.InputUsed() == SplitInput::kNormal) {
    return NormalInput(request, layer.shape().queries, model_dim);
  }
  std::vector<float> rows = layer.content().projection_input;
  for (float& value : rows) {
    value = static_cast<float>(request.input_scale * static_cast<double>(value));
  }
  return rows;
}

LayerAttention::Content BareContent(const AttentionShape& shape, const AttentionRule& rule) {
  LayerAttention::Content content;
  content.shape = shape;
  content.rule = rule;
  return content;
}

}  // namespace

std::vector<float> NormalInput(const SplitRequest& request,
                               std::int64_t tokens,
                               std::int64_t model_dim) {
  RandomStream random(SeedOf(request, kInputStream));
  std::vector<float> rows;
  rows.reserve(static_cast<std::size_t>(tokens * model_dim));
  for (std::int64_t i = 0; i < tokens * model_dim; ++i) {
    rows.push_back(static_cast<float>(request.input_scale * random.Normal()));
  }
  return rows;
}

Result<RemadeLayer> MakePlainLayer(Backend* backend,
                                   const PlainProjections& about,
                                   std::span<const float> rows,
                                   const SplitRequest& request,
                                   const std::stop_token& stop) {
  const AttentionShape& shape = about.shape;
  HEADSCOPE_CHECK(
      std::ssize(rows) == shape.queries * about.model_dim && shape.keys == shape.queries,
      "one text makes queries and keys");
  HEADSCOPE_TRY(const auto in, MakeRows(backend, rows, about.model_dim));
  PlainWeights weights(request, about.model_dim);
  const auto project = [&](std::int64_t out) -> Result<std::vector<float>> {
    HEADSCOPE_TRY(const auto linear, weights.Make(backend, about.model_dim, out, stop));
    return Multiplied(backend, *linear, *in, stop);
  };
  HEADSCOPE_TRY(auto queries, project(shape.heads * shape.head_dim));
  HEADSCOPE_TRY(auto keys, project(shape.kv_heads * shape.head_dim));
  HEADSCOPE_TRY(auto values, project(shape.kv_heads * shape.value_dim));
  HEADSCOPE_TRY(auto output,
                weights.Make(backend, shape.heads * shape.value_dim, about.model_dim, stop));
  LayerAttention::Content content = BareContent(shape, about.rule);
  content.rule.softcap = 0.0;
  content.rule.bias = nullptr;
  content.rule.sinks = nullptr;
  content.rule.positions = nullptr;
  content.queries = std::move(queries);
  content.keys = std::move(keys);
  content.values = std::move(values);
  return RemadeLayer{std::make_shared<const LayerAttention>(std::move(content)), std::move(output)};
}

Result<RemadeLayer> RemakeLayer(Forward* forward,
                                const LayerAttention& layer,
                                const SplitRequest& request,
                                const std::stop_token& stop) {
  const AttentionShape& shape = layer.shape();
  if (layer.part() == ModelPart::kCross || shape.keys != shape.queries) {
    return Fail(ErrorCode::kUnsupported,
                fmt::format("layer {} makes its keys of another text; other weights and another "
                            "input are for layers that read one text",
                            layer.layer()));
  }
  const std::int64_t model_dim = StackOf(forward->model().description(), layer.part()).model_dim;
  const std::vector<float> rows = InputOf(layer, request, model_dim);
  HEADSCOPE_CHECK(std::ssize(rows) == shape.queries * model_dim,
                  "the layer was captured with what it reads");
  if (request.weights != SplitWeights::kTrained) {
    HEADSCOPE_TRY(
        auto made,
        MakePlainLayer(&forward->backend(), {shape, layer.rule(), model_dim}, rows, request, stop));
    LayerAttention::Content content = made.layer->content();
    content.part = layer.part();
    content.layer = layer.layer();
    made.layer = std::make_shared<const LayerAttention>(std::move(content));
    return made;
  }
  HEADSCOPE_TRY(auto projected, forward->Project({layer.part(), layer.layer()}, rows, stop));
  LayerAttention::Content content = BareContent(shape, layer.rule());
  content.part = layer.part();
  content.layer = layer.layer();
  content.queries = std::move(projected.queries);
  content.keys = std::move(projected.keys);
  content.values = std::move(projected.values);
  return RemadeLayer{std::make_shared<const LayerAttention>(std::move(content)), nullptr};
}

}  // namespace headscope
