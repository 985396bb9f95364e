// Backends by number, random matrices, and an observer that keeps whole maps.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <ctime>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "core/compute/backend.h"
#include "tests/support/catch.h"

namespace headscope {

inline constexpr int kBackends = 3;

inline std::unique_ptr<Backend> MakeBackend(int number) {
  if (number == 2) {
    auto made = MakeOnednnBackend();
    REQUIRE(made);
    return std::move(*made);
  }
  return MakeReferenceBackend(number == 0 ? ReferenceForm::kPerHead : ReferenceForm::kStacked);
}

// Processor time of all threads: on a busy machine the wall clock says nothing about the program.
inline double CpuMilliseconds() {
  return 1000.0 * static_cast<double>(std::clock()) / static_cast<double>(CLOCKS_PER_SEC);
}

inline std::vector<float> RandomValues(std::int64_t count, std::uint64_t seed, double scale = 1.0) {
  RandomStream stream(seed);
  std::vector<float> values(static_cast<std::size_t>(count));
  for (float& value : values) {
    value = static_cast<float>(scale * stream.Normal());
  }
  return values;
}

inline std::unique_ptr<Activations> Loaded(Backend* backend,
                                           std::int64_t rows,
                                           std::int64_t cols,
                                           const std::vector<float>& values) {
  auto made = backend->Make(rows, cols);
  REQUIRE(made);
  backend->Load(values, made->get());
  return std::move(*made);
}

inline std::vector<double> Values(const Backend& backend, const Activations& in) {
  std::vector<double> values(static_cast<std::size_t>(in.rows() * in.cols()));
  backend.ReadDouble(in, values);
  return values;
}

// The largest difference; infinity where the sizes differ or a value is not a number.
template <typename A, typename B>
double Difference(const std::vector<A>& a, const std::vector<B>& b) {
  if (a.size() != b.size()) {
    return std::numeric_limits<double>::infinity();
  }
  double largest = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double difference = std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i]));
    if (!(difference <= largest)) {
      largest = std::isnan(difference) ? std::numeric_limits<double>::infinity() : difference;
    }
  }
  return largest;
}

// The largest magnitude, of numbers.
template <typename Number>
double Largest(const std::vector<Number>& values) {
  double largest = 0.0;
  for (const Number value : values) {
    largest = std::max(largest, std::isfinite(value) ? std::abs(static_cast<double>(value)) : 0.0);
  }
  return largest;
}

inline TensorView View(const std::string& name,
                       std::vector<std::int64_t> shape,
                       const std::vector<float>& values) {
  return {.name = name,
          .type = DataType::kF32,
          .shape = std::move(shape),
          .bytes = std::as_bytes(std::span(values))};
}

// Whole maps [H, n, m], and how often each row was given.
class MapKeeper : public AttentionObserver {
 public:
  void OnProjections(const AttentionProjections& given) override {
    ++projections_seen;
    shape = given.shape;
    rule = given.rule;
    queries.assign(given.queries.begin(), given.queries.end());
    keys.assign(given.keys.begin(), given.keys.end());
    values.assign(given.values.begin(), given.values.end());
    const auto rows = static_cast<std::size_t>(shape.heads * shape.queries);
    weights.assign(rows * static_cast<std::size_t>(shape.keys), -1.0F);
    row_max.assign(rows, 0.0F);
    row_inverse_sum.assign(rows, 0.0F);
    row_seen.assign(rows, 0);
  }

  void OnBlock(const AttentionBlock& block) override {
    const std::int64_t rows = block.query_end - block.query_begin;
    const std::int64_t heads = block.head_end - block.head_begin;
    REQUIRE(block.keys == shape.keys);
    REQUIRE(static_cast<std::int64_t>(block.weights.size()) == heads * rows * block.keys);
    REQUIRE(static_cast<std::int64_t>(block.row_max.size()) == heads * rows);
    REQUIRE(static_cast<std::int64_t>(block.row_inverse_sum.size()) == heads * rows);
    for (std::int64_t head = 0; head < heads; ++head) {
      for (std::int64_t row = 0; row < rows; ++row) {
        const auto from = static_cast<std::size_t>(head * rows + row);
        const auto to = static_cast<std::size_t>((block.head_begin + head) * shape.queries +
                                                 block.query_begin + row);
        const auto keys_count = static_cast<std::size_t>(block.keys);
        std::copy_n(block.weights.begin() + static_cast<std::ptrdiff_t>(from * keys_count),
                    keys_count,
                    weights.begin() + static_cast<std::ptrdiff_t>(to * keys_count));
        row_max[to] = block.row_max[from];
        row_inverse_sum[to] = block.row_inverse_sum[from];
        ++row_seen[to];
      }
    }
  }

  [[nodiscard]] float Weight(std::int64_t head, std::int64_t query, std::int64_t key) const {
    return weights[static_cast<std::size_t>((head * shape.queries + query) * shape.keys + key)];
  }

  int projections_seen = 0;
  AttentionShape shape;
  AttentionRule rule;
  std::vector<float> queries;
  std::vector<float> keys;
  std::vector<float> values;
  std::vector<float> weights;
  std::vector<float> row_max;
  std::vector<float> row_inverse_sum;
  std::vector<int> row_seen;
};

struct AttentionCase {
  AttentionShape shape;
  AttentionRule rule;
  std::vector<float> queries;
  std::vector<float> keys;
  std::vector<float> values;
};

inline AttentionCase RandomCase(const AttentionShape& shape,
                                const AttentionRule& rule,
                                std::uint64_t seed) {
  return {.shape = shape,
          .rule = rule,
          .queries = RandomValues(shape.queries * shape.heads * shape.head_dim, seed),
          .keys = RandomValues(shape.keys * shape.kv_heads * shape.head_dim, seed + 1),
          .values = RandomValues(shape.keys * shape.kv_heads * shape.value_dim, seed + 2)};
}

struct Attended {
  MapKeeper maps;
  std::vector<double> context;
};

inline Attended Attend(Backend* backend, const AttentionCase& given) {
  const AttentionShape& shape = given.shape;
  const auto q = Loaded(backend, shape.queries, shape.heads * shape.head_dim, given.queries);
  const auto k = Loaded(backend, shape.keys, shape.kv_heads * shape.head_dim, given.keys);
  const auto v = Loaded(backend, shape.keys, shape.kv_heads * shape.value_dim, given.values);
  auto context = backend->Make(shape.queries, shape.heads * shape.value_dim);
  REQUIRE(context);
  Attended result;
  const AttentionInput input{
      .shape = shape, .rule = given.rule, .queries = q.get(), .keys = k.get(), .values = v.get()};
  const Status status = backend->Attend(input, &result.maps, context->get(), {});
  if (!status) {
    FAIL(status.error().message);
  }
  result.context = Values(*backend, **context);
  return result;
}

}  // namespace headscope
