// One head over the steps of a training.
#include <chrono>

#include <fmt/format.h>

#include "core/attention/capture.h"
#include "core/heads/measure/metric.h"
#include "core/heads/scan/text_scores.h"
#include "core/model/model_series.h"
#include "core/worker/film_kept.h"
#include "core/worker/job.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/worker/worker_harness.h"

namespace headscope {
namespace {

using test::Harness;
using test::Only;

const std::filesystem::path kFilmModels = test::SourceFolder() / "assets/models";

FilmJob AFilm(const std::filesystem::path& model,
              const std::vector<std::int32_t>& ids,
              HeadIndex head) {
  FilmJob film{
      .steps = FindSeries(model).checkpoints, .head = head, .input = {}, .metric = "induction"};
  film.input.ids = ids;
  return film;
}

}  // namespace

TEST_CASE("a frame of a film has the bits of a map and of scores made apart", "[worker][film]") {
  const FilmJob film =
      AFilm(kFilmModels / "copy-h4", {0, 5, 9, 13, 21, 33, 5, 9, 13, 21, 33}, {1, 2});
  const auto backend = MakeOnednnBackend();
  REQUIRE(backend);
  REQUIRE(film.steps.size() >= 4);
  for (const SeriesModel& step : film.steps) {
    const auto frame = MakeFilmFrame(step, film, backend->get(), {});
    REQUIRE(frame);
    REQUIRE(frame->map.layer != nullptr);
    const auto model = Model::Open(step.folder, {});
    REQUIRE(model);
    Forward forward(*model, backend->get());
    const auto prepared = PrepareInput(**model, film.input, {});
    REQUIRE(prepared);
    std::shared_ptr<const LayerAttention> apart;
    REQUIRE(CaptureAttention(&forward,
                             prepared->forward,
                             {.first_layer = 1, .last_layer = 1},
                             [&](auto layer) -> Status {
                               apart = std::move(layer);
                               return {};
                             },
                             {}));
    const auto& content = frame->map.layer->content();
    CHECK(content.queries == apart->content().queries);
    CHECK(content.keys == apart->content().keys);
    CHECK(content.row_max == apart->content().row_max);
    CHECK(content.row_inverse_sum == apart->content().row_inverse_sum);
    CHECK(frame->map.layer->thumbnail(2).mean == apart->thumbnail(2).mean);
    const auto scores = ScoreText(&forward, *prepared->encoding, nullptr, {});
    REQUIRE(scores);
    const NamedScores* const induction = FindScores(scores->scores, "induction");
    REQUIRE(induction != nullptr);
    const HeadScore& score = induction->heads[4 + 2];
    CHECK(frame->score == fmt::format("{:.2f} ({} rows)", *score.score, score.rows));
  }
}

TEST_CASE("another head of the same text comes from what the steps gave", "[worker][film]") {
  const FilmJob first = AFilm(kFilmModels / "copy-h4", {0, 5, 9, 5, 9, 5}, {1, 2});
  const FilmJob second = AFilm(kFilmModels / "copy-h4", {0, 5, 9, 5, 9, 5}, {0, 3});
  const auto backend = MakeOnednnBackend();
  REQUIRE(backend);
  FilmKept kept;
  kept.Begin(first.input, first.steps.size());
  for (const SeriesModel& step : first.steps) {
    REQUIRE(MakeFilmFrame(step, first, backend->get(), {}, &kept));
  }
  REQUIRE(kept.steps() == first.steps.size());
  kept.Begin(second.input, second.steps.size());
  for (const SeriesModel& step : second.steps) {
    const auto run = kept.Find(step.folder);
    REQUIRE(run != nullptr);
    const auto again = MakeFilmFrame(step, second, backend->get(), {}, &kept);
    const auto fresh = MakeFilmFrame(step, second, backend->get(), {});
    REQUIRE(again);
    REQUIRE(fresh);
    CHECK(again->map.layer == run->layers[0]);  // no other forward
    CHECK(again->map.layer->content().queries == fresh->map.layer->content().queries);
    CHECK(again->map.layer->content().row_max == fresh->map.layer->content().row_max);
    CHECK(again->score == fresh->score);
    CHECK(again->role == fresh->role);
    CHECK(kept.Find(step.folder) == run);
  }
  kept.Begin(AFilm(kFilmModels / "copy-h4", {0, 5, 9, 5, 9, 6}, {1, 2}).input, first.steps.size());
  CHECK(kept.steps() == 0);
}

TEST_CASE("a step that is written again is run again, and large texts keep nothing",
          "[worker][film]") {
  const test::TempFolder folder;
  const auto copied = folder / "step-0";
  std::filesystem::copy(kFilmModels / "copy-h4/step-0", copied);
  FilmJob film = AFilm(kFilmModels / "copy-h4", {0, 5, 9, 5, 9, 5}, {1, 2});
  const auto backend = MakeOnednnBackend();
  REQUIRE(backend);
  FilmKept kept;
  kept.Begin(film.input, 1);
  const SeriesModel step{.folder = copied};
  REQUIRE(MakeFilmFrame(step, film, backend->get(), {}, &kept));
  const auto run = kept.Find(copied);
  REQUIRE(run != nullptr);
  std::filesystem::last_write_time(copied, run->written + std::chrono::seconds(2));
  CHECK(kept.Find(copied) == nullptr);
  REQUIRE(MakeFilmFrame(step, film, backend->get(), {}, &kept));
  CHECK(kept.Find(copied) != run);
  CHECK(kept.steps() == 1);

  const auto model = Model::Open(copied, {});
  REQUIRE(model);
  CHECK(kept.HasRoom((*model)->description(), 80, 0));
  CHECK_FALSE(kept.HasRoom((*model)->description(), 1000000, 0));
  kept.Begin(film.input, 1000);
  CHECK_FALSE(kept.HasRoom((*model)->description(), 80, 0));
}

}  // namespace headscope
