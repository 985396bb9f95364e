#include "core/heads/effect/copy_effect.h"

#include <algorithm>
#include <utility>

#include "core/base/check.h"
#include "core/base/random.h"
#include "core/compute/float_kernels.h"
#include "core/compute/rows.h"
#include "core/heads/effect/frozen_norm.h"

namespace headscope {
namespace {

// Returns the same weights, transposed: from outputs to inputs.
LinearSource Backwards(const Model& model, const LinearNeed& need, PickedBytes* picked) {
  HEADSCOPE_CHECK(need.matrices.size() == 1 && need.fused_heads == 0,
                  "an output projection is one matrix");
  LinearSource source = SourceOf(model, need, picked);
  TensorView& weight = source.matrices.front().weight;
  const bool is_out_in = need.layout == WeightLayout::kOutIn;
  return {.layout = is_out_in ? WeightLayout::kInOut : WeightLayout::kOutIn,
          .in = weight.shape[is_out_in ? 0 : 1],
          .matrices = {{std::move(weight), std::nullopt}}};
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
  HEADSCOPE_TRY(auto path, OutputPath::Make(forward->model(), stop));
  return std::unique_ptr<CopyEffect>(new CopyEffect(forward, std::move(path)));
}

void CopyEffect::Begin(std::vector<CopyText> texts, const std::stop_token& stop) {
  texts_ = std::move(texts);
  length_ = std::ssize(texts_.front().ids);
  stop_ = stop;
  status_ = {};
  ids_.clear();
  is_special_.clear();
  row_counts_.clear();
  distinct_.clear();
  which_.clear();
  drawn_.clear();
  directions_.reset();
  for (const CopyText& text : texts_) {
    HEADSCOPE_CHECK(std::ssize(text.ids) == length_ && text.ids.size() == text.is_special.size(),
                    "texts are of one length, and every token is special or not");
    DrawRows(text, std::ssize(ids_));
    bool has_rows = false;
    for (std::size_t row = 0; row < text.ids.size(); ++row) {
      row_counts_.push_back(text.Counts(row));
      has_rows = has_rows || row_counts_.back();
    }
    ids_.insert(ids_.end(), text.ids.begin(), text.ids.end());
    is_special_.insert(is_special_.end(), text.is_special.begin(), text.is_special.end());
    if (has_rows) {
      distinct_.insert(distinct_.end(), text.ids.begin(), text.ids.end());
    }
  }
  std::ranges::sort(distinct_);
  distinct_.erase(std::unique(distinct_.begin(), distinct_.end()), distinct_.end());
  for (const std::int32_t id : ids_) {
    which_.push_back(
        static_cast<std::size_t>(std::ranges::lower_bound(distinct_, id) - distinct_.begin()));
  }
  const std::size_t rows = static_cast<std::size_t>(layers_ * heads_) * ids_.size();
  effects_.assign(rows, 0.0);
  counts_.assign(rows, false);
}

// Draws rows of a text; its first row has index `first` overall.
void CopyEffect::DrawRows(const CopyText& text, std::int64_t first) {
  std::vector<std::int64_t> drawn;
  for (std::size_t row = 0; row < text.ids.size(); ++row) {
    if (text.Counts(row)) {
      drawn.push_back(first + static_cast<std::int64_t>(row));
    }
  }
  RandomStream random(text.seed);
  const auto kept = std::min(drawn.size(), static_cast<std::size_t>(text.sampled_rows));
  for (std::size_t i = 0; i < kept; ++i) {
    std::swap(drawn[i], drawn[i + random.Below(drawn.size() - i)]);
    drawn_.push_back(drawn[i]);
  }
}

AttentionObserver* CopyEffect::BeginLayer(LayerId /*layer*/) {
  begun_ = 0;
  attended_.assign(static_cast<std::size_t>(heads_) * ids_.size(), -1);
  return this;
}

void CopyEffect::OnProjections(const AttentionProjections& projections) {
  HEADSCOPE_CHECK(projections.shape.queries == length_ && begun_ < std::ssize(texts_),
                  "the texts that were announced are run");
  rule_ = projections.rule;
  ++begun_;
}

void CopyEffect::OnBlock(const AttentionBlock& block) {
  const std::int64_t first = (begun_ - 1) * length_;
  const float* row = block.weights.data();
  for (std::int64_t head = block.head_begin; head < block.head_end; ++head) {
    for (std::int64_t query = block.query_begin; query < block.query_end;
         ++query, row += block.keys) {
      if (!row_counts_[static_cast<std::size_t>(first + query)]) {
        continue;
      }
      std::int64_t best = -1;
      const std::int64_t last = rule_.LastVisible(query, block.keys);
      for (std::int64_t key = rule_.FirstVisible(query); key < last; ++key) {
        if (!is_special_[static_cast<std::size_t>(first + key)] &&
            (best < 0 || row[key] > row[best])) {
          best = key;
        }
      }
      if (best >= 0) {
        attended_[static_cast<std::size_t>(head * std::ssize(ids_) + first + query)] = first + best;
      }
    }
  }
}

// Returns how each distinct token's logit depends on the layer's heads side by side: [u, H dv].
Result<std::vector<float>> CopyEffect::ReadBack(std::int64_t layer) {
  std::unique_ptr<Linear>& linear = backwards_[layer];
  if (linear == nullptr) {
    const LayerDescription& description =
        model_.description().layer[static_cast<std::size_t>(layer)];
    HEADSCOPE_TRY(linear, backend_.Prepare(Backwards(model_, description.output, &picked_), stop_));
  }
  if (directions_ == nullptr || !path_.are_layers_alike()) {
    HEADSCOPE_TRY(directions_,
                  MakeRows(&backend_, path_.Directions(layer, distinct_), linear->in()));
  }
  return Multiplied(&backend_, *linear, *directions_, stop_);
}

Status CopyEffect::Measure(std::int64_t layer, const Activations& context) {
  if (distinct_.empty()) {
    return {};
  }
  HEADSCOPE_TRY(const auto read, ReadBack(layer));
  const std::vector<float> made = ReadRows(backend_, context);
  const auto cols = static_cast<std::size_t>(context.cols());
  const std::size_t width = cols / static_cast<std::size_t>(heads_);
  const std::size_t rows = ids_.size();
  for (std::int64_t head = 0; head < heads_; ++head) {
    const std::size_t first = static_cast<std::size_t>(head) * width;
    for (std::size_t row = 0; row < rows; ++row) {
      const std::int64_t key = attended_[static_cast<std::size_t>(head) * rows + row];
      if (key < 0 || !row_counts_[row]) {
        continue;
      }
      const float* left = made.data() + row * cols + first;
      const float* right = read.data() + which_[static_cast<std::size_t>(key)] * cols + first;
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
                            ids_[static_cast<std::size_t>(key)],
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
  const std::size_t rows = ids_.size();
  std::vector<double> states(rows * width);
  backend_.ReadDouble(input, states);
  const NormWeights weights = ReadNorm(model_, norm);
  for (std::size_t row = 0; row < rows; ++row) {
    if (!row_counts_[row]) {
      continue;
    }
    const double scale = NormScale(weights, std::span(states).subspan(row * width, width));
    for (std::int64_t head = through.first * heads_; head < through.last * heads_; ++head) {
      effects_[static_cast<std::size_t>(head) * rows + row] *= scale;
    }
  }
}

CopySums CopyEffect::Take(std::size_t text) const {
  const auto heads = static_cast<std::size_t>(layers_ * heads_);
  CopySums sums{std::vector<double>(heads), std::vector<std::int64_t>(heads)};
  const auto length = static_cast<std::size_t>(length_);
  for (std::size_t head = 0; head < heads; ++head) {
    const std::size_t first = head * ids_.size() + text * length;
    for (std::size_t cell = first; cell < first + length; ++cell) {
      if (counts_[cell]) {
        sums.effect[head] += effects_[cell];
        ++sums.rows[head];
      }
    }
  }
  return sums;
}

}  // namespace headscope
