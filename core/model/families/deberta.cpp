// DeBERTa: BERT whose scores are sums of content with content, the query's content with the key's
// relative position and the key's content with the query's. Version 3's files are of version 2's
// type; there, far positions share rows of the table, and content may lend its projections.
//
// Source   He 2021 (versions 1 and 2), He 2023 (version 3); tensors as transformers' DebertaModel and
//          DebertaV2Model name them.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "core/base/quote.h"
#include "core/model/bert_layout.h"

namespace headscope {
extern const Family kDebertaFamily;
namespace {

constexpr std::array<std::string_view, 2> kDebertaPrefixes = {"deberta.", ""};
constexpr std::array<OtherName, 3> kDebertaNames = {
    {{"attention.self.query.", "attention.self.query_proj."},
     {"attention.self.key.", "attention.self.key_proj."},
     {"attention.self.value.", "attention.self.value_proj."}}};
// Parts that only pretraining uses, and a table that version 3 saved and does not read.
constexpr std::array<std::string_view, 3> kDebertaUnread = {
    "mask_predictions.", "lm_predictions.", "embeddings.position_embeddings."};
constexpr std::int64_t kMostDistance = 65'536;

struct PositionParts {
  bool is_second = false;  // type deberta-v2
  bool has_vectors = false;
  bool meets_keys = false;     // c2p: queries meet the keys of positions
  bool meets_queries = false;  // p2c: keys meet the queries of positions
  bool shares_projections = false;
  bool norms_table = false;
  PositionRowRule rule = {};
};

tl::unexpected<Error> RefuseKey(const JsonObject& json,
                                std::string_view key,
                                std::string_view what) {
  return Fail(ErrorCode::kUnsupported,
              fmt::format("{}: {} is {}, expected {}",
                          json.name(),
                          Quoted(key),
                          json.Value(key) ? json.Value(key)->Minified() : std::string("missing"),
                          what));
}

// Accepts "c2p|p2c" and ["c2p", "p2c"].
Status ReadKinds(const JsonObject& json, PositionParts* parts) {
  constexpr const char* kKey = "pos_att_type";
  const std::optional<JsonValue> value = json.Value(kKey);
  if (!value || value->is_null()) {
    return {};
  }
  std::string text = value->Text() ? std::string(*value->Text()) : std::string();
  if (const auto list = value->Array()) {
    for (const JsonValue& item : *list) {
      text += std::string(item.Text().value_or("?")) + "|";
    }
  }
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('|', at), text.size());
    const std::string_view kind = std::string_view(text).substr(at, end - at);
    at = end + 1;
    bool& is_chosen = kind == "c2p" ? parts->meets_keys : parts->meets_queries;
    if ((kind != "c2p" && kind != "p2c") || is_chosen) {
      return RefuseKey(json, kKey, "c2p, p2c or both, once each");
    }
    is_chosen = true;
  }
  return {};
}

Status ReadTable(const JsonObject& json, const ModelDescription& model, PositionParts* parts) {
  const auto positions = static_cast<double>(model.positions);
  HEADSCOPE_TRY(const auto most,
                json.Number("max_relative_positions", -1.0, double{kMostDistance}, -1.0));
  const auto distance = static_cast<std::int64_t>(most < 1.0 ? positions : most);
  if (distance > kMostDistance) {
    return RefuseKey(json, "max_position_embeddings", fmt::format("at most {}", kMostDistance));
  }
  parts->rule = {.span = distance, .has_buckets = false, .max_distance = distance};
  if (!parts->is_second) {
    return {};
  }
  HEADSCOPE_TRY(const auto buckets,
                json.Number("position_buckets", -1.0, double{kMostDistance}, -1.0));
  if (buckets >= 1.0) {
    parts->rule.span = static_cast<std::int64_t>(buckets);
    parts->rule.has_buckets = true;
    // Otherwise no distance lies between the exact buckets and the last one.
    if (buckets < 4.0 || parts->rule.span % 2 != 0 || distance - 1 <= parts->rule.span / 2) {
      return RefuseKey(json,
                       "position_buckets",
                       fmt::format("an even number from 4 to {}, to reach up to {} tokens",
                                   2 * (distance - 2),
                                   distance));
    }
  }
  HEADSCOPE_TRY(const auto norm, json.String("norm_rel_ebd", "none"));
  parts->norms_table = norm.find("layer_norm") != std::string::npos;
  if (!parts->norms_table && norm != "none") {
    return RefuseKey(json, "norm_rel_ebd", "\"none\" or \"layer_norm\"");
  }
  HEADSCOPE_TRY(const auto shares, json.Boolean("share_att_key", false));
  parts->shares_projections = shares;
  return {};
}

