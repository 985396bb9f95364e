// Heads taken away in Inspect: what is asked, what is shown in place of the picture's layers, and the
// way back.
#include "app/state/inspect/heads_off.h"

#include <cmath>

#include "app/state/inspect/loss_words.h"
#include "tests/support/attention_fixture.h"
#include "tests/support/catch.h"
#include "tests/support/next_word.h"
#include "tests/unit/state/state_driver.h"

namespace headscope::test {
namespace {

constexpr ScreenKind kWithMaps{.id = "inspect", .looks_at_tokens = true};

std::shared_ptr<const LayerAttention> AnotherLayer(std::int64_t layer, std::int64_t tokens = 6) {
  return MakeEven(
      {.id = {ModelPart::kWhole, layer}, .heads = 4, .queries = tokens, .keys = tokens});
}

TextSaid Losses(double whole, double without) {
  NamedLosses a;
  a.losses.loss = whole;
  NamedLosses b;
  b.losses.loss = without;
  return {.whole = std::make_shared<const NamedLosses>(a),
          .without = std::make_shared<const NamedLosses>(b)};
}

void ShowMaps(StateDriver* driver) {
  driver->ShowSomething(6);
  driver->Do(SetScreen{&kWithMaps});
  driver->effects.clear();
}

// L0H3 off, and all that comes of it.
void AnswerOff(StateDriver* driver) {
  const RequestId id = driver->state.heads_off.request;
  driver->Event(id, LayerReady{AnotherLayer(1)});
  driver->Event(id, LayerReady{AnotherLayer(2)});
  driver->Event(id, Losses(1.09, 2.74));
  driver->Event(id, Finished{});
}

TEST_CASE("a head that is off changes later layers, one by one", "[state][heads off]") {
  StateDriver driver;
  ShowMaps(&driver);
  const auto whole = driver.state.shown.layers;
  driver.Do(SwitchHead{{0, 3}});
  REQUIRE(driver.CountRequests<HeadsOffJob>() == 1);
  CHECK(driver.LastRequest<HeadsOffJob>()->off == HeadsOff{{{0, 3}}, Replacement::kZero});
  CHECK(IsHeadOff(driver.state, {0, 3}));
  CHECK(HeadsOffTitle(driver.state) == "1 head off: L0H3 (zero)");
  CHECK(HeadsOffCost(driver.state) == "computing the layers after it…");
  CHECK(AwaitsLayerWithout(driver.state, {ModelPart::kWhole, 1}));
  CHECK_FALSE(AwaitsLayerWithout(driver.state, {ModelPart::kWhole, 0}));
  const auto other = AnotherLayer(1);
  driver.Event(driver.state.heads_off.request, LayerReady{other});
  CHECK(LayerAt(driver.state, 0).layer == whole[0]);
  CHECK(LayerAt(driver.state, 1).layer == other);
  CHECK(LayerAt(driver.state, 2).layer == whole[2]);
  CHECK(AwaitsLayerWithout(driver.state, {ModelPart::kWhole, 2}));
  CHECK_FALSE(IsHeadsOffDone(driver.state));
  driver.Event(driver.state.heads_off.request, LayerReady{AnotherLayer(2)});
  driver.Event(driver.state.heads_off.request, Losses(1.09, 2.74));
  driver.Event(driver.state.heads_off.request, Finished{});
  CHECK(IsHeadsOffDone(driver.state));
  CHECK(HeadsOffCost(driver.state) == "loss 1.09 → 2.74");
  CHECK(driver.state.shown.layers == whole);  // beside it, not in its place
  CHECK(driver.CountRequests<HeadsOffJob>() == 1);

  SECTION("the whole model is a key away") {
    driver.Do(ShowWhole{true});
    CHECK(LayerAt(driver.state, 1).layer == whole[1]);
    CHECK(HeadsOffNote(driver.state).empty());
    driver.Do(ShowWhole{false});
    CHECK(LayerAt(driver.state, 1).layer == other);
    CHECK(driver.CountRequests<HeadsOffJob>() == 1);
    CHECK(HeadsOffNote(driver.state) ==
          "Without L0H3 (zero): layers after the first of them are computed without what they "
          "write.");
  }
  SECTION("other screens show the whole model") {
    driver.Do(SetScreen{&kScoresScreen});
    CHECK(LayerAt(driver.state, 1).layer == whole[1]);
    driver.Do(SetScreen{&kWithMaps});
    CHECK(LayerAt(driver.state, 1).layer == other);
  }
  SECTION("one more, and another thing in their place") {
    driver.Do(SwitchHead{{1, 0}});
    CHECK(driver.LastRequest<HeadsOffJob>()->off.heads == std::vector<HeadIndex>{{0, 3}, {1, 0}});
    CHECK(LayerAt(driver.state, 1).layer == other);  // until the newer one is there
    driver.Do(ReplaceHeadsBy{Replacement::kTextMean});
    CHECK(driver.LastRequest<HeadsOffJob>()->off.replacement == Replacement::kTextMean);
    CHECK(HeadsOffTitle(driver.state) == "2 heads off: L0H3, L1H0 (mean of this text)");
  }
  SECTION("only those of later layers than before") {
    driver.Do(SwitchHead{{1, 0}});
    driver.Do(SwitchHead{{0, 3}});
    CHECK(LayerAt(driver.state, 1).layer == whole[1]);
  }
  SECTION("put back, by the same key or all at once") {
    driver.Do(SwitchHead{{0, 3}});
    CHECK(LayerAt(driver.state, 1).layer == whole[1]);
    CHECK(HeadsOffInView(driver.state) == nullptr);
    driver.Do(SwitchHead{{0, 3}});
    driver.Do(PutHeadsBack);
    CHECK_FALSE(IsHeadOff(driver.state, {0, 3}));
    CHECK(driver.state.heads_off.request == 0);
  }
  SECTION("a step back in the views puts it back, and forward takes it away again") {
    driver.Do(StepView{true});
    CHECK_FALSE(IsHeadOff(driver.state, {0, 3}));
    CHECK(LayerAt(driver.state, 1).layer == whole[1]);
    driver.Do(StepView{false});
    CHECK(IsHeadOff(driver.state, {0, 3}));
    CHECK(driver.CountRequests<HeadsOffJob>() == 2);
  }
  SECTION("another text is run without it, too") {
    driver.Do(EditText{"d e f g"});
    driver.Answer(5);
    CHECK(driver.CountRequests<HeadsOffJob>() == 2);
    CHECK(LayerAt(driver.state, 1).layer == driver.state.shown.layers[1]);
  }
}

TEST_CASE("what is asked about a row says what is off, and cells are not taken apart",
          "[state][heads off]") {
  StateDriver driver;
  ShowMaps(&driver);
  driver.Do(SwitchHead{{0, 3}});
  AnswerOff(&driver);
  driver.Do(ShowHead{{1, 1}});
  driver.Do(ClickCell{MapPoint{.query = 3, .key = 1}});
  REQUIRE(driver.LastRequest<NextWordJob>() != nullptr);
  CHECK(driver.LastRequest<NextWordJob>()->off.heads == std::vector<HeadIndex>{{0, 3}});
  CHECK_FALSE(HeldCell(driver.state).has_value());
  driver.Do(ShowHead{{0, 1}});
  CHECK(HeldCell(driver.state).has_value());  // this layer is the whole model's
  driver.Do(PutHeadsBack);
  CHECK(driver.LastRequest<NextWordJob>()->off.heads.empty());
}

TEST_CASE("maps with tokens hidden are of the layers without a head", "[state][heads off]") {
  StateDriver driver;
  ShowMaps(&driver);
  TokenLook look;
  look.hides_first = true;
  driver.Do(SetTokenLook{look});
  const int before = driver.CountRequests<LookJob>();
  driver.Do(SwitchHead{{0, 3}});
  CHECK(driver.CountRequests<LookJob>() == before);  // once they are there
  AnswerOff(&driver);
  REQUIRE(driver.CountRequests<LookJob>() == before + 1);
  CHECK(driver.LastRequest<LookJob>()->subject.layers == LayersShown(driver.state));
  CHECK(LayersShown(driver.state)[1] != driver.state.shown.layers[1]);
}

TEST_CASE("what fails is said and leaves the whole model; the next head asks again",
          "[state][heads off]") {
  StateDriver driver;
  ShowMaps(&driver);
  const auto whole = driver.state.shown.layers;
  driver.Do(SwitchHead{{0, 3}});
  driver.Event(driver.state.heads_off.request, LayerReady{AnotherLayer(1)});
  driver.Event(driver.state.heads_off.request, Failed{{ErrorCode::kBackend, "no memory"}});
  CHECK(HeadsOffCost(driver.state) == "no memory");
  CHECK(LayerAt(driver.state, 1).layer == whole[1]);
  CHECK(driver.CountRequests<HeadsOffJob>() == 1);
  driver.Do(SwitchHead{{0, 2}});
  CHECK(driver.CountRequests<HeadsOffJob>() == 2);
  AnswerOff(&driver);
  CHECK(HeadsOffCost(driver.state) == "loss 1.09 → 2.74");
}

TEST_CASE("no head is off in bfloat16, and no head that is not there", "[state][heads off]") {
  StateDriver driver;
  ShowMaps(&driver);
  driver.Do(SwitchHead{{0, 9}});
  CHECK(driver.state.heads_off.chosen.heads.empty());
  driver.state.precision = Precision::kBf16;
  driver.Do(SwitchHead{{0, 1}});
  CHECK(driver.state.heads_off.chosen.heads.empty());
  REQUIRE(NoticeAt(driver.state, ErrorPlace::kMap) != nullptr);
  CHECK(NoticeAt(driver.state, ErrorPlace::kMap)->sentence ==
        "What single heads do is lost in bfloat16's rounding: compute in float32.");
}

TEST_CASE("the losses of the whole model are asked for once they are shown", "[state][losses]") {
  StateDriver driver;
  ShowMaps(&driver);
  CHECK(driver.CountRequests<LossesJob>() == 0);
  HeadLook look = driver.state.head_look;
  look.shows_losses = true;
  driver.Do(SetHeadLook{look});
  REQUIRE(driver.CountRequests<LossesJob>() == 1);
  driver.Event(driver.state.whole_text.request, Losses(1.5, 0.0));
  driver.Event(driver.state.whole_text.request, Finished{});
  driver.Do(SetTheme{Theme::kLight});
  CHECK(driver.CountRequests<LossesJob>() == 1);
  CHECK(*driver.state.whole_text.answer.whole->losses.loss == 1.5);
}

// Rows that say the losses given, the last of them nothing.
std::shared_ptr<const NamedLosses> SaidRows(const std::vector<double>& losses) {
  NamedLosses named;
  double sum = 0.0;
  for (const double loss : losses) {
    named.losses.rows.push_back(
        {.next = ActualWord{.id = 1, .rank = 2, .probability = std::exp(-loss), .loss = loss},
         .likeliest = {.id = 7, .logit = 1.0, .probability = 0.5}});
    named.likeliest.emplace_back("man");
    sum += loss;
  }
  named.losses.rows.push_back({});
  named.likeliest.emplace_back("end");
  named.losses.loss = sum / static_cast<double>(losses.size());
  return std::make_shared<const NamedLosses>(named);
}

TEST_CASE("each token has the loss of the row before it, whole and without", "[state][losses]") {
  StateDriver driver;
  ShowMaps(&driver);
  HeadLook look = driver.state.head_look;
  look.shows_losses = true;
  driver.Do(SetHeadLook{look});
  CHECK(LossBarsOf(driver.state).told == "computing…");
  const auto whole = SaidRows({1.0, 2.0, 3.0, 2.0, 2.0});
  driver.Event(driver.state.whole_text.request, TextSaid{.whole = whole});
  driver.Event(driver.state.whole_text.request, Finished{});
  LossBars bars = LossBarsOf(driver.state);
  REQUIRE(bars.bars.size() == 6);
  CHECK(bars.bars[0].row == -1);
  CHECK_FALSE(bars.bars[0].whole.has_value());
  CHECK(WordsOfLoss(driver.state, 0) == "w0: the first token, which nothing comes before");
  CHECK(bars.bars[3].row == 2);
  CHECK(*bars.bars[3].whole == 3.0);
  CHECK(WordsOfLoss(driver.state, 3) == "w3: loss 3.00, rank 2; likeliest: man, 50.0 %");
  CHECK(bars.most == 3.0);
  CHECK(bars.told == "mean 2.00 nats, highest bar 3.0");
  driver.Do(SwitchHead{{0, 3}});
  const RequestId id = driver.state.heads_off.request;
  driver.Event(id, TextSaid{.whole = whole, .without = SaidRows({1.0, 2.0, 8.0, 2.0, 2.0})});
  driver.Event(id, Finished{});
  bars = LossBarsOf(driver.state);
  CHECK(*bars.bars[3].without == 8.0);
  CHECK(bars.most == 8.0);
  CHECK(bars.told == "mean 2.00 nats, highest bar 8.0; orange: without L0H3, 3.00");
  CHECK_THAT(WordsOfLoss(driver.state, 3), Says("\nwithout L0H3 (zero): loss 8.00, rank 2"));
  driver.Do(ShowWhole{true});
  CHECK_FALSE(LossBarsOf(driver.state).bars[3].without.has_value());
  CHECK(WordsOfLoss(driver.state, 3) == "w3: loss 3.00, rank 2; likeliest: man, 50.0 %");
}

TEST_CASE("why a text has no losses is said in their place", "[state][losses]") {
  StateDriver driver;
  ShowMaps(&driver);
  HeadLook look = driver.state.head_look;
  look.shows_losses = true;
  driver.Do(SetHeadLook{look});
  driver.Event(driver.state.whole_text.request, TextSaid{.why_not = "it says no words"});
  driver.Event(driver.state.whole_text.request, Finished{});
  CHECK(LossBarsOf(driver.state).bars.empty());
  CHECK(LossBarsOf(driver.state).told == "it says no words");
}

}  // namespace
}  // namespace headscope::test
