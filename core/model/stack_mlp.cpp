// A layer's MLP, after the attention's result is added or beside it.
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "core/model/stack_pass.h"

namespace headscope {
namespace {

bool JoinsNext(const LayerDescription& layer) {
  return layer.experts && layer.experts->joins_next;
}

bool HasMlpToo(const ExpertsDescription& experts) {
  return experts.joins_next || experts.beside;
}

}  // namespace

Status StackPass::Activate(const LayerDescription& layer, Activations* inout) {
  if (!layer.xielu) {
    backend_.Activate(layer.activation, inout);
    return {};
  }
  HEADSCOPE_TRY(const auto learnt, weights_.Get(*layer.xielu));
  backend_.Activate(learnt, inout);
  return {};
}

Status StackPass::ApplyMlp(const LayerDescription& layer,
                           const LinearNeed& up,
                           const std::optional<LinearNeed>& gate,
                           const LinearNeed& down,
                           const Activations& in,
                           ActivationsPtr* out) {
  HEADSCOPE_TRY(Apply(up, in, &up_));
  if (gate) {
    HEADSCOPE_TRY(Apply(*gate, in, &gate_));
    if (const double limit = layer.gate_limit; limit > 0.0) {
      constexpr auto kLeast = static_cast<double>(std::numeric_limits<float>::lowest());
      backend_.Clamp(kLeast, limit, 0.0, gate_.get());
      backend_.Clamp(-limit, limit, 1.0, up_.get());
    }
    HEADSCOPE_TRY(Activate(layer, gate_.get()));
    backend_.Multiply(*gate_, up_.get());
  } else {
    HEADSCOPE_TRY(Activate(layer, up_.get()));
  }
  HEADSCOPE_TRY(Norm(layer.mlp_inner_norm, *up_, up_.get()));
  HEADSCOPE_TRY(Stopped());
  return Apply(down, *up_, out);
}

// Adds what an MLP behind the layer's own makes.
Status StackPass::AddFurther(std::int64_t index, const FurtherMlp& further) {
  const LayerDescription& layer = model_.layer[static_cast<std::size_t>(index)];
  const MlpNeeds& mlp = further.mlp;
  HEADSCOPE_TRY(Norm(further.norm.before, *hidden_, normed_.get()));
  const Activations& in = further.norm.before ? *normed_ : *hidden_;
  HEADSCOPE_TRY(mlp.up.matrices.empty() ? ApplyToTokens(index, mlp, in)
                                        : ApplyMlp(layer, mlp.up, mlp.gate, mlp.down, in, &made_));
  HEADSCOPE_TRY(Norm(further.norm.inside, *made_, made_.get()));
  backend_.Add(*made_, hidden_.get());
  return Norm(further.norm.after, *hidden_, hidden_.get());
}

Status StackPass::AddBeside(const LayerDescription& layer, const BesideNorms& norms) {
  ActivationsPtr mlp;
  std::swap(mlp, made_);  // experts use it
  HEADSCOPE_TRY(Norm(norms.mlp, *mlp, mlp.get()));
  HEADSCOPE_TRY(Norm(norms.before, *hidden_, normed_.get()));
  HEADSCOPE_TRY(ApplyExperts(layer, *layer.experts, *normed_, &blended_));
  HEADSCOPE_TRY(Norm(norms.inside, *blended_, blended_.get()));
  backend_.Add(*blended_, mlp.get());
  std::swap(mlp, made_);
  return {};
}

// Adds the attention's result, then the MLP's.
Status StackPass::Mlp(std::int64_t index) {
  const LayerDescription& layer = model_.layer[static_cast<std::size_t>(index)];
  HEADSCOPE_TRY(Stopped());
  const Activations* in = layer.is_parallel ? read_ : hidden_.get();
  const NormPlaces& attention_norm = layer.cross ? layer.cross->norm : layer.attention_norm;
  if (!layer.is_parallel || !layer.has_mlp()) {
    HEADSCOPE_TRY(AddOutput(attention_norm));
  }
  if (!layer.has_mlp()) {
    return Stopped();
  }
  if (layer.mlp_norm.before) {
    HEADSCOPE_TRY(NormStream(layer.mlp_norm.before, *hidden_, normed_.get()));
    in = normed_.get();
  }
  if (layer.experts && !HasMlpToo(*layer.experts)) {
    HEADSCOPE_TRY(ApplyExperts(layer, *layer.experts, *in, &blended_));
    std::swap(blended_, normed_);
  } else {
    HEADSCOPE_TRY(ApplyMlp(layer, layer.mlp_up, layer.mlp_gate, layer.mlp_down, *in, &made_));
    if (index > 0 && JoinsNext(model_.layer[static_cast<std::size_t>(index - 1)])) {
      backend_.Add(*blended_, made_.get());
    }
    if (JoinsNext(layer)) {
      ActivationsPtr mlp;
      std::swap(mlp, made_);  // experts use it
      HEADSCOPE_TRY(ApplyExperts(layer, *layer.experts, *in, &blended_));
      std::swap(mlp, made_);
    }
    if (layer.experts && layer.experts->beside) {
      HEADSCOPE_TRY(AddBeside(layer, *layer.experts->beside));
    }
    std::swap(made_, normed_);
  }
  if (changes_ != nullptr) {
    HEADSCOPE_TRY(changes_->ChangeMlp({part_, index}, normed_.get()));
  }
  if (watcher_ != nullptr) {
    watcher_->OnMlp({part_, index}, *normed_);
  }
  HEADSCOPE_TRY(NormStream(layer.mlp_norm.inside, *normed_, normed_.get()));
  if (layer.is_parallel) {
    HEADSCOPE_TRY(AddOutput(attention_norm));
  }
  backend_.Add(*normed_, hidden_.get());
  HEADSCOPE_TRY(NormStream(layer.mlp_norm.after, *hidden_, hidden_.get()));
  for (const FurtherMlp& further : layer.further_mlps) {
    HEADSCOPE_TRY(AddFurther(index, further));
  }
  if (layer.neighbours) {
    HEADSCOPE_TRY(AddNeighbours(*layer.neighbours));
  }
  if (layer.stream_factor) {
    HEADSCOPE_UNPACK(factor, weights_.Get(*layer.stream_factor));
    backend_.Scale(static_cast<double>(factor->front()), hidden_.get());
  }
  return Stopped();
}

}  // namespace headscope
