// Multi-head attention by itself against torch.nn.MultiheadAttention in float64.
#include <cmath>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "core/io/json.h"
#include "tests/golden/golden_file.h"
#include "tests/reference/multi_head_attention.h"
#include "tests/support/catch.h"
#include "tests/support/counted_numbers.h"
#include "tests/support/folders.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;
using test::Must;
using test::Tensor;

const fs::path kFolder = test::SourceFolder() / "tests" / "golden" / "multi_head";
constexpr std::int64_t kTokens = 12;

using Shapes = std::vector<std::vector<std::int64_t>>;

struct HeadCase {
  std::int64_t width = 0;
  std::int64_t heads = 0;
  std::int64_t every = 1;  // which columns of the output are kept
  double in_scale = 1.0;
  double out_scale = 1.0;
  double bias_scale = 1.0;
  double largest_score = 0.0;
  Shapes shapes;
  Shapes parameters;
};

Shapes ShapesIn(const JsonObject& entry, const char* name) {
  const auto list = Must(entry.Array(name));
  REQUIRE(list.has_value());
  Shapes shapes;
  for (const JsonValue one : *list) {
    shapes.emplace_back();
    const std::optional<JsonArray> sides = one.Array();
    REQUIRE(sides.has_value());
    for (const JsonValue side : *sides) {
      shapes.back().push_back(side.Integer().value());
    }
  }
  return shapes;
}

std::vector<HeadCase> Cases() {
  const JsonDocument manifest = Must(JsonDocument::Read(kFolder / "manifest.json", 1'000'000));
  const auto list = Must(Must(JsonObject::Root(manifest)).Array("cases"));
  REQUIRE(list.has_value());
  std::vector<HeadCase> cases;
  for (const JsonValue one : *list) {
    const std::optional<JsonObject> entry = JsonObject::Of(one, "manifest.json");
    REQUIRE(entry.has_value());
    cases.push_back({Must(entry->Integer("width", 1, 1000)),
                     Must(entry->Integer("heads", 1, 1000)),
                     Must(entry->Integer("every", 1, 100)),
                     Must(entry->Number("in_scale", 0.0, 10.0)),
                     Must(entry->Number("out_scale", 0.0, 10.0)),
                     Must(entry->Number("bias_scale", 0.0, 10.0)),
                     Must(entry->Number("largest_score", 0.0, 100.0)),
                     ShapesIn(*entry, "shapes"),
                     ShapesIn(*entry, "parameters")});
  }
  return cases;
}

std::vector<double> Doubles(const TensorView& tensor) {
  REQUIRE(tensor.type == DataType::kF64);
  std::vector<double> values(tensor.bytes.size() / sizeof(double));
  std::memcpy(values.data(), tensor.bytes.data(), tensor.bytes.size());
  return values;
}

// The state of the module, as torch keeps it, in one type or the other.
template <typename Number>
class State {
 public:
  explicit State(const HeadCase& one)
      : width_(one.width),
        in_weight_(Numbers(1000, 3 * one.width * one.width, one.in_scale)),
        in_bias_(Numbers(1001, 3 * one.width, one.bias_scale)),
        out_weight_(Numbers(1002, one.width * one.width, one.out_scale)),
        out_bias_(Numbers(1003, one.width, one.bias_scale)) {}

  [[nodiscard]] MultiHeadWeights Weights() const {
    return {InProjection(0), InProjection(1), InProjection(2), Output()};
  }

 private:
  static std::vector<Number> Numbers(std::uint64_t seed, std::int64_t count, double scale) {
    const std::vector<double> numbers = test::CountedNumbers(seed, count, scale);
    return {numbers.begin(), numbers.end()};
  }

  static TensorView View(const char* name,
                         std::vector<std::int64_t> shape,
                         std::span<const Number> values) {
    return {.name = name,
            .type = sizeof(Number) == 8 ? DataType::kF64 : DataType::kF32,
            .shape = std::move(shape),
            .bytes = std::as_bytes(values)};
  }

  [[nodiscard]] MultiHeadMatrix InProjection(std::int64_t part) const {
    const auto rows = static_cast<std::size_t>(width_);
    const std::size_t first = static_cast<std::size_t>(part) * rows;
    const std::span<const Number> weight(in_weight_);
    const std::span<const Number> bias(in_bias_);
    return {View("in_proj_weight", {width_, width_}, weight.subspan(first * rows, rows * rows)),
            View("in_proj_bias", {width_}, bias.subspan(first, rows))};
  }

  [[nodiscard]] MultiHeadMatrix Output() const {
    return {View("out_proj.weight", {width_, width_}, out_weight_),
            View("out_proj.bias", {width_}, out_bias_)};
  }

  std::int64_t width_;
  std::vector<Number> in_weight_;
  std::vector<Number> in_bias_;
  std::vector<Number> out_weight_;
  std::vector<Number> out_bias_;
};

std::vector<float> Inputs(const HeadCase& one) {
  const std::vector<double> numbers =
      test::CountedNumbers(static_cast<std::uint64_t>(one.width), kTokens * one.width, 1.0);
  return {numbers.begin(), numbers.end()};
}

