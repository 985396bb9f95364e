// The single compute thread: requests wait their turn, results come back as events.
//
// Thread model: one UI thread submits and drains; one worker thread owns the backend, the forward
// and all primitives (they must be used on the thread that made them). Each kind of request says
// when its turn is and whether a newer one replaces it (kRule in requests.h). Every request ends in
// exactly one Finished or Failed (kCancelled when it was replaced).
//
// Errors   as events; bad_alloc and foreign exceptions become Failed.
// Threads  Submit, Cancel, Drain: any one thread. wake is called from the worker.
// Cost     a running request stops within 50 ms of being replaced.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "core/worker/events.h"
#include "core/worker/opened.h"

namespace headscope {

class ComputeWorker {
 public:
  ComputeWorker(BackendFactory make_backend, std::function<void()> wake);
  ~ComputeWorker();
  ComputeWorker(const ComputeWorker&) = delete;
  ComputeWorker& operator=(const ComputeWorker&) = delete;

  // `id`: a number chosen by the caller, not 0 and never used before.
  void Submit(RequestId id, Request request);
  void Cancel(RequestId id);                 // queued or running; ends in Failed kCancelled
  [[nodiscard]] std::vector<Event> Drain();  // one lock; never blocks on computation
  [[nodiscard]] bool Idle() const;           // nothing queued or running, nothing to drain

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace headscope
