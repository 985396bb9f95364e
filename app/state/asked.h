// What is asked of the worker: whether it is under way, what was asked, and the answer or why there
// is none. What goes with each kind of it: app/state/work.h.
//
// Threads  UI thread.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "core/worker/events.h"

namespace headscope {

struct Asking {
  RequestId request = 0;  // under way; 0: nothing is
  Progress progress;
  std::string fault;  // why there is no answer, in a sentence

  void Begin(RequestId id) {
    request = id;
    progress = {};
  }
};

// A question that is answered as a whole.
template <typename Asks, typename Gives>
struct Asked : Asking {
  using Question = Asks;

  std::optional<Question> wanted;  // asked for
  std::optional<Question> of;      // of the answer, or of the fault
  Gives answer = {};

  [[nodiscard]] bool IsAsked(const Question& question) const {
    return of == question || wanted == question;
  }
  void Ask(Question question, RequestId id) {
    wanted = std::move(question);
    Begin(id);
  }
  void Take(Gives given) {
    answer = std::move(given);
    fault.clear();
    of = wanted;
  }
  // What was stopped is asked for again while it is wanted. What was asked of a model that is gone is
  // not: the question goes with it.
  void Fail(const Error& error) {
    if (error.code == ErrorCode::kCancelled) {
      wanted.reset();
    } else if (error.code != ErrorCode::kGone) {
      answer = {};
      fault = error.message;
      of = std::exchange(wanted, std::nullopt);
    }
  }
};

}  // namespace headscope