Status RefuseOtherDebertas(const JsonObject& json) {
  HEADSCOPE_TRY(const auto mixes_heads, json.Boolean("talking_head", false));
  if (mixes_heads) {
    return RefuseKey(json, "talking_head", "false; heads that mix their scores do not open");
  }
  for (const char* key : {"embedding_size", "attention_head_size"}) {
    HEADSCOPE_TRY(const auto width, json.Integer("hidden_size", 1, kMaxWidth));
    HEADSCOPE_TRY(const auto heads, json.Integer("num_attention_heads", 1, kMaxWidth));
    const std::int64_t usual = key[0] == 'e' ? width : width / heads;
    HEADSCOPE_TRY(const auto own, json.Integer(key, 1, kMaxWidth, usual));
    if (own != usual) {
      return RefuseKey(json, key, fmt::format("{}, as the model's width says", usual));
    }
  }
  return {};
}

// The first version joins queries, keys and values head by head; only queries and values have a
// bias.
LinearNeed JoinedProduct(const std::string& prefix, const ModelDescription& model) {
  const std::int64_t width = model.model_dim;
  LinearNeed product{.layout = WeightLayout::kOutIn, .in = width, .matrices = {}};
  constexpr std::array<std::string_view, 3> kBiases = {"q_bias", "", "v_bias"};
  for (std::int64_t kind = 0; kind < 3; ++kind) {
    const std::string_view bias = kBiases[static_cast<std::size_t>(kind)];
    for (std::int64_t head = 0; head < model.heads; ++head) {
      LinearNeed::Matrix part{
          .weight = {.name = prefix + "in_proj.weight",
                     .shape = {3 * width, width},
                     .rows = RowRange{(3 * head + kind) * model.head_dim, model.head_dim}},
          .bias = std::nullopt};
      if (!bias.empty()) {
        part.bias = TensorNeed{.name = prefix + std::string(bias),
                               .shape = {width},
                               .rows = RowRange{head * model.head_dim, model.head_dim}};
      }
      product.matrices.push_back(std::move(part));
    }
  }
  return product;
}

void AddPositions(const PositionParts& parts, const std::string& prefix, LayerDescription* layer) {
  const LinearNeed& content = layer->query_key_value;
  const std::int64_t width = content.in;
  const auto shared = [&](std::size_t at) {
    return LinearNeed{
        .layout = WeightLayout::kOutIn, .in = width, .matrices = {content.matrices[at]}};
  };
  const auto own = [&](const std::string& name, HasBias bias) {
    return Product({MatrixPart(prefix + name, width, width, bias)});
  };
  if (parts.meets_keys) {
    layer->position_key = parts.shares_projections ? shared(1)
                          : parts.is_second        ? own("pos_key_proj", HasBias::kYes)
                                                   : own("pos_proj", HasBias::kNo);
  }
  if (parts.meets_queries) {
    layer->position_query = parts.shares_projections ? shared(0)
                            : parts.is_second        ? own("pos_query_proj", HasBias::kYes)
                                                     : own("pos_q_proj", HasBias::kYes);
  }
}

// In larger models of version 2, a convolution over the inputs of the first layer.
Status AddConvolution(const JsonObject& json, double epsilon, ModelDescription* model) {
  HEADSCOPE_TRY(const auto taps, json.Integer("conv_kernel_size", 0, 63, 0));
  HEADSCOPE_TRY(const auto groups, json.Integer("conv_groups", 1, kMaxWidth, 1));
  if (taps == 0) {
    return {};
  }
  if (taps % 2 == 0 || groups != 1) {
    return Fail(
        ErrorCode::kUnsupported,
        fmt::format("{}: \"conv_kernel_size\" is {} and \"conv_groups\" {}, expected an odd "
                    "number and 1; other convolutions do not open",
                    json.name(),
                    taps,
                    groups));
  }
  HEADSCOPE_TRY(const auto activation, ReadActivation(json, "conv_act", "tanh"));
  const std::int64_t width = model->model_dim;
  const std::string name = "encoder.conv.";
  NeighbourProducts added{.products = {},
                          .activation = activation,
                          .norm = LayerNorm(name + "LayerNorm", width, epsilon)};
  for (std::int64_t tap = 0; tap < taps; ++tap) {
    LinearNeed::Matrix part = {{.name = name + "conv.weight", .shape = {width, width, taps}}, {}};
    part.weight.tap = tap;
    if (tap == taps / 2) {
      part.bias = TensorNeed{name + "conv.bias", {width}};
    }
    added.products.push_back({.in = width, .matrices = {std::move(part)}});
  }
  model->layer.front().neighbours = std::move(added);
  return {};
}

