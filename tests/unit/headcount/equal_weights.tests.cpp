// Weights that are all 1 at several scales of the input: against cuts of each scale, a slow form in
// double, and what NumPy measured in float64.
#include "core/headcount/equal_weights.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/headcount/remade_layer.h"
#include "tests/support/backends.h"
#include "tests/support/catch.h"
#include "tests/support/near.h"

namespace headscope {
namespace {

struct EqualLayer {
  std::int64_t tokens = 12;
  std::int64_t width = 512;
  std::int64_t heads = 1;
  bool causal = false;
};

PlainProjections About(const EqualLayer& of) {
  return {.shape = {.queries = of.tokens,
                    .keys = of.tokens,
                    .heads = of.heads,
                    .kv_heads = of.heads,
                    .head_dim = of.width / of.heads,
                    .value_dim = of.width / of.heads},
          .rule = {.scale = 1.0 / std::sqrt(static_cast<double>(of.width / of.heads)),
                   .causal = of.causal},
          .model_dim = of.width};
}

SplitResult CutEqual(Backend* backend, const EqualLayer& of, SplitRequest request) {
  request.weights = SplitWeights::kOnes;
  const auto made =
      MakePlainLayer(backend, About(of), NormalInput(request, of.tokens, of.width), request, {});
  REQUIRE(made.has_value());
  auto split = SplitLayer(
      {.backend = backend, .output = made->output.get(), .costs = {}, .layer = made->layer},
      request,
      {});
  REQUIRE(split.has_value());
  return std::move(*split);
}

// A head of so many columns by the formula, in double: its largest weights, and what it finds.
struct SlowHead {
  std::vector<double> largest;
  std::vector<double> found;
};
SlowHead SlowHeadOf(const std::vector<double>& sums, double columns, bool causal) {
  SlowHead head;
  for (std::size_t query = 0; query < sums.size(); ++query) {
    const std::size_t keys = causal ? query + 1 : sums.size();
    std::vector<double> scores;
    for (std::size_t key = 0; key < keys; ++key) {
      scores.push_back(columns * sums[query] * sums[key] / std::sqrt(columns));
    }
    const double most = *std::ranges::max_element(scores);
    double all = 0.0;
    double found = 0.0;
    for (std::size_t key = 0; key < keys; ++key) {
      const double part = std::exp(scores[key] - most);
      all += part;
      found += part * sums[key];
    }
    if (keys > 1) {
      head.largest.push_back(1.0 / all);
    }
    head.found.push_back(found / all);
  }
  return head;
}

double Distance(const std::vector<double>& own, const std::vector<double>& trained) {
  double apart = 0.0;
  double norm = 0.0;
  for (std::size_t i = 0; i < own.size(); ++i) {
    apart += (own[i] - trained[i]) * (own[i] - trained[i]);
    norm += trained[i] * trained[i];
  }
  return std::sqrt(apart / norm);
}

double Median(std::vector<double> values) {
  std::ranges::sort(values);
  return (values[values.size() / 2] + values[(values.size() - 1) / 2]) / 2.0;
}

}  // namespace

TEST_CASE("At every scale equal weights give what a slow form in double gives",
          "[headcount][equal]") {
  for (const auto& backend : test::AllBackends()) {
    for (const bool causal : {false, true}) {
      const EqualLayer of{.tokens = 12, .width = 64, .heads = 4, .causal = causal};
      for (const std::uint64_t seed : {1U, 2U, 3U}) {
        const SplitRequest request{.head_counts = {1, 2, 4, 16, 64}, .seed = seed};
        const SplitResult split = CutEqual(backend.get(), of, request);
        REQUIRE(split.scales.size() == 4);
        const std::vector<float> rows = NormalInput(request, of.tokens, of.width);
        for (const SplitAtScale& at : split.scales) {
          std::vector<double> sums;
          for (std::int64_t row = 0; row < of.tokens; ++row) {
            const auto* const from = rows.data() + row * of.width;
            sums.push_back(at.input_scale * std::accumulate(from, from + of.width, 0.0));
          }
          const SlowHead trained = SlowHeadOf(sums, 16.0, causal);
          REQUIRE(at.counts.size() == 5);
          for (const CountAtScale& count : at.counts) {
            const SlowHead slow = SlowHeadOf(sums, 64.0 / static_cast<double>(count.heads), causal);
            CAPTURE(backend->Description(), causal, seed, at.input_scale, count.heads);
            CHECK(count.largest_weight ==
                  test::Near(std::accumulate(slow.largest.begin(), slow.largest.end(), 0.0) /
                                 static_cast<double>(slow.largest.size()),
                             1e-4));
            CHECK(count.output_difference == test::Near(Distance(slow.found, trained.found), 1e-3));
          }
        }
      }
    }
  }
}

TEST_CASE("A cut at a scale measures what is told of that scale", "[headcount][equal]") {
  const auto backend = MakeReferenceBackend();
  const EqualLayer of{.tokens = 9, .width = 24, .heads = 4, .causal = true};
  for (const SegmentKind segments : {SegmentKind::kContiguous,
                                     SegmentKind::kStrided,
                                     SegmentKind::kRandom,
                                     SegmentKind::kOverlapping}) {
    const SplitRequest request{.head_counts = {1, 4, 5, 24}, .segments = segments};
    const SplitResult told = CutEqual(backend.get(), of, request);
    for (const SplitAtScale& at : told.scales) {
      SplitRequest scaled = request;
      scaled.input_scale = at.input_scale;
      const SplitResult made = CutEqual(backend.get(), of, scaled);
      for (std::size_t i = 0; i < at.counts.size(); ++i) {
        CAPTURE(Name(segments), at.input_scale, at.counts[i].heads);
        CHECK(at.counts[i].heads == made.counts[i].heads);
        CHECK(at.counts[i].output_difference == test::Near(made.counts[i].output_difference, 1e-5));
        CHECK(at.counts[i].largest_weight == test::Near(made.counts[i].largest_weight, 1e-5));
      }
      // The scales do not depend on which of them is on screen.
      for (std::size_t i = 0; i < told.scales.size(); ++i) {
        for (std::size_t count = 0; count < at.counts.size(); ++count) {
          CHECK(made.scales[i].counts[count].largest_weight ==
                test::Near(told.scales[i].counts[count].largest_weight, 1e-5));
        }
      }
    }
  }
  CHECK(CutEqual(backend.get(), of, {.head_counts = {1, 4}, .input_scale = 0.0}).scales.empty());
}

// Measured in float64 with NumPy: d = 512, 12 tokens, h = 64 against h = 1, over 20 seeds.
TEST_CASE("Over twenty draws the median at each scale is the one that NumPy measured",
          "[headcount][equal]") {
  struct Published {
    double median = 0.0;
    double within = 0.0;
  };
  const std::vector<Published> published = {
      {0.000, 0.001}, {0.11, 0.1}, {0.77, 0.15}, {0.04, 0.04}};
  std::vector<std::vector<double>> all(4);
  const auto backend = MakeReferenceBackend();
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const SplitResult split = CutEqual(backend.get(), {}, {.head_counts = {1, 64}, .seed = seed});
    REQUIRE(split.scales.size() == 4);
    for (std::size_t i = 0; i < 4; ++i) {
      all[i].push_back(split.scales[i].counts[1].output_difference);
    }
    // One token takes each row at scale 1, and all of them at .001.
    CHECK(split.scales[0].counts[0].largest_weight > 0.99);
    CHECK(split.scales[3].counts[1].largest_weight < 0.3);
  }
  for (std::size_t i = 0; i < 4; ++i) {
    CAPTURE(i);
    CHECK(Median(all[i]) == test::Near(published[i].median, published[i].within));
  }
}

