#include <algorithm>

#include "app/state/compare/compared.h"
#include "app/state/files/export_draft.h"
#include "app/state/work_under_way.h"
#include "tests/support/catch.h"
#include "tests/unit/state/compare/compare_stub.h"
#include "tests/unit/state/state_driver.h"

namespace headscope::test {
namespace {

constexpr ScreenKind kCompares{.id = "compare", .compares = true};

const ComparedSide kBeta{.model = "/models/beta"};

struct CompareDriver : StateDriver {
  void Compare(const ComparedSide& other = kBeta, std::int64_t heads_b = 4) {
    ShowSomething();
    Do(SetScreen{&kCompares});
    Do(CompareWith{other});
    Event(state.compare.request, SidesCompared{StubPair(state, heads_b)});
    Event(state.compare.request, Finished{});
  }
  [[nodiscard]] const CompareJob* LastJob() const {
    const CompareJob* last = nullptr;
    for (const Effect& effect : effects) {
      const auto* submit = std::get_if<Submit>(&effect);
      const auto* job = submit != nullptr ? std::get_if<CompareJob>(&submit->request) : nullptr;
      last = job != nullptr ? job : last;
    }
    return last;
  }
};

}  // namespace

TEST_CASE("side B is run once it is chosen and its screen is open, once", "[state][compare]") {
  CompareDriver driver;
  driver.ShowSomething();
  driver.Do(CompareWith{kBeta});
  CHECK(driver.CountRequests<CompareJob>() == 0);  // another screen
  driver.Do(SetScreen{&kCompares});
  REQUIRE(driver.CountRequests<CompareJob>() == 1);
  CHECK(Busy(driver.state));
  CHECK(driver.LastJob()->layers.size() == 3);
  CHECK(driver.LastJob()->other == kBeta);
  CHECK(driver.LastJob()->name == "alpha");
  CHECK_FALSE(IsCompared(driver.state));
  driver.Event(driver.state.compare.request, SidesCompared{StubPair(driver.state)});
  driver.Event(driver.state.compare.request, Finished{});
  CHECK(IsCompared(driver.state));
  CHECK(driver.CountRequests<PairMapsJob>() == 1);
  driver.Event(driver.state.compare.maps.request, PairMapsReady{StubMaps(6)});
  driver.Event(driver.state.compare.maps.request, Finished{});
  CHECK_FALSE(Busy(driver.state));
  driver.Do(SetScreen{&kNoScreen});
  driver.Do(SetScreen{&kCompares});
  CHECK(driver.CountRequests<CompareJob>() == 1);

  SECTION("another text is compared anew, and what there is stays meanwhile") {
    driver.Do(EditText{"d e f"});
    CHECK_FALSE(IsCompared(driver.state));
    CHECK(driver.state.compare.result != nullptr);
    driver.Answer(5);
    CHECK(driver.CountRequests<CompareJob>() == 2);
  }
  SECTION("another model as side A lets the result go, and is compared with the same side B") {
    driver.Open("gamma", 2, 4);
    driver.Answer(6);
    CHECK(driver.state.compare.result == nullptr);
    CHECK(driver.CountRequests<CompareJob>() == 2);
  }
  SECTION("another head asks for its maps") {
    driver.Do(ClickHead{{1, 2}});
    CHECK(driver.CountRequests<PairMapsJob>() == 2);
  }
  SECTION("nothing as side B lets its model go") {
    driver.Do(CompareNothing);
    REQUIRE(driver.LastJob() != nullptr);
    CHECK(driver.LastJob()->layers.empty());
    CHECK(driver.state.compare.result == nullptr);
    CHECK_FALSE(driver.state.compare.other.has_value());
  }
}

TEST_CASE("on the Compare screen an export is of the comparison", "[state][compare][export]") {
  CompareDriver driver;
  driver.Compare();
  driver.Do(OpenPopup{Popup::kExport});
  ExportDraft draft = driver.state.dialogs.exporting;
  CHECK(draft.kind == FindFigureKind(FigureOf::kComparison));
  CHECK(draft.path == "/exports/alpha-beta-comparison.png");
  CHECK_FALSE(IsOfNumbers(draft));
  draft.path = PathAs(draft, ".json");
  CHECK(draft.path == "/exports/alpha-beta-comparison.json");
  draft.size = "7";  // which numbers do not have
  CHECK(IsOfNumbers(draft));
  CHECK(PathProblem(draft).empty());
  CHECK(CanExport(draft));
  draft.size = "1600";
  driver.Do(EditExport{draft});
  draft = driver.state.dialogs.exporting;
  draft.kind = FindFigureKind(FigureOf::kComparison, "pairs");
  driver.Do(EditExport{draft});
  CHECK(driver.state.dialogs.exporting.path == "/exports/alpha-beta-comparison-pairs.json");
  draft = driver.state.dialogs.exporting;
  draft.kind = FindFigureKind(FigureOf::kHead);  // which is a picture
  driver.Do(EditExport{draft});
  CHECK(driver.state.dialogs.exporting.path == "/exports/alpha-L0H0.png");

  SECTION("elsewhere it is of what is there") {
    driver.Do(ClosePopup);
    driver.Do(SetScreen{&kNoScreen});
    driver.Do(OpenPopup{Popup::kExport});
    CHECK(driver.state.dialogs.exporting.kind == FindFigureKind(FigureOf::kHead));
  }
}

TEST_CASE("what is paired by hand is exported as it is paired", "[state][compare][export]") {
  CompareDriver driver;
  driver.Compare();
  const Comparison matched = ComparisonAsShown(driver.state);
  CHECK(matched.notes.empty());
  CHECK(matched.layers[1].PairOf(0)->b == 3);
  driver.Do(PairByHand{{1, 0}, 2});
  const Comparison shown = ComparisonAsShown(driver.state);
  REQUIRE(shown.layers[1].PairOf(0) != nullptr);
  CHECK(shown.layers[1].PairOf(0)->b == 2);
  CHECK(shown.layers[1].PairOf(0)->divergence == 0.5);
  CHECK(shown.layers[1].PairOf(1)->b == 2);  // still the partner of the head it was matched with
  CHECK(shown.layers[0].PairOf(0)->b == 3);
  REQUIRE(shown.notes.size() == 1);
  CHECK(shown.notes[0] == "Paired by hand: L1H0 with L1H2.");

  SECTION("a head that had no partner finds its place among the others") {
    CompareDriver two;
    two.Compare(kBeta, 2);
    two.Do(PairByHand{{0, 3}, 1});
    two.Do(PairByHand{{0, 2}, 0});
    const Comparison other = ComparisonAsShown(two.state);
    const auto& pairs = other.layers[0].pairs;
    REQUIRE(pairs.size() == 4);
    CHECK(std::ranges::is_sorted(pairs, {}, &HeadPair::a));
    CHECK(pairs[3].b == 1);
  }
}

TEST_CASE("a comparison begins with two maps", "[state][compare]") {
  CompareDriver driver;
  driver.ShowSomething();
  driver.Do(ClickHead{{0, 3}});
  driver.Compare(kBeta, 2);  // head 3 has no partner among two
  CHECK(SelectedPair(driver.state).other.has_value());
  const HeadIndex head = driver.state.selection.head;
  CHECK(head == FurthestPairs(driver.state).front().head);
  driver.Do(ClickHead{{0, 3}});  // a person may still look at it
  CHECK_FALSE(SelectedPair(driver.state).other.has_value());
}

TEST_CASE("pairs are the matching's, and those made by hand where there are some",
          "[state][compare]") {
  CompareDriver driver;
  driver.Compare();
  const ComparedHeads matched = ComparedAt(driver.state, {1, 0});
  CHECK(matched.other == 3);
  CHECK(matched.divergence == 0.02);
  const auto furthest = FurthestPairs(driver.state);
  REQUIRE(furthest.size() == 12);
  CHECK(furthest.front().head == HeadIndex{2, 3});
  driver.Do(PairByHand{{1, 0}, 1});
  const ComparedHeads by_hand = ComparedAt(driver.state, {1, 0});
  CHECK(by_hand.by_hand);
  CHECK(by_hand.other == 1);
  CHECK(by_hand.divergence == 0.5);
  CHECK(FurthestPairs(driver.state).front().head == HeadIndex{1, 0});
  driver.Do(PairByHand{{1, 0}, 3});  // the matched one again
  CHECK_FALSE(ComparedAt(driver.state, {1, 0}).by_hand);
  driver.Do(PairByHand{{1, 0}, 7});  // no such head
  CHECK_FALSE(ComparedAt(driver.state, {1, 0}).by_hand);
  driver.Do(PairByHand{{1, 0}, 2});
  driver.Do(ResetPairs);
  CHECK(ComparedAt(driver.state, {1, 0}).other == 3);
}

TEST_CASE("a head without a partner has none, and can be given one", "[state][compare]") {
  CompareDriver driver;
  driver.Compare(kBeta, 2);
  CHECK_FALSE(ComparedAt(driver.state, {0, 3}).other.has_value());
  CHECK(FurthestPairs(driver.state).size() == 6);
  driver.Do(PairByHand{{0, 3}, 1});
  CHECK(ComparedAt(driver.state, {0, 3}).other == 1);
  CHECK(ComparedAt(driver.state, {7, 0}).layer == nullptr);
}

TEST_CASE("what side B cannot do is told once; a cancelled one is not begun again",
          "[state][compare]") {
  CompareDriver driver;
  driver.ShowSomething();
  driver.Do(SetScreen{&kCompares});
  driver.Do(CompareWith{kBeta});
  SECTION("refused") {
    driver.Event(driver.state.compare.request, Failed{{ErrorCode::kInput, "no such model"}});
    CHECK(driver.state.compare.fault == "no such model");
  }
  SECTION("cancelled") {
    driver.Do(CancelWork);
    CHECK(driver.Count<Cancel>() == 1);
    driver.Event(driver.state.compare.request, Failed{{ErrorCode::kCancelled, "stopped"}});
    CHECK_FALSE(driver.state.compare.fault.empty());
  }
  driver.Do(SetTheme{Theme::kLight});
  CHECK(driver.CountRequests<CompareJob>() == 1);
  CHECK_FALSE(Busy(driver.state));
  driver.Do(CompareWith{kBeta});  // chosen again
  CHECK(driver.CountRequests<CompareJob>() == 2);
}

TEST_CASE("a new text that stops a comparison has one of its own", "[state][compare]") {
  CompareDriver driver;
  driver.ShowSomething();
  driver.Do(SetScreen{&kCompares});
  driver.Do(CompareWith{kBeta});
  const RequestId before = driver.state.compare.request;
  driver.Do(EditText{"d e f"});
  driver.Event(before, Failed{{ErrorCode::kCancelled, "replaced"}});
  CHECK(driver.state.compare.fault.empty());
  driver.Answer(5);
  CHECK(driver.CountRequests<CompareJob>() == 2);
}

TEST_CASE("sides are swapped: texts of one model, or the models", "[state][compare]") {
  CompareDriver driver;
  InputText other;
  other.text = "a b d";
  SECTION("two sentences") {
    driver.Compare({.model = {}, .input = other});
    driver.Do(SwapSides);
    CHECK(driver.state.input.text == "a b d");
    REQUIRE(driver.state.compare.other->input.has_value());
    CHECK(driver.state.compare.other->input->text == "a b c");
    driver.Answer(6);
    CHECK(driver.CountRequests<CompareJob>() == 2);
  }
  SECTION("a cut of side A's own layer stays where it is") {
    ComparedSide cut;
    cut.cut_heads = 2;
    cut.cut_layer = 1;
    driver.Compare(cut);
    CHECK(NameOfB(driver.state) == "L1 cut into 2 heads");
    driver.Do(SwapSides);
    CHECK(driver.state.compare.other == cut);
    CHECK(driver.state.opening_folder.empty());
  }
  SECTION("two models") {
    driver.Compare();
    driver.Do(SwapSides);
    CHECK(driver.state.opening_folder == "/models/beta");
    CHECK(driver.state.compare.other->model == "/models/alpha");
    CHECK(driver.state.input.text == "a b c");
  }
}

TEST_CASE("the text of side B is its own once it is edited", "[state][compare]") {
  CompareDriver driver;
  driver.Compare({.model = {}, .input = InputText{}});
  driver.Do(EditOther{"x y z"});
  CHECK(driver.LastJob()->other.input->text == "x y z");
  CHECK(driver.state.input.text == "a b c");
}

TEST_CASE("the pointer is on both sides, a click holds it, Escape lets go", "[state][compare]") {
  CompareDriver driver;
  driver.Compare();
  driver.Do(PointPlace{MapPoint{.query = 4, .key = 2}});
  CHECK(driver.state.compare.point == MapPoint{.query = 4, .key = 2});
  CHECK(driver.state.selection.row == 4);  // on other screens, too
  driver.Do(PointPlace{});
  CHECK_FALSE(driver.state.compare.point.has_value());
  driver.Do(ClickPlace{MapPoint{.query = 3, .key = 1}});
  driver.Do(PointPlace{MapPoint{.query = 5, .key = 1}});
  CHECK(driver.state.compare.point->query == 3);
  driver.Do(Escape);
  CHECK_FALSE(driver.state.compare.point.has_value());
  driver.Do(PointPlace{MapPoint{.query = 9, .key = 1}});  // past the end
  CHECK_FALSE(driver.state.compare.point.has_value());
}

TEST_CASE("three comparisons are offered, each of what is open", "[state][compare]") {
  CompareDriver driver;
  CHECK(OffersOf(driver.state).empty());
  LibraryFound library;
  library.bundled = {{"copy-h1", "/models/copy-h1"},
                     {"copy-h4", "/models/copy-h4", "", {0, 100, 400}},
                     {"copy-h8", "/models/copy-h8"}};
  driver.Do(library);
  driver.Open("copy-h4", 3, 4);
  driver.Do(EditText{"the old sailor told a story"});
  driver.Answer(6);
  const auto offers = OffersOf(driver.state);
  REQUIRE(offers.size() == 3);
  CHECK(offers[0].other.model == "/models/copy-h1");
  REQUIRE(offers[1].other.input.has_value());
  CHECK(offers[1].other.input->text == "the old story told a story");
  CHECK(offers[1].other.model.empty());
  CHECK(offers[2].other.model == "/models/copy-h4/step-100");
  driver.Do(EditText{"a b c"});  // no word to exchange
  driver.Answer(3);
  CHECK(OffersOf(driver.state).size() == 2);
}

TEST_CASE("a model without a family is offered beside its own layer's cut and another model",
          "[state][compare]") {
  CompareDriver driver;
  LibraryFound library;
  library.bundled = {
      {"copy-h4", "/models/copy-h4"}, {"english", "/models/english"}, {"gpt-h8", "/models/gpt-h8"}};
  driver.Do(library);
  driver.Open("english", 3, 4);
  driver.Do(
      EditText{"The old captain gave the girl a map of the island, and the girl gave it away."});
  driver.Answer(17);
  driver.Do(ClickHead{{1, 0}});
  const auto offers = OffersOf(driver.state);
  REQUIRE(offers.size() == 3);
  // Words that stand alike: "the girl", "the island".
  CHECK(offers[0].title == "“island” in place of “girl”");
  REQUIRE(offers[0].other.input.has_value());
  CHECK(offers[0].other.input->text ==
        "The old captain gave the island a map of the island, and the girl gave it away.");
  CHECK(offers[1].title == "L1 with 2 heads in place of 4");
  CHECK(offers[1].other.cut_heads == 2);
  CHECK(offers[1].other.cut_layer == 1);
  CHECK(offers[2].other.model == "/models/gpt-h8");
  driver.Open("a-model", 3, 4);
  driver.Answer(17);
  CHECK(OffersOf(driver.state).back().other.model == "/models/english");
}

TEST_CASE("of long texts a finer part is made of what the zoom shows", "[state][compare]") {
  CompareDriver driver;
  const std::int64_t tokens = 2 * kMostPairSide + 100;
  driver.ShowSomething(tokens);
  driver.Do(SetScreen{&kCompares});
  driver.Do(CompareWith{kBeta});
  driver.Event(driver.state.compare.request, SidesCompared{StubPair(driver.state)});
  driver.Event(driver.state.compare.request, Finished{});
  driver.Do(MapDrawn{{.width = 400.0, .height = 400.0}});
  REQUIRE(driver.CountRequests<PairMapsJob>() == 1);
  PairMaps whole = *StubMaps(700);
  whole.places = 3;
  const auto answer = [&driver](const PairMaps& maps) {
    const RequestId id = driver.state.compare.maps.request;
    driver.Event(id, PairMapsReady{std::make_shared<const PairMaps>(maps)});
    driver.Event(id, Finished{});
  };
  const auto last = [&driver] {
    for (auto at = driver.effects.rbegin();; ++at) {
      if (const auto* submit = std::get_if<Submit>(&*at);
          submit != nullptr && std::holds_alternative<PairMapsJob>(submit->request)) {
        return std::get<PairMapsJob>(submit->request);
      }
    }
  };
  answer(whole);
  CHECK(driver.CountRequests<PairMapsJob>() == 1);  // the whole is as fine as the screen
  CHECK(MapsInView(driver.state)->places == 3);
  driver.Do(ZoomMap{8.0, 0.5, 0.5});
  REQUIRE(driver.CountRequests<PairMapsJob>() == 2);
  const std::optional<PairPart> part = last().part;
  REQUIRE(part.has_value());
  CHECK(part->last_row - part->first_row == kMostPairSide);
  CHECK((part->first_row < tokens / 2 - tokens / 16 && part->last_row > tokens / 2 + tokens / 16));
  CHECK(MapsInView(driver.state)->places == 3);  // until the part is there
  PairMaps finer = *StubMaps(kMostPairSide);
  finer.of = *part;
  answer(finer);
  CHECK(driver.CountRequests<PairMapsJob>() == 2);
  CHECK(MapsInView(driver.state)->of == *part);
  driver.Do(PanMap{0.01, 0.01});
  CHECK(driver.CountRequests<PairMapsJob>() == 2);
  driver.Do(PanMap{2.0, 2.0});
  CHECK(driver.CountRequests<PairMapsJob>() == 3);
  CHECK(MapsInView(driver.state)->places == 3);
  driver.Do(ResetZoom);
  CHECK(MapsInView(driver.state)->places == 3);

  SECTION("another head has its whole maps first") {
    driver.Do(ZoomMap{8.0, 0.5, 0.5});
    driver.Do(ClickHead{{1, 2}});
    CHECK_FALSE(last().part.has_value());
    answer(whole);
    CHECK(last().part.has_value());
    CHECK(last().a == 2);
  }
}

}  // namespace headscope::test
