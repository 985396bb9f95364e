#include "core/worker/train_stop_times.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/random.h"
#include "core/base/thread_role.h"
#include "core/worker/train_crew.h"

namespace headscope {
namespace {

using Clock = std::chrono::steady_clock;

// Beyond a measuring and the steps until the next one, so that a stop meets either.
constexpr double kMostBeforeStop = 0.4;  // seconds

double MillisecondsSince(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

// Runs, and what they told last; as the window it is woken by them.
class StoppedRuns {
 public:
  explicit StoppedRuns(std::span<const TrainSettings> runs) {
    for (const TrainSettings& settings : runs) {
      ids_.push_back(std::ssize(ids_) + 1);
      crew_.Begin(ids_.back(), settings);
    }
  }

  void PauseAll() { All(&TrainCrew::Pause); }
  void GoOnAll() { All(&TrainCrew::GoOn); }

  [[nodiscard]] std::size_t count() const { return ids_.size(); }
  [[nodiscard]] const TrainSight* Of(std::size_t run) const {
    const auto found = sights_.find(ids_[run]);
    return found == sights_.end() ? nullptr : found->second.get();
  }
  // Why a run ended; empty: none did.
  [[nodiscard]] std::string Fault() const {
    for (const auto& [id, sight] : sights_) {
      if (!sight->fault.empty()) {
        return sight->fault;
      }
    }
    return "";
  }

  // Hears of the runs until `holds`, or one has ended.
  template <typename Holds>
  void Hear(const Holds& holds) {
    while (!holds() && Fault().empty()) {
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return is_woken_; });
        is_woken_ = false;
      }
      for (auto& sight : crew_.Drain().sights) {
        sights_[sight->run] = std::move(sight);
      }
    }
  }
  template <typename Holds>
  [[nodiscard]] bool AllAre(const Holds& holds) const {
    for (std::size_t run = 0; run < count(); ++run) {
      if (Of(run) == nullptr || !holds(*Of(run))) {
        return false;
      }
    }
    return true;
  }

 private:
  void All(void (TrainCrew::*order)(TrainRunId)) {
    for (const TrainRunId id : ids_) {
      (crew_.*order)(id);
    }
  }
  void Wake() {
    {
      const std::scoped_lock lock(mutex_);
      is_woken_ = true;
    }
    changed_.notify_one();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_woken_ = false;
  std::vector<TrainRunId> ids_;
  std::map<TrainRunId, std::shared_ptr<const TrainSight>> sights_;
  TrainCrew crew_{[this] { Wake(); }};  // last: it wakes until it is gone
};

bool IsRunning(const TrainSight& sight) {
  return sight.is_running;
}

bool IsAtRest(const TrainSight& sight) {
  return !sight.is_running && !sight.scored.empty() && sight.scored.back().step == sight.step;
}

}  // namespace

Result<TrainStopTimes> TimeTrainStops(std::span<const TrainSettings> runs, std::int64_t stops) {
  CheckNotDrawing("timing how runs stop");
  for (const TrainSettings& settings : runs) {
    HEADSCOPE_TRY(CheckTrainSettings(settings));
  }
  StoppedRuns all(runs);
  RandomStream random(1);
  std::vector<double> stopped;
  std::vector<double> resting;
  for (std::int64_t stop = 0; stop < stops; ++stop) {
    all.Hear([&] { return all.AllAre(IsRunning); });
    std::this_thread::sleep_for(std::chrono::duration<double>(kMostBeforeStop * random.Uniform()));
    const Clock::time_point asked = Clock::now();
    all.PauseAll();
    std::vector<double> times(all.count(), -1.0);
    const auto have_stopped = [&] {
      for (std::size_t run = 0; run < all.count(); ++run) {
        if (times[run] < 0.0 && all.Of(run)->stop_milliseconds) {
          times[run] = MillisecondsSince(asked);
        }
      }
      return std::ranges::min(times) >= 0.0;
    };
    all.Hear(have_stopped);
    all.Hear([&] { return all.AllAre(IsAtRest); });
    if (const std::string fault = all.Fault(); !fault.empty()) {
      return Fail(ErrorCode::kNumeric, fault);
    }
    resting.push_back(MillisecondsSince(asked));
    stopped.insert(stopped.end(), times.begin(), times.end());
    all.GoOnAll();
  }
  const double most_stopped = std::ranges::max(stopped);
  const double most_resting = std::ranges::max(resting);
  return TrainStopTimes{.stopped = SpreadOf(std::move(stopped)),
                        .most_stopped = most_stopped,
                        .resting = SpreadOf(std::move(resting)),
                        .most_resting = most_resting};
}

}  // namespace headscope