TEST_CASE("curves are the mean and the scatter of single draws, scale by scale", "[headcount]") {
  const auto backend = MakeReferenceBackend();
  const EqualLayer of{.tokens = 10, .width = 32, .heads = 4, .causal = true};
  const std::vector<std::int64_t> counts = {1, 2, 3, 4, 32};
  SplitRequest request{.head_counts = counts, .weights = SplitWeights::kOnes, .seed = 7};
  const auto made = MakePlainLayer(
      backend.get(), About(of), NormalInput(request, of.tokens, of.width), request, {});
  REQUIRE(made);
  const auto curves = EqualCurvesOf(backend.get(), *made->layer, of.width, request, counts, {});
  REQUIRE(curves);
  CHECK(curves->rows == 10);
  REQUIRE(curves->scales.size() == 26);
  CHECK(curves->scales.front().input_scale == Approx(1e-4));
  CHECK(curves->scales.back().input_scale == Approx(10.0));
  std::vector<SplitResult> draws;
  for (std::uint64_t seed = 7; seed < 27; ++seed) {
    request.seed = seed;
    draws.push_back(CutEqual(backend.get(), of, request));
  }
  for (std::size_t shown = 0; shown < draws.front().scales.size(); ++shown) {
    const double scale = draws.front().scales[shown].input_scale;
    const auto curve = std::ranges::find_if(curves->scales, [&](const EqualCurve& one) {
      return std::abs(one.input_scale / scale - 1.0) < 1e-9;
    });
    REQUIRE(curve != curves->scales.end());
    for (std::size_t at = 0; at < counts.size(); ++at) {
      std::vector<double> differences;
      for (const SplitResult& draw : draws) {
        differences.push_back(draw.scales[shown].counts[at].output_difference);
      }
      const double mean = std::accumulate(differences.begin(), differences.end(), 0.0) / 20.0;
      double squares = 0.0;
      for (const double one : differences) {
        squares += (one - mean) * (one - mean);
      }
      CAPTURE(scale, counts[at]);
      CHECK(curve->counts[at].heads == counts[at]);
      CHECK(curve->counts[at].mean == Approx(mean).margin(1e-5));
      CHECK(curve->counts[at].spread == Approx(std::sqrt(squares / 19.0)).margin(1e-5));
    }
  }
  // Nothing moves at the trained count; between one token a row and all tokens h counts.
  const auto most = std::ranges::max_element(
      curves->scales, {}, [](const EqualCurve& one) { return one.counts.front().mean; });
  CHECK(most->counts.front().mean > 0.02);
  CHECK(most->counts[3].mean == 0.0);
  CHECK(curves->scales.front().counts.front().mean < 0.01 * most->counts.front().mean);
  CHECK(curves->scales.front().largest_weight < 0.5);
  CHECK(curves->scales.back().largest_weight > 0.9);
}

}  // namespace headscope
