#include "core/session/compute_worker.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <new>
#include <optional>
#include <stop_token>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include "core/session/compute_jobs.h"

namespace headscope {
namespace {

// In order of urgency: the index in Request.
enum Kind : std::size_t { kOpen, kAttend, kMap, kSplit, kFigure, kKinds };

constexpr int kWorkerNiceness =
    5;  // below the window, so that drawing stays smooth while every core computes

struct Job {
  RequestId id = 0;
  Request request;
  std::stop_source stop;
};

void LowerPriority() {
  // On Linux a thread id takes its own niceness; threads that OpenMP starts from here inherit it.
  setpriority(PRIO_PROCESS, static_cast<id_t>(syscall(SYS_gettid)), kWorkerNiceness);
}

}  // namespace

struct ComputeWorker::State {
  State(BackendFactory factory, std::function<void()> wake_ui)
      : make_backend(std::move(factory)), wake(std::move(wake_ui)) {}

  void Emit(RequestId id, decltype(Event::what) what) {
    {
      const std::scoped_lock lock(mutex);
      events.push_back({id, std::move(what)});
    }
    wake();
  }

  // With the lock held: takes queued jobs of a kind away and stops a running one.
  void Replace(Kind kind) {
    for (auto job = queue[kind].begin(); job != queue[kind].end(); job = queue[kind].erase(job)) {
      events.push_back({job->id, Failed{{ErrorCode::kCancelled, "replaced by something newer"}}});
    }
    for (const auto& job : {running, running_between}) {
      if (job != nullptr && job->request.index() == kind) {
        job->stop.request_stop();
      }
    }
  }

  // With the lock held: the most urgent queued job, if any.
  std::shared_ptr<Job> Take() {
    for (std::deque<Job>& jobs : queue) {
      if (!jobs.empty()) {
        auto job = std::make_shared<Job>(std::move(jobs.front()));
        jobs.pop_front();
        return job;
      }
    }
    return nullptr;
  }

  void Execute(ComputeJobs* jobs, const Job& job) {
    const auto start = std::chrono::steady_clock::now();
    const auto publish = [&](decltype(Event::what) what) {
      if (job.stop.stop_requested()) {
        return false;
      }
      Emit(job.id, std::move(what));
      return true;
    };
    Status status;
    try {
      status = std::visit(
          [&](const auto& request) { return jobs->Run(request, publish, job.stop.get_token()); },
          job.request);
    } catch (const std::bad_alloc&) {
      status = Fail(ErrorCode::kOutOfMemory,
                    "not enough memory for this: try a shorter text or a smaller model");
    } catch (const std::exception& exception) {
      status =
          Fail(ErrorCode::kBackend, fmt::format("the computation failed: {}", exception.what()));
    }
    if (job.stop.stop_requested()) {
      Emit(job.id, Failed{{ErrorCode::kCancelled, "stopped"}});
    } else if (!status) {
      Emit(job.id, Failed{std::move(status.error())});
    } else {
      const std::chrono::duration<double, std::milli> elapsed =
          std::chrono::steady_clock::now() - start;
      Emit(job.id, Finished{elapsed.count(), jobs->BackendDescription()});
    }
  }

  // Maps of layers that are done need not wait for the layers that are not.
  void RunMapsBetweenLayers(ComputeJobs* jobs) {
    while (true) {
      std::shared_ptr<Job> job;
      {
        const std::scoped_lock lock(mutex);
        if (queue[kMap].empty() || (running != nullptr && running->stop.stop_requested())) {
          return;
        }
        job = std::make_shared<Job>(std::move(queue[kMap].front()));
        queue[kMap].pop_front();
        running_between = job;
      }
      Execute(jobs, *job);
      const std::scoped_lock lock(mutex);
      running_between = nullptr;
    }
  }

