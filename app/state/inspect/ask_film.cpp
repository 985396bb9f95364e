// One head over the steps of its training, frame by frame.
#include <algorithm>
#include <utility>

#include "app/state/heads/scores.h"
#include "app/state/inspect/film.h"
#include "app/state/queries.h"
#include "app/state/work.h"
#include "core/figure/film_steps.h"
#include "core/heads/measure/metric.h"

namespace headscope {
namespace {

const std::vector<SeriesModel>* Checkpoints(const AppState& state) {
  const SeriesState& series = state.series;
  return series.of != nullptr && series.of == state.model ? &series.there.checkpoints : nullptr;
}

// The score that the head's first role rests on, where a text alone has it; else the chosen one.
std::string MetricOfFilm(const AppState& state) {
  const HeadSuggestions suggestions = SuggestionsInView(state);
  for (const Suggestion* const one : suggestions.Of(state.selection.head)) {
    if (FindMetric(one->metric) != nullptr) {
      return one->metric;
    }
  }
  return state.heads_look.metric;
}

std::optional<FilmQuestion> FilmQuestionInView(const AppState& state) {
  const auto* const all = WantsFilm(state) ? Checkpoints(state) : nullptr;
  if (all == nullptr || all->empty() || state.shown.request == 0 ||
      state.shown.model != state.model) {
    return std::nullopt;
  }
  return FilmQuestion{.picture = state.shown.request,
                      .head = state.selection.head,
                      .all_steps = state.head_look.all_steps,
                      .metric = MetricOfFilm(state)};
}

void EnsureFilm(Reducer* reducer) {
  const AppState& state = reducer->state();
  FilmState& film = reducer->state().film;
  auto question = FilmQuestionInView(state);
  film.now = question;
  const bool is_busy = !state.opening_folder.empty() || state.pending.request != 0;
  if (!question || is_busy || film.wanted == question) {
    return;
  }
  film.is_stopped = false;
  film.done = 0;
  film.fault.clear();
  const std::vector<SeriesModel>& all = *Checkpoints(state);
  std::vector<SeriesModel> steps = question->all_steps ? all : ChooseSteps(all, kFilmFrames);
  film.strip = {
      .head = question->head, .metric = question->metric, .frames = {}, .all = all.size()};
  for (const SeriesModel& step : steps) {
    film.strip.frames.push_back(
        {.step = step.value, .is_trained = step.is_trained, .folder = step.folder});
  }
  film.Begin(reducer->Send(FilmJob{.steps = std::move(steps),
                                   .head = question->head,
                                   .input = state.shown.input,
                                   .metric = question->metric,
                                   .settings = state.scan.settings,
                                   .probes = state.probes_folder,
                                   .kept = state.scans_folder}));
  film.wanted = std::move(question);
}

void HearFilm(Reducer* reducer, const Event& event) {
  FilmState& film = reducer->state().film;
  if (const auto* const ready = std::get_if<FilmFrameReady>(&event.what)) {
    if (ready->place < film.strip.frames.size()) {
      film.strip.frames[ready->place] = ready->frame;
      ++film.done;
    }
  } else if (const Error* const error = FailureOf(event)) {
    if (error->code == ErrorCode::kCancelled) {
      film.is_stopped = true;
    } else if (error->code == ErrorCode::kGone) {
      film.wanted.reset();
    } else {
      film.fault = error->message;
    }
  }
}

}  // namespace

bool WantsFilm(const AppState& state) {
  return state.screen->looks_at_tokens && state.head_look.view == HeadView::kSteps;
}

std::string WhyNoFilm(const AppState& state) {
  const auto* const all = Checkpoints(state);
  return all != nullptr && all->empty()
             ? "This model has no kept steps of its training: folders step-<N> in its folder. The "
               "bundled copy and gpt models have some, and Train keeps them."
             : "";
}

const FilmStrip* FilmInView(const AppState& state) {
  const FilmState& film = state.film;
  return film.now && film.wanted == film.now ? &film.strip : nullptr;
}

bool IsFilmDone(const AppState& state) {
  return FilmInView(state) != nullptr && state.film.done == state.film.strip.frames.size();
}

void StopFilm(Reducer* reducer) {
  reducer->Stop(reducer->state().film.request);
}

// From its beginning: steps are small, and what was there is gone with the request.
void GoOnWithFilm(Reducer* reducer) {
  reducer->state().film.wanted.reset();
}

template <>
std::vector<Work> WorksOf<FilmJob>() {
  return {At<&AppState::film>({.words = "running the steps of the training",
                               .is_long = true,
                               .ensure = EnsureFilm,
                               .hear = HearFilm})};
}

}  // namespace headscope
