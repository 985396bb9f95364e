#include "app/files/assets.h"
#include "app/state/work_under_way.h"
#include "tests/support/catch.h"
#include "tests/support/screens.h"
#include "tests/unit/state/state_driver.h"

namespace headscope::test {
namespace {

TEST_CASE("an open model is asked for the text at once", "[state][reducer]") {
  StateDriver driver;
  driver.Do(EditText{"hello"});
  CHECK(driver.CountRequests<AttendRequest>() == 0);
  driver.Open("alpha", 2, 2);
  REQUIRE(driver.CountRequests<AttendRequest>() == 1);
  CHECK(driver.state.pending.input.text == "hello");
  CHECK(driver.state.model->name == "alpha");
  CHECK(driver.Count<RememberModel>() == 1);
  CHECK(driver.state.recent_models.front().name == "alpha");
}

TEST_CASE("every edit asks anew and the latest wins", "[state][reducer]") {
  StateDriver driver;
  driver.ShowSomething();
  driver.Do(EditText{"a"});
  const RequestId first = driver.state.pending.request;
  driver.Do(EditText{"ab"});
  const RequestId second = driver.state.pending.request;
  REQUIRE(first != second);
  CHECK(driver.CountRequests<AttendRequest>() == 2);

  driver.Event(first, LayerReady{EvenLayer(0, 4, 2)});
  driver.Event(first, Finished{1.0, "late"});
  CHECK(driver.state.pending.layers[0] == nullptr);
  CHECK(driver.state.shown.input.text == "a b c");

  driver.Answer(2);
  CHECK(driver.state.shown.input.text == "ab");
  CHECK(driver.state.shown.encoding->tokens.size() == 2);
  CHECK_FALSE(Busy(driver.state));
}

TEST_CASE("another precision computes the text again, where the processor has it",
          "[state][reducer]") {
  StateDriver driver;
  driver.ShowSomething();
  driver.effects.clear();
  driver.Do(SetPrecision{Precision::kF32});
  CHECK(driver.CountRequests<AttendRequest>() == 0);
  driver.Do(SetPrecision{Precision::kBf16});
  if (!CheckPrecision(Precision::kBf16)) {
    CHECK(driver.CountRequests<AttendRequest>() == 0);
    CHECK(driver.state.precision == Precision::kF32);
    REQUIRE(driver.state.notices.size() == 1);
    CHECK(driver.state.notices[0].sentence == CheckPrecision(Precision::kBf16).error().message);
    return;
  }
  REQUIRE(driver.CountRequests<AttendRequest>() == 1);
  CHECK(driver.state.pending.precision == Precision::kBf16);
  driver.Answer(2);
  CHECK(driver.state.shown.precision == Precision::kBf16);
}

TEST_CASE("the previous picture stays, layer by layer replaced", "[state][reducer]") {
  StateDriver driver;
  driver.ShowSomething(6);
  driver.Do(EditText{"other"});
  CHECK(LayerAt(driver.state, 1).stale);
  REQUIRE(LayerAt(driver.state, 1).layer != nullptr);
  const RequestId id = driver.state.pending.request;
  driver.Event(id, Tokenized{NumberedWords(9), driver.state.pending.input});
  driver.Event(id, LayerReady{EvenLayer(0, 4, 9)});
  CHECK_FALSE(LayerAt(driver.state, 0).stale);
  CHECK(LayerAt(driver.state, 0).layer->shape().queries == 9);
  CHECK(LayerAt(driver.state, 0).source->tokens.size() == 9);
  CHECK(LayerAt(driver.state, 1).stale);
  CHECK(LayerAt(driver.state, 1).source->tokens.size() == 6);
}

TEST_CASE("a text that the model refuses says so and the picture stays", "[state][reducer]") {
  StateDriver driver;
  driver.ShowSomething(6);
  driver.Do(EditText{"too long"});
  driver.Event(driver.state.pending.request,
               Failed{{ErrorCode::kInput, "the text has 99 tokens, the model takes 64"}});
  REQUIRE(NoticeAt(driver.state, ErrorPlace::kText) != nullptr);
  CHECK(driver.state.shown.input.text == "a b c");
  CHECK_FALSE(LayerAt(driver.state, 0).stale);
  CHECK(driver.state.model->name == "alpha");

  driver.Do(EditText{"short"});
  CHECK(NoticeAt(driver.state, ErrorPlace::kText) == nullptr);
}

TEST_CASE("a model that cannot be opened leaves the one before", "[state][reducer]") {
  StateDriver driver;
  driver.ShowSomething();
  driver.Do(OpenFolder{"/models/broken"});
  driver.Event(driver.state.opening.request, Failed{{ErrorCode::kFormat, "config.json: not JSON"}});
  REQUIRE(NoticeAt(driver.state, ErrorPlace::kModel)->sentence == "config.json: not JSON");
  CHECK(driver.state.model->name == "alpha");
  driver.effects.clear();
  driver.Do(EditText{"goes on"});
  CHECK(driver.CountRequests<AttendRequest>() == 1);
}

TEST_CASE("a new model that cannot be computed gives way to the old one", "[state][reducer]") {
  StateDriver driver;
  driver.ShowSomething();
  driver.Do(ClickHead{{1, 1}});
  driver.Do(OpenPopup{Popup::kFlag});
  FlagDraft draft = driver.state.dialogs.flag;
  draft.role = "broad";
  driver.Do(EditFlag{draft});
  driver.Do(SaveFlag);
  driver.Open("nan", 1, 1);
  CHECK(FlagsInView(driver.state).flags.size() == 1);  // the picture is alpha's
  const RequestId id = driver.state.pending.request;
  driver.Event(id, LayerReady{EvenLayer(0, 1, 3)});
  CHECK(ShownModel(driver.state)->name == "nan");
  CHECK(FlagsInView(driver.state).flags.empty());
  driver.Event(id, Failed{{ErrorCode::kNumeric, "h.0.attn.c_attn.weight holds NaN"}});
  CHECK(NoticeAt(driver.state, ErrorPlace::kModel)->sentence == "h.0.attn.c_attn.weight holds NaN");
  CHECK(ShownModel(driver.state)->name == "alpha");
  CHECK(FlagsInView(driver.state).flags.size() == 1);

  driver.effects.clear();
  driver.Do(ModelReady{driver.state.opening.request, StateDriver::Model("alpha", 3, 4)});
  CHECK(driver.state.model->name == "alpha");
  CHECK(driver.CountRequests<AttendRequest>() == 0);  // its picture is still there
  CHECK(driver.Count<LoadSessionFile>() == 0);
  CHECK(NoticeAt(driver.state, ErrorPlace::kModel) != nullptr);
}

TEST_CASE("cancel stops what runs and keeps the picture", "[state][reducer]") {
  StateDriver driver;
  driver.ShowSomething();
  driver.Do(EditText{"slow"});
  const RequestId id = driver.state.pending.request;
  driver.effects.clear();
  driver.Do(CancelWork);
  REQUIRE(driver.Last<Cancel>() != nullptr);
  CHECK(driver.Last<Cancel>()->id == id);
  driver.Event(id, Failed{{ErrorCode::kCancelled, "stopped"}});
  CHECK(driver.state.notices.empty());
  CHECK_FALSE(Busy(driver.state));
  CHECK(LayerAt(driver.state, 2).layer != nullptr);
}

TEST_CASE("the start takes the text given, else the first sample", "[state][reducer]") {
  StateDriver driver;
  LibraryFound library;
  library.bundled = {{"probe", "/assets/models/probe"}};
  library.samples = {{"repeat", "red cat blue red", "", "probe", HeadIndex{1, 0}, 3}};
  driver.Do(library);
  SECTION("nothing given") {
    driver.Do(Start{});
    CHECK(driver.state.input.text == "red cat blue red");
    CHECK(driver.state.opening_folder == "/assets/models/probe");
  }
  SECTION("model and ids given") {
    driver.Do(Start{.model = "/m/x",
                    .input = InputText{.text = "", .pair = {}, .ids = {1, 2}},
                    .session = {},
                    .screen = &kCountsScreen});
    CHECK(driver.state.opening_folder == "/m/x");
    CHECK(driver.state.input.ids.size() == 2);
    CHECK(driver.state.screen == &kCountsScreen);
  }
}

TEST_CASE("the start opens the default model among those bundled", "[state][reducer]") {
  StateDriver driver;
  LibraryFound library;
  library.bundled = {{"a-h1", "/assets/models/a-h1"},
                     {kDefaultModel, "/assets/models/default"},
                     {"z", "/assets/models/z"}};
  driver.Do(library);
  driver.Do(Start{});
  CHECK(driver.state.opening_folder == "/assets/models/default");
}

TEST_CASE("a sample that one model alone can read opens that model", "[state][reducer]") {
  StateDriver driver;
  driver.ShowSomething();
  driver.state.bundled_models = {{"symbols", "/assets/models/symbols"}};
  driver.state.samples = {{"one", "a0 a1", "", "symbols", HeadIndex{1, 2}, 2, true},
                          {"two", "first", "", "", std::nullopt, -1, false, "second"}};
  driver.Do(ChooseSample{0});
  CHECK(driver.state.opening_folder == "/assets/models/symbols");
  CHECK(driver.state.input.text == "a0 a1");
  driver.Do(ModelReady{driver.state.opening.request, StateDriver::Model("symbols", 3, 4)});
  driver.Answer(4);
  CHECK(driver.state.selection.head == HeadIndex{1, 2});
  driver.Do(ChooseSample{1});
  CHECK(driver.state.input.pair == "second");
  CHECK(driver.state.opening_folder.empty());
}

TEST_CASE("a sample shows the head and row that it is about", "[state][reducer]") {
  StateDriver driver;
  driver.ShowSomething();
  driver.state.samples = {{"one", "red cat red", "", "alpha", HeadIndex{1, 2}, 2},
                          {"two", "red cat blue", "", "other", HeadIndex{2, 2}, 1}};
  driver.Do(ChooseSample{0});
  CHECK(driver.state.input.text == "red cat red");
  driver.Answer(4);
  CHECK(driver.state.selection.head == HeadIndex{1, 2});
  CHECK(driver.state.selection.row == 2);
  driver.Do(ChooseSample{1});  // chosen for another model
  driver.Answer(4);
  CHECK(driver.state.selection.head == HeadIndex{1, 2});
}

TEST_CASE("progress is the pending request's", "[state][reducer]") {
  StateDriver driver;
  driver.ShowSomething();
  driver.Do(EditText{"x"});
  driver.Event(driver.state.pending.request, Progress{1, 3, "layer 1 of 3"});
  CHECK(driver.state.pending.progress.done == 1);
  driver.Event(driver.state.pending.request + 17, Progress{2, 3, "other"});
  CHECK(driver.state.pending.progress.done == 1);
}

}  // namespace
}  // namespace headscope::test