Result<ModelDescription> DescribeDeberta(const JsonObject& json) {
  HEADSCOPE_TRY(const auto type, json.String("model_type"));
  HEADSCOPE_TRY(RefuseOtherDebertas(json));
  HEADSCOPE_TRY(const auto token_types, json.Integer("type_vocab_size", 0, kMaxVocabulary, 0));
  HEADSCOPE_TRY(const auto adds_positions, json.Boolean("position_biased_input", true));
  HEADSCOPE_TRY(const auto has_vectors, json.Boolean("relative_attention", false));
  PositionParts parts{.is_second = type == "deberta-v2", .has_vectors = has_vectors};
  BertLayout layout{.family = kDebertaFamily.id, .names = {}, .unread = {}};
  layout.has_token_types = token_types > 0;
  layout.epsilon = 1e-7;
  layout.names =
      parts.is_second ? std::span<const OtherName>(kDebertaNames) : std::span<const OtherName>();
  layout.unread = std::span(kDebertaUnread).first(adds_positions ? 2 : 3);
  HEADSCOPE_TRY(auto model, DescribeBertLayout(json, layout));
  HEADSCOPE_TRY(ReadKinds(json, &parts));
  HEADSCOPE_TRY(ReadTable(json, model, &parts));
  const double kinds = 1.0 + (parts.meets_keys ? 1.0 : 0.0) + (parts.meets_queries ? 1.0 : 0.0);
  for (std::size_t i = 0; i < model.layer.size(); ++i) {
    const std::string prefix = fmt::format("encoder.layer.{}.attention.self.", i);
    LayerDescription& layer = model.layer[i];
    layer.rule.scale = 1.0 / std::sqrt(kinds * static_cast<double>(model.head_dim));
    if (!parts.is_second) {
      layer.query_key_value = JoinedProduct(prefix, model);
    }
    if (parts.has_vectors) {
      AddPositions(parts, prefix, &layer);
    }
  }
  if (parts.has_vectors) {
    model.position_vectors = PositionVectorsNeed{
        .table = {"encoder.rel_embeddings.weight", {2 * parts.rule.span, model.model_dim}},
        .rule = parts.rule};
    if (parts.norms_table) {
      HEADSCOPE_TRY(const auto epsilon, json.Number("layer_norm_eps", 0.0, 1000.0, layout.epsilon));
      model.position_vectors->norm = LayerNorm("encoder.LayerNorm", model.model_dim, epsilon);
    }
  }
  if (parts.is_second) {
    HEADSCOPE_TRY(const auto epsilon, json.Number("layer_norm_eps", 0.0, 1000.0, layout.epsilon));
    HEADSCOPE_TRY(AddConvolution(json, epsilon, &model));
  }
  if (!adds_positions) {
    model.position_scheme = PositionScheme::kNone;
    model.position_embedding.reset();
    model.positions = kMaxPositions;  // distances have no maximum
  }
  return model;
}

}  // namespace

const Family kDebertaFamily = {
    .id = "deberta",
    .other_types = "deberta-v2",
    .describe = DescribeDeberta,
    .prefixes = kDebertaPrefixes,
    .example = R"({"model_type": "deberta-v2", "num_hidden_layers": 3, "num_attention_heads": 3,
                   "hidden_size": 12, "intermediate_size": 10, "max_position_embeddings": 18,
                   "vocab_size": 11, "relative_attention": true, "pos_att_type": "c2p|p2c",
                   "position_buckets": 6, "norm_rel_ebd": "layer_norm", "share_att_key": true,
                   "position_biased_input": false})",
};

}  // namespace headscope
