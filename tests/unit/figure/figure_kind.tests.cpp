// Every kind of figure, in every format: what a new one gets for its file alone.
#include "core/figure/figure_kind.h"

#include <algorithm>
#include <array>

#include "core/compare/weight_changes.h"
#include "core/figure/figure_format.h"
#include "core/figure/film_strip.h"
#include "core/figure/loss_chart.h"
#include "tests/support/catch.h"
#include "tests/support/next_word.h"
#include "tests/support/render_figure.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/figure/kind_fixture.h"
#include "tests/unit/figure/scores_fixture.h"
#include "tests/unit/figure/training_fixture.h"

namespace headscope {
namespace {

// With something for the kind to draw.
FigureSubject SubjectOf(std::int64_t tokens, const FigureKind& kind) {
  FigureSubject subject = test::KindSubject(tokens, {1, 2});
  subject.context.size_px = 600;
  subject.context.tokens.assign(static_cast<std::size_t>(tokens), "token");
  auto split = std::make_shared<SplitResult>();
  split->trained_heads = 2;
  for (const std::int64_t heads : {1, 2, 4}) {
    SplitCount count;
    count.heads = heads;
    count.attention = test::EvenLayer(0, heads, tokens);
    count.ranks = RanksOf(*count.attention, {}).value();
    split->counts.push_back(count);
  }
  split->all_columns = RankOfAllColumns(*split->counts.back().attention);
  subject.counts = split;
  subject.comparison = test::SwappedHeads();
  auto scores = *test::ShownStubScores();
  scores.places = std::make_shared<const HeadPlaces>(
      HeadPlaces{.heads = {{{0, 0}, 0.1, 0.0}, {{0, 1}, -0.1, 0.05}, {{1, 0}, 0.0, -0.05}}});
  subject.scores = std::make_shared<const ShownScores>(std::move(scores));
  subject.ablation = test::AblatedStub();
  subject.effects = std::make_shared<const EffectMap>(
      EffectMap{.title = "Shares",
                .caption = "Each head's share.",
                .words = "share",
                .shape = {ModelPart::kWhole, 2, 3},
                .values = {0.5, -0.25, std::nullopt, 0.0, 1.0, -0.75}});
  subject.training = test::StubCurves();
  auto word = *test::SomeNextWord();
  word.prediction.lens = {{0, word.prediction.rows[0].top}, {1, word.prediction.rows[0].top}};
  word.lens = {word.top, word.top};
  subject.word = std::make_shared<const NextWord>(std::move(word));
  NamedLosses said;
  for (std::int64_t row = 0; row < tokens; ++row) {
    said.losses.rows.push_back({.next = ActualWord{.id = 1, .loss = 1.0}, .likeliest = {}});
    said.likeliest.emplace_back("token");
  }
  said.losses.loss = 1.0;
  subject.losses = std::make_shared<const ShownLosses>(
      ShownLosses{.tokens = subject.context.tokens,
                  .whole = std::make_shared<const NamedLosses>(std::move(said)),
                  .without = nullptr});
  subject.weighed = std::make_shared<const WeighedHead>(
      WeighedHead{.layer = test::EvenLayer(1, 1, tokens),
                  .of = {1, 2},
                  .by = kind.weighs_by.value_or(WeighedBy::kValues),
                  .longest = 2.0});
  auto film = std::make_shared<FilmStrip>();
  film->head = {1, 2};
  film->metric = "induction";
  film->all = 3;
  for (const std::int64_t step : {0, 100}) {
    film->frames.push_back({.step = step,
                            .map = {test::EvenLayer(1, 3, tokens), 2},
                            .score = "induction 0.50 (3 rows)",
                            .role = "no role"});
  }
  subject.film = film;
  WeightChanges changes{.a = "alpha", .b = "beta", .parts = {}, .notes = {}};
  changes.parts.push_back({.name = "L1H2", .head = HeadIndex{1, 2}, .all = {}});
  changes.parts.back().all.Add(std::array{1.0F, 0.0F}, std::array{1.0F, 0.5F});
  subject.weights = std::make_shared<const WeightChanges>(std::move(changes));
  subject.beside = test::BesideOf(test::EvenLayer(0, 3, tokens), test::EvenLayer(0, 2, tokens));
  return subject;
}

TEST_CASE("Kinds stand in one order, and each is found by what it is of", "[figure][kinds]") {
  const auto kinds = AllFigureKinds();
  REQUIRE(kinds.size() >= 4);
  for (const FigureOf of : {FigureOf::kHead,
                            FigureOf::kLayer,
                            FigureOf::kAll,
                            FigureOf::kCounts,
                            FigureOf::kComparison,
                            FigureOf::kPair,
                            FigureOf::kScores,
                            FigureOf::kSeries,
                            FigureOf::kAblation,
                            FigureOf::kEffects,
                            FigureOf::kTraining}) {
    REQUIRE(FindFigureKind(of) != nullptr);
    CHECK(FindFigureKind(of)->of == of);
    CHECK(ViewsOf(of).front() == kPlainView);
    CHECK(FindFigureKind(of, "no such view") == nullptr);
  }
  CHECK(std::ranges::is_sorted(kinds, {}, &FigureKind::of));
  for (const FigureKind* kind : kinds) {
    CHECK(FindFigureKind(kind->of, kind->view) == kind);
  }
}

TEST_CASE("Every kind fills the size asked for, in every theme", "[figure][kinds]") {
  for (const FigureKind* kind : AllFigureKinds()) {
    CAPTURE(static_cast<int>(kind->of), kind->view);
    for (const std::int64_t tokens : {1, 3, 40, 700}) {
      FigureSubject subject = SubjectOf(tokens, *kind);
      for (const Theme theme : {Theme::kDark, Theme::kLight, Theme::kPrint}) {
        subject.context.theme = theme;
        const auto figure = kind->make(subject);
        REQUIRE(figure.has_value());
        const auto pixels = test::RenderFigure(figure->get());
        REQUIRE(pixels.has_value());
        CHECK(std::max(pixels->width, pixels->height) == 600);
      }
    }
  }
}

TEST_CASE("Every kind is the same bytes twice, in every format", "[figure][kinds]") {
  const test::TempFolder folder;
  for (const FigureKind* kind : AllFigureKinds()) {
    CAPTURE(static_cast<int>(kind->of), kind->view);
    const FigureSubject subject = SubjectOf(12, *kind);
    for (const FigureFormat& format : AllFigureFormats()) {
      const auto one = folder / ("one" + std::string(format.ending));
      const auto two = folder / ("two" + std::string(format.ending));
      REQUIRE(WriteFigure(one, *kind, subject).has_value());
      REQUIRE(WriteFigure(two, *kind, subject).has_value());
      const std::string bytes = test::ReadText(one);
      CHECK(bytes.starts_with(format.start));
      CHECK(bytes == test::ReadText(two));
    }
  }
}

TEST_CASE("Every kind refuses what is not there, and can be stopped", "[figure][kinds]") {
  const test::TempFolder folder;
  std::stop_source source;
  source.request_stop();
  for (const FigureKind* kind : AllFigureKinds()) {
    CAPTURE(static_cast<int>(kind->of), kind->view);
    for (const FigureFormat& format : AllFigureFormats()) {
      const auto path = folder / ("f" + std::string(format.ending));
      const FigureSubject nothing{{}, {}, nullptr, test::KindContext()};
      CHECK(WriteFigure(path, *kind, nothing).error().code == ErrorCode::kInput);
      CHECK(WriteFigure(path, *kind, SubjectOf(3, *kind), source.get_token()).error().code ==
            ErrorCode::kCancelled);
    }
  }
  CHECK(folder.Count() == 0);
}

}  // namespace
}  // namespace headscope
