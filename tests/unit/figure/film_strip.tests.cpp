#include "core/figure/film_strip.h"

#include <algorithm>
#include <cmath>

#include "core/figure/figure_kind.h"
#include "core/figure/film_figure.h"
#include "core/figure/film_steps.h"
#include "tests/support/catch.h"
#include "tests/support/given_map.h"
#include "tests/support/one_weight.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/figure/kind_fixture.h"

namespace headscope {

TEST_CASE("frames are the first, the last, and equal ratios between them", "[figure][film]") {
  std::vector<std::int64_t> steps;
  for (std::int64_t step = 0; step <= 4000; step += 10) {
    steps.push_back(step);
  }
  for (const std::size_t most : {2U, 5U, 12U, 16U}) {
    const std::vector<std::size_t> chosen = ChooseFrames(steps, most);
    REQUIRE(chosen.size() == most);
    CHECK(chosen.front() == 0);
    CHECK(chosen.back() == steps.size() - 1);
    CHECK(std::ranges::is_sorted(chosen));
    CHECK(std::ranges::adjacent_find(chosen) == chosen.end());
  }
  // Of ten fine steps at ratios of two each one is chosen.
  const std::vector<std::int64_t> doubled = {0, 1, 3, 7, 15, 31, 63};
  CHECK(ChooseFrames(doubled, 4) == std::vector<std::size_t>{0, 2, 4, 6});
  CHECK(ChooseFrames(doubled, 7).size() == 7);
  CHECK(ChooseFrames(doubled, 20).size() == 7);
  CHECK(ChooseFrames({}, 5).empty());
}

TEST_CASE("the trained model is the last frame", "[figure][film]") {
  std::vector<SeriesModel> all;
  for (std::int64_t step = 0; step < 40; ++step) {
    all.push_back({.folder = "m", .value = step});
  }
  all.push_back({.folder = "m", .value = 0, .is_trained = true});
  const auto chosen = ChooseSteps(all, 8);
  REQUIRE(chosen.size() == 8);
  CHECK(chosen.back().is_trained);
  CHECK(chosen.front().value == 0);
  CHECK(chosen[6].value == 39);
  CHECK(ChooseSteps(all, 50).size() == 41);
}

TEST_CASE("all frames have one range of colours", "[figure][film]") {
  FilmStrip film{.head = {0, 0}};
  film.frames.push_back({.map = {test::EvenLayer(0, 1, 4), 0}});
  film.frames.push_back({.map = {test::GivenMap({{1, 0}, {0.25F, 0.75F}}, true), 0}});
  film.frames.push_back({.step = 5, .why_not = "it is broken"});
  for (const RangeMode mode : {RangeMode::kHead, RangeMode::kLayer, RangeMode::kGlobal}) {
    const ColorScale scale = ScaleOfFilm({.range = mode}, film);
    CHECK(scale.range == RangeMode::kFixed);
    CHECK(scale.low == 0.0F);
    CHECK(scale.high == 0.75F);
  }
  CHECK(ScaleOfFilm({.range = RangeMode::kFixed, .high = 0.5F}, film).high == 0.5F);
  CHECK(FilmRangeWords({.range = RangeMode::kFixed, .low = 0.0F, .high = 0.93F}) ==
        "One range of colours for all frames: 0 to 0.93.");
}

TEST_CASE("a filmstrip tells step, score and role of each frame, and what could not be run",
          "[figure][film]") {
  FigureSubject subject = test::KindSubject(4, {0, 0});
  auto film = std::make_shared<FilmStrip>();
  film->head = {0, 0};
  film->metric = "induction";
  film->all = 9;
  film->frames = {{.step = 0,
                   .map = {test::EvenLayer(0, 1, 4), 0},
                   .score = "0.10 (3 rows)",
                   .role = "no role"},
                  {.step = 300,
                   .map = {test::OneWeight(4, 4, 1, 0), 0},
                   .score = "0.90 (3 rows)",
                   .role = "induction"},
                  {.step = 400, .why_not = "it is broken"},
                  {.step = 500, .why_not = "is the file cut short?"}};
  subject.film = film;
  subject.context.size_px = 1000;
  const test::TempFolder folder;
  const auto path = folder / "film.svg";
  REQUIRE(WriteFigure(path, *FindFigureKind(FigureOf::kHead, "filmstrip"), subject));
  const std::string svg = test::ReadText(path);
  for (const char* const words : {">step 0<",
                                  ">step 300<",
                                  ">0.90 (3 rows)<",
                                  ">no role<",
                                  "score of induction on this text",
                                  "step 400: it is broken.",
                                  "step 500: is the file cut short?",
                                  "2 of 9 steps are shown"}) {
    CAPTURE(words);
    CHECK(svg.find(words) != std::string::npos);
  }
  CHECK(svg.find("short?.") == std::string::npos);
}

}  // namespace headscope
