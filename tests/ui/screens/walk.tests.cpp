// The walk from one head to h heads with made-up matrices: what it says, what keys and clicks do.
#include <cmath>

#include <fmt/format.h>

#include "app/state/walk/words.h"
#include "app/views/screens.h"
#include "app/views/walk/picture.h"
#include "tests/support/catch.h"
#include "tests/support/npy_bytes.h"
#include "tests/support/temp_folder.h"
#include "tests/ui/panel_driver.h"
#include "tests/unit/state/walk/walk_stub.h"

namespace headscope::test {
namespace {

struct WalkDriver : PanelDriver {
  using PanelDriver::PanelDriver;

  void Answer() {
    const WalkJob* asked = nullptr;
    for (const Effect& effect : app.effects) {
      const auto* submit = std::get_if<Submit>(&effect);
      asked = submit != nullptr && std::holds_alternative<WalkJob>(submit->request)
                  ? &std::get<WalkJob>(submit->request)
                  : asked;
    }
    REQUIRE(asked != nullptr);
    const RequestId id = state().walk.request;
    app.Event(id, WalkReady{StubWalk(asked->layer.layer, asked->head)});
    app.Event(id, Finished{});
    Frames(3);
  }
  void Walk() {
    app.ShowSomething(6);
    Type("w");
    Answer();
  }
  // Where a matrix stands.
  Rect Of(WalkPiece piece) const {
    const Rect& middle = region(Panel::kMiddle).maps_clip;
    Rect rect =
        LayOutWalk(*state().walk.answer, middle.width, middle.height, 1.0F).Of(piece).picture;
    rect.x = std::round(rect.x + middle.x);
    rect.y = std::round(rect.y + middle.y);
    return rect;
  }
  // The middle of a cell.
  std::pair<float, float> Cell(WalkPiece piece, std::int64_t row, std::int64_t col) const {
    const Rect rect = Of(piece);
    const WalkMatrix& matrix = MatrixOf(*state().walk.answer, piece);
    return {
        rect.x + rect.width * (static_cast<float>(col) + 0.5F) / static_cast<float>(matrix.cols),
        rect.y + rect.height * (static_cast<float>(row) + 0.5F) / static_cast<float>(matrix.rows)};
  }
  void PointAtCell(WalkPiece piece, std::int64_t row, std::int64_t col) {
    const auto [x, y] = Cell(piece, row, col);
    MoveTo(x, y);
    Frames(2);
  }
  // Paragraphs are drawn word by word, or as what stands on a line.
  bool Tells(const std::string& word) const { return Says(word); }
};

}  // namespace

TEST_CASE("W opens the walk from any screen, W and Esc and Tree go back", "[ui][walk]") {
  WalkDriver driver;
  driver.app.ShowSomething(6);
  driver.Frames(2);
  driver.Type("w");
  CHECK(driver.state().screen->id == "counts");
  CHECK(driver.state().walk.is_open);
  CHECK(driver.Says("Making"));
  driver.Answer();
  CHECK(driver.Says("1 · Width"));
  driver.Type("w");
  CHECK_FALSE(driver.state().walk.is_open);
  driver.Frames(2);
  CHECK(driver.Says("Line by line"));
  driver.Type("w");
  driver.Press(Key::kEscape);
  CHECK_FALSE(driver.state().walk.is_open);
  CHECK(driver.state().screen->id == "counts");
}

TEST_CASE("the button in Counts opens the walk, and Tree goes back", "[ui][walk]") {
  WalkDriver driver;
  driver.app.ShowSomething(6);
  driver.app.Do(SetScreen{&ScreenNamed("counts").kind});
  driver.Frames(2);
  const Rect& toolbar = driver.region(Panel::kToolbar).rect;
  driver.Click(toolbar.x + 40.0F, toolbar.y + 24.0F);
  CHECK(driver.state().walk.is_open);
  driver.Click(toolbar.x + 40.0F, toolbar.y + 24.0F);
  CHECK_FALSE(driver.state().walk.is_open);
}

TEST_CASE("left and right go from step to step, tabs and arrows too", "[ui][walk]") {
  WalkDriver driver;
  driver.Walk();
  CHECK(driver.state().walk.stage == WalkStage::kWidth);
  driver.Press(Key::kLeft);
  CHECK(driver.state().walk.stage == WalkStage::kWidth);
  const HeadIndex head = driver.state().selection.head;
  for (int i = 1; i < kWalkStages; ++i) {
    driver.Press(Key::kRight);
    CHECK(driver.state().walk.stage == static_cast<WalkStage>(i));
    CHECK(driver.Says(StageTitle(static_cast<WalkStage>(i))));
  }
  driver.Press(Key::kRight);
  CHECK(driver.state().walk.stage == WalkStage::kMix);
  CHECK(driver.state().selection.head == head);
  const Rect& toolbar = driver.region(Panel::kToolbar).rect;
  const float tab = toolbar.width / static_cast<float>(kWalkStages);
  driver.Click(toolbar.x + 2.5F * tab, toolbar.y + toolbar.height - 18.0F);
  CHECK(driver.state().walk.stage == WalkStage::kAttend);
  const Rect& panel = driver.layout().detail;
  driver.Click(panel.x + panel.width - 18.0F - 15.0F, panel.y + 14.0F + 15.0F);
  CHECK(driver.state().walk.stage == WalkStage::kBlend);
  driver.Click(panel.x + panel.width - 18.0F - 51.0F, panel.y + 14.0F + 15.0F);
  CHECK(driver.state().walk.stage == WalkStage::kAttend);
}

TEST_CASE("[ and ] change the head, up and down the layer, and the worker is asked for each",
          "[ui][walk]") {
  WalkDriver driver;
  driver.Walk();
  driver.Type("]");
  CHECK(driver.state().selection.head == HeadIndex{0, 1});
  driver.Answer();
  CHECK(driver.state().walk.answer->head == 1);
  driver.Press(Key::kDown);
  CHECK(driver.state().selection.head == HeadIndex{1, 1});
  driver.Answer();
  CHECK(driver.state().walk.answer->layer.layer == 1);
  driver.Type("[");
  CHECK(driver.state().selection.head == HeadIndex{1, 0});
  CHECK(driver.app.CountRequests<WalkJob>() == 4);
}

TEST_CASE("thirteen matrices are drawn, those of the step bright", "[ui][walk]") {
  WalkDriver driver;
  driver.Walk();
  driver.Press(Key::kRight);  // project
  driver.Frames(2);
  const auto& maps = driver.region(Panel::kMiddle).maps;
  REQUIRE(maps.size() == kWalkPieces);
  for (std::size_t i = 0; i < kWalkPieces; ++i) {
    CHECK(maps[i].dimmed == !IsOfStage(static_cast<WalkPiece>(i), WalkStage::kProject));
    const bool is_map = static_cast<WalkPiece>(i) == WalkPiece::kWeights;
    CHECK((maps[i].scale.colormap == Colormap::kDiverging) == !is_map);
  }
  // The middle of the colours is 0, the ends are the largest number of either sign.
  const std::vector<float>& keys =
      driver.renderer().uploaded.at(maps[static_cast<std::size_t>(WalkPiece::kKeys)].map);
  CHECK(std::abs(keys.front() - 0.0F) < 1e-6F);  // -2, the farthest from 0
  CHECK(std::ranges::all_of(keys, [](float value) { return value < 0.5F; }));
  const std::vector<float>& scores =
      driver.renderer().uploaded.at(maps[static_cast<std::size_t>(WalkPiece::kScores)].map);
  CHECK(scores[1] == kMasked);
  CHECK(scores[0] > 0.5F);
}

TEST_CASE("small numbers of a matrix stand out by the curve of the maps", "[ui][walk]") {
  WalkDriver driver;
  driver.Walk();
  // The cell farthest from 0 is 1.77; the first one 1, which is 0.56 of it.
  const auto first = [&driver] {
    const auto& maps = driver.region(Panel::kMiddle).maps;
    return driver.renderer()
        .uploaded.at(maps[static_cast<std::size_t>(WalkPiece::kQueryWeight)].map)
        .front();
  };
  const WalkMatrix& matrix = MatrixOf(*driver.state().walk.answer, WalkPiece::kQueryWeight);
  REQUIRE(matrix.largest == Approx(1.77F));
  REQUIRE(driver.state().settings.curve == Curve::kSqrt);
  CHECK(first() == Approx(0.5F + 0.5F * std::sqrt(1.0F / 1.77F)));
  CHECK_THAT(WalkConvention(Theme::kDark, Curve::kSqrt), Says("square root"));
  driver.app.Do(SetCurve{Curve::kLinear});
  driver.Frames(3);
  CHECK(first() == Approx(0.5F + 0.5F / 1.77F));
  CHECK_THAT(WalkConvention(Theme::kLight, Curve::kLinear), Says("white 0"));
}

TEST_CASE("every cell tells its number, its row's token and its column", "[ui][walk]") {
  WalkDriver driver;
  driver.Walk();
  driver.PointAtCell(WalkPiece::kInput, 2, 3);
  CHECK(driver.Says("token 2 “w2”, input 3"));
  CHECK(driver.Says("-0.0700"));
  driver.PointAtCell(WalkPiece::kQueryWeight, 5, 6);
  CHECK(driver.Says("input 5, column 6, of head 3"));
  CHECK(driver.Says("1.5600"));
  driver.PointAtCell(WalkPiece::kQueries, 1, 1);
  CHECK(driver.Says("query 1 “w1”, column 1 of 2"));
  driver.PointAtCell(WalkPiece::kKeys, 4, 0);
  CHECK(driver.Says("key 4 “w4”, column 0 of 2"));
  CHECK(driver.Says("-1.6000"));
  driver.PointAtCell(WalkPiece::kScores, 1, 3);
  CHECK(driver.Says("masked"));
  driver.PointAtCell(WalkPiece::kOutputWeight, 5, 2);
  CHECK(driver.Says("row 5, of head 2, output 2"));
  driver.PointAtCell(WalkPiece::kOutput, 5, 7);
  CHECK(driver.Says("query 5 “w5”, output 7"));
}

TEST_CASE("pointing at a matrix moves the selection that all screens share", "[ui][walk]") {
  WalkDriver driver;
  driver.Walk();
  driver.PointAtCell(WalkPiece::kWeights, 4, 2);
  CHECK(driver.state().selection.point == MapPoint{.query = 4, .key = 2});
  driver.PointAtCell(WalkPiece::kKeys, 3, 0);
  CHECK(driver.state().selection.point == MapPoint{.query = 4, .key = 3});
  driver.PointAtCell(WalkPiece::kConcatenated, 5, 0);
  CHECK(driver.state().selection.row == 5);
  driver.MoveTo(20.0F, 600.0F);
  driver.Frames(2);
  CHECK_FALSE(driver.state().selection.point.has_value());
  CHECK(driver.state().selection.row == 5);
  const auto [x, y] = driver.Cell(WalkPiece::kScores, 3, 1);
  driver.Click(x, y);
  CHECK(driver.state().selection.point_locked);
  driver.PointAtCell(WalkPiece::kScores, 5, 5);
  CHECK(driver.state().selection.point == MapPoint{.query = 3, .key = 1});
}

TEST_CASE("a click on another head's columns goes to that head", "[ui][walk]") {
  WalkDriver driver;
  driver.Walk();
  const auto [x, y] = driver.Cell(WalkPiece::kQueryWeight, 3, 5);
  driver.Click(x, y);
  CHECK(driver.state().selection.head == HeadIndex{0, 2});
  driver.Answer();
  const auto [row_x, row_y] = driver.Cell(WalkPiece::kOutputWeight, 7, 1);
  driver.Click(row_x, row_y);
  CHECK(driver.state().selection.head == HeadIndex{0, 3});
}

TEST_CASE("Attend takes one cell from its products to its weight", "[ui][walk]") {
  WalkDriver driver;
  driver.Walk();
  driver.app.Do(ShowStage{WalkStage::kAttend});
  driver.PointAtCell(WalkPiece::kScores, 4, 2);
  CHECK(driver.Says("query 4 “w4” · key 2 “w2”"));
  // (1.40, 1.41) . (-1.80, -1.79)
  const double dot = -1.40 * 1.80 - 1.41 * 1.79;
  CHECK(driver.Says("dot product"));
  CHECK(driver.Says(fmt::format("{:.4f}", dot)));
  CHECK(driver.Says("÷ √2"));
  CHECK(driver.Says(fmt::format("{:.4f}", dot / std::sqrt(2.0))));
  CHECK(driver.Says("0.2000"));
  CHECK(driver.Says("weight, rank 3 of 5"));
  driver.PointAtCell(WalkPiece::kScores, 1, 3);
  CHECK(driver.Says("this key comes after the query"));
}

TEST_CASE("Width says that nothing is cut, and the table shows both ways", "[ui][walk]") {
  WalkDriver driver;
  driver.Walk();
  CHECK(driver.Says("How much head 0 uses each of the 8 inputs"));
  CHECK(driver.Says("Two ways, one result"));
  CHECK(driver.Says("Q: [6,8]×[8,8]"));
  CHECK(driver.Says("4 × [6,8]×[8,2]"));
  CHECK(driver.Says("2.5e-07 at most"));
  CHECK(driver.Says("256"));
  const std::string words = StageWords(*driver.state().walk.answer, WalkStage::kWidth, 0, "");
  CHECK(words.find("not cut in pieces") != std::string::npos);
  CHECK(words.find("none is unused") != std::string::npos);
  CHECK(driver.Says("blue negative, red positive"));
}

TEST_CASE("a bar of what heads add goes to its head", "[ui][walk]") {
  WalkDriver driver;
  driver.Walk();
  driver.app.Do(ShowStage{WalkStage::kConcatenate});
  driver.Frames(2);
  CHECK(driver.Says("What each head adds to “w5” through W_O"));
  // The bars are as wide as the panel; look for them from its top down.
  const Rect& panel = driver.layout().detail;
  const float x = panel.x + 18.0F + (panel.width - 36.0F) * 0.6F;
  float y = panel.y + 60.0F;
  while (!driver.Says("head 2: length 3.0000") && y < panel.y + panel.height) {
    driver.MoveTo(x, y += 12.0F);
  }
  CHECK(driver.Says("cosine 0.000"));
  driver.Click(x, y);
  CHECK(driver.state().selection.head == HeadIndex{0, 2});
}

TEST_CASE("what cannot be walked through is said in the place of the matrices", "[ui][walk]") {
  WalkDriver driver;
  driver.app.ShowSomething(6);
  driver.Type("w");
  driver.app.Event(driver.state().walk.request,
                   Failed{{ErrorCode::kNumeric, "the weights hold a NaN"}});
  driver.Frames(2);
  CHECK(driver.Says("NaN"));
  CHECK(driver.app.CountRequests<WalkJob>() == 1);
  driver.Press(Key::kDown);  // another layer is tried
  CHECK(driver.app.CountRequests<WalkJob>() == 2);
}

TEST_CASE("of attention from a file the walk says what it lacks, and shows no older numbers",
          "[ui][walk]") {
  WalkDriver driver;
  driver.Walk();
  CHECK(driver.Says("Two ways, one result"));
  const TempFolder folder;
  const std::array<float, 4> map = {1.0F, 0.0F, 0.5F, 0.5F};
  const auto path = folder.Write(
      "maps.npy", NpyBytes("<f4", "1, 1, 2, 2", RawBytes(std::span<const float>(map))));
  const auto file = AttentionFile::Open(path, "", {});
  REQUIRE(file.has_value());
  driver.app.Do(OpenFolder{path});
  const Action opened = ToAction({driver.state().opening.request, ModelOpened{nullptr, *file}});
  driver.app.Do(opened);
  const RequestId id = driver.state().pending.request;
  driver.app.Event(id, Tokenized{(*file)->encoding(), driver.state().pending.input});
  driver.app.Event(id, LayerReady{*(*file)->Layer(0, 0, kThumbnailSize, {})});
  driver.app.Event(id, Finished{});
  driver.Frames(3);
  CHECK(driver.Says("weights"));
  CHECK(driver.Says("matrices:"));
  CHECK_FALSE(driver.Says("Two ways, one result"));
  CHECK(driver.app.CountRequests<WalkJob>() == 1);
}

TEST_CASE("in a narrow window a tab names the step and opens its words", "[ui][walk]") {
  WalkDriver driver(1000.0F, 700.0F);
  driver.Walk();
  driver.Press(Key::kRight);
  CHECK(driver.Says("2 · Project ▸"));
  driver.Click(1000.0F - 60.0F, 700.0F - 30.0F - 24.0F);
  CHECK(driver.state().sheet_open);
  CHECK(driver.Says("Two ways, one result"));
}

TEST_CASE("of cells that share a pixel the farthest from 0 is told", "[ui][walk]") {
  WalkMatrix matrix = Numbered(4, 100, 0.0F);
  matrix.values[150] = -9.0F;
  const WalkCell cell = CellAt(matrix, 20.0F, 40.0F, 10.5F, 15.0F);
  CHECK(cell.row == 1);
  CHECK(cell.col == 50);
  CHECK(cell.count == 5);
  const WalkCell alone = CellAt(matrix, 500.0F, 40.0F, 252.0F, 15.0F);
  CHECK(alone.col == 50);
  CHECK(alone.count == 1);
}

TEST_CASE("the walk stands in windows of any size, no matrix over another", "[ui][walk]") {
  for (const auto& [width, height] : {std::pair(1600.0F, 1000.0F),
                                      std::pair(1000.0F, 700.0F),
                                      std::pair(420.0F, 300.0F),
                                      std::pair(120.0F, 80.0F),
                                      std::pair(3000.0F, 2000.0F)}) {
    WalkDriver driver(width, height);
    driver.Walk();
    driver.MoveTo(width / 2.0F, height / 2.0F);
    driver.Frames(2);
    const WalkLayout layout =
        LayOutWalk(*driver.state().walk.answer, width - 64.0F, height - 180.0F, 1.0F);
    for (std::size_t i = 0; i < kWalkPieces; ++i) {
      const Rect& picture = layout.places[i].picture;
      CHECK(picture.width > 0.0F);
      CHECK(picture.x + picture.width <= layout.width);
      CHECK(picture.y + picture.height <= layout.height);
      for (std::size_t j = i + 1; j < kWalkPieces; ++j) {
        const Rect both = Intersection(picture, layout.places[j].picture);
        CHECK_FALSE((both.width > 0.0F && both.height > 0.0F));
      }
    }
  }
}

}  // namespace headscope::test
