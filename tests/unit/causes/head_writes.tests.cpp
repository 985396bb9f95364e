#include "core/causes/head_writes.h"

#include <cmath>

#include "core/causes/prediction.h"
#include "core/causes/word_layer.h"
#include "tests/support/backends.h"
#include "tests/support/catch.h"
#include "tests/support/near.h"
#include "tests/unit/causes/word_models.h"

namespace headscope {
namespace {

using test::Near;
using test::WordModel;

}  // namespace

TEST_CASE("What a head writes is its share of each word above the mean, in every family",
          "[causes]") {
  int families = 0;
  for (const Family* family : AllFamilies()) {
    INFO(family->id);
    const auto model = WordModel(family->example).Open();
    const ModelDescription& shape = model->description();
    const auto backend = MakeReferenceBackend();
    Forward forward(model, backend.get());
    const auto words = WordLayer::Make(&forward);
    if (!words || !CheckShares(shape)) {
      continue;
    }
    const ForwardInput input = test::WordInput(shape, 5);
    const ModelPart part = shape.decoder ? ModelPart::kDecoder : ModelPart::kWhole;
    const HeadIndex head{StackOf(shape, part).layers - 1, 1, part};
    const auto made = WritesOf(&forward, **words, input, 3, head, 4, {});
    REQUIRE(made.has_value());
    REQUIRE_FALSE(made->raised.empty());
    REQUIRE_FALSE(made->lowered.empty());
    CHECK(made->raised.front().change >= made->raised.back().change);
    CHECK(made->lowered.front().change <= made->lowered.back().change);
    CHECK((made->raised.back().change > 0.0 && made->lowered.back().change < 0.0));
    // What is not linear is held in shares, and is not here.
    if ((*words)->is_masked() || (*words)->softcap() > 0.0) {
      continue;
    }
    ++families;
    for (const MovedWord& word : {made->raised.front(), made->lowered.front()}) {
      PredictionQuestion question{.rows = {3}};
      question.row = 3;
      question.id = word.id;
      question.has_shares = true;
      const auto said = Predict(&forward, **words, input, question, nullptr, {});
      REQUIRE(said.has_value());
      const double share = said->shares->Find(head)->above_mean * said->scale;
      CHECK(word.change == Near(share, 1e-5 * (1.0 + std::abs(said->shares->logit))));
    }
  }
  CHECK(families > 20);
}

TEST_CASE("Rows and heads that write no word are refused", "[causes]") {
  const auto model = WordModel(test::Gpt2Config(2, 3)).Open();
  const auto backend = MakeReferenceBackend();
  Forward forward(model, backend.get());
  const auto words = WordLayer::Make(&forward);
  REQUIRE(words.has_value());
  const ForwardInput input = test::WordInput(model->description(), 5);
  CHECK(WritesOf(&forward, **words, input, 4, {1, 2}, 3, {}).has_value());
  CHECK(WritesOf(&forward, **words, input, 5, {1, 2}, 3, {}).error().code == ErrorCode::kInput);
  CHECK(WritesOf(&forward, **words, input, 4, {2, 0}, 3, {}).error().code == ErrorCode::kInput);
  CHECK_FALSE(WritesWords(model->description(), {0, 0, ModelPart::kDecoder}));
}

}  // namespace headscope