  void Loop(const std::stop_token& shutdown) {
    LowerPriority();
    ComputeJobs* made = nullptr;
    ComputeJobs jobs(make_backend, [this, &made] { RunMapsBetweenLayers(made); });
    made = &jobs;
    while (true) {
      std::shared_ptr<Job> job;
      {
        std::unique_lock lock(mutex);
        if (!changed.wait(lock, shutdown, [this] {
              return std::any_of(queue.begin(), queue.end(), [](const auto& jobs_of_kind) {
                return !jobs_of_kind.empty();
              });
            })) {
          return;
        }
        if (shutdown.stop_requested()) {
          // What was asked to be saved is saved; everything else is dropped.
          for (std::size_t kind = 0; kind < kFigure; ++kind) {
            queue[kind].clear();
          }
        }
        job = Take();
        if (job == nullptr) {
          return;
        }
        running = job;
      }
      Execute(&jobs, *job);
      const std::scoped_lock lock(mutex);
      running = nullptr;
    }
  }

  BackendFactory make_backend;
  std::function<void()> wake;
  mutable std::mutex mutex;
  std::condition_variable_any changed;
  std::array<std::deque<Job>, kKinds> queue;
  std::shared_ptr<Job> running;
  std::shared_ptr<Job> running_between;
  std::vector<Event> events;
  RequestId next_id = 1;
  std::jthread thread;  // last: stops and joins first
};

ComputeWorker::ComputeWorker(BackendFactory make_backend, std::function<void()> wake)
    : state_(std::make_unique<State>(std::move(make_backend), std::move(wake))) {
  State* state = state_.get();
  state->thread = std::jthread([state](const std::stop_token& shutdown) { state->Loop(shutdown); });
}

ComputeWorker::~ComputeWorker() {
  state_->thread.request_stop();
  {
    const std::scoped_lock lock(state_->mutex);
    for (const auto& job : {state_->running, state_->running_between}) {
      // Figures take no notice of this and are finished.
      if (job != nullptr) {
        job->stop.request_stop();
      }
    }
  }
  state_->thread.join();
}

RequestId ComputeWorker::Submit(Request request) {
  State& state = *state_;
  RequestId id = 0;
  {
    const std::scoped_lock lock(state.mutex);
    id = state.next_id++;
    const auto kind = static_cast<Kind>(request.index());
    switch (kind) {
      case kOpen:
        state.Replace(kOpen);
        [[fallthrough]];
      case kAttend:
        state.Replace(kAttend);
        state.Replace(kMap);
        state.Replace(kSplit);
        break;
      case kMap:
      case kSplit:
        state.Replace(kind);
        break;
      case kFigure:
      case kKinds:
        break;
    }
    state.queue[kind].push_back({id, std::move(request), {}});
  }
  state.changed.notify_one();
  return id;
}

void ComputeWorker::Cancel(RequestId id) {
  State& state = *state_;
  bool dropped = false;
  {
    const std::scoped_lock lock(state.mutex);
    for (const auto& job : {state.running, state.running_between}) {
      if (job != nullptr && job->id == id) {
        job->stop.request_stop();
      }
    }
    for (std::deque<Job>& jobs : state.queue) {
      for (auto job = jobs.begin(); job != jobs.end(); ++job) {
        if (job->id == id) {
          jobs.erase(job);
          state.events.push_back({id, Failed{{ErrorCode::kCancelled, "stopped"}}});
          dropped = true;
          break;
        }
      }
    }
  }
  if (dropped) {
    state.wake();
  }
}

std::vector<Event> ComputeWorker::Drain() {
  const std::scoped_lock lock(state_->mutex);
  return std::exchange(state_->events, {});
}

bool ComputeWorker::Idle() const {
  const std::scoped_lock lock(state_->mutex);
  return state_->running == nullptr && state_->events.empty() &&
         std::all_of(state_->queue.begin(), state_->queue.end(), [](const auto& jobs) {
           return jobs.empty();
         });
}

}  // namespace headscope
