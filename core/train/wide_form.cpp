#include "core/train/wide_form.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "core/train/parameters.h"

namespace headscope {
namespace {

class WideFormMaker {
 public:
  WideFormMaker(const TrainShape& shape, std::span<const float> weights)
      : shape_(shape), layout_(MakeTrainLayout(shape)), weights_(weights) {
    const std::int64_t needed = std::max(shape.model_dim, shape.width());
    head_dim_ = (needed + shape.heads - 1) / shape.heads;
    form_.layers = shape.layers;
    form_.heads = shape.heads;
    form_.model_dim = head_dim_ * shape.heads;
    form_.inner = std::max<std::int64_t>(1, shape.inner);
    form_.vocabulary = shape.vocabulary;
    form_.context = shape.context;
    is_wider_ = form_.model_dim > shape.model_dim;
    form_.tied = shape.tied && !is_wider_;
    narrow_share_ = static_cast<double>(shape.model_dim) / static_cast<double>(form_.model_dim);
    form_.epsilon *= narrow_share_;
  }

  WideForm Make() {
    const std::int64_t d = form_.model_dim;
    AddWriter("transformer.wte.weight", layout_.tokens, shape_.vocabulary);
    AddWriter("transformer.wpe.weight", layout_.positions, shape_.context);
    for (std::int64_t layer = 0; layer < shape_.layers; ++layer) {
      AddBlock(fmt::format("transformer.h.{}.", layer),
               layout_.blocks[static_cast<std::size_t>(layer)]);
    }
    AddNorm("transformer.ln_f", layout_.ln_f_weight, layout_.ln_f_bias);
    if (!form_.tied) {
      std::vector<float>& output = Add("lm_head.weight", {shape_.vocabulary, d});
      CopyRows(layout_.output, shape_.vocabulary, shape_.model_dim, d, &output);
    }
    return std::move(form_);
  }

 private:
  std::vector<float>& Add(std::string name, std::vector<std::int64_t> shape) {
    const std::int64_t count =
        std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
    form_.tensors.push_back({std::move(name), std::move(shape), {}});
    form_.tensors.back().values.resize(static_cast<std::size_t>(count));
    return form_.tensors.back().values;
  }

  [[nodiscard]] std::span<const float> Row(std::int64_t begin, std::int64_t count) const {
    return weights_.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(count));
  }

  void CopyRows(std::int64_t begin,
                std::int64_t rows,
                std::int64_t cols,
                std::int64_t wide_cols,
                std::vector<float>* to) const {
    for (std::int64_t row = 0; row < rows; ++row) {
      std::ranges::copy(Row(begin + row * cols, cols), to->begin() + row * wide_cols);
    }
  }

  // A row that is added to the stream; in a wider model minus its mean.
  void WriteToStream(std::int64_t begin, float* to) const {
    const std::span<const float> from = Row(begin, shape_.model_dim);
    const double sum = std::accumulate(from.begin(), from.end(), 0.0);
    const double mean = is_wider_ ? sum / static_cast<double>(shape_.model_dim) : 0.0;
    std::ranges::transform(
        from, to, [&](float one) { return static_cast<float>(static_cast<double>(one) - mean); });
  }

  void AddWriter(const std::string& name, std::int64_t begin, std::int64_t rows) {
    std::vector<float>& to = Add(name, {rows, form_.model_dim});
    for (std::int64_t row = 0; row < rows; ++row) {
      WriteToStream(begin + row * shape_.model_dim, to.data() + row * form_.model_dim);
    }
  }

  void AddWriterBias(const std::string& name, std::int64_t begin) {
    WriteToStream(begin, Add(name, {form_.model_dim}).data());
  }

  void AddNorm(const std::string& name, std::int64_t weight, std::int64_t bias) {
    const auto factor = static_cast<float>(std::sqrt(narrow_share_));
    std::vector<float>& to = Add(name + ".weight", {form_.model_dim});
    std::ranges::transform(Row(weight, shape_.model_dim), to.begin(), [&](float one) {
      return is_wider_ ? one * factor : one;
    });
    std::vector<float>& biases = Add(name + ".bias", {form_.model_dim});
    std::ranges::copy(Row(bias, shape_.model_dim), biases.begin());
  }

