#include "core/worker/train_crew.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <new>
#include <stop_token>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "core/attention/given_layer.h"
#include "core/base/thread_role.h"
#include "core/train/folder.h"
#include "core/train/kept_state.h"
#include "core/train/run.h"

namespace headscope {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kTrainNiceness = 10;  // the window and its worker come first
constexpr std::int64_t kMeasureEvery = 25;
constexpr std::int64_t kPointEvery = 5;
constexpr std::size_t kMostPoints = 800;
constexpr std::chrono::milliseconds kBetweenSights{150};

enum class MemberOrder { kPause, kGoOn, kStepOnce, kGoBack, kLook, kWriteStep, kWriteAll };

struct MemberTask {
  MemberOrder order = MemberOrder::kPause;
  std::int64_t step = 0;
  std::filesystem::path folder = {};
};

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

class TrainCrew::Member {
 public:
  Member(TrainRunId id, const TrainSettings& settings, std::function<void()> wake)
      : id_(id), settings_(settings), wake_(std::move(wake)) {
    sight_.run = id;
    thread_ = std::jthread([this](const std::stop_token& end) { Work(end); });
  }

  [[nodiscard]] TrainRunId id() const { return id_; }

  void Tell(MemberTask task) {
    {
      const std::scoped_lock lock(mutex_);
      if (task.order == MemberOrder::kLook) {  // the newest alone counts
        std::erase_if(tasks_,
                      [](const MemberTask& one) { return one.order == MemberOrder::kLook; });
      }
      tasks_.push_back(std::move(task));
      step_stop_.request_stop();  // a step under way is done again
    }
    changed_.notify_all();
  }

  void TakeNews(TrainNews* news) {
    const std::scoped_lock lock(mutex_);
    if (published_ != nullptr) {
      news->sights.push_back(std::exchange(published_, nullptr));
    }
    for (TrainWritten& one : written_) {
      news->written.push_back(std::move(one));
    }
    written_.clear();
  }

 private:
  void Work(const std::stop_token& end) {
    const InThreadRole role(ThreadRole::kWorker);
    setpriority(PRIO_PROCESS, static_cast<id_t>(syscall(SYS_gettid)), kTrainNiceness);
    try {
      Train(end);
    } catch (const std::bad_alloc&) {
      EndWith("there is not enough memory for this run; give fewer heads, layers or columns");
    }
  }

