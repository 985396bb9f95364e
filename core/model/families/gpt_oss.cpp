// GPT-OSS: Llama's layout with experts; each head has a sink, every second layer a window. The
// experts' matrices lie in one tensor for all, [experts, in, out]; gates and the rest take turns.
//
// Source   OpenAI 2025; tensors as transformers' GptOssModel names them.
#include <fmt/format.h>

#include "core/model/llama_layout.h"

namespace headscope {
extern const Family kGptOssFamily;
namespace {

constexpr double kGateSlope = 1.702;  // quick_gelu's

// The rows of one expert among those of all, or every second of their columns.
LinearNeed ExpertPart(const std::string& name,
                      std::int64_t expert,
                      const LlamaExperts& experts,
                      std::int64_t in,
                      std::int64_t out,
                      std::optional<ColumnPick> columns) {
  const std::int64_t stored = columns ? columns->count * columns->step : out;
  return {.layout = WeightLayout::kInOut,
          .in = in,
          .matrices = {{.weight = {.name = name,
                                   .shape = {experts.count, in, stored},
                                   .rows = RowRange{expert * in, in},
                                   .columns = columns},
                        .bias = TensorNeed{.name = name + "_bias",
                                           .shape = {experts.count, stored},
                                           .rows = RowRange{expert, 1},
                                           .columns = columns}}}};
}

void AddGptOssParts(const LlamaConfig& config, ModelDescription* model) {
  const LlamaExperts& experts = *config.experts;
  const std::int64_t width = config.sizes.model_dim;
  const std::int64_t inner = experts.inner;
  for (std::int64_t index = 0; index < config.sizes.layers; ++index) {
    LayerDescription& layer = model->layer[static_cast<std::size_t>(index)];
    const std::string prefix = fmt::format("layers.{}.", index);
    layer.sinks = TensorNeed{prefix + "self_attn.sinks", {config.sizes.heads}};
    layer.experts->router =
        Product({MatrixPart(prefix + "mlp.router", width, experts.count, HasBias::kYes)});
    for (std::int64_t i = 0; i < experts.count; ++i) {
      const std::string both = prefix + "mlp.experts.gate_up_proj";
      layer.experts->expert[static_cast<std::size_t>(i)] = {
          .up = ExpertPart(both, i, experts, width, inner, ColumnPick{1, inner, 2}),
          .gate = ExpertPart(both, i, experts, width, inner, ColumnPick{0, inner, 2}),
          .down =
              ExpertPart(prefix + "mlp.experts.down_proj", i, experts, inner, width, std::nullopt)};
    }
  }
}

Result<ModelDescription> DescribeGptOss(const JsonObject& json) {
  HEADSCOPE_TRY(auto config,
                ReadLlamaConfig(json,
                                {.kv_heads = 8,
                                 .head_dim = 64,
                                 .positions = 131'072,
                                 .theta = 150'000.0,
                                 .activation = "silu",
                                 .epsilon = 1e-5}));
  HEADSCOPE_TRY(auto experts,
                ReadExperts(json,
                            {.count = "num_local_experts",
                             .inner = "intermediate_size",
                             .usual_count = 128,
                             .usual_chosen = 4,
                             .usual_inner = 2880}));
  HEADSCOPE_TRY(const auto bias, ReadBias(json, "attention_bias", true));
  HEADSCOPE_TRY(const auto slope, json.Number("swiglu_alpha", 0.0, 1000.0, kGateSlope));
  HEADSCOPE_TRY(const auto limit, json.Number("swiglu_limit", 1e-3, 1e9, 7.0));
  if (slope != kGateSlope) {
    return json.Refuse("swiglu_alpha",
                       fmt::format("{}; gates of other slopes do not open", kGateSlope));
  }
  experts.choice.is_normalised = true;
  config.experts = std::move(experts);
  config.query_bias = bias;
  config.output_bias = bias;
  config.activation = ActivationKind::kQuickGelu;
  HEADSCOPE_TRY(ReadIntervalWindows(json, 2, 128, &config));
  ModelDescription model = DescribeLlama(kGptOssFamily.id, config);
  AddGptOssParts(config, &model);
  for (LayerDescription& layer : model.layer) {
    layer.gate_limit = limit;
  }
  return model;
}

}  // namespace

const Family kGptOssFamily = {
    .id = "gpt_oss",
    .describe = DescribeGptOss,
    .prefixes = kLlamaPrefixes,
    .example = R"({"model_type": "gpt_oss", "num_hidden_layers": 3, "num_attention_heads": 4,
                   "num_key_value_heads": 2, "hidden_size": 16, "head_dim": 4,
                   "intermediate_size": 10, "num_local_experts": 3, "num_experts_per_tok": 2,
                   "sliding_window": 4, "swiglu_limit": 0.5, "max_position_embeddings": 16,
                   "vocab_size": 11})",
    .has_packed_experts = true,
};

}  // namespace headscope
