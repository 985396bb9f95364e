#include "app/state/action.h"

#include <string>
#include <type_traits>
#include <vector>

#include "app/state/reducer.h"
#include "tests/support/catch.h"

namespace headscope {
namespace {

struct Word {
  std::string text;
  std::string* told = nullptr;

  void Do(Reducer* /*reducer*/) const { *told = "word " + text; }
};
struct Count {
  int number = 0;
  std::string* told = nullptr;

  void Do(Reducer* /*reducer*/) const { *told = "count " + std::to_string(number); }
};

TEST_CASE("an action is found as what it is alone, and does that", "[state][action]") {
  std::string told;
  const Action word = Word{"head", &told};
  REQUIRE(word.As<Word>() != nullptr);
  CHECK(word.As<Word>()->text == "head");
  CHECK(word.As<Count>() == nullptr);
  word.Do(nullptr);
  CHECK(told == "word head");
  Action(Count{8, &told}).Do(nullptr);
  CHECK(told == "count 8");
}

TEST_CASE("a copy of an action is the same, and lives on without the first", "[state][action]") {
  std::vector<Action> kept;
  {
    const Action first = Word{std::string(100, 'a')};
    kept.push_back(first);
    kept.emplace_back(Count{2});
  }
  kept[1] = kept[0];
  kept.erase(kept.begin());
  CHECK(kept[0].As<Word>()->text == std::string(100, 'a'));
  static_assert(!std::is_constructible_v<Action, int>);
}

TEST_CASE("a value is set in its place of the state, however deep", "[state][action]") {
  AppState state;
  state.dialogs.reject.role = "induction";
  CHECK(Reduce(&state, Set<&AppState::theme>{Theme::kLight}).empty());
  CHECK(Reduce(&state, Set<&AppState::dialogs, &Dialogs::reject, &RejectDraft::reason>{"it is not"})
            .empty());
  CHECK(state.theme == Theme::kLight);
  CHECK(state.dialogs.reject.reason == "it is not");
  CHECK(state.dialogs.reject.role == "induction");
}

}  // namespace
}  // namespace headscope
