// The Counts screen on a layer with distinct weights: the tree, its toolbar, two maps side by side.
#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "app/state/counts/head_tree.h"
#include "app/views/counts/layout.h"
#include "app/views/screens.h"
#include "tests/support/catch.h"
#include "tests/support/cut_layer.h"
#include "tests/ui/screens/tree_driver.h"

namespace headscope::test {

TEST_CASE("however many heads, each has a place of its own that can be hit", "[ui][counts]") {
  const std::vector<CountsRowWish> counts = {
      {.heads = 1}, {.heads = 2}, {.heads = 12}, {.heads = 64}, {.heads = 768}};
  for (const float width : {300.0F, 760.0F, 936.0F, 1800.0F}) {
    for (const float scale : {1.0F, 2.0F}) {
      const CountsLayout layout = LayOutCounts(counts, width * scale, scale);
      CAPTURE(width, scale);
      float below = 0.0F;
      for (std::size_t at = 0; at < layout.rows.size(); ++at) {
        const CountsRow& row = layout.rows[at];
        CHECK(row.y >= below);
        below = row.y + row.height;
        for (std::int64_t head = 0; head < row.heads; ++head) {
          const Rect cell = row.Cell(head, layout.left);
          CHECK(cell.width >= 14.0F * scale);
          CHECK(cell.x >= layout.left);
          CHECK(cell.x + cell.width <= width * scale);
          const auto hit = layout.At(cell.x + cell.width / 2.0F, cell.y + cell.height / 2.0F);
          REQUIRE(hit);
          CHECK(hit->row == at);
          CHECK(hit->head == head);
        }
      }
      CHECK(layout.content_height >= below);
    }
  }
}

TEST_CASE("children stand under their parent, centred", "[ui][counts]") {
  TreeDriver driver;
  driver.ShowTree();
  REQUIRE(driver.region(Panel::kMiddle).maps.size() == 15);
  const auto under = [&driver](std::size_t parent, std::size_t first, std::size_t last) {
    const float middle =
        (TreeDriver::MiddleOf(driver.Map(first)) + TreeDriver::MiddleOf(driver.Map(last))) / 2.0F;
    CHECK(std::abs(middle - TreeDriver::MiddleOf(driver.Map(parent))) <= 1.0F);
    CHECK(driver.Map(first).y > driver.Map(parent).y + driver.Map(parent).height);
  };
  under(0, 1, 2);
  under(1, 3, 4);
  under(2, 5, 6);
  under(3, 7, 8);
  under(6, 13, 14);
  CHECK(driver.Says("trained"));
}

TEST_CASE("strided children stand beside their siblings", "[ui][counts]") {
  TreeDriver driver;
  driver.ShowTree({.head_counts = {1, 2, 4}, .segments = SegmentKind::kStrided});
  // Heads 0 and 2 of four are under head 0 of two.
  const float middle =
      (TreeDriver::MiddleOf(driver.Map(3)) + TreeDriver::MiddleOf(driver.Map(5))) / 2.0F;
  CHECK(std::abs(middle - TreeDriver::MiddleOf(driver.Map(1))) <= 1.0F);
}

TEST_CASE("a click on a map selects it, and it stands beside its parent", "[ui][counts]") {
  TreeDriver driver;
  driver.ShowTree();
  const Rect map = driver.Map(8);  // head 1 of eight
  driver.Click(map.x + 5.0F, map.y + 5.0F);
  CHECK(driver.state().counts.chosen == CountHead{8, 1});
  driver.AnswerLineage();
  driver.Frames(2);
  CHECK(driver.region(Panel::kDetail).maps.size() == 3);  // beside, own, difference
  CHECK(driver.region(Panel::kDetail).maps.back().scale.colormap == Colormap::kDiverging);
  CHECK(driver.Says("beside its parent"));
  CHECK(driver.Says("h = 4, head 0"));
  CHECK(driver.Says("h = 8, head 1"));
  CHECK(driver.Tells("0.750 in this head, 0.250 in"));
  CHECK(driver.Tells("mean divergence 0.500 of"));
  CHECK(driver.Tells("largest difference over 21 cells"));
  CHECK(driver.Says("Which head differs most from its parent?"));
}

TEST_CASE("pointing at a cell of one map points at it everywhere", "[ui][counts]") {
  TreeDriver driver;
  driver.ShowTree();
  const Rect map = driver.Map(1);
  const float cell = map.width / 6.0F;
  driver.MoveTo(map.x + 1.5F * cell, map.y + 4.5F * cell);
  CHECK(driver.state().selection.point == MapPoint{.query = 4, .key = 1});
  driver.Frames(3);
  CHECK(driver.state().selection.point == MapPoint{.query = 4, .key = 1});
  CHECK(driver.last_actions() == 0);
  CHECK(driver.Tells("“w4” (4) looks at “w1” (1)"));  // the cell that is checked
  // The right map, too; a click there holds it.
  const Rect own = driver.region(Panel::kDetail).maps.at(1).target;
  driver.Click(own.x + own.width * 0.25F, own.y + own.height * 0.95F);
  CHECK(driver.state().selection.point == MapPoint{.query = 5, .key = 1});
  CHECK(driver.state().selection.point_locked);
  driver.MoveTo(map.x + 1.5F * cell, map.y + 4.5F * cell);
  CHECK(driver.state().selection.point == MapPoint{.query = 5, .key = 1});
  driver.Press(Key::kEscape);
  driver.MoveTo(2.0F, 500.0F);
  CHECK_FALSE(driver.state().selection.point);
}

TEST_CASE("the sum at a cell is the children's dot products", "[ui][counts]") {
  TreeDriver driver;
  driver.ShowTree();
  driver.app.Do(SelectCount{2, 1});
  driver.AnswerLineage();
  driver.app.Do(ClickCell{{.query = 3, .key = 2}});
  driver.Frames(3);
  const auto& counts = driver.state().counts.result->counts;
  const double one = counts[1].attention->DotProduct(0, 3, 2);
  const double two = counts[1].attention->DotProduct(1, 3, 2);
  const auto number = [](double value) {
    return (value < 0.0 ? "−" : "") + fmt::format("{:.4f}", std::abs(value));
  };
  CHECK(driver.Says(number(one)));
  CHECK(driver.Says(number(two)));
  CHECK(driver.Says(number(counts[0].attention->DotProduct(0, 3, 2))));
  CHECK(std::abs(one + two - counts[0].attention->DotProduct(0, 3, 2)) < 1e-12);
}

TEST_CASE("the difference is the right map less the left one, white where both are equal",
          "[ui][counts]") {
  TreeDriver driver;
  driver.ShowTree();
  const TreeMemory& memory = driver.memory().tree;
  REQUIRE(memory.difference != nullptr);
  const MapView own = memory.one;
  const MapView parent = memory.two;
  CHECK(own == MapOf(driver.state(), {2, 0}));
  CHECK(parent == MapOf(driver.state(), {1, 0}));
  REQUIRE(memory.difference->values.size() == 36);
  double largest = 0.0;
  for (std::size_t cell = 0; cell < 36; ++cell) {
    const float value = memory.difference->values[cell];
    const float mine = own.thumbnail().mean[cell];
    if (mine < 0.0F) {
      CHECK(value == kMasked);
      continue;
    }
    const double difference =
        static_cast<double>(mine) - static_cast<double>(parent.thumbnail().mean[cell]);
    largest = std::max(largest, std::abs(difference));
    CHECK(std::abs(static_cast<double>(value) - (0.5 + 0.5 * difference / memory.largest)) < 1e-6);
  }
  CHECK(std::abs(largest - memory.largest) < 1e-7);
  CHECK(memory.difference->values[0] == 0.5F);  // the first row sees one key in both
}

TEST_CASE("any map can be pinned to compare others with, and let go", "[ui][counts]") {
  TreeDriver driver;
  driver.ShowTree();
  driver.app.Do(PinCount{CountHead{8, 7}});
  driver.AnswerLineage();
  driver.Frames(3);
  CHECK(driver.Says("beside h = 8, head 7"));
  CHECK(driver.Says("back to its parent"));
  CHECK_FALSE(driver.Says("Check"));  // nothing adds up between any two
  CHECK(driver.memory().tree.two == MapOf(driver.state(), {3, 7}));
  driver.app.Do(PinCount{std::nullopt});
  driver.Frames(3);
  CHECK(driver.Says("beside its parent"));
}

TEST_CASE("a head without a parent stands in full, with the sum of its children", "[ui][counts]") {
  TreeDriver driver;
  driver.ShowTree();
  driver.app.Do(SelectCount{1, 0});
  driver.AnswerLineage();
  driver.Frames(3);
  CHECK(driver.region(Panel::kDetail).maps.size() == 1);
  CHECK(driver.Tells("Point at a cell: the dot products"));
  CHECK(driver.Tells("largest difference over 21 cells"));
  driver.app.Do(ClickCell{{.query = 3, .key = 2}});
  driver.Frames(3);
  CHECK(driver.Tells("Dot products q·k of h = 2 where “w3” (3) looks at “w2” (2):"));
}

TEST_CASE("a click on a head of the list shows it, and the order is turned by its button",
          "[ui][counts]") {
  TreeDriver driver(1600.0F, 1400.0F);
  driver.ShowTree();
  CHECK(driver.Tells("largest first"));
  driver.app.Do(SortSeparated{true});
  driver.Frames(3);
  CHECK(driver.Tells("in their order"));
  CHECK(SeparatedHeads(driver.state()).front().head == 1);
  // Every place of the panel's lower half is pressed: all four heads come up.
  std::vector<std::int64_t> shown;
  const Rect panel = driver.region(Panel::kDetail).rect;
  for (float y = panel.y + panel.height * 0.55F; y < panel.y + panel.height; y += 12.0F) {
    for (float x = panel.x + 40.0F; x < panel.x + panel.width; x += 165.0F) {
      driver.Click(x, y);
      if (driver.state().counts.chosen && driver.state().counts.chosen->heads == 4) {
        shown.push_back(driver.state().counts.chosen->head);
      }
    }
  }
  for (const std::int64_t head : {0, 1, 2, 3}) {
    CHECK(std::ranges::count(shown, head) > 0);
  }
}

TEST_CASE("in full the selected map has its tokens and numbers", "[ui][counts]") {
  TreeDriver driver;
  driver.ShowTree();
  driver.app.Do(ShowInFull{true});
  driver.Frames(3);
  CHECK(driver.region(Panel::kDetail).maps.size() == 1);
  CHECK(driver.Says("w5"));
}

TEST_CASE("random columns are redrawn by a key, and have no parents", "[ui][counts]") {
  TreeDriver driver;
  driver.ShowTree();
  driver.Type("n");  // nothing is drawn, so nothing changes
  CHECK(driver.state().tree.how.seed == 1);
  driver.app.Do(CutAs{{.head_counts = {}, .segments = SegmentKind::kRandom}});
  driver.AnswerCut({.head_counts = {1, 2, 4, 8}, .segments = SegmentKind::kRandom});
  CHECK(driver.Says("seed 1 ↻"));
  CHECK(driver.Tells("no parents, and no sum"));
  driver.app.Do(OpenPopup{Popup::kColumns});
  driver.Frames(4);
  CHECK(driver.Says("K = D/h"));
  driver.app.Do(ClosePopup);
  driver.Frames(3);
  const int asked = driver.app.CountRequests<SplitJob>();
  driver.Type("n");
  CHECK(driver.state().tree.how.seed == 2);
  CHECK(driver.app.CountRequests<SplitJob>() == asked + 1);
  CHECK(driver.Says("seed 2 ↻"));
}

TEST_CASE(
    "under equal weights the scales of the input stand beside each other, and a click takes one",
    "[ui][counts]") {
  TreeDriver driver(1600.0F, 1400.0F);
  driver.ShowTree({.head_counts = {1, 2, 4}});
  CHECK_FALSE(driver.Says("largest weight"));
  driver.app.Do(CutAs{{.head_counts = {}, .weights = SplitWeights::kOnes}});
  SplitResult equal = CutDistinct(6, {.head_counts = {1, 2, 4}, .weights = SplitWeights::kOnes});
  for (const double scale : {1.0, 0.1, 0.01}) {
    equal.scales.push_back({scale, {{1, 0.117 * scale, 0.9}, {2, 0.0, 0.8 * scale}}});
  }
  driver.app.Event(driver.state().counts.request,
                   SplitReady{std::make_shared<const SplitResult>(std::move(equal))});
  driver.app.Event(driver.state().counts.request, Finished{});
  driver.Frames(3);
  CHECK(driver.Says("largest weight"));
  CHECK(driver.Says("× 0.01"));
  CHECK(driver.Says("0.12 %, h = 1"));
  CHECK_FALSE(driver.Tells("0.000"));
  // Every place of the panel is pressed: a scale comes up, and its text in the field.
  std::vector<double> scales;
  const Rect panel = driver.region(Panel::kDetail).rect;
  for (float y = panel.y + panel.height * 0.4F; y < panel.y + panel.height; y += 9.0F) {
    driver.Click(panel.x + 60.0F, y);
    scales.push_back(driver.state().tree.how.input_scale);
  }
  CHECK(std::ranges::count(scales, 0.01) > 0);
  CHECK(std::ranges::count(scales, 0.1) > 0);
}

TEST_CASE("step 0 is offered where the model has one", "[ui][counts]") {
  TreeDriver driver;
  driver.ShowTree();
  driver.app.Do(OpenPopup{Popup::kWeights});
  driver.Frames(4);
  CHECK_FALSE(driver.Says("untrained"));
  CHECK(driver.Says("random"));
  auto begun = std::make_shared<ModelInfo>(*driver.state().model);
  begun->step_zero = "/models/alpha/step-0";
  driver.app.state.model = begun;
  driver.Frames(3);
  CHECK(driver.Says("untrained"));
}

TEST_CASE("maps of long texts beside each other are the largest weights, as in the tree",
          "[ui][counts]") {
  TreeDriver driver;
  driver.app.ShowSomething(300);
  driver.app.Do(SetScreen{&ScreenNamed("counts").kind});
  driver.app.Event(driver.state().counts.request,
                   SplitReady{std::make_shared<const SplitResult>(
                       CutDistinct(300, {.head_counts = {1, 2, 4}}))});
  driver.app.Event(driver.state().counts.request, Finished{});
  driver.AnswerLineage();
  driver.Frames(3);
  REQUIRE(driver.memory().tree.difference != nullptr);
  const MapView own = driver.memory().tree.one;
  const MapView other = driver.memory().tree.two;
  REQUIRE(own.thumbnail().pooled);
  double largest = 0.0;
  for (std::size_t cell = 0; cell < own.thumbnail().max.size(); ++cell) {
    const float mine = own.thumbnail().max[cell];
    if (mine >= 0.0F) {
      largest = std::max(
          largest,
          std::abs(static_cast<double>(mine) - static_cast<double>(other.thumbnail().max[cell])));
    }
  }
  CHECK(std::abs(driver.memory().tree.largest - largest) < 1e-7);
  CHECK(driver.Tells("right − left, of the largest weights"));
  CHECK(driver.Tells("Pooled: a cell is the largest of up to 4 × 4 weights."));
}

TEST_CASE("columns, weights and input are chosen by a click", "[ui][counts]") {
  TreeDriver driver;
  driver.ShowTree();
  // Every place of each menu is pressed: each choice comes up, and none does anything else.
  std::vector<SegmentKind> kinds;
  std::vector<SplitWeights> weights;
  std::vector<SplitInput> inputs;
  for (const Popup popup : {Popup::kColumns, Popup::kWeights, Popup::kInput}) {
    for (float y = 10.0F; y < 400.0F; y += 15.0F) {
      driver.app.Do(CutAs{{}});
      driver.app.Do(OpenPopup{popup});
      driver.Frames(3);
      driver.Click(120.0F, y);
      const SplitRequest& how = driver.state().tree.how;
      kinds.push_back(how.segments);
      weights.push_back(how.weights);
      inputs.push_back(how.input.value_or(SplitInput::kLayer));
      CHECK((how.segments == SegmentKind::kContiguous || popup == Popup::kColumns));
      CHECK((how.weights == SplitWeights::kTrained || popup == Popup::kWeights));
      CHECK((!how.input || popup == Popup::kInput));
      driver.memory().fields.Leave();
      driver.app.Do(ClosePopup);
      driver.Frames(2);
    }
  }
  for (const SegmentKind kind :
       {SegmentKind::kStrided, SegmentKind::kRandom, SegmentKind::kOverlapping}) {
    CHECK(std::ranges::count(kinds, kind) > 0);
  }
  CHECK(std::ranges::count(weights, SplitWeights::kRandom) > 0);
  CHECK(std::ranges::count(weights, SplitWeights::kOnes) > 0);
  CHECK(std::ranges::count(inputs, SplitInput::kNormal) > 0);
}

TEST_CASE("head counts that do not divide say how the columns are shared", "[ui][counts]") {
  TreeDriver driver;
  driver.ShowTree({.head_counts = {1, 2, 3, 4}});
  CHECK(driver.Tells("16 columns for 3 heads: 1 has 6, 2 have 5"));
  CHECK(driver.Tells("its heads stand under h = 1"));
}

TEST_CASE("rows that are still to come have their place", "[ui][counts]") {
  TreeDriver driver;
  driver.app.ShowSomething(6);
  driver.app.Do(SetScreen{&ScreenNamed("counts").kind});
  SplitResult part = CutDistinct(6, {.head_counts = {1, 2, 4, 8}});
  part.counts.resize(2);
  driver.app.Event(driver.state().counts.request,
                   SplitReady{std::make_shared<const SplitResult>(part)});
  driver.Frames(3);
  CHECK(driver.region(Panel::kMiddle).maps.size() == 3);
  CHECK(driver.Says("h = 8"));
  const float first = driver.Map(0).y;
  driver.app.Event(driver.state().counts.request,
                   SplitReady{std::make_shared<const SplitResult>(
                       CutDistinct(6, {.head_counts = {1, 2, 4, 8}}))});
  driver.Frames(3);
  CHECK(driver.region(Panel::kMiddle).maps.size() == 15);
  CHECK(driver.Map(0).y == first);
}

TEST_CASE("the screen of head counts stands in windows of any size", "[ui][counts]") {
  for (const auto& [width, height] : {std::pair(1000.0F, 700.0F),
                                      std::pair(420.0F, 300.0F),
                                      std::pair(120.0F, 80.0F),
                                      std::pair(3000.0F, 2000.0F)}) {
    for (const bool is_open : {false, true}) {
      TreeDriver driver(width, height);
      driver.ShowTree({.head_counts = {1, 2, 3, 4, 8, 16}});
      driver.app.Do(ShowSheet{is_open});
      driver.MoveTo(width / 2.0F, height / 2.0F);
      driver.Frames(2);
      CHECK(driver.state().screen->id == "counts");
    }
  }
}

TEST_CASE("the toolbar is one row, and every choice in it is in reach", "[ui][counts]") {
  const auto [width, height, sheet] = GENERATE(table<float, float, bool>(
      {{1800.0F, 1000.0F, false}, {1150.0F, 700.0F, false}, {1000.0F, 700.0F, true}}));
  TreeDriver driver(width, height);
  driver.ShowTree();
  driver.app.Do(ShowSheet{sheet});
  driver.Frames(3);
  const Rect bar = driver.region(Panel::kToolbar).rect;
  CAPTURE(width, sheet);
  // Names are wider here than in a real font: there all stand in one row at 1,000 pixels.
  CHECK((sheet || bar.height < 60.0F));
  std::set<Popup> opened;
  for (float y = bar.y + 20.0F; y < bar.y + bar.height; y += 12.0F) {
    for (float x = bar.x + 10.0F; x < bar.x + bar.width; x += 12.0F) {
      driver.Click(x, y);
      opened.insert(driver.state().dialogs.popup);
      driver.app.Do(ClosePopup);
      driver.app.Do(ShowWalk{false});
      driver.Frames(2);
    }
  }
  for (const Popup popup : {Popup::kLayer,
                            Popup::kColumns,
                            Popup::kWeights,
                            Popup::kInput,
                            Popup::kTryCounts,
                            Popup::kRange,
                            Popup::kColour}) {
    CHECK(opened.contains(popup));
  }
}

TEST_CASE("in a window too small for it no map is drawn inside out", "[ui][counts]") {
  TreeDriver driver(97.0F, 61.0F);
  driver.ShowTree();
  driver.app.Do(ShowSheet{true});
  driver.Frames(3);
  for (const Panel panel : {Panel::kMiddle, Panel::kDetail}) {
    for (const MapPlacement& map : driver.region(panel).maps) {
      CHECK(map.target.width >= 0.0F);
      CHECK(map.target.height >= 0.0F);
    }
  }
}

TEST_CASE("a row of many heads has maps that can be pointed at", "[ui][counts]") {
  for (const float width : {1000.0F, 1600.0F}) {
    TreeDriver driver(width, 1000.0F);
    driver.ShowTree({.head_counts = {1, 16}});
    for (const MapPlacement& map : driver.region(Panel::kMiddle).maps) {
      CHECK(map.target.width >= 14.0F);
    }
    const Rect last = driver.Map(16);
    driver.Click(last.x + last.width / 2.0F, last.y + last.height / 2.0F);
    CHECK(driver.state().counts.chosen == CountHead{16, 15});
  }
}

TEST_CASE("other widths are typed, and what they change is counted", "[ui][counts][widths]") {
  TreeDriver driver;
  driver.ShowTree();
  CHECK_FALSE(driver.Tells("Other widths"));  // a model whose projections are not known
  // 4 heads of 2 columns over 8: four matrices of 8 by 8, one of them with a bias.
  auto model = std::make_shared<ModelInfo>(*driver.state().shown.model);
  const auto matrix = [](std::int64_t rows, std::int64_t cols) {
    LinearNeed need;
    need.in = cols;
    need.matrices.push_back({.weight = {.name = "w", .shape = {rows, cols}}, .bias = {}});
    return need;
  };
  LayerDescription layer;
  layer.query_key_value = matrix(24, 8);
  layer.output = matrix(8, 8);
  layer.output.matrices.front().bias = TensorNeed{.name = "b", .shape = {8}};
  model->description.layer.assign(3, layer);
  model->description.kv_heads = 4;
  model->description.value_dim = 2;
  driver.app.state.counts.source_of.model = model;
  driver.Frames(2);
  CHECK(driver.Tells("Other widths, with h = 4"));
  CHECK(driver.Tells("264"));  // 4 * 64 + 8
  CHECK(driver.Tells("W_O is square here"));
  driver.app.Do(EditCut{CutField::kOtherHeadDim, "3"});
  driver.app.Do(EditCut{CutField::kOtherValueDim, "5"});
  driver.Frames(2);
  const auto widths = OtherWidthsOf(driver.state());
  REQUIRE(widths.has_value());
  CHECK(widths->other_costs.parameters == 8 * (12 + 12 + 20 + 20) + 8);
  CHECK(widths->other_costs.map_bytes == widths->own_costs.map_bytes);
  CHECK(driver.Tells("[20, 8]"));
  CHECK(driver.Tells("520"));
  CHECK(driver.Tells("not square"));
  CHECK(driver.Tells("the same"));
  for (const char* wrong : {"0", "x", "-1", "2 3", "70000"}) {
    driver.app.Do(EditCut{CutField::kOtherValueDim, wrong});
    CHECK_FALSE(OtherWidthsOf(driver.state())->fault.empty());
    CHECK(OtherWidthsOf(driver.state())->other.value_dim == 2);
  }
  driver.Frames(2);
  CHECK(driver.Tells("Write dᵥ as a whole number from 1 to"));
  driver.app.Do(EditCut{CutField::kOtherValueDim, ""});
  CHECK(OtherWidthsOf(driver.state())->other.value_dim == 2);
}

}  // namespace headscope::test
