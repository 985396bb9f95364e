// A worker, everything it said so far, and a hand on its thread: it can be held where it has just
// said something, so that a test knows what is running, queued and done.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "core/worker/compute_worker.h"
#include "tests/support/catch.h"
#include "tests/support/folders.h"

namespace headscope::test {

inline const std::filesystem::path kProbe = SourceFolder() / "assets/models/probe";
inline const std::filesystem::path kBart = SourceFolder() / "tests/golden/data/bart_plain";

inline bool Ends(const Event& event) {
  return std::holds_alternative<Failed>(event.what) || std::holds_alternative<Finished>(event.what);
}

template <typename T>
std::vector<T> Only(const std::vector<Event>& events) {
  std::vector<T> found;
  for (const Event& event : events) {
    if (const T* what = std::get_if<T>(&event.what)) {
      found.push_back(*what);
    }
  }
  return found;
}

inline AttendRequest Ids(std::vector<std::int32_t> ids) {
  AttendRequest request;
  request.input.ids = std::move(ids);
  return request;
}

// Where the worker's thread waits.
class Hold {
 public:
  // Holds the worker from now on after so many more events.
  void After(int events) {
    const std::scoped_lock lock(mutex_);
    events_left_ = events;
    is_held_ = false;
  }
  void Pass() {
    std::unique_lock lock(mutex_);
    if (events_left_ == 0 || --events_left_ > 0) {
      return;
    }
    is_held_ = true;
    changed_.notify_all();
    // No test waits for ever.
    changed_.wait_for(lock, std::chrono::minutes(5), [this] { return !is_held_; });
    is_held_ = false;
  }
  [[nodiscard]] bool WaitUntilHeld() {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::minutes(5), [this] { return is_held_; });
  }
  void Release() {
    const std::scoped_lock lock(mutex_);
    is_held_ = false;
    events_left_ = 0;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int events_left_ = 0;  // 0: nobody is held
  bool is_held_ = false;
};

class Harness {
 public:
  // `wakes`: counted there, to be read when the worker is gone.
  explicit Harness(std::atomic<int>* wakes = nullptr)
      : wakes_(wakes == nullptr ? &own_wakes_ : wakes),
        // A scan has more steps than one where there are few threads.
        worker_([](Precision precision) { return MakeOnednnBackend(precision, {.threads = 2}); },
                [this] {
                  ++*wakes_;
                  // What a cancellation says is said by the thread that cancels.
                  if (std::this_thread::get_id() != own_thread_) {
                    hold_.Pass();
                  }
                  ++passed_;
                }) {}

  RequestId Submit(Request request) {
    worker_.Submit(++last_id_, std::move(request));
    return last_id_;
  }
  void Cancel(RequestId id) { worker_.Cancel(id); }

  // Submits, and returns once the worker is held after the request's first `events` events.
  RequestId SubmitAndHold(Request request, int events) {
    // Events that were taken may not have woken yet, and count for nothing here.
    for (int tries = 0; passed_ < std::ssize(events_) && tries < 1000; ++tries) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    hold_.After(events);
    const RequestId id = Submit(std::move(request));
    REQUIRE(hold_.WaitUntilHeld());
    return id;
  }
  void Release() { hold_.Release(); }
  // Called from another thread, when this one waits for the worker to end.
  void ReleaseSoon() {
    later_ = std::jthread([this] {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      hold_.Release();
    });
  }

  // Events of `id`, in order, once it has ended.
  std::vector<Event> Wait(RequestId id) {
    while (true) {
      for (Event& event : worker_.Drain()) {
        events_.push_back(std::move(event));
      }
      std::vector<Event> mine;
      for (const Event& event : events_) {
        if (event.request == id) {
          mine.push_back(event);
        }
      }
      if (!mine.empty() && Ends(mine.back())) {
        return mine;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

  [[nodiscard]] const std::vector<Event>& events() const { return events_; }
  [[nodiscard]] bool Idle() const { return worker_.Idle(); }
  [[nodiscard]] int wakes() const { return *wakes_; }

 private:
  const std::thread::id own_thread_ = std::this_thread::get_id();
  Hold hold_;
  std::jthread later_;
  std::atomic<int> own_wakes_ = 0;
  std::atomic<int>* wakes_;
  std::atomic<std::ptrdiff_t> passed_ = 0;
  std::vector<Event> events_;
  RequestId last_id_ = 0;
  ComputeWorker worker_;  // last: ends first
};

}  // namespace headscope::test
