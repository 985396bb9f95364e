#include "core/session/bench.h"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <memory>
#include <unistd.h>
#include <utility>

#include "core/attention/capture.h"
#include "core/base/random.h"
#include "core/compute/raw_products.h"

namespace headscope {
namespace {

constexpr int kRuns = 5;
constexpr std::uint64_t kSeed = 20260;

Result<double> TimeRun(Forward* forward, const ForwardInput& input) {
  const auto start = std::chrono::steady_clock::now();
  CaptureOptions options;
  options.part = PartsOf(forward->model().description()).front();
  options.last_layer = forward->model().description().layers - 1;
  // Layers are kept until the end, as the window keeps them.
  std::vector<std::shared_ptr<const LayerAttention>> layers;
  HEADSCOPE_TRY(CaptureAttention(forward,
                                 input,
                                 options,
                                 [&](std::shared_ptr<const LayerAttention> layer) -> Status {
                                   layers.push_back(std::move(layer));
                                   return {};
                                 },
                                 {}));
  const std::chrono::duration<double, std::milli> elapsed =
      std::chrono::steady_clock::now() - start;
  return elapsed.count();
}

std::int64_t OutOf(const LinearNeed& linear) {
  std::int64_t out = 0;
  for (const LinearNeed::Part& part : linear.parts) {
    out += part.weight.rows                        ? part.weight.rows->count
           : linear.layout == WeightLayout::kInOut ? part.weight.shape.back()
                                                   : part.weight.shape.front();
  }
  return out;
}

// Token ids, or embeddings for what reads those.
ForwardInput RandomInput(const ModelDescription& model, std::int64_t tokens) {
  ForwardInput input;
  RandomStream random(kSeed);
  const auto fill = [&](std::int64_t width, std::vector<float>* values) {
    for (std::int64_t i = 0; i < tokens * width; ++i) {
      values->push_back(static_cast<float>(random.Normal()));
    }
  };
  if (const auto& separate = model.layer.front().separate) {
    fill(separate->query.in, &input.embeddings);
    fill(separate->key.in, &input.key_embeddings);
    fill(separate->value.in, &input.value_embeddings);
    return input;
  }
  for (std::int64_t i = 0; i < tokens; ++i) {
    input.ids.push_back(
        static_cast<std::int32_t>(random.Below(static_cast<std::uint64_t>(model.vocabulary))));
  }
  return input;
}

// Every product that the run makes. The last layer needs no more than its scores.
std::vector<ProductShape> ProductsOf(const ModelDescription& model, std::int64_t tokens) {
  std::vector<ProductShape> products;
  const auto add = [&](const LinearNeed& linear) {
    products.push_back({.batch = 1, .rows = tokens, .in = linear.in, .out = OutOf(linear)});
  };
  for (std::size_t i = 0; i < model.layer.size(); ++i) {
    const LayerDescription& layer = model.layer[i];
    if (layer.separate) {
      add(layer.separate->query);
      add(layer.separate->key);
      add(layer.separate->value);
    } else {
      add(layer.query_key_value);
    }
    products.push_back({.batch = model.heads, .rows = tokens, .in = model.head_dim, .out = tokens});
    if (i + 1 == model.layer.size()) {
      break;
    }
    products.push_back(
        {.batch = model.heads, .rows = tokens, .in = tokens, .out = model.value_dim});
    add(layer.output);
    add(layer.mlp_up);
    if (layer.mlp_gate) {
      add(*layer.mlp_gate);
    }
    add(layer.mlp_down);
  }
  return products;
}

Result<double> RawMilliseconds(const ModelDescription& model, std::int64_t tokens) {
  double sum = 0.0;
  std::vector<std::pair<ProductShape, double>> measured;  // layers repeat the same few shapes
  for (const ProductShape& shape : ProductsOf(model, tokens)) {
    const auto known = std::find_if(measured.begin(), measured.end(), [&](const auto& entry) {
      return entry.first.batch == shape.batch && entry.first.rows == shape.rows &&
             entry.first.in == shape.in && entry.first.out == shape.out;
    });
    if (known != measured.end()) {
      sum += known->second;
      continue;
    }
    const Result<RawProduct> raw = MeasureRawProduct(shape);
    if (!raw) {
      return PassOn(raw.error());
    }
    measured.emplace_back(shape, raw->milliseconds);
    sum += raw->milliseconds;
  }
  return sum;
}

}  // namespace

std::int64_t ResidentBytes() {
  std::ifstream file("/proc/self/statm");
  std::int64_t total = 0;
  std::int64_t resident = 0;
  file >> total >> resident;
  return file ? resident * sysconf(_SC_PAGESIZE) : 0;
}

Result<BenchCase> BenchLength(Forward* forward, std::int64_t tokens) {
  const ModelDescription& model = forward->model().description();
  const ForwardInput input = RandomInput(model, tokens);
  HEADSCOPE_TRY(CheckInput(model, input));
  BenchCase result;
  result.tokens = tokens;
  const Result<double> first = TimeRun(forward, input);
  if (!first) {
    return PassOn(first.error());
  }
  result.first_ms = *first;
  std::vector<double> runs;
  for (int run = 0; run < kRuns; ++run) {
    const Result<double> elapsed = TimeRun(forward, input);
    if (!elapsed) {
      return PassOn(elapsed.error());
    }
    runs.push_back(*elapsed);
  }
  std::nth_element(runs.begin(), runs.begin() + kRuns / 2, runs.end());
  result.median_ms = runs[kRuns / 2];
  result.resident_bytes = ResidentBytes();
  result.map_bytes =
      model.layers * model.heads * tokens * tokens * static_cast<std::int64_t>(sizeof(float));
  const Result<double> raw = RawMilliseconds(model, tokens);
  if (!raw) {
    return PassOn(raw.error());
  }
  result.onednn_ms = *raw;
  result.share = result.median_ms > 0.0 ? result.onednn_ms / result.median_ms : 0.0;
  return result;
}

}  // namespace headscope
