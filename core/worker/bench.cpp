#include "core/worker/bench.h"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <memory>
#include <unistd.h>
#include <utility>

#include "core/attention/capture.h"
#include "core/base/random.h"
#include "core/causes/text_without.h"
#include "core/compute/raw_products.h"
#include "core/compute/read_speed.h"
#include "core/model/read_weights.h"

namespace headscope {
namespace {

constexpr int kRuns = 5;
constexpr int kPairs = 15;          // a ratio of short times needs more of them
constexpr int kFewestPairs = 3;     // of long times so few will do
constexpr double kLongPairs = 1e4;  // milliseconds of all pairs together
constexpr std::uint64_t kSeed = 20260;

Result<double> TimeRun(Forward* forward,
                       const ForwardInput& input,
                       AttentionHistory* history = nullptr) {
  const auto start = std::chrono::steady_clock::now();
  CaptureOptions options;
  options.part = PartsOf(forward->model().description()).front();
  options.last_layer = forward->model().description().layers - 1;
  // Keeps layers until the end, as the window does.
  std::vector<std::shared_ptr<const LayerAttention>> layers;
  HEADSCOPE_TRY(CaptureAttention(
      forward,
      input,
      options,
      [&](std::shared_ptr<const LayerAttention> layer) -> Status {
        layers.push_back(std::move(layer));
        return {};
      },
      {},
      history));
  const std::chrono::duration<double, std::milli> elapsed =
      std::chrono::steady_clock::now() - start;
  return elapsed.count();
}

double Median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Times a text of that length with one more token at its end, a different one each time.
Result<double> AppendedMilliseconds(Forward* forward, ForwardInput input) {
  const ModelDescription& model = forward->model().description();
  if (static_cast<std::int64_t>(input.ids.size()) == model.positions) {
    input.ids.pop_back();
  }
  AttentionHistory history;
  if (!input.ids.empty()) {
    HEADSCOPE_TRY(TimeRun(forward, input, &history));
  }
  input.ids.push_back(0);
  std::vector<double> runs;
  for (int run = 0; run <= kRuns; ++run) {
    input.ids.back() = (input.ids.back() + 1) % static_cast<std::int32_t>(model.vocabulary);
    HEADSCOPE_TRY(const auto elapsed, TimeRun(forward, input, &history));
    if (run > 0) {  // the first run makes the primitives for so few rows
      runs.push_back(elapsed);
    }
  }
  return Median(runs);
}

// Times from a request to the last maps that come of it.
Result<double> HeadOffMilliseconds(TextWithout* text, const HeadsOff& off) {
  const auto start = std::chrono::steady_clock::now();
  auto maps = start;
  std::vector<std::shared_ptr<const LayerAttention>> layers;
  const auto take = [&](std::shared_ptr<const LayerAttention> layer) -> Status {
    layers.push_back(std::move(layer));
    maps = std::chrono::steady_clock::now();
    return {};
  };
  HEADSCOPE_TRY(text->Run(off, take, {}));
  return std::chrono::duration<double, std::milli>(maps - start).count();
}

Result<HeadOffTimes> MeasureHeadOff(Forward* forward, const ForwardInput& input) {
  const ModelDescription& model = forward->model().description();
  const ModelPart part = PartsOf(model).front();
  std::vector<double> first;
  std::vector<double> again;
  std::vector<double> forwards;
  double spent = 0.0;
  for (int run = 0; run <= kPairs && (run <= kFewestPairs || spent < kLongPairs); ++run) {
    HEADSCOPE_TRY(const auto whole, TimeRun(forward, input));
    TextWithout text(forward, input);
    HEADSCOPE_TRY(const auto one, HeadOffMilliseconds(&text, {.heads = {{0, 0, part}}}));
    HEADSCOPE_TRY(const auto other,
                  HeadOffMilliseconds(&text, {.heads = {{0, model.heads - 1, part}}}));
    spent += whole + one + other;
    if (run > 0) {  // the first run prepares what is behind the last maps
      first.push_back(one);
      again.push_back(other);
      forwards.push_back(one / whole);
    }
  }
  return HeadOffTimes{
      .first_ms = Median(first), .again_ms = Median(again), .forwards = Median(forwards)};
}

// Returns token ids, or embeddings for models that read those.
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

// Calls `see` for the products of a layer's MLP; of experts, for as many as each token has.
template <typename See>
void ForEachOfMlp(const MlpNeeds& mlp,
                  const std::optional<ExpertsDescription>& experts,
                  const See& see) {
  const auto all = [&](const MlpNeeds& one) {
    see(one.up);
    if (one.gate) {
      see(*one.gate);
    }
    see(one.down);
  };
  if (!experts) {
    all(mlp);
    return;
  }
  see(experts->router);
  const std::int64_t read = std::min(experts->choice.chosen, std::ssize(experts->expert));
  for (std::int64_t i = 0; i < read; ++i) {
    all(experts->expert[static_cast<std::size_t>(i)]);
  }
  if (experts->shared) {
    all(*experts->shared);
  }
}

template <typename See>
void ForEachOfBlocks(const std::vector<PlainBlock>& blocks, const See& see) {
  for (const PlainBlock& block : blocks) {
    if (block.convolution) {
      see(block.convolution->in);
      see(block.convolution->out);
    }
    if (block.memory) {
      see(block.memory->columns);
      see(block.memory->rates);
      see(block.memory->gate);
      see(block.memory->out);
    }
    if (block.mlp_norm) {
      ForEachOfMlp(block.mlp, block.experts, see);
    }
  }
}

// Calls `see` for every product with weights. The last layer needs only its scores.
template <typename See>
void ForEachProjection(const ModelDescription& model, const See& see) {
  ForEachOfBlocks(model.blocks_before, see);
  for (const LayerDescription& layer : model.layer) {
    if (layer.separate) {
      see(layer.separate->query);
      see(layer.separate->key);
      see(layer.separate->value);
    } else if (layer.latent) {
      if (layer.latent->query_latent) {
        see(layer.latent->query_latent->down);
      }
      see(layer.latent->query);
      see(layer.latent->key_value_latent.down);
      see(layer.latent->key);
      see(layer.latent->value);
      see(layer.latent->shared_key);
    } else {
      see(layer.query_key_value);
    }
    if (&layer == &model.layer.back()) {
      return;
    }
    see(layer.output);
    if (layer.has_mlp()) {
      ForEachOfMlp({layer.mlp_up, layer.mlp_gate, layer.mlp_down}, layer.experts, see);
    }
    ForEachOfBlocks(layer.blocks_behind, see);
  }
}

// Returns the size of the weights that a run reads.
std::int64_t WeightBytes(const Model& model) {
  std::size_t bytes = 0;
  ForEachProjection(model.description(), [&](const LinearNeed& linear) {
    PickedBytes picked;
    const LinearSource source = SourceOf(model, linear, &picked);
    for (const LinearSource::Matrix& matrix : source.matrices) {
      bytes += matrix.weight.bytes.size();
    }
  });
  return static_cast<std::int64_t>(bytes);
}

// Lists every product of the run.
std::vector<ProductShape> ProductsOf(const ModelDescription& model,
                                     std::int64_t tokens,
                                     Precision precision) {
  std::vector<ProductShape> products;
  ForEachProjection(model, [&](const LinearNeed& linear) {
    products.push_back({.batch = 1,
                        .rows = tokens,
                        .in = linear.in,
                        .out = ColumnCount(linear),
                        .precision = precision});
  });
  for (std::int64_t layer = 0; layer < model.layers; ++layer) {
    const HeadWidths widths = model.WidthsAt(layer);
    products.push_back({.batch = model.heads, .rows = tokens, .in = widths.key, .out = tokens});
    if (layer + 1 < model.layers) {
      products.push_back({.batch = model.heads, .rows = tokens, .in = tokens, .out = widths.value});
    }
  }
  return products;
}

Result<double> RawMilliseconds(const ModelDescription& model,
                               std::int64_t tokens,
                               Precision precision) {
  double sum = 0.0;
  std::vector<std::pair<ProductShape, double>> measured;  // layers repeat the same few shapes
  for (const ProductShape& shape : ProductsOf(model, tokens, precision)) {
    const auto known = std::find_if(
        measured.begin(), measured.end(), [&](const auto& entry) { return entry.first == shape; });
    if (known != measured.end()) {
      sum += known->second;
      continue;
    }
    HEADSCOPE_TRY(const auto raw, MeasureRawProduct(shape));
    measured.emplace_back(shape, raw.milliseconds);
    sum += raw.milliseconds;
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

Result<BenchCase> BenchLength(Forward* forward, std::int64_t tokens, Precision precision) {
  const ModelDescription& model = forward->model().description();
  const ForwardInput input = RandomInput(model, tokens);
  HEADSCOPE_TRY(CheckInput(model, input));
  BenchCase result;
  result.tokens = tokens;
  HEADSCOPE_TRY(const auto first, TimeRun(forward, input));
  result.first_ms = first;
  std::vector<double> runs;
  for (int run = 0; run < kRuns; ++run) {
    HEADSCOPE_TRY(const auto elapsed, TimeRun(forward, input));
    runs.push_back(elapsed);
  }
  result.median_ms = Median(runs);
  result.resident_bytes = ResidentBytes();
  result.map_bytes =
      model.layers * model.heads * tokens * tokens * static_cast<std::int64_t>(sizeof(float));
  HEADSCOPE_TRY(const auto raw, RawMilliseconds(model, tokens, precision));
  result.onednn_ms = raw;
  if (model.causal && !input.ids.empty()) {
    HEADSCOPE_TRY(const auto appended, AppendedMilliseconds(forward, input));
    HEADSCOPE_TRY(const auto reading, MeasureReading(WeightBytes(forward->model())));
    result.appended = Appended{.milliseconds = appended, .weights_ms = reading};
  }
  if (model.layers > 1 && !input.ids.empty() && precision == Precision::kF32) {
    HEADSCOPE_TRY(result.head_off, MeasureHeadOff(forward, input));
  }
  result.share = result.median_ms > 0.0 ? result.onednn_ms / result.median_ms : 0.0;
  return result;
}

}  // namespace headscope
