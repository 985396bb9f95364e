#include "core/model/gemma_parts.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace headscope {
namespace {

Result<WideLayers> ReadWidths(const JsonObject& json, const StackSizes& sizes, WideLayers usual) {
  for (const JsonField& field : json.Fields()) {
    if (field.key != "head_dim" && field.key != "num_key_value_heads") {
      return json.Refuse(field.key,
                         "only \"head_dim\" and \"num_key_value_heads\" there; layers that differ "
                         "in more do not open");
    }
  }
  HEADSCOPE_TRY(usual.head_dim, json.Integer("head_dim", 1, kMaxWidth, usual.head_dim));
  HEADSCOPE_TRY(usual.kv_heads,
                json.Integer("num_key_value_heads", 1, sizes.heads, usual.kv_heads));
  return usual;
}

// Newer files list each layer by its number.
Result<WideLayers> ReadListed(const JsonObject& list,
                              const WideLayers& usual,
                              const LlamaConfig& config) {
  WideLayers wide = usual;
  for (std::int64_t layer = config.sizes.layers - 1; layer >= 0; --layer) {
    const bool is_wide = config.windows[static_cast<std::size_t>(layer)] == 0;
    HEADSCOPE_TRY(const auto object, list.Object(std::to_string(layer)));
    HEADSCOPE_TRY(const auto own,
                  object ? ReadWidths(*object, config.sizes, usual) : Result<WideLayers>(usual));
    if (layer + 1 == config.sizes.layers) {
      wide = own;
    } else if (own != (is_wide ? wide : usual)) {
      return Fail(ErrorCode::kUnsupported,
                  fmt::format("{}: the heads of layer {} are {} wide, "
                              "expected {} as in the other layers of its kind",
                              list.name(),
                              layer,
                              own.head_dim,
                              (is_wide ? wide : usual).head_dim));
    }
  }
  return wide;
}

}  // namespace

Result<WideLayers> ReadWideLayers(const JsonObject& json,
                                  bool is_shared,
                                  const LlamaConfig& config) {
  const StackSizes& sizes = config.sizes;
  WideLayers wide{sizes.head_dim, sizes.kv_heads};
  HEADSCOPE_TRY(const auto list, json.Object("per_layer_config"));
  if (list) {
    HEADSCOPE_TRY(wide, ReadListed(*list, wide, config));
  } else {
    constexpr const char* kKeys = "num_global_key_value_heads";
    HEADSCOPE_TRY(wide.head_dim, json.Integer("global_head_dim", 1, kMaxWidth, 512));
    if (is_shared && !json.IsNull(kKeys)) {
      HEADSCOPE_TRY(wide.kv_heads, json.Integer(kKeys, 1, sizes.heads, wide.kv_heads));
    }
  }
  const std::int64_t stored = sizes.kv_heads;
  const std::int64_t most = std::max(stored, wide.kv_heads);
  if (most % stored != 0 || most % wide.kv_heads != 0 || sizes.heads % most != 0) {
    return Fail(ErrorCode::kFormat,
                fmt::format("{}: layers have {} and {} key and value heads for {} heads, expected "
                            "each to be a multiple of the one before",
                            json.name(),
                            std::min(stored, wide.kv_heads),
                            most,
                            sizes.heads));
  }
  return wide;
}

void UseKeysAsValues(LayerDescription* layer) {
  for (LinearNeed::Matrix& part : layer->query_key_value.matrices) {
    for (TensorNeed* need : {&part.weight, part.bias ? &*part.bias : nullptr}) {
      const std::size_t at = need == nullptr ? std::string::npos : need->name.find(".v_proj.");
      if (at != std::string::npos) {
        need->name.replace(at, 3, ".k_");
      }
    }
  }
}

Status ShareLastKeys(const JsonObject& json, std::int64_t shared, ModelDescription* model) {
  const std::int64_t first = model->layers - shared;
  for (std::int64_t i = first; i < model->layers; ++i) {
    LayerDescription& layer = model->layer[static_cast<std::size_t>(i)];
    std::int64_t source = first - 1;
    while (source >= 0 && (model->layer[static_cast<std::size_t>(source)].rule.window == 0) !=
                              (layer.rule.window == 0)) {
      --source;
    }
    if (source < 0) {
      return Fail(ErrorCode::kFormat,
                  fmt::format("{}: layer {} takes its keys from an earlier layer "
                              "(\"num_kv_shared_layers\" is {}), expected one of its kind before "
                              "layer {}",
                              json.name(),
                              i,
                              shared,
                              first));
    }
    layer.keys_of = source;
    layer.query_key_value.matrices.resize(1);
    layer.key_norm.reset();
    layer.value_norm.reset();
    for (const char* name : {"k_proj", "v_proj", "k_norm", "v_norm"}) {
      model->unread.push_back(fmt::format("layers.{}.self_attn.{}", i, name));
    }
  }
  return {};
}

Status AddTokenInputs(const JsonObject& json, double epsilon, ModelDescription* model) {
  constexpr const char* kRows = "vocab_size_per_layer_input";
  HEADSCOPE_TRY(const auto width,
                json.Integer("hidden_size_per_layer_input", 0, kMaxInnerWidth, 256));
  HEADSCOPE_TRY(const auto rows,
                json.Integer(kRows, width > 0 ? model->vocabulary : 0, kMaxVocabulary, 262'144));
  if (width == 0) {
    return {};
  }
  model->note =
      "Every layer reads a part of its own of each token, beside the stream: a stream that is patched "
      "takes over what was written into it, not that part.";
  const std::int64_t d = model->model_dim;
  const std::int64_t all = model->layers * width;
  model->token_inputs = TokenInputs{
      .table = {.name = "embed_tokens_per_layer.weight", .shape = {rows, all}},
      .table_factor = std::sqrt(static_cast<double>(width)),
      .projection = Product({MatrixPart("per_layer_model_projection", d, all, HasBias::kNo)}),
      .projection_factor = 1.0 / std::sqrt(static_cast<double>(d)),
      .norm = RmsNorm("per_layer_projection_norm", width, epsilon),
      .factor = std::sqrt(0.5)};
  for (std::size_t i = 0; i < model->layer.size(); ++i) {
    const std::string prefix = fmt::format("layers.{}.", i);
    FurtherMlp further;
    further.norm.inside = RmsNorm(prefix + "post_per_layer_input_norm", d, epsilon);
    further.mlp.gate =
        Product({MatrixPart(prefix + "per_layer_input_gate", d, width, HasBias::kNo)});
    further.mlp.down =
        Product({MatrixPart(prefix + "per_layer_projection", width, d, HasBias::kNo)});
    model->layer[i].further_mlps.push_back(std::move(further));
  }
  return {};
}

}  // namespace headscope