  // Columns of queries, keys and values: each head's own first, then zeros.
  void CopyHeads(std::int64_t begin, float* to) const {
    const double query_factor =
        std::sqrt(static_cast<double>(head_dim_) / static_cast<double>(shape_.head_dim));
    for (std::int64_t part = 0; part < 3; ++part) {
      const double factor = part == 0 && head_dim_ != shape_.head_dim ? query_factor : 1.0;
      for (std::int64_t head = 0; head < shape_.heads; ++head) {
        const std::span<const float> from =
            Row(begin + part * shape_.width() + head * shape_.head_dim, shape_.head_dim);
        float* const own = to + (part * shape_.heads + head) * head_dim_;
        std::ranges::transform(from, own, [&](float one) {
          return static_cast<float>(static_cast<double>(one) * factor);
        });
      }
    }
  }

  void AddAttention(const std::string& prefix, const TrainBlockPlaces& at) {
    const std::int64_t d = form_.model_dim;
    std::vector<float>& projections = Add(prefix + "attn.c_attn.weight", {d, 3 * d});
    for (std::int64_t row = 0; row < shape_.model_dim; ++row) {
      CopyHeads(at.attn_weight + row * 3 * shape_.width(), projections.data() + row * 3 * d);
    }
    CopyHeads(at.attn_bias, Add(prefix + "attn.c_attn.bias", {3 * d}).data());
    std::vector<float>& output = Add(prefix + "attn.c_proj.weight", {d, d});
    for (std::int64_t row = 0; row < shape_.width(); ++row) {
      const std::int64_t wide_row = row / shape_.head_dim * head_dim_ + row % shape_.head_dim;
      WriteToStream(at.proj_weight + row * shape_.model_dim, output.data() + wide_row * d);
    }
    AddWriterBias(prefix + "attn.c_proj.bias", at.proj_bias);
  }

  void AddMlp(const std::string& prefix, const TrainBlockPlaces& at) {
    const std::int64_t d = form_.model_dim;
    if (shape_.inner > 0) {
      AddNorm(prefix + "ln_2", at.ln_2_weight, at.ln_2_bias);
      std::vector<float>& in = Add(prefix + "mlp.c_fc.weight", {d, shape_.inner});
      CopyRows(at.fc_weight, shape_.model_dim, shape_.inner, shape_.inner, &in);
      std::ranges::copy(Row(at.fc_bias, shape_.inner),
                        Add(prefix + "mlp.c_fc.bias", {shape_.inner}).begin());
      AddWriter(prefix + "mlp.c_proj.weight", at.mlp_weight, shape_.inner);
      AddWriterBias(prefix + "mlp.c_proj.bias", at.mlp_bias);
      return;
    }
    std::ranges::fill(Add(prefix + "ln_2.weight", {d}), 1.0F);
    Add(prefix + "ln_2.bias", {d});
    Add(prefix + "mlp.c_fc.weight", {d, form_.inner});
    Add(prefix + "mlp.c_fc.bias", {form_.inner});
    Add(prefix + "mlp.c_proj.weight", {form_.inner, d});
    Add(prefix + "mlp.c_proj.bias", {d});
  }

  void AddBlock(const std::string& prefix, const TrainBlockPlaces& at) {
    AddNorm(prefix + "ln_1", at.ln_1_weight, at.ln_1_bias);
    AddAttention(prefix, at);
    AddMlp(prefix, at);
  }

  TrainShape shape_;
  TrainLayout layout_;
  std::span<const float> weights_;
  std::int64_t head_dim_ = 0;
  bool is_wider_ = false;
  double narrow_share_ = 1.0;
  WideForm form_;
};

}  // namespace

WideForm MakeWideForm(const TrainShape& shape, std::span<const float> weights) {
  return WideFormMaker(shape, weights).Make();
}

}  // namespace headscope
