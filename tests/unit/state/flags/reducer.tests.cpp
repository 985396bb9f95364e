#include "tests/support/catch.h"
#include "tests/unit/state/state_driver.h"

namespace headscope::test {
namespace {

FlagDraft Edited(const StateDriver& driver, const std::string& role, const std::string& note) {
  FlagDraft draft = driver.state.dialogs.flag;
  draft.role = role;
  draft.note = note;
  return draft;
}

TEST_CASE("the flag editor opens without a role, and asks for one before it saves",
          "[state][flags]") {
  StateDriver driver;
  driver.ShowSomething();
  driver.Do(ClickHead{{1, 2}});
  driver.Do(OpenPopup{Popup::kFlag});
  CHECK(driver.state.dialogs.flag.role.empty());
  driver.Do(SaveFlag);
  CHECK(driver.state.dialogs.popup == Popup::kFlag);
  CHECK(driver.state.dialogs.flag_error.find("role") != std::string::npos);
  CHECK(FlagsInView(driver.state).flags.empty());
  driver.Do(EditFlag{Edited(driver, "  ", "seen")});
  driver.Do(SaveFlag);
  CHECK(FlagsInView(driver.state).flags.empty());

  driver.Do(EditFlag{Edited(driver, "induction", "seen")});
  CHECK(driver.state.dialogs.flag_error.empty());
  driver.Do(SaveFlag);
  CHECK(driver.state.dialogs.popup == Popup::kNone);
  REQUIRE(FlagsInView(driver.state).flags.size() == 1);
  CHECK(FlagsInView(driver.state).flags[0].role == "induction");
  CHECK_FALSE(FlagsInView(driver.state).flags[0].colour.empty());
}

TEST_CASE("a draft that was not saved is there when the editor opens again", "[state][flags]") {
  StateDriver driver;
  driver.ShowSomething();
  driver.Do(ClickHead{{1, 2}});
  driver.Do(OpenPopup{Popup::kFlag});
  driver.Do(EditFlag{Edited(driver, "rare", "half a th")});
  driver.Do(ClosePopup);  // a click beside it, or Esc
  CHECK(FlagsInView(driver.state).flags.empty());

  driver.Do(ClickHead{{0, 0}});
  driver.Do(OpenPopup{Popup::kFlag});
  CHECK(driver.state.dialogs.flag.note.empty());  // another head has its own
  driver.Do(ClosePopup);

  driver.Do(ClickHead{{1, 2}});
  driver.Do(OpenPopup{Popup::kFlag});
  CHECK(driver.state.dialogs.flag.role == "rare");
  CHECK(driver.state.dialogs.flag.note == "half a th");
  CHECK(driver.state.dialogs.flag.edited);

  SECTION("saved, it is a flag and no draft any more") {
    driver.Do(SaveFlag);
    driver.Do(ClearFlag{{1, 2}});
    driver.Do(OpenPopup{Popup::kFlag});
    CHECK(driver.state.dialogs.flag.note.empty());
    CHECK_FALSE(driver.state.dialogs.flag.edited);
  }
  SECTION("discarded, it is gone") {
    driver.Do(DiscardFlagDraft);
    CHECK(driver.state.dialogs.popup == Popup::kNone);
    driver.Do(OpenPopup{Popup::kFlag});
    CHECK(driver.state.dialogs.flag.note.empty());
  }
  SECTION("it is not another model's") {
    driver.Do(ClosePopup);
    driver.Open("beta", 3, 4);
    driver.Answer(4);
    driver.Do(OpenPopup{Popup::kFlag});
    CHECK(driver.state.dialogs.flag.note.empty());
  }
}

}  // namespace
}  // namespace headscope::test
