#include "core/model/stack_pass.h"

#include <cmath>
#include <iterator>
#include <utility>

#include <fmt/format.h>

namespace headscope {
namespace {

// The row of the position table for each token.
std::vector<std::int32_t> PositionRows(const StackDescription& model,
                                       std::span<const std::int32_t> ids,
                                       std::int64_t tokens) {
  std::vector<std::int32_t> rows;
  auto next = static_cast<std::int32_t>(model.position_offset);
  for (std::size_t i = 0; i < static_cast<std::size_t>(tokens); ++i) {
    const bool is_placed = ids.empty() || ids[i] != model.unplaced_id;
    rows.push_back(is_placed ? next++ : static_cast<std::int32_t>(model.position_offset - 1));
  }
  return rows;
}

std::vector<float> SinusoidalPositions(std::int64_t tokens, std::int64_t width) {
  std::vector<float> table(static_cast<std::size_t>(tokens * width));
  const std::int64_t sines = (width + 1) / 2;
  for (std::int64_t row = 0; row < tokens; ++row) {
    for (std::int64_t i = 0; i < width; ++i) {
      const std::int64_t pair = i < sines ? i : i - sines;
      const double exponent = static_cast<double>(2 * pair) / static_cast<double>(width);
      const double angle = static_cast<double>(row) / std::pow(10000.0, exponent);
      table[static_cast<std::size_t>(row * width + i)] =
          static_cast<float>(i < sines ? std::sin(angle) : std::cos(angle));
    }
  }
  return table;
}

}  // namespace

Status StackPass::EmbedTokens(const ForwardInput& input) {
  ActivationsPtr embedded;
  HEADSCOPE_TRY(Ensure(tokens_, model_.embedding_dim(), &embedded));
  if (input.ids.empty()) {
    backend_.Load(input.embeddings, embedded.get());
  } else {
    HEADSCOPE_TRY(
        backend_.Gather(weights_.Find(model_.token_embedding), input.ids, embedded.get()));
    if (model_.embedding_scale != 1.0) {
      backend_.Scale(model_.embedding_scale, embedded.get());
    }
  }
  if (model_.embedding_projection) {
    return Apply(*model_.embedding_projection, *embedded, &hidden_);
  }
  hidden_ = std::move(embedded);
  return {};
}

Status StackPass::LoadRows(std::span<const float> values, std::int64_t cols, ActivationsPtr* out) {
  if (!values.empty()) {
    HEADSCOPE_TRY(Ensure(std::ssize(values) / cols, cols, out));
    backend_.Load(values, out->get());
  }
  return {};
}

Status StackPass::Embed(const ForwardInput& input) {
  HEADSCOPE_TRY(EmbedTokens(input));
  if (const auto& separate = model_.layer.front().separate) {
    HEADSCOPE_TRY(LoadRows(input.key_embeddings, separate->key.in, &key_input_));
    HEADSCOPE_TRY(LoadRows(input.value_embeddings, separate->value.in, &value_input_));
  }
  HEADSCOPE_TRY(Ensure(tokens_, model_.model_dim, &normed_));
  if (model_.token_type_embedding) {
    const TensorView& table = weights_.Find(*model_.token_type_embedding);
    const std::vector<std::int32_t> zeros(static_cast<std::size_t>(tokens_), 0);
    HEADSCOPE_TRY(AddRows(table, input.segment_ids.empty() ? zeros : input.segment_ids));
  }
  if (model_.position_embedding) {
    HEADSCOPE_TRY(AddRows(weights_.Find(*model_.position_embedding),
                          PositionRows(model_, input.ids, tokens_)));
  }
  if (model_.position_scheme == PositionScheme::kSinusoidal) {
    backend_.Load(SinusoidalPositions(tokens_, model_.model_dim), normed_.get());
    backend_.Add(*normed_, hidden_.get());
  }
  return Norm(model_.embedding_norm, *hidden_, hidden_.get());
}

Status StackPass::ProjectApart(const SeparateProjections& projections) {
  const Activations& keys = key_input_ != nullptr ? *key_input_ : *read_;
  HEADSCOPE_TRY(Apply(projections.query, *read_, &queries_));
  HEADSCOPE_TRY(Apply(projections.key, keys, &keys_));
  return Apply(projections.value, value_input_ != nullptr ? *value_input_ : keys, &values_);
}

// What the attention reads, to queries, keys and values, turned by their positions.
Status StackPass::Project(const LayerDescription& layer) {
  if (layer.separate) {
    return ProjectApart(*layer.separate);
  }
  HEADSCOPE_TRY(Apply(layer.query_key_value, *read_, &projected_));
  const std::int64_t query_width = model_.heads * model_.head_dim;
  const std::int64_t key_width = model_.kv_heads * model_.head_dim;
  HEADSCOPE_TRY(Columns(0, query_width, &queries_));
  HEADSCOPE_TRY(Columns(query_width, key_width, &keys_));
  HEADSCOPE_TRY(Columns(query_width + key_width, model_.kv_heads * model_.value_dim, &values_));
  HEADSCOPE_TRY(Norm(layer.query_norm, *queries_, queries_.get()));
  HEADSCOPE_TRY(Norm(layer.key_norm, *keys_, keys_.get()));
  if (layer.rotary) {
    const RotaryTable& table = rotary_[*layer.rotary];
    backend_.Rotate(table, model_.heads, 0, queries_.get());
    backend_.Rotate(table, model_.kv_heads, 0, keys_.get());
  }
  return {};
}

void StackPass::Report(LayerId layer, LayerObserver* observer) {
  const auto cells = static_cast<std::size_t>(tokens_ * model_.model_dim);
  std::vector<float> before(cells);
  std::vector<float> after(cells);
  backend_.Read(*read_, before);
  backend_.Read(*output_, after);
  observer->OnStates(layer, before, after);
}

Status StackPass::Attention(std::int64_t layer, bool is_last, LayerObserver* observer) {
  const LayerDescription& description = model_.layer[static_cast<std::size_t>(layer)];
  const NormPlaces& norm = description.attention_norm;
  HEADSCOPE_TRY(Norm(norm.before, *hidden_, normed_.get()));
  read_ = norm.before ? normed_.get() : hidden_.get();
  HEADSCOPE_TRY(Stopped());
  HEADSCOPE_TRY(Project(description));
  AttentionRule rule = description.rule;
  if (model_.relative_bias) {
    HEADSCOPE_UNPACK(bias, weights_.Get(*model_.relative_bias));
    rule.bias = std::move(bias);
  }
  return Attend({part_, layer}, rule, description.output, norm, is_last, observer);
}

// Adds what the layer's own attention gave; then the decoder's queries over the encoder's keys and
// values.
Status StackPass::Cross(std::int64_t layer, bool is_last, LayerObserver* observer) {
  const LayerDescription& description = model_.layer[static_cast<std::size_t>(layer)];
  const CrossDescription& cross = *description.cross;
  HEADSCOPE_TRY(Stopped());
  HEADSCOPE_TRY(AddOutput(description.attention_norm));
  HEADSCOPE_TRY(Norm(cross.norm.before, *hidden_, normed_.get()));
  read_ = cross.norm.before ? normed_.get() : hidden_.get();
  HEADSCOPE_TRY(Apply(cross.query, *read_, &queries_));
  HEADSCOPE_TRY(Apply(cross.key_value, *memory_, &projected_));
  const std::int64_t key_width = model_.kv_heads * model_.head_dim;
  HEADSCOPE_TRY(Columns(0, key_width, &keys_));
  HEADSCOPE_TRY(Columns(key_width, model_.kv_heads * model_.value_dim, &values_));
  return Attend(
      {ModelPart::kCross, layer}, cross.rule, cross.output, cross.norm, is_last, observer);
}

// Queries, keys and values to what the attention gives, not added yet.
Status StackPass::Attend(LayerId layer,
                         const AttentionRule& rule,
                         const LinearNeed& output,
                         const NormPlaces& norm,
                         bool is_last,
                         LayerObserver* observer) {
  const bool wants_states = observer != nullptr && observer->WantsStates(layer);
  // Nothing follows the last layer: its weights are all there is to see.
  const bool needs_context = !is_last || wants_states;
  if (needs_context) {
    HEADSCOPE_TRY(Ensure(tokens_, model_.heads * model_.value_dim, &context_));
  }
  const AttentionInput input{.shape = {.queries = tokens_,
                                       .keys = keys_->rows(),
                                       .heads = model_.heads,
                                       .kv_heads = model_.kv_heads,
                                       .head_dim = model_.head_dim,
                                       .value_dim = model_.value_dim},
                             .rule = rule,
                             .queries = queries_.get(),
                             .keys = keys_.get(),
                             .values = values_.get()};
  AttentionObserver* watcher = observer == nullptr ? nullptr : observer->BeginLayer(layer);
  Status attended =
      backend_.Attend(input, watcher, needs_context ? context_.get() : nullptr, stop_);
  if (!attended) {
    attended.error().message = fmt::format("layer {}: {}", layer.layer, attended.error().message);
    return attended;
  }
  if (needs_context) {
    HEADSCOPE_TRY(Apply(output, *context_, &output_));
    if (wants_states) {
      Report(layer, observer);
    }
    HEADSCOPE_TRY(Norm(norm.inside, *output_, output_.get()));
  }
  return observer == nullptr ? Status() : observer->EndLayer(layer);
}

Status StackPass::AddOutput(const NormPlaces& norm) {
  backend_.Add(*output_, hidden_.get());
  return Norm(norm.after, *hidden_, hidden_.get());
}

// Adds what the attention gave, then what the MLP gives.
Status StackPass::Mlp(const LayerDescription& layer) {
  HEADSCOPE_TRY(Stopped());
  const Activations* in = layer.is_parallel ? read_ : hidden_.get();
  const NormPlaces& attention_norm = layer.cross ? layer.cross->norm : layer.attention_norm;
  if (!layer.is_parallel) {
    HEADSCOPE_TRY(AddOutput(attention_norm));
  }
  if (layer.mlp_norm.before) {
    HEADSCOPE_TRY(Norm(layer.mlp_norm.before, *hidden_, normed_.get()));
    in = normed_.get();
  }
  HEADSCOPE_TRY(Apply(layer.mlp_up, *in, &up_));
  if (layer.mlp_gate) {
    HEADSCOPE_TRY(Apply(*layer.mlp_gate, *in, &gate_));
    backend_.Activate(layer.activation, gate_.get());
    backend_.Multiply(*gate_, up_.get());
  } else {
    backend_.Activate(layer.activation, up_.get());
  }
  HEADSCOPE_TRY(Stopped());
  HEADSCOPE_TRY(Apply(layer.mlp_down, *up_, &normed_));
  HEADSCOPE_TRY(Norm(layer.mlp_norm.inside, *normed_, normed_.get()));
  if (layer.is_parallel) {
    HEADSCOPE_TRY(AddOutput(attention_norm));
  }
  backend_.Add(*normed_, hidden_.get());
  HEADSCOPE_TRY(Norm(layer.mlp_norm.after, *hidden_, hidden_.get()));
  return Stopped();
}

}  // namespace headscope
