// The next word at a row, said by the worker.
#include <cmath>

#include "core/worker/job.h"
#include "core/worker/next_word.h"
#include "tests/support/catch.h"
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
  // The last row has no next word, but says one.
  const auto last = Only<NextWordSaid>(harness.Wait(harness.Submit(NextWordJob{.row = 3})));
  REQUIRE(last.size() == 1);
  CHECK_FALSE(last[0].word->prediction.rows.front().next.has_value());
  CHECK(last[0].word->actual.empty());
}

TEST_CASE("in an encoder-decoder it is the target's next word", "[worker][next word]") {
  Harness harness;
  harness.Wait(harness.Submit(OpenModelRequest{kBart}));
  harness.Wait(harness.Submit(Ids({5, 6, 7, 5})));
  const auto said = Only<NextWordSaid>(harness.Wait(harness.Submit(NextWordJob{.row = 0})));
  REQUIRE(said.size() == 1);
  CHECK(said[0].word->heads.part == ModelPart::kDecoder);
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
