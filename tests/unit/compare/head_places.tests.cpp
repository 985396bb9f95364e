#include "core/compare/head_places.h"

#include <array>
#include <cmath>
#include <vector>

#include "core/attention/row_divergence.h"
#include "tests/support/attention_fixture.h"
#include "tests/support/catch.h"
#include "tests/support/distinct_layer.h"

namespace headscope::test {
namespace {

double Squared(double x, double y) {
  return x * x + y * y;
}

std::vector<double> SquaredDistances(const std::vector<std::array<double, 3>>& points) {
  std::vector<double> squared;
  for (const auto& one : points) {
    for (const auto& two : points) {
      squared.push_back(Squared(one[0] - two[0], one[1] - two[1]) + Squared(one[2] - two[2], 0.0));
    }
  }
  return squared;
}

TEST_CASE("points of a plane are found again by their distances", "[compare][places]") {
  const std::vector<std::array<double, 3>> points = {
      {0, 0, 0}, {3, 0, 0}, {3, 1, 0}, {-1, 0.5, 0}, {0.2, -2, 0}, {3, 0, 0}};
  const auto squared = SquaredDistances(points);
  const auto placed = ScaleToPlane(squared, 6, {});
  REQUIRE(placed.has_value());
  CHECK(placed->share_x + placed->share_y == Approx(1.0).margin(1e-9));
  CHECK(placed->share_x > placed->share_y);
  double mean_x = 0.0;
  double mean_y = 0.0;
  for (std::size_t i = 0; i < 6; ++i) {
    mean_x += placed->x[i];
    mean_y += placed->y[i];
    for (std::size_t j = 0; j < 6; ++j) {
      CHECK(Squared(placed->x[i] - placed->x[j], placed->y[i] - placed->y[j]) ==
            Approx(squared[i * 6 + j]).margin(1e-6));
    }
  }
  CHECK(mean_x == Approx(0.0).margin(1e-6));
  CHECK(mean_y == Approx(0.0).margin(1e-6));
}

TEST_CASE("what the plane leaves out is counted", "[compare][places]") {
  // Two points on each axis of space, at 3, 2 and 1 from 0: variances of 9, 4 and 1.
  const auto placed = ScaleToPlane(
      SquaredDistances({{3, 0, 0}, {-3, 0, 0}, {0, 2, 0}, {0, -2, 0}, {0, 0, 1}, {0, 0, -1}}),
      6,
      {});
  REQUIRE(placed.has_value());
  CHECK(placed->share_x == Approx(9.0 / 14).margin(1e-6));
  CHECK(placed->share_y == Approx(4.0 / 14).margin(1e-6));
  CHECK(placed->x[0] == Approx(3.0).margin(1e-4));  // the largest is positive
  CHECK(placed->y[2] == Approx(2.0).margin(1e-4));
  const auto same = ScaleToPlane(std::vector<double>(9, 0.0), 3, {});
  REQUIRE(same.has_value());
  CHECK(same->share_x == 0.0);
  CHECK(same->x == std::vector<double>(3, 0.0));
}

TEST_CASE("heads that look the same lie in one place, and distances are no larger than in truth",
          "[compare][places]") {
  const auto one = MakeDistinct({.id = {}, .heads = 3, .queries = 9, .keys = 9}).layer;
  const auto even = EvenLayer(1, 2, 9);
  const std::vector<std::shared_ptr<const LayerAttention>> layers = {one, nullptr, even};
  std::int64_t rows = 0;
  const auto placed =
      PlaceHeads(layers, one->part(), [&rows](std::int64_t, std::int64_t all) { rows = all; }, {});
  REQUIRE(placed.has_value());
  REQUIRE(placed->heads.size() == 5);
  CHECK(placed->rows == rows);
  CHECK(placed->share() <= 1.0 + 1e-9);
  const auto row = [&](const HeadIndex& head, std::int64_t query) {
    std::vector<float> weights(9);
    (head.layer == even->layer() ? even : one)->Row(head.head, query, weights);
    return weights;
  };
  for (const HeadPlace& a : placed->heads) {
    for (const HeadPlace& b : placed->heads) {
      double divergence = 0.0;
      std::int64_t count = 0;
      for (std::int64_t query = 0; query < 9; ++query) {
        if (one->rule().LastVisible(query, 9) - one->rule().FirstVisible(query) > 1) {
          divergence += RowDivergence(row(a.head, query).data(), row(b.head, query).data(), 9);
          ++count;
        }
      }
      CHECK(count == placed->rows);
      const double shown = Squared(a.x - b.x, a.y - b.y);
      CHECK(shown <= divergence / static_cast<double>(count) + 1e-6);
    }
  }
  const auto& last = placed->heads.back();
  const auto& before = placed->heads[3];
  CHECK(Squared(last.x - before.x, last.y - before.y) < 1e-9);  // both even
}

TEST_CASE("too few heads, and rows of one key, are said; a stop is kept", "[compare][places]") {
  const auto nothing = [](std::int64_t, std::int64_t) {};
  const std::vector<std::shared_ptr<const LayerAttention>> two = {EvenLayer(0, 2, 5)};
  CHECK(PlaceHeads(two, two[0]->part(), nothing, {}).error().code == ErrorCode::kInput);
  const std::vector<std::shared_ptr<const LayerAttention>> one_key = {EvenLayer(0, 4, 1)};
  CHECK(PlaceHeads(one_key, one_key[0]->part(), nothing, {}).error().code == ErrorCode::kInput);
  std::stop_source source;
  source.request_stop();
  const std::vector<std::shared_ptr<const LayerAttention>> four = {EvenLayer(0, 4, 5)};
  CHECK(PlaceHeads(four, four[0]->part(), nothing, source.get_token()).error().code ==
        ErrorCode::kCancelled);
}

}  // namespace
}  // namespace headscope::test
