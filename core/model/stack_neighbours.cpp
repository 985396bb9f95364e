// What joins tokens beside attention: convolutions, and memories of earlier tokens.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/compute/delta_rule.h"
#include "core/model/stack_pass.h"

namespace headscope {

Status StackPass::Repeat(std::span<const float> row, ActivationsPtr* out) {
  ActivationsPtr one;
  HEADSCOPE_TRY(LoadRows(row, std::ssize(row), &one));
  HEADSCOPE_TRY(Ensure(rows_, one->cols(), out));
  backend_.TakeRows(*one, std::vector<std::int64_t>(static_cast<std::size_t>(rows_)), out->get());
  return {};
}

Status StackPass::AddToLater(std::int64_t back, const Activations& rows) {
  const std::int64_t tokens = rows_ / texts_;
  std::vector<std::int64_t> from;
  std::vector<std::int64_t> to;
  for (std::int64_t row = 0; row < rows_; ++row) {  // the reader lies in the same text
    const std::int64_t reader = row % tokens + back;
    if (reader >= 0 && reader < tokens) {
      from.push_back(row);
      to.push_back(row + back);
    }
  }
  if (from.empty()) {
    return {};
  }
  HEADSCOPE_TRY(Ensure(std::ssize(from), rows.cols(), &taken_));
  backend_.TakeRows(rows, from, taken_.get());
  backend_.AddRows(*taken_, to, std::vector<double>(to.size(), 1.0), beside_.get());
  return {};
}

// Adds what the layer's inputs make of each token and those beside it.
Status StackPass::AddNeighbours(const NeighbourProducts& neighbours) {
  const auto middle = std::ssize(neighbours.products) / 2;
  HEADSCOPE_TRY(Repeat(std::vector<float>(static_cast<std::size_t>(model_.model_dim)), &beside_));
  for (std::int64_t place = 0; place < std::ssize(neighbours.products); ++place) {
    HEADSCOPE_TRY(
        Apply(neighbours.products[static_cast<std::size_t>(place)], *layer_input_, &made_));
    HEADSCOPE_TRY(AddToLater(middle - place, *made_));
  }
  backend_.Activate(neighbours.activation, beside_.get());
  backend_.Add(*beside_, hidden_.get());
  return Norm(neighbours.norm, *hidden_, hidden_.get());
}

Status StackPass::SumTaps(const Activations& rows,
                          const TensorNeed& taps,
                          const std::optional<TensorNeed>& bias) {
  HEADSCOPE_UNPACK(stored, weights_.Get(taps));
  const std::int64_t width = rows.cols();
  const std::int64_t count = std::ssize(*stored) / width;
  std::vector<float> row(static_cast<std::size_t>(width));
  if (bias) {
    HEADSCOPE_UNPACK(added, weights_.Get(*bias));
    row = *added;
  }
  HEADSCOPE_TRY(Repeat(row, &beside_));
  for (std::int64_t tap = 0; tap < count; ++tap) {
    for (std::int64_t column = 0; column < width; ++column) {
      row[static_cast<std::size_t>(column)] =
          (*stored)[static_cast<std::size_t>(column * count + tap)];
    }
    HEADSCOPE_TRY(Repeat(row, &made_));
    backend_.Multiply(rows, made_.get());
    HEADSCOPE_TRY(AddToLater(count - 1 - tap, *made_));
  }
  return {};
}

Status StackPass::Convolve(const ShortConvolution& convolution) {
  HEADSCOPE_TRY(Apply(convolution.in, *normed_, &projected_));
  const std::int64_t width = projected_->cols() / 3;
  HEADSCOPE_TRY(Columns(0, width, &gate_));
  HEADSCOPE_TRY(Columns(2 * width, width, &up_));
  backend_.Multiply(*gate_, up_.get());
  HEADSCOPE_TRY(SumTaps(*up_, convolution.taps, convolution.bias));
  HEADSCOPE_TRY(Columns(width, width, &gate_));
  backend_.Multiply(*gate_, beside_.get());
  return Apply(convolution.out, *beside_, &made_);
}

Status StackPass::Recall(const DeltaMemory& memory) {
  HEADSCOPE_TRY(Apply(memory.columns, *normed_, &projected_));
  HEADSCOPE_TRY(SumTaps(*projected_, memory.taps, std::nullopt));
  backend_.Activate(memory.activation, beside_.get());
  HEADSCOPE_TRY(Apply(memory.rates, *normed_, &routed_));
  HEADSCOPE_UNPACK(log, weights_.Get(memory.fading_log));
  HEADSCOPE_UNPACK(bias, weights_.Get(memory.fading_bias));
  const auto read = [&](const Activations& from) {
    std::vector<double> values(static_cast<std::size_t>(from.rows() * from.cols()));
    backend_.ReadDouble(from, values);
    return values;
  };
  DeltaShape shape = memory.shape;
  shape.tokens = rows_ / texts_;
  const auto heads = static_cast<std::size_t>(shape.heads);
  const std::vector<double> columns = read(*beside_);
  const std::vector<double> rates = read(*routed_);
  std::vector<double> strengths;
  std::vector<double> fadings;
  for (std::size_t row = 0; row < static_cast<std::size_t>(rows_); ++row) {
    for (std::size_t head = 0; head < heads; ++head) {
      const double* own = rates.data() + 2 * row * heads;
      const double step = own[heads + head] + static_cast<double>((*bias)[head]);
      const double softplus = std::max(step, 0.0) + std::log1p(std::exp(-std::abs(step)));
      strengths.push_back(1.0 / (1.0 + std::exp(-own[head])));
      fadings.push_back(std::exp(-std::exp(static_cast<double>((*log)[head])) * softplus));
    }
  }
  std::vector<float> said;
  const auto tokens = static_cast<std::size_t>(shape.tokens);
  for (std::size_t first = 0; first < static_cast<std::size_t>(rows_); first += tokens) {
    HEADSCOPE_TRY(Stopped());
    const auto of_text = [&](const std::vector<double>& all, std::size_t width) {
      return std::span(all).subspan(first * width, tokens * width);
    };
    const std::vector<double> made =
        ApplyDeltaRule(shape,
                       of_text(columns, static_cast<std::size_t>(shape.columns())),
                       of_text(strengths, heads),
                       of_text(fadings, heads));
    said.insert(said.end(), made.begin(), made.end());
  }
  HEADSCOPE_TRY(LoadRows(said, shape.values(), &up_));
  HEADSCOPE_TRY(Norm(memory.norm, *up_, up_.get()));
  HEADSCOPE_TRY(Apply(memory.gate, *normed_, &gate_));
  backend_.Activate(memory.activation, gate_.get());
  backend_.Multiply(*gate_, up_.get());
  return Apply(memory.out, *up_, &made_);
}

Status StackPass::RunBlocks(const std::vector<PlainBlock>& blocks) {
  HEADSCOPE_CHECK(blocks.empty() || first_ == 0, "a convolution reads all tokens");
  for (const PlainBlock& block : blocks) {
    HEADSCOPE_TRY(Norm(block.norm, *hidden_, normed_.get()));
    HEADSCOPE_TRY(block.convolution ? Convolve(*block.convolution) : Recall(*block.memory));
    backend_.Add(*made_, hidden_.get());
    HEADSCOPE_TRY(Norm(block.mlp_norm, *hidden_, normed_.get()));
    const MlpNeeds& mlp = block.mlp;
    const LayerDescription& kin = model_.layer.front();
    HEADSCOPE_TRY(block.experts ? ApplyExperts(kin, *block.experts, *normed_, &blended_)
                                : ApplyMlp(kin, mlp.up, mlp.gate, mlp.down, *normed_, &blended_));
    backend_.Add(*blended_, hidden_.get());
    HEADSCOPE_TRY(Stopped());
  }
  return {};
}

}  // namespace headscope
