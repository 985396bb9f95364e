// What a request says of itself to the worker: when it goes, and what takes its place.
//
// Threads  plain values.
#pragma once

#include <concepts>

#include "core/base/error.h"

namespace headscope {

struct Job;  // core/worker/job.h

// What a request is about. What is about a text is about its model, too.
enum class Topic { kNothing, kText, kModel };

struct RequestRule {
  int turn;  // of those that wait, the least goes first; of equals, the oldest
  // A new model or text: what waits or runs and is about the one before is dropped.
  Topic begins = Topic::kNothing;
  Topic is_about = Topic::kNothing;
  bool only_newest = true;           // a newer one of its kind takes its place
  bool goes_between_layers = false;  // short: need not wait for the layers that are not done
  // Long: stops for whatever has its turn before it, then runs again, from where it was.
  bool gives_way = false;
  bool is_done_at_the_end = false;  // what was asked for is done even if the worker is told to go
};

// Each kind of request is a plain value with a rule and with what it does on the worker.
template <typename T>
concept WorkerRequest = requires(const T& request, Job* job) {
  { T::kRule } -> std::convertible_to<RequestRule>;
  { request.Run(job) } -> std::same_as<Status>;
};

}  // namespace headscope
