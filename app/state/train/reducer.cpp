// Training runs: their knobs, what is asked of them, and what they publish.
#include <algorithm>
#include <array>
#include <ranges>

#include <fmt/format.h>

#include "app/state/work.h"

namespace headscope {
namespace {

constexpr std::int64_t kFixedPeriod = 32;
constexpr std::int64_t kMlpWidth = 128;

// What an opened step reads: symbols that it knows, said again; for the mixture with its marks.
constexpr const char* kCopyText =
    "a3 f1 c6 h2 b0 e5 g4 d7 a1 f6 c2 g0 a3 f1 c6 h2 b0 e5 g4 d7 a1 f6 c2 g0";
constexpr const char* kMixtureText =
    "B f1 c6 h2 b0 e5 g4 d7 c1 f6 | e2 d0 ! d0 f1 c6 h2 b0 e5 g4 d7 c1 f6 | e2 h4 ! h4 | e2 ? B";

TrainRunShown* FindRun(AppState* state, TrainRunId run) {
  const auto found = std::ranges::find(state->train.runs, run, &TrainRunShown::id);
  return found == state->train.runs.end() ? nullptr : &*found;
}

std::string RunName(const TrainKnobs& knobs) {
  return fmt::format("{}-h{}", knobs.task == TrainTask::kCopy ? "copy" : "mixture", knobs.heads);
}

void Order(Reducer* reducer, TrainOrder order) {
  if (FindRun(&reducer->state(), order.run) != nullptr) {
    reducer->Emit(std::move(order));
  }
}

// The curve of a run, as far as it came; none: nothing was measured.
std::optional<NamedTrain> CurveOfRun(const TrainRunShown& run) {
  NamedTrain named{.name = TrainKnobWords(run.knobs),
                   .record = {.settings = TrainSettingsOf(run.knobs)}};
  if (run.sight != nullptr) {
    named.record.lines = LinesOf(run.sight->scored);
  }
  return named.record.lines.empty() ? std::nullopt : std::optional(std::move(named));
}

// The step that was measured last; -1: none was.
std::int64_t LastMeasured(const TrainSight* sight) {
  return sight == nullptr || sight->scored.empty() ? -1 : sight->scored.back().step;
}

// From runs that are here, those that are gone, and those of the chosen folder.
void RenewCurves(AppState* state) {
  TrainCurvesState& curves = state->train.curves;
  if (!curves.is_shown) {
    return;
  }
  std::vector<NamedTrain> all;
  for (const TrainRunShown& run : state->train.runs) {
    if (auto named = CurveOfRun(run)) {
      all.push_back(std::move(*named));
    }
  }
  all.insert(all.end(), curves.past.begin(), curves.past.end());
  all.insert(all.end(), curves.read.answer.begin(), curves.read.answer.end());
  curves.curves = all.empty() ? nullptr : std::make_shared<const TrainingCurves>(CurvesOfRuns(all));
}

// A run is gone; its curve stays, beside at most so many others.
void RememberRun(const TrainRunShown& run, AppState* state) {
  constexpr std::size_t kMostPastRuns = 60;
  std::vector<NamedTrain>& past = state->train.curves.past;
  if (auto named = CurveOfRun(run)) {
    past.insert(past.begin(), std::move(*named));
    past.resize(std::min(past.size(), kMostPastRuns));
  }
}

void BeginOne(Reducer* reducer, TrainKnobs knobs) {
  TrainScreenState& train = reducer->state().train;
  if (train.runs.size() >= kMostTrainRuns) {
    reducer->Emit(TrainOrder{.kind = TrainOrder::Kind::kEnd, .run = train.runs.front().id});
    RememberRun(train.runs.front(), &reducer->state());
    train.runs.erase(train.runs.begin());
  }
  const TrainRunId id = ++train.last_run;
  train.runs.push_back({.id = id, .knobs = knobs, .sight = nullptr});
  reducer->Emit(
      TrainOrder{.kind = TrainOrder::Kind::kBegin, .run = id, .settings = TrainSettingsOf(knobs)});
}

}  // namespace

TrainSettings TrainSettingsOf(const TrainKnobs& knobs) {
  TrainSettings settings;
  settings.task = knobs.task;
  settings.shape.layers = knobs.layers;
  settings.shape.heads = knobs.heads;
  settings.shape.head_dim =
      knobs.head_dim > 0 ? knobs.head_dim : settings.shape.model_dim / knobs.heads;
  settings.shape.inner = knobs.mlp ? kMlpWidth : 0;
  settings.shape.tied = knobs.tied;
  settings.shape.fixed_positions = knobs.sinusoids;
  settings.shape.own_segments = knobs.own_segments;
  settings.periods = UsualPeriods(knobs.task, settings.shape);
  if (knobs.fixed_period) {
    const std::int64_t period = std::min(kFixedPeriod, settings.periods.most);
    settings.periods = {period, period};
  }
  settings.start = {.spread = knobs.spread,
                    .alike = knobs.StartAlike(),
                    .noise = knobs.StartAlike() ? knobs.noise : 0.0,
                    .ones = knobs.ones};
  settings.rate = knobs.rate;
  settings.disagreement = knobs.disagreement;
  settings.seed = knobs.seed;
  return settings;
}

const TrainLook* TrainRunShown::Look() const {
  const bool is_there =
      looked && sight != nullptr && sight->look != nullptr && sight->look->scored.step == *looked;
  return is_there ? sight->look.get() : nullptr;
}

const TrainScored* TrainRunShown::Scored() const {
  if (const TrainLook* const look = Look()) {
    return &look->scored;
  }
  return sight == nullptr || sight->scored.empty() ? nullptr : &sight->scored.back();
}

const std::vector<std::shared_ptr<const LayerAttention>>& TrainRunShown::Layers() const {
  static const std::vector<std::shared_ptr<const LayerAttention>> kNone;
  if (const TrainLook* const look = Look()) {
    return look->layers;
  }
  return sight == nullptr ? kNone : sight->layers;
}

std::string TrainKnobWords(const TrainKnobs& knobs) {
  std::string words =
      fmt::format("{}, h {}", knobs.task == TrainTask::kCopy ? "copy" : "mixture", knobs.heads);
  if (knobs.head_dim > 0) {
    words += fmt::format(", d_k {}", knobs.head_dim);
  }
  if (knobs.StartAlike()) {
    words += knobs.noise > 0.0 ? fmt::format(", alike ± {:g}", knobs.noise) : ", alike";
  }
  if (knobs.disagreement > 0.0) {
    words += fmt::format(", disagreement {:g}", knobs.disagreement);
  }
  const std::array<std::pair<bool, const char*>, 7> marks = {
      {{knobs.layers == 1, ", one layer"},
       {knobs.own_segments, ", own segments"},
       {knobs.ones, ", all ones"},
       {knobs.mlp, ", MLP"},
       {knobs.tied, ", tied"},
       {knobs.sinusoids, ", sinusoids"},
       {knobs.fixed_period, ", one period"}}};
  for (const auto& [is_set, text] : marks) {
    words += is_set ? text : "";
  }
  return words + fmt::format(", seed {}", knobs.seed);
}

void SetTrainKnobs::Do(Reducer* reducer) const {
  TrainScreenState& train = reducer->state().train;
  train.knobs = knobs;
  train.words.clear();
}

void BeginTraining::Do(Reducer* reducer) const {
  TrainScreenState& train = reducer->state().train;
  train.words.clear();
  std::vector<std::int64_t> counts =
      heads.empty() ? std::vector<std::int64_t>{train.knobs.heads} : heads;
  counts.resize(std::min(counts.size(), kMostTrainRuns));
  for (const std::int64_t count : counts) {
    TrainKnobs knobs = train.knobs;
    knobs.heads = count;
    if (const Status fits = CheckTrainSettings(TrainSettingsOf(knobs)); !fits) {
      train.words = fits.error().message;
      return;
    }
  }
  for (const std::int64_t count : counts) {
    TrainKnobs knobs = train.knobs;
    knobs.heads = count;
    BeginOne(reducer, knobs);
  }
}

void PauseTraining::Do(Reducer* reducer) const {
  Order(reducer, {.kind = TrainOrder::Kind::kPause, .run = run});
}

void GoOnTraining::Do(Reducer* reducer) const {
  Order(reducer, {.kind = TrainOrder::Kind::kGoOn, .run = run});
}

void StepTraining::Do(Reducer* reducer) const {
  Order(reducer, {.kind = TrainOrder::Kind::kStepOnce, .run = run});
}

void RewindTraining::Do(Reducer* reducer) const {
  TrainRunShown* shown = FindRun(&reducer->state(), run);
  if (shown == nullptr || shown->sight == nullptr) {
    return;
  }
  const TrainSight& sight = *shown->sight;
  if (shown->looked) {
    Order(reducer, {.kind = TrainOrder::Kind::kGoBack, .run = run, .step = *shown->looked});
    shown->looked.reset();
    return;
  }
  const auto earlier = std::ranges::lower_bound(sight.kept, sight.step);
  if (earlier != sight.kept.begin()) {
    Order(reducer, {.kind = TrainOrder::Kind::kGoBack, .run = run, .step = *std::prev(earlier)});
  }
}

void LookAtTrainedStep::Do(Reducer* reducer) const {
  if (TrainRunShown* shown = FindRun(&reducer->state(), run)) {
    shown->looked = step;
    if (step) {
      Order(reducer, {.kind = TrainOrder::Kind::kLook, .run = run, .step = *step});
    }
  }
}

void EndTraining::Do(Reducer* reducer) const {
  Order(reducer, {.kind = TrainOrder::Kind::kEnd, .run = run});
  if (const TrainRunShown* shown = FindRun(&reducer->state(), run)) {
    RememberRun(*shown, &reducer->state());
  }
  std::erase_if(reducer->state().train.runs,
                [&](const TrainRunShown& one) { return one.id == run; });
  RenewCurves(&reducer->state());
}

void ShowTrainCurves::Do(Reducer* reducer) const {
  reducer->state().train.curves.is_shown = shows;
  RenewCurves(&reducer->state());
}

void ReadTrainFolder::Do(Reducer* reducer) const {
  TrainCurvesState& curves = reducer->state().train.curves;
  curves.is_shown = true;
  curves.chosen = {folder, curves.chosen ? curves.chosen->number + 1 : 1};
  curves.read.fault.clear();
}

void ForgetTrainFolder(Reducer* reducer) {
  TrainCurvesState& curves = reducer->state().train.curves;
  curves.read.answer.clear();
  curves.read.fault.clear();
  RenewCurves(&reducer->state());
}

void OpenTrainedStep::Do(Reducer* reducer) const {
  if (const TrainRunShown* shown = FindRun(&reducer->state(), run)) {
    reducer->Emit(TrainOrder{.kind = TrainOrder::Kind::kWriteStep,
                             .run = run,
                             .step = step,
                             .name = fmt::format("{}-step-{}", RunName(shown->knobs), step)});
  }
}

void SaveTraining::Do(Reducer* reducer) const {
  if (const TrainRunShown* shown = FindRun(&reducer->state(), run)) {
    reducer->Emit(TrainOrder{.kind = TrainOrder::Kind::kWriteAll,
                             .run = run,
                             .folder = reducer->state().exports_folder,
                             .name = RunName(shown->knobs)});
  }
}

void TrainingSeen::Do(Reducer* reducer) const {
  AppState& state = reducer->state();
  bool has_measured = false;
  for (const std::shared_ptr<const TrainSight>& sight : news.sights) {
    if (TrainRunShown* shown = FindRun(&state, sight->run)) {
      has_measured = has_measured || LastMeasured(shown->sight.get()) != LastMeasured(sight.get());
      shown->sight = sight;
    }
  }
  if (has_measured) {
    RenewCurves(&state);
  }
  for (const TrainWritten& written : news.written) {
    const TrainRunShown* shown = FindRun(&state, written.run);
    if (!written.fault.empty()) {
      state.train.words = written.fault;
    } else if (written.is_to_open) {
      state.screen = inspect != nullptr ? inspect : state.screen;
      InputText input;
      input.text =
          shown != nullptr && shown->knobs.task == TrainTask::kMixture ? kMixtureText : kCopyText;
      reducer->OpenModel(written.folder, input);
    } else {
      state.train.words = fmt::format("Saved: {}", written.folder.string());
    }
  }
}

namespace {

std::optional<RunsQuestion> WantedRuns(const AppState& state) {
  return state.train.curves.chosen;
}

ReadRunsJob RequestOfRuns(const AppState& /*state*/, const RunsQuestion& question) {
  return {question.folder};
}

}  // namespace

template <>
std::vector<Work> WorksOf<ReadRunsJob>() {
  constexpr auto kReading = [](auto& state) -> auto& {
    auto& curves = state.train.curves;
    return curves.read;
  };
  Work work = Answered<kReading, &RunsRead::runs, WantedRuns, RequestOfRuns>(
      {.words = "reading training runs"});
  work.hear = [](Reducer* reducer, const Event& event) {
    HearAnswer<kReading>(reducer, event, &RunsRead::runs);
    RenewCurves(&reducer->state());
  };
  return {work};
}

}  // namespace headscope
