#include <atomic>
#include <filesystem>
#include <memory>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "core/figure/canvas.h"
#include "core/figure/figure_kind.h"
#include "tests/support/attention_fixture.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/worker/worker_harness.h"

namespace headscope {
namespace {

using test::Harness;
using test::Ids;
using test::kProbe;
using test::Only;

FigureJob Writes(const std::filesystem::path& path) {
  FigureSubject subject;
  subject.layers = {test::EvenLayer(0, 1, 1)};
  return {{{FindFigureKind(FigureOf::kHead), std::move(subject), path}}};
}

// A figure that says when and where it is drawn.
struct Drawing {
  std::atomic<bool> is_running = false;
  std::thread::id thread;
  bool waits_for_stop = false;
};
Drawing* drawing = nullptr;

class WatchedFigure : public Figure {
 public:
  WatchedFigure() : Figure(FigurePage{}) {}
  Result<FigureSize> Measure(TextSetter* /*setter*/) override { return FigureSize{160, 160}; }
  Status Draw(Canvas* /*canvas*/, const std::stop_token& stop) override {
    drawing->thread = std::this_thread::get_id();
    drawing->is_running = true;
    if (drawing->waits_for_stop) {
      while (!stop.stop_requested()) {
        std::this_thread::yield();
      }
    } else {
      // Longer than the worker takes to be told to go.
      std::this_thread::sleep_for(std::chrono::milliseconds(30));
    }
    return stop.stop_requested() ? Fail(ErrorCode::kCancelled, "stopped") : Status();
  }
};

const FigureKind kWatched = {
    .make = [](const FigureSubject& /*subject*/) -> Result<std::unique_ptr<Figure>> {
      return std::make_unique<WatchedFigure>();
    }};

FigureJob Watched(const std::filesystem::path& path) {
  return {{{&kWatched, {}, path}}};
}

void WaitUntilDrawn() {
  while (!drawing->is_running) {
    std::this_thread::yield();
  }
}

TEST_CASE("several figures are files of their own, each told when it is there",
          "[session][worker][figure]") {
  const test::TempFolder folder;
  Harness harness;
  FigureJob job;
  for (std::int64_t head = 0; head < 3; ++head) {
    FigureSubject subject;
    subject.layers = {test::EvenLayer(0, 3, 2)};
    subject.head = {0, head};
    job.files.push_back({FindFigureKind(FigureOf::kHead),
                         std::move(subject),
                         folder / fmt::format("f-L0H{}.svg", head)});
  }
  const auto events = harness.Wait(harness.Submit(job));
  std::int64_t written = 0;
  for (const FigureWritten& figure : Only<FigureWritten>(events)) {
    CHECK(figure.path == job.files[static_cast<std::size_t>(written)].path);
    CHECK(figure.files == ++written);
  }
  CHECK(written == 3);
  REQUIRE(Only<Progress>(events).size() == 3);
  CHECK(Only<Progress>(events).back().what == "picture 3 of 3");
  CHECK(folder.Count() == 3);
  CHECK(test::ReadText(folder / "f-L0H2.svg").find(">L0H2<") != std::string::npos);
}

TEST_CASE("a figure is drawn and written by the worker", "[session][worker][figure]") {
  const test::TempFolder folder;
  Drawing own;
  drawing = &own;
  Harness harness;
  const auto events = harness.Wait(harness.Submit(Watched(folder / "figure.png")));
  REQUIRE(Only<FigureWritten>(events).size() == 1);
  CHECK(Only<FigureWritten>(events)[0].path == folder / "figure.png");
  CHECK(std::filesystem::file_size(folder / "figure.png") > 100);
  CHECK(own.thread != std::thread::id());
  CHECK(own.thread != std::this_thread::get_id());
}

TEST_CASE("what keeps a figure from being made is what is said", "[session][worker][figure]") {
  const test::TempFolder folder;
  Harness harness;
  FigureJob job = Writes(folder / "figure.png");
  job.files[0].subject.head.head = 9;
  const auto failed = Only<Failed>(harness.Wait(harness.Submit(job)));
  REQUIRE(failed.size() == 1);
  CHECK_THAT(failed[0].error.message, test::Says("L0H9 is asked for"));
  CHECK_FALSE(std::filesystem::exists(folder / "figure.png"));
}

TEST_CASE("figures are neither replaced nor dropped, whatever is opened or typed",
          "[session][worker][figure]") {
  const test::TempFolder folder;
  Harness harness;
  const RequestId open = harness.SubmitAndHold(OpenModelRequest{kProbe}, 1);
  const RequestId first = harness.Submit(Writes(folder / "first.png"));
  const RequestId second = harness.Submit(Writes(folder / "second.png"));
  const RequestId again = harness.Submit(OpenModelRequest{kProbe});
  harness.Submit(Ids({1, 2}));
  harness.Release();
  for (const RequestId id : {first, second}) {
    CHECK(Only<FigureWritten>(harness.Wait(id)).size() == 1);
  }
  CHECK(Only<Failed>(harness.Wait(open)).size() == 1);
  CHECK(Only<ModelOpened>(harness.Wait(again)).size() == 1);
}

TEST_CASE("a figure that was asked for is written even if the worker is told to go",
          "[session][worker][figure]") {
  const test::TempFolder folder;
  Drawing own;
  drawing = &own;
  const bool runs = GENERATE(false, true);
  {
    Harness harness;
    if (runs) {
      harness.Submit(Watched(folder / "figure.png"));
      WaitUntilDrawn();
    } else {
      harness.SubmitAndHold(OpenModelRequest{kProbe}, 1);
      harness.Submit(Writes(folder / "figure.png"));
      harness.Submit(Ids({1, 2}));
      harness.ReleaseSoon();
    }
  }
  CHECK(std::filesystem::file_size(folder / "figure.png") > 100);
}

TEST_CASE("a figure that is cancelled leaves no file", "[session][worker][figure]") {
  const test::TempFolder folder;
  Drawing own;
  own.waits_for_stop = true;
  drawing = &own;
  Harness harness;
  const RequestId id = harness.Submit(Watched(folder / "figure.png"));
  WaitUntilDrawn();
  harness.Cancel(id);
  const auto failed = Only<Failed>(harness.Wait(id));
  REQUIRE(failed.size() == 1);
  CHECK(failed[0].error.code == ErrorCode::kCancelled);
  CHECK_FALSE(std::filesystem::exists(folder / "figure.png"));
}

}  // namespace
}  // namespace headscope
