#include "core/train/network.h"

#include <algorithm>
#include <cmath>

#include "core/base/check.h"
#include "core/train/attention.h"
#include "core/train/product.h"
#include "core/train/row_loops.h"

namespace headscope {
namespace {

template <typename T>
const T* At(std::span<const T> weights, std::int64_t place) {
  return weights.data() + place;
}

template <typename T>
T* At(std::span<T> weights, std::int64_t place) {
  return weights.data() + place;
}

template <typename T>
void MakeRoom(std::vector<T>* values, std::int64_t count) {
  values->resize(static_cast<std::size_t>(count));
}

}  // namespace

// out (+)= in x weight + bias, for all tokens of a batch, and the gradients on the way back.
template <typename T>
struct TrainNetwork<T>::Matrix {
  std::int64_t weight = 0;
  std::int64_t bias = 0;
  std::int64_t inputs = 0;
  std::int64_t outputs = 0;
  const T* in = nullptr;
  T* out = nullptr;
  bool adds = false;
  const T* out_gradient = nullptr;
  T* in_gradient = nullptr;
};

template <typename T>
TrainNetwork<T>::TrainNetwork(const TrainShape& shape, double disagreement)
    : layout_(MakeTrainLayout(shape)), disagreement_(shape.heads > 1 ? disagreement : 0.0) {
  layers_.resize(static_cast<std::size_t>(shape.layers));
}

template <typename T>
void TrainNetwork<T>::Resize(const TrainBatch& batch) {
  const TrainShape& shape = layout_.shape;
  lengths_ = batch.lengths;
  first_.clear();
  map_first_.clear();
  rows_ = 0;
  map_count_ = 0;
  double pairs = 0.0;
  for (const std::int64_t length : lengths_) {
    HEADSCOPE_CHECK(length <= shape.context, "a row fits the context");
    first_.push_back(rows_);
    map_first_.push_back(map_count_);
    rows_ += length;
    map_count_ += shape.heads * length * length;
    pairs += CountAlikePairs(shape.heads, length) * static_cast<double>(shape.layers);
  }
  alikeness_sum_ = 0.0;
  alikeness_share_ = pairs > 0.0 ? 1.0 / pairs : 0.0;
  const auto norm = [&](NormState* state) {
    MakeRoom(&state->normed, rows_ * shape.model_dim);
    MakeRoom(&state->out, rows_ * shape.model_dim);
    MakeRoom(&state->inverse_spread, rows_);
  };
  MakeRoom(&stream_, rows_ * shape.model_dim);
  for (LayerState& state : layers_) {
    norm(&state.before);
    MakeRoom(&state.qkv, rows_ * 3 * shape.width());
    MakeRoom(&state.maps, map_count_);
    MakeRoom(&state.context, rows_ * shape.width());
    if (shape.inner > 0) {
      norm(&state.middle);
      MakeRoom(&state.inner, rows_ * shape.inner);
      MakeRoom(&state.active, rows_ * shape.inner);
    }
  }
  norm(&last_);
  MakeRoom(&logits_, rows_ * shape.vocabulary);
  MakeRoom(&right_, rows_);
}

template <typename T>
void TrainNetwork<T>::Norm(std::span<const T> weights,
                           std::int64_t weight,
                           std::int64_t bias,
                           NormState* state) {
  const std::int64_t d = layout_.shape.model_dim;
  for (std::int64_t row = 0; row < rows_; ++row) {
    state->inverse_spread[static_cast<std::size_t>(row)] =
        NormForward(stream_.data() + row * d,
                    At(weights, weight),
                    At(weights, bias),
                    state->normed.data() + row * d,
                    state->out.data() + row * d,
                    d);
  }
}

template <typename T>
void TrainNetwork<T>::NormBackward(std::span<const T> weights,
                                   std::span<T> gradient,
                                   std::int64_t weight,
                                   std::int64_t bias,
                                   const NormState& state) {
  const std::int64_t d = layout_.shape.model_dim;
  for (std::int64_t row = 0; row < rows_; ++row) {
    NormBack(narrow_gradient_.data() + row * d,
             state.normed.data() + row * d,
             At(weights, weight),
             state.inverse_spread[static_cast<std::size_t>(row)],
             At(gradient, weight),
             At(gradient, bias),
             stream_gradient_.data() + row * d,
             d);
  }
}

template <typename T>
Status TrainNetwork<T>::Apply(std::span<const T> weights, const Matrix& matrix) {
  return Multiply<T>({.rows = rows_,
                      .inner = matrix.inputs,
                      .cols = matrix.outputs,
                      .left = matrix.in,
                      .left_row = matrix.inputs,
                      .right = At(weights, matrix.weight),
                      .right_step = matrix.outputs,
                      .out = matrix.out,
                      .out_row = matrix.outputs,
                      .bias = At(weights, matrix.bias),
                      .adds = matrix.adds},
                     stop_);
}

template <typename T>
Status TrainNetwork<T>::ApplyBackward(std::span<const T> weights,
                                      std::span<T> gradient,
                                      const Matrix& matrix) {
  AddRows(matrix.out_gradient, rows_, matrix.outputs, At(gradient, matrix.bias), matrix.outputs);
  HEADSCOPE_TRY(Multiply<T>({.rows = matrix.inputs,
                             .inner = rows_,
                             .cols = matrix.outputs,
                             .left = matrix.in,
                             .left_row = 1,
                             .left_step = matrix.inputs,
                             .right = matrix.out_gradient,
                             .right_step = matrix.outputs,
                             .out = At(gradient, matrix.weight),
                             .out_row = matrix.outputs},
                            stop_));
  return Multiply<T>({.rows = rows_,
                      .inner = matrix.outputs,
                      .cols = matrix.inputs,
                      .left = matrix.out_gradient,
                      .left_row = matrix.outputs,
                      .right = At(weights, matrix.weight),
                      .right_step = 1,
                      .right_col = matrix.outputs,
                      .out = matrix.in_gradient,
                      .out_row = matrix.inputs},
                     stop_);
}

template <typename T>
Status TrainNetwork<T>::AttendAll(LayerState* state) {
  const std::int64_t width = layout_.shape.width();
  for (std::size_t row = 0; row < lengths_.size(); ++row) {
    HEADSCOPE_TRY(Attend<T>(layout_.shape,
                            {.length = lengths_[row],
                             .qkv = state->qkv.data() + first_[row] * 3 * width,
                             .maps = state->maps.data() + map_first_[row],
                             .context = state->context.data() + first_[row] * width},
                            stop_));
    if (disagreement_ > 0.0) {
      alikeness_.Set(state->maps.data() + map_first_[row], layout_.shape.heads, lengths_[row]);
      alikeness_sum_ += alikeness_.sum();
    }
  }
  return {};
}

// narrow_gradient_ has the gradient of the context, wide_gradient_ gets that of queries, keys and
// values.
template <typename T>
Status TrainNetwork<T>::AttendAllBackward(const LayerState& state) {
  const std::int64_t width = layout_.shape.width();
  for (std::size_t row = 0; row < lengths_.size(); ++row) {
    MakeRoom(&map_gradient_, lengths_[row] * lengths_[row]);
    if (disagreement_ > 0.0) {
      alikeness_.Set(state.maps.data() + map_first_[row], layout_.shape.heads, lengths_[row]);
    }
    HEADSCOPE_TRY(AttendBack<T>(layout_.shape,
                                {.length = lengths_[row],
                                 .qkv = state.qkv.data() + first_[row] * 3 * width,
                                 .maps = state.maps.data() + map_first_[row],
                                 .context_gradient = narrow_gradient_.data() + first_[row] * width,
                                 .map_gradient = map_gradient_.data(),
                                 .qkv_gradient = wide_gradient_.data() + first_[row] * 3 * width,
                                 .alikeness = disagreement_ > 0.0 ? &alikeness_ : nullptr,
                                 .factor = static_cast<T>(disagreement_ * alikeness_share_)},
                                stop_));
  }
  return {};
}

template <typename T>
Status TrainNetwork<T>::ForwardBlock(std::span<const T> weights, std::size_t layer) {
  const TrainShape& shape = layout_.shape;
  const TrainBlockPlaces& at = layout_.blocks[layer];
  LayerState& state = layers_[layer];
  Norm(weights, at.ln_1_weight, at.ln_1_bias, &state.before);
  HEADSCOPE_TRY(Apply(weights,
                      {.weight = at.attn_weight,
                       .bias = at.attn_bias,
                       .inputs = shape.model_dim,
                       .outputs = 3 * shape.width(),
                       .in = state.before.out.data(),
                       .out = state.qkv.data()}));
  HEADSCOPE_TRY(AttendAll(&state));
  HEADSCOPE_TRY(Apply(weights,
                      {.weight = at.proj_weight,
                       .bias = at.proj_bias,
                       .inputs = shape.width(),
                       .outputs = shape.model_dim,
                       .in = state.context.data(),
                       .out = stream_.data(),
                       .adds = true}));
  if (shape.inner == 0) {
    return {};
  }
  Norm(weights, at.ln_2_weight, at.ln_2_bias, &state.middle);
  HEADSCOPE_TRY(Apply(weights,
                      {.weight = at.fc_weight,
                       .bias = at.fc_bias,
                       .inputs = shape.model_dim,
                       .outputs = shape.inner,
                       .in = state.middle.out.data(),
                       .out = state.inner.data()}));
  GeluForward(state.inner.data(), state.active.data(), rows_ * shape.inner);
  return Apply(weights,
               {.weight = at.mlp_weight,
                .bias = at.mlp_bias,
                .inputs = shape.inner,
                .outputs = shape.model_dim,
                .in = state.active.data(),
                .out = stream_.data(),
                .adds = true});
}

template <typename T>
Status TrainNetwork<T>::BackwardBlock(std::span<const T> weights,
                                      std::span<T> gradient,
                                      std::size_t layer) {
  const TrainShape& shape = layout_.shape;
  const TrainBlockPlaces& at = layout_.blocks[layer];
  const LayerState& state = layers_[layer];
  if (shape.inner > 0) {
    HEADSCOPE_TRY(ApplyBackward(weights,
                                gradient,
                                {.weight = at.mlp_weight,
                                 .bias = at.mlp_bias,
                                 .inputs = shape.inner,
                                 .outputs = shape.model_dim,
                                 .in = state.active.data(),
                                 .out_gradient = stream_gradient_.data(),
                                 .in_gradient = wide_gradient_.data()}));
    GeluBack(state.inner.data(), wide_gradient_.data(), rows_ * shape.inner);
    HEADSCOPE_TRY(ApplyBackward(weights,
                                gradient,
                                {.weight = at.fc_weight,
                                 .bias = at.fc_bias,
                                 .inputs = shape.model_dim,
                                 .outputs = shape.inner,
                                 .in = state.middle.out.data(),
                                 .out_gradient = wide_gradient_.data(),
                                 .in_gradient = narrow_gradient_.data()}));
    NormBackward(weights, gradient, at.ln_2_weight, at.ln_2_bias, state.middle);
  }
  HEADSCOPE_TRY(ApplyBackward(weights,
                              gradient,
                              {.weight = at.proj_weight,
                               .bias = at.proj_bias,
                               .inputs = shape.width(),
                               .outputs = shape.model_dim,
                               .in = state.context.data(),
                               .out_gradient = stream_gradient_.data(),
                               .in_gradient = narrow_gradient_.data()}));
  HEADSCOPE_TRY(AttendAllBackward(state));
  HEADSCOPE_TRY(ApplyBackward(weights,
                              gradient,
                              {.weight = at.attn_weight,
                               .bias = at.attn_bias,
                               .inputs = shape.model_dim,
                               .outputs = 3 * shape.width(),
                               .in = state.before.out.data(),
                               .out_gradient = wide_gradient_.data(),
                               .in_gradient = narrow_gradient_.data()}));
  // A key's bias adds the same to all scores of a row, which the softmax takes off again: its
  // gradient is 0, and what rounding makes of that would be all that Adam sees.
  T* const key_bias = At(gradient, at.attn_bias + shape.width());
  std::fill(key_bias, key_bias + shape.width(), T(0));
  NormBackward(weights, gradient, at.ln_1_weight, at.ln_1_bias, state.before);
  return {};
}

template <typename T>
double TrainNetwork<T>::Loss(const TrainBatch& batch) {
  const std::int64_t vocabulary = layout_.shape.vocabulary;
  const auto targets = rows_ - std::count(batch.targets.begin(), batch.targets.end(), kNoTarget);
  const double share = 1.0 / static_cast<double>(std::max<std::int64_t>(1, targets));
  double sum = 0.0;
  for (std::int64_t row = 0; row < rows_; ++row) {
    T* logits = logits_.data() + row * vocabulary;
    const std::int32_t target = batch.targets[static_cast<std::size_t>(row)];
    if (target == kNoTarget) {
      std::fill(logits, logits + vocabulary, T(0));
      continue;
    }
    const TokenLoss token = CrossEntropy(logits, target, share, vocabulary);
    right_[static_cast<std::size_t>(row)] = token.is_right ? 1 : 0;
    sum += token.loss;
  }
  return sum * share;
}

template <typename T>
Result<double> TrainNetwork<T>::Forward(std::span<const T> weights,
                                        const TrainBatch& batch,
                                        const std::stop_token& stop) {
  const TrainShape& shape = layout_.shape;
  const std::int64_t d = shape.model_dim;
  stop_ = stop;
  Resize(batch);
  for (std::size_t row = 0; row < lengths_.size(); ++row) {
    for (std::int64_t i = 0; i < lengths_[row]; ++i) {
      const std::int64_t place = first_[row] + i;
      const T* token = At(weights, layout_.tokens + d * batch.ids[static_cast<std::size_t>(place)]);
      const T* position = At(weights, layout_.positions + d * i);
      std::transform(token, token + d, position, stream_.data() + place * d, std::plus<>());
    }
  }
  for (std::size_t layer = 0; layer < layers_.size(); ++layer) {
    HEADSCOPE_TRY(ForwardBlock(weights, layer));
  }
  Norm(weights, layout_.ln_f_weight, layout_.ln_f_bias, &last_);
  HEADSCOPE_TRY(Multiply<T>({.rows = rows_,
                             .inner = d,
                             .cols = shape.vocabulary,
                             .left = last_.out.data(),
                             .left_row = d,
                             .right = At(weights, layout_.output),
                             .right_step = 1,
                             .right_col = d,
                             .out = logits_.data(),
                             .out_row = shape.vocabulary},
                            stop_));
  return Loss(batch);
}

template <typename T>
Status TrainNetwork<T>::Backward(std::span<const T> weights,
                                 const TrainBatch& batch,
                                 std::span<T> gradient,
                                 const std::stop_token& stop) {
  const TrainShape& shape = layout_.shape;
  const std::int64_t d = shape.model_dim;
  stop_ = stop;
  std::ranges::fill(gradient, T(0));
  MakeRoom(&narrow_gradient_, rows_ * std::max(d, shape.width()));
  MakeRoom(&wide_gradient_, rows_ * std::max(3 * shape.width(), shape.inner));
  stream_gradient_.assign(static_cast<std::size_t>(rows_ * d), T(0));
  HEADSCOPE_TRY(Multiply<T>({.rows = shape.vocabulary,
                             .inner = rows_,
                             .cols = d,
                             .left = logits_.data(),
                             .left_row = 1,
                             .left_step = shape.vocabulary,
                             .right = last_.out.data(),
                             .right_step = d,
                             .out = At(gradient, layout_.output),
                             .out_row = d},
                            stop_));
  HEADSCOPE_TRY(Multiply<T>({.rows = rows_,
                             .inner = shape.vocabulary,
                             .cols = d,
                             .left = logits_.data(),
                             .left_row = shape.vocabulary,
                             .right = At(weights, layout_.output),
                             .right_step = d,
                             .out = narrow_gradient_.data(),
                             .out_row = d},
                            stop_));
  NormBackward(weights, gradient, layout_.ln_f_weight, layout_.ln_f_bias, last_);
  for (std::size_t layer = layers_.size(); layer > 0; --layer) {
    HEADSCOPE_TRY(BackwardBlock(weights, gradient, layer - 1));
  }
  HoldSegments(layout_, gradient);
  for (std::size_t row = 0; row < lengths_.size(); ++row) {
    for (std::int64_t i = 0; i < lengths_[row]; ++i) {
      const std::int64_t place = first_[row] + i;
      const T* own = stream_gradient_.data() + place * d;
      AddRows(own,
              1,
              d,
              At(gradient, layout_.tokens + d * batch.ids[static_cast<std::size_t>(place)]),
              d);
      if (!shape.fixed_positions) {
        AddRows(own, 1, d, At(gradient, layout_.positions + d * i), d);
      }
    }
  }
  return {};
}

template <typename T>
std::span<const T> TrainNetwork<T>::Map(std::int64_t row,
                                        std::int64_t layer,
                                        std::int64_t head) const {
  const auto at = static_cast<std::size_t>(row);
  const std::int64_t cells = lengths_[at] * lengths_[at];
  return std::span(layers_[static_cast<std::size_t>(layer)].maps)
      .subspan(static_cast<std::size_t>(map_first_[at] + head * cells),
               static_cast<std::size_t>(cells));
}

template class TrainNetwork<float>;
template class TrainNetwork<double>;

}  // namespace headscope
