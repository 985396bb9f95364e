#include "app/state/typed_ids.h"

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
