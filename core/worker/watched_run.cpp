#include "core/worker/watched_run.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "core/attention/given_layer.h"
#include "core/train/folder.h"
#include "core/train/kept_state.h"

namespace headscope {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::int64_t kMeasureEvery = 25;
constexpr std::int64_t kPointEvery = 5;
constexpr std::int64_t kKeepEvery = 100;  // so many steps at most are lost
constexpr std::size_t kMostPoints = 800;

Result<std::shared_ptr<const LayerAttention>> LayerOf(const TrainMeter& meter,
                                                      const TrainShape& shape,
                                                      std::int64_t layer) {
  const auto length = static_cast<std::int64_t>(meter.shown_ids().size());
  const auto maps = std::make_shared<const std::vector<float>>(meter.ShownMaps(layer));
  LayerAttention::Content content;
  content.layer = layer;
  content.shape = {.queries = length,
                   .keys = length,
                   .heads = shape.heads,
                   .kv_heads = shape.heads,
                   .head_dim = shape.head_dim,
                   .value_dim = shape.head_dim};
  content.rule.causal = true;
  content.given = HeldWeights(maps, content.shape);
  return MakeGivenLayer(std::move(content), kThumbnailSize, {});
}

// Every second point goes where there are too many, so that memory stays.
template <typename Point>
void Thin(std::vector<Point>* points) {
  if (points->size() > kMostPoints) {
    std::size_t to = 0;
    for (std::size_t from = 1; from < points->size(); from += 2) {
      (*points)[to++] = std::move((*points)[from]);
    }
    points->resize(to);
  }
}

// These runs have no last step: what is written says how many were done, as a run of headscope train
// with so many would.
TrainSettings WithSteps(TrainSettings settings, std::int64_t done) {
  settings.steps = done;
  return settings;
}

}  // namespace

std::vector<TrainLine> LinesOf(std::span<const TrainScored> scored) {
  std::vector<TrainLine> lines;
  for (const TrainScored& one : scored) {
    if (one.loss && one.step % kMeasureEvery == 0) {
      lines.push_back({.step = one.step, .loss = *one.loss, .measures = one.measures});
    }
  }
  return lines;
}

WatchedRun::WatchedRun(TrainRun run) : run_(std::move(run)), meter_(run_.settings()) {}

Result<std::unique_ptr<WatchedRun>> WatchedRun::Make(const TrainSettings& settings,
                                                     TrainPlace place) {
  HEADSCOPE_TRY(auto run, TrainRun::Make(settings));
  std::unique_ptr<WatchedRun> made(new WatchedRun(std::move(run)));
  made->keeper_.emplace(std::move(place.shelf), std::move(place.name));
  made->KeepStep();
  return made;
}

Result<std::unique_ptr<WatchedRun>> WatchedRun::Open(const std::filesystem::path& folder) {
  HEADSCOPE_TRY(auto held, HeldRun::Take(folder));
  HEADSCOPE_TRY(auto whole, ReadWholeRun(held));
  HEADSCOPE_TRY(auto run, TrainRun::Make(whole.about.settings));
  std::unique_ptr<WatchedRun> made(new WatchedRun(std::move(run)));
  made->Restore(std::move(whole.state));
  made->kept_ = std::move(whole.kept);
  made->keeper_.emplace(std::move(held), made->kept_);
  TrainSight& sight = made->sight_;
  sight.losses = std::move(whole.losses);
  const bool has_curve = !sight.losses.empty();
  for (TrainLine& line : whole.lines) {
    if (!has_curve) {
      sight.losses.push_back({line.step, line.loss});
    }
    sight.scored.push_back(
        {.step = line.step, .measures = std::move(line.measures), .loss = line.loss});
  }
  Thin(&sight.losses);
  Thin(&sight.scored);
  sight.fault = std::move(whole.about.failure);
  sight.torn = std::move(whole.about.fault);
  return made;
}

void WatchedRun::Restore(TrainState state) {
  run_.Restore(std::move(state));
  const std::vector<double>& recent = run_.state().recent_losses;
  last_loss_ = recent.empty() ? std::nullopt : std::optional(recent.back());
  gradients_.clear();
  loss_sum_ = 0.0;
  loss_count_ = 0;
}

void WatchedRun::RenewSight() {
  sight_.step = step();
  sight_.folder = keeper_->folder();
  sight_.kept.clear();
  for (const TrainState& state : kept_) {
    sight_.kept.push_back(state.step);
  }
}

bool WatchedRun::Step(const std::stop_token& stop, bool is_single) {
  const Clock::time_point begun = Clock::now();
  const Result<double> loss = run_.Step(stop);
  if (!loss) {
    if (loss.error().code != ErrorCode::kCancelled) {
      sight_.is_running = false;
      sight_.fault = loss.error().message;
    }
    return false;
  }
  const std::chrono::duration<double, std::milli> took = Clock::now() - begun;
  constexpr double kShare = 0.1;
  sight_.step_milliseconds =
      sight_.step_milliseconds == 0.0
          ? took.count()
          : (1.0 - kShare) * sight_.step_milliseconds + kShare * took.count();
  last_loss_ = *loss;
  gradients_ = HeadNorms(run_.layout(), run_.gradient());
  loss_sum_ += *loss;
  ++loss_count_;
  if (step() % kPointEvery == 0 || is_single) {
    sight_.losses.push_back({step(), loss_sum_ / static_cast<double>(loss_count_)});
    Thin(&sight_.losses);
    loss_sum_ = 0.0;
    loss_count_ = 0;
  }
  if (IsKeptStep(step())) {
    KeepStep();
  }
  return true;
}

