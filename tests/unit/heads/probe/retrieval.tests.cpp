#include "core/heads/probe/retrieval.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "core/compute/backend.h"
#include "core/heads/scan/retrieval_task.h"
#include "core/model/model.h"
#include "tests/support/folders.h"
#include "tests/support/made_rows.h"
#include "tests/support/tiny_model.h"

namespace headscope {
namespace {

using test::EvenMap;
using test::Map;
using test::OneHot;
using test::PlainSequence;
using test::ReadRows;
using test::Says;
using test::ScoreIn;

const std::vector<std::string> kTexts = {"The old man walked to the sea.",
                                         "It was a cold morning, and nobody spoke.",
                                         "She opened the window and looked out."};

std::shared_ptr<const Model> English() {
  auto model = Model::Open(test::SourceFolder() / "assets/models/english");
  REQUIRE(model);
  return *model;
}

// "x 7 8 | x 5 6 | x 7 8", where rows 6 and 7 repeat what stands at 1 and 2.
ProbeSequence Asked() {
  ProbeSequence sequence = PlainSequence({3, 7, 8, 3, 5, 6, 3, 7, 8});
  sequence.hidden = {{.query = 6, .key = 1, .other = 4}, {.query = 7, .key = 2, .other = 5}};
  return sequence;
}

TEST_CASE("hidden sentences are asked for, and rows of answers know their tokens",
          "[heads][retrieval]") {
  const auto model = English();
  const auto corpus = MakeRetrieval(*model, {.sequences = 12, .texts = kTexts}, {});
  REQUIRE(corpus);
  REQUIRE(corpus->sequences.size() == 12);
  for (const ProbeSequence& sequence : corpus->sequences) {
    INFO(sequence.text);
    CHECK(sequence.tokens() <= model->description().positions);
    CHECK(sequence.tokens() > model->description().positions / 2);
    CHECK_FALSE(sequence.hidden.empty());
    for (const HiddenToken& next : sequence.hidden) {
      REQUIRE(next.query + 1 < sequence.tokens());
      CHECK(sequence.ids[static_cast<std::size_t>(next.key)] ==
            sequence.ids[static_cast<std::size_t>(next.query) + 1]);
      CHECK(next.key < next.query);
      CHECK(next.other < next.query);
      CHECK(next.other != next.key);
    }
  }
  const auto again = MakeRetrieval(*model, {.sequences = 12, .texts = kTexts}, {});
  const auto other = MakeRetrieval(*model, {.sequences = 12, .texts = kTexts, .seed = 2}, {});
  CHECK(again->sequences[3].ids == corpus->sequences[3].ids);
  CHECK(other->sequences[3].ids != corpus->sequences[3].ids);
}

TEST_CASE("what a hidden sentence does not fit into is refused", "[heads][retrieval]") {
  const auto mute =
      test::TinyModel(R"({"model_type": "gpt2", "n_layer": 1, "n_head": 2, "n_embd": 8,
                                       "n_positions": 64, "vocab_size": 90})")
          .Open();
  const auto none = MakeRetrieval(*mute, {.texts = kTexts}, {});
  REQUIRE_FALSE(none);
  CHECK_THAT(none.error().message, Says("no tokenizer"));
  const auto small = MakeRetrieval(*English(), {.texts = kTexts, .longest = 20}, {});
  REQUIRE_FALSE(small);
  CHECK_THAT(small.error().message, Says("20 tokens"));
  // However many are asked for: it ends before they could be tried.
  const auto many = MakeRetrieval(
      *English(),
      {.sequences = std::numeric_limits<std::int64_t>::max(), .texts = kTexts, .longest = 20},
      {});
  CHECK_FALSE(many);
}

TEST_CASE("the head that looks at the sentence that is asked for retrieves", "[heads][retrieval]") {
  const ProbeSequence sequence = Asked();
  const auto look = [&](bool at_other) {
    return OneHot(9, [&, at_other](std::size_t q) -> std::size_t {
      const auto row = static_cast<std::int32_t>(q);
      const auto next = std::ranges::find(sequence.hidden, row, &HiddenToken::query);
      return next == sequence.hidden.end()
                 ? 0
                 : static_cast<std::size_t>(at_other ? next->other : next->key);
    });
  };
  const HeadScore right = ScoreIn(ReadRows({sequence}, {look(false)}, true), "retrieval");
  CHECK(right.rows == 2);
  CHECK(*right.score == 1.0);
  CHECK(*right.control == 0.0);
  CHECK(std::abs(*right.chance - (1.0 / 7 + 1.0 / 8) / 2.0) < 1e-12);
  const HeadScore wrong = ScoreIn(ReadRows({sequence}, {look(true)}, true), "retrieval");
  CHECK(*wrong.score == 0.0);
  CHECK(*wrong.control == 1.0);
  // After either "3" stands what induction finds: it does not know which one is asked for.
  const HeadScore even = ScoreIn(ReadRows({sequence}, {EvenMap(9, true)}, true), "retrieval");
  CHECK(std::abs(*even.score - *even.chance) < 1e-12);
  const HeadScore none =
      ScoreIn(ReadRows({PlainSequence({3, 7, 8, 3, 7, 8})}, {EvenMap(6, true)}, true), "retrieval");
  CHECK_FALSE(none.score.has_value());
}

TEST_CASE("a model that prefers one sentence's word does not prefer the other's",
          "[heads][retrieval]") {
  const auto model = English();
  const auto backend = MakeOnednnBackend();
  REQUIRE(backend);
  Forward forward(model, backend->get());
  auto corpus = MakeRetrieval(*model, {.sequences = 8, .texts = kTexts, .longest = 96}, {});
  REQUIRE(corpus);
  const auto as_asked = DoesTask(&forward, *corpus, {});
  REQUIRE(as_asked);
  CHECK(as_asked->texts == 8);
  // The other sentence's word as the answer.
  for (ProbeSequence& sequence : corpus->sequences) {
    for (HiddenToken& next : sequence.hidden) {
      std::swap(next.key, next.other);
      sequence.ids[static_cast<std::size_t>(next.query) + 1] =
          sequence.ids[static_cast<std::size_t>(next.key)];
    }
  }
  const auto turned = DoesTask(&forward, *corpus, {});
  REQUIRE(turned);
  CHECK(turned->right == turned->texts - as_asked->right);
  std::stop_source stop;
  stop.request_stop();
  CHECK(DoesTask(&forward, *corpus, stop.get_token()).error().code == ErrorCode::kCancelled);
}

}  // namespace
}  // namespace headscope
