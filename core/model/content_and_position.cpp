#include "core/model/content_and_position.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace headscope {
namespace {

constexpr std::int64_t kMostDistance = 65'536;

struct ContentAndPosition {
  bool is_second = false;      // type deberta-v2
  bool meets_keys = false;     // c2p: queries meet the keys of positions
  bool meets_queries = false;  // p2c: keys meet the queries of positions
  bool shares_projections = false;
  bool norms_table = false;
  PositionRowRule rule = {};
};

// Accepts "c2p|p2c" and ["c2p", "p2c"].
Status ReadKinds(const JsonObject& json, ContentAndPosition* parts) {
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
      return json.Refuse(kKey, "c2p, p2c or both, once each");
    }
    is_chosen = true;
  }
  return {};
}

Status ReadTable(const JsonObject& json, std::int64_t positions, ContentAndPosition* parts) {
  HEADSCOPE_TRY(const auto most,
                json.Number("max_relative_positions", -1.0, double{kMostDistance}, -1.0));
  const auto distance = most < 1.0 ? positions : static_cast<std::int64_t>(most);
  if (distance > kMostDistance) {
    return json.Refuse("max_position_embeddings", fmt::format("at most {}", kMostDistance));
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
      return json.Refuse("position_buckets",
                         fmt::format("an even number from 4 to {}, to reach up to {} tokens",
                                     2 * (distance - 2),
                                     distance));
    }
  }
  HEADSCOPE_TRY(const auto norm, json.String("norm_rel_ebd", "none"));
  parts->norms_table = norm.find("layer_norm") != std::string::npos;
  if (!parts->norms_table && norm != "none") {
    return json.Refuse("norm_rel_ebd", "\"none\" or \"layer_norm\"");
  }
  HEADSCOPE_TRY(parts->shares_projections, json.Boolean("share_att_key", false));
  return {};
}

void AddPositionProducts(const ContentAndPosition& parts,
                         const std::string& prefix,
                         LayerDescription* layer) {
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

}  // namespace

Status AddContentAndPosition(const JsonObject& json,
                             bool is_second,
                             double epsilon,
                             ModelDescription* model) {
  ContentAndPosition parts{.is_second = is_second};
  HEADSCOPE_TRY(const auto has_vectors, json.Boolean("relative_attention", false));
  HEADSCOPE_TRY(ReadKinds(json, &parts));
  HEADSCOPE_TRY(ReadTable(json, model->positions, &parts));
  const double kinds = 1.0 + (parts.meets_keys ? 1.0 : 0.0) + (parts.meets_queries ? 1.0 : 0.0);
  for (std::size_t i = 0; i < model->layer.size(); ++i) {
    LayerDescription& layer = model->layer[i];
    layer.rule.scale = 1.0 / std::sqrt(kinds * static_cast<double>(model->head_dim));
    if (has_vectors) {
      AddPositionProducts(parts, fmt::format("encoder.layer.{}.attention.self.", i), &layer);
    }
  }
  if (has_vectors) {
    model->position_vectors = PositionVectorsNeed{
        .table = {"encoder.rel_embeddings.weight", {2 * parts.rule.span, model->model_dim}},
        .rule = parts.rule};
    if (parts.norms_table) {
      model->position_vectors->norm = LayerNorm("encoder.LayerNorm", model->model_dim, epsilon);
    }
  }
  return {};
}

}  // namespace headscope
