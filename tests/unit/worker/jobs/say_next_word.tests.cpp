// The next word at a row, said by the worker.
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/causes/next_word.h"
#include "core/worker/job.h"
#include "core/worker/text_said.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/worker/worker_harness.h"

namespace headscope {
namespace {

using test::Harness;
using test::Ids;
using test::kBart;
using test::kProbe;
using test::Only;
using test::Says;

TEST_CASE("the worker says the next word at a row, and who raised it", "[worker][next word]") {
  Harness harness;
  harness.Wait(harness.Submit(OpenModelRequest{kProbe}));
  harness.Wait(harness.Submit(Ids({5, 6, 7, 5})));
  const auto said = Only<NextWordSaid>(harness.Wait(harness.Submit(NextWordJob{.row = 1})));
  REQUIRE(said.size() == 1);
  const NextWord& word = *said[0].word;
  REQUIRE(word.prediction.rows.size() == 1);
  const PredictedRow& row = word.prediction.rows.front();
  CHECK(row.row == 1);
  CHECK(row.next->id == 7);
  CHECK(row.top.size() == 10);
  CHECK(word.top.size() == 10);
  CHECK_FALSE(word.actual.empty());
  CHECK(word.heads.count() == 8);
  REQUIRE(word.prediction.shares.has_value());
  CHECK(word.prediction.shares->question.id == row.top.front().id);
  CHECK(std::abs(word.prediction.shares->sum - row.top.front().logit) <=
        1e-4 * (1.0 + std::abs(row.top.front().logit)));
  // After the last layer the stream says what the model says.
  REQUIRE(word.prediction.lens.size() == 2);
  REQUIRE(word.lens.size() == 2);
  CHECK(word.prediction.lens.back().top.front().id == row.top.front().id);
  CHECK(word.lens.back() == word.top);
  CHECK(word.prediction.lens.front().top != word.prediction.lens.back().top);
  CHECK_FALSE(word.is_masked_here);
  // The last row has no next word, but says one.
  const auto last = Only<NextWordSaid>(harness.Wait(harness.Submit(NextWordJob{.row = 3})));
  REQUIRE(last.size() == 1);
  CHECK_FALSE(last[0].word->prediction.rows.front().next.has_value());
  CHECK(last[0].word->actual.empty());
}

TEST_CASE("the logit of a chosen token is split, or its lead, and a head's share by key",
          "[worker][next word]") {
  Harness harness;
  harness.Wait(harness.Submit(OpenModelRequest{kProbe}));
  harness.Wait(harness.Submit(Ids({5, 6, 7, 5})));
  const auto say = [&](const SplitTokens& tokens, std::optional<HeadIndex> by_key = {}) {
    const auto said = Only<NextWordSaid>(
        harness.Wait(harness.Submit(NextWordJob{.row = 2, .tokens = tokens, .by_key = by_key})));
    REQUIRE(said.size() == 1);
    return said[0].word;
  };
  const auto likeliest = say({});
  const std::int32_t first = likeliest->prediction.rows.front().top[0].id;
  const std::int32_t second = likeliest->prediction.rows.front().top[1].id;
  CHECK(likeliest->prediction.shares->question.id == first);
  REQUIRE(likeliest->typed.size() == 10);
  CHECK(likeliest->split == likeliest->top[0]);
  // What a likely token is typed as is read as that token.
  const auto other = say({.of = likeliest->typed[1]}, HeadIndex{1, 1});
  CHECK(other->prediction.shares->question.id == second);
  CHECK(other->split == likeliest->top[1]);
  CHECK(other->prediction.rows.front().top == likeliest->prediction.rows.front().top);
  const auto& by_key = other->prediction.shares->keys.at({1, 1});
  CHECK(by_key.size() == 4);
  CHECK(by_key[3] == 0.0);
  const auto lead = say({.of = likeliest->typed[1], .over = likeliest->typed[0]}, HeadIndex{1, 1});
  CHECK(lead->over == likeliest->top[0]);
  const double apart = other->prediction.shares->logit - likeliest->prediction.shares->logit;
  CHECK(std::abs(lead->prediction.shares->logit - apart) <= 1e-4 * (1.0 + std::abs(apart)));
  CHECK(lead->prediction.shares->logit <= 0.0);
  // What is no token, or leads itself, is told; the likeliest is split.
  for (const SplitTokens& wrong : {SplitTokens{"#100000", ""},
                                   SplitTokens{"", "no such token at all"},
                                   SplitTokens{"#5", "#5"},
                                   SplitTokens{"", likeliest->typed[0]}}) {
    const auto fault = say(wrong);
    CHECK_THAT(fault->token_fault, Says("token"));
    CHECK(fault->prediction.shares->question.id == first);
    CHECK_FALSE(fault->prediction.shares->question.against.has_value());
  }
  // A new text is run again.
  harness.Wait(harness.Submit(Ids({9, 6, 11, 5})));
  CHECK(say({})->prediction.rows.front().token == 11);
}

TEST_CASE("a word that is typed is the one after a space", "[worker][next word]") {
  Harness harness;
  harness.Wait(
      harness.Submit(OpenModelRequest{test::SourceFolder() / "assets" / "models" / "english"}));
  AttendRequest attend;
  attend.input.text = "the old captain saw the young boy and the old";
  harness.Wait(harness.Submit(attend));
  const auto split_of = [&](const std::string& of) {
    const auto said = Only<NextWordSaid>(
        harness.Wait(harness.Submit(NextWordJob{.row = 10, .tokens = {.of = of}})));
    REQUIRE(said.size() == 1);
    CHECK(said[0].word->token_fault.empty());
    return said[0].word->prediction.shares->question.id;
  };
  CHECK(split_of("captain") == split_of(" captain"));
  CHECK(split_of("man") == split_of(" man"));
  CHECK(split_of(",") != split_of(" man"));
  const auto likeliest = Only<NextWordSaid>(harness.Wait(harness.Submit(NextWordJob{.row = 10})));
  REQUIRE(likeliest.size() == 1);
  const NextWord& word = *likeliest[0].word;
  for (std::size_t place = 0; place < word.typed.size(); ++place) {
    CHECK(split_of(word.typed[place]) == word.prediction.rows.front().top[place].id);
  }
}

TEST_CASE("a text goes on with each of its likeliest tokens, cut as the model says them",
          "[worker][next word]") {
  Harness harness;
  const auto opened = harness.Wait(harness.Submit(OpenModelRequest{kProbe}));
  const auto ready = Only<ModelOpened>(opened);
  REQUIRE(ready.size() == 1);
  const Model& model = *ready[0].model;
  const std::string text = "the old captain";
  const auto before = model.tokenizer()->Encode(text, {}).value().Ids();
  AttendRequest attend;
  attend.input = InputText{.text = text, .pair = {}, .ids = {}};
  harness.Wait(harness.Submit(attend));
  const auto last = static_cast<std::int64_t>(before.size()) - 1;
  const auto said =
      Only<NextWordSaid>(harness.Wait(harness.Submit(NextWordJob{.row = last, .continues = text})));
  REQUIRE(said.size() == 1);
  const NextWord& word = *said[0].word;
  REQUIRE(word.continued.size() == word.top.size());
  std::size_t found = 0;
  for (std::size_t i = 0; i < word.continued.size(); ++i) {
    if (word.continued[i].empty()) {
      continue;
    }
    ++found;
    CHECK(word.continued[i].starts_with(text));
    auto ids = before;
    ids.push_back(word.prediction.rows.front().top[i].id);
    CHECK(model.tokenizer()->Encode(word.continued[i], {}).value().Ids() == ids);
  }
  CHECK(found > 0);
  // Of ids there is no text, and of another row nothing goes on.
  const auto ids =
      Only<NextWordSaid>(harness.Wait(harness.Submit(NextWordJob{.row = last, .continues = ""})));
  CHECK(ids[0].word->continued == std::vector<std::string>(word.top.size()));
  const auto first = Only<NextWordSaid>(harness.Wait(harness.Submit(NextWordJob{.row = 0})));
  CHECK(first[0].word->continued.empty());
}

TEST_CASE("in an encoder-decoder it is the target's next word", "[worker][next word]") {
  Harness harness;
  harness.Wait(harness.Submit(OpenModelRequest{kBart}));
  harness.Wait(harness.Submit(Ids({5, 6, 7, 5})));
  const auto said = Only<NextWordSaid>(harness.Wait(harness.Submit(NextWordJob{.row = 0})));
  REQUIRE(said.size() == 1);
  CHECK(said[0].word->heads.part == ModelPart::kDecoder);
}

TEST_CASE("a masked model says a word that it cannot see", "[worker][next word]") {
  const test::TempFolder folder;
  const auto from = test::SourceFolder() / "tests/golden/folders/v5_bert_python_numbers";
  std::filesystem::copy(from, folder.path() / "masked", std::filesystem::copy_options::recursive);
  for (const char* const name : {"tokenizer.json", "tokenizer_config.json"}) {
    const std::filesystem::path path = folder.path() / "masked" / name;
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    std::string changed = text.str();
    for (std::size_t at = 0; (at = changed.find("<pad>", at)) != std::string::npos;) {
      changed.replace(at, 5, "[MASK]");
    }
    std::ofstream(path) << changed;
  }
  Harness harness;
  harness.Wait(harness.Submit(OpenModelRequest{folder.path() / "masked"}));
  const auto say = [&](const std::string& text) {
    AttendRequest request;
    request.input.text = text;
    harness.Wait(harness.Submit(request));
    const auto said = Only<NextWordSaid>(harness.Wait(harness.Submit(NextWordJob{.row = 1})));
    REQUIRE(said.size() == 1);
    return said[0].word;
  };
  const auto one = say("the old captain saw");
  CHECK(one->prediction.is_masked);
  CHECK(one->is_masked_here);
  CHECK(one->actual == "old");
  // Whatever stands there, it reads the same.
  const auto other = say("the captain captain saw");
  CHECK(other->actual == "captain");
  CHECK(other->top == one->top);
  const auto typed = say("the [MASK] captain saw");
  CHECK_FALSE(typed->is_masked_here);
  CHECK(typed->actual.empty());
  CHECK(typed->top == one->top);
  // An open text has no loss.
  const auto losses = Only<TextSaid>(harness.Wait(harness.Submit(LossesJob{})));
  REQUIRE(losses.size() == 1);
  CHECK(losses[0].whole == nullptr);
  CHECK_THAT(losses[0].why_not, Says("at masked places alone"));
}

TEST_CASE("no word is said without a text, beyond it, or in bfloat16", "[worker][next word]") {
  Harness harness;
  CHECK(Only<Failed>(harness.Wait(harness.Submit(NextWordJob{}))).size() == 1);
  harness.Wait(harness.Submit(OpenModelRequest{kProbe}));
  const auto early = Only<Failed>(harness.Wait(harness.Submit(NextWordJob{})));
  REQUIRE(early.size() == 1);
  CHECK_THAT(early[0].error.message, Says("there is no text yet"));
  harness.Wait(harness.Submit(Ids({5, 6, 7, 5})));
  const auto beyond = Only<Failed>(harness.Wait(harness.Submit(NextWordJob{.row = 4})));
  REQUIRE(beyond.size() == 1);
  CHECK_THAT(beyond[0].error.message, Says("rows 0 to 3"));
}

}  // namespace
}  // namespace headscope
