#include "app/state/flags/files.h"
#include "core/heads/flags/session_merge.h"
#include "tests/support/catch.h"
#include "tests/unit/state/state_driver.h"

namespace headscope::test {
namespace {

void FlagHead(StateDriver* driver, HeadIndex head, const std::string& role) {
  driver->Do(ClickHead{head});
  driver->Do(OpenPopup{Popup::kFlag});
  FlagDraft draft = driver->state.dialogs.flag;
  draft.role = role;
  driver->Do(EditFlag{draft});
  driver->Do(SaveFlag);
}

SessionFile SomeSession() {
  SessionFile session;
  session.model_path = "/models/alpha";
  session.model_name = "alpha";
  session.model_fingerprint = StateDriver::Model("alpha", 3, 4)->fingerprint;
  session.text = "from the session";
  session.selected_layer = 2;
  session.selected_head = 1;
  session.flags = {{1, 1, "rare", "#F0E442", "note"}};
  session.unknown_json = "{\"later\":1}";
  return session;
}

TEST_CASE("a flag is stored in the model's own session after each change", "[state][session]") {
  StateDriver driver;
  driver.stores_at_once = false;
  driver.ShowSomething();
  FlagHead(&driver, {2, 1}, "induction");
  const auto* store = driver.Last<StoreSession>();
  REQUIRE(store != nullptr);
  CHECK(store->path == "/sessions/alpha-f00dalpha012.json");
  REQUIRE(store->session.flags.size() == 1);
  CHECK(store->session.flags[0].role == "induction");
  CHECK(store->session.flags[0].layer == 2);
  CHECK(store->session.model_name == "alpha");
  CHECK(store->session.text == "a b c");
  CHECK_FALSE(SessionInView(driver.state).saved);
  driver.Do(SessionStored{store->path, store->session, store->session});
  CHECK(SessionInView(driver.state).saved);
}

TEST_CASE("what changes while a session is stored is stored after it", "[state][session]") {
  StateDriver driver;
  driver.stores_at_once = false;
  driver.ShowSomething();
  FlagHead(&driver, {2, 1}, "induction");
  FlagHead(&driver, {0, 3}, "broad");
  driver.Do(UndoFlag);
  FlagHead(&driver, {0, 1}, "rare");
  REQUIRE(driver.Count<StoreSession>() == 1);
  const StoreSession first = *driver.Last<StoreSession>();
  SessionFile written = first.session;
  written.flags.insert(written.flags.begin(), {0, 2, "induction", "", "of the other window"});
  driver.Do(SessionStored{first.path, first.session, written});
  REQUIRE(driver.Count<StoreSession>() == 2);
  const StoreSession second = *driver.Last<StoreSession>();
  CHECK(second.known == written);
  REQUIRE(second.session.flags.size() == 3);
  CHECK(second.session.flags[0].role == "rare");
  CHECK(second.session.flags[1].note == "of the other window");
  CHECK(second.session.flags[2].role == "induction");
  CHECK_FALSE(SessionInView(driver.state).saved);
  driver.Do(SessionStored{second.path, second.session, second.session});
  CHECK(SessionInView(driver.state).saved);
  CHECK(driver.Count<StoreSession>() == 2);
}

TEST_CASE("a head that another window flagged differently is asked about", "[state][session]") {
  StateDriver driver;
  driver.stores_at_once = false;
  driver.ShowSomething();
  FlagHead(&driver, {2, 1}, "induction");
  const StoreSession sent = *driver.Last<StoreSession>();
  SessionFile written = sent.session;
  written.flags.front().role = "broad";
  driver.Do(SessionStored{sent.path, sent.session, written, {{2, 1}}});
  // Mine stays on screen, theirs in the file, and nothing is written until it is decided.
  CHECK(driver.state.dialogs.popup == Popup::kFlagImport);
  CHECK(FlagsInView(driver.state).flags.front().role == "induction");
  CHECK_FALSE(SessionInView(driver.state).saved);
  CHECK(driver.Count<StoreSession>() == 1);
  const ImportPlan plan = PlanImport(driver.state);
  REQUIRE(plan.merge.conflicts.size() == 1);
  CHECK(plan.merge.conflicts.front().mine.role == "induction");
  CHECK(plan.merge.conflicts.front().theirs.role == "broad");
  CHECK_FALSE(plan.can_take());

  SECTION("mine") {
    driver.Do(DecideConflict{HeadIndex{2, 1}, false});
    driver.Do(TakeFlagImport);
    CHECK(driver.state.dialogs.popup == Popup::kNone);
    REQUIRE(driver.Count<StoreSession>() == 2);
    const StoreSession decided = *driver.Last<StoreSession>();
    CHECK(decided.known.flags.front().role == "broad");  // it knows what it writes over
    CHECK(decided.session.flags.front().role == "induction");
  }
  SECTION("theirs") {
    driver.Do(DecideConflict{HeadIndex{2, 1}, true});
    driver.Do(TakeFlagImport);
    REQUIRE(driver.Count<StoreSession>() == 2);
    CHECK(driver.Last<StoreSession>()->session.flags.front().role == "broad");
    CHECK(FlagsInView(driver.state).flags.front().role == "broad");
    CHECK(FlagsInView(driver.state).shared.empty());  // no file of flags came
  }
  SECTION("not now: the next flag asks again, since nothing is known of theirs") {
    driver.Do(ClosePopup);
    FlagHead(&driver, {0, 1}, "rare");
    REQUIRE(driver.Count<StoreSession>() == 2);
    const StoreSession again = *driver.Last<StoreSession>();
    CHECK(HeadsInConflict(again.known, again.session, written) == std::vector<HeadIndex>{{2, 1}});
  }
  SECTION("who closes the window is asked once") {
    driver.Do(ClosePopup);
    driver.Do(CloseWindow);
    const StoreSession last = *driver.Last<StoreSession>();
    driver.Do(SessionStored{last.path, last.session, written, {{2, 1}}});
    CHECK(driver.Count<Quit>() == 0);
    CHECK(driver.state.dialogs.popup == Popup::kFlagImport);
    driver.Do(CloseWindow);
    CHECK(driver.Count<Quit>() == 1);
  }
}

TEST_CASE("the window closes once its sessions are stored", "[state][session]") {
  StateDriver driver;
  driver.stores_at_once = false;
  driver.ShowSomething();
  const bool is_full = GENERATE(false, true);
  FlagHead(&driver, {2, 1}, "induction");
  driver.Do(CloseWindow);
  CHECK(driver.Count<Quit>() == 0);
  driver.Do(CloseWindow);
  const StoreSession first = *driver.Last<StoreSession>();
  driver.Do(SessionStored{first.path, first.session, first.session});
  CHECK(driver.Count<Quit>() == 0);  // the one of closing
  driver.Do(CloseWindow);
  REQUIRE(driver.Count<StoreSession>() == 2);
  if (is_full) {
    driver.Do(SessionStored{first.path, first.session, Fail(ErrorCode::kIo, "disk full")});
  } else {
    driver.Do(SessionStored{first.path, first.session, first.session});
  }
  CHECK(driver.Count<Quit>() == 1);
}

TEST_CASE("flags set while the session is read stay and are stored", "[state][session]") {
  StateDriver driver;
  driver.ShowSomething();
  driver.Open("beta", 3, 4);
  const std::filesystem::path path = driver.Last<LoadSessionFile>()->path;
  driver.Answer(6);
  FlagHead(&driver, {2, 1}, "induction");
  FlagHead(&driver, {1, 1}, "broad");
  CHECK(driver.Count<StoreSession>() == 0);
  SessionFile session;
  session.model_fingerprint = driver.state.model->fingerprint;
  session.flags = {{0, 2, "rare", "", ""}, {1, 1, "rare", "", ""}};
  driver.Do(SessionLoaded{path, std::optional(session)});
  const std::vector<HeadFlag>& flags = FlagsInView(driver.state).flags;
  REQUIRE(flags.size() == 3);
  CHECK(flags[0].role == "rare");
  CHECK(flags[1].role == "broad");
  CHECK(flags[2].role == "induction");
  REQUIRE(driver.Last<StoreSession>() != nullptr);
  CHECK(driver.Last<StoreSession>()->session.flags == flags);
}

TEST_CASE("a model that was left is kept until its session is stored", "[state][session]") {
  StateDriver driver;
  driver.stores_at_once = false;
  driver.ShowSomething();
  FlagHead(&driver, {2, 1}, "induction");
  const StoreSession first = *driver.Last<StoreSession>();
  FlagHead(&driver, {0, 1}, "rare");
  driver.Open("beta", 3, 4);
  driver.Answer(6);
  CHECK(driver.Count<StoreSession>() == 1);
  driver.Do(SessionStored{first.path, first.session, first.session});
  REQUIRE(driver.Count<StoreSession>() == 2);
  const StoreSession second = *driver.Last<StoreSession>();
  CHECK(second.path == first.path);
  CHECK(second.session.flags.size() == 2);
  CHECK(driver.state.works.size() == 2);
  driver.Do(SessionStored{second.path, second.session, second.session});
  CHECK(driver.state.works.size() == 1);
}

TEST_CASE("flags are sorted, replaced, removed, undone and redone", "[state][session]") {
  StateDriver driver;
  driver.ShowSomething();
  FlagHead(&driver, {2, 1}, "induction");
  FlagHead(&driver, {0, 3}, "broad");
  FlagHead(&driver, {2, 1}, "duplicate");
  REQUIRE(FlagsInView(driver.state).flags.size() == 2);
  CHECK(FlagsInView(driver.state).flags[0].layer == 0);
  CHECK(FlagsInView(driver.state).flags[1].role == "duplicate");
  driver.Do(ClearFlag{{0, 3}});
  CHECK(FlagsInView(driver.state).flags.size() == 1);
  CHECK(driver.Count<StoreSession>() == 4);
  driver.Do(UndoFlag);
  driver.Do(UndoFlag);
  CHECK(FindFlag(FlagsInView(driver.state), {2, 1})->role == "induction");
  CHECK(FlagsInView(driver.state).flags.size() == 2);
  driver.Do(RedoFlag);
  CHECK(FindFlag(FlagsInView(driver.state), {2, 1})->role == "duplicate");
  CHECK(driver.Last<StoreSession>()->session.flags.size() == 2);
  FlagHead(&driver, {1, 1}, "rare");
  driver.effects.clear();
  driver.Do(RedoFlag);  // nothing left to redo
  CHECK(driver.Count<StoreSession>() == 0);
}

TEST_CASE("a flag that is edited keeps what a newer version wrote in it", "[state][session]") {
  StateDriver driver;
  driver.Do(LibraryFound{{}, {}, {}, "/sessions", "/exports"});
  SessionFile session = SomeSession();
  session.flags[0].unknown_json = "{\"by\":\"Ann\"}";
  driver.Do(Start{.model = {}, .input = {}, .session = "/my/work.json"});
  driver.Do(SessionLoaded{"/my/work.json", std::optional(session)});
  driver.Do(ModelReady{driver.state.opening.request, StateDriver::Model("alpha", 3, 4)});
  driver.Answer(5);
  FlagHead(&driver, {1, 1}, "broad");
  const std::vector<HeadFlag>& flags = driver.Last<StoreSession>()->session.flags;
  REQUIRE(flags.size() == 1);
  CHECK(flags[0].role == "broad");
  CHECK(flags[0].unknown_json == "{\"by\":\"Ann\"}");
  driver.Do(UndoFlag);
  CHECK(driver.Last<StoreSession>()->session.flags == session.flags);
}

TEST_CASE("saving a flag that says the same stores nothing", "[state][session]") {
  StateDriver driver;
  driver.ShowSomething();
  FlagHead(&driver, {0, 0}, "broad");
  driver.effects.clear();
  FlagHead(&driver, {0, 0}, "broad");
  CHECK(driver.effects.empty());
}

TEST_CASE("the flag sheet opens with the head's own flag and locks the head", "[state][session]") {
  StateDriver driver;
  driver.ShowSomething();
  FlagHead(&driver, {1, 2}, "separator");
  driver.Do(Escape);
  driver.Do(HoverHead{{1, 2}});
  driver.Do(OpenPopup{Popup::kFlag});
  CHECK(driver.state.dialogs.flag.role == "separator");
  CHECK(driver.state.selection.head_locked);
}

TEST_CASE("a session that is refused is said and never written over", "[state][session]") {
  StateDriver driver;
  driver.Do(LibraryFound{{}, {}, {}, "/sessions", "/exports"});
  driver.Open("alpha", 3, 4);
  const auto* load = driver.Last<LoadSessionFile>();
  REQUIRE(load != nullptr);
  driver.Do(SessionLoaded{load->path, Fail(ErrorCode::kFormat, "alpha.json: cut short")});
  CHECK(NoticeAt(driver.state, ErrorPlace::kSession)->sentence == "alpha.json: cut short");
  driver.Do(EditText{"x"});
  driver.Answer(4);
  driver.effects.clear();
  FlagHead(&driver, {0, 0}, "broad");
  CHECK(FlagsInView(driver.state).flags.size() == 1);
  CHECK(driver.Count<StoreSession>() == 0);
  driver.Do(CloseWindow);
  CHECK(driver.Count<StoreSession>() == 0);
  CHECK(driver.Count<Quit>() == 1);
}

TEST_CASE("a session opens its model, text, selection and flags", "[state][session]") {
  StateDriver driver;
  driver.Do(LibraryFound{{}, {}, {}, "/sessions", "/exports"});
  driver.Do(Start{.model = {}, .input = {}, .session = "/my/work.json"});
  CHECK(driver.CountRequests<OpenModelRequest>() == 0);
  driver.Do(SessionLoaded{"/my/work.json", std::optional(SomeSession())});
  CHECK(driver.state.opening_folder == "/models/alpha");
  driver.Do(ModelReady{driver.state.opening.request, StateDriver::Model("alpha", 3, 4)});
  CHECK(driver.state.pending.input.text == "from the session");
  driver.Answer(5);
  CHECK(driver.state.selection.head == HeadIndex{2, 1});
  CHECK(FindFlag(FlagsInView(driver.state), {1, 1})->note == "note");
  FlagHead(&driver, {0, 0}, "broad");
  CHECK(driver.Last<StoreSession>()->path == "/my/work.json");
  CHECK(driver.Last<StoreSession>()->session.unknown_json == "{\"later\":1}");
}

TEST_CASE("a session named at the start that does not exist is begun there", "[state][session]") {
  StateDriver driver;
  LibraryFound library{{{"alpha", "/models/alpha"}}, {}, {}, "/sessions", "/exports"};
  driver.Do(library);
  driver.Do(Start{.model = {}, .input = {}, .session = "/my/new.json"});
  driver.Do(SessionLoaded{"/my/new.json", std::optional<SessionFile>{}});
  driver.Do(ModelReady{driver.state.opening.request, StateDriver::Model("alpha", 3, 4)});
  driver.Answer(5);
  FlagHead(&driver, {0, 0}, "broad");
  REQUIRE(driver.Last<StoreSession>() != nullptr);
  CHECK(driver.Last<StoreSession>()->path == "/my/new.json");
}

TEST_CASE("a refused session named at the start still opens the model", "[state][session]") {
  StateDriver driver;
  LibraryFound library{{{"alpha", "/models/alpha"}}, {}, {}, "/sessions", "/exports"};
  driver.Do(library);
  driver.Do(Start{.model = {}, .input = {}, .session = "/my/old.json"});
  driver.Do(SessionLoaded{"/my/old.json", Fail(ErrorCode::kUnsupported, "from version 9")});
  driver.Do(ModelReady{driver.state.opening.request, StateDriver::Model("alpha", 3, 4)});
  driver.Answer(5);
  CHECK(NoticeAt(driver.state, ErrorPlace::kSession)->sentence == "from version 9");
  driver.effects.clear();
  FlagHead(&driver, {0, 0}, "broad");
  CHECK(driver.Count<StoreSession>() == 0);
}

TEST_CASE("flags of other weights are neither shown nor overwritten", "[state][session]") {
  StateDriver driver;
  driver.ShowSomething();
  SessionFile other = SomeSession();
  other.model_fingerprint = "somebody else's";
  driver.Do(OpenSession{"/my/other.json"});
  driver.Do(SessionLoaded{"/my/other.json", std::optional(other)});
  driver.Do(ModelReady{driver.state.opening.request, StateDriver::Model("alpha", 3, 4)});
  driver.Answer(5);
  CHECK(FlagsInView(driver.state).flags.empty());
  CHECK(NoticeAt(driver.state, ErrorPlace::kSession) != nullptr);
  driver.effects.clear();
  FlagHead(&driver, {0, 0}, "broad");
  CHECK(driver.Count<StoreSession>() == 0);
}

TEST_CASE("a dropped session that is refused leaves the one in use", "[state][session]") {
  StateDriver driver;
  driver.ShowSomething();
  driver.Do(OpenSession{"/my/broken.json"});
  driver.Do(SessionLoaded{"/my/broken.json", Fail(ErrorCode::kFormat, "not a session")});
  CHECK(NoticeAt(driver.state, ErrorPlace::kSession) != nullptr);
  FlagHead(&driver, {0, 0}, "broad");
  CHECK(driver.Last<StoreSession>()->path == "/sessions/alpha-f00dalpha012.json");
}

TEST_CASE("a session that cannot be written is said", "[state][session]") {
  StateDriver driver;
  driver.stores_at_once = false;
  driver.ShowSomething();
  FlagHead(&driver, {0, 0}, "broad");
  driver.Do(
      SessionStored{driver.Last<StoreSession>()->path, {}, Fail(ErrorCode::kIo, "disk full")});
  CHECK(NoticeAt(driver.state, ErrorPlace::kSession)->sentence == "disk full");
  CHECK_FALSE(SessionInView(driver.state).saved);
}

TEST_CASE("session names are safe on any file system", "[state][session]") {
  CHECK(SessionFileName("a/b c", "0123456789abcdef") == "a_b_c-0123456789ab.json");
}

}  // namespace
}  // namespace headscope::test
