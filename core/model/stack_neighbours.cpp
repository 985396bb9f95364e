// What joins tokens beside attention: convolutions.
#include <cstdint>
#include <span>
#include <vector>

#include "core/model/stack_pass.h"

namespace headscope {

Status StackPass::Repeat(std::span<const float> row, ActivationsPtr* out) {
  std::vector<float> all;
  for (std::int64_t i = 0; i < rows_; ++i) {
    all.insert(all.end(), row.begin(), row.end());
  }
  return LoadRows(all, std::ssize(row), out);
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

Status StackPass::Convolve(const ShortConvolution& convolution) {
  HEADSCOPE_TRY(Apply(convolution.in, *normed_, &projected_));
  const std::int64_t width = projected_->cols() / 3;
  HEADSCOPE_TRY(Columns(0, width, &gate_));
  HEADSCOPE_TRY(Columns(2 * width, width, &up_));
  backend_.Multiply(*gate_, up_.get());
  HEADSCOPE_UNPACK(stored, weights_.Get(convolution.taps));
  const std::int64_t taps = std::ssize(*stored) / width;
  std::vector<float> row(static_cast<std::size_t>(width));
  if (convolution.bias) {
    HEADSCOPE_UNPACK(bias, weights_.Get(*convolution.bias));
    row = *bias;
  }
  HEADSCOPE_TRY(Repeat(row, &beside_));
  for (std::int64_t tap = 0; tap < taps; ++tap) {
    for (std::int64_t column = 0; column < width; ++column) {
      row[static_cast<std::size_t>(column)] =
          (*stored)[static_cast<std::size_t>(column * taps + tap)];
    }
    HEADSCOPE_TRY(Repeat(row, &made_));
    backend_.Multiply(*up_, made_.get());
    HEADSCOPE_TRY(AddToLater(taps - 1 - tap, *made_));
  }
  HEADSCOPE_TRY(Columns(width, width, &gate_));
  backend_.Multiply(*gate_, beside_.get());
  return Apply(convolution.out, *beside_, &made_);
}

Status StackPass::RunBlocks(const std::vector<PlainBlock>& blocks) {
  HEADSCOPE_CHECK(blocks.empty() || first_ == 0, "a convolution reads all tokens");
  for (const PlainBlock& block : blocks) {
    HEADSCOPE_TRY(Norm(block.norm, *hidden_, normed_.get()));
    HEADSCOPE_TRY(Convolve(block.convolution));
    backend_.Add(*made_, hidden_.get());
    HEADSCOPE_TRY(Norm(block.mlp_norm, *hidden_, normed_.get()));
    const MlpNeeds& mlp = block.mlp;
    HEADSCOPE_TRY(ApplyMlp(model_.layer.front(), mlp.up, mlp.gate, mlp.down, *normed_, &made_));
    backend_.Add(*made_, hidden_.get());
    HEADSCOPE_TRY(Stopped());
  }
  return {};
}

}  // namespace headscope
