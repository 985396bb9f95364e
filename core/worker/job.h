// The context in which the worker runs a request.
//
// Threads  the worker's.
// Cost     every Run checks `stop` at least once per 20 ms of its own work.
#pragma once

#include <functional>
#include <stop_token>

#include "core/worker/events.h"
#include "core/worker/opened.h"

namespace headscope {

struct Job {
  Opened* opened;
  // Publishes one event's payload; false: the request was stopped and nobody receives it.
  std::function<bool(Event::What)> publish;
  std::stop_token stop;
  // Call this after each layer of a text, for short requests that need not wait for the rest.
  std::function<void()> between_layers = [] {};
};

}  // namespace headscope
