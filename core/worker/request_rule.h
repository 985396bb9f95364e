// The rule of a kind of request: when it runs, and what replaces it.
#pragma once

#include <concepts>

#include "core/base/error.h"

namespace headscope {

struct Job;  // core/worker/job.h

// What a request is about. A request about a text is also about its model.
enum class Topic { kNothing, kText, kModel };

struct RequestRule {
  int turn;  // the lowest waiting number runs first; the oldest of equals
  // A new model or text: waiting and running requests about the previous one are dropped.
  Topic begins = Topic::kNothing;
  Topic is_about = Topic::kNothing;
  bool only_newest = true;           // a newer one of its kind replaces it
  bool goes_between_layers = false;  // short: need not wait for unfinished layers
  // Long: it stops for whatever has its turn earlier, then resumes where it was.
  bool gives_way = false;
  bool is_done_at_the_end = false;  // it is completed even if the worker is told to stop
};

// Each kind of request is a plain value with a rule and a function to run on the worker.
template <typename T>
concept WorkerRequest = requires(const T& request, Job* job) {
  { T::kRule } -> std::convertible_to<RequestRule>;
  { request.Run(job) } -> std::same_as<Status>;
};

}  // namespace headscope
