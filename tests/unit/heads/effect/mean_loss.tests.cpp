#include "core/heads/effect/mean_loss.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "core/base/random.h"
#include "core/heads/effect/token_losses.h"
#include "tests/support/backends.h"
#include "tests/support/catch.h"
#include "tests/support/near.h"
#include "tests/support/tiny_model.h"

namespace headscope {
namespace {

using test::Near;
using test::TinyModel;

TinyModel LossModel() {
  return TinyModel(R"({"model_type": "gpt2", "n_layer": 1, "n_head": 2, "n_embd": 8,
                       "n_positions": 64, "vocab_size": 90})");
}

ProbeCorpus LossTexts(std::initializer_list<std::size_t> lengths) {
  ProbeCorpus corpus{.probe = "texts", .groups = {""}, .sequences = {}};
  RandomStream random(5);
  for (const std::size_t length : lengths) {
    ProbeSequence sequence;
    for (std::size_t i = 0; i < length; ++i) {
      sequence.ids.push_back(static_cast<std::int32_t>(random.Below(90)));
    }
    sequence.special.assign(length, 0);
    corpus.sequences.push_back(std::move(sequence));
  }
  return corpus;
}

// Of a text, over its tokens.
double LossOfText(Forward* forward, const ProbeSequence& text) {
  const auto losses = TokenLosses::Make(forward, {});
  REQUIRE(losses.has_value());
  const ProbeSequence* const one = &text;
  const auto predicted = PredictedTokens(text, false);
  const auto sum = (*losses)->Run(std::span(&one, 1), std::span(&predicted, 1), {});
  REQUIRE(sum.has_value());
  return sum->front() / static_cast<double>(predicted.size());
}

TEST_CASE("a model that knows nothing loses the logarithm of its vocabulary on every text",
          "[heads][loss]") {
  TinyModel tiny = LossModel();
  std::ranges::fill(tiny.tensors.at("wte.weight").values, 0.0F);
  for (const auto& backend : test::AllBackends()) {
    Forward forward(tiny.Open(), backend.get());
    const auto mean = MeanLossOf(&forward, LossTexts({5, 9, 30}), 10, {});
    REQUIRE((mean.has_value() && mean->has_value()));
    CHECK((*mean)->mean == Near(std::log(90.0), 1e-5));
    CHECK(*(*mean)->error == Near(0.0, 1e-5));
    CHECK((*mean)->runs == 3);
  }
}

TEST_CASE("each text counts as much as the others, up to as many as asked for", "[heads][loss]") {
  TinyModel tiny = LossModel();
  const auto backend = MakeReferenceBackend();
  Forward forward(tiny.Open(), backend.get());
  ProbeCorpus corpus = LossTexts({4, 40, 1, 12, 9});
  corpus.sequences[3].is_control = true;
  // The third has no token to predict, the fourth is a control.
  const double first = LossOfText(&forward, corpus.sequences[0]);
  const double second = LossOfText(&forward, corpus.sequences[1]);
  const double last = LossOfText(&forward, corpus.sequences[4]);
  const auto two = MeanLossOf(&forward, corpus, 2, {});
  REQUIRE((two.has_value() && two->has_value()));
  CHECK((*two)->mean == Near((first + second) / 2.0, 1e-9));
  CHECK(*(*two)->error == Near(std::abs(first - second) / 2.0, 1e-9));
  const auto all = MeanLossOf(&forward, corpus, 60, {});
  REQUIRE((all.has_value() && all->has_value()));
  CHECK((*all)->runs == 3);
  CHECK((*all)->mean == Near((first + second + last) / 3.0, 1e-9));
}

TEST_CASE("there is no mean loss without a token to predict, and it can be stopped",
          "[heads][loss]") {
  TinyModel tiny = LossModel();
  const auto backend = MakeReferenceBackend();
  Forward forward(tiny.Open(), backend.get());
  const auto none = MeanLossOf(&forward, LossTexts({1}), 60, {});
  REQUIRE(none.has_value());
  CHECK_FALSE(none->has_value());
  std::stop_source source;
  source.request_stop();
  const auto stopped = MeanLossOf(&forward, LossTexts({9}), 60, source.get_token());
  REQUIRE_FALSE(stopped.has_value());
  CHECK(stopped.error().code == ErrorCode::kCancelled);
}

}  // namespace
}  // namespace headscope
