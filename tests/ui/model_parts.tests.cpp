// Encoder-decoders in the window: the part switch, the target's box, maps with two axes.
#include "app/views/inspect/grid_layout.h"
#include "app/views/maps/map_geometry.h"
#include "tests/support/catch.h"
#include "tests/ui/panel_driver.h"

namespace headscope::test {
namespace {

// The middle of a cell of the large map.
std::pair<float, float> CellOfMap(const PanelDriver& driver, CellIndex cell) {
  const LayerView view = SelectedLayer(driver.state());
  const Rect& map = driver.region(Panel::kDetail).maps.front().target;
  const float width = map.width / static_cast<float>(view.layer->shape().keys);
  const float height = map.height / static_cast<float>(view.layer->shape().queries);
  return {map.x + (static_cast<float>(cell.key) + 0.5F) * width,
          map.y + (static_cast<float>(cell.query) + 0.5F) * height};
}

TEST_CASE("P goes from part to part, the grid and the header follow", "[ui][parts]") {
  PanelDriver driver;
  driver.app.ShowEncoderDecoder();
  driver.Frames(3);
  CHECK(driver.Says("Encoder"));
  CHECK(driver.Says("Cross"));
  CHECK(driver.region(Panel::kMiddle).maps.size() == 2 * 4);
  CHECK(driver.Says("E0H0"));
  CHECK(driver.Says("E1"));
  driver.Type("p");
  driver.Frame();
  CHECK(driver.region(Panel::kMiddle).maps.size() == 3 * 4);
  CHECK(driver.Says("D0H0"));
  driver.Type("P");
  driver.Frame();
  CHECK(driver.Says("X0H0"));
  CHECK(driver.Says("X2"));
  driver.Type("p");
  CHECK(driver.state().selection.head.part == ModelPart::kEncoder);
  CHECK(driver.app.CountRequests<AttendRequest>() == 0);
}

TEST_CASE("a model of one part has no switch and no target", "[ui][parts]") {
  PanelDriver driver;
  driver.app.ShowSomething(6);
  driver.Frames(3);
  CHECK_FALSE(driver.Says("Encoder"));
  CHECK_FALSE(driver.Says("generated"));
  driver.Type("p");
  driver.PressCtrl('T');
  driver.Type("e");
  CHECK(driver.state().dialogs.popup == Popup::kNone);
  CHECK(driver.state().selection.head.part == ModelPart::kWhole);
}

TEST_CASE("a cross map has target rows and text columns", "[ui][parts]") {
  PanelDriver driver;
  driver.app.ShowEncoderDecoder();
  driver.app.Do(ShowPart{ModelPart::kCross});
  driver.Frames(3);
  const MapPlacement& thumbnail = driver.region(Panel::kMiddle).maps.front();
  CHECK(driver.renderer().maps.at(thumbnail.map) == std::pair<std::int64_t, std::int64_t>{4, 6});
  CHECK(thumbnail.target.width > thumbnail.target.height);
  const Rect& large = driver.region(Panel::kDetail).maps.front().target;
  CHECK(large.width * 4.0F == large.height * 6.0F);  // square cells
  const auto [x, y] = CellOfMap(driver, {2, 5});
  driver.MoveTo(x, y);
  CHECK(driver.state().selection.point == MapPoint{2, 5});
  CHECK(driver.Says("query 2 “t2” → key 5 “w5”"));
  driver.Frame();
  CHECK(driver.Says("t2 (2)"));  // whose row the bars are of
  for (const char* label : {"t0", "t3", "w0", "w5", "target", "text"}) {
    CHECK(driver.Says(label));
  }
}

TEST_CASE("keys walk a cross map to the ends of both texts", "[ui][parts]") {
  PanelDriver driver;
  driver.app.ShowEncoderDecoder();
  driver.app.Do(ShowPart{ModelPart::kCross});
  driver.app.Do(ClickCell{{0, 0}});
  driver.Frames(3);
  for (int i = 0; i < 9; ++i) {
    driver.Press(Key::kRight, true);
    driver.Press(Key::kDown, true);
  }
  CHECK(driver.state().selection.point == MapPoint{3, 5});
}

TEST_CASE("a flat map is stretched, but never out of its room", "[ui][parts]") {
  const Rect room{10.0F, 20.0F, 400.0F, 400.0F};
  const MapGeometry flat = PlaceMap({room, room}, 2, 200, {});
  CHECK(flat.target.width == 400.0F);
  CHECK(flat.target.height >= 132.0F);
  CHECK(flat.target.height <= 134.0F);
  CHECK(flat.At(10.5, 20.5).value().query == 0);
  CHECK(flat.At(409.0, static_cast<double>(20.0F + flat.target.height) - 1.0).value().query == 1);
  CHECK(flat.At(409.0, 21.0).value().key == 199);
  const MapGeometry tall = PlaceMap({room, room}, 300, 1, {});
  CHECK(tall.target.height <= 400.0F);
  CHECK(tall.target.width >= 99.0F);
  const MapGeometry square = PlaceMap({room, room}, 4, 6, {});
  CHECK(square.cell_width() == square.cell_height());
}

TEST_CASE("what was generated is shown and marked; typing takes its place", "[ui][parts]") {
  PanelDriver driver;
  driver.app.ShowEncoderDecoder();
  driver.Frames(3);
  CHECK(driver.Says("generated words"));
  driver.PressCtrl('T');
  driver.Frames(2);
  driver.Type("ab");
  CHECK(driver.state().input.target == "ab");
  CHECK(driver.state().input.text == "a b c");
  CHECK_FALSE(driver.Says("generated words"));
  driver.Press(Key::kEscape);  // leaves the box and keeps the target
  CHECK(driver.state().input.target == "ab");
  driver.Type("p");
  CHECK(driver.state().selection.head.part == ModelPart::kDecoder);
}

TEST_CASE("without a target and a way to generate one the window says what to do", "[ui][parts]") {
  PanelDriver driver;
  driver.app.Do(OpenFolder{"/models/beta"});
  ModelInfo model = *StateDriver::EncoderDecoder("beta");
  model.description.generation.reset();
  driver.app.Do(ModelReady{driver.state().opening.request,
                           std::make_shared<const ModelInfo>(std::move(model))});
  driver.app.AnswerEncoder(6);
  driver.app.FinishAnswer();
  driver.Frames(3);
  CHECK(driver.region(Panel::kMiddle).maps.size() == 2 * 4);
  driver.Type("p");
  driver.Frames(2);
  CHECK(driver.Says("No target to read"));
  CHECK(driver.region(Panel::kMiddle).maps.empty());
  driver.app.Do(EditTarget{"x"});
  driver.app.AnswerEncoder(6);
  driver.app.AnswerDecoder(3);
  driver.app.FinishAnswer();
  driver.Frames(2);
  CHECK(driver.region(Panel::kMiddle).maps.size() == 3 * 4);
}

TEST_CASE("typing X2H1 jumps to cross-attention", "[ui][parts]") {
  PanelDriver driver;
  driver.app.ShowEncoderDecoder();
  driver.Frames(3);
  driver.Type("X2H1");
  CHECK(driver.state().dialogs.popup == Popup::kJump);
  driver.Press(Key::kEnter);
  CHECK(driver.state().selection.head == HeadIndex{2, 1, ModelPart::kCross});
}

TEST_CASE("a click on a thumbnail locks the head of the part in view", "[ui][parts]") {
  PanelDriver driver;
  driver.app.ShowEncoderDecoder();
  driver.app.Do(ShowPart{ModelPart::kCross});
  driver.Frames(3);
  const Rect thumb = driver.region(Panel::kMiddle).maps[4 + 2].target;
  driver.Click(thumb.x + 5.0F, thumb.y + 5.0F);
  CHECK(driver.state().selection.head == HeadIndex{1, 2, ModelPart::kCross});
  CHECK(driver.state().selection.head_locked);
  driver.Click(thumb.x + 5.0F, thumb.y + 5.0F);
  CHECK_FALSE(driver.state().selection.head_locked);
}

TEST_CASE("thumbnails keep the shape of their maps within bounds", "[ui][parts]") {
  GridRequest request;
  request.area = {0.0F, 0.0F, 1000.0F, 800.0F};
  request.visible = request.area;
  request.layers = 6;
  request.heads = 8;
  for (const float aspect : {0.01F, 0.5F, 1.0F, 2.0F, 100.0F}) {
    request.aspect = aspect;
    const GridLayout grid = LayOutGrid(request);
    const float shape = grid.cell_width / grid.cell_height;
    const float wanted = std::clamp(aspect, 0.5F, 2.0F);
    CHECK(shape <= wanted * 1.25F);
    CHECK(shape >= wanted / 1.25F);
  }
}

TEST_CASE("an encoder-decoder's window is whole at any size", "[ui][parts]") {
  struct Size {
    float width;
    float height;
    float scale;
  };
  const Size size = GENERATE(Size{1600, 1000, 1}, Size{1000, 700, 1}, Size{640, 480, 1});
  PanelDriver driver(size.width, size.height, size.scale);
  driver.app.ShowEncoderDecoder();
  driver.app.Do(ShowPart{ModelPart::kCross});
  driver.app.Do(ShowSheet{GENERATE(false, true)});
  driver.Frames(3);
  float area = 0.0F;
  for (const SceneRegion& region : driver.scene().regions) {
    CHECK(region.rect.x >= 0.0F);
    CHECK(region.rect.y >= 0.0F);
    CHECK(region.rect.x + region.rect.width <= size.width);
    CHECK(region.rect.y + region.rect.height <= size.height);
    area += region.rect.width * region.rect.height;
  }
  CHECK(area == Approx(size.width * size.height));
  CHECK(driver.layout().target_below == driver.layout().narrow);
}

}  // namespace
}  // namespace headscope::test
