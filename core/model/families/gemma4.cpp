// Gemma 4: Gemma 3 with wider heads in layers without a window, norms of values, and in its smaller sizes
// last layers that attend to the keys and values of earlier ones, and a second embedding of each token
// that every layer reads a part of. The sparse size has experts beside each layer's MLP.
//
// Source   Gemma Team 2026, as transformers computes it.
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "core/base/quote.h"
#include "core/model/llama_layout.h"

namespace headscope {
extern const Family kGemma4Family;
namespace {

constexpr std::int64_t kUsualPeriod = 6;

// What layers without a window have in place of "head_dim" and "num_key_value_heads".
struct WideLayers {
  std::int64_t head_dim = 0;
  std::int64_t kv_heads = 0;

  [[nodiscard]] bool operator==(const WideLayers&) const = default;
};

Result<WideLayers> ReadWidths(const JsonObject& json, const StackSizes& sizes, WideLayers usual) {
  for (const JsonField& field : json.Fields()) {
    if (field.key != "head_dim" && field.key != "num_key_value_heads") {
      return Fail(ErrorCode::kUnsupported,
                  fmt::format("{}: {} is there, expected \"head_dim\" and \"num_key_value_heads\" "
                              "alone; layers that differ in more do not open",
                              json.name(),
                              Quoted(field.key)));
    }
  }
  HEADSCOPE_TRY(usual.head_dim, json.Integer("head_dim", 1, kMaxWidth, usual.head_dim));
  HEADSCOPE_TRY(usual.kv_heads,
                json.Integer("num_key_value_heads", 1, sizes.heads, usual.kv_heads));
  return usual;
}

// Newer files list each layer by its number.
Result<WideLayers> ReadWide(const JsonObject& json, bool is_shared, const LlamaConfig& config) {
  const WideLayers usual{config.sizes.head_dim, config.sizes.kv_heads};
  WideLayers wide = usual;
  HEADSCOPE_TRY(const auto list, json.Object("per_layer_config"));
  if (!list) {
    HEADSCOPE_TRY(wide.head_dim, json.Integer("global_head_dim", 1, kMaxWidth, 512));
    if (is_shared && !json.IsNull("num_global_key_value_heads")) {
      HEADSCOPE_TRY(
          wide.kv_heads,
          json.Integer("num_global_key_value_heads", 1, config.sizes.heads, wide.kv_heads));
    }
    return wide;
  }
  for (std::int64_t layer = config.sizes.layers - 1; layer >= 0; --layer) {
    const bool is_wide = config.windows[static_cast<std::size_t>(layer)] == 0;
    HEADSCOPE_TRY(const auto object, list->Object(std::to_string(layer)));
    HEADSCOPE_TRY(const auto own,
                  object ? ReadWidths(*object, config.sizes, usual) : Result<WideLayers>(usual));
    if (layer + 1 == config.sizes.layers) {
      wide = own;
    } else if (own != (is_wide ? wide : usual)) {
      return Fail(ErrorCode::kUnsupported,
                  fmt::format("{}: the heads of layer {} are {} wide (\"per_layer_config\"), "
                              "expected {} as in the other layers of its kind",
                              json.name(),
                              layer,
                              own.head_dim,
                              (is_wide ? wide : usual).head_dim));
    }
  }
  return wide;
}

Status RefuseLookingAhead(const JsonObject& json) {
  const auto sees = json.Value("use_bidirectional_attention");
  if (sees && sees->Text() == "all") {
    return Fail(ErrorCode::kUnsupported,
                fmt::format("{}: \"use_bidirectional_attention\" is \"all\", expected null; models "
                            "of this family that look ahead do not open yet",
                            json.name()));
  }
  return {};
}

// Reads the experts that stand beside the MLP of every layer in the sparse size.
Status ReadBesideExperts(const JsonObject& json, LlamaConfig* config) {
  HEADSCOPE_TRY(const auto has_experts, json.Boolean("enable_moe_block", false));
  if (!has_experts) {
    return {};
  }
  HEADSCOPE_TRY(
      auto experts,
      ReadExperts(
          json,
          {.chosen = "top_k_experts", .usual_count = 128, .usual_chosen = 8, .usual_inner = 704}));
  experts.choice.is_normalised = true;
  experts.has_mlp_too = true;
  experts.block = "";
  experts.router = "router.proj";
  config->experts = std::move(experts);
  return {};
}

// The router reads the stream, and so do the experts, each normed in a way of its own.
void AddBesideNorms(const std::string& prefix, const LlamaConfig& config, LayerDescription* layer) {
  const std::int64_t d = config.sizes.model_dim;
  const auto norm = [&](const char* name) { return RmsNorm(prefix + name, d, config.epsilon); };
  ExpertsDescription& experts = *layer->experts;
  experts.router_norm = norm("router");
  experts.router_norm->weight.name = prefix + "router.scale";
  experts.router_norm->factor = 1.0 / std::sqrt(static_cast<double>(d));
  experts.factors = TensorNeed{prefix + "router.per_expert_scale", {config.experts->count}};
  experts.beside = BesideNorms{.before = norm("pre_feedforward_layernorm_2"),
                               .inside = norm("post_feedforward_layernorm_2"),
                               .mlp = norm("post_feedforward_layernorm_1")};
}

// Adds a token's part to each layer; the unified models have none.
Status AddTokenInputs(const JsonObject& json, const LlamaConfig& config, ModelDescription* model) {
  constexpr const char* kRows = "vocab_size_per_layer_input";
  HEADSCOPE_TRY(const auto type, json.String("model_type"));
  if (type == "gemma4_unified_text") {
    return {};
  }
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
      .norm = RmsNorm("per_layer_projection_norm", width, config.epsilon),
      .factor = std::sqrt(0.5)};
  for (std::size_t i = 0; i < model->layer.size(); ++i) {
    const std::string prefix = fmt::format("layers.{}.", i);
    FurtherMlp further;
    further.norm.inside = RmsNorm(prefix + "post_per_layer_input_norm", d, config.epsilon);
    further.mlp.gate =
        Product({MatrixPart(prefix + "per_layer_input_gate", d, width, HasBias::kNo)});
    further.mlp.down =
        Product({MatrixPart(prefix + "per_layer_projection", width, d, HasBias::kNo)});
    model->layer[i].further_mlps.push_back(std::move(further));
  }
  return {};
}

// Values are made by the matrix of keys.
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

// The last layers take keys and values of the last layer of their kind before them.
Status ShareKeys(const JsonObject& json, std::int64_t shared, ModelDescription* model) {
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

Result<ModelDescription> DescribeGemma4(const JsonObject& json) {
  HEADSCOPE_TRY(auto config,
                ReadLlamaConfig(json,
                                {.heads = 8,
                                 .kv_heads = 4,
                                 .vocabulary = 262'144,
                                 .head_dim = 256,
                                 .positions = 131'072,
                                 .theta = 1e6,
                                 .activation_key = "hidden_activation",
                                 .activation = "gelu_pytorch_tanh",
                                 .is_tied = true,
                                 .rotary_layers = "full_attention"}));
  HEADSCOPE_TRY(RefuseLookingAhead(json));
  HEADSCOPE_TRY(ReadBesideExperts(json, &config));
  HEADSCOPE_TRY(config.query_bias, ReadBias(json, "attention_bias", false));
  HEADSCOPE_TRY(config.logit_cap, ReadLogitCap(json, 0.0));
  HEADSCOPE_TRY(ReadIntervalWindows(json, kUsualPeriod, 512, &config));
  HEADSCOPE_TRY(ReadWindowRotary(json, "rope_theta", kUsualRotaryBase, &config));
  HEADSCOPE_TRY(const auto is_shared, json.Boolean("attention_k_eq_v", false));
  HEADSCOPE_TRY(const auto is_doubled, json.Boolean("use_double_wide_mlp", false));
  HEADSCOPE_TRY(const auto shared,
                json.Integer("num_kv_shared_layers", 0, config.sizes.layers - 1, 0));
  config.windows.back() = 0;  // whatever is listed
  config.output_bias = config.query_bias;
  config.query_key_norm = QueryKeyNorm::kEachHead;
  config.norms = NormPlacing::kBeforeAndInside;
  config.embedding_scale = std::sqrt(static_cast<double>(config.sizes.model_dim));
  config.scale = 1.0;
  HEADSCOPE_TRY(const auto wide, ReadWide(json, is_shared, config));
  const std::int64_t stored = config.sizes.kv_heads;
  const std::int64_t most = std::max(stored, wide.kv_heads);
  if (most % stored != 0 || most % wide.kv_heads != 0 || config.sizes.heads % most != 0) {
    return Fail(ErrorCode::kFormat,
                fmt::format("{}: layers have {} and {} key and value heads for {} heads, expected "
                            "each to be a multiple of the one before",
                            json.name(),
                            std::min(stored, wide.kv_heads),
                            most,
                            config.sizes.heads));
  }
  HEADSCOPE_TRY(const auto rotary,
                ReadRotary(json,
                           {.head_dim = wide.head_dim,
                            .positions = config.sizes.positions,
                            .theta = 1e6,
                            .partial_factor = json.Has("rope_parameters") ? 1.0 : 0.25,
                            .layer_type = "full_attention",
                            .scaling = json.Has("rope_parameters") ? "default" : "proportional"}));
  config.rotary = rotary.rule;
  config.sizes.kv_heads = most;
  for (const std::int64_t window : config.windows) {
    config.stored_keys.push_back(window > 0 ? stored : wide.kv_heads);
  }
  ModelDescription model = DescribeLlama(kGemma4Family.id, config);
  for (std::size_t i = 0; i < model.layer.size(); ++i) {
    const bool is_wide = config.windows[i] == 0;
    LlamaConfig own = config;
    own.sizes.head_dim = is_wide ? wide.head_dim : config.sizes.head_dim;
    if (is_doubled && std::ssize(model.layer) - static_cast<std::int64_t>(i) <= shared) {
      own.sizes.inner *= 2;
    }
    LayerDescription& layer = model.layer[i] = LlamaLayer(i, own);
    layer.own_heads = HeadWidths{own.sizes.head_dim, own.sizes.head_dim};
    layer.value_norm = RmsNorm("", own.sizes.head_dim, config.epsilon);
    layer.value_norm->weight.name.clear();
    layer.stream_factor =
        TensorNeed{.name = fmt::format("layers.{}.layer_scalar", i), .shape = {1}};
    if (config.experts) {
      AddBesideNorms(fmt::format("layers.{}.", i), config, &layer);
    }
    if (is_shared && is_wide) {
      UseKeysAsValues(&layer);
    }
  }
  HEADSCOPE_TRY(ShareKeys(json, shared, &model));
  HEADSCOPE_TRY(AddTokenInputs(json, config, &model));
  return model;
}

}  // namespace

const Family kGemma4Family = {
    .id = "gemma4_text",
    .other_types = "gemma4_unified_text",
    .describe = DescribeGemma4,
    .prefixes = kLlamaPrefixes,
    .example = R"({"model_type": "gemma4_text", "num_hidden_layers": 4, "num_attention_heads": 4,
                   "num_key_value_heads": 2, "hidden_size": 12, "head_dim": 6,
                   "global_head_dim": 8, "num_kv_shared_layers": 1, "use_double_wide_mlp": true,
                   "sliding_window": 5, "layer_types": ["sliding_attention", "full_attention",
                   "sliding_attention", "full_attention"], "hidden_size_per_layer_input": 5,
                   "vocab_size_per_layer_input": 11, "intermediate_size": 10,
                   "max_position_embeddings": 16, "vocab_size": 11})",
};

}  // namespace headscope
