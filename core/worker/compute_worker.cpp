#include "core/worker/compute_worker.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <new>
#include <stop_token>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include "core/base/thread_role.h"
#include "core/worker/job.h"

namespace headscope {
namespace {

// Lower priority than the window's, so that drawing stays smooth while every core computes.
constexpr int kWorkerNiceness = 5;

// A waiting or running request.
struct Ticket {
  RequestId id = 0;
  Request request;
  RequestRule rule{.turn = 0};
  std::stop_source stop;
  bool is_ended = false;   // replaced or cancelled
  bool gives_way = false;  // stopped only for now
};

RequestRule RuleOf(const Request& request) {
  return std::visit([]<typename Kind>(const Kind&) { return Kind::kRule; }, request);
}

// True if the newer request replaces the older one or drops it.
bool Ends(const Ticket& newer, const Ticket& older) {
  if (newer.request.index() == older.request.index() && older.rule.only_newest) {
    return true;
  }
  return newer.rule.begins != Topic::kNothing && older.rule.is_about != Topic::kNothing &&
         newer.rule.begins >= older.rule.is_about;
}

void LowerPriority() {
  // On Linux a thread id takes its own niceness; threads that OpenMP starts from here inherit it.
  setpriority(PRIO_PROCESS, static_cast<id_t>(syscall(SYS_gettid)), kWorkerNiceness);
}

}  // namespace

struct ComputeWorker::State {
  State(BackendFactory factory, std::function<void()> wake_ui)
      : make_backend(std::move(factory)), wake(std::move(wake_ui)) {}

  void Emit(RequestId id, Event::What what) {
    {
      const std::scoped_lock lock(mutex);
      events.push_back({id, std::move(what)});
    }
    wake();
  }

  // With the lock held: removes waiting requests that `newer` ends and stops running ones.
  void EndOlder(const Ticket& newer) {
    std::erase_if(waiting, [&](const auto& older) {
      const bool ends = Ends(newer, *older);
      if (ends) {
        events.push_back(
            {older->id, Failed{{ErrorCode::kCancelled, "replaced by something newer"}}});
      }
      return ends;
    });
    for (const auto& older : {running, running_between}) {
      if (older != nullptr && Ends(newer, *older)) {
        End(older.get());
      }
    }
    if (running != nullptr && running->rule.gives_way && newer.rule.turn < running->rule.turn) {
      running->gives_way = true;
      running->stop.request_stop();
    }
  }

  // Call with the lock held.
  static void End(Ticket* ticket) {
    ticket->is_ended = true;
    ticket->stop.request_stop();
  }

  // A stopped request ends, or waits for its next turn if it only gave way.
  void PutAway(std::shared_ptr<Ticket>* place, bool is_stopped) {
    {
      const std::scoped_lock lock(mutex);
      const std::shared_ptr<Ticket> ticket = std::exchange(*place, nullptr);
      if (!is_stopped) {
        return;
      }
      if (ticket->gives_way && !ticket->is_ended) {
        ticket->gives_way = false;
        ticket->stop = {};
        waiting.push_back(ticket);
        return;
      }
      events.push_back({ticket->id, Failed{{ErrorCode::kCancelled, "stopped"}}});
    }
    wake();
  }

  // With the lock held: takes the next waiting request among the `wanted` ones; null: there is
  // none.
  template <typename Wanted>
  std::shared_ptr<Ticket> Take(const Wanted& wanted) {
    auto next = waiting.end();
    for (auto ticket = waiting.begin(); ticket != waiting.end(); ++ticket) {
      if (wanted((*ticket)->rule) &&
          (next == waiting.end() || (*ticket)->rule.turn < (*next)->rule.turn)) {
        next = ticket;
      }
    }
    if (next == waiting.end()) {
      return nullptr;
    }
    std::shared_ptr<Ticket> taken = std::move(*next);
    waiting.erase(next);
    return taken;
  }

