#include "app/state/work_under_way.h"
#include "tests/support/catch.h"
#include "tests/support/screens.h"
#include "tests/unit/state/state_driver.h"

namespace headscope::test {
namespace {

std::shared_ptr<const SplitResult> SomeSplit() {
  auto split = std::make_shared<SplitResult>();
  split->trained_heads = 4;
  for (const std::int64_t heads : {1, 2, 4, 8}) {
    SplitCount count;
    count.heads = heads;
    count.attention = EvenLayer(0, heads, 6);
    split->counts.push_back(count);
  }
  return split;
}

TEST_CASE("head counts are computed for the layer on screen, once", "[state][counts]") {
  StateDriver driver;
  driver.ShowSomething();
  CHECK(driver.CountRequests<SplitJob>() == 0);
  driver.Do(SetScreen{&kCountsScreen});
  CHECK(driver.CountRequests<SplitJob>() == 1);
  driver.Do(SetTheme{Theme::kLight});
  CHECK(driver.CountRequests<SplitJob>() == 1);
  const RequestId id = driver.state.counts.request;
  driver.Event(id, SplitReady{SomeSplit()});
  driver.Event(id, Finished{});
  CHECK(driver.state.counts.result->trained_heads == 4);
  CHECK(driver.CountRequests<SplitJob>() == 1);
  driver.Do(SelectLayer{2});
  CHECK(driver.CountRequests<SplitJob>() == 2);
}

TEST_CASE("arrows walk the counts, and the trained head is everyone's head", "[state][counts]") {
  StateDriver driver;
  driver.ShowSomething();
  driver.Do(ClickHead{{0, 1}});
  driver.Do(SetScreen{&kCountsScreen});
  driver.Event(driver.state.counts.request, SplitReady{SomeSplit()});
  driver.Do(StepHead{.layers = 1, .heads = 0});
  CHECK(driver.state.counts.chosen == CountHead{8, 2});
  driver.Do(StepHead{.layers = -1, .heads = 0});
  driver.Do(StepHead{.layers = 0, .heads = 1});
  CHECK(driver.state.counts.chosen == CountHead{4, 2});
  CHECK(driver.state.selection.head.head == 2);
}

TEST_CASE("a split that fails is said and not asked for again", "[state][counts]") {
  StateDriver driver;
  driver.ShowSomething();
  driver.Do(SetScreen{&kCountsScreen});
  driver.Event(driver.state.counts.request, Failed{{ErrorCode::kUnsupported, "value_dim differs"}});
  driver.effects.clear();
  driver.Do(SetTheme{Theme::kLight});
  CHECK(driver.CountRequests<SplitJob>() == 0);
  CHECK(NoticeAt(driver.state, ErrorPlace::kCounts)->sentence == "value_dim differs");
}

TEST_CASE("export suggests a path and asks before it overwrites", "[state][export]") {
  StateDriver driver;
  driver.ShowSomething();
  driver.Do(ClickHead{{1, 2}});
  driver.Do(OpenPopup{Popup::kExport});
  CHECK(driver.state.dialogs.exporting.path == "/exports/alpha-L1H2.png");
  ExportDraft draft = driver.state.dialogs.exporting;
  draft.kind = FindFigureKind(FigureOf::kAll);
  driver.Do(EditExport{draft});
  CHECK(driver.state.dialogs.exporting.path == "/exports/alpha-all-heads.png");
  draft = driver.state.dialogs.exporting;
  draft.path = "/mine/x.png";
  driver.Do(EditExport{draft});
  draft.kind = FindFigureKind(FigureOf::kHead);
  driver.Do(EditExport{draft});
  CHECK(driver.state.dialogs.exporting.path == "/mine/x.png");

  driver.Do(StartExport{});
  CHECK_FALSE(driver.Last<MakeFigure>()->overwrite);
  driver.Do(OverwriteNeeded{});
  CHECK(driver.state.dialogs.exporting.ask_overwrite);
  driver.Do(StartExport{.overwrite = true});
  CHECK(driver.Last<MakeFigure>()->overwrite);
  driver.Do(FigureAsked{FigureJob{}});
  const RequestId id = driver.state.dialogs.exporting.request;
  CHECK(driver.CountRequests<FigureJob>() == 1);
  CHECK(Busy(driver.state));
  driver.Event(id, FigureWritten{"/mine/x.png"});
  driver.Event(id, Finished{});
  CHECK(driver.state.dialogs.exporting.done == "/mine/x.png");
  CHECK_FALSE(Busy(driver.state));
}

TEST_CASE("every request has a number of its own, and answers go to the one that asked",
          "[state][reducer]") {
  StateDriver driver;
  driver.ShowSomething();
  driver.Do(EditText{"a b"});
  const RequestId text = driver.state.pending.request;
  driver.Do(FigureAsked{FigureJob{}});
  const RequestId figure = driver.state.dialogs.exporting.request;
  CHECK(text != 0);
  CHECK(figure > text);
  CHECK(driver.state.pending.request == text);
  driver.Event(text, FigureWritten{"/not/of/this.png"});
  driver.Event(figure + 1, FigureWritten{"/of/nobody.png"});
  CHECK(driver.state.dialogs.exporting.done.empty());
  driver.Event(text, Failed{{ErrorCode::kInput, "no token"}});
  CHECK(driver.state.dialogs.exporting.request == figure);
  driver.Event(figure, FigureWritten{"/mine.png"});
  CHECK(driver.state.dialogs.exporting.done == "/mine.png");
}

TEST_CASE("a figure that cannot be written is said in the dialog", "[state][export]") {
  StateDriver driver;
  driver.ShowSomething();
  driver.Do(OpenPopup{Popup::kExport});
  driver.Do(FigureAsked{FigureJob{}});
  driver.Event(driver.state.dialogs.exporting.request,
               Failed{{ErrorCode::kIo, "/root: no permission"}});
  CHECK(NoticeAt(driver.state, ErrorPlace::kExport)->sentence == "/root: no permission");
  CHECK(driver.state.dialogs.popup == Popup::kExport);
}

TEST_CASE("popups that need a picture do not open without one", "[state]") {
  StateDriver driver;
  driver.Do(OpenPopup{Popup::kFlag});
  CHECK(driver.state.dialogs.popup == Popup::kNone);
  driver.Do(OpenPopup{Popup::kExport});
  CHECK(driver.state.dialogs.popup == Popup::kNone);
  driver.Do(OpenPopup{Popup::kModels});
  CHECK(driver.state.dialogs.popup == Popup::kModels);
  driver.Do(Escape);
  CHECK(driver.state.dialogs.popup == Popup::kNone);
}

TEST_CASE("settings are set and the splitter stays within reason", "[state]") {
  StateDriver driver;
  driver.Do(SetCurve{Curve::kLog});
  driver.Do(SetColormap{Colormap::kCividis});
  driver.Do(SetPooling{Pooling::kMax});
  driver.Do(SetDetailWidth{5.0F});
  CHECK(driver.state.settings.curve == Curve::kLog);
  CHECK(driver.state.settings.colormap == Colormap::kCividis);
  CHECK(driver.state.settings.pooling == Pooling::kMax);
  CHECK(driver.state.detail_width == 380.0F);
}

TEST_CASE("errors of drops are shown until dismissed", "[state]") {
  StateDriver driver;
  driver.Do(ReportError{ErrorPlace::kText, "x.txt: not UTF-8"});
  CHECK(NoticeAt(driver.state, ErrorPlace::kText)->sentence == "x.txt: not UTF-8");
  driver.Do(DismissNotice{ErrorPlace::kText});
  CHECK(driver.state.notices.empty());
}

TEST_CASE("copying gives the head's name", "[state]") {
  StateDriver driver;
  driver.ShowSomething();
  driver.Do(ClickHead{{2, 3}});
  driver.Do(CopyName);
  CHECK(driver.Last<PutOnClipboard>()->text == "L2H3");
}

}  // namespace
}  // namespace headscope::test
