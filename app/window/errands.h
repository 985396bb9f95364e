// What the window has done on the disk without waiting for it: one thread, one errand after the
// other.
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
  // What an errand brings back, if anything, in the order in which it happens.
  using Errand = std::function<std::vector<Action>()>;

  // `wake` is called from the thread when something was brought back.
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
