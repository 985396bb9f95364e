// Jina embeddings 2: BERT without positions but a slope on the scores to both sides (ALiBi), and with a
// gated MLP. Their config.json calls them BERT.
//
// Source   Günther 2023; tensors as the files on the Hub name them, matrices [out, in]; GGUF keeps what
//          gates apart from what is gated.
#include <array>
#include <utility>

#include <fmt/format.h>

#include "core/base/quote.h"
#include "core/model/bert_layout.h"

namespace headscope {
extern const Family kJinaBertFamily;
namespace {

constexpr std::array<std::string_view, 2> kJinaPrefixes = {"bert.", ""};

struct GateRule {
  ActivationKind activation = ActivationKind::kGelu;
  bool is_apart = false;  // two matrices, not one
};

Result<GateRule> ReadGate(const JsonObject& json) {
  HEADSCOPE_TRY(const auto type, json.String("feed_forward_type"));
  HEADSCOPE_TRY(const auto is_apart, json.Boolean("gate_is_apart", false));
  if (type != "geglu" && type != "reglu") {
    return Fail(
        ErrorCode::kUnsupported,
        fmt::format("{}: \"feed_forward_type\" is {}, expected \"geglu\" or \"reglu\"; other "
                    "MLPs of Jina's do not open",
                    json.name(),
                    Quoted(type)));
  }
  return GateRule{type == "geglu" ? ActivationKind::kGelu : ActivationKind::kRelu, is_apart};
}

void UseGatedMlp(const std::string& mlp, const GateRule& rule, LayerDescription* layer) {
  const std::int64_t width = layer->mlp_up.in;
  const std::int64_t inner = layer->mlp_down.in;
  if (rule.is_apart) {
    layer->mlp_gate = Product({MatrixPart(mlp + "gate", width, inner, HasBias::kNo)});
    layer->mlp_up = Product({MatrixPart(mlp + "up", width, inner, HasBias::kNo)});
  } else {
    const auto both = MatrixPart(mlp + "gated_layers", width, 2 * inner, HasBias::kNo);
    layer->mlp_gate = Product({RowsOf(both, 0, inner)});
    layer->mlp_up = Product({RowsOf(both, inner, inner)});
  }
  layer->mlp_down = Product({MatrixPart(mlp + "wo", inner, width, HasBias::kYes)});
  layer->mlp_norm.after = LayerNorm(mlp + "layernorm", width, layer->mlp_norm.after->epsilon);
  layer->activation = rule.activation;
}

Result<ModelDescription> DescribeJinaBert(const JsonObject& json) {
  HEADSCOPE_TRY(const auto gate, ReadGate(json));
  HEADSCOPE_TRY(
      auto model,
      DescribeBertLayout(json, {.family = kJinaBertFamily.id, .decides_positions = true}));
  model.position_scheme = PositionScheme::kNone;
  model.position_embedding.reset();
  const auto bias = AlibiBias(model.heads, 1.0);
  for (std::size_t layer = 0; layer < model.layer.size(); ++layer) {
    model.layer[layer].rule.bias = bias;
    UseGatedMlp(fmt::format("encoder.layer.{}.mlp.", layer), gate, &model.layer[layer]);
  }
  return model;
}

}  // namespace

const Family kJinaBertFamily = {
    .id = "jina_bert",
    .describe = DescribeJinaBert,
    .prefixes = kJinaPrefixes,
    .example = R"({"model_type": "jina_bert", "num_hidden_layers": 3, "num_attention_heads": 3,
                   "hidden_size": 12, "intermediate_size": 10, "max_position_embeddings": 16,
                   "type_vocab_size": 2, "vocab_size": 11, "feed_forward_type": "geglu"})",
};

}  // namespace headscope
