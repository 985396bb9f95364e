// Lines of a family over steps: means and errors over runs whose values are known.
#include "core/figure/family_curves.h"

#include <algorithm>
#include <cmath>

#include "tests/support/catch.h"
#include "tests/unit/state/heads/scan_stub.h"

namespace headscope {
namespace {

// A report whose best head of "induction" has that score, and its chance.
HeadScanReport WithBest(double best) {
  HeadScanReport report = *test::StubScan();
  for (NamedScores& scores : report.repeats->report.scores) {
    for (HeadScore& head : scores.heads) {
      *head.score *= best / 0.55;
    }
  }
  return report;
}

AcrossModel ModelWith(std::string name, const HeadScanReport* report, double loss) {
  AcrossModel model{.name = std::move(name), .label = "?", .report = report};
  model.numbers = ModelNumbers{.loss = MeanOfRuns{.mean = loss, .error = 0.5, .runs = 40}};
  if (report != nullptr) {
    model.metric = ScoredIn(*report, "induction");
  }
  return model;
}

const FamilyCurve& CurveOf(const FamilyCurves& curves, std::int64_t heads) {
  return *std::ranges::find(curves.curves, heads, &FamilyCurve::heads);
}

struct FamilyFixture {
  HeadScanReport low = WithBest(0.1);
  HeadScanReport middle = WithBest(0.4);
  HeadScanReport high = WithBest(0.9);
  std::vector<AcrossModel> models = {ModelWith("a-h4/step-200", &low, 3.0),
                                     ModelWith("a-h4-2/step-200", &middle, 1.0),
                                     ModelWith("a-h4-seed3/step-200", &high, 2.0),
                                     ModelWith("a-h4", &high, 0.5),
                                     ModelWith("a-h2", &middle, 1.5),
                                     ModelWith("a-h2/step-1000", &low, 2.5)};
  FamilyCurves curves = CurvesOfFamily(models);
};

TEST_CASE("a family's curves have its numbers of heads, and all steps in order",
          "[figure][family]") {
  const FamilyFixture family;
  CHECK(family.curves.family == "a");
  CHECK(family.curves.places == std::vector<std::string>{"200", "1000", "trained"});
  REQUIRE(family.curves.curves.size() == 2);
  CHECK(family.curves.curves[0].heads == 2);
  CHECK(family.curves.curves[1].runs == std::vector<std::string>{"a-h4", "a-h4-2", "a-h4-seed3"});
  for (const FamilyCurve& curve : family.curves.curves) {
    CHECK(curve.rows.size() == 3);
  }
  CHECK(CurveOf(family.curves, 2).rows[0].names.empty());  // it has no step 200
}

TEST_CASE("a point is the mean over runs, its error that of the mean; one run has none",
          "[figure][family]") {
  const FamilyFixture family;
  const auto all = QuantitiesOf(family.curves);
  REQUIRE(all.size() >= 2);
  REQUIRE(all[0].metric != nullptr);
  CHECK(all[0].key() == "induction");
  const auto& score = all[0].In(CurveOf(family.curves, 4).rows[0]);
  REQUIRE(score);
  CHECK(score->runs == 3);
  CHECK(score->mean == Approx((0.1 + 0.4 + 0.9) / 3.0));
  // Squared distances from 1.4 / 3 add up to .98 / 3; over 2, over 3.
  CHECK(*score->error == Approx(std::sqrt(0.98 / 18.0)));
  CHECK(*score->control == Approx(0.1));
  REQUIRE(all[1].column->of == AcrossQuantity::kLoss);
  const auto& loss = all[1].In(CurveOf(family.curves, 4).rows[0]);
  CHECK(loss->mean == Approx(2.0));
  CHECK(*loss->error == Approx(std::sqrt(1.0 / 3.0)));
  CHECK(all[1].ValueText(*loss) == "2.000 ± 0.577");
  // The error over the texts of a single run is no error over runs.
  CHECK(all[1].ValueText(*all[1].In(CurveOf(family.curves, 2).rows[1])) == "2.500");
}

TEST_CASE("a chart has a dot for each number, bars where there are runs, and chance as a line",
          "[figure][family]") {
  const FamilyFixture family;
  const FamilyQuantity score = QuantitiesOf(family.curves).front();
  const Chart chart = FamilyChart(family.curves, score, "a-h2/step-1000", Theme::kDark);
  std::vector<ChartDot> dots;
  std::vector<ChartError> bars;
  std::size_t chance = 0;
  for (const ChartMark& mark : chart.marks) {
    if (const auto* const dot = std::get_if<ChartDot>(&mark)) {
      dots.push_back(*dot);
    } else if (const auto* const bar = std::get_if<ChartError>(&mark)) {
      bars.push_back(*bar);
    } else if (const auto* const line = std::get_if<ChartLine>(&mark)) {
      chance += line->x1 - line->x0 == 1.0 && line->y0 == Approx(0.1) ? 1U : 0U;
    }
  }
  REQUIRE(dots.size() == 4);  // h 2: step 1000 and trained; h 4: step 200 and trained
  CHECK(dots[0].key == 1U);
  CHECK(dots[0].y == Approx(0.1));
  CHECK(dots[2].key == 3U);
  CHECK(dots[2].ring == 0.0F);
  CHECK(dots[3].ring > 0.0F);  // of the three runs one has an end
  REQUIRE(bars.size() == 1);
  CHECK((bars[0].low + bars[0].high) / 2.0 == Approx(dots[2].y));
  CHECK(chance == 3);
  CHECK(chart.signs == "ring: not all runs · faint: chance");
  CHECK(chart.ticks[1].is_chosen);
  CHECK_FALSE(chart.ticks[0].is_chosen);
  CHECK(chart.up.high >= bars[0].high);
}

TEST_CASE("a family says how many runs there are, and who is none of it", "[figure][family]") {
  FamilyFixture family;
  const auto legend = LegendOfFamily(family.curves, Theme::kDark);
  REQUIRE(legend.size() == 2);
  CHECK(legend[0].name == "h 2 (1 run)");
  CHECK(legend[1].name == "h 4 (3 runs)");
  CHECK_THAT(FamilyNotes(family.curves),
             test::Says("standard error") && test::Says("h 2: one run, no bar"));
  family.models.push_back(ModelWith("b-h4", nullptr, 1.0));
  family.models.push_back(ModelWith("large", nullptr, 1.0));
  const FamilyCurves curves = CurvesOfFamily(family.models);
  CHECK(curves.left_out == std::vector<std::string>{"b-h4", "large"});
  CHECK_THAT(FamilyNotes(curves), test::Says("b-h4 is left out"));
  const std::vector<AcrossModel> single = {ModelWith("a-h2", nullptr, 1.0)};
  CHECK_THAT(FamilyNotes(CurvesOfFamily(single)), test::Says("no bars"));
}

TEST_CASE("a family's table has a row for each number, empty where there is no error",
          "[figure][family]") {
  const FamilyFixture family;
  const std::string csv = TableCsv(FamilyTable(family.curves));
  CHECK(csv.starts_with("heads,step,quantity,mean,error,control,runs\n"));
  CHECK_THAT(csv, test::Says("2,1000,induction,0.1") && test::Says("4,200,loss,2,0.577350"));
  CHECK_THAT(csv, test::Says("2,trained,loss,1.5,,,1"));
}

}  // namespace
}  // namespace headscope
