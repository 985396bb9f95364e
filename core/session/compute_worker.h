// The one compute thread: latest request of each kind wins, results come back as events.
//
// Thread model: one UI thread submits and drains; one worker thread owns the backend, the forward
// and all primitives (they must be used on the thread that made them). A newer request of a kind
// replaces the queued one and stops the running one; opening a model or a new text also stops and
// drops splits and maps of the old one. Figures are never dropped. Every request ends in exactly
// one Finished or Failed (kCancelled when something newer took its place).
//
// Errors   as events; bad_alloc and foreign exceptions become Failed.
// Threads  Submit, Cancel, Drain: any one thread. wake is called from the worker.
// Cost     a running request stops within 50 ms of being replaced.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "core/compute/backend.h"
#include "core/compute/precision.h"
#include "core/session/requests.h"

namespace headscope {

using BackendFactory = std::function<Result<std::unique_ptr<Backend>>(Precision)>;

class ComputeWorker {
 public:
  ComputeWorker(BackendFactory make_backend, std::function<void()> wake);
  ~ComputeWorker();
  ComputeWorker(const ComputeWorker&) = delete;
  ComputeWorker& operator=(const ComputeWorker&) = delete;

  RequestId Submit(Request request);
  void Cancel(RequestId id);                 // queued or running; ends in Failed kCancelled
  [[nodiscard]] std::vector<Event> Drain();  // one lock; never blocks on computation
  [[nodiscard]] bool Idle() const;           // nothing queued or running, nothing to drain

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace headscope
