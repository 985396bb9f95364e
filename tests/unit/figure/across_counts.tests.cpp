#include "core/figure/across_counts.h"

#include <algorithm>
#include <cmath>

#include "core/figure/chart_grid.h"
#include "core/figure/theme.h"
#include "tests/support/catch.h"
#include "tests/unit/state/heads/scan_stub.h"

namespace headscope {
namespace {

const AcrossColumn& ColumnOf(AcrossQuantity of) {
  return AllAcrossColumns()[static_cast<std::size_t>(of)];
}

AcrossModel ModelWith(
    std::string name, std::string label, const HeadScanReport* report, double loss, double error) {
  AcrossModel model{.name = std::move(name), .label = std::move(label), .report = report};
  model.numbers = ModelNumbers{.loss = MeanOfRuns{.mean = loss, .error = error, .runs = 40},
                               .overlap = SubspaceOverlap{.overlap = 0.3, .chance = 0.25}};
  return model;
}

TEST_CASE("columns stand in the order of what they are of", "[figure][across]") {
  for (std::size_t i = 0; i < kAcrossQuantities; ++i) {
    CHECK(static_cast<std::size_t>(AllAcrossColumns()[i].of) == i);
  }
}

TEST_CASE("models with the same number of heads are runs of one row, with the error over runs",
          "[figure][across]") {
  HeadScanReport scan = *test::StubScan();
  scan.sentences->report.scores.push_back(test::StubScores("layer_divergence"));
  const std::vector<AcrossModel> models = {{.name = "a-h2", .label = "2"},
                                           ModelWith("a-h4", "4", &scan, 1.0, 0.5),
                                           ModelWith("a-h4-2", "4", &scan, 2.0, 0.5),
                                           ModelWith("a-h8", "8", &scan, 3.0, 0.25)};
  const auto rows = AcrossRows(models);
  REQUIRE(rows.size() == 3);
  CHECK(rows[0].scanned == 0);
  CHECK_FALSE(rows[0].Of(AcrossQuantity::kLoss));
  CHECK(rows[1].names == std::vector<std::string>{"a-h4", "a-h4-2"});
  CHECK(rows[1].scanned == 2);
  const auto& two = rows[1].Of(AcrossQuantity::kLoss);
  REQUIRE(two);
  CHECK(two->mean == Approx(1.5));
  CHECK(*two->error == Approx(0.5));  // of 1 and 2: deviation sqrt(1/2), over sqrt(2)
  CHECK(two->runs == 2);
  // One run has the error over its texts.
  CHECK(*rows[2].Of(AcrossQuantity::kLoss)->error == 0.25);
  const auto& overlap = rows[2].Of(AcrossQuantity::kOverlap);
  REQUIRE(overlap);
  CHECK_FALSE(overlap->error);
  CHECK(*overlap->control == 0.25);
  // Heads 0 to 11 have p / 20 each, with an error of .01.
  const auto& divergence = rows[2].Of(AcrossQuantity::kDivergence);
  REQUIRE(divergence);
  CHECK(divergence->mean == Approx(5.5 / 20.0));
  CHECK(*divergence->error == Approx(0.01));
  CHECK_FALSE(rows[2].Of(AcrossQuantity::kEffective));
}

TEST_CASE("roles that are borderline stand beside those that are strong", "[figure][across]") {
  HeadScanReport scan = *test::StubScan();
  // Strong: L2H3 induction on repeats, L1H2 positional on sentences.
  Suggestion more = test::StubSuggestion({0, 1}, "broad", "entropy");
  more.verdict = Verdict::kBorderline;
  scan.sentences->report.suggested.push_back(more);
  const AcrossModel model = {.name = "a", .label = "4", .report = &scan};
  const AcrossRow row = AcrossRows({&model, 1}).front();
  const auto& share = row.Of(AcrossQuantity::kWithRole);
  REQUIRE(share);
  CHECK(share->mean == Approx(2.0 / 12.0));
  CHECK(*share->control == Approx(3.0 / 12.0));
  CHECK(row.Of(AcrossQuantity::kRoles)->mean == 2.0);
  CHECK(*row.Of(AcrossQuantity::kRoles)->control == 3.0);
  CHECK(AcrossText(ColumnOf(AcrossQuantity::kWithRole), share) == "17 % (25 %)");
  CHECK(AcrossText(ColumnOf(AcrossQuantity::kRoles), row.Of(AcrossQuantity::kRoles)) == "2 (3)");
}

TEST_CASE("numbers are written with their error and control", "[figure][across]") {
  const AcrossColumn& loss = ColumnOf(AcrossQuantity::kLoss);
  CHECK(AcrossText(loss, std::nullopt) == "–");
  CHECK(AcrossText(loss, AcrossNumber{.mean = 0.5, .runs = 1}) == "0.500");
  CHECK(AcrossText(loss, AcrossNumber{.mean = 0.5, .error = 0.0214, .runs = 3}) == "0.500 ± 0.021");
  CHECK(AcrossText(loss, AcrossNumber{.mean = 0.00027, .error = 0.0002, .runs = 3}) ==
        "0.0003 ± 0.0002");
  CHECK(AcrossText(ColumnOf(AcrossQuantity::kOverlap),
                   AcrossNumber{.mean = 0.5, .runs = 1, .control = 0.25}) == "0.500 (0.250)");
}

TEST_CASE("the table has numbers in full and leaves out columns without any", "[figure][across]") {
  const auto scan = test::StubScan();
  const std::vector<AcrossModel> models = {ModelWith("a-h4", "4", scan.get(), 1.0, 0.5),
                                           ModelWith("a-h8", "8", scan.get(), 3.0, 0.25)};
  const Table table = AcrossTable(AcrossRows(models), "heads in a layer");
  const auto column = [&](std::string_view key) {
    const auto found = std::ranges::find(table.columns, key, &TableColumn::key);
    return found - table.columns.begin();
  };
  REQUIRE(column("overlap_control") < std::ssize(table.columns));
  CHECK(column("effective_heads") == std::ssize(table.columns));
  CHECK(column("loss_control") == std::ssize(table.columns));
  REQUIRE(table.rows.size() == 2);
  CHECK(table.rows[1][static_cast<std::size_t>(column("loss"))].number == 3.0);
  CHECK(table.rows[1][static_cast<std::size_t>(column("loss_error"))].number == 0.25);
  CHECK(table.rows[1][static_cast<std::size_t>(column("overlap_control"))].number == 0.25);
  CHECK(table.rows[1][static_cast<std::size_t>(column("runs"))].number == 1.0);
  for (const auto& row : table.rows) {
    CHECK(row.size() == table.columns.size());
  }
}

TEST_CASE("a chart has a dot for each row, and nothing where no row has the number",
          "[figure][across]") {
  const auto scan = test::StubScan();
  const std::vector<AcrossModel> models = {ModelWith("a-h4", "4", scan.get(), 1.0, 0.5),
                                           {.name = "a-h6", .label = "6"},
                                           ModelWith("a-h8", "8", scan.get(), 3.4, 0.25)};
  const auto rows = AcrossRows(models);
  const ThemeColors& colors = ColorsOf(Theme::kDark);
  const auto chart =
      AcrossChart(rows, ColumnOf(AcrossQuantity::kLoss), "heads in a layer", "8", colors);
  REQUIRE(chart);
  CHECK(chart->up.high == 5.0);  // 3.4 + 0.25 rounded up
  REQUIRE(chart->ticks.size() == 3);
  CHECK(chart->ticks[2].is_chosen);
  std::vector<std::pair<double, double>> dots;
  std::vector<std::pair<double, double>> bars;
  for (const ChartMark& mark : chart->marks) {
    if (const auto* const dot = std::get_if<ChartDot>(&mark)) {
      dots.emplace_back(dot->x, dot->y);
    } else if (const auto* const bar = std::get_if<ChartError>(&mark)) {
      bars.emplace_back(bar->low, bar->high);
    }
  }
  CHECK(dots == std::vector<std::pair<double, double>>{{0.5, 1.0}, {2.5, 3.4}});
  REQUIRE(bars.size() == 2);
  CHECK(bars[0] == std::pair(0.5, 1.5));
  CHECK_FALSE(
      AcrossChart(rows, ColumnOf(AcrossQuantity::kEffective), "heads in a layer", "8", colors));
}

TEST_CASE("places of a grid fill its width, in as few rows as the least width lets them",
          "[figure][across]") {
  const Rect area{10.0F, 20.0F, 640.0F, 410.0F};
  const auto places = GridPlaces(area, 6, 200.0F, 10.0F);
  REQUIRE(places.size() == 6);
  // Three columns of (640 - 20) / 3, two rows of 200.
  CHECK(places[2].x + places[2].width == Approx(650.0F));
  CHECK(places[3].x == 10.0F);
  CHECK(places[3].y == Approx(230.0F));
  CHECK(places[5].y + places[5].height == Approx(430.0F));
  // Four in rows of at most three are two and two.
  CHECK(GridPlaces(area, 4, 200.0F, 10.0F)[2].y > 20.0F);
  CHECK(GridPlaces(area, 2, 9000.0F, 10.0F)[1].x == 10.0F);
  CHECK(GridPlaces(area, 0, 200.0F, 10.0F).empty());
}

}  // namespace
}  // namespace headscope
