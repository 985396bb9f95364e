// Does the window's disk work without making it wait: one thread, one errand after another.
//
// Threads  UI thread; errands run on a thread of their own. The destructor waits for all of them.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "app/state/actions.h"

namespace headscope {

class Errands {
 public:
  // Returns the resulting actions, if any, in order.
  using Errand = std::function<std::vector<Action>()>;

  // `wake` is called from the thread when there are results.
  explicit Errands(std::function<void()> wake);
  ~Errands();
  Errands(const Errands&) = delete;
  Errands& operator=(const Errands&) = delete;

  void Send(Errand errand);
  [[nodiscard]] std::vector<Action> Drain();
  [[nodiscard]] bool Idle() const;

 private:
  void Run();

  std::function<void()> wake_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Errand> waiting_;
  std::vector<Action> brought_;
  bool busy_ = false;
  bool ends_ = false;
  std::thread thread_;
};

}  // namespace headscope
