#include "core/model/masked_output.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "core/base/quote.h"

namespace headscope {
namespace {

// How a class for masked words names its tensors; `weight` may be missing, where it is the token
// embedding.
struct Names {
  std::string_view product;  // empty: no transform
  std::string_view norm;
  std::string_view weight;
  std::string_view bias;
  bool follows_layers = false;  // the transform has the layers' activation; else the exact gelu
};

constexpr std::array<Names, 9> kMaskedNames = {{
    {"cls.predictions.transform.dense",
     "cls.predictions.transform.LayerNorm",
     "cls.predictions.decoder.weight",
     "cls.predictions.bias",
     true},
    {"cls.predictions.transform.dense",
     "cls.predictions.transform.layer_norm",
     "cls.predictions.decoder.weight",
     "cls.predictions.bias",
     true},
    {"lm_head.dense", "lm_head.layer_norm", "lm_head.decoder.weight", "lm_head.bias"},
    {"lm_head.dense", "lm_head.norm", "lm_head.decoder.weight", "lm_head.decoder.bias", true},
    {"vocab_transform", "vocab_layer_norm", "vocab_projector.weight", "vocab_projector.bias", true},
    {"generator_predictions.dense",
     "generator_predictions.LayerNorm",
     "generator_lm_head.weight",
     "generator_lm_head.bias"},
    {"predictions.dense",
     "predictions.LayerNorm",
     "predictions.decoder.weight",
     "predictions.bias",
     true},
    {"head.dense", "head.norm", "decoder.weight", "decoder.bias"},
    {"", "", "lm_head.weight", "lm_head.bias"},
}};

bool Has(const Model& model, std::string_view name) {
  return model.weights().Find(std::string(name)) != nullptr;
}

const Names* NamesIn(const Model& model) {
  const auto found = std::ranges::find_if(kMaskedNames, [&](const Names& names) {
    return names.product.empty() ? Has(model, names.weight)
                                 : Has(model, fmt::format("{}.weight", names.product)) &&
                                       Has(model, fmt::format("{}.weight", names.norm));
  });
  return found == kMaskedNames.end() ? nullptr : &*found;
}

// The epsilon of the model's own norms of rows.
double EpsilonOf(const ModelDescription& model) {
  const LayerDescription& last = model.layer.back();
  for (const auto& norm :
       {last.mlp_norm.after, last.mlp_norm.before, model.final_norm, model.embedding_norm}) {
    if (norm) {
      return norm->epsilon;
    }
  }
  return NormNeed().epsilon;
}

Status CheckSize(const Model& model, const TensorNeed& need) {
  const TensorView& tensor = *model.weights().Find(need.name);
  return tensor.shape == need.shape ? Status()
                                    : Fail(ErrorCode::kShape,
                                           fmt::format("{}: tensor {} is [{}], expected [{}]",
                                                       model.weights().path().string(),
                                                       Quoted(need.name),
                                                       fmt::join(tensor.shape, ","),
                                                       fmt::join(need.shape, ",")));
}

// Gives a tensor if the file has it.
std::optional<TensorNeed> Given(const Model& model,
                                std::string_view name,
                                std::vector<std::int64_t> shape) {
  return Has(model, name) ? std::optional(TensorNeed{std::string(name), std::move(shape)})
                          : std::nullopt;
}

MaskedOutput::Transform TransformOf(const Model& model, const Names& names, std::int64_t width) {
  const ModelDescription& shape = model.description();
  const std::string product(names.product);
  const std::string norm(names.norm);
  return {
      .product = {.layout = WeightLayout::kOutIn,
                  .in = shape.model_dim,
                  .matrices = {{TensorNeed{product + ".weight", {width, shape.model_dim}},
                                Given(model, product + ".bias", {width})}}},
      .activation = names.follows_layers ? shape.layer.back().activation : ActivationKind::kGelu,
      .norm = {.kind = NormKind::kLayer,
               .weight = {norm + ".weight", {width}},
               .bias = Given(model, norm + ".bias", {width}),
               .epsilon = EpsilonOf(shape)}};
}

}  // namespace

bool IsMasked(const ModelDescription& model) {
  return !model.causal && !model.decoder && !model.reads_embeddings();
}

Result<MaskedOutput> MaskedOutputOf(const Model& model) {
  const ModelDescription& shape = model.description();
  const Names* names = NamesIn(model);
  const std::string file = model.weights().path().string();
  if (names == nullptr) {
    return Fail(
        ErrorCode::kInput,
        fmt::format("{}: the file holds no layer that says the word at a masked place; save "
                    "the model with it (AutoModelForMaskedLM)",
                    file));
  }
  const std::int64_t width = shape.embedding_dim();
  MaskedOutput output;
  if (!names->product.empty()) {
    output.transform = TransformOf(model, *names, width);
    HEADSCOPE_TRY(CheckSize(model, output.transform->norm.weight));
    const LinearNeed::Matrix& product = output.transform->product.matrices.front();
    HEADSCOPE_TRY(CheckSize(model, product.weight));
    for (const auto& bias : {product.bias, output.transform->norm.bias}) {
      HEADSCOPE_TRY(bias ? CheckSize(model, *bias) : Status());
    }
  }
  output.weight = Has(model, names->weight)
                      ? TensorNeed{std::string(names->weight), {shape.vocabulary, width}}
                      : shape.token_embedding;
  HEADSCOPE_TRY(CheckSize(model, output.weight));
  output.bias = Given(model, names->bias, {shape.vocabulary});
  return output;
}

}  // namespace headscope
