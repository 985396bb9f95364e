#include "core/train/network.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "core/base/stop.h"
#include "core/train/parameters.h"
#include "core/train/row_loops.h"
#include "tests/support/catch.h"

namespace headscope {
namespace {

struct ShapeCase {
  std::string name;
  TrainShape shape;
  double disagreement = 0.0;
};

TrainShape TinyShape() {
  return {.layers = 2, .heads = 2, .head_dim = 3, .model_dim = 6, .vocabulary = 7, .context = 6};
}

std::vector<ShapeCase> AllShapeCases() {
  std::vector<ShapeCase> cases;
  const auto add = [&](const std::string& name, auto change) {
    TrainShape shape = TinyShape();
    change(&shape);
    cases.push_back({name, shape});
  };
  const auto add_apart = [&](const std::string& name, auto change) {
    add(name, change);
    cases.back().disagreement = 1.7;
  };
  add("plain", [](TrainShape*) {});
  add("one layer", [](TrainShape* shape) { shape->layers = 1; });
  add("three layers", [](TrainShape* shape) { shape->layers = 3; });
  add("one head", [](TrainShape* shape) {
    shape->heads = 1;
    shape->head_dim = 6;
  });
  add("heads wider than the model", [](TrainShape* shape) { shape->head_dim = 5; });
  add("heads narrower than the model", [](TrainShape* shape) { shape->head_dim = 1; });
  add("an MLP", [](TrainShape* shape) { shape->inner = 9; });
  add("tied", [](TrainShape* shape) { shape->tied = true; });
  add("sinusoids", [](TrainShape* shape) { shape->fixed_positions = true; });
  add("own segments", [](TrainShape* shape) { shape->own_segments = true; });
  add("own segments of two widths", [](TrainShape* shape) {
    shape->own_segments = true;
    shape->heads = 4;
  });
  add("all at once", [](TrainShape* shape) {
    shape->own_segments = true;
    shape->inner = 5;
    shape->tied = true;
    shape->fixed_positions = true;
    shape->head_dim = 4;
  });
  add_apart("disagreement", [](TrainShape*) {});
  add_apart("disagreement of three heads and one layer", [](TrainShape* shape) {
    shape->layers = 1;
    shape->heads = 3;
    shape->inner = 5;
  });
  add_apart("disagreement of one head", [](TrainShape* shape) { shape->heads = 1; });
  return cases;
}

// Rows of unequal lengths, one id without a target.
TrainBatch UnevenBatch(const TrainShape& shape) {
  RandomStream random(3);
  TrainBatch batch;
  for (const std::int64_t length : {shape.context, shape.context - 2, std::int64_t{1}}) {
    std::vector<std::int32_t> row;
    for (std::int64_t i = 0; i <= length; ++i) {
      row.push_back(
          static_cast<std::int32_t>(random.Below(static_cast<std::uint64_t>(shape.vocabulary))));
    }
    AddTrainRow(row, &batch);
  }
  batch.targets[2] = kNoTarget;
  return batch;
}

// Weights that are all unlike 0 and 1, norms' and biases' too.
template <typename T>
std::vector<T> UnevenWeights(const TrainLayout& layout) {
  RandomStream random(5);
  std::vector<T> weights;
  for (const float weight : DrawWeights(layout, {.spread = 0.2}, 1)) {
    weights.push_back(static_cast<T>(static_cast<double>(weight) + 0.1 * random.Normal()));
  }
  HoldSegments<T>(layout, weights);
  return weights;
}

template <typename T>
std::vector<T> GradientOf(TrainNetwork<T>* network,
                          const std::vector<T>& weights,
                          const TrainBatch& batch) {
  std::vector<T> gradient(weights.size());
  REQUIRE(network->Forward(weights, batch, {}));
  REQUIRE(network->Backward(weights, batch, gradient, {}));
  return gradient;
}

double NormOf(std::span<const double> values) {
  return std::sqrt(SumOfSquares(values.data(), std::ssize(values)));
}

TEST_CASE("every weight's gradient is that of central differences, with every option", "[train]") {
  for (const ShapeCase& one : AllShapeCases()) {
    TrainNetwork<double> network(one.shape, one.disagreement);
    const TrainLayout& layout = network.layout();
    const TrainBatch batch = UnevenBatch(one.shape);
    const auto minimised = [&](const std::vector<double>& at) {
      const double loss = network.Forward(at, batch, {}).value();
      return loss + one.disagreement * network.alikeness();
    };
    std::vector<double> weights = UnevenWeights<double>(layout);
    const std::vector<double> gradient = GradientOf(&network, weights, batch);
    std::vector<double> free(weights.size(), 1.0);
    HoldSegments<double>(layout, free);
    for (const TrainParameter& parameter : layout.all) {
      INFO(one.name << ", " << parameter.name);
      const auto begin = static_cast<std::size_t>(parameter.begin);
      const auto count = static_cast<std::size_t>(parameter.count);
      std::vector<double> measured(count);
      constexpr double kStep = 1e-5;
      for (std::size_t i = 0; i < count; ++i) {
        const double kept = weights[begin + i];
        weights[begin + i] = kept + kStep;
        const double above = minimised(weights);
        weights[begin + i] = kept - kStep;
        const double below = minimised(weights);
        weights[begin + i] = kept;
        measured[i] = free[begin + i] * (above - below) / (2 * kStep);
      }
      const std::span own = std::span(gradient).subspan(begin, count);
      if (parameter.name == "wpe.weight" && one.shape.fixed_positions) {
        CHECK(NormOf(own) == 0.0);
        continue;
      }
      const double norm = NormOf(measured);
      REQUIRE(norm > 1e-6);
      double farthest = 0.0;
      for (std::size_t i = 0; i < count; ++i) {
        // Numbers that are 0 in truth have the difference quotient's own rounding, 1e-11.
        const double off = std::abs(own[i] - measured[i]);
        farthest = std::max(farthest, off / std::max(std::abs(measured[i]), 1e-3 * norm));
      }
      CHECK(farthest < 1e-4);
    }
  }
}

TEST_CASE("a head's segment is all that its queries, keys and values are made of", "[train]") {
  TrainShape shape = TinyShape();
  shape.own_segments = true;
  shape.heads = 4;  // of 6 columns: 2, 2, 1, 1
  const TrainLayout layout = MakeTrainLayout(shape);
  std::vector<float> ones(static_cast<std::size_t>(layout.count), 1.0F);
  HoldSegments<float>(layout, ones);
  constexpr std::array<std::int64_t, 6> kOwners = {0, 0, 1, 1, 2, 3};
  std::int64_t held = 0;
  for (const TrainBlockPlaces& at : layout.blocks) {
    for (std::int64_t row = 0; row < 6; ++row) {
      for (std::int64_t column = 0; column < 3 * shape.width(); ++column) {
        const std::int64_t head = column % shape.width() / shape.head_dim;
        const bool is_own = kOwners[static_cast<std::size_t>(row)] == head;
        held += is_own ? 0 : 1;
        const float one =
            ones[static_cast<std::size_t>(at.attn_weight + row * 3 * shape.width() + column)];
        CHECK(one == (is_own ? 1.0F : 0.0F));
      }
    }
  }
  CHECK(std::ranges::count(ones, 0.0F) == held);
  shape.own_segments = false;
  std::ranges::fill(ones, 1.0F);
  HoldSegments<float>(MakeTrainLayout(shape), ones);
  CHECK(std::ranges::count(ones, 0.0F) == 0);
}

TEST_CASE("float32's loss and gradient are those of double", "[train]") {
  for (const ShapeCase& one : AllShapeCases()) {
    INFO(one.name);
    TrainNetwork<double> exact(one.shape, one.disagreement);
    TrainNetwork<float> network(one.shape, one.disagreement);
    const TrainBatch batch = UnevenBatch(one.shape);
    const std::vector<float> weights = UnevenWeights<float>(network.layout());
    const std::vector<double> same(weights.begin(), weights.end());
    const std::vector<float> gradient = GradientOf(&network, weights, batch);
    const std::vector<double> wanted = GradientOf(&exact, same, batch);
    CHECK(network.Forward(weights, batch, {}).value() ==
          Approx(exact.Forward(same, batch, {}).value()).epsilon(1e-6));
    const double norm = NormOf(wanted);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      REQUIRE(std::abs(static_cast<double>(gradient[i]) - wanted[i]) < 2e-6 * norm);
    }
  }
}

TEST_CASE("alikeness is the mean cosine between rows of pairs of heads", "[train]") {
  TrainShape shape = TinyShape();
  shape.heads = 3;
  TrainNetwork<double> network(shape, 1.0);
  const TrainBatch batch = UnevenBatch(shape);
  REQUIRE(network.Forward(UnevenWeights<double>(network.layout()), batch, {}));
  double sum = 0.0;
  double count = 0.0;
  for (std::int64_t row = 0; row < std::ssize(batch.lengths); ++row) {
    const auto length = static_cast<std::size_t>(batch.lengths[static_cast<std::size_t>(row)]);
    for (std::int64_t layer = 0; layer < shape.layers; ++layer) {
      for (std::int64_t head = 0; head < 3; ++head) {
        const auto one = network.Map(row, layer, head);
        const auto other = network.Map(row, layer, (head + 1) % 3);
        for (std::size_t query = 1; query < length; ++query) {
          const auto dot = [&](std::span<const double> a, std::span<const double> b) {
            return std::inner_product(a.begin() + static_cast<std::ptrdiff_t>(query * length),
                                      a.begin() + static_cast<std::ptrdiff_t>((query + 1) * length),
                                      b.begin() + static_cast<std::ptrdiff_t>(query * length),
                                      0.0);
          };
          sum += dot(one, other) / std::sqrt(dot(one, one) * dot(other, other));
          count += 1.0;
        }
      }
    }
  }
  CHECK(network.alikeness() == Approx(sum / count).epsilon(1e-12));
  CHECK(network.alikeness() < 0.999);
  // Even maps are all one; without disagreement, and of one head, there is nothing to tell.
  const std::vector<double> none(static_cast<std::size_t>(network.layout().count), 0.0);
  REQUIRE(network.Forward(none, batch, {}));
  CHECK(network.alikeness() == Approx(1.0).epsilon(1e-12));
  TrainNetwork<double> plain(shape);
  REQUIRE(plain.Forward(none, batch, {}));
  CHECK(plain.alikeness() == 0.0);
}

TEST_CASE("a key's bias has no gradient", "[train]") {
  TrainNetwork<float> network(TinyShape());
  const TrainLayout& layout = network.layout();
  const std::vector<float> gradient =
      GradientOf(&network, UnevenWeights<float>(layout), UnevenBatch(TinyShape()));
  const std::int64_t width = TinyShape().width();
  for (const TrainBlockPlaces& at : layout.blocks) {
    for (std::int64_t i = 0; i < width; ++i) {
      CHECK(gradient[static_cast<std::size_t>(at.attn_bias + width + i)] == 0.0F);
      CHECK(gradient[static_cast<std::size_t>(at.attn_bias + i)] != 0.0F);
    }
  }
}

TEST_CASE("maps of a network are causal and sum to 1", "[train]") {
  TrainNetwork<float> network(TinyShape());
  const TrainBatch batch = UnevenBatch(TinyShape());
  REQUIRE(network.Forward(UnevenWeights<float>(network.layout()), batch, {}));
  for (std::int64_t row = 0; row < std::ssize(batch.lengths); ++row) {
    const auto length = static_cast<std::size_t>(batch.lengths[static_cast<std::size_t>(row)]);
    for (std::int64_t head = 0; head < 2; ++head) {
      const std::span<const float> map = network.Map(row, 1, head);
      REQUIRE(map.size() == length * length);
      for (std::size_t query = 0; query < length; ++query) {
        double sum = 0.0;
        for (std::size_t key = 0; key < length; ++key) {
          const float weight = map[query * length + key];
          CHECK((key <= query ? weight > 0.0F : weight == 0.0F));
          sum += static_cast<double>(weight);
        }
        CHECK(sum == Approx(1.0).epsilon(1e-6));
      }
    }
  }
}

TEST_CASE("an untrained network's loss is that of even chances", "[train]") {
  TrainNetwork<double> network(TinyShape());
  std::vector<double> weights(static_cast<std::size_t>(network.layout().count), 0.0);
  CHECK(network.Forward(weights, UnevenBatch(TinyShape()), {}).value() == Approx(std::log(7.0)));
}

TEST_CASE("a stopped step ends at once and says so", "[train]") {
  const TrainShape shape = {.heads = 4, .context = 80};
  TrainNetwork<float> network(shape);
  const std::vector<float> weights = DrawWeights(network.layout(), {}, 1);
  const TrainBatch batch = MakeTrainBatch({.shape = shape}, 0);
  std::vector<float> gradient(weights.size());
  int checks = 0;
  {
    const StopWatch watch([&] { ++checks; });
    REQUIRE(network.Forward(weights, batch, {}));
    REQUIRE(network.Backward(weights, batch, gradient, {}));
  }
  CHECK(checks > 100);
  for (const int at : {1, checks / 3, checks - 1}) {
    std::stop_source source;
    int passed = 0;
    const StopWatch watch([&] {
      if (++passed == at) {
        source.request_stop();
      }
    });
    const Result<double> loss = network.Forward(weights, batch, source.get_token());
    const Status back =
        loss ? network.Backward(weights, batch, gradient, source.get_token()) : Status();
    const Error& error = loss ? back.error() : loss.error();
    CHECK(error.code == ErrorCode::kCancelled);
    CHECK(passed == at);
  }
}

}  // namespace
}  // namespace headscope
