#include "tests/reference/multi_head_attention.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include <fmt/format.h>

#include "core/base/half.h"
#include "core/compute/copy_weights.h"

namespace headscope {
namespace {

Status CheckTensor(const TensorView& tensor, const std::vector<std::int64_t>& expected) {
  if (!IsFloatingPoint(tensor.type) || tensor.interleaved_rows != 0) {
    return Fail(
        ErrorCode::kUnsupported,
        fmt::format("{}: expected numbers of 16, 32 or 64 bits in order, found {}; convert it",
                    tensor.name,
                    Name(tensor.type)));
  }
  if (tensor.shape == expected) {
    return {};
  }
  return Fail(
      ErrorCode::kShape,
      fmt::format(
          "{}: expected {}, found {}", tensor.name, ShapeText(expected), ShapeText(tensor.shape)));
}

Status CheckMatrix(const MultiHeadMatrix& matrix, std::int64_t out, std::int64_t in) {
  HEADSCOPE_TRY(CheckTensor(matrix.weight, {out, in}));
  return matrix.bias ? CheckTensor(*matrix.bias, {out}) : Status();
}

Status CheckShape(const MultiHeadShape& shape) {
  const std::int64_t sizes[] = {shape.heads,
                                shape.head_dim,
                                shape.value_dim,
                                shape.query_width,
                                shape.key_width,
                                shape.value_width,
                                shape.output_width};
  if (std::ranges::any_of(sizes, [](std::int64_t size) { return size < 1; })) {
    return Fail(ErrorCode::kInput,
                fmt::format("an attention of {} heads, d_k {}, d_v {}: every size is 1 or more",
                            shape.heads,
                            shape.head_dim,
                            shape.value_dim));
  }
  return {};
}

// Returns columns [first, first + count) of a matrix, as a matrix of their own.
std::vector<std::byte> ColumnsOf(const TensorView& tensor, std::int64_t first, std::int64_t count) {
  const auto rows = static_cast<std::size_t>(tensor.shape[0]);
  const std::size_t row = tensor.bytes.size() / rows;
  const std::size_t item = row / static_cast<std::size_t>(tensor.shape[1]);
  std::vector<std::byte> columns;
  columns.reserve(rows * item * static_cast<std::size_t>(count));
  for (std::size_t at = 0; at < rows; ++at) {
    const auto own = tensor.bytes.subspan(at * row + static_cast<std::size_t>(first) * item,
                                          static_cast<std::size_t>(count) * item);
    columns.insert(columns.end(), own.begin(), own.end());
  }
  return columns;
}

LinearSource SourceOf(const MultiHeadMatrix& matrix, std::int64_t first, std::int64_t count) {
  LinearSource source;
  source.layout = WeightLayout::kOutIn;
  source.in = matrix.weight.shape[1];
  std::optional<TensorView> bias;
  if (matrix.bias) {
    bias = RowsOf(*matrix.bias, first, count);
  }
  source.matrices.push_back({RowsOf(matrix.weight, first, count), std::move(bias)});
  return source;
}

Status CheckRows(const char* name, std::span<const float> rows, std::int64_t width) {
  if (!rows.empty() && std::ssize(rows) % width == 0) {
    return {};
  }
  return Fail(
      ErrorCode::kShape,
      fmt::format(
          "{}: expected rows of {} numbers, found {} numbers in all", name, width, rows.size()));
}

// Copies the weights of some heads to their places among all heads.
class WeightCollector : public AttentionObserver {
 public:
  WeightCollector(std::int64_t first_head, std::int64_t queries, std::vector<float>* weights)
      : first_head_(first_head), queries_(queries), weights_(*weights) {}

  void OnBlock(const AttentionBlock& block) override {
    const std::int64_t before = first_head_ * queries_ * block.keys;
    CopyWeights(block, queries_, std::span(weights_).subspan(static_cast<std::size_t>(before)));
  }

