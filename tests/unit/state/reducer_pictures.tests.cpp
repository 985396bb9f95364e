// A picture keeps the model, flags and session that it is of, whatever is opened or typed after it.
#include "app/state/files/export_kind.h"
#include "app/state/reducer_class.h"
#include "app/state/status_words.h"
#include "tests/support/catch.h"
#include "tests/support/screens.h"
#include "tests/unit/state/state_driver.h"

namespace headscope::test {
namespace {

void FlagHeadOf(StateDriver* driver, HeadIndex head, const std::string& role) {
  driver->Do(ClickHead{head});
  driver->Do(OpenPopup{Popup::kFlag});
  FlagDraft draft = driver->state.dialogs.flag;
  draft.role = role;
  driver->Do(EditFlag{draft});
  driver->Do(SaveFlag);
}

void AnswerSession(StateDriver* driver, const std::optional<SessionFile>& session = {}) {
  const auto* load = driver->Last<LoadSessionFile>();
  REQUIRE(load != nullptr);
  driver->Do(SessionLoaded{load->path, session});
}

// Alpha's picture of "a b c", and tiny, which refused a text, open.
void RefuseText(StateDriver* driver) {
  driver->ShowSomething();
  FlagHeadOf(driver, {0, 1}, "broad");
  driver->Open("tiny", 1, 2);
  AnswerSession(driver);
  driver->Event(driver->state.pending.request,
                Failed{{ErrorCode::kInput, "the text has 99 tokens, the model takes 64"}});
  driver->effects.clear();
}

TEST_CASE("a picture that stays is its own model's in every name", "[state][pictures]") {
  StateDriver driver;
  RefuseText(&driver);
  CHECK(driver.state.model->name == "tiny");
  CHECK(ShownModel(driver.state)->name == "alpha");
  CHECK(SelectedLayer(driver.state).outdated);
  CHECK(OutdatedNote(driver.state) ==
        "These maps are of alpha and its text “a b c”; tiny has none of the text above.");
  CHECK(FlagsInView(driver.state).flags.size() == 1);
  CHECK(StatusOf(driver.state, false).done == "alpha: 12 heads in 5.0 ms");
  CHECK(FileOf(driver.state, *FindFigureKind(FigureOf::kAll)) == "alpha-a-b-c-all-heads");
  driver.Do(ClickHead{{2, 3}});
  CHECK(driver.state.selection.head == HeadIndex{2, 3});

  driver.Do(EditText{"short"});
  CHECK_FALSE(IsOutdated(driver.state));
  driver.Answer(2);
  CHECK(FileOf(driver.state, *FindFigureKind(FigureOf::kAll)) == "tiny-all-heads");
  CHECK(ShownModel(driver.state)->name == "tiny");
  CHECK(OutdatedNote(driver.state).empty());
  CHECK(FlagsInView(driver.state).flags.empty());
  CHECK(driver.state.works.size() == 1);
}

// A model that the worker opened is let go unseen when another is asked for before its event is
// read; where that one does not open, the window goes on with the one before.
TEST_CASE("a model that the worker has let go is opened again", "[state][pictures]") {
  StateDriver driver;
  driver.ShowSomething();
  const std::shared_ptr<const ModelInfo> before = driver.state.model;
  driver.Do(OpenFolder{"/models/overtaken"});
  const RequestId overtaken = driver.state.opening.request;
  driver.Do(OpenFolder{"/models/broken"});
  driver.Do(ModelReady{overtaken, StateDriver::Model("overtaken", 3, 2)});
  driver.Event(driver.state.opening.request, Failed{{ErrorCode::kFormat, "broken"}});
  CHECK(driver.state.model == before);

  const auto is_opened_again = [&driver] {
    const auto* submitted = driver.Last<Submit>();
    REQUIRE(submitted != nullptr);
    const auto* open = std::get_if<OpenModelRequest>(&submitted->request);
    return open != nullptr && open->folder == driver.state.model->folder;
  };
  SECTION("for a text") {
    driver.Do(EditText{"d e f"});
    driver.Event(driver.state.pending.request, Failed{{ErrorCode::kGone, "gone"}});
    CHECK(is_opened_again());
    CHECK(driver.state.notices.size() == 1);  // of the folder that did not open
    driver.Do(ModelReady{driver.state.opening.request, StateDriver::Model("alpha", 3, 4)});
    driver.Answer(3);
    CHECK(driver.state.shown.input.text == "d e f");
  }
  SECTION("for another precision of the same text") {
    driver.state.precision = Precision::kBf16;  // whether this machine has it or not
    driver.Do(SetInput{driver.state.input});
    driver.Event(driver.state.pending.request, Failed{{ErrorCode::kGone, "gone"}});
    CHECK(is_opened_again());
    driver.Do(ModelReady{driver.state.opening.request, StateDriver::Model("alpha", 3, 4)});
    driver.Answer(6);
    CHECK(driver.state.shown.precision == Precision::kBf16);
  }
  SECTION("for head counts") {
    driver.Do(SetScreen{&kCountsScreen});
    const auto asked = driver.CountRequests<SplitJob>();
    REQUIRE(asked > 0);
    driver.Event(driver.state.counts.request, Failed{{ErrorCode::kGone, "gone"}});
    CHECK(is_opened_again());
    driver.Do(ModelReady{driver.state.opening.request, StateDriver::Model("alpha", 3, 4)});
    CHECK(driver.CountRequests<SplitJob>() == asked + 1);
  }
  CHECK(ShownModel(driver.state)->name == "alpha");
}

TEST_CASE("a flag on a picture that stays goes to the picture's session", "[state][pictures]") {
  StateDriver driver;
  RefuseText(&driver);
  FlagHeadOf(&driver, {2, 3}, "induction");  // which tiny does not have
  const auto* store = driver.Last<StoreSession>();
  REQUIRE(store != nullptr);
  CHECK(store->path == "/sessions/alpha-f00dalpha012.json");
  CHECK(store->session.model_name == "alpha");
  CHECK(store->session.text == "a b c");
  CHECK(store->session.flags.size() == 2);
  driver.Do(UndoFlag);
  CHECK(driver.Last<StoreSession>()->session.flags.size() == 1);

  driver.effects.clear();
  driver.Do(CloseWindow);
  REQUIRE(driver.Count<StoreSession>() == 1);
  CHECK(driver.Last<StoreSession>()->session.model_name == "alpha");
}

TEST_CASE("layers of a model that is not open are not cut", "[state][pictures]") {
  StateDriver driver;
  RefuseText(&driver);
  driver.Do(SetScreen{&kCountsScreen});
  CHECK(driver.CountRequests<SplitJob>() == 0);
}

TEST_CASE("a flag editor keeps the model that it was opened for", "[state][pictures]") {
  StateDriver driver;
  driver.ShowSomething();
  driver.Do(ClickHead{{0, 1}});
  driver.Do(OpenFolder{"/models/tiny"});
  driver.Do(OpenPopup{Popup::kFlag});
  driver.Do(ModelReady{driver.state.opening.request, StateDriver::Model("tiny", 1, 2)});
  AnswerSession(&driver);
  driver.Answer(4);
  CHECK(ShownModel(driver.state)->name == "tiny");
  FlagDraft draft = driver.state.dialogs.flag;
  draft.role = "induction";
  driver.Do(EditFlag{draft});
  driver.Do(SaveFlag);
  CHECK(driver.Last<StoreSession>()->session.model_name == "alpha");
  CHECK(driver.Last<StoreSession>()->path == "/sessions/alpha-f00dalpha012.json");
  CHECK(FlagsInView(driver.state).flags.empty());
  CHECK(driver.state.works.size() == 1);
}

TEST_CASE("a head that is not there is not flagged", "[state][pictures]") {
  StateDriver driver;
  driver.ShowSomething();
  driver.Do(OpenPopup{Popup::kFlag});
  FlagDraft draft = driver.state.dialogs.flag;
  draft.head = {3, 0};
  draft.role = "rare";
  driver.Do(EditFlag{draft});
  driver.effects.clear();
  driver.Do(SaveFlag);
  REQUIRE(NoticeAt(driver.state, ErrorPlace::kFlags) != nullptr);
  CHECK(NoticeAt(driver.state, ErrorPlace::kFlags)->sentence ==
        "L3H0 is not flagged: alpha has no such head, it has L0H0 to L2H3.");
  CHECK(FlagsInView(driver.state).flags.empty());
  CHECK(driver.Count<StoreSession>() == 0);
}

TEST_CASE("flags of heads that are not there are told, and stay in the file", "[state][pictures]") {
  StateDriver driver;
  driver.Do(LibraryFound{{}, {}, {}, "/sessions", "/exports"});
  driver.Open("alpha", 3, 4);
  SessionFile session;
  session.model_fingerprint = driver.state.model->fingerprint;
  session.flags = {{0, 0, "broad", "", ""}, {2, 4, "rare", "", ""}, {9, 1, "rare", "", ""}};
  AnswerSession(&driver, session);
  driver.Answer(5);
  REQUIRE(NoticeAt(driver.state, ErrorPlace::kFlags) != nullptr);
  CHECK(NoticeAt(driver.state, ErrorPlace::kFlags)->sentence ==
        "alpha-f00dalpha012.json flags L2H4 and L9H1, and alpha has L0H0 to L2H3. These flags stay "
        "in the file; they are not shown.");
  CHECK(FlagsInView(driver.state).flags.size() == 1);
  FlagHeadOf(&driver, {1, 0}, "broad");
  const std::vector<HeadFlag>& flags = driver.Last<StoreSession>()->session.flags;
  REQUIRE(flags.size() == 4);
  CHECK(flags[1].layer == 1);
  CHECK(flags[2] == session.flags[1]);
  CHECK(flags[3] == session.flags[2]);
}

TEST_CASE("flags that another window set are taken and told", "[state][pictures]") {
  StateDriver driver;
  driver.stores_at_once = false;
  driver.ShowSomething();
  FlagHeadOf(&driver, {1, 1}, "broad");
  const StoreSession store = *driver.Last<StoreSession>();
  SessionFile written = store.session;
  written.flags.insert(written.flags.begin(), {0, 2, "induction", "", "of the other window"});
  driver.Do(SessionStored{store.path, store.session, written});
  CHECK(FlagsInView(driver.state).flags == written.flags);
  CHECK(SessionInView(driver.state).saved);
  REQUIRE(NoticeAt(driver.state, ErrorPlace::kShared) != nullptr);
  CHECK_THAT(NoticeAt(driver.state, ErrorPlace::kShared)->sentence,
             Says("Another window changed L0H2"));

  driver.Do(UndoFlag);  // one's own flag, not the other's
  const StoreSession undone = *driver.Last<StoreSession>();
  CHECK(undone.known == written);
  REQUIRE(undone.session.flags.size() == 1);
  CHECK(undone.session.flags[0].note == "of the other window");
  driver.Do(SessionStored{undone.path, undone.session, undone.session});
  CHECK(NoticeAt(driver.state, ErrorPlace::kShared) == nullptr);
}

TEST_CASE("a session of a model that cannot be opened leaves all as it was", "[state][pictures]") {
  StateDriver driver;
  driver.ShowSomething();
  driver.Do(ClickHead{{1, 1}});
  SessionFile session;
  session.model_path = "/models/large";
  session.selected_layer = 30;
  session.selected_head = 15;
  driver.Do(OpenSession{"/my/large.json"});
  driver.Do(SessionLoaded{"/my/large.json", std::optional(session)});
  CHECK(driver.state.selection.head == HeadIndex{1, 1});
  driver.Event(driver.state.opening.request, Failed{{ErrorCode::kIo, "no such folder"}});
  CHECK(driver.state.selection.head == HeadIndex{1, 1});
  FlagHeadOf(&driver, {0, 0}, "broad");
  CHECK(driver.Last<StoreSession>()->path == "/sessions/alpha-f00dalpha012.json");
  // Another model is opened: the session of the one that failed does not come along.
  driver.Open("tiny", 1, 2);
  CHECK(driver.Last<LoadSessionFile>()->path == "/sessions/tiny-f00dtiny0123.json");
}

TEST_CASE("a model that is opened again keeps picture and flags", "[state][pictures]") {
  StateDriver driver;
  driver.ShowSomething();
  FlagHeadOf(&driver, {0, 1}, "broad");
  driver.effects.clear();
  driver.Open("alpha", 3, 4);
  CHECK(FlagsInView(driver.state).flags.size() == 1);
  CHECK(driver.state.works.size() == 1);
  driver.Event(driver.state.pending.request, Failed{{ErrorCode::kCancelled, "stopped"}});
  CHECK_FALSE(IsOutdated(driver.state));
}

TEST_CASE("a text that was cancelled leaves the maps of the one before, which say so",
          "[state][pictures]") {
  StateDriver driver;
  driver.ShowSomething();
  driver.Do(EditText{"slow"});
  CHECK_FALSE(IsOutdated(driver.state));  // under way
  driver.Event(driver.state.pending.request, Failed{{ErrorCode::kCancelled, "stopped"}});
  CHECK(IsOutdated(driver.state));
  CHECK(OutdatedNote(driver.state) ==
        "These maps are of alpha and its text “a b c”; there are none of the text above.");
  driver.Do(EditText{"a b c"});
  driver.Answer(6);
  CHECK_FALSE(IsOutdated(driver.state));
}

TEST_CASE("head counts keep the words of the text that was cut", "[state][pictures]") {
  StateDriver driver;
  driver.ShowSomething(6);
  driver.Do(SetScreen{&kCountsScreen});
  auto split = std::make_shared<SplitResult>();
  split->trained_heads = 4;
  const RequestId id = driver.state.counts.request;
  driver.Event(id, SplitReady{split});
  driver.Event(id, Finished{});
  const auto words = driver.state.shown.encoding;
  driver.Do(EditText{"x y z"});
  driver.Answer(6);  // as long as the one before
  CHECK(driver.state.counts.source != SelectedLayer(driver.state).layer);
  CHECK(driver.state.counts.source_of.encoding == words);
}

}  // namespace
}  // namespace headscope::test
