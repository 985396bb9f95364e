#include "core/base/stop.h"

#include <utility>

namespace headscope {
namespace {

thread_local StopWatch* watch = nullptr;

}  // namespace

Status CheckStop(const std::stop_token& stop) {
  if (watch != nullptr) {
    watch->look_();
  }
  return stop.stop_requested()
             ? Fail(ErrorCode::kCancelled, "stopped: something newer was asked for")
             : Status{};
}

StopWatch::StopWatch(std::function<void()> look)
    : look_(std::move(look)), before_(std::exchange(watch, this)) {}

StopWatch::~StopWatch() {
  watch = before_;
}

}  // namespace headscope