  void Train(const std::stop_token& end) {
    Result<TrainRun> made = TrainRun::Make(settings_);
    if (!made) {
      EndWith(made.error().message);
      return;
    }
    run_ = std::move(*made);
    TrainMeter meter(settings_);
    Keep();
    Measure(&meter);
    sight_.is_running = true;
    Publish();
    while (!end.stop_requested()) {
      std::optional<MemberTask> task;
      std::stop_token stop;
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, end, [&] { return sight_.is_running || !tasks_.empty(); });
        if (end.stop_requested()) {
          return;
        }
        if (!tasks_.empty()) {
          task = std::move(tasks_.front());
          tasks_.pop_front();
        }
        step_stop_ = std::stop_source();
        stop = step_stop_.get_token();
      }
      if (task) {
        DoTask(*task, &meter, end);
      } else {
        StepOn(&meter, stop, end);
      }
    }
  }

  void DoTask(const MemberTask& task, TrainMeter* meter, const std::stop_token& end) {
    switch (task.order) {
      case MemberOrder::kPause:
        sight_.is_running = false;
        Measure(meter);
        break;
      case MemberOrder::kGoOn:
        sight_.is_running = sight_.fault.empty();
        break;
      case MemberOrder::kStepOnce:
        sight_.is_running = false;
        if (sight_.fault.empty()) {
          DoStep(end, end);
          Measure(meter);
        }
        break;
      case MemberOrder::kGoBack:
        GoBack(task.step);
        Measure(meter);
        break;
      case MemberOrder::kLook:
        Look(meter, task.step);
        break;
      case MemberOrder::kWriteStep:
      case MemberOrder::kWriteAll:
        Write(task);
        return;
    }
    Publish();
  }

  // Whether a step was done.
  bool DoStep(const std::stop_token& stop, const std::stop_token& end) {
    const Clock::time_point begun = Clock::now();
    // The thread's own end stops a step, too.
    const std::stop_callback both(end, [this] { step_stop_.request_stop(); });
    const Result<double> loss = run_->Step(stop);
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
    gradients_ = HeadNorms(run_->layout(), run_->gradient());
    loss_sum_ += *loss;
    ++loss_count_;
    if (run_->state().step % kPointEvery == 0 || !sight_.is_running) {
      sight_.losses.push_back({run_->state().step, loss_sum_ / static_cast<double>(loss_count_)});
      Thin(&sight_.losses);
      loss_sum_ = 0.0;
      loss_count_ = 0;
    }
    if (IsKeptStep(run_->state().step)) {
      Keep();
    }
    return true;
  }

  void StepOn(TrainMeter* meter, const std::stop_token& stop, const std::stop_token& end) {
    const bool was_running = sight_.is_running;
    const bool stepped = DoStep(stop, end);
    if (stepped && run_->state().step % kMeasureEvery == 0) {
      Measure(meter);
    }
    if (was_running != sight_.is_running || Clock::now() - last_sight_ >= kBetweenSights) {
      Publish();
    }
  }

  void Keep() {
    const std::int64_t step = run_->state().step;
    if (kept_.empty() || kept_.back().step < step) {
      kept_.push_back(run_->state());
    }
  }

  void GoBack(std::int64_t step) {
    const auto found = std::ranges::find(kept_, step, &TrainState::step);
    if (found == kept_.end()) {
      return;
    }
    run_->Restore(*found);
    kept_.erase(found + 1, kept_.end());
    std::erase_if(sight_.losses, [&](const TrainPoint& one) { return one.step > step; });
    std::erase_if(sight_.scored, [&](const TrainScored& one) { return one.step > step; });
    sight_.is_running = false;
    sight_.fault.clear();
    gradients_.clear();
    last_loss_.reset();
    loss_sum_ = 0.0;
    loss_count_ = 0;
  }

  // Nothing where it cannot be measured.
  std::optional<TrainScored> ScoreOf(TrainMeter* meter, const TrainState& state) const {
    Result<TrainMeasures> measures = meter->Measure(state.weights, {});
    if (!measures) {
      return std::nullopt;
    }
    return TrainScored{.step = state.step,
                       .measures = std::move(*measures),
                       .moved = HeadsMoved(run_->layout(), state.weights, kept_.front().weights)};
  }

  [[nodiscard]] std::vector<std::shared_ptr<const LayerAttention>> LayersOf(
      const TrainMeter& meter) const {
    std::vector<std::shared_ptr<const LayerAttention>> layers;
    for (std::int64_t layer = 0; layer < settings_.shape.layers && !meter.shown_ids().empty();
         ++layer) {
      if (auto made = LayerOf(meter, settings_.shape, layer)) {
        layers.push_back(std::move(*made));
      }
    }
    return layers;
  }

  void Measure(TrainMeter* meter) {
    std::optional<TrainScored> scored = ScoreOf(meter, run_->state());
    if (!scored) {
      return;
    }
    if (!sight_.scored.empty() && sight_.scored.back().step == scored->step) {
      sight_.scored.pop_back();
    }
    scored->gradients = gradients_;
    scored->loss = last_loss_;
    sight_.scored.push_back(std::move(*scored));
    Thin(&sight_.scored);
    sight_.layers = LayersOf(*meter);
  }

  void Look(TrainMeter* meter, std::int64_t step) {
    const auto found = std::ranges::find(kept_, step, &TrainState::step);
    std::optional<TrainScored> scored =
        found != kept_.end() ? ScoreOf(meter, *found) : std::nullopt;
    if (!scored) {
      return;
    }
    const auto then = std::ranges::find(sight_.scored, step, &TrainScored::step);
    if (then != sight_.scored.end()) {
      scored->gradients = then->gradients;
    }
    sight_.look = std::make_shared<const TrainLook>(
        TrainLook{.scored = std::move(*scored), .layers = LayersOf(*meter)});
  }

  void Write(const MemberTask& task) {
    const bool is_step = task.order == MemberOrder::kWriteStep;
    const std::filesystem::path folder = FreeTrainFolder(task.folder);
    const auto write = [&]() -> Status {
      HEADSCOPE_TRY(PrepareTrainFolder(folder));
      for (const TrainState& state : kept_) {
        if (is_step && state.step == task.step) {
          return WriteTrainFolder(folder, settings_, state.weights);
        }
        if (!is_step && state.step < run_->state().step) {
          HEADSCOPE_TRY(WriteKeptStep(folder, settings_, state));
        }
      }
      HEADSCOPE_TRY(WriteTrainRecord(folder, {settings_, LinesOf(sight_.scored)}));
      HEADSCOPE_TRY(WriteTrainState(folder, settings_, run_->state()));
      return WriteTrainFolder(folder, settings_, run_->state().weights);
    };
    const Status status = write();
    {
      const std::scoped_lock lock(mutex_);
      written_.push_back({.run = id_,
                          .folder = folder,
                          .is_to_open = is_step,
                          .fault = status ? "" : status.error().message});
    }
    wake_();
  }

  void EndWith(std::string fault) {
    sight_.is_running = false;
    sight_.fault = std::move(fault);
    Publish();
  }

  void Publish() {
    if (run_) {
      sight_.step = run_->state().step;
    }
    sight_.kept.clear();
    for (const TrainState& state : kept_) {
      sight_.kept.push_back(state.step);
    }
    {
      const std::scoped_lock lock(mutex_);
      published_ = std::make_shared<const TrainSight>(sight_);
    }
    last_sight_ = Clock::now();
    wake_();
  }

  TrainRunId id_;
  TrainSettings settings_;
  std::function<void()> wake_;
  // Of the run's own thread.
  std::optional<TrainRun> run_;
  TrainSight sight_;
  std::vector<TrainState> kept_;
  // Of the step that led to the present weights: one that is stopped leaves the run's half done.
  HeadTable gradients_;
  std::optional<double> last_loss_;
  double loss_sum_ = 0.0;
  std::int64_t loss_count_ = 0;
  Clock::time_point last_sight_;
  // Shared, under the lock.
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<MemberTask> tasks_;
  std::stop_source step_stop_;
  std::shared_ptr<const TrainSight> published_;
  std::vector<TrainWritten> written_;
  std::jthread thread_;  // last: ends before what it uses
};

