#include "app/state/flags/session_view.h"

#include <nlohmann/json.hpp>

#include "app/state/inspect/cut_edges.h"
#include "tests/support/catch.h"
#include "tests/unit/state/state_driver.h"

namespace headscope::test {
namespace {

constexpr ScreenKind kInspect = {.id = "inspect", .looks_at_tokens = true};
constexpr ScreenKind kCompare = {.id = "compare", .compares = true};

const ScreenKind* FindKnown(std::string_view id) {
  return id == kInspect.id ? &kInspect : (id == kCompare.id ? &kCompare : nullptr);
}

// Everything is another value than at first.
void ChangeView(StateDriver* driver) {
  driver->Do(ClickHead{{1, 2}});
  HeadLook look;
  look.view = HeadView::kArcs;
  look.map_of = MapOf::kMean;
  look.keep = {.mass = 0.7, .per_row = 3};
  look.heads = LineHeads::kSeveral;
  look.hidden = {0, 3};
  look.by_key = look.whole_line = look.is_sorted = look.lines_in_grid = look.shows_losses = true;
  look.words = {.of = driver->state.shown.encoding, .tokens = {4, 1}};
  driver->Do(SetHeadLook{look});
  driver->state.grid_look = {GridOrder::kScore, "induction", GridFlags::kUnflagged, "0.3"};
  driver->state.token_look = {.merges_words = true,
                              .hides_special = true,
                              .hides_first = true,
                              .hides_punctuation = true,
                              .hides_stop_words = true,
                              .renormalises = true,
                              .hidden = {2, 5},
                              .stop_words = "der die\ndas"};
  driver->state.settings = {Curve::kLog, RangeMode::kLayer, Colormap::kGreys, Pooling::kMax, 0.25F};
  driver->state.heads_look = {.view = HeadsView::kScatter,
                              .metric = "entropy",
                              .second = "broad",
                              .order = HeadsOrder::kChance,
                              .is_ascending = true,
                              .only = Agreement::kOnlySuggested};
  driver->state.compare.look = {CompareView::kSwipe, 0.25F};
  driver->Do(SwitchHead{{0, 1}});
  driver->Do(SwitchEdge{CutEdge{{1, 2}, 1, 3}});
  driver->Do(SwitchEdge{CutEdge{{1, 2}, 0, std::nullopt}});
  driver->state.heads_off.chosen.replacement = Replacement::kTextMean;
  driver->state.heads_off.chosen.renormalises = true;
  driver->state.compare.other = ComparedSide{
      .model = "/models/beta", .input = InputText{.text = "another", .pair = "two", .ids = {}}};
  driver->state.compare.patch_look = {.is_shown = true,
                                      .of_heads = PatchWhat::kValues,
                                      .of_layers = PatchWhat::kMlp,
                                      .direction = PatchDirection::kNoise,
                                      .right = " Mary",
                                      .wrong = "#3",
                                      .row = 3,
                                      .at = 2,
                                      .paths = {.is_shown = true,
                                                .input = HeadInput::kKeys,
                                                .to = {{2, 1}, {1, 0}},
                                                .freezes_mlps = true}};
  driver->Do(ClickCell{MapPoint{.query = 3, .key = 1}});
  driver->state.screen = &kInspect;
}

TEST_CASE("a view is read as it was written, every member of it", "[state][session]") {
  StateDriver driver;
  driver.ShowSomething(6);
  ChangeView(&driver);
  const SessionView view = SessionViewOf(driver.state);
  CHECK(view.screen == "inspect");
  CHECK(view.keeps_head);
  CHECK(view.point == MapPoint{.query = 3, .key = 1});
  const auto read = ReadSessionView(SessionViewText(view), "x.json");
  REQUIRE(read.has_value());
  CHECK(read->place.head == view.place.head);
  CHECK(read->place.grid == view.place.grid);
  CHECK(read->place.tokens == view.place.tokens);
  CHECK(read->place.map == view.place.map);
  CHECK(read->place.heads == view.place.heads);
  CHECK(read->place.compare == view.place.compare);
  CHECK(read->place.off == view.place.off);
  CHECK(read->other == view.other);
  CHECK(read->patching == view.patching);
  CHECK(read->patching.paths.to.size() == 2);
  CHECK(*read == view);
  // What was never touched comes back as well.
  const SessionView plain = SessionViewOf(AppState{});
  CHECK(ReadSessionView(SessionViewText(plain), "x.json") == plain);
}

TEST_CASE("a named session opens as it was saved", "[state][session]") {
  StateDriver saved;
  saved.ShowSomething(6);
  ChangeView(&saved);
  saved.Do(OpenPopup{Popup::kSessions});
  CHECK(saved.Last<ListSessions>()->folder == "/sessions");
  saved.Do(EditSessionSave{"/my/view.json"});
  saved.Do(SaveSessionAs{});
  const SaveSessionFile file = *saved.Last<SaveSessionFile>();
  CHECK(file.path == "/my/view.json");
  CHECK_FALSE(file.overwrite);
  saved.Do(SessionSaved{file.path, file.session, false});
  CHECK(saved.state.flag_files.saving_session.ask_overwrite);
  saved.Do(SaveSessionAs{.overwrite = true});
  CHECK(saved.Last<SaveSessionFile>()->overwrite);
  saved.Do(SessionSaved{file.path, file.session, true});
  CHECK(saved.state.flag_files.saving_session.done == "/my/view.json");
  CHECK(SessionInView(saved.state).path == "/my/view.json");

  StateDriver opened;
  opened.state.find_screen = FindKnown;
  opened.ShowSomething(6);
  opened.Do(OpenSession{file.path});
  opened.Do(SessionLoaded{file.path, std::optional(file.session)});
  opened.Do(ModelReady{opened.state.opening.request, StateDriver::Model("alpha", 3, 4)});
  opened.Answer(6);
  CHECK(opened.state.screen == &kInspect);
  CHECK(opened.state.selection.head == HeadIndex{1, 2});
  CHECK(opened.state.selection.head_locked);
  CHECK(opened.state.selection.point == MapPoint{.query = 3, .key = 1});
  CHECK(opened.state.selection.point_locked);
  CHECK(opened.state.head_look.words.of == opened.state.shown.encoding);
  CHECK(opened.state.heads_off.chosen == saved.state.heads_off.chosen);
  CHECK(opened.state.compare.other == saved.state.compare.other);
  CHECK(opened.state.compare.patch_look == saved.state.compare.patch_look);
  CHECK(SessionViewOf(opened.state) == SessionViewOf(saved.state));
  SECTION("it goes on being kept there") {
    opened.effects.clear();
    opened.state.screen = &kCompare;
    opened.Do(Action(CloseWindow));
    REQUIRE(opened.Last<StoreSession>() != nullptr);
    CHECK(opened.Last<StoreSession>()->path == file.path);
    const auto later = ReadSessionView(opened.Last<StoreSession>()->session.view_json, "x");
    REQUIRE(later.has_value());
    CHECK(later->screen == "compare");
  }
}

TEST_CASE("of a view only what model and text have is taken", "[state][session]") {
  StateDriver saved;
  saved.ShowSomething(6);
  ChangeView(&saved);
  SessionFile session = SessionOf(saved.state, saved.state.works.front());
  session.model_path = "/models/alpha";
  StateDriver opened;  // its text has two tokens, and no such screen is known
  opened.ShowSomething(6);
  opened.state.screen = &kCompare;
  opened.Do(OpenSession{"/my/view.json"});
  opened.Do(SessionLoaded{"/my/view.json", std::optional(session)});
  opened.Do(ModelReady{opened.state.opening.request, StateDriver::Model("alpha", 3, 4)});
  opened.Answer(2);
  CHECK(opened.state.screen == &kCompare);
  CHECK(opened.state.heads_off.chosen.heads == std::vector<HeadIndex>{{0, 1}});
  CHECK(opened.state.heads_off.chosen.edges ==
        std::vector<CutEdge>{CutEdge{{1, 2}, 0, std::nullopt}});
  CHECK(opened.state.token_look.hidden.empty());
  CHECK(opened.state.head_look.words.tokens == std::vector<std::int64_t>{1});
  CHECK(opened.state.selection.row.value_or(0) < 2);
  CHECK_FALSE(opened.state.compare.patch_look.row);
  CHECK_FALSE(opened.state.compare.patch_look.at);
}

TEST_CASE("a session without patching leaves it as it begins; heads that are none are left out",
          "[state][session]") {
  StateDriver driver;
  driver.ShowSomething(6);
  ChangeView(&driver);
  auto json = nlohmann::json::parse(SessionViewText(SessionViewOf(driver.state)));
  REQUIRE(json.contains("patching"));
  auto older = json;
  older.erase("patching");
  const auto old = ReadSessionView(older.dump(), "x.json");
  REQUIRE(old.has_value());
  CHECK(old->other == driver.state.compare.other);
  CHECK(old->patching == PatchLook{});
  json["patching"] = {{"to", {"L1H2", "seven", "L1H2"}}, {"other", {1}}};
  const auto odd = ReadSessionView(json.dump(), "x.json");
  REQUIRE(odd.has_value());
  CHECK(odd->patching.paths.to == std::vector<HeadIndex>{{1, 2}});
  // A file of pairs is kept by its path, and read anew.
  driver.state.compare.patch_look.file = {"/my/pairs.tsv", 7};
  const auto of_file = ReadSessionView(SessionViewText(SessionViewOf(driver.state)), "x.json");
  REQUIRE(of_file.has_value());
  CHECK(of_file->patching.file == PatchFile{"/my/pairs.tsv", 0});
  driver.Do(SetInput{InputText{.text = "again", .pair = {}, .ids = {}}});
  driver.state.arriving_view = *of_file;
  driver.Answer(6);
  const PatchFile& file = driver.state.compare.patch_look.file;
  CHECK(file.path == "/my/pairs.tsv");
  CHECK(file.asked == driver.state.compare.patching.files_asked);
  CHECK(file.asked > 0);
}

TEST_CASE("patching that is none is told in a sentence", "[state][session]") {
  const auto [wrong, says] =
      GENERATE(table<const char*, const char*>({{R"({"heads":"stream"})", "stream"},
                                                {R"({"layers":"output"})", "output"},
                                                {R"({"direction":7})", "direction"},
                                                {R"({"row":-1})", "row"},
                                                {R"({"into":"nowhere"})", "nowhere"},
                                                {R"({"shown":"yes"})", "shown"}}));
  auto json = nlohmann::json::parse(SessionViewText(SessionView{}));
  json["patching"] = nlohmann::json::parse(wrong);
  const auto read = ReadSessionView(json.dump(), "x.json");
  REQUIRE_FALSE(read.has_value());
  CHECK_THAT(read.error().message, Says(says));
}

TEST_CASE("patching does not outlive the session's model", "[state][session]") {
  StateDriver saved;
  saved.ShowSomething(6);
  ChangeView(&saved);
  SessionFile session = SessionOf(saved.state, saved.state.works.front());
  session.model_path = "/models/alpha";
  StateDriver opened;
  opened.ShowSomething(6);
  opened.Do(OpenSession{"/my/view.json"});
  opened.Do(SessionLoaded{"/my/view.json", std::optional(session)});
  opened.Do(ModelReady{opened.state.opening.request, StateDriver::Model("alpha", 2, 1)});
  opened.Answer(6);
  CHECK(opened.state.compare.patch_look.paths.to == std::vector<HeadIndex>{{1, 0}});
  CHECK(opened.state.compare.patch_look.of_heads == PatchWhat::kValues);
}

TEST_CASE("a view that is none is said, and the session opens without it", "[state][session]") {
  const char* const view = GENERATE(R"({"screen":3})",
                                    R"({"head":{"view":"upside down"}})",
                                    R"({"head":{"mass":7}})",
                                    R"({"head":[]})");
  SessionFile session;
  session.model_path = "/models/alpha";
  session.model_fingerprint = StateDriver::Model("alpha", 3, 4)->fingerprint;
  session.selected_layer = 2;
  session.view_json = view;
  StateDriver opened;
  opened.ShowSomething(6);
  opened.Do(OpenSession{"/my/view.json"});
  opened.Do(SessionLoaded{"/my/view.json", std::optional(session)});
  opened.Do(ModelReady{opened.state.opening.request, StateDriver::Model("alpha", 3, 4)});
  opened.Answer(6);
  CHECK(opened.state.selection.head == HeadIndex{2, 0});
  REQUIRE(NoticeAt(opened.state, ErrorPlace::kSession) != nullptr);
  CHECK_THAT(NoticeAt(opened.state, ErrorPlace::kSession)->sentence, Says("view.json: view"));
}

}  // namespace
}  // namespace headscope::test