 private:
  std::int64_t first_head_;
  std::int64_t queries_;
  std::vector<float>& weights_;
};

Result<std::unique_ptr<Activations>> Load(Backend* backend,
                                          std::span<const float> rows,
                                          std::int64_t width) {
  auto made = backend->Make(std::ssize(rows) / width, width);
  if (made) {
    backend->Load(rows, made->get());
  }
  return made;
}

Result<std::unique_ptr<Activations>> Apply(Backend* backend,
                                           const Linear& linear,
                                           std::span<const float> rows,
                                           const std::stop_token& stop) {
  HEADSCOPE_TRY(const auto in, Load(backend, rows, linear.in()));
  HEADSCOPE_TRY(auto out, backend->Make(in->rows(), linear.out()));
  HEADSCOPE_TRY(backend->Apply(linear, *in, out.get(), stop));
  return out;
}

// Copies the columns of some heads into those of all heads.
void ReadInto(const Backend& backend,
              const Activations& from,
              std::int64_t first,
              std::int64_t width,
              std::vector<double>* to) {
  std::vector<double> values(static_cast<std::size_t>(from.rows() * from.cols()));
  backend.ReadDouble(from, values);
  for (std::int64_t row = 0; row < from.rows(); ++row) {
    std::copy_n(values.data() + row * from.cols(), from.cols(), to->data() + row * width + first);
  }
}

}  // namespace

std::vector<ShapeStep> ShapesOf(const MultiHeadShape& shape,
                                std::int64_t queries,
                                std::int64_t keys) {
  return {{"X", {1, queries, shape.query_width}},
          {"Q by head", {shape.heads, queries, shape.head_dim}},
          {"K by head", {shape.heads, keys, shape.head_dim}},
          {"V by head", {shape.heads, keys, shape.value_dim}},
          {"scores", {shape.heads, queries, keys}},
          {"weights", {shape.heads, queries, keys}},
          {"A V by head", {shape.heads, queries, shape.value_dim}},
          {"heads side by side", {queries, shape.heads * shape.value_dim}},
          {"output", {1, queries, shape.output_width}}};
}

Result<MultiHeadAttention::Heads> MultiHeadAttention::Prepare(const MultiHeadWeights& weights,
                                                              std::int64_t first,
                                                              std::int64_t count,
                                                              const std::stop_token& stop) const {
  const auto prepare = [&](const MultiHeadMatrix& matrix, std::int64_t width) {
    return backend_->Prepare(SourceOf(matrix, first * width, count * width), stop);
  };
  HEADSCOPE_TRY(auto query, prepare(weights.query, shape_.head_dim));
  HEADSCOPE_TRY(auto key, prepare(weights.key, shape_.head_dim));
  HEADSCOPE_TRY(auto value, prepare(weights.value, shape_.value_dim));
  auto bytes = ColumnsOf(weights.output.weight, first * shape_.value_dim, count * shape_.value_dim);
  MultiHeadMatrix own = weights.output;
  own.weight.shape[1] = count * shape_.value_dim;
  own.weight.bytes = bytes;
  if (first > 0) {
    own.bias.reset();  // added once
  }
  HEADSCOPE_TRY(auto output, backend_->Prepare(SourceOf(own, 0, shape_.output_width), stop));
  return Heads{first,
               std::move(query),
               std::move(key),
               std::move(value),
               std::move(bytes),
               std::move(output)};
}

Result<MultiHeadAttention> MultiHeadAttention::Make(Backend* backend,
                                                    const MultiHeadShape& shape,
                                                    const MultiHeadWeights& weights,
                                                    const std::stop_token& stop) {
  HEADSCOPE_TRY(CheckShape(shape));
  const std::int64_t key_columns = shape.heads * shape.head_dim;
  const std::int64_t value_columns = shape.heads * shape.value_dim;
  HEADSCOPE_TRY(CheckMatrix(weights.query, key_columns, shape.query_width));
  HEADSCOPE_TRY(CheckMatrix(weights.key, key_columns, shape.key_width));
  HEADSCOPE_TRY(CheckMatrix(weights.value, value_columns, shape.value_width));
  HEADSCOPE_TRY(CheckMatrix(weights.output, shape.output_width, value_columns));
  MultiHeadAttention made(backend, shape);
  HEADSCOPE_TRY(auto stacked, made.Prepare(weights, 0, shape.heads, stop));
  made.stacked_ = std::move(stacked);
  for (std::int64_t head = 0; head < shape.heads; ++head) {
    HEADSCOPE_TRY(auto own, made.Prepare(weights, head, 1, stop));
    made.looped_.push_back(std::move(own));
  }
  return made;
}

Result<std::unique_ptr<Activations>> MultiHeadAttention::RunHeads(const MultiHeadInput& input,
                                                                  const Heads& heads,
                                                                  const std::stop_token& stop,
                                                                  MultiHeadRun* run) const {
  HEADSCOPE_TRY(const auto queries, Apply(backend_, *heads.query, input.queries, stop));
  HEADSCOPE_TRY(const auto keys, Apply(backend_, *heads.key, input.keys, stop));
  HEADSCOPE_TRY(const auto values, Apply(backend_, *heads.value, input.values, stop));
  const std::int64_t count = heads.query->out() / shape_.head_dim;
  AttentionInput attention{.shape = {.queries = run->num_queries,
                                     .keys = run->num_keys,
                                     .heads = count,
                                     .kv_heads = count,
                                     .head_dim = shape_.head_dim,
                                     .value_dim = shape_.value_dim},
                           .rule = {},
                           .queries = queries.get(),
                           .keys = keys.get(),
                           .values = values.get()};
  attention.rule.scale =
      input.scale.value_or(1.0 / std::sqrt(static_cast<double>(shape_.head_dim)));
  attention.rule.causal = input.causal;
  HEADSCOPE_TRY(const auto context, backend_->Make(run->num_queries, count * shape_.value_dim));
  WeightCollector collector(heads.first, run->num_queries, &run->weights);
  HEADSCOPE_TRY(backend_->Attend(attention, &collector, context.get(), stop));
  const std::int64_t key_columns = shape_.heads * shape_.head_dim;
  const std::int64_t value_columns = shape_.heads * shape_.value_dim;
  const std::int64_t key_first = heads.first * shape_.head_dim;
  const std::int64_t value_first = heads.first * shape_.value_dim;
  ReadInto(*backend_, *queries, key_first, key_columns, &run->queries);
  ReadInto(*backend_, *keys, key_first, key_columns, &run->keys);
  ReadInto(*backend_, *values, value_first, value_columns, &run->values);
  ReadInto(*backend_, *context, value_first, value_columns, &run->context);
  HEADSCOPE_TRY(auto output, backend_->Make(run->num_queries, shape_.output_width));
  HEADSCOPE_TRY(backend_->Apply(*heads.output, *context, output.get(), stop));
  return output;
}

Result<MultiHeadRun> MultiHeadAttention::Run(const MultiHeadInput& input,
                                             HeadForm form,
                                             const std::stop_token& stop) const {
  HEADSCOPE_TRY(CheckRows("the input of the queries", input.queries, shape_.query_width));
  HEADSCOPE_TRY(CheckRows("the input of the keys", input.keys, shape_.key_width));
  HEADSCOPE_TRY(CheckRows("the input of the values", input.values, shape_.value_width));
  MultiHeadRun run;
  run.num_queries = std::ssize(input.queries) / shape_.query_width;
  run.num_keys = std::ssize(input.keys) / shape_.key_width;
  if (std::ssize(input.values) / shape_.value_width != run.num_keys) {
    return Fail(ErrorCode::kShape,
                fmt::format("there are {} keys and {} values; each key has one value",
                            run.num_keys,
                            std::ssize(input.values) / shape_.value_width));
  }
  const auto room = [](std::int64_t rows, std::int64_t columns) {
    return static_cast<std::size_t>(rows * columns);
  };
  run.queries.resize(room(run.num_queries, shape_.heads * shape_.head_dim));
  run.keys.resize(room(run.num_keys, shape_.heads * shape_.head_dim));
  run.values.resize(room(run.num_keys, shape_.heads * shape_.value_dim));
  run.weights.resize(room(shape_.heads * run.num_queries, run.num_keys));
  run.context.resize(room(run.num_queries, shape_.heads * shape_.value_dim));
  run.output.resize(room(run.num_queries, shape_.output_width));
  const std::span<const Heads> parts =
      form == HeadForm::kStacked ? std::span<const Heads>(&stacked_, 1) : looped_;
  std::unique_ptr<Activations> sum;
  for (const Heads& heads : parts) {
    HEADSCOPE_TRY(auto output, RunHeads(input, heads, stop, &run));
    if (sum == nullptr) {
      sum = std::move(output);
    } else {
      backend_->Add(*output, sum.get());
    }
  }
  backend_->ReadDouble(*sum, run.output);
  return run;
}

}  // namespace headscope