TrainCrew::TrainCrew(std::function<void()> wake) : wake_(std::move(wake)) {}

TrainCrew::~TrainCrew() = default;

void TrainCrew::Tell(TrainRunId run, const std::function<void(Member*)>& what) {
  const auto found = std::ranges::find(members_, run, [](const auto& one) { return one->id(); });
  if (found != members_.end()) {
    what(found->get());
  }
}

void TrainCrew::Begin(TrainRunId run, const TrainSettings& settings) {
  members_.push_back(std::make_unique<Member>(run, settings, wake_));
}

void TrainCrew::Pause(TrainRunId run) {
  Tell(run, [](Member* member) { member->Tell({.order = MemberOrder::kPause}); });
}

void TrainCrew::GoOn(TrainRunId run) {
  Tell(run, [](Member* member) { member->Tell({.order = MemberOrder::kGoOn}); });
}

void TrainCrew::StepOnce(TrainRunId run) {
  Tell(run, [](Member* member) { member->Tell({.order = MemberOrder::kStepOnce}); });
}

void TrainCrew::GoBack(TrainRunId run, std::int64_t step) {
  Tell(run, [&](Member* member) { member->Tell({.order = MemberOrder::kGoBack, .step = step}); });
}

void TrainCrew::Look(TrainRunId run, std::int64_t step) {
  Tell(run, [&](Member* member) { member->Tell({.order = MemberOrder::kLook, .step = step}); });
}

void TrainCrew::End(TrainRunId run) {
  std::erase_if(members_, [&](const auto& one) { return one->id() == run; });
}

void TrainCrew::WriteStep(TrainRunId run, std::int64_t step, const std::filesystem::path& folder) {
  Tell(run, [&](Member* member) {
    member->Tell({.order = MemberOrder::kWriteStep, .step = step, .folder = folder});
  });
}

void TrainCrew::WriteAll(TrainRunId run, const std::filesystem::path& folder) {
  Tell(run,
       [&](Member* member) { member->Tell({.order = MemberOrder::kWriteAll, .folder = folder}); });
}

TrainNews TrainCrew::Drain() {
  TrainNews news;
  for (const auto& member : members_) {
    member->TakeNews(&news);
  }
  return news;
}

}  // namespace headscope
