// core/figure/kinds/head_rank.cpp, head_counts_rank.cpp
#include <cmath>
#include <sstream>
#include <string>
#include <vector>

#include "core/attention/given_layer.h"
#include "core/figure/chart_figure.h"
#include "core/figure/chart_grid.h"
#include "tests/support/catch.h"
#include "tests/support/render_figure.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/figure/kind_fixture.h"

namespace headscope::test {
namespace {

// Three tokens, two heads of two columns. Head 0's scores have the singular values 4 and 2, those of
// head 1 have 8 alone, all before a scale of 1/2.
std::shared_ptr<const LayerAttention> KnownRanks() {
  LayerAttention::Content content;
  content.layer = 1;
  content.shape = {
      .queries = 3, .keys = 3, .heads = 2, .kv_heads = 2, .head_dim = 2, .value_dim = 2};
  content.rule.scale = 0.5;
  content.rule.causal = true;
  content.queries = {4, 0, 8, 0, 0, 2, 0, 0, 0, 0, 0, 0};
  content.keys = {1, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0};
  content.values = content.keys;
  content.row_max.resize(6);
  content.row_inverse_sum.resize(6, 1.0F);
  content.thumbnails.resize(2);
  return std::make_shared<const LayerAttention>(std::move(content));
}

FigureSubject RankSubject(std::int64_t head) {
  FigureSubject subject{{KnownRanks()}, {1, head}, nullptr, KindContext()};
  subject.context.size_px = 700;
  return subject;
}

std::vector<std::vector<std::string>> ReadCsv(const std::filesystem::path& path) {
  std::vector<std::vector<std::string>> rows;
  std::istringstream lines(ReadText(path));
  for (std::string line; std::getline(lines, line);) {
    rows.emplace_back();
    std::istringstream cells(line);
    for (std::string cell; std::getline(cells, cell, ',');) {
      rows.back().push_back(cell);
    }
  }
  return rows;
}

TEST_CASE("The rank of a head is its singular values, beside those of all columns",
          "[figure][rank]") {
  const TempFolder folder;
  const FigureKind* const kind = FindFigureKind(FigureOf::kHead, "rank");
  REQUIRE(kind != nullptr);
  REQUIRE(WriteFigure(folder / "rank.csv", *kind, RankSubject(0)));
  const auto rows = ReadCsv(folder / "rank.csv");
  REQUIRE(rows.size() == 4);  // three tokens make three values of all columns
  CHECK(rows[0] == std::vector<std::string>{"index", "head", "all_columns", "left_out"});
  CHECK(std::stod(rows[1][1]) == Approx(2.0));
  CHECK(std::stod(rows[2][1]) == Approx(1.0));
  CHECK(rows[3][1].empty());
  // All columns: queries (4, 0, 8, 0) and (0, 2, 0, 0), keys (1, 0, 1, 0) and (0, 1, 0, 0): 12 and 2.
  const double scale = 0.5 / std::sqrt(2.0);
  CHECK(std::stod(rows[1][2]) == Approx(12.0 * scale));
  CHECK(std::stod(rows[2][2]) == Approx(2.0 * scale));
  CHECK(std::stod(rows[1][3]) == Approx(2.0 / std::sqrt(148.0)));
  CHECK(std::stod(rows[2][3]) == Approx(0.0).margin(1e-12));
  const auto figure = kind->make(RankSubject(1));
  REQUIRE(figure);
  const FigurePage& page = (*figure)->page();
  CHECK(page.title == "Rank of the scores of L1H1");
  CHECK_THAT(page.notes.at(0), Says("n = 3 tokens") && Says("rank 1 of at most 2"));
  CHECK_THAT(page.notes.at(0), Says("effective rank 1.0") && Says("a bottleneck"));
  CHECK_THAT(page.notes.at(1), Says("Eckart and Young"));
  const auto& chart = dynamic_cast<const ChartFigure&>(**figure).content();
  CHECK_THAT(chart.signs, Says("L1H1") && Says("d_k = 2"));
  CHECK(RenderFigure(figure->get()));
}

TEST_CASE("Attention without scores has no rank, and a sentence says where to get it",
          "[figure][rank]") {
  LayerAttention::Content content;
  content.layer = 1;
  content.shape = {
      .queries = 2, .keys = 2, .heads = 1, .kv_heads = 1, .head_dim = 2, .value_dim = 2};
  content.given =
      HeldWeights(std::make_shared<const std::vector<float>>(std::vector<float>{1, 0, 0.5, 0.5}),
                  content.shape);
  FigureSubject subject = RankSubject(0);
  subject.layers = {MakeGivenLayer(std::move(content), kThumbnailSize, {}).value()};
  const auto figure = FindFigureKind(FigureOf::kHead, "rank")->make(subject);
  REQUIRE(!figure);
  CHECK(figure.error().code == ErrorCode::kInput);
  CHECK_THAT(figure.error().message, Says("weights only"));
}

TEST_CASE("The rank of head counts is a chart for each and a row for each head", "[figure][rank]") {
  auto split = std::make_shared<SplitResult>();
  split->layer = 1;
  split->trained_heads = 2;
  SplitCount count;
  count.heads = 2;
  count.attention = KnownRanks();
  split->counts.push_back(count);
  FigureSubject subject{{}, {}, split, KindContext()};
  subject.context.size_px = 900;
  const FigureKind* const kind = FindFigureKind(FigureOf::kCounts, "rank");
  REQUIRE(kind != nullptr);
  const auto early = kind->make(subject);
  REQUIRE(!early);
  CHECK_THAT(early.error().message, Says("h = 2 is not measured yet"));
  split->counts[0].ranks = RanksOf(*count.attention, {}).value();
  split->all_columns = RankOfAllColumns(*count.attention);
  const auto figure = kind->make(subject);
  REQUIRE(figure);
  const auto& grid = dynamic_cast<const ChartGridFigure&>(**figure).content();
  REQUIRE(grid.charts.size() == 1);
  CHECK_THAT(grid.charts[0].across.name, Says("h = 2 (trained)"));
  REQUIRE(grid.legend.size() == 2);
  CHECK(RenderFigure(figure->get()));
  const TempFolder folder;
  REQUIRE(WriteFigure(folder / "ranks.csv", *kind, subject));
  const auto rows = ReadCsv(folder / "ranks.csv");
  REQUIRE(rows.size() == 3);
  CHECK(rows[1][0] == "2");
  CHECK((rows[1][1] == "0" && rows[1][3] == "2" && rows[1][4] == "2"));
  CHECK((rows[2][1] == "1" && rows[2][3] == "2" && rows[2][4] == "1"));
  CHECK(std::stod(rows[2][5]) == Approx(1.0));
}

}  // namespace
}  // namespace headscope::test
