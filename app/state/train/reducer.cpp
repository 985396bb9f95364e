// Training runs: their knobs, what is asked of them, and what they publish.
#include <algorithm>
#include <array>
#include <ranges>
#include <utility>

#include <fmt/format.h>

#include "app/state/train/remembered.h"
#include "app/state/work.h"
#include "core/base/grouped.h"

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
  std::vector<NamedTrain> here;
  for (const TrainRunShown& run : state->train.runs) {
    if (auto named = CurveOfRun(run)) {
      here.push_back(std::move(*named));
    }
  }
  // Not copied: others may be many, and this is done whenever a run is measured.
  std::vector<const NamedTrain*> all;
  for (const std::vector<NamedTrain>* const runs :
       {&std::as_const(here), &std::as_const(curves.past), &std::as_const(curves.read.answer)}) {
    for (const NamedTrain& run : *runs) {
      all.push_back(&run);
    }
  }
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

// A place beside the others; the oldest makes way where there are too many.
TrainRunId PlaceRun(Reducer* reducer, const TrainKnobs& knobs) {
  TrainScreenState& train = reducer->state().train;
  if (train.runs.size() >= kMostTrainRuns) {
    reducer->Emit(TrainOrder{.kind = TrainOrder::Kind::kEnd, .run = train.runs.front().id});
    RememberRun(train.runs.front(), &reducer->state());
    train.runs.erase(train.runs.begin());
  }
  const TrainRunId id = ++train.last_run;
  train.runs.push_back({.id = id, .knobs = knobs, .sight = nullptr});
  train.kept.is_shown = false;
  return id;
}

void BeginOne(Reducer* reducer, const TrainKnobs& knobs) {
  const TrainRunId id = PlaceRun(reducer, knobs);
  reducer->Emit(TrainOrder{.kind = TrainOrder::Kind::kBegin,
                           .run = id,
                           .settings = TrainSettingsOf(knobs),
                           .name = fmt::format("{}-seed-{}", RunName(knobs), knobs.seed)});
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

std::optional<TrainKnobs> TrainKnobsOf(const TrainSettings& settings) {
  const TrainShape& shape = settings.shape;
  if (shape.heads < 1) {
    return std::nullopt;
  }
  const TrainKnobs knobs{
      .task = settings.task,
      .heads = shape.heads,
      .head_dim = shape.head_dim == shape.model_dim / shape.heads ? 0 : shape.head_dim,
      .layers = shape.layers,
      .rate = settings.rate,
      .seed = settings.seed,
      .spread = settings.start.spread,
      .alike = settings.start.alike,
      .noise = settings.start.noise,
      .ones = settings.start.ones,
      .own_segments = shape.own_segments,
      .disagreement = settings.disagreement,
      .mlp = shape.inner > 0,
      .tied = shape.tied,
      .sinusoids = shape.fixed_positions,
      .fixed_period = settings.periods.least == settings.periods.most};
  TrainSettings made = TrainSettingsOf(knobs);
  made.steps = settings.steps;
  return made == settings ? std::optional(knobs) : std::nullopt;
}

std::string KeptRunWords(const KeptRun& run) {
  if (!run.can_go_on) {
    return fmt::format("{}: nothing of it is whole", run.folder.filename().string());
  }
  const std::optional<TrainKnobs> knobs = TrainKnobsOf(run.settings);
  const std::string name = knobs ? TrainKnobWords(*knobs) : run.folder.filename().string();
  const std::string step = Grouped(run.step);
  const auto state = [&] {
    switch (run.end) {
      case RunEnd::kClosed:
        return fmt::format("closed at step {}", step);
      case RunEnd::kFailed:
        return fmt::format("ended at step {}: {}", step, run.failure);
      case RunEnd::kDone:
        return fmt::format("finished, {} steps", step);
      case RunEnd::kUnderWay:
        break;
    }
    return fmt::format("stopped at step {}", step) +
           (run.steps > 0 ? fmt::format(" of {}", Grouped(run.steps)) : "");
  };
  return fmt::format("{}: {}", name, state());
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
  reducer->state().train.kept.is_shown = false;
  RenewCurves(&reducer->state());
}

void ShowKeptRuns::Do(Reducer* reducer) const {
  reducer->state().train.curves.is_shown = false;
  reducer->state().train.kept.is_shown = true;
}

void ResumeTraining::Do(Reducer* reducer) const {
  TrainScreenState& train = reducer->state().train;
  const auto found = std::ranges::find(train.kept.runs, folder, &KeptRun::folder);
  if (found == train.kept.runs.end()) {
    return;
  }
  const std::optional<TrainKnobs> knobs = TrainKnobsOf(found->settings);
  if (!knobs) {
    train.words = fmt::format(
        "{}: its sizes or options are none that these knobs make; headscope train --resume goes on "
        "with it",
        folder.string());
    return;
  }
  train.words.clear();
  train.kept.runs.erase(found);
  train.curves.is_shown = false;
  const TrainRunId id = PlaceRun(reducer, *knobs);
  reducer->Emit(
      TrainOrder{.kind = TrainOrder::Kind::kResume, .run = id, .folder = folder, .trains = trains});
}

void DiscardTraining::Do(Reducer* reducer) const {
  std::erase_if(reducer->state().train.kept.runs,
                [&](const KeptRun& one) { return one.folder == folder; });
  reducer->Emit(TrainOrder{.kind = TrainOrder::Kind::kDiscard, .folder = folder});
}

void KeptRunsFound::Do(Reducer* reducer) const {
  TrainScreenState& train = reducer->state().train;
  train.kept.runs = runs;
  train.kept.is_read = true;
  train.kept.is_shown = train.kept.is_shown && !runs.empty();
  if (!fault.empty()) {
    train.words = fault;
  }
  OpenRememberedRuns(reducer);
}

void ReadTrainFolder::Do(Reducer* reducer) const {
  TrainCurvesState& curves = reducer->state().train.curves;
  curves.is_shown = true;
  reducer->state().train.kept.is_shown = false;
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
