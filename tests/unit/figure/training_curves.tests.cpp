#include "core/figure/training_curves.h"

#include <algorithm>
#include <set>

#include "core/figure/theme.h"
#include "tests/support/catch.h"
#include "tests/unit/figure/training_fixture.h"

namespace headscope {
namespace {

TEST_CASE("each quantity stands in its place", "[figure][training]") {
  for (std::size_t i = 0; i < kCurveQuantities; ++i) {
    CHECK(static_cast<std::size_t>(AllTrainCurveWords()[i].of) == i);
  }
}

TEST_CASE("numbers of heads have colours of their own that stay", "[figure][training]") {
  for (const Theme theme : {Theme::kDark, Theme::kLight}) {
    std::set<std::tuple<int, int, int>> colors;
    for (const std::int64_t heads : {1, 2, 4, 8, 16, 32}) {
      const Rgb color = ColorOfCount(heads, theme);
      colors.emplace(color.r, color.g, color.b);
    }
    CHECK(colors.size() == 6);
  }
}

TEST_CASE("a curve joins its means, and a bar is as long as the error both ways",
          "[figure][training]") {
  const auto curves = test::StubCurves();
  const Chart chart = CurvesChart(*curves, AllTrainCurveWords()[0], Theme::kDark);
  CHECK(chart.across.high == 100.0);
  CHECK(chart.up.high == 5.0);  // 4.2 + 0.25 rounded up
  std::vector<std::pair<double, double>> bars;
  std::size_t lines = 0;
  for (const ChartMark& mark : chart.marks) {
    if (const auto* const bar = std::get_if<ChartError>(&mark)) {
      bars.emplace_back(bar->low, bar->high);
    }
    const auto* const line = std::get_if<ChartLine>(&mark);
    lines += line != nullptr && line->y0 != line->y1 ? 1 : 0;
  }
  CHECK(lines == 2);  // of each number of heads one
  REQUIRE(bars.size() == 2);
  CHECK(bars[0].first == Approx(4.2 - 0.25));
  CHECK(bars[0].second == Approx(4.2 + 0.25));
  const Chart share = CurvesChart(*curves, AllTrainCurveWords()[1], Theme::kDark);
  CHECK(share.up.high == 1.0);
}

TEST_CASE("the table has a row for each point, with how many runs it is of", "[figure][training]") {
  const auto curves = test::StubCurves();
  const Table table = CurvesTable(*curves);
  REQUIRE(table.rows.size() == 2 * 4 * 2 - 2);  // one head has no divergence
  const auto& first = table.rows.front();
  CHECK(first[0].number == 1.0);
  CHECK(first[1].number == 50.0);
  CHECK(first[2].words == "loss");
  CHECK(first[3].number == 4.2);
  CHECK(first[4].number == 0.25);
  CHECK(first[5].number == 2.0);
  const auto single =
      std::ranges::find_if(table.rows, [](const auto& row) { return row[0].number == 4.0; });
  REQUIRE(single != table.rows.end());
  CHECK_FALSE((*single)[4].number);
}

TEST_CASE("how many seeds a curve is of is always said", "[figure][training]") {
  const auto curves = test::StubCurves();
  CHECK_THAT(CurvesSeeds(*curves), test::Says("h 1: 2 seeds (1, 2); h 4: 1 seed (1)"));
  CHECK_THAT(CurvesSeeds(*curves), test::Says("standard error"));
  const auto legend = LegendOfCurves(*curves, Theme::kDark);
  REQUIRE(legend.size() == 2);
  CHECK(legend[0].name == "h 1 (2 seeds)");
  TrainingCurves alone = *curves;
  alone.curves.erase(alone.curves.begin());
  CHECK_THAT(CurvesSeeds(alone), test::Says("not known"));
}

}  // namespace
}  // namespace headscope
