// What an action is: any struct with a Do, which says what it does to the state, or a function that
// does it where there is nothing more to say. It is declared in the actions.h of its room and defined
// in the room's reducer; nothing else lists it, and an action whose Do is missing does not link.
//
//   struct ShowPart {
//     ModelPart part = ModelPart::kWhole;
//     void Do(Reducer* reducer) const;
//   };
//   void ResetZoom(Reducer* reducer);
//   using SetTheme = Set<&AppState::theme>;
//
// Threads  UI thread; an action is immutable.
#pragma once

#include <any>
#include <type_traits>
#include <utility>

#include "app/state/app_state.h"

namespace headscope {

class Reducer;  // app/state/reducer_class.h

template <typename What>
concept Acts = std::is_member_function_pointer_v<decltype(&What::Do)>;

// Any action. Built from one implicitly, so that whoever makes actions names the struct alone.
class Action {
 public:
  // Implicit, as in std::any.
  template <Acts What>
  Action(What what)  // NOLINT(google-explicit-constructor)
      : what_(std::move(what)), do_([](const std::any& held, Reducer* reducer) {
          std::any_cast<const What&>(held).Do(reducer);
        }) {}
  Action(void (*act)(Reducer*))  // NOLINT(google-explicit-constructor)
      : what_(act), do_([](const std::any& held, Reducer* reducer) {
          std::any_cast<void (*)(Reducer*)>(held)(reducer);
        }) {}

  void Do(Reducer* reducer) const { do_(what_, reducer); }

  // Returns null if it is another action.
  template <typename What>
  [[nodiscard]] const What* As() const {
    return std::any_cast<What>(&what_);
  }

 private:
  std::any what_;
  void (*do_)(const std::any& held, Reducer* reducer);
};

// The state that the reducer writes.
[[nodiscard]] AppState& StateOf(Reducer* reducer);

// Puts a value into one place of the state and does nothing else. The place is a member of AppState,
// then a member of that, and so on.
template <auto... kPath>
struct Set {
  std::remove_cvref_t<decltype((std::declval<AppState&>().*....*kPath))> value = {};

  void Do(Reducer* reducer) const { (StateOf(reducer).*....*kPath) = value; }
};

}  // namespace headscope
