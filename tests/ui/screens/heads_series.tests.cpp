// The series of the Heads screen with made-up scans: what it says, and what a click does.
#include "app/views/heads/layout.h"
#include "app/views/screens.h"
#include "tests/support/catch.h"
#include "tests/ui/panel_driver.h"
#include "tests/unit/state/heads/series_stub.h"

namespace headscope::test {
namespace {

struct SeriesDriver : PanelDriver {
  using PanelDriver::PanelDriver;

  void ShowSeriesView() {
    app.ShowSomething(6);
    app.Do(SetScreen{&ScreenNamed("heads").kind});
    app.Event(state().scan.request, HeadsScanned{StubScan()});
    app.Event(state().scan.request, Finished{});
    app.Do(ShowMetric{"induction"});
    app.Do(SetHeadsView{HeadsView::kSeries});
    Frames(2);
  }
  void Find(const ModelSeries& series) {
    const RequestId id = state().series.finding.request;
    app.Event(id, SeriesFound{series});
    app.Event(id, Finished{});
    Frames(2);
  }
  void ScanAll() {
    double best = 0.1;
    for (const char* folder :
         {"/models/alpha/step-0", "/models/alpha/step-200", "/models/alpha/step-400"}) {
      app.Event(state().series.request, StubScanned(folder, best));
      best += 0.1;
    }
    app.Event(state().series.request, StubScanned("/models/alpha", 0.5));
    app.Event(state().series.request, Finished{});
    Frames(2);
  }
  // Clicks from the top of a model's column downwards until something comes of it.
  template <typename Done>
  void ClickDown(std::size_t model, std::size_t models, Done done) {
    const Rect area = LayOutHeads(region(Panel::kMiddle).rect, HeadsView::kSeries, 3, 1.0F).series;
    const float width = (area.width - 82.0F) / static_cast<float>(models);
    const float x = area.x + 58.0F + width * (static_cast<float>(model) + 0.5F);
    for (float y = area.y + 110.0F; y < area.y + area.height && !done(); y += 9.0F) {
      Click(x, y);
    }
  }
};

}  // namespace

TEST_CASE("the series tells what comes, then when heads appear", "[ui][heads][series]") {
  SeriesDriver driver;
  driver.ShowSeriesView();
  CHECK(driver.Says("Looking"));
  driver.Find(StubSeries());
  CHECK(driver.Says("Checkpoints"));
  CHECK(driver.Says("Head counts"));
  CHECK(driver.Says("Stop"));
  CHECK(driver.Says("moment."));
  driver.app.Event(driver.state().series.request,
                   SeriesProgress{"/models/alpha/step-0", 0, 4, 0.5, 7.5});
  driver.Frames(2);
  CHECK(driver.Says("0 of 4 models done, 8 s left"));
  driver.ScanAll();
  CHECK_FALSE(driver.Says("Stop"));
  CHECK(driver.Says("each:"));
  CHECK(driver.Says("trained"));
  CHECK(driver.Says("200"));
  CHECK(driver.Says("steps of training"));
  driver.app.Do(ShowSeries{SeriesKind::kHeadCounts});
  driver.Frames(2);
  CHECK(driver.Says("heads in a layer"));
}

TEST_CASE("a dot of the open model selects its head, one of another opens that model",
          "[ui][heads][series]") {
  SeriesDriver driver;
  driver.ShowSeriesView();
  driver.Find(StubSeries());
  driver.ScanAll();
  driver.ClickDown(3, 4, [&] { return driver.state().selection.head_locked; });
  CHECK(driver.state().selection.head == HeadIndex{2, 3});  // the best is the uppermost
  CHECK(driver.state().opening_folder.empty());
  driver.ClickDown(0, 4, [&] { return !driver.state().opening_folder.empty(); });
  CHECK(driver.state().opening_folder == "/models/alpha/step-0");
  CHECK(driver.state().arriving_head == HeadIndex{2, 3});
}

TEST_CASE("a slider below the series' words opens any step of the training",
          "[ui][heads][series]") {
  SeriesDriver driver;
  driver.ShowSeriesView();
  driver.Find(StubSeries());
  driver.ScanAll();
  CHECK(driver.Says("training."));
  const Rect area =
      LayOutHeads(driver.region(Panel::kMiddle).rect, HeadsView::kSeries, 3, 1.0F).series;
  const auto press_at = [&](float x) {
    for (float y = area.y + 30.0F; y < area.y + 140.0F && driver.state().opening_folder.empty();
         y += 6.0F) {
      driver.Click(x, y);
    }
    return driver.state().opening_folder;
  };
  SECTION("its left end is step 0") {
    CHECK(press_at(area.x + 20.0F) == "/models/alpha/step-0");
  }
  SECTION("the steps lie evenly") {
    CHECK(press_at(area.x + area.width / 3.0F) == "/models/alpha/step-200");
  }
  SECTION("models of other head counts have none") {
    driver.app.Do(ShowSeries{SeriesKind::kHeadCounts});
    driver.Frames(2);
    CHECK(press_at(area.x + area.width - 20.0F).empty());
  }
}

TEST_CASE("a family over steps has a key of its numbers of heads, and a dot opens its model",
          "[ui][heads][series]") {
  SeriesDriver driver;
  driver.ShowSeriesView();
  driver.Find(StubFamily());
  CHECK(driver.Says("Family over steps"));
  driver.app.Do(ShowSeries{SeriesKind::kFamily});
  driver.Frames(2);
  CHECK(driver.Says("Stop"));
  for (const char* run : {"beta-h2", "beta-h4", "beta-h4-2"}) {
    for (const char* step : {"step-0", "step-200"}) {
      ModelScanned one = StubScanned(std::filesystem::path("/models") / run / step, 0.5);
      one.numbers.loss = MeanOfRuns{.mean = 3.25, .error = 0.125, .runs = 40};
      driver.app.Event(driver.state().series.request, one);
    }
  }
  driver.app.Event(driver.state().series.request, Finished{});
  driver.Frames(3);
  for (const char* words : {"h 2 (1 run)", "h 4 (2 runs)", "steps of training", "loss", "chance"}) {
    INFO(words);
    CHECK(driver.Says(words));
  }
  driver.ClickDown(0, 2, [&] { return !driver.state().opening_folder.empty(); });
  CHECK(driver.state().opening_folder.parent_path().parent_path() == "/models");
  CHECK(driver.state().opening_folder.filename() == "step-0");
}

TEST_CASE("loss and divergence of the open step stand beside the slider", "[ui][heads][series]") {
  SeriesDriver driver;
  driver.ShowSeriesView();
  driver.Find(StubSeries());
  driver.ScanAll();
  CHECK_FALSE(driver.Says("Loss"));
  ModelScanned scanned = StubScanned("/models/alpha", 0.5);
  scanned.numbers.loss = MeanOfRuns{.mean = 1.25, .error = 0.5, .runs = 40};
  HeadScanReport report = *scanned.report;
  report.sentences->report.scores.push_back(StubScores("layer_divergence"));
  scanned.report = std::make_shared<const HeadScanReport>(std::move(report));
  driver.app.state.series.found.back() = scanned;
  driver.Frames(2);
  for (const char* word : {"Loss", "1.250", "0.500", "divergence", "0.275"}) {
    INFO(word);
    CHECK(driver.Says(word));
  }
}

TEST_CASE("across head counts every number stands with its error and its control",
          "[ui][heads][series]") {
  SeriesDriver driver;
  driver.ShowSeriesView();
  driver.app.Do(SetHeadsView{HeadsView::kAcross});
  driver.Frames(2);
  ModelSeries series = StubSeries();
  series.head_counts.push_back({"/models/alpha-2", 4, true});
  driver.Find(series);
  CHECK(driver.Says("Stop"));
  ModelScanned one = StubScanned("/models/beta", 0.2);
  one.numbers.loss = MeanOfRuns{.mean = 3.25, .error = 0.125, .runs = 40};
  one.numbers.overlap = SubspaceOverlap{.overlap = 0.75, .chance = 0.5};
  driver.app.Event(driver.state().series.request, one);
  driver.Frames(3);
  CHECK(driver.Says("h 2"));
  CHECK(driver.Says("h 4  0 of 2 runs"));
  CHECK(driver.Says("3.250 ± 0.125"));
  CHECK(driver.Says("0.750"));
  CHECK(driver.Says("chance 0.500"));
  CHECK(driver.Says("17 %"));  // two of twelve heads
  driver.app.Event(driver.state().series.request, StubScanned("/models/alpha", 0.5));
  driver.app.Event(driver.state().series.request, StubScanned("/models/alpha-2", 0.5));
  driver.app.Event(driver.state().series.request, Finished{});
  driver.Frames(3);
  CHECK_FALSE(driver.Says("Stop"));
  CHECK(driver.Says("h 4  2 of 2 runs"));
  // A click on a number of heads opens its model.
  const Rect& middle = driver.region(Panel::kMiddle).rect;
  for (float y = middle.y; y < middle.y + 160.0F && driver.state().opening_folder.empty();
       y += 6.0F) {
    driver.Click(middle.x + 190.0F, y);
  }
  CHECK(driver.state().opening_folder == "/models/beta");
}

TEST_CASE("a model without others of its family says so across head counts",
          "[ui][heads][series]") {
  SeriesDriver driver;
  driver.ShowSeriesView();
  driver.app.Do(SetHeadsView{HeadsView::kAcross});
  ModelSeries series = StubSeries();
  series.head_counts.clear();
  driver.Find(series);
  CHECK(driver.Says("copy-h8"));
}

TEST_CASE("a model that has no scan is named, and the dots of the others stay",
          "[ui][heads][series]") {
  SeriesDriver driver;
  driver.ShowSeriesView();
  driver.Find(StubSeries());
  driver.app.Event(driver.state().series.request,
                   ModelScanned{.folder = "/models/alpha/step-0", .why_not = "it is torn"});
  driver.app.Event(driver.state().series.request, StubScanned("/models/alpha", 0.5));
  driver.app.Event(driver.state().series.request, Finished{});
  driver.Frames(2);
  CHECK(driver.Says("torn"));
  CHECK(driver.Says("Try again"));
  CHECK(driver.Says("each:"));
}

TEST_CASE("a model that belongs with no other says so", "[ui][heads][series]") {
  SeriesDriver driver;
  driver.ShowSeriesView();
  driver.Find({});
  CHECK(driver.Says("alone"));
  CHECK_FALSE(driver.Says("Checkpoints"));
}

TEST_CASE("the series stands in windows of any size", "[ui][heads][series]") {
  for (const auto& [width, height] : {std::pair(1000.0F, 700.0F),
                                      std::pair(420.0F, 300.0F),
                                      std::pair(120.0F, 80.0F),
                                      std::pair(3000.0F, 2000.0F)}) {
    SeriesDriver driver(width, height);
    driver.ShowSeriesView();
    driver.Find(StubSeries());
    driver.ScanAll();
    driver.MoveTo(width / 2.0F, height / 2.0F);
    driver.Frames(2);
    driver.app.state.series.there.family = StubFamily().family;
    driver.app.Do(ShowSeries{SeriesKind::kFamily});
    driver.app.Event(driver.state().series.request, StubScanned("/models/beta-h4/step-0", 0.5));
    driver.Frames(2);
    CHECK(driver.state().heads_look.view == HeadsView::kSeries);
  }
}

}  // namespace headscope::test
