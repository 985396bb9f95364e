#include <array>
#include <numeric>

#include "tests/support/float_bounds.h"
#include "tests/unit/compute/backend_fixture.h"

namespace headscope {
namespace {

struct Setting {
  std::int64_t queries, keys, heads, kv_heads, head_dim, value_dim;
  bool causal;
  std::int64_t window, offset;
  double softcap;
  std::int64_t chunk = 0;
};

AttentionCase CaseOf(const Setting& s, std::uint64_t seed) {
  return RandomCase({.queries = s.queries,
                     .keys = s.keys,
                     .heads = s.heads,
                     .kv_heads = s.kv_heads,
                     .head_dim = s.head_dim,
                     .value_dim = s.value_dim},
                    {.scale = 1.0 / std::sqrt(static_cast<double>(s.head_dim)),
                     .softcap = s.softcap,
                     .causal = s.causal,
                     .window = s.window,
                     .chunk = s.chunk,
                     .offset = s.offset},
                    seed);
}

constexpr std::array kSettings = {
    Setting{1, 1, 1, 1, 1, 1, true, 0, 0, 0.0},
    Setting{7, 7, 3, 3, 5, 5, true, 0, 0, 0.0},
    Setting{7, 7, 3, 3, 5, 5, false, 0, 0, 0.0},
    Setting{33, 33, 4, 2, 8, 6, true, 0, 0, 0.0},
    Setting{20, 31, 6, 2, 16, 24, false, 0, 0, 3.0},
    Setting{20, 31, 6, 3, 16, 16, true, 0, 11, 3.0},
    Setting{40, 40, 2, 1, 64, 64, true, 9, 0, 0.0},
    Setting{70, 70, 8, 8, 4, 4, true, 0, 0, 0.0},
    Setting{130, 130, 2, 2, 32, 32, true, 0, 0, 0.0},
    Setting{130, 130, 4, 1, 32, 16, true, 48, 0, 5.0},
    Setting{90, 300, 4, 4, 16, 16, false, 0, 0, 0.0},
    Setting{90, 300, 4, 4, 16, 16, true, 100, 210, 0.0},
    Setting{40, 40, 2, 1, 64, 64, false, 9, 0, 0.0},
    Setting{130, 130, 4, 1, 32, 16, false, 48, 0, 5.0},
    Setting{130, 130, 4, 2, 16, 16, true, 0, 0, 0.0, 37},
    Setting{20, 31, 6, 2, 16, 24, true, 0, 11, 0.0, 8},
};

// How far the scores of `given` may be off in float32, before the cap. Narrow heads have theirs in
// double.
double ScoreBound(const AttentionCase& given) {
  const AttentionShape& shape = given.shape;
  constexpr std::int64_t kNarrow = 16;
  if (shape.head_dim <= kNarrow) {
    return 0.0;
  }
  const std::int64_t group = shape.heads / shape.kv_heads;
  double largest = 0.0;
  for (std::int64_t query = 0; query < shape.queries; ++query) {
    for (std::int64_t key = 0; key < shape.keys; ++key) {
      for (std::int64_t head = 0; head < shape.heads; ++head) {
        const float* q = given.queries.data() + (query * shape.heads + head) * shape.head_dim;
        const float* k = given.keys.data() + (key * shape.kv_heads + head / group) * shape.head_dim;
        double size = 0.0;
        for (std::int64_t i = 0; i < shape.head_dim; ++i) {
          size += std::abs(static_cast<double>(q[i]) * static_cast<double>(k[i]));
        }
        largest = std::max(largest, size);
      }
    }
  }
  return test::RandomSumBound(std::abs(given.rule.scale) * largest, shape.head_dim);
}

bool IsVisible(const AttentionRule& rule, std::int64_t query, std::int64_t key, std::int64_t keys) {
  return key >= rule.FirstVisible(query) && key < rule.LastVisible(query, keys);
}

}  // namespace

TEST_CASE("A query sees keys of its own chunk only", "[compute][attention]") {
  const AttentionRule rule{.causal = true, .chunk = 4, .offset = 2};
  CHECK(rule.LeavesKeysOut());
  CHECK(rule.FirstVisible(0) == 0);
  CHECK(rule.FirstVisible(1) == 0);
  CHECK(rule.FirstVisible(2) == 4);
  CHECK(rule.LastVisible(2, 9) == 5);
  CHECK(rule.FirstVisible(6) == 8);
}

TEST_CASE("Attention weights are exact where masked and sum to one", "[compute][attention]") {
  const Setting setting = GENERATE(from_range(kSettings.begin(), kSettings.end()));
  const int number = GENERATE(range(0, kBackends));
  const auto backend = MakeBackend(number);
  const AttentionCase given = CaseOf(setting, 11);
  const Attended result = Attend(backend.get(), given);
  const MapKeeper& maps = result.maps;

  CHECK(maps.projections_seen == 1);
  CHECK(maps.queries == given.queries);
  CHECK(maps.keys == given.keys);
  CHECK(maps.values == given.values);
  CHECK(std::all_of(maps.row_seen.begin(), maps.row_seen.end(), [](int n) { return n == 1; }));
  const std::uint32_t zero_bits = 0;
  int masked_not_zero = 0;
  double worst_sum = 0.0;
  for (std::int64_t head = 0; head < setting.heads; ++head) {
    for (std::int64_t query = 0; query < setting.queries; ++query) {
      double sum = 0.0;
      for (std::int64_t key = 0; key < setting.keys; ++key) {
        const float weight = maps.Weight(head, query, key);
        if (!IsVisible(given.rule, query, key, setting.keys)) {
          masked_not_zero += std::memcmp(&weight, &zero_bits, sizeof(weight)) == 0 ? 0 : 1;
        }
        sum += static_cast<double>(weight);
      }
      worst_sum = std::max(worst_sum, std::abs(sum - 1.0));
    }
  }
  CHECK(masked_not_zero == 0);
  CHECK(worst_sum <= test::RowSumBound(setting.keys));
}

TEST_CASE("Every backend gives the reference's weights and context", "[compute][attention]") {
  const Setting setting = GENERATE(from_range(kSettings.begin(), kSettings.end()));
  const int number = GENERATE(range(1, kBackends));
  const AttentionCase given = CaseOf(setting, 23);
  const auto reference = MakeBackend(0);
  const auto backend = MakeBackend(number);
  const Attended expected = Attend(reference.get(), given);
  const Attended got = Attend(backend.get(), given);
  const double score = ScoreBound(given);
  CHECK(Difference(got.maps.weights, expected.maps.weights) <=
        test::WeightBound(score, setting.keys));
  // Each maximum is rounded once more, and its sum belongs to it as it is rounded.
  const double maximum = score + 2.0 * test::kUnit * Largest(expected.maps.row_max);
  CHECK(Difference(got.maps.row_max, expected.maps.row_max) <= maximum);
  CHECK(Difference(got.maps.row_inverse_sum, expected.maps.row_inverse_sum) <=
        score + maximum + 2.0 * test::SoftmaxBound(given.shape.keys));
  // Values weighted so add up to no more than the largest; each weight moves by its own share.
  CHECK(Difference(got.context, expected.context) <=
        (2.0 * score + 4.0 * test::SoftmaxBound(given.shape.keys)) * Largest(given.values) +
            test::SumBound(Largest(given.values), setting.keys));
}

TEST_CASE("A sink takes its share of each row, and its row sums to what is left",
          "[compute][attention]") {
  const Setting setting = GENERATE(from_range(kSettings.begin(), kSettings.end()));
  const int number = GENERATE(range(0, kBackends));
  AttentionCase given = CaseOf(setting, 31);
  const Attended without = Attend(MakeBackend(number).get(), given);
  std::vector<float> sinks;
  for (std::int64_t head = 0; head < setting.heads; ++head) {
    sinks.push_back(2.0F * static_cast<float>(head) - 3.0F);
  }
  given.rule.sinks = std::make_shared<const std::vector<float>>(sinks);
  const Attended with = Attend(MakeBackend(number).get(), given);
  double worst = 0.0;
  for (std::int64_t head = 0; head < setting.heads; ++head) {
    for (std::int64_t query = 0; query < setting.queries; ++query) {
      const auto row = static_cast<std::size_t>(head * setting.queries + query);
      const double max = static_cast<double>(without.maps.row_max[row]);
      const double sum = 1.0 / static_cast<double>(without.maps.row_inverse_sum[row]);
      const double sink =
          std::exp(static_cast<double>(sinks[static_cast<std::size_t>(head)]) - max);
      for (std::int64_t key = 0; key < setting.keys; ++key) {
        const double before = static_cast<double>(without.maps.Weight(head, query, key));
        const double expected = std::isfinite(max) ? before * sum / (sum + sink) : 0.0;
        worst = std::max(
            worst, std::abs(static_cast<double>(with.maps.Weight(head, query, key)) - expected));
      }
    }
  }
  CHECK(worst <= 4.0 * test::kUnit);
}

TEST_CASE("Of equal scores and a sink s each of n keys gets 1 / (n + e^s)",
          "[compute][attention]") {
  const int number = GENERATE(range(0, kBackends));
  const float sink = GENERATE(-200.0F, -1.0F, 0.0F, 2.5F, 300.0F);
  AttentionCase given = CaseOf(kSettings[2], 5);
  std::ranges::fill(given.queries, 0.0F);
  given.rule.sinks = std::make_shared<const std::vector<float>>(3, sink);
  const Attended result = Attend(MakeBackend(number).get(), given);
  const double expected = 1.0 / (7.0 + std::exp(static_cast<double>(sink)));
  for (const float weight : result.maps.weights) {
    CHECK(std::abs(static_cast<double>(weight) - expected) <= 4.0 * test::kUnit * expected + 1e-40);
  }
}

TEST_CASE("Narrow heads keep their digits where scores are large", "[compute][attention]") {
  AttentionCase given = CaseOf(kSettings[3], 29);
  given.rule.scale = 60.0;  // scores of hundreds, as in T5, which does not scale them
  const Attended expected = Attend(MakeBackend(0).get(), given);
  const Attended got = Attend(MakeBackend(kBackends - 1).get(), given);
  CHECK(*std::max_element(got.maps.row_max.begin(), got.maps.row_max.end()) > 300.0F);
  CHECK(Difference(got.maps.weights, expected.maps.weights) <=
        test::SoftmaxBound(given.shape.keys));
}

TEST_CASE("Row maxima and sums make the weights again", "[compute][attention]") {
  const int number = GENERATE(range(0, kBackends));
  const auto backend = MakeBackend(number);
  const AttentionCase given = CaseOf(kSettings[5], 31);
  const MapKeeper maps = Attend(backend.get(), given).maps;
  const AttentionShape& shape = given.shape;
  double worst = 0.0;
  for (std::int64_t head = 0; head < shape.heads; ++head) {
    const std::int64_t kv = head / (shape.heads / shape.kv_heads);
    for (std::int64_t query = 0; query < shape.queries; ++query) {
      const auto row = static_cast<std::size_t>(head * shape.queries + query);
      for (std::int64_t key = 0; key < given.rule.LastVisible(query, shape.keys); ++key) {
        double dot = 0.0;
        for (std::int64_t i = 0; i < shape.head_dim; ++i) {
          const auto q =
              static_cast<std::size_t>((query * shape.heads + head) * shape.head_dim + i);
          const auto k = static_cast<std::size_t>((key * shape.kv_heads + kv) * shape.head_dim + i);
          dot += static_cast<double>(maps.queries[q]) * static_cast<double>(maps.keys[k]);
        }
        const double score =
            given.rule.softcap * std::tanh(given.rule.scale * dot / given.rule.softcap);
        const double weight = std::exp(score - static_cast<double>(maps.row_max[row])) *
                              static_cast<double>(maps.row_inverse_sum[row]);
        worst =
            std::max(worst, std::abs(weight - static_cast<double>(maps.Weight(head, query, key))));
      }
    }
  }
  CHECK(worst <= test::SoftmaxBound(given.shape.keys) + 2.0 * test::kUnit);
}

TEST_CASE("Queries of zero spread evenly over the visible keys", "[compute][attention]") {
  const int number = GENERATE(range(0, kBackends));
  const bool causal = GENERATE(true, false);
  const auto backend = MakeBackend(number);
  AttentionCase given = CaseOf({19, 19, 4, 2, 8, 8, causal, 0, 0, 0.0}, 5);
  std::fill(given.queries.begin(), given.queries.end(), 0.0F);
  const MapKeeper maps = Attend(backend.get(), given).maps;
  double worst = 0.0;
  for (std::int64_t head = 0; head < 4; ++head) {
    for (std::int64_t query = 0; query < 19; ++query) {
      for (std::int64_t key = 0; key < 19; ++key) {
        const double even =
            causal ? (key <= query ? 1.0 / static_cast<double>(query + 1) : 0.0) : 1.0 / 19.0;
        worst =
            std::max(worst, std::abs(static_cast<double>(maps.Weight(head, query, key)) - even));
      }
    }
  }
  CHECK(worst <= test::kUnit);
}

TEST_CASE("Swapping heads swaps their maps and their part of the context", "[compute][attention]") {
  const int number = GENERATE(range(0, kBackends));
  const auto backend = MakeBackend(number);
  const std::int64_t n = 21;
  const std::int64_t width = 8;
  const AttentionCase given = CaseOf({n, n, 3, 3, width, width, true, 0, 0, 0.0}, 77);
  const std::array<std::int64_t, 3> order = {2, 0, 1};
  AttentionCase swapped = given;
  const auto permute = [&](const std::vector<float>& from, std::vector<float>* to) {
    for (std::int64_t row = 0; row < n; ++row) {
      for (std::int64_t head = 0; head < 3; ++head) {
        std::copy_n(from.begin() + (row * 3 + order[static_cast<std::size_t>(head)]) * width,
                    width,
                    to->begin() + (row * 3 + head) * width);
      }
    }
  };
  permute(given.queries, &swapped.queries);
  permute(given.keys, &swapped.keys);
  permute(given.values, &swapped.values);
  const Attended before = Attend(backend.get(), given);
  const Attended after = Attend(backend.get(), swapped);
  double worst = 0.0;
  double worst_context = 0.0;
  for (std::int64_t head = 0; head < 3; ++head) {
    const std::int64_t source = order[static_cast<std::size_t>(head)];
    for (std::int64_t query = 0; query < n; ++query) {
      for (std::int64_t key = 0; key < n; ++key) {
        worst = std::max(worst,
                         std::abs(static_cast<double>(after.maps.Weight(head, query, key)) -
                                  static_cast<double>(before.maps.Weight(source, query, key))));
      }
      for (std::int64_t i = 0; i < width; ++i) {
        const auto a = static_cast<std::size_t>((query * 3 + head) * width + i);
        const auto b = static_cast<std::size_t>((query * 3 + source) * width + i);
        worst_context = std::max(worst_context, std::abs(after.context[a] - before.context[b]));
      }
    }
  }
  CHECK(worst <= test::SoftmaxBound(n));
  CHECK(worst_context <= 4.0 * test::SoftmaxBound(n) * Largest(given.values) +
                             test::SumBound(Largest(given.values), n));
}

TEST_CASE("A constant added to every score changes no weight", "[compute][attention]") {
  // One more column, 1 in every query and the constant over the scale in every key, adds it.
  const int number = GENERATE(range(0, kBackends));
  const double constant = GENERATE(-40.0, 0.5, 60.0);
  const auto backend = MakeBackend(number);
  const std::int64_t n = 18;
  const auto case_with = [&](double value) {
    AttentionCase given = CaseOf({n, n, 1, 1, 9, 4, true, 0, 0, 0.0}, 3);
    for (std::int64_t row = 0; row < n; ++row) {
      given.queries[static_cast<std::size_t>(row * 9 + 8)] = 1.0F;
      given.keys[static_cast<std::size_t>(row * 9 + 8)] =
          static_cast<float>(value / given.rule.scale);
    }
    return given;
  };
  const Attended plain = Attend(backend.get(), case_with(0.0));
  const Attended shifted = Attend(backend.get(), case_with(constant));
  // In double, as scores of narrow heads are, adding it costs nothing.
  CHECK(Difference(plain.maps.weights, shifted.maps.weights) <= 2.0 * test::SoftmaxBound(n));
}

TEST_CASE("Scores of thousands give a one-hot row, not NaN", "[compute][attention]") {
  const int number = GENERATE(range(0, kBackends));
  const auto backend = MakeBackend(number);
  AttentionCase given = CaseOf({16, 16, 2, 2, 8, 8, true, 0, 0, 0.0}, 9);
  given.rule.scale = 3000.0;
  const Attended expected = Attend(MakeBackend(0).get(), given);
  const Attended got = Attend(backend.get(), given);
  CHECK(Difference(got.maps.weights, expected.maps.weights) <=
        test::SoftmaxBound(given.shape.keys));
  const double rounded = test::kUnit * Largest(got.maps.row_max);  // what a maximum may lack
  for (const float inverse : got.maps.row_inverse_sum) {
    CHECK(inverse > 0.0F);
    CHECK(static_cast<double>(inverse) <=
          std::exp(rounded) + 2.0 * test::SoftmaxBound(given.shape.keys));
  }
}

TEST_CASE("A row with nothing to see is all zeros", "[compute][attention]") {
  const int number = GENERATE(range(0, kBackends));
  const auto backend = MakeBackend(number);
  const AttentionCase given = CaseOf({6, 6, 2, 2, 4, 4, true, 0, -3, 0.0}, 9);
  const Attended got = Attend(backend.get(), given);
  for (std::int64_t head = 0; head < 2; ++head) {
    for (std::int64_t key = 0; key < 6; ++key) {
      CHECK(got.maps.Weight(head, 2, key) == 0.0F);
    }
    CHECK(got.maps.row_max[static_cast<std::size_t>(head * 6 + 2)] ==
          -std::numeric_limits<float>::infinity());
    CHECK(got.maps.row_inverse_sum[static_cast<std::size_t>(head * 6 + 2)] == 0.0F);
    CHECK(got.maps.Weight(head, 3, 0) == Approx(1.0));
  }
  for (std::size_t i = 0; i < 3 * 8; ++i) {
    CHECK(got.context[i] == 0.0);
  }
}

TEST_CASE("A stopped attention says so and soon", "[compute][attention]") {
  const int number = GENERATE(range(0, kBackends));
  const auto backend = MakeBackend(number);
  const AttentionCase given = CaseOf({200, 200, 4, 4, 32, 32, true, 0, 0, 0.0}, 9);
  const auto q = Loaded(backend.get(), 200, 128, given.queries);
  std::stop_source source;
  source.request_stop();
  const AttentionInput input{.shape = given.shape,
                             .rule = given.rule,
                             .queries = q.get(),
                             .keys = q.get(),
                             .values = q.get()};
  const double begin = CpuMilliseconds();
  const Status status = backend->Attend(input, nullptr, nullptr, source.get_token());
  REQUIRE(!status);
  CHECK(status.error().code == ErrorCode::kCancelled);
  CHECK(CpuMilliseconds() - begin < 50.0);
}

TEST_CASE("Attention refuses shapes that do not fit", "[compute][attention]") {
  const int number = GENERATE(range(0, kBackends));
  const auto backend = MakeBackend(number);
  const auto q = Loaded(backend.get(), 3, 8, RandomValues(24, 1));
  AttentionInput input{
      .shape = {.queries = 3, .keys = 3, .heads = 2, .kv_heads = 2, .head_dim = 4, .value_dim = 4},
      .rule = {},
      .queries = q.get(),
      .keys = q.get(),
      .values = q.get()};
  CHECK(backend->Attend(input, nullptr, nullptr, {}));
  SECTION("a number of heads that is no multiple of the key heads") {
    input.shape.heads = 3;
  }
  SECTION("more keys than rows") {
    input.shape.keys = 4;
  }
  SECTION("a width that does not fill the columns") {
    input.shape.head_dim = 3;
  }
  SECTION("no values") {
    input.values = nullptr;
  }
  const Status status = backend->Attend(input, nullptr, nullptr, {});
  REQUIRE(!status);
  CHECK(status.error().code == ErrorCode::kShape);
}

}  // namespace headscope
