// Asks whether work should stop: long loops check it.
//
// Errors   kCancelled.
// Cost     one load; StopPoll counts, and loads once in `every` calls.
#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>

#include "core/base/error.h"

namespace headscope {

[[nodiscard]] Status CheckStop(const std::stop_token& stop);

// For loops of short steps: checks once in `every` calls.
class StopPoll {
 public:
  explicit StopPoll(std::stop_token stop, std::uint32_t every = 1024)
      : stop_(std::move(stop)), every_(every) {}

  [[nodiscard]] Status Check() {
    if (++calls_ % every_ != 0) {
      return {};
    }
    return CheckStop(stop_);
  }

 private:
  std::stop_token stop_;
  std::uint32_t every_;
  std::uint32_t calls_ = 0;
};

// While it exists, each CheckStop on this thread calls `look` before it checks. Tests use it to
// stop work at the k-th check and to measure the time between two.
class StopWatch {
 public:
  explicit StopWatch(std::function<void()> look);
  ~StopWatch();
  StopWatch(const StopWatch&) = delete;
  StopWatch& operator=(const StopWatch&) = delete;

 private:
  friend Status CheckStop(const std::stop_token& stop);
  std::function<void()> look_;
  StopWatch* before_;
};

}  // namespace headscope
