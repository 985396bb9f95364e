#include "core/heads/copy_effect.h"

#include <algorithm>
#include <utility>

#include "core/base/check.h"
#include "core/base/random.h"
#include "core/compute/float_kernels.h"
#include "core/heads/frozen_norm.h"

namespace headscope {
namespace {

// The same weights, from what comes out to what goes in.
LinearSource Backwards(const Model& model, const LinearNeed& need) {
  HEADSCOPE_CHECK(need.matrices.size() == 1 && need.fused_heads == 0,
                  "an output projection is one matrix");
  const TensorNeed& weight = need.matrices.front().weight;
  const bool is_out_in = need.layout == WeightLayout::kOutIn;
  return {.layout = is_out_in ? WeightLayout::kInOut : WeightLayout::kOutIn,
          .in = weight.shape[is_out_in ? 0 : 1],
          .matrices = {{*model.weights().Find(weight.name), std::nullopt}}};
}

}  // namespace

CopyEffect::CopyEffect(Forward* forward, OutputPath path)
    : model_(forward->model()),
      backend_(forward->backend()),
      path_(std::move(path)),
      layers_(model_.description().layers),
      heads_(model_.description().heads) {}

Result<std::unique_ptr<CopyEffect>> CopyEffect::Make(Forward* forward,
                                                     const std::stop_token& stop) {
  Result<OutputPath> path = OutputPath::Make(forward->model(), stop);
  HEADSCOPE_TRY(path);
  return std::unique_ptr<CopyEffect>(new CopyEffect(forward, std::move(*path)));
}

void CopyEffect::Begin(CopyText text, const std::stop_token& stop) {
  HEADSCOPE_CHECK(text.ids.size() == text.is_special.size(), "every token is special or not");
  text_ = std::move(text);
  stop_ = stop;
  status_ = {};
  distinct_ = text_.ids;
  std::ranges::sort(distinct_);
  distinct_.erase(std::unique(distinct_.begin(), distinct_.end()), distinct_.end());
  which_.clear();
  directions_.reset();
  for (const std::int32_t id : text_.ids) {
    which_.push_back(
        static_cast<std::size_t>(std::ranges::lower_bound(distinct_, id) - distinct_.begin()));
  }
  DrawRows();
  const std::size_t rows = static_cast<std::size_t>(layers_ * heads_) * text_.ids.size();
  effects_.assign(rows, 0.0);
  counts_.assign(rows, false);
}

void CopyEffect::DrawRows() {
  drawn_.clear();
  for (std::size_t row = 0; row < text_.ids.size(); ++row) {
    if (text_.Counts(row)) {
      drawn_.push_back(static_cast<std::int64_t>(row));
    }
  }
  RandomStream random(text_.seed);
  const auto kept = std::min(drawn_.size(), static_cast<std::size_t>(text_.sampled_rows));
  for (std::size_t i = 0; i < kept; ++i) {
    std::swap(drawn_[i], drawn_[i + random.Below(drawn_.size() - i)]);
  }
  drawn_.resize(kept);
}

AttentionObserver* CopyEffect::BeginLayer(LayerId /*layer*/) {
  return this;
}

void CopyEffect::OnProjections(const AttentionShape& shape,
                               const AttentionRule& rule,
                               std::span<const float> /*queries*/,
                               std::span<const float> /*keys*/,
                               std::span<const float> /*values*/) {
  HEADSCOPE_CHECK(shape.queries == std::ssize(text_.ids), "the text that was announced is run");
  rule_ = rule;
  attended_.assign(static_cast<std::size_t>(shape.heads * shape.queries), -1);
}

void CopyEffect::OnBlock(const AttentionBlock& block) {
  const float* row = block.weights.data();
  for (std::int64_t head = block.head_begin; head < block.head_end; ++head) {
    for (std::int64_t query = block.query_begin; query < block.query_end; ++query) {
      std::int64_t best = -1;
      const std::int64_t last = rule_.LastVisible(query, block.keys);
      for (std::int64_t key = rule_.FirstVisible(query); key < last; ++key) {
        if (!text_.is_special[static_cast<std::size_t>(key)] &&
            (best < 0 || row[key] > row[best])) {
          best = key;
        }
      }
      attended_[static_cast<std::size_t>(head * std::ssize(text_.ids) + query)] = best;
      row += block.keys;
    }
  }
}

// What each distinct token's logit reads of the layer's heads side by side: [u, H dv].
Result<std::vector<float>> CopyEffect::ReadBack(std::int64_t layer) {
  std::unique_ptr<Linear>& linear = backwards_[layer];
  if (linear == nullptr) {
    const LayerDescription& description =
        model_.description().layer[static_cast<std::size_t>(layer)];
    Result<std::unique_ptr<Linear>> made =
        backend_.Prepare(Backwards(model_, description.output), stop_);
    HEADSCOPE_TRY(made);
    linear = std::move(*made);
  }
  const auto rows = static_cast<std::int64_t>(distinct_.size());
  if (directions_ == nullptr || !path_.are_layers_alike()) {
    Result<std::unique_ptr<Activations>> in = backend_.Make(rows, linear->in());
    HEADSCOPE_TRY(in);
    directions_ = std::move(*in);
    backend_.Load(path_.Directions(layer, distinct_), directions_.get());
  }
  const auto out = backend_.Make(rows, linear->out());
  HEADSCOPE_TRY(out);
  HEADSCOPE_TRY(backend_.Apply(*linear, *directions_, out->get(), stop_));
  std::vector<float> read(static_cast<std::size_t>(rows * linear->out()));
  backend_.Read(**out, read);
  return read;
}

Status CopyEffect::Measure(std::int64_t layer, const Activations& context) {
  const Result<std::vector<float>> read = ReadBack(layer);
  HEADSCOPE_TRY(read);
  std::vector<float> made(static_cast<std::size_t>(context.rows() * context.cols()));
  backend_.Read(context, made);
  const auto cols = static_cast<std::size_t>(context.cols());
  const std::size_t width = cols / static_cast<std::size_t>(heads_);
  const std::size_t rows = text_.ids.size();
  for (std::int64_t head = 0; head < heads_; ++head) {
    const std::size_t first = static_cast<std::size_t>(head) * width;
    for (std::size_t row = 0; row < rows; ++row) {
      const std::int64_t key = attended_[static_cast<std::size_t>(head) * rows + row];
      if (key < 0 || !text_.Counts(row)) {
        continue;
      }
      const float* left = made.data() + row * cols + first;
      const float* right = read->data() + which_[static_cast<std::size_t>(key)] * cols + first;
      const std::size_t cell = static_cast<std::size_t>(layer * heads_ + head) * rows + row;
      effects_[cell] =
          static_cast<double>(Kernels().dot(left, right, static_cast<std::int64_t>(width)));
      counts_[cell] = true;
    }
    for (const std::int64_t row : drawn_) {
      const std::int64_t key =
          attended_[static_cast<std::size_t>(head) * rows + static_cast<std::size_t>(row)];
      if (key >= 0) {
        const auto own = made.begin() + row * context.cols() + static_cast<std::int64_t>(first);
        samples_.push_back({layer,
                            head,
                            text_.ids[static_cast<std::size_t>(key)],
                            {own, own + static_cast<std::int64_t>(width)}});
      }
    }
  }
  return {};
}

void CopyEffect::OnContext(LayerId layer, const Activations& context) {
  if (status_) {
    status_ = Measure(layer.layer, context);
  }
}

Status CopyEffect::EndLayer(LayerId /*layer*/) {
  return status_;
}

void CopyEffect::OnNorm(const NormNeed& norm, const Activations& input) {
  const OutputPath::Layers through = path_.LayersThrough(norm);
  if (through.first == through.last) {
    return;
  }
  const auto width = static_cast<std::size_t>(input.cols());
  const std::size_t rows = text_.ids.size();
  std::vector<double> states(rows * width);
  backend_.ReadDouble(input, states);
  const NormWeights weights = ReadNorm(model_, norm);
  for (std::size_t row = 0; row < rows; ++row) {
    const double scale = NormScale(weights, std::span(states).subspan(row * width, width));
    for (std::int64_t head = through.first * heads_; head < through.last * heads_; ++head) {
      effects_[static_cast<std::size_t>(head) * rows + row] *= scale;
    }
  }
}

CopySums CopyEffect::Take() {
  const auto heads = static_cast<std::size_t>(layers_ * heads_);
  CopySums sums{std::vector<double>(heads), std::vector<std::int64_t>(heads)};
  const std::size_t rows = text_.ids.size();
  for (std::size_t cell = 0; cell < effects_.size(); ++cell) {
    if (counts_[cell]) {
      sums.effect[cell / rows] += effects_[cell];
      ++sums.rows[cell / rows];
    }
  }
  return sums;
}

}  // namespace headscope
