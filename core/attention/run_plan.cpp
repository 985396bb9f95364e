#include "core/attention/run_plan.h"

#include <algorithm>
#include <utility>

#include "core/attention/thumbnail_builder.h"

namespace headscope {
namespace {

using Layers = std::vector<KeptLayer>;

bool HaveRows(const Layers& layers, std::int64_t rows) {
  return std::ranges::all_of(
      layers, [&](const KeptLayer& layer) { return layer.attention->shape().queries == rows; });
}

// Layers shortened to the new text's length would be views of the old one: so the last token is run
// again, which makes the layers as always.
std::int64_t TokensToKeep(std::int64_t shared, std::int64_t tokens) {
  return std::min(shared, tokens - 1);
}

std::vector<PastLayer> PastOf(const Layers& layers,
                              std::int64_t kept,
                              std::int64_t queries,
                              bool is_cross,
                              std::int64_t thumbnail_size) {
  std::vector<PastLayer> past;
  for (const KeptLayer& layer : layers) {
    const LayerAttention::Content& content = layer.attention->content();
    AttentionShape shape = content.shape;
    shape.queries = queries;
    shape.keys = is_cross ? shape.keys : queries;
    past.push_back({.queries = content.queries,
                    .keys = content.keys,
                    .values = *layer.values,
                    .watched = FirstRowNeeded(shape, thumbnail_size, content.shape, kept)});
  }
  return past;
}

void GiveWanted(const Layers& layers, const CaptureOptions& options, RunPlan* plan) {
  for (const KeptLayer& layer : layers) {
    if (Wants(options, {layer.attention->part(), layer.attention->layer()})) {
      plan->done.push_back(layer.attention);
    }
  }
}

// Plans a model with one stack, or an encoder.
void PlanText(const ModelDescription& model,
              const CaptureOptions& options,
              LayerId last,
              const AttentionHistory& history,
              RunPlan* plan) {
  KeptLayers kept = history.Find(model, *plan->input, last, options.thumbnail_size);
  const std::int64_t tokens = plan->text_tokens;
  if (kept.tokens == 0) {
    return;
  }
  if (kept.tokens == tokens && HaveRows(kept.layers, tokens)) {
    GiveWanted(kept.layers, options, plan);
    plan->is_done = true;
    return;
  }
  plan->own = std::move(kept.layers);
  plan->past.tokens = TokensToKeep(kept.tokens, tokens);
  plan->past.own = PastOf(plan->own, plan->past.tokens, tokens, false, options.thumbnail_size);
}

// Plans a decoder whose source has not changed.
void PlanTarget(const ModelDescription& model,
                const CaptureOptions& options,
                LayerId last,
                const AttentionHistory& history,
                RunPlan* plan) {
  const auto find = [&](ModelPart part, std::int64_t layer) {
    return history.Find(model, *plan->input, {part, layer}, options.thumbnail_size);
  };
  const bool ends_in_cross = last.part == ModelPart::kCross;
  KeptLayers cross = find(ModelPart::kCross, ends_in_cross ? last.layer : last.layer - 1);
  KeptLayers encoder;
  if (!options.part) {
    encoder = find(ModelPart::kEncoder, std::min(options.last_layer, model.layers - 1));
  }
  if (cross.layers.empty() || (!options.part && encoder.tokens < plan->text_tokens)) {
    return;
  }
  GiveWanted(encoder.layers, options, plan);
  KeptLayers own = find(ModelPart::kDecoder, last.layer);
  const auto tokens = static_cast<std::int64_t>(plan->input->target_ids.size());
  const std::int64_t shared = std::min(own.tokens, cross.tokens);
  plan->own = std::move(own.layers);
  plan->cross = std::move(cross.layers);
  if (shared == tokens && HaveRows(plan->own, tokens) && HaveRows(plan->cross, tokens)) {
    for (std::size_t layer = 0; layer < plan->own.size(); ++layer) {
      GiveWanted({plan->own[layer]}, options, plan);
      if (layer < plan->cross.size()) {
        GiveWanted({plan->cross[layer]}, options, plan);
      }
    }
    plan->is_done = true;
    return;
  }
  plan->past.tokens = TokensToKeep(shared, tokens);
  plan->past.own = PastOf(plan->own, plan->past.tokens, tokens, false, options.thumbnail_size);
  plan->past.cross = PastOf(plan->cross, plan->past.tokens, tokens, true, options.thumbnail_size);
}

}  // namespace

std::int64_t RunPlan::Queries(ModelPart part) const {
  return HasTargetQueries(part) ? static_cast<std::int64_t>(input->target_ids.size()) : text_tokens;
}

const LayerAttention* RunPlan::Before(LayerId layer) const {
  const Layers& part = layer.part == ModelPart::kCross ? cross : own;
  return past.tokens == 0 ? nullptr : part[static_cast<std::size_t>(layer.layer)].attention.get();
}

RunPlan PlanRun(const ModelDescription& model,
                const ForwardInput& input,
                const CaptureOptions& options,
                LayerId last,
                const AttentionHistory* history) {
  RunPlan plan;
  plan.input = std::make_shared<const ForwardInput>(input);
  plan.text_tokens = TokenCount(model, input);
  if (history == nullptr) {
    return plan;
  }
  if (HasTargetQueries(last.part)) {
    PlanTarget(model, options, last, *history, &plan);
  } else {
    PlanText(model, options, last, *history, &plan);
  }
  return plan;
}

}  // namespace headscope
