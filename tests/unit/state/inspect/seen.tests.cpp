// Maps with tokens merged or hidden.
#include "tests/support/catch.h"
#include "tests/unit/state/state_driver.h"

namespace headscope::test {
namespace {

constexpr ScreenKind kLooking{.id = "inspect", .looks_at_tokens = true};

std::shared_ptr<const SeenPicture> SeenOf(const AppState& state, const LookJob& job) {
  const auto seen = SeePicture(job.subject, job.look, {});
  REQUIRE(seen.has_value());
  CHECK(job.subject.layers == state.shown.layers);
  return std::make_shared<const SeenPicture>(*seen);
}

const LookJob& AskedLook(const StateDriver& driver) {
  const auto* const asked = driver.LastRequest<LookJob>();
  REQUIRE(asked != nullptr);
  return *asked;
}

void AnswerLook(StateDriver* driver) {
  const LookJob job = AskedLook(*driver);
  const RequestId id = driver->state.seen.request;
  driver->Event(id, PictureSeen{SeenOf(driver->state, job)});
  driver->Event(id, Finished{});
}

TEST_CASE("hiding the first token asks once, and the maps are of what is left", "[state][look]") {
  StateDriver driver;
  driver.ShowSomething(6);
  driver.Do(SetScreen{&kLooking});
  driver.effects.clear();
  TokenLook look;
  look.hides_first = true;
  driver.Do(SetTokenLook{look});
  CHECK(driver.CountRequests<LookJob>() == 1);
  CHECK(SelectedLayer(driver.state).layer->shape().queries == 6);
  CHECK(SelectedLayer(driver.state).stale);  // until the answer
  AnswerLook(&driver);
  const LayerView seen = SelectedLayer(driver.state);
  CHECK(seen.layer->shape().queries == 5);
  CHECK(seen.source->tokens.front().display == "w1");
  CHECK_FALSE(seen.stale);
  CHECK(driver.state.selection.row.value_or(0) < 5);
  CHECK(driver.CountRequests<LookJob>() == 1);
  CHECK(TokenLookWords(driver.state) ==
        "Hidden: the first token; rows lack what they gave to hidden tokens");

  SECTION("a token by hand is one of the text, wherever it stands now") {
    driver.Do(HideToken{1});
    CHECK(driver.state.token_look.hidden == std::vector<std::int64_t>{2});
    AnswerLook(&driver);
    CHECK(SelectedLayer(driver.state).layer->shape().queries == 4);
  }
  SECTION("another screen shows all tokens") {
    driver.Do(SetScreen{&kScoresScreen});
    CHECK(SelectedLayer(driver.state).layer->shape().queries == 6);
    CHECK(TokenLookWords(driver.state).empty());
  }
  SECTION("another text is asked for anew") {
    driver.Do(EditText{"a b c d"});
    driver.Answer(7);
    CHECK(AskedLook(driver).subject.source->tokens.size() == 7);
    AnswerLook(&driver);
    CHECK(SelectedLayer(driver.state).layer->shape().queries == 6);
  }
  SECTION("a fault leaves the maps as they are") {
    driver.Do(HideToken{0});
    driver.Event(driver.state.seen.request, Failed{{ErrorCode::kInput, "No token would be left."}});
    CHECK(SelectedLayer(driver.state).layer->shape().queries == 6);
    CHECK_FALSE(SelectedLayer(driver.state).stale);
    CHECK(driver.state.seen.fault == "No token would be left.");
  }
}

}  // namespace
}  // namespace headscope::test