void WatchedRun::KeepStep() {
  if (kept_.empty() || kept_.back().step < step()) {
    kept_.push_back(run_.state());
  }
}

void WatchedRun::GoBack(std::int64_t step) {
  const auto found = std::ranges::find(kept_, step, &TrainState::step);
  if (found == kept_.end()) {
    return;
  }
  Restore(*found);
  kept_.erase(found + 1, kept_.end());
  std::erase_if(sight_.losses, [&](const TrainPoint& one) { return one.step > step; });
  std::erase_if(sight_.scored, [&](const TrainScored& one) { return one.step > step; });
  sight_.is_running = false;
  sight_.fault.clear();
}

Result<TrainScored> WatchedRun::ScoreOf(const TrainState& state, const std::stop_token& stop) {
  HEADSCOPE_TRY(auto measures, meter_.Measure(state.weights, stop));
  return TrainScored{.step = state.step,
                     .measures = std::move(measures),
                     .moved = HeadsMoved(run_.layout(), state.weights, kept_.front().weights)};
}

std::vector<std::shared_ptr<const LayerAttention>> WatchedRun::LayersNow() const {
  std::vector<std::shared_ptr<const LayerAttention>> layers;
  const TrainShape& shape = run_.settings().shape;
  for (std::int64_t layer = 0; layer < shape.layers && !meter_.shown_ids().empty(); ++layer) {
    if (auto made = LayerOf(meter_, shape, layer)) {
      layers.push_back(std::move(*made));
    }
  }
  return layers;
}

bool WatchedRun::MeasuresNow() const {
  return step() % kMeasureEvery == 0;
}

bool WatchedRun::Measure(const std::stop_token& stop) {
  Result<TrainScored> scored = ScoreOf(run_.state(), stop);
  if (!scored) {
    return scored.error().code != ErrorCode::kCancelled;
  }
  if (!sight_.scored.empty() && sight_.scored.back().step == scored->step) {
    sight_.scored.pop_back();
  }
  scored->gradients = gradients_;
  scored->loss = last_loss_;
  sight_.scored.push_back(std::move(*scored));
  Thin(&sight_.scored);
  sight_.layers = LayersNow();
  return true;
}

bool WatchedRun::Look(std::int64_t step, const std::stop_token& stop) {
  const auto found = std::ranges::find(kept_, step, &TrainState::step);
  if (found == kept_.end()) {
    return true;
  }
  Result<TrainScored> scored = ScoreOf(*found, stop);
  if (!scored) {
    return scored.error().code != ErrorCode::kCancelled;
  }
  const auto then = std::ranges::find(sight_.scored, step, &TrainScored::step);
  if (then != sight_.scored.end()) {
    scored->gradients = then->gradients;
  }
  sight_.look = std::make_shared<const TrainLook>(
      TrainLook{.scored = std::move(*scored), .layers = LayersNow()});
  return true;
}

bool WatchedRun::KeepsNow() const {
  return step() % kKeepEvery == 0 || IsKeptStep(step());
}

bool WatchedRun::DiskHas(const RunMark& mark) const {
  return on_disk_ && on_disk_->step == mark.step && on_disk_->is_closed == mark.is_closed &&
         on_disk_->fault == mark.fault;
}

bool WatchedRun::KeepOnDisk(bool is_closed, const std::stop_token& stop) {
  RunMark mark{.step = step(), .is_closed = is_closed, .fault = sight_.fault};
  if (!keeper_->Keeps() || DiskHas(mark)) {
    return false;
  }
  if (is_closed && step() == 0) {
    keeper_->Drop();
    return true;
  }
  mark.losses = sight_.losses;
  const bool was_there = keeper_->has_folder();
  const TrainSettings settings = WithSteps(run_.settings(), step());
  const Status kept = keeper_->Keep({.settings = settings,
                                     .state = run_.state(),
                                     .kept = kept_,
                                     .lines = LinesOf(sight_.scored),
                                     .mark = mark},
                                    stop);
  mark.losses.clear();
  on_disk_ = kept ? std::optional(std::move(mark)) : std::nullopt;
  if (!kept && kept.error().code == ErrorCode::kCancelled) {
    return was_there != keeper_->has_folder();
  }
  std::string unkept =
      kept ? ""
           : fmt::format("{}: the run goes on in memory, and is not kept", kept.error().message);
  const bool is_news = unkept != sight_.unkept || was_there != keeper_->has_folder();
  sight_.unkept = std::move(unkept);
  return is_news;
}

Status WatchedRun::WriteStep(const std::filesystem::path& folder, std::int64_t step) const {
  const auto found = std::ranges::find(kept_, step, &TrainState::step);
  if (found == kept_.end()) {
    return WriteAll(folder);
  }
  HEADSCOPE_TRY(PrepareTrainFolder(folder));
  return WriteTrainFolder(folder, run_.settings(), found->weights);
}

Status WatchedRun::WriteAll(const std::filesystem::path& folder) const {
  HEADSCOPE_TRY(PrepareTrainFolder(folder));
  const TrainSettings settings = WithSteps(run_.settings(), step());
  for (const TrainState& state : kept_) {
    if (state.step < step()) {
      HEADSCOPE_TRY(WriteKeptStep(folder, settings, state));
    }
  }
  HEADSCOPE_TRY(WriteTrainRecord(folder, {settings, LinesOf(sight_.scored)}));
  HEADSCOPE_TRY(WriteTrainState(folder, settings, run_.state()));
  return WriteTrainFolder(folder, settings, run_.state().weights);
}

}  // namespace headscope
