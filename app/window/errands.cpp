#include "app/window/errands.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/base/thread_role.h"

namespace headscope {

Errands::Errands(std::function<void()> wake) : wake_(std::move(wake)), thread_([this] { Run(); }) {}

Errands::~Errands() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void Errands::Send(Errand errand) {
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(errand));
  }
  changed_.notify_one();
}

std::vector<Action> Errands::Drain() {
  const std::lock_guard lock(mutex_);
  return std::exchange(brought_, {});
}

bool Errands::Idle() const {
  const std::lock_guard lock(mutex_);
  return waiting_.empty() && !busy_ && brought_.empty();
}

void Errands::Run() {
  const InThreadRole role(ThreadRole::kErrands);
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return ends_ || !waiting_.empty(); });
    if (waiting_.empty()) {
      return;
    }
    const Errand errand = std::move(waiting_.front());
    waiting_.pop_front();
    busy_ = true;
    lock.unlock();
    std::vector<Action> actions = errand();
    lock.lock();
    busy_ = false;
    if (!actions.empty()) {
      std::ranges::move(actions, std::back_inserter(brought_));
      lock.unlock();
      wake_();
      lock.lock();
    }
  }
}

}  // namespace headscope
