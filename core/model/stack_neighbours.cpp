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
namespace {

struct MemoryRates {
  std::vector<double> strengths;  // [rows, heads]
  std::vector<double> fadings;    // likewise
};

double Softplus(double x) {
  return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x)));
}

MemoryRates RatesOf(const DeltaMemory& memory,
                    std::span<const double> rates,
                    std::span<const float> log,
                    std::span<const float> bias) {
  const auto heads = static_cast<std::size_t>(memory.shape.heads);
  const std::size_t width = memory.space ? heads : 2 * heads;
  MemoryRates made;
  for (std::size_t row = 0; row < rates.size() / width; ++row) {
    const auto own = rates.subspan(row * width, width);
    for (std::size_t head = 0; head < heads; ++head) {
      double step = Softplus(own[width - heads + head] + static_cast<double>(bias[head]));
      if (memory.space) {
        step = std::clamp(step, memory.space->least_step, memory.space->most_step);
      }
      made.strengths.push_back(memory.space ? step : 1.0 / (1.0 + std::exp(-own[head])));
      const auto stored = static_cast<double>(log[head]);
      made.fadings.push_back(std::exp((memory.is_log ? -std::exp(stored) : stored) * step));
    }
  }
  return made;
}

// A state space's columns are values, keys and queries.
void PutQueriesFirst(const DeltaShape& shape, std::span<double> columns) {
  const auto width = static_cast<std::size_t>(shape.columns());
  const auto keys = static_cast<std::size_t>(shape.keys());
  for (std::size_t at = 0; at < columns.size(); at += width) {
    const auto row = columns.subspan(at, width);
    std::ranges::rotate(row, row.end() - static_cast<std::ptrdiff_t>(keys));
    std::ranges::rotate(row.subspan(keys), row.end() - static_cast<std::ptrdiff_t>(keys));
  }
}

// Adds to what each head says `skip` times its value.
void AddSkipped(const DeltaShape& shape,
                std::span<const double> columns,
                std::span<const float> skip,
                std::span<double> said) {
  const auto values = static_cast<std::size_t>(shape.values());
  const auto width = static_cast<std::size_t>(shape.columns());
  for (std::size_t i = 0; i < said.size(); ++i) {
    const std::size_t column = i % values;
    const float factor = skip[column / static_cast<std::size_t>(shape.value_width)];
    said[i] += static_cast<double>(factor) * columns[i / values * width + width - values + column];
  }
}

}  // namespace

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

// Makes beside_ hold what a memory reads of each token, and routed_ its rates.
Status StackPass::ReadMemory(const DeltaMemory& memory) {
  HEADSCOPE_TRY(Apply(memory.columns, *normed_, &projected_));
  HEADSCOPE_TRY(SumTaps(*projected_, memory.taps, memory.taps_bias));
  backend_.Activate(memory.activation, beside_.get());
  return Apply(memory.rates, *normed_, &routed_);
}

// Returns what each head says of each token, [rows, values].
Result<std::vector<float>> StackPass::Recollect(const DeltaMemory& memory) {
  HEADSCOPE_UNPACK(log, weights_.Get(memory.fading_log));
  HEADSCOPE_UNPACK(bias, weights_.Get(memory.fading_bias));
  const auto read = [&](const Activations& from) {
    std::vector<double> values(static_cast<std::size_t>(from.rows() * from.cols()));
    backend_.ReadDouble(from, values);
    return values;
  };
  std::vector<double> columns = read(*beside_);
  const MemoryRates rates = RatesOf(memory, read(*routed_), *log, *bias);
  DeltaShape shape = memory.shape;
  shape.tokens = rows_ / texts_;
  if (memory.space) {
    PutQueriesFirst(shape, columns);
  }
  std::vector<float> said;
  const auto tokens = static_cast<std::size_t>(shape.tokens);
  for (std::size_t first = 0; first < static_cast<std::size_t>(rows_); first += tokens) {
    HEADSCOPE_TRY(Stopped());
    const auto of_text = [&](const std::vector<double>& all, std::int64_t width) {
      const auto wide = static_cast<std::size_t>(width);
      return std::span(all).subspan(first * wide, tokens * wide);
    };
    const auto of_columns = of_text(columns, shape.columns());
    std::vector<double> made = ApplyDeltaRule(shape,
                                              of_columns,
                                              of_text(rates.strengths, shape.heads),
                                              of_text(rates.fadings, shape.heads));
    if (memory.space) {
      HEADSCOPE_UNPACK(skip, weights_.Get(memory.space->skip));
      AddSkipped(shape, of_columns, *skip, made);
    }
    said.insert(said.end(), made.begin(), made.end());
  }
  return said;
}

Status StackPass::Recall(const DeltaMemory& memory) {
  HEADSCOPE_TRY(ReadMemory(memory));
  HEADSCOPE_TRY(const auto said, Recollect(memory));
  HEADSCOPE_TRY(LoadRows(said, memory.shape.values(), &up_));
  HEADSCOPE_TRY(Apply(memory.gate, *normed_, &gate_));
  if (memory.space) {
    backend_.Activate(ActivationKind::kSilu, gate_.get());
    backend_.Multiply(*gate_, up_.get());
    HEADSCOPE_TRY(Norm(memory.norm, *up_, up_.get()));
  } else {
    HEADSCOPE_TRY(Norm(memory.norm, *up_, up_.get()));
    backend_.Activate(memory.activation, gate_.get());
    backend_.Multiply(*gate_, up_.get());
  }
  return Apply(memory.out, *up_, &made_);
}

Status StackPass::RunBlocks(const std::vector<PlainBlock>& blocks) {
  HEADSCOPE_CHECK(blocks.empty() || first_ == 0, "a convolution reads all tokens");
  for (const PlainBlock& block : blocks) {
    if (block.norm) {
      HEADSCOPE_TRY(Norm(block.norm, *hidden_, normed_.get()));
      HEADSCOPE_TRY(block.convolution ? Convolve(*block.convolution) : Recall(*block.memory));
      backend_.Add(*made_, hidden_.get());
    }
    if (!block.mlp_norm) {
      continue;
    }
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
