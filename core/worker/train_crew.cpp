#include "core/worker/train_crew.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <new>
#include <optional>
#include <stop_token>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include "core/base/thread_role.h"
#include "core/train/folder.h"
#include "core/worker/watched_run.h"

namespace headscope {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kTrainNiceness = 10;  // the window and its worker come first
constexpr std::chrono::milliseconds kBetweenSights{150};

enum class MemberOrder { kPause, kGoOn, kStepOnce, kGoBack, kLook, kWriteStep, kWriteAll };

struct MemberTask {
  MemberOrder order = MemberOrder::kPause;
  std::int64_t step = 0;
  std::filesystem::path folder = {};
  Clock::time_point asked = Clock::now();
};

}  // namespace

// The thread of a run: what it is told to do, and what it tells.
class TrainCrew::Member {
 public:
  struct Start {
    TrainSettings settings = {};
    TrainPlace place = {};
    std::filesystem::path folder = {};  // of a run that goes on; empty: it is new
    bool trains = true;
  };

  Member(TrainRunId id, Start start, std::function<void()> wake)
      : id_(id), start_(std::move(start)), wake_(std::move(wake)) {
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

  // Begins to end; waits for nothing.
  void End(bool is_closed) {
    is_closed_ = is_closed;
    thread_.request_stop();
  }
  [[nodiscard]] bool HasEnded() const { return has_ended_; }

  // Waits for nothing: where the run is about to tell something, it wakes the window afterwards.
  void TakeNews(TrainNews* news) {
    const std::unique_lock lock(news_mutex_, std::try_to_lock);
    if (!lock.owns_lock()) {
      return;
    }
    news->shelf_changed = std::exchange(shelf_changed_, false) || news->shelf_changed;
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
    run_.reset();  // lets go of its folder
    told_.clear();
    has_ended_ = true;
    wake_();
  }

  void Train(const std::stop_token& end) {
    auto made = start_.folder.empty() ? WatchedRun::Make(start_.settings, start_.place)
                                      : WatchedRun::Open(start_.folder);
    if (!made) {
      EndWith(made.error().message);
      return;
    }
    run_ = std::move(*made);
    run_->Measure({});
    run_->sight().is_running = start_.trains && run_->sight().fault.empty();
    Publish();
    KeepOnDisk({});
    while (!end.stop_requested()) {
      DoNext(end);
    }
    if (owes_measure_) {
      run_->Measure({});
    }
    KeepOnDisk({});
  }

  // A task, else a step, else a rest.
  void DoNext(const std::stop_token& end) {
    std::optional<MemberTask> task;
    std::stop_token stop;
    if (Rests()) {
      Settle(NewStop());
    }
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, end, [&] { return run_->sight().is_running || !tasks_.empty(); });
      if (end.stop_requested()) {
        return;
      }
      if (!tasks_.empty()) {
        task = std::move(tasks_.front());
        tasks_.pop_front();
      }
      step_stop_ = std::stop_source();
      if (!tasks_.empty()) {
        step_stop_.request_stop();
      }
      stop = step_stop_.get_token();
    }
    if (task) {
      DoTask(*task, stop, end);
    } else {
      StepOn(stop, end);
    }
  }

  // What the next task asks to stop.
  std::stop_token NewStop() {
    const std::scoped_lock lock(mutex_);
    step_stop_ = std::stop_source();
    if (!tasks_.empty()) {
      step_stop_.request_stop();
    }
    return step_stop_.get_token();
  }

  bool Rests() {
    const std::scoped_lock lock(mutex_);
    return !run_->sight().is_running && tasks_.empty();
  }

  // What a run at rest still has to do: it is measured where it stands, then written.
  void Settle(const std::stop_token& stop) {
    if (owes_measure_ && MeasureOwed(stop)) {
      Publish();
    }
    if (!owes_measure_) {
      KeepOnDisk(stop);
    }
  }

  // Whether nothing is left to be measured.
  bool MeasureOwed(const std::stop_token& stop) {
    owes_measure_ = owes_measure_ && !run_->Measure(stop);
    return !owes_measure_;
  }

  // Measuring takes up to a tenth of a second, so that whoever asks for something else goes first.
  void DoTask(const MemberTask& task, const std::stop_token& stop, const std::stop_token& end) {
    TrainSight& sight = run_->sight();
    switch (task.order) {
      case MemberOrder::kPause:
        sight.is_running = false;
        sight.stop_milliseconds =
            std::chrono::duration<double, std::milli>(Clock::now() - task.asked).count();
        owes_measure_ =
            owes_measure_ || sight.scored.empty() || sight.scored.back().step != run_->step();
        break;
      case MemberOrder::kGoOn:
        sight.is_running = sight.fault.empty();
        sight.stop_milliseconds.reset();
        owes_measure_ = owes_measure_ && run_->MeasuresNow();
        break;
      case MemberOrder::kStepOnce:
        sight.is_running = false;
        if (sight.fault.empty()) {
          run_->Step(end, true);
          owes_measure_ = !run_->Measure({});
        }
        break;
      case MemberOrder::kGoBack:
        run_->GoBack(task.step);
        owes_measure_ = !run_->Measure({});
        break;
      case MemberOrder::kLook:
        if (!run_->Look(task.step, stop)) {
          LookLater(task);
          return;
        }
        break;
      case MemberOrder::kWriteStep:
      case MemberOrder::kWriteAll:
        MeasureOwed({});  // its lines are written, too
        Write(task);
        return;
    }
    Publish();
  }

  // After what is asked for now, unless a newer one is.
  void LookLater(const MemberTask& task) {
    const std::scoped_lock lock(mutex_);
    if (std::ranges::find(tasks_, MemberOrder::kLook, &MemberTask::order) == tasks_.end()) {
      tasks_.push_back(task);
    }
  }

  void StepOn(const std::stop_token& stop, const std::stop_token& end) {
    // The thread's own end stops a step, too.
    const std::stop_callback both(end, [this] { step_stop_.request_stop(); });
    if (!owes_measure_ && run_->Step(stop, false)) {
      owes_measure_ = run_->MeasuresNow();
      owes_disk_ = owes_disk_ || run_->KeepsNow();
    }
    if (MeasureOwed(stop) && owes_disk_ && !stop.stop_requested()) {
      KeepOnDisk(stop);
    }
    if (!run_->sight().is_running || Clock::now() - last_sight_ >= kBetweenSights) {
      Publish();
    }
  }

  void KeepOnDisk(const std::stop_token& stop) {
    const bool is_news = run_->KeepOnDisk(is_closed_, stop);
    owes_disk_ = stop.stop_requested();
    if (!is_news) {
      return;
    }
    {
      const std::scoped_lock lock(news_mutex_);
      shelf_changed_ = true;
    }
    Publish();
  }

  void Write(const MemberTask& task) {
    const bool is_step = task.order == MemberOrder::kWriteStep;
    const std::filesystem::path folder = FreeTrainFolder(task.folder);
    const Status status = is_step ? run_->WriteStep(folder, task.step) : run_->WriteAll(folder);
    {
      const std::scoped_lock lock(news_mutex_);
      written_.push_back({.run = id_,
                          .folder = folder,
                          .is_to_open = is_step,
                          .fault = status ? "" : status.error().message});
    }
    wake_();
  }

  void EndWith(std::string fault) {
    TrainSight sight = run_ != nullptr ? std::move(run_->sight()) : TrainSight{};
    sight.is_running = false;
    sight.fault = std::move(fault);
    Publish(std::move(sight));
  }

  void Publish() {
    run_->RenewSight();
    Publish(run_->sight());
  }

  void Publish(TrainSight sight) {
    sight.run = id_;
    told_.push_back(std::make_shared<const TrainSight>(std::move(sight)));
    {
      const std::scoped_lock lock(news_mutex_);
      published_ = told_.back();
    }
    last_sight_ = Clock::now();
    wake_();
    // What nobody else holds any more: freeing it takes time that the window has not.
    std::erase_if(told_, [](const auto& one) { return one.use_count() == 1; });
  }

  TrainRunId id_;
  Start start_;
  std::function<void()> wake_;
  // Of the run's own thread.
  std::unique_ptr<WatchedRun> run_;
  Clock::time_point last_sight_;
  std::vector<std::shared_ptr<const TrainSight>> told_;
  bool owes_measure_ = false;  // where it stands; no step goes before it
  bool owes_disk_ = false;     // what is there is too old, or writing was stopped
  // Shared, under the lock.
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<MemberTask> tasks_;
  std::stop_source step_stop_;
  // Shared, under a lock of their own: the run wakes the window whenever it has let go of it.
  std::mutex news_mutex_;
  std::shared_ptr<const TrainSight> published_;
  std::vector<TrainWritten> written_;
  bool shelf_changed_ = false;
  // Shared without it.
  std::atomic<bool> is_closed_ = false;
  std::atomic<bool> has_ended_ = false;
  std::jthread thread_;  // last: ends before what it uses
};

