// The formula's form, one narrow projection per head, against the stacked form, one product.
#include "tests/support/rounding_backend.h"
#include "tests/unit/compute/backend_fixture.h"

namespace headscope {
namespace {

constexpr std::int64_t kTokens = 14;
constexpr std::int64_t kDim = 24;
constexpr std::int64_t kHeads = 4;
constexpr std::int64_t kHeadDim = 6;

// Rows [first, first + kHeadDim) of a [out, in] matrix.
std::vector<float> HeadRows(const std::vector<float>& weight, std::int64_t head) {
  const auto begin = weight.begin() + head * kHeadDim * kDim;
  return {begin, begin + kHeadDim * kDim};
}

std::unique_ptr<Activations> Project(Backend* backend,
                                     const std::vector<const std::vector<float>*>& weights,
                                     const Activations& in) {
  LinearSource source{.layout = WeightLayout::kOutIn, .in = kDim, .matrices = {}};
  for (const std::vector<float>* weight : weights) {
    const auto out = static_cast<std::int64_t>(weight->size()) / kDim;
    source.matrices.push_back({.weight = View("w", {out, kDim}, *weight), .bias = std::nullopt});
  }
  const auto linear = backend->Prepare(source, {});
  REQUIRE(linear);
  auto out = backend->Make(kTokens, (*linear)->out());
  REQUIRE(backend->Apply(**linear, in, out->get(), {}));
  return std::move(*out);
}

// How far the maps and the context of heads computed one by one lie from those of all at once.
struct Apart {
  double maps = 0.0;
  double context = 0.0;
};

Apart OneByOne(Backend* backend, bool causal) {
  const std::vector<float> wq = RandomValues(kDim * kDim, 1, 0.2);
  const std::vector<float> wk = RandomValues(kDim * kDim, 2, 0.2);
  const std::vector<float> wv = RandomValues(kDim * kDim, 3, 0.2);
  const auto x = Loaded(backend, kTokens, kDim, RandomValues(kTokens * kDim, 4));
  const AttentionRule rule{.scale = 0.4, .causal = causal};

  const auto stacked = Project(backend, {&wq, &wk, &wv}, *x);
  std::vector<std::unique_ptr<Activations>> parts;
  for (int part = 0; part < 3; ++part) {
    parts.push_back(std::move(*backend->Make(kTokens, kDim)));
    backend->Slice(*stacked, part * kDim, parts.back().get());
  }
  MapKeeper all;
  auto context = backend->Make(kTokens, kDim);
  REQUIRE(backend->Attend({.shape = {.queries = kTokens,
                                     .keys = kTokens,
                                     .heads = kHeads,
                                     .kv_heads = kHeads,
                                     .head_dim = kHeadDim,
                                     .value_dim = kHeadDim},
                           .rule = rule,
                           .queries = parts[0].get(),
                           .keys = parts[1].get(),
                           .values = parts[2].get()},
                          &all,
                          context->get(),
                          {}));
  const std::vector<double> all_context = Values(*backend, **context);

  Apart apart;
  for (std::int64_t head = 0; head < kHeads; ++head) {
    const std::vector<float> head_q = HeadRows(wq, head);
    const std::vector<float> head_k = HeadRows(wk, head);
    const std::vector<float> head_v = HeadRows(wv, head);
    const auto q = Project(backend, {&head_q}, *x);
    const auto k = Project(backend, {&head_k}, *x);
    const auto v = Project(backend, {&head_v}, *x);
    MapKeeper one;
    auto own = backend->Make(kTokens, kHeadDim);
    REQUIRE(backend->Attend({.shape = {.queries = kTokens,
                                       .keys = kTokens,
                                       .heads = 1,
                                       .kv_heads = 1,
                                       .head_dim = kHeadDim,
                                       .value_dim = kHeadDim},
                             .rule = rule,
                             .queries = q.get(),
                             .keys = k.get(),
                             .values = v.get()},
                            &one,
                            own->get(),
                            {}));
    const std::vector<double> own_context = Values(*backend, **own);
    for (std::int64_t query = 0; query < kTokens; ++query) {
      for (std::int64_t key = 0; key < kTokens; ++key) {
        apart.maps = std::max(apart.maps,
                              std::abs(static_cast<double>(one.Weight(0, query, key)) -
                                       static_cast<double>(all.Weight(head, query, key))));
      }
      for (std::int64_t i = 0; i < kHeadDim; ++i) {
        const auto a = static_cast<std::size_t>(query * kHeadDim + i);
        const auto b = static_cast<std::size_t>(query * kDim + head * kHeadDim + i);
        apart.context = std::max(apart.context, std::abs(own_context[a] - all_context[b]));
      }
    }
  }
  return apart;
}

}  // namespace

TEST_CASE("Head by head and all heads stacked are one attention", "[compute][projections]") {
  const int number = GENERATE(range(0, kBackends));
  const bool causal = GENERATE(true, false);
  Apart bound;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    test::RoundingBackend rounding({.seed = seed});
    const Apart by_rounding = OneByOne(&rounding, causal);
    bound.maps = std::max(bound.maps, 3.0 * by_rounding.maps);
    bound.context = std::max(bound.context, 3.0 * by_rounding.context);
  }
  const Apart apart = OneByOne(MakeBackend(number).get(), causal);
  CHECK(apart.maps <= bound.maps);
  CHECK(apart.context <= bound.context);
}

TEST_CASE("Weights all one make every head the same head", "[compute][projections]") {
  // And then the number of heads changes the scale of the scores alone.
  const int number = GENERATE(range(0, kBackends));
  const auto backend = MakeBackend(number);
  const std::vector<float> ones(static_cast<std::size_t>(kDim * kDim), 1.0F);
  const auto x = Loaded(backend.get(), kTokens, kDim, RandomValues(kTokens * kDim, 4, 0.02));
  const auto q = Project(backend.get(), {&ones}, *x);
  const auto maps_of = [&](std::int64_t heads) {
    MapKeeper keeper;
    const double width = static_cast<double>(kDim) / static_cast<double>(heads);
    REQUIRE(backend->Attend({.shape = {.queries = kTokens,
                                       .keys = kTokens,
                                       .heads = heads,
                                       .kv_heads = heads,
                                       .head_dim = kDim / heads,
                                       .value_dim = kDim / heads},
                             .rule = {.scale = 1.0 / std::sqrt(width)},
                             .queries = q.get(),
                             .keys = q.get(),
                             .values = q.get()},
                            &keeper,
                            nullptr,
                            {}));
    return keeper;
  };
  const MapKeeper four = maps_of(4);
  const MapKeeper one = maps_of(1);
  double between_heads = 0.0;
  double between_counts = 0.0;
  for (std::int64_t query = 0; query < kTokens; ++query) {
    for (std::int64_t key = 0; key < kTokens; ++key) {
      const double first = static_cast<double>(four.Weight(0, query, key));
      between_counts = std::max(between_counts,
                                std::abs(first - static_cast<double>(one.Weight(0, query, key))));
      for (std::int64_t head = 1; head < 4; ++head) {
        between_heads = std::max(
            between_heads, std::abs(first - static_cast<double>(four.Weight(head, query, key))));
      }
    }
  }
  // Equal columns; what a backend adds in another order is lost in scores this small.
  CHECK(between_heads <= 2.0 * test::SoftmaxBound(kTokens));
  CHECK(between_counts > 1e-4);
}

}  // namespace headscope
