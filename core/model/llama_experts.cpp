// What config.json says of a layer's experts and of its router.
#include <algorithm>

#include <fmt/format.h>

#include "core/base/quote.h"
#include "core/model/llama_layout.h"

namespace headscope {

Result<LlamaExperts> ReadExperts(const JsonObject& json, const ExpertKeys& keys) {
  // transformers 5 writes the second name where older files have their own.
  const std::string_view count_key = json.Has(keys.count) ? keys.count : "num_local_experts";
  HEADSCOPE_TRY(const auto count, json.Integer(count_key, 1, kMaxExperts, keys.usual_count));
  HEADSCOPE_TRY(const auto chosen,
                json.Integer(keys.chosen, 1, count, std::min(keys.usual_chosen, count)));
  HEADSCOPE_TRY(const auto inner, json.Integer(keys.inner, 1, kMaxInnerWidth, keys.usual_inner));
  HEADSCOPE_TRY(const auto is_normalised, json.Boolean("norm_topk_prob", false));
  return LlamaExperts{
      .count = count, .inner = inner, .choice = {.chosen = chosen, .is_normalised = is_normalised}};
}

Result<std::vector<bool>> ReadSparseLayers(const JsonObject& json,
                                           std::int64_t layers,
                                           std::int64_t usual_first) {
  HEADSCOPE_TRY(const auto first,
                json.Integer("first_k_dense_replace", 0, kMaxLayers, usual_first));
  return ReadLayerKinds(json,
                        "mlp_layer_types",
                        {"dense", "sparse"},
                        LayersWhere(layers, [&](auto layer) { return layer >= first; }));
}

Result<std::vector<bool>> ReadSparseSteps(const JsonObject& json, std::int64_t layers) {
  HEADSCOPE_TRY(const auto step, json.Integer("decoder_sparse_step", 1, kMaxLayers, 1));
  HEADSCOPE_TRY(const auto plain,
                ReadLayerNumbers(
                    json, "mlp_only_layers", NumberBeyond::kIgnored, LayersWhere(layers, [](auto) {
                      return false;
                    })));
  return LayersWhere(layers, [&](auto layer) {
    return (layer + 1) % step == 0 && !plain[static_cast<std::size_t>(layer)];
  });
}

Status ReadGroups(const JsonObject& json, LlamaExperts* experts) {
  HEADSCOPE_TRY(const auto groups, json.Integer("n_group", 1, experts->count, 1));
  HEADSCOPE_TRY(const auto chosen, json.Integer("topk_group", 1, groups, 1));
  HEADSCOPE_TRY(const auto is_normalised, json.Boolean("norm_topk_prob", true));
  HEADSCOPE_TRY(const auto factor, json.Number("routed_scaling_factor", -1e6, 1e6, 1.0));
  const std::int64_t size = experts->count / groups;
  if (experts->count % groups != 0 || chosen * size < experts->choice.chosen) {
    return Fail(ErrorCode::kFormat,
                fmt::format("{}: {} experts in {} groups, of which {} are open to a token that has "
                            "{}, expected equal groups with enough of them (\"n_group\", "
                            "\"topk_group\")",
                            json.name(),
                            experts->count,
                            groups,
                            chosen,
                            experts->choice.chosen));
  }
  experts->choice.score = RouterScore::kSigmoid;
  experts->choice.is_normalised = is_normalised;
  experts->choice.factor = factor;
  experts->choice.groups = groups;
  experts->choice.groups_chosen = chosen;
  experts->choice.best_of_group = 2;
  experts->correction = "gate.e_score_correction_bias";
  return {};
}

Status ReadShared(const JsonObject& json,
                  std::string_view key,
                  std::int64_t usual,
                  LlamaExperts* experts) {
  HEADSCOPE_TRY(
      const auto shared,
      json.Integer(key, 0, kMaxInnerWidth / experts->inner, json.IsNull(key) ? 0 : usual));
  experts->shared_inner = shared * experts->inner;
  experts->shared = "shared_experts.";
  experts->shared_gate = {};
  return {};
}

}  // namespace headscope
