// What a model loses without a head: when it is asked, whose answer is shown, and its words.
#include "app/state/heads/ablation_words.h"
#include "app/state/heads/scores.h"
#include "app/state/work_under_way.h"
#include "tests/support/catch.h"
#include "tests/unit/state/heads/ablation_stub.h"
#include "tests/unit/state/heads/scan_stub.h"
#include "tests/unit/state/state_driver.h"

namespace headscope::test {
namespace {

constexpr ScreenKind kAblating{.id = "heads", .wants_scores = true};

// A model with a scan of it; the head L2H3 is selected.
struct AblationDriver : StateDriver {
  AblationDriver() {
    ShowSomething();
    Do(SetScreen{&kAblating});
    Scan();
    Do(ClickHead{{2, 3}});
  }
  void Scan() {
    Event(state.scan.request, HeadsScanned{StubScan()});
    Event(state.scan.request, Finished{});
  }
  void AnswerAblation(const std::shared_ptr<const AblationReport>& report) {
    Event(state.ablation.request, HeadAblated{report});
  }
  void EndAblation() { Event(state.ablation.request, Finished{}); }
};

}  // namespace

TEST_CASE("a head is taken away when somebody asks, and the answer is kept", "[state][ablation]") {
  AblationDriver driver;
  CHECK(driver.CountRequests<AblationJob>() == 0);
  driver.Do(AblateHead);
  REQUIRE(driver.CountRequests<AblationJob>() == 1);
  const auto* const submit = driver.Last<Submit>();
  const auto* const job = std::get_if<AblationJob>(&submit->request);
  REQUIRE(job != nullptr);
  CHECK(job->head == HeadIndex{2, 3});
  CHECK_FALSE(job->on_repeats);
  CHECK(Busy(driver.state));
  driver.Do(AblateHead);  // pressed again: once is enough
  CHECK(driver.CountRequests<AblationJob>() == 1);
  driver.AnswerAblation(StubAblation({2, 3}, 0.25, 2));
  REQUIRE(AblationInView(driver.state) != nullptr);
  CHECK(AblationInView(driver.state)->done == 2);
  CHECK(AblationUnderWay(driver.state) == AblationInView(driver.state));
  CHECK(WorkWords(driver.state, driver.state.ablation.request) ==
        "without L2H3 and others of its layer: 2 of 4 heads, 8 s left");
  driver.AnswerAblation(StubAblation({2, 3}, 0.25));
  driver.EndAblation();
  CHECK(AblationUnderWay(driver.state) == nullptr);
  REQUIRE(AblationInView(driver.state) != nullptr);
  CHECK(AblationInView(driver.state)->is_whole());
  driver.Do(AblateHead);
  CHECK(driver.CountRequests<AblationJob>() == 1);

  SECTION("another head has its own, and the first is there again") {
    driver.Do(ClickHead{{1, 0}});
    CHECK(AblationInView(driver.state) == nullptr);
    driver.Do(AblateHead);
    CHECK(driver.CountRequests<AblationJob>() == 2);
    driver.Do(ClickHead{{2, 3}});
    CHECK(AblationInView(driver.state) != nullptr);
  }
  SECTION("other texts have their own") {
    driver.Do(AblateOn{true});
    CHECK(AblationInView(driver.state) == nullptr);
    driver.Do(AblateHead);
    REQUIRE(driver.CountRequests<AblationJob>() == 2);
    CHECK(std::get_if<AblationJob>(&driver.Last<Submit>()->request)->on_repeats);
  }
  SECTION("of another model it is not shown, nor while a person labels blind") {
    driver.Do(LabelBlind{true});
    CHECK(AblationInView(driver.state) == nullptr);
    driver.Do(LabelBlind{false});
    CHECK(AblationInView(driver.state) != nullptr);
    driver.Open("beta", 3, 4);
    driver.Answer(6);
    CHECK(AblationInView(driver.state) == nullptr);
    driver.Scan();
    driver.Do(ClickHead{{2, 3}});
    CHECK(AblationQuestion(driver.state).has_value());
    CHECK(AblationInView(driver.state) == nullptr);
    driver.Open("alpha", 3, 4);
    driver.Answer(6);
    driver.Scan();
    driver.Do(ClickHead{{2, 3}});
    CHECK(AblationInView(driver.state) != nullptr);
  }
}

TEST_CASE("an ablation that is stopped keeps what it has, one that fails says why",
          "[state][ablation]") {
  AblationDriver driver;
  driver.Do(AblateHead);
  const RequestId request = driver.state.ablation.request;
  driver.AnswerAblation(StubAblation({2, 3}, 0.25, 3));
  driver.Do(CancelWork);
  REQUIRE(driver.Last<Cancel>() != nullptr);
  CHECK(driver.Last<Cancel>()->id == request);
  driver.Event(request, Failed{{ErrorCode::kCancelled, "stopped"}});
  CHECK(driver.state.ablation.request == 0);
  CHECK_FALSE(driver.state.ablation.faulty);
  REQUIRE(AblationInView(driver.state) != nullptr);
  CHECK(AblationInView(driver.state)->done == 3);
  driver.Do(AblateHead);
  CHECK(driver.CountRequests<AblationJob>() == 2);
  driver.Event(driver.state.ablation.request, Failed{{ErrorCode::kInput, "no token to predict"}});
  CHECK(driver.state.ablation.faulty == AblationQuestion(driver.state));
  CHECK(driver.state.ablation.fault == "no token to predict");
}

TEST_CASE("nothing is asked before the scan is whole, or of a model without a loss",
          "[state][ablation]") {
  StateDriver driver;
  driver.ShowSomething();
  driver.Do(SetScreen{&kAblating});
  driver.Do(AblateHead);
  CHECK(driver.CountRequests<AblationJob>() == 0);
  HeadScanReport begun = *StubScan();
  begun.done = 50;
  driver.Event(driver.state.scan.request,
               HeadsScanned{std::make_shared<const HeadScanReport>(begun)});
  driver.Do(AblateHead);
  CHECK(driver.CountRequests<AblationJob>() == 0);
  CHECK(WhyNotAblated(driver.state).empty());

  const auto why_not = [](const auto& change) {
    StateDriver with;
    with.ShowSomething();
    ModelInfo info = *with.state.shown.model;
    info.description.family = "bert";
    change(&info.description);
    with.state.shown.model = std::make_shared<const ModelInfo>(info);
    with.state.model = with.state.shown.model;
    return WhyNotAblated(with.state);
  };
  CHECK_THAT(why_not([](ModelDescription* shape) { shape->output_layer.reset(); }),
             Says("A bert model predicts no next token"));
  CHECK_THAT(why_not([](ModelDescription* shape) { shape->causal = false; }),
             Says("predicts no next token"));
  CHECK_THAT(why_not([](ModelDescription* shape) { shape->final_norm.reset(); }),
             Says("a norm at the model's end"));
  CHECK_THAT(why_not([](ModelDescription* shape) { shape->output_layer->is_stored = false; }),
             Says("no output layer"));
  CHECK_THAT(why_not([](ModelDescription* shape) { shape->decoder.emplace(); }),
             Says("an encoder and a decoder"));
}

TEST_CASE("the sentence holds the head against the others of its layer", "[state][ablation]") {
  const std::string most = AblationWords(*StubAblation({0, 1}, 0.5));
  CHECK(most ==
        "Where it gives nothing the loss rises by 0.500 ± 0.020 nats a token: more than "
        "without any of 3 others of its layer.");
  CHECK_THAT(AblationWords(*StubAblation({0, 1}, 0.2)),
             Says("without 2 of 3 others of its layer it rises as much or more."));
  CHECK_THAT(AblationWords(*StubAblation({0, 1}, -0.04)),
             Says("falls by 0.040 ± 0.020 nats a token: without 3 of 3 others"));
  CHECK_THAT(AblationWords(*StubAblation({0, 1}, 0.5, 2)),
             Says("the only other of its layer so far"));
  CHECK_THAT(AblationWords(*StubAblation({0, 1}, 0.03)),
             Says("moves by +0.030 ± 0.020 nats a token, within two errors of 0: without 3 of 3"));
  CHECK_THAT(AblationWords(*StubAblation({0, 1}, 0.5, 1)), Says("others of its layer follow"));
  AblationReport alone = *StubAblation({0, 0}, 0.5, 1);
  alone.total = 1;
  CHECK_THAT(AblationWords(alone), Says("the layer has no other head to hold it against."));
  CHECK(AblatedTexts(alone) ==
        "40 sentences, 1,812 tokens predicted: with all heads the loss is 4.25 nats a token.");
  CHECK(ChangeText(-0.0123) == "-0.012");
  for (const AblationKind kind : kAblationKinds) {
    CHECK(std::string(WordsOf(kind).meaning).ends_with('.'));
  }
}

}  // namespace headscope::test
