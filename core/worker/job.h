// What a request has to work with while the worker runs it.
//
// Threads  the worker's.
// Cost     every Run looks at `stop` at least every 20 ms of its own work.
#pragma once

#include <functional>
#include <stop_token>

#include "core/worker/opened.h"
#include "core/worker/requests.h"

namespace headscope {

struct Job {
  Opened* opened;
  // Hands one event's payload over; false: nobody hears, the request was stopped.
  std::function<bool(Event::What)> publish;
  std::stop_token stop;
  // To be called after each layer of a text, for short requests that need not wait for the rest.
  std::function<void()> between_layers = [] {};
};

}  // namespace headscope
