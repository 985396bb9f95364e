// Kinds of work for the worker, each described once, beside what it is for: where the state keeps it,
// when it is asked for, what its answers do, and what the status line says of it.
//
//   template <>
//   std::vector<Work> WorksOf<WalkJob>() {
//     return {Answered<&AppState::walk, &WalkReady::walk, WantedWalk, RequestOfWalk>(
//         {.words = "computing the layer line by line"})};
//   }
//
// A kind of request without one does not link. What all have in common is done in one place: an
// event of a request that is no longer the current one is dropped, progress is kept, a request ends
// with Finished or Failed, and a model that is gone is opened again.
//
// Threads  UI thread.
#pragma once

#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "app/state/reducer_class.h"

namespace headscope {

struct Work {
  const char* words = "";                                 // of the status line
  Progress (*progress)(const AppState& state) = nullptr;  // words and numbers, where they change
  bool is_long = false;                                   // a person may want to stop it
  void (*ensure)(Reducer* reducer) = nullptr;             // asks, if it is wanted and not yet asked
  void (*hear)(Reducer* reducer, const Event& event) = nullptr;  // beyond what all do

  // Set by At and by Works.
  Asking& (*in)(AppState* state) = nullptr;
  const Asking& (*of)(const AppState& state) = nullptr;
  int turn = 0;
};

// The works of one kind of request. Defined beside what it is for.
template <typename Job>
[[nodiscard]] std::vector<Work> WorksOf();

// All of them, in the order in which they are asked for.
[[nodiscard]] const std::vector<Work>& Works();

// Null: the event is none.
[[nodiscard]] const Error* FailureOf(const Event& event);

// Work that the state keeps at kPlace, a member of AppState or what finds one in it.
template <auto kPlace>
[[nodiscard]] Work At(Work work) {
  work.in = [](AppState* state) -> Asking& { return std::invoke(kPlace, *state); };
  work.of = [](const AppState& state) -> const Asking& { return std::invoke(kPlace, state); };
  return work;
}

// Asks for what is wanted now (std::optional<Question>), where that was not asked yet.
template <auto kPlace, auto kWanted, auto kRequest>
void AskFor(Reducer* reducer) {
  const AppState& state = reducer->state();
  auto question = kWanted(state);
  auto& asked = std::invoke(kPlace, reducer->state());
  if (question && !asked.IsAsked(*question)) {
    const RequestId id = reducer->Send(kRequest(state, *question));
    asked.Ask(std::move(*question), id);
  }
}

template <typename Whole, typename Part>
using MemberOf = Part Whole::*;

// An event's member kAnswer is the answer.
template <auto kPlace, typename Ready, typename Given>
void HearAnswer(Reducer* reducer, const Event& event, MemberOf<Ready, Given> answer) {
  auto& asked = std::invoke(kPlace, reducer->state());
  if (const auto* const ready = std::get_if<Ready>(&event.what)) {
    asked.Take(ready->*answer);
  } else if (const Error* const error = FailureOf(event)) {
    asked.Fail(*error);
  }
}

// A question that is asked while it is wanted, and answered as a whole: an Asked.
template <auto kPlace, auto kAnswer, auto kWanted, auto kRequest>
[[nodiscard]] Work Answered(Work work) {
  work.ensure = AskFor<kPlace, kWanted, kRequest>;
  work.hear = [](Reducer* reducer, const Event& event) {
    HearAnswer<kPlace>(reducer, event, kAnswer);
  };
  return At<kPlace>(work);
}

}  // namespace headscope
