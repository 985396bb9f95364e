#include "app/state/text/typed_ids.h"

#include "tests/support/catch.h"
#include "tests/unit/state/state_driver.h"

namespace headscope::test {
namespace {

using Ids = std::vector<std::int32_t>;

TEST_CASE("ids are read as they are written, and back", "[state][ids]") {
  CHECK(*ParseIds("ids: 5, 17, 3") == Ids{5, 17, 3});
  CHECK(*ParseIds("ids:5 17;3,") == Ids{5, 17, 3});
  CHECK(*ParseIds("5 17") == Ids{5, 17});
  CHECK(ParseIds("ids:")->empty());
  CHECK(IdsInWords(Ids{5, 17, 3}) == "ids: 5, 17, 3");
  CHECK(*ParseIds(IdsInWords(Ids{0, 2147483647})) == Ids{0, 2147483647});
  CHECK(IsOfIds("ids: 5"));
  CHECK_FALSE(IsOfIds("my ids: 5"));
  CHECK(InputOfText("ids: 5, 6").ids == Ids{5, 6});
  CHECK(InputOfText("ids: five").text == "ids: five");
}

TEST_CASE("what is no id is named in the sentence", "[state][ids]") {
  CHECK_THAT(ParseIds("ids: 5, x7").error().message, Says("\"x7\" is no token id"));
  CHECK_THAT(ParseIds("ids: -1").error().message, Says("\"-1\" is no token id"));
  CHECK_THAT(ParseIds("ids: 7.5").error().message, Says("\"7.5\""));
  CHECK_THAT(ParseIds("ids: 99999999999").error().message, Says("\"99999999999\" is larger"));
}

TEST_CASE("ids that are typed are run, and stand as they were typed", "[state][ids]") {
  StateDriver driver;
  driver.ShowSomething();
  driver.Do(EditText{"ids: 5, 17, "});
  CHECK(driver.state.input.ids == Ids{5, 17});
  CHECK(driver.state.input.text.empty());
  CHECK(driver.state.typed_ids == "ids: 5, 17, ");
  CHECK(driver.CountRequests<AttendRequest>() == 1);
  driver.Do(EditText{"ids: 5, 17, x"});
  CHECK(driver.state.typed_ids == "ids: 5, 17, x");
  CHECK(driver.CountRequests<AttendRequest>() == 1);
  REQUIRE(NoticeAt(driver.state, ErrorPlace::kText) != nullptr);
  driver.Do(EditText{"ids: 5, 17, 3"});
  CHECK(NoticeAt(driver.state, ErrorPlace::kText) == nullptr);
  CHECK(driver.state.input.ids == Ids{5, 17, 3});
  CHECK(SessionOf(driver.state, driver.state.works.front()).text == "ids: 5, 17, 3");
  driver.Do(EditText{"words"});
  CHECK(driver.state.typed_ids.empty());
  CHECK(driver.state.input.ids.empty());
  CHECK(driver.state.input.text == "words");
}

TEST_CASE("a model without a tokenizer takes bare numbers", "[state][ids]") {
  StateDriver driver;
  driver.ShowSomething();
  ModelInfo info = *driver.state.model;
  info.takes_text = false;
  driver.state.model = std::make_shared<const ModelInfo>(info);
  driver.Do(EditText{"5 6"});
  CHECK(driver.state.input.ids == Ids{5, 6});
  driver.Do(EditText{"5 cat"});
  CHECK_THAT(NoticeAt(driver.state, ErrorPlace::kText)->sentence, Says("\"cat\""));
}

namespace {

std::shared_ptr<const ModelInfo> ReadsIdsAlone(const std::string& name, const std::string& fault) {
  ModelInfo info = *StateDriver::Model(name, 2, 4);
  info.takes_text = false;
  info.tokenizer_fault = fault;
  info.description.vocabulary = 50;
  info.description.positions = 64;
  info.description.begin_id = 0;
  info.description.special_ids = {0, 49};
  return std::make_shared<const ModelInfo>(info);
}

}  // namespace

TEST_CASE("a model that reads no text shows nothing of the one before", "[state][ids]") {
  StateDriver driver;
  driver.ShowSomething();
  const std::string text = driver.state.input.text;
  driver.effects.clear();
  driver.Do(OpenFolder{"/models/bare"});
  driver.Do(ModelReady{driver.state.opening.request, ReadsIdsAlone("bare", "")});
  CHECK(driver.CountRequests<AttendRequest>() == 0);
  CHECK(driver.state.shown.request == 0);
  CHECK(AwaitsChoice(driver.state));
  CHECK(ShownModel(driver.state) == driver.state.model.get());
  // A sentence is refused in a sentence, and ids run.
  driver.Do(SetInput{InputText{.text = "the cat", .pair = {}, .ids = {}}});
  CHECK_THAT(NoticeAt(driver.state, ErrorPlace::kText)->sentence,
             Says("no tokenizer") && Says("ids: 1, 2, 3") && !Says("--"));
  driver.Do(EditText{"ids: 1, 2, 3"});
  CHECK(driver.CountRequests<AttendRequest>() == 1);
  driver.Answer(3);
  // Ids that are taken away do not end their picture.
  driver.Do(EditText{""});
  CHECK(driver.state.shown.model == driver.state.model);
  CHECK_FALSE(driver.state.input.text == "the cat");
  CHECK_FALSE(text.empty());
}

TEST_CASE("a scan of heads waits for no text of a model that reads none", "[state][ids]") {
  static constexpr ScreenKind kIdsAndScores{.id = "heads", .wants_scores = true};
  StateDriver driver;
  driver.ShowSomething();
  driver.Do(SetScreen{&kIdsAndScores});
  driver.effects.clear();
  driver.Do(OpenFolder{"/models/bare"});
  CHECK_FALSE(ShowsScoresAlone(driver.state));
  driver.Do(ModelReady{driver.state.opening.request, ReadsIdsAlone("bare", "")});
  CHECK(driver.CountRequests<HeadScanJob>() == 1);
  CHECK(ShowsScoresAlone(driver.state));
  driver.Do(EditText{"1, 2, 3"});
  driver.Answer(3);
  CHECK_FALSE(ShowsScoresAlone(driver.state));
}

TEST_CASE("why a tokenizer cannot be read is told with what works", "[state][ids]") {
  const std::string words = ReadsNoTextWords(*ReadsIdsAlone("x", "/m/tokenizer.json: not JSON"));
  CHECK_THAT(words, Says("/m/tokenizer.json: not JSON") && Says("ids: 1, 2, 3") && !Says("--"));
}

TEST_CASE("random ids twice begin with the begin mark, and no special id is among them",
          "[state][ids]") {
  ModelDescription model = ReadsIdsAlone("x", "")->description;
  Ids ids = RandomRepeat(model);
  REQUIRE(ids.size() == 33);
  CHECK(ids == RandomRepeat(model));
  CHECK(ids[0] == 0);
  const Ids block(ids.begin() + 1, ids.begin() + 17);
  CHECK(std::equal(block.begin(), block.end(), ids.begin() + 17));
  for (const std::int32_t id : block) {
    CHECK(id > 0);
    CHECK(id < 49);
    CHECK(std::ranges::count(block, id) == 1);
  }
  model.positions = 8;
  CHECK(RandomRepeat(model).size() == 7);
  model.begin_id.reset();
  model.vocabulary = 6;
  model.special_ids = {1};
  model.positions = 64;
  CHECK(RandomRepeat(model).size() == 10);
  model.vocabulary = 2;
  CHECK(RandomRepeat(model).empty());
}

TEST_CASE("ids of a target, and a session's, are ids again", "[state][ids]") {
  StateDriver driver;
  driver.ShowEncoderDecoder();
  driver.Do(EditTarget{"ids: 4, 9"});
  CHECK(driver.state.input.target_ids == Ids{4, 9});
  CHECK_FALSE(driver.state.input.target.has_value());
  driver.Do(EditText{"ids: 1, 2"});
  CHECK(driver.state.typed_target_ids == "ids: 4, 9");
  const SessionFile stored = SessionOf(driver.state, driver.state.works.front());
  driver.Do(OpenSession{"/sessions/x.json"});
  driver.Do(SessionLoaded{"/sessions/x.json", std::optional<SessionFile>(stored)});
  CHECK(driver.state.input.ids == Ids{1, 2});
  CHECK(driver.state.input.target_ids == Ids{4, 9});
  CHECK(driver.state.typed_ids == "ids: 1, 2");
}

TEST_CASE("both sentences of a pair are edited, and the second can go", "[state][pair]") {
  StateDriver driver;
  driver.ShowSomething();
  driver.Do(SetInput{InputText{.text = "one", .pair = "two", .ids = {}}});
  driver.Do(EditText{"first"});
  CHECK(driver.state.input.pair == "two");
  driver.Do(EditPair{"second"});
  CHECK(driver.state.input.text == "first");
  CHECK(driver.state.input.pair == "second");
  driver.Do(EditPair{""});
  CHECK_FALSE(driver.state.input.pair.has_value());
}

}  // namespace
}  // namespace headscope::test
