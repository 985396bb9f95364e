// Models in a row, scanned one after another while somebody looks at them.
#include <algorithm>
#include <cmath>
#include <utility>

#include "app/state/heads/scores.h"
#include "app/state/heads/series_words.h"
#include "app/state/inspect/film.h"
#include "app/state/work.h"

namespace headscope {

void ShowSeries::Do(Reducer* reducer) const {
  reducer->state().series.kind = kind;
  reducer->state().series.is_stopped = false;
}

void ScanSeries::Do(Reducer* reducer) const {
  SeriesState& series = reducer->state().series;
  if (!go) {
    reducer->Stop(series.request);
    return;
  }
  series.is_stopped = false;
  series.fault.clear();
  std::erase_if(series.found, [](const ModelScanned& one) { return one.report == nullptr; });
  if (series.request == 0) {
    series.wanted.reset();  // asked for again
  }
}

void OpenSeriesHead::Do(Reducer* reducer) const {
  OpenFolder{.folder = folder}.Do(reducer);
  reducer->state().arriving_head = head;
}

namespace {

// A series stays while one of its models after another is opened; it goes with the first that is
// none of them.
void ForgetOtherSeries(Reducer* reducer) {
  const AppState& state = reducer->state();
  SeriesState& series = reducer->state().series;
  if (series.wanted_of == nullptr || series.wanted_of == state.model) {
    return;
  }
  const auto has_model = [&](const std::vector<SeriesModel>& models) {
    return std::ranges::find(models, state.model->folder, &SeriesModel::folder) != models.end();
  };
  if (series.of != nullptr &&
      (has_model(series.there.checkpoints) || has_model(series.there.head_counts) ||
       has_model(series.there.family))) {
    return;
  }
  const bool is_under_way = series.request != 0 || series.is_stopped;
  const SeriesKind kind = series.kind;
  series = {};
  series.kind = kind;
  if (is_under_way) {
    static_cast<void>(reducer->Send(SeriesJob{}));  // its model is let go
  }
}

// Help tells how the heads of the open model came to differ.
bool TellsOfSteps(const AppState& state) {
  return CanScore(state) && state.screen->tells_answers;
}

// Which models there are is found without reading any.
bool WantsSeriesFound(const AppState& state) {
  return ((WantsScores(state) && IsOfSeries(state.heads_look.view)) || TellsOfSteps(state)) &&
         state.opening_folder.empty() && state.shown.model == state.model;
}

bool WantsSeries(const AppState& state) {
  return WantsSeriesFound(state) &&
         (!TellsOfSteps(state) || IsQuickToScan(state.model->description));
}

void EnsureSeriesFound(Reducer* reducer) {
  ForgetOtherSeries(reducer);
  const AppState& state = reducer->state();
  SeriesState& series = reducer->state().series;
  const bool wants_film = WantsFilm(state) && state.model != nullptr &&
                          state.model->reads_tokens() && state.opening_folder.empty() &&
                          state.shown.model == state.model;
  if ((WantsSeriesFound(state) || wants_film) && series.wanted_of != state.model) {
    series.wanted_of = state.model;
    series.finding.Begin(reducer->Send(FindSeriesJob{state.model->folder}));
  }
}

void EnsureSeries(Reducer* reducer) {
  const AppState& state = reducer->state();
  SeriesState& series = reducer->state().series;
  if (!WantsSeries(state)) {
    return;
  }
  const auto question = SeriesQuestion(state);
  if (series.of != state.model || !question || series.is_stopped || series.wanted == question) {
    return;
  }
  if (series.texts != question->texts) {
    series.texts = question->texts;
    series.found.clear();
  }
  SeriesJob job{.models = {},
                .settings = question->texts,
                .with_measures = question->with_measures,
                .probes = state.probes_folder,
                .kept = state.scans_folder,
                .token_maps = TokenMapsOf(state)};
  for (const SeriesModel& model : question->models) {
    if (!Answers(FindScanned(series, model), question->with_measures)) {
      job.models.push_back(model.folder);
    }
  }
  series.wanted = question;
  series.scanning = {};
  series.fault.clear();
  const bool is_needed = !job.models.empty();
  if (is_needed || series.request != 0) {  // with no models it ends the one before
    const RequestId request = reducer->Send(std::move(job));
    series.Begin(is_needed ? request : 0);
  }
}

void HearSeriesFound(Reducer* reducer, const Event& event) {
  SeriesState& series = reducer->state().series;
  if (const auto* found = std::get_if<SeriesFound>(&event.what)) {
    series.of = series.wanted_of;
    series.there = found->series;
    // What the open model's folder holds may be another one than was scanned.
    const bool is_other = std::ranges::any_of(series.found, [&](const ModelScanned& one) {
      return one.report != nullptr && one.folder == series.of->folder &&
             one.fingerprint != series.of->fingerprint;
    });
    if (is_other) {
      series.found.clear();
      series.wanted.reset();
    }
  }
}

void HearSeries(Reducer* reducer, const Event& event) {
  SeriesState& series = reducer->state().series;
  if (const auto* progress = std::get_if<SeriesProgress>(&event.what)) {
    series.scanning = *progress;
  } else if (const auto* scanned = std::get_if<ModelScanned>(&event.what)) {
    std::erase_if(series.found,
                  [&](const ModelScanned& one) { return one.folder == scanned->folder; });
    series.found.push_back(*scanned);
    series.scanning.part = 0.0;
  } else if (const Error* error = FailureOf(event)) {
    if (error->code == ErrorCode::kCancelled) {
      series.is_stopped = true;
    } else {
      series.fault = error->message;
    }
  }
}

Progress SeriesDone(const AppState& state) {
  constexpr double kParts = 1000.0;
  return {std::llround(kParts * SeriesPartDone(state)),
          std::llround(kParts),
          ScanningSeriesWords(state)};
}

}  // namespace

template <>
std::vector<Work> WorksOf<FindSeriesJob>() {
  constexpr auto kFinding = [](auto& state) -> auto& {
    auto& series = state.series;
    return series.finding;
  };
  return {At<kFinding>({.words = "looking for the models of the series",
                        .ensure = EnsureSeriesFound,
                        .hear = HearSeriesFound})};
}

template <>
std::vector<Work> WorksOf<SeriesJob>() {
  return {At<&AppState::series>(
      {.progress = SeriesDone, .is_long = true, .ensure = EnsureSeries, .hear = HearSeries})};
}

}  // namespace headscope