  // Returns true if the request was stopped: then it has not published its end.
  bool Execute(Opened* opened, const Ticket& ticket) {
    const auto start = std::chrono::steady_clock::now();
    Job job{.opened = opened, .publish = {}, .stop = ticket.stop.get_token()};
    job.publish = [&](Event::What what) {
      if (ticket.stop.stop_requested()) {
        return false;
      }
      Emit(ticket.id, std::move(what));
      return true;
    };
    job.between_layers = [this, opened] { RunBetweenLayers(opened); };
    Status status;
    try {
      status =
          std::visit([&job](const auto& request) { return request.Run(&job); }, ticket.request);
    } catch (const std::bad_alloc&) {
      status = Fail(ErrorCode::kOutOfMemory,
                    "not enough memory for this: try a shorter text or a smaller model");
    } catch (const std::exception& exception) {
      status =
          Fail(ErrorCode::kBackend, fmt::format("the computation failed: {}", exception.what()));
    }
    if (ticket.stop.stop_requested()) {
      return true;
    }
    if (!status) {
      Emit(ticket.id, Failed{std::move(status.error())});
    } else {
      const std::chrono::duration<double, std::milli> elapsed =
          std::chrono::steady_clock::now() - start;
      Emit(ticket.id, Finished{elapsed.count(), opened->BackendDescription()});
    }
    return false;
  }

  // Maps of finished layers need not wait for the other layers.
  void RunBetweenLayers(Opened* opened) {
    while (true) {
      {
        const std::scoped_lock lock(mutex);
        if (running != nullptr && running->stop.stop_requested()) {
          return;
        }
        running_between = Take([](const RequestRule& rule) { return rule.goes_between_layers; });
        if (running_between == nullptr) {
          return;
        }
      }
      const bool is_stopped = Execute(opened, *running_between);
      PutAway(&running_between, is_stopped);
    }
  }

  void Loop(const std::stop_token& shutdown) {
    const InThreadRole role(ThreadRole::kWorker);
    LowerPriority();
    Opened opened(make_backend);
    while (true) {
      {
        std::unique_lock lock(mutex);
        if (!changed.wait(lock, shutdown, [this] { return !waiting.empty(); })) {
          return;
        }
        running = Take([&shutdown](const RequestRule& rule) {
          return rule.is_done_at_the_end || !shutdown.stop_requested();
        });
        if (running == nullptr) {
          return;
        }
      }
      const bool is_stopped = Execute(&opened, *running);
      PutAway(&running, is_stopped);
    }
  }

  BackendFactory make_backend;
  std::function<void()> wake;
  mutable std::mutex mutex;
  std::condition_variable_any changed;
  std::vector<std::shared_ptr<Ticket>> waiting;  // the oldest first
  std::shared_ptr<Ticket> running;
  std::shared_ptr<Ticket> running_between;
  std::vector<Event> events;
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
    for (const auto& ticket : {state_->running, state_->running_between}) {
      if (ticket != nullptr && !ticket->rule.is_done_at_the_end) {
        State::End(ticket.get());
      }
    }
  }
  state_->thread.join();
}

void ComputeWorker::Submit(RequestId id, Request request) {
  State& state = *state_;
  auto ticket = std::make_shared<Ticket>();
  ticket->id = id;
  ticket->rule = RuleOf(request);
  ticket->request = std::move(request);
  {
    const std::scoped_lock lock(state.mutex);
    state.EndOlder(*ticket);
    state.waiting.push_back(std::move(ticket));
  }
  state.changed.notify_one();
}

void ComputeWorker::Cancel(RequestId id) {
  State& state = *state_;
  bool dropped = false;
  {
    const std::scoped_lock lock(state.mutex);
    for (const auto& ticket : {state.running, state.running_between}) {
      if (ticket != nullptr && ticket->id == id) {
        State::End(ticket.get());
      }
    }
    dropped = std::erase_if(state.waiting, [id](const auto& each) { return each->id == id; }) > 0;
    if (dropped) {
      state.events.push_back({id, Failed{{ErrorCode::kCancelled, "stopped"}}});
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
  return state_->running == nullptr && state_->events.empty() && state_->waiting.empty();
}

}  // namespace headscope