// The maps without a rounding: what the attention makes of the identity in place of the values.
std::vector<double> ExactMaps(Backend* backend, const HeadCase& one, const State<double>& state) {
  std::vector<double> identity(static_cast<std::size_t>(one.heads * kTokens * kTokens), 0.0);
  std::vector<float> values(static_cast<std::size_t>(kTokens * kTokens), 0.0F);
  for (std::int64_t row = 0; row < one.heads * kTokens; ++row) {
    identity[static_cast<std::size_t>(row * kTokens + row % kTokens)] = 1.0;
  }
  for (std::int64_t row = 0; row < kTokens; ++row) {
    values[static_cast<std::size_t>(row * kTokens + row)] = 1.0F;
  }
  const std::vector<double> nothing(static_cast<std::size_t>(one.heads * kTokens), 0.0);
  const auto view = [](std::vector<std::int64_t> shape, const std::vector<double>& of) {
    return TensorView{.name = "identity",
                      .type = DataType::kF64,
                      .shape = std::move(shape),
                      .bytes = std::as_bytes(std::span<const double>(of))};
  };
  MultiHeadWeights weights = state.Weights();
  weights.value = {view({one.heads * kTokens, kTokens}, identity)};
  weights.output = {view({1, one.heads * kTokens}, nothing)};
  const MultiHeadShape shape{.heads = one.heads,
                             .head_dim = one.width / one.heads,
                             .value_dim = kTokens,
                             .query_width = one.width,
                             .key_width = one.width,
                             .value_width = kTokens,
                             .output_width = 1};
  const auto attention = Must(MultiHeadAttention::Make(backend, shape, weights));
  const std::vector<float> inputs = Inputs(one);
  const MultiHeadRun run =
      Must(attention.Run({.queries = inputs, .keys = inputs, .values = values}, HeadForm::kLooped));
  // [n, h, m] to [h, n, m].
  std::vector<double> maps;
  for (std::int64_t head = 0; head < one.heads; ++head) {
    for (std::int64_t query = 0; query < kTokens; ++query) {
      const auto first = run.context.begin() + (query * one.heads + head) * kTokens;
      maps.insert(maps.end(), first, first + kTokens);
    }
  }
  return maps;
}

template <typename Got>
double Worst(const std::vector<Got>& got, const std::vector<double>& expected) {
  REQUIRE(got.size() == expected.size());
  double worst = 0.0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double apart = std::fabs(static_cast<double>(got[i]) - expected[i]);
    worst = apart <= worst ? worst : apart;  // not-a-number becomes the worst
  }
  return worst;
}

std::vector<double> KeptColumns(const std::vector<double>& output, const HeadCase& one) {
  std::vector<double> kept;
  for (std::size_t i = 0; i < output.size(); ++i) {
    if (static_cast<std::int64_t>(i) % one.width % one.every == 0) {
      kept.push_back(output[i]);
    }
  }
  return kept;
}

TEST_CASE("Every number of heads gives what torch gives in float64", "[golden][multi_head]") {
  for (const HeadCase& one : Cases()) {
    CAPTURE(one.width, one.heads);
    REQUIRE(one.largest_score < 30.0);
    const WeightStore golden = Must(WeightStore::OpenSafetensors(
        kFolder / ("width_" + std::to_string(one.width) + ".safetensors")));
    const std::string heads = std::to_string(one.heads);
    const std::vector<double> maps = Doubles(Tensor(golden, "maps_" + heads));
    const std::vector<double> output = Doubles(Tensor(golden, "output_" + heads));
    const std::vector<float> inputs = Inputs(one);
    const MultiHeadInput input{.queries = inputs, .keys = inputs, .values = inputs};
    const MultiHeadShape shape = MultiHeadShape::Even(one.width, one.heads);

    const State<double> exact(one);
    const auto reference = MakeReferenceBackend();
    CHECK(Worst(ExactMaps(reference.get(), one, exact), maps) < 1e-9);
    const auto slow = Must(MultiHeadAttention::Make(reference.get(), shape, exact.Weights()));
    const State<float> rounded(one);
    const auto onednn = Must(MakeOnednnBackend());
    const auto fast = Must(MultiHeadAttention::Make(onednn.get(), shape, rounded.Weights()));
    for (const HeadForm form : {HeadForm::kStacked, HeadForm::kLooped}) {
      CAPTURE(form == HeadForm::kStacked);
      CHECK(Worst(KeptColumns(Must(slow.Run(input, form)).output, one), output) < 1e-9);
      const MultiHeadRun run = Must(fast.Run(input, form));
      CHECK(Worst(run.weights, maps) < 1e-5);
      CHECK(Worst(KeptColumns(run.output, one), output) < 1e-5);
    }
  }
}

TEST_CASE("The shapes on the way are those that torch prints", "[golden][multi_head]") {
  for (const HeadCase& one : Cases()) {
    const auto steps = ShapesOf(MultiHeadShape::Even(one.width, one.heads), kTokens, kTokens);
    const auto of = [&steps](const std::string& name) {
      for (const ShapeStep& step : steps) {
        if (step.name == name) {
          return step.shape;
        }
      }
      return std::vector<std::int64_t>();
    };
    CHECK(Shapes{of("X"), of("Q by head"), of("heads side by side"), of("output")} == one.shapes);
    if (one.width == 512 && one.heads == 2) {
      CHECK(one.parameters == Shapes{{1536, 512}, {1536}, {512, 512}, {512}});
      CHECK(one.shapes == Shapes{{1, 12, 512}, {2, 12, 256}, {12, 512}, {1, 12, 512}});
    }
  }
}

}  // namespace
}  // namespace headscope
