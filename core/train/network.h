// A network of GPT-2's layout that can be trained: its loss on a batch, and the gradient of that by
// every weight.
//
// Shapes   weights and gradient are arrays of MakeTrainLayout; maps [length, length] per row of the
//          batch, layer and head; rows of a batch have lengths of their own.
// Units    losses in nats: the mean over all targets; alikeness as in core/train/alikeness.h.
// Errors   kCancelled.
// Threads  one thread uses it; it starts none, and the same batch gives the same bits.
// Cost     some 6 numbers of arithmetic a weight and token; `stop` is polled about every millisecond.
// Source   docs/architecture.md, "Training".
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include "core/base/error.h"
#include "core/train/alikeness.h"
#include "core/train/parameters.h"
#include "core/train/tasks.h"

namespace headscope {

// For float, and for double, which tests compare with.
template <typename T>
class TrainNetwork {
 public:
  // The gradient is that of the loss plus `disagreement` times alikeness().
  explicit TrainNetwork(const TrainShape& shape, double disagreement = 0.0);

  [[nodiscard]] const TrainLayout& layout() const { return layout_; }

  // Returns the mean loss, and keeps what Backward and the readers below need.
  [[nodiscard]] Result<double> Forward(std::span<const T> weights,
                                       const TrainBatch& batch,
                                       const std::stop_token& stop);
  // Sets `gradient`, after Forward of the same weights and batch; once for each Forward.
  [[nodiscard]] Status Backward(std::span<const T> weights,
                                const TrainBatch& batch,
                                std::span<T> gradient,
                                const std::stop_token& stop);

  // Of the last Forward: the weights of a head on a row of the batch.
  [[nodiscard]] std::span<const T> Map(std::int64_t row,
                                       std::int64_t layer,
                                       std::int64_t head) const;
  // The mean over layers, rows and pairs of heads; 0 where the gradient has none of it.
  [[nodiscard]] double alikeness() const { return alikeness_sum_ * alikeness_share_; }
  // Whether the largest logit of each target was right.
  [[nodiscard]] std::span<const std::uint8_t> right() const { return right_; }

 private:
  struct NormState {
    std::vector<T> normed;
    std::vector<T> out;
    std::vector<T> inverse_spread;
  };
  struct LayerState {
    NormState before;
    std::vector<T> qkv;
    std::vector<T> maps;
    std::vector<T> context;
    NormState middle;
    std::vector<T> inner;
    std::vector<T> active;
  };
  struct Matrix;

  void Resize(const TrainBatch& batch);
  void Norm(std::span<const T> weights, std::int64_t weight, std::int64_t bias, NormState* state);
  void NormBackward(std::span<const T> weights,
                    std::span<T> gradient,
                    std::int64_t weight,
                    std::int64_t bias,
                    const NormState& state);
  [[nodiscard]] Status Apply(std::span<const T> weights, const Matrix& matrix);
  [[nodiscard]] Status ApplyBackward(std::span<const T> weights,
                                     std::span<T> gradient,
                                     const Matrix& matrix);
  [[nodiscard]] Status AttendAll(LayerState* state);
  [[nodiscard]] Status AttendAllBackward(const LayerState& state);
  [[nodiscard]] Status ForwardBlock(std::span<const T> weights, std::size_t layer);
  [[nodiscard]] Status BackwardBlock(std::span<const T> weights,
                                     std::span<T> gradient,
                                     std::size_t layer);
  [[nodiscard]] double Loss(const TrainBatch& batch);

  TrainLayout layout_;
  double disagreement_;
  Alikeness<T> alikeness_;  // of the row and layer under way
  double alikeness_sum_ = 0.0;
  double alikeness_share_ = 0.0;  // of one pair and row in the mean
  std::stop_token stop_;
  std::int64_t rows_ = 0;                // tokens in the batch
  std::vector<std::int64_t> first_;      // each row's first token
  std::vector<std::int64_t> lengths_;    // of each row
  std::vector<std::int64_t> map_first_;  // where each row's maps begin
  std::int64_t map_count_ = 0;
  std::vector<T> stream_;
  std::vector<LayerState> layers_;
  NormState last_;
  std::vector<T> logits_;
  std::vector<std::uint8_t> right_;
  // Gradients by what stands at the same places of a layer.
  std::vector<T> stream_gradient_;
  std::vector<T> wide_gradient_;
  std::vector<T> narrow_gradient_;
  std::vector<T> map_gradient_;
};

extern template class TrainNetwork<float>;
extern template class TrainNetwork<double>;

}  // namespace headscope