TrainCrew::TrainCrew(std::function<void()> wake) : wake_(std::move(wake)) {}

TrainCrew::~TrainCrew() {
  for (const auto& member : members_) {
    member->End(false);  // all at once; then each is waited for
  }
}

void TrainCrew::Tell(TrainRunId run, const std::function<void(Member*)>& what) {
  const auto found = std::ranges::find(members_, run, [](const auto& one) { return one->id(); });
  if (found != members_.end()) {
    what(found->get());
  }
}

void TrainCrew::Begin(TrainRunId run, const TrainSettings& settings, TrainPlace place) {
  members_.push_back(std::make_unique<Member>(
      run, Member::Start{.settings = settings, .place = std::move(place)}, wake_));
}

void TrainCrew::Resume(TrainRunId run, const std::filesystem::path& folder, bool trains) {
  members_.push_back(
      std::make_unique<Member>(run, Member::Start{.folder = folder, .trains = trains}, wake_));
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
  const auto found = std::ranges::find(members_, run, [](const auto& one) { return one->id(); });
  if (found != members_.end()) {
    (*found)->End(true);
    ending_.push_back(std::move(*found));
    members_.erase(found);
  }
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
  news.shelf_changed =
      std::erase_if(ending_, [](const auto& one) { return one->HasEnded(); }) > 0 ||
      news.shelf_changed;
  return news;
}

}  // namespace headscope
