// What a stack's layers share: keys and values that an earlier one made, and what a token by itself
// says to each of them.
#include <cstdint>
#include <span>

#include "core/model/stack_pass.h"

namespace headscope {

Status StackPass::KeepKeys(std::int64_t layer) {
  const auto found = shared_.find(layer);
  if (found == shared_.end()) {
    return {};
  }
  KeysValues& kept = found->second;
  HEADSCOPE_TRY(Ensure(keys_->rows(), keys_->cols(), &kept.keys));
  HEADSCOPE_TRY(Ensure(values_->rows(), values_->cols(), &kept.values));
  backend_.CopyRows(*keys_, 0, kept.keys.get());
  backend_.CopyRows(*values_, 0, kept.values.get());
  return {};
}

Status StackPass::TakeKeys(std::int64_t layer) {
  const KeysValues& kept = shared_.at(layer);
  HEADSCOPE_CHECK(kept.keys != nullptr, "the layer whose keys are taken has run");
  HEADSCOPE_TRY(Ensure(kept.keys->rows(), kept.keys->cols(), &keys_));
  HEADSCOPE_TRY(Ensure(kept.values->rows(), kept.values->cols(), &values_));
  backend_.CopyRows(*kept.keys, 0, keys_.get());
  backend_.CopyRows(*kept.values, 0, values_.get());
  return {};
}

// Reads what the tokens say to all layers; the stream is their embedding.
Status StackPass::ReadTokenInputs(std::span<const std::int32_t> ids) {
  const auto& inputs = model_.token_inputs;
  if (!inputs) {
    return {};
  }
  HEADSCOPE_TRY(Apply(inputs->projection, *hidden_, &token_inputs_));
  backend_.Scale(inputs->projection_factor, token_inputs_.get());
  HEADSCOPE_TRY(Norm(inputs->norm, *token_inputs_, token_inputs_.get()));
  ActivationsPtr rows;
  HEADSCOPE_TRY(Ensure(rows_, token_inputs_->cols(), &rows));
  HEADSCOPE_TRY(backend_.Gather(
      weights_.Find(inputs->table), ids.subspan(static_cast<std::size_t>(first_)), rows.get()));
  backend_.Scale(inputs->table_factor, rows.get());
  backend_.Add(*rows, token_inputs_.get());
  backend_.Scale(inputs->factor, token_inputs_.get());
  return {};
}

Status StackPass::ApplyToTokens(std::int64_t index, const MlpNeeds& mlp, const Activations& in) {
  const std::int64_t width = token_inputs_->cols() / model_.layers;
  HEADSCOPE_TRY(Apply(*mlp.gate, in, &gate_));
  HEADSCOPE_TRY(Activate(model_.layer[static_cast<std::size_t>(index)], gate_.get()));
  HEADSCOPE_TRY(Ensure(in.rows(), width, &up_));
  backend_.Slice(*token_inputs_, index * width, up_.get());
  backend_.Multiply(*gate_, up_.get());
  return Apply(mlp.down, *up_, &made_);
}

}  // namespace headscope
