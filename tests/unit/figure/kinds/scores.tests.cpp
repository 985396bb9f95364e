// Figures of scores: colours, words and tables against the numbers that they are made of.
#include <algorithm>

#include "core/figure/chart_figure.h"
#include "core/figure/figure_kind.h"
#include "core/figure/roles_figure.h"
#include "core/figure/score_map.h"
#include "core/figure/table_figure.h"
#include "tests/support/catch.h"
#include "tests/support/render_figure.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/figure/kind_fixture.h"
#include "tests/unit/figure/scores_fixture.h"

namespace headscope {
namespace {

FigureSubject SubjectOfScores(ShownScores shown) {
  FigureSubject subject;
  subject.context = test::KindContext();
  subject.scores = std::make_shared<const ShownScores>(std::move(shown));
  return subject;
}

template <typename Kind>
std::unique_ptr<Kind> MakeOf(FigureOf of, std::string_view view, ShownScores shown) {
  auto figure = FindFigureKind(of, view)->make(SubjectOfScores(std::move(shown)));
  REQUIRE(figure.has_value());
  auto* const made = dynamic_cast<Kind*>(figure->get());
  REQUIRE(made != nullptr);
  static_cast<void>(figure->release());
  return std::unique_ptr<Kind>(made);
}

TEST_CASE("A score map has a cell for each head, and says which role a head has",
          "[figure][kinds]") {
  ShownScores shown = test::StubShown();
  HeadFlag flag;
  flag.layer = 0;
  flag.head = 1;
  flag.role = "rare";
  shown.flags.flags = {flag};
  shown.left_out = {HeadIndex{2, 0}};
  const auto map = MakeOf<ScoreMap>(FigureOf::kScores, kPlainView, shown);
  const ScoreMapContent& content = map->content();
  REQUIRE(content.cells.size() == 12);
  const auto metric = ScoredIn(shown.report(), "previous_token");
  const ScoreRange range = RangeOf(*metric);
  for (std::size_t place = 0; place < 12; ++place) {
    CHECK(content.cells[place].at == range.At(*metric->scores->heads[place].score));
  }
  CHECK(content.cells[1].role == "rare");
  CHECK_FALSE(content.cells[1].is_suggested);
  CHECK(content.cells[6].role == "positional");  // L1H2, by the sentences' scores
  CHECK(content.cells[6].is_suggested);
  CHECK(content.cells[11].words == "0.55");
  CHECK(content.cells[0].words.empty());  // not among the highest
  CHECK(content.cells[8].is_faint);
  CHECK(content.cells[8].words.empty());
}

TEST_CASE("A score map paints the colour of each score where its head is", "[figure][kinds]") {
  ShownScores shown = test::StubShown();
  shown.roles = nullptr;
  FigureSubject subject = SubjectOfScores(shown);
  subject.context.size_px = 900;
  const auto figure = FindFigureKind(FigureOf::kScores)->make(subject);
  REQUIRE(figure.has_value());
  const auto pixels = test::RenderFigure(figure->get());
  REQUIRE(pixels.has_value());
  const auto metric = ScoredIn(shown.report(), "previous_token");
  const ScoreRange range = RangeOf(*metric);
  // Each colour's first pixel, row by row: heads in a row grow to the right, layers downwards.
  std::vector<std::pair<int, int>> first(12, {-1, -1});
  for (int y = 0; y < pixels->height; ++y) {
    for (int x = 0; x < pixels->width; ++x) {
      const auto* const at =
          &pixels->rgb[3U * (static_cast<std::size_t>(y) * static_cast<std::size_t>(pixels->width) +
                             static_cast<std::size_t>(x))];
      for (std::size_t place = 3; place < 12; ++place) {  // those above chance
        const Rgb color = ColorOfScore(
            range, Colormap::kViridis, Theme::kLight, *metric->scores->heads[place].score);
        if (first[place].first < 0 && color == Rgb{at[0], at[1], at[2]}) {
          first[place] = {y, x};
        }
      }
    }
  }
  for (std::size_t place = 4; place < 12; ++place) {
    REQUIRE(first[place].first >= 0);
    if (place % 4 != 0) {
      CHECK(std::abs(first[place].first - first[place - place % 4].first) <= 4);
      CHECK(first[place].second > first[place - 1].second + 10);
    }
  }
  CHECK(first[8].first > first[4].first + 10);
  CHECK(std::abs(first[8].second - first[4].second) <= 4);
}

TEST_CASE("A scatter has a dot for each head where both its scores are", "[figure][kinds]") {
  const auto scatter = MakeOf<ChartFigure>(FigureOf::kScores, "scatter", test::StubShown());
  std::size_t dots = 0;
  for (const ChartMark& mark : scatter->content().marks) {
    const auto* const dot = std::get_if<ChartDot>(&mark);
    if (dot != nullptr && dot->key) {
      CHECK(dot->x == static_cast<double>(*dot->key) / 20.0);
      CHECK(dot->y == dot->x);
      CHECK((dot->ring > 0.0F) == (*dot->key == 6 || *dot->key == 11));  // suggested ones
      ++dots;
    }
  }
  CHECK(dots == 12);
}

TEST_CASE("Heads that are placed have a dot each, a unit as long along both axes",
          "[figure][kinds]") {
  ShownScores shown = test::StubShown();
  HeadPlaces places{.heads = {}, .share_x = 0.5, .share_y = 0.25, .rows = 7};
  for (std::int64_t head = 0; head < 4; ++head) {
    places.heads.push_back(
        {.head = {2, head}, .x = static_cast<double>(head), .y = head == 3 ? 0.5 : 0.0});
  }
  shown.places = std::make_shared<const HeadPlaces>(places);
  shown.placed_on = "The old captain";
  shown.left_out = {HeadIndex{2, 1}};
  const auto figure = MakeOf<ChartFigure>(FigureOf::kScores, "alike", shown);
  std::vector<std::size_t> keys;
  for (const ChartMark& mark : figure->content().marks) {
    const auto* const dot = std::get_if<ChartDot>(&mark);
    if (dot != nullptr && dot->key) {
      keys.push_back(*dot->key);
      CHECK(dot->x == static_cast<double>(*dot->key));
    }
  }
  CHECK(keys == std::vector<std::size_t>{0, 2, 3});
  CHECK(figure->content().is_even);
  CHECK_THAT(figure->page().caption,
             test::Says("The old captain") && test::Says("4 heads") && test::Says("75 %") &&
                 test::Says("7 rows"));
  CHECK_THAT(figure->content().across.name, test::Says("50 %"));
  CHECK_THAT(figure->content().up.name, test::Says("25 %"));
}

TEST_CASE("A list stands in the order asked for, without what a filter leaves out",
          "[figure][kinds]") {
  ShownScores shown = test::StubShown();
  shown.left_out = {HeadIndex{2, 3}};
  const auto list = MakeOf<TableFigure>(FigureOf::kScores, "list", shown);
  const Table& table = list->content().table;
  REQUIRE(table.rows.size() == 11);
  CHECK(table.rows.front().front().words == "L2H2");
  CHECK(table.rows.back().front().words == "L0H0");
  CHECK(table.rows[4].back().words == "positional");  // L1H2
  shown.order = HeadsOrder::kName;
  shown.is_ascending = true;
  const auto named = MakeOf<TableFigure>(FigureOf::kScores, "list", shown);
  CHECK(named->content().table.rows.front().front().words == "L0H0");
}

TEST_CASE("A series has a place for each model, scanned or not", "[figure][kinds]") {
  const auto series = MakeOf<ChartFigure>(FigureOf::kSeries, kPlainView, test::StubShown());
  const Chart& chart = series->content();
  REQUIRE(chart.ticks.size() == 3);
  CHECK(chart.ticks[1].is_chosen);
  CHECK(chart.ticks[2].words == "8");
  const auto dots = std::ranges::count_if(chart.marks, [](const ChartMark& mark) {
    const auto* const dot = std::get_if<ChartDot>(&mark);
    return dot != nullptr && dot->key.has_value();
  });
  CHECK(dots == 24);
}

TEST_CASE("Roles name their heads once, with the evidence of the surest", "[figure][kinds]") {
  const auto roles = MakeOf<RolesFigure>(FigureOf::kScores, "roles", test::StubShown());
  const auto& all = roles->content().roles;
  REQUIRE(all.size() == 2);
  CHECK(all[0].role == "positional");
  CHECK(all[0].heads == "L1H2");
  CHECK(all[0].evidence == "L1H2: it does so.");
  CHECK(all[1].heads == "L2H3");
}

TEST_CASE("Attention by relative position is each distance's mean", "[figure][kinds]") {
  FigureSubject subject = test::KindSubject(4, {1, 2});
  const auto figure = FindFigureKind(FigureOf::kHead, "relative")->make(subject);
  REQUIRE(figure.has_value());
  const auto* const chart = dynamic_cast<const ChartFigure*>(figure->get());
  REQUIRE(chart != nullptr);
  // Even attention of a causal layer: row q has 1 / (q + 1) on each key.
  const RelativeAttention shares =
      AttentionByDistance(MapView{.layer = subject.layers[1], .head = 2});
  std::vector<double> bars;
  for (const ChartMark& mark : chart->content().marks) {
    if (const auto* const bar = std::get_if<ChartBar>(&mark)) {
      bars.push_back(bar->value);
    }
  }
  std::vector<double> expected;
  for (std::size_t i = 0; i < RelativeAttention::kCount; ++i) {
    if (shares.rows[i] > 0) {
      expected.push_back(shares.mean[i]);
    }
  }
  CHECK(bars == expected);
  const FigureSubject long_text = test::KindSubject(1100);
  CHECK(FindFigureKind(FigureOf::kHead, "relative")->make(long_text).error().message.find("1024") !=
        std::string::npos);
}

TEST_CASE("An ablation has the head beside others of its layer", "[figure][kinds]") {
  FigureSubject subject;
  subject.context = test::KindContext();
  subject.ablation = test::AblatedStub();
  const auto figure = FindFigureKind(FigureOf::kAblation)->make(subject);
  REQUIRE(figure.has_value());
  const auto* const chart = dynamic_cast<const ChartFigure*>(figure->get());
  REQUIRE(chart != nullptr);
  int rings = 0;
  std::vector<double> own;
  for (const ChartMark& mark : chart->content().marks) {
    if (const auto* const dot = std::get_if<ChartDot>(&mark)) {
      rings += dot->ring > 0.0F ? 1 : 0;
      if (dot->ring == 0.0F) {
        own.push_back(dot->y);
      }
    }
  }
  CHECK(rings == 9);
  CHECK(own == std::vector<double>{0.5, 0.25});
  CHECK((*figure)->page().caption.find("rises by 0.500") != std::string::npos);
}

TEST_CASE("A score that no head has is refused, with those that there are", "[figure][kinds]") {
  ShownScores shown = test::StubShown();
  shown.metric = "nonsense";
  const auto figure = FindFigureKind(FigureOf::kScores)->make(SubjectOfScores(shown));
  REQUIRE_FALSE(figure.has_value());
  CHECK(figure.error().message.find("nonsense") != std::string::npos);
  CHECK(figure.error().message.find("previous_token, ") != std::string::npos);
}

TEST_CASE("A head's values are a table of every weight, empty where masked", "[figure][kinds]") {
  const auto table = FindFigureKind(FigureOf::kHead)->table(test::KindSubject(3, {1, 2}));
  REQUIRE(table.has_value());
  REQUIRE(table->rows.size() == 3);
  REQUIRE(table->columns.size() == 4);
  CHECK(table->columns[2].name == "text");
  CHECK(table->rows[0][1].number == 1.0);
  CHECK_FALSE(table->rows[0][2].number.has_value());
  CHECK(table->rows[1][2].number == 0.5);
  FigureSubject long_text = test::KindSubject(200);
  long_text.layers = {test::EvenLayer(0, 3, 200, true)};
  CHECK_FALSE(FindFigureKind(FigureOf::kHead)->table(long_text).has_value());
}

TEST_CASE("Tables of scores are written with commas, for LaTeX and as Markdown",
          "[figure][kinds]") {
  const test::TempFolder folder;
  const ShownScores several = test::StubShown();
  REQUIRE(several.models.size() > 1);
  ShownScores one = several;
  one.models.resize(1);
  for (const FigureKind* kind : AllFigureKinds()) {
    for (const NumbersFormat& format : kind->numbers) {
      if (!IsOfScores(kind->of)) {
        continue;
      }
      const FigureSubject subject = SubjectOfScores(kind->of == FigureOf::kSeries ? several : one);
      CAPTURE(kind->view, format.ending);
      const auto path = folder / ("t" + std::string(format.ending));
      REQUIRE(WriteFigure(path, *kind, subject).has_value());
      const std::string text = test::ReadText(path);
      CAPTURE(static_cast<int>(kind->of), text.substr(0, 80), format.start);
      CHECK(text.starts_with(format.start));
    }
  }
}

}  // namespace
}  // namespace headscope
