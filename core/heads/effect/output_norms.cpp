#include "core/heads/effect/output_norms.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/base/check.h"
#include "core/compute/float_kernels.h"
#include "core/compute/rows.h"
#include "core/model/read_weights.h"

namespace headscope {

std::vector<double> RelativeNorms(std::span<const double> output, std::int64_t heads) {
  std::vector<double> relative;
  const auto count = static_cast<std::size_t>(heads);
  for (std::size_t first = 0; first < output.size(); first += count) {
    const std::span<const double> layer = output.subspan(first, count);
    const double mean =
        std::accumulate(layer.begin(), layer.end(), 0.0) / static_cast<double>(heads);
    for (const double own : layer) {
      relative.push_back(mean > 0.0 ? own / mean : 0.0);
    }
  }
  return relative;
}

OutputNorms::OutputNorms(Forward* forward)
    : model_(forward->model()), backend_(forward->backend()) {}

void OutputNorms::Begin(std::vector<NormText> texts, const std::stop_token& stop) {
  HEADSCOPE_CHECK(!model_.description().decoder, "the model is of one part");
  texts_ = std::move(texts);
  stop_ = stop;
  status_ = {};
  separators_.clear();
  sums_.clear();
  const ModelDescription& model = model_.description();
  const std::vector<double> none(static_cast<std::size_t>(model.layers * model.heads));
  for (const NormText& text : texts_) {
    HEADSCOPE_CHECK(text.counts.size() == text.is_separator.size() &&
                        text.counts.size() == texts_.front().counts.size(),
                    "texts are of one length, and every token is told of");
    separators_.emplace_back();
    for (std::size_t key = 0; key < text.is_separator.size(); ++key) {
      if (text.is_separator[key]) {
        separators_.back().push_back(key);
      }
    }
    const std::int64_t rows = std::ranges::count(text.counts, true);
    const bool first_counts = !text.counts.empty() && text.counts.front();
    sums_.push_back({.output = none,
                     .separator_share = none,
                     .separator_chance = none,
                     .first_share = none,
                     .first_chance = none,
                     .rows = rows,
                     .first_rows = rows - (first_counts ? 1 : 0)});
  }
}

AttentionObserver* OutputNorms::BeginLayer(LayerId layer) {
  layer_ = layer;
  begun_ = 0;
  return this;
}

std::size_t OutputNorms::Cell(std::int64_t head) const {
  return static_cast<std::size_t>(layer_.layer * model_.description().heads + head);
}

// `output` [dv, d]: the head's rows of W_O.
Result<OutputNorms::Gram> OutputNorms::MakeGram(std::span<const float> output, std::int64_t width) {
  const auto linear_of = [&](std::span<const float> numbers, std::int64_t in) {
    const TensorView view{
        "an output projection", DataType::kF32, {width, in}, std::as_bytes(numbers)};
    return backend_.Prepare(
        {.layout = WeightLayout::kOutIn, .in = in, .matrices = {{view, std::nullopt}}}, stop_);
  };
  const std::int64_t model_dim = std::ssize(output) / width;
  HEADSCOPE_TRY(const auto by_itself, linear_of(output, model_dim));
  HEADSCOPE_TRY(const auto rows, MakeRows(&backend_, output, model_dim));
  Gram gram;
  HEADSCOPE_TRY(gram.numbers, Multiplied(&backend_, *by_itself, *rows, stop_));
  HEADSCOPE_TRY(gram.linear, linear_of(gram.numbers, width));
  return gram;
}

Result<const std::vector<OutputNorms::Gram>*> OutputNorms::GramsOf(LayerId layer) {
  const auto key = std::pair(layer.part, layer.layer);
  if (const auto found = grams_.find(key); found != grams_.end()) {
    return &found->second;
  }
  const ModelDescription& model = model_.description();
  const LinearNeed& need = model.layer[static_cast<std::size_t>(layer.layer)].output;
  const ProjectionColumns columns = ReadColumns(model_, need, 0, ColumnCount(need));
  const std::int64_t width = model.WidthsAt(layer.layer).value;
  std::vector<Gram> grams;
  std::vector<float> output(static_cast<std::size_t>(width * columns.columns()));
  for (std::int64_t head = 0; head < model.heads; ++head) {
    for (std::int64_t column = 0; column < columns.columns(); ++column) {
      const auto weights = columns.Column(column).subspan(static_cast<std::size_t>(head * width));
      for (std::int64_t row = 0; row < width; ++row) {
        output[static_cast<std::size_t>(row * columns.columns() + column)] =
            weights[static_cast<std::size_t>(row)];
      }
    }
    HEADSCOPE_TRY(auto gram, MakeGram(output, width));
    grams.push_back(std::move(gram));
  }
  return &grams_.emplace(key, std::move(grams)).first->second;
}

Status OutputNorms::Norms(const Gram& gram,
                          const Activations& rows,
                          std::span<const float> numbers,
                          std::int64_t first,
                          std::span<float> norms) {
  const std::int64_t width = gram.linear->in();
  for (std::unique_ptr<Activations>* slot : {&own_, &turned_}) {
    if (*slot == nullptr || (*slot)->rows() != rows.rows() || (*slot)->cols() != width) {
      HEADSCOPE_TRY(*slot, backend_.Make(rows.rows(), width));
    }
  }
  backend_.Slice(rows, first, own_.get());
  HEADSCOPE_TRY(backend_.Apply(*gram.linear, *own_, turned_.get(), stop_));
  room_.resize(static_cast<std::size_t>(rows.rows() * width));
  backend_.Read(*turned_, room_);
  for (std::int64_t row = 0; row < rows.rows(); ++row) {
    // Rounding may make a tiny square negative.
    const float square = Kernels().dot(
        numbers.data() + row * rows.cols() + first, room_.data() + row * width, width);
    norms[static_cast<std::size_t>(row)] = std::sqrt(std::max(0.0F, square));
  }
  return {};
}

Status OutputNorms::MeasureValues(const AttentionShape& shape, std::span<const float> values) {
  HEADSCOPE_TRY(const auto grams, GramsOf(layer_));
  HEADSCOPE_TRY(const auto rows, MakeRows(&backend_, values, shape.kv_heads * shape.value_dim));
  value_norms_.resize(static_cast<std::size_t>(shape.heads * shape.keys));
  const std::int64_t group = shape.heads / shape.kv_heads;
  for (std::int64_t head = 0; head < shape.heads; ++head) {
    HEADSCOPE_TRY(Norms((*grams)[static_cast<std::size_t>(head)],
                        *rows,
                        values,
                        head / group * shape.value_dim,
                        std::span(value_norms_)
                            .subspan(static_cast<std::size_t>(head * shape.keys),
                                     static_cast<std::size_t>(shape.keys))));
  }
  AddUpNorms(texts_[begun_ - 1]);
  return {};
}

void OutputNorms::AddUpNorms(const NormText& text) {
  all_before_.clear();
  resting_before_.clear();
  const std::size_t keys = text.counts.size();
  for (std::size_t first = 0; first < value_norms_.size(); first += keys) {
    double all = 0.0;
    double resting = 0.0;
    all_before_.push_back(all);
    resting_before_.push_back(resting);
    for (std::size_t key = 0; key < keys; ++key) {
      const auto norm = static_cast<double>(value_norms_[first + key]);
      all += norm;
      resting += text.is_separator[key] ? norm : 0.0;
      all_before_.push_back(all);
      resting_before_.push_back(resting);
    }
  }
}

void OutputNorms::OnProjections(const AttentionProjections& projections) {
  HEADSCOPE_CHECK(begun_ < texts_.size() && projections.shape.keys == projections.shape.queries &&
                      projections.shape.queries == std::ssize(texts_[begun_].counts),
                  "the texts that were announced are run");
  rule_ = projections.rule;
  ++begun_;
  if (status_ && sums_[begun_ - 1].rows > 0) {
    status_ = MeasureValues(projections.shape, projections.values);
  }
}

void OutputNorms::OnBlock(const AttentionBlock& block) {
  const NormText& text = texts_[begun_ - 1];
  NormSums& sums = sums_[begun_ - 1];
  if (!status_ || sums.rows == 0) {
    return;
  }
  const float* row = block.weights.data();
  for (std::int64_t head = block.head_begin; head < block.head_end; ++head) {
    const float* norms = value_norms_.data() + head * block.keys;
    const double* all_before = all_before_.data() + head * (block.keys + 1);
    const double* resting_before = resting_before_.data() + head * (block.keys + 1);
    for (std::int64_t query = block.query_begin; query < block.query_end;
         ++query, row += block.keys) {
      if (!text.counts[static_cast<std::size_t>(query)]) {
        continue;
      }
      const auto all = static_cast<double>(Kernels().dot(row, norms, block.keys));
      if (all > 0.0) {
        double rest = 0.0;
        for (const std::size_t key : separators_[begun_ - 1]) {
          rest += static_cast<double>(row[key]) * static_cast<double>(norms[key]);
        }
        sums.separator_share[Cell(head)] += rest / all;
        sums.first_share[Cell(head)] +=
            query > 0 ? static_cast<double>(row[0]) * static_cast<double>(norms[0]) / all : 0.0;
      }
      const std::int64_t first = rule_.FirstVisible(query);
      const std::int64_t last = rule_.LastVisible(query, block.keys);
      const double seen = all_before[last] - all_before[first];
      if (seen > 0.0) {
        sums.separator_chance[Cell(head)] += (resting_before[last] - resting_before[first]) / seen;
        sums.first_chance[Cell(head)] +=
            query > 0 && first == 0 ? static_cast<double>(norms[0]) / seen : 0.0;
      }
    }
  }
}

Status OutputNorms::MeasureContext(const Activations& context) {
  HEADSCOPE_TRY(const auto grams, GramsOf(layer_));
  const std::int64_t width = context.cols() / model_.description().heads;
  std::vector<float> numbers(static_cast<std::size_t>(context.rows() * context.cols()));
  backend_.Read(context, numbers);
  std::vector<float> norms(static_cast<std::size_t>(context.rows()));
  for (std::int64_t head = 0; head < model_.description().heads; ++head) {
    HEADSCOPE_TRY(
        Norms((*grams)[static_cast<std::size_t>(head)], context, numbers, head * width, norms));
    auto norm = norms.begin();
    for (std::size_t text = 0; text < texts_.size(); ++text) {
      for (const bool counts : texts_[text].counts) {
        sums_[text].output[Cell(head)] += counts ? static_cast<double>(*norm) : 0.0;
        ++norm;
      }
    }
  }
  return {};
}

void OutputNorms::OnContext(LayerId /*layer*/, const Activations& context) {
  if (status_) {
    status_ = MeasureContext(context);
  }
}

}  // namespace headscope
