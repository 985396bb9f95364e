#include "core/causes/text_without.h"

#include <algorithm>
#include <utility>

#include "core/causes/asked_heads.h"
#include "core/causes/prediction.h"
#include "core/causes/probe_means.h"
#include "core/causes/word_layer.h"
#include "core/compute/precision.h"
#include "tests/support/backends.h"
#include "tests/support/catch.h"
#include "tests/support/forwarding_backend.h"
#include "tests/support/near.h"
#include "tests/unit/causes/changed_maps.h"
#include "tests/unit/causes/word_models.h"

namespace headscope {
namespace {

using test::CheckSameMaps;
using test::FromTheStart;
using test::Into;
using test::Layers;
using test::Near;
using test::WordModel;

std::string HeadsText(const HeadsOff& off) {
  std::string text(ReplacementName(off.replacement));
  for (const HeadIndex head : off.heads) {
    text += " " + HeadName(head);
  }
  return text;
}

class CountingBackend : public test::ForwardingBackend {
 public:
  using ForwardingBackend::ForwardingBackend;
  Status Attend(const AttentionInput& input,
                AttentionObserver* observer,
                Activations* context,
                std::stop_token stop) override {
    ++attended;
    return ForwardingBackend::Attend(input, observer, context, std::move(stop));
  }
  int attended = 0;
};

// To the last bit.
void CheckEqualMaps(const Layers& made, const Layers& expected) {
  REQUIRE(made.size() == expected.size());
  for (std::size_t i = 0; i < made.size(); ++i) {
    const LayerAttention::Content& a = made[i]->content();
    const LayerAttention::Content& b = expected[i]->content();
    CHECK((a.layer == b.layer && a.part == b.part));
    CHECK(a.queries == b.queries);
    CHECK(a.keys == b.keys);
    CHECK(a.row_max == b.row_max);
    CHECK(a.row_inverse_sum == b.row_inverse_sum);
  }
}

}  // namespace

TEST_CASE("a run from the first head on is the run from the start, in every family", "[causes]") {
  int families = 0;
  for (const Family* family : AllFamilies()) {
    INFO(family->id);
    const auto model = WordModel(family->example).Open();
    const auto backend = MakeReferenceBackend();
    Forward forward(model, backend.get());
    const auto words = WordLayer::Make(&forward);
    if (!words) {
      continue;
    }
    ++families;
    const ForwardInput input = test::WordInput(model->description(), 5);
    const std::vector<HeadIndex> all = AllHeadsOf(model->description());
    TextWithout text(&forward, input);
    // Later heads first: what is kept of the first run serves the second; and both together.
    const std::vector<HeadsOff> asked = {{{all.back()}, Replacement::kTextMean},
                                         {{all.front()}, Replacement::kZero},
                                         {{all.front(), all.back()}, Replacement::kTextMean}};
    for (const HeadsOff& off : asked) {
      INFO(HeadsText(off));
      Layers made;
      REQUIRE(text.Run(off, Into(&made), {}));
      ProbeMeans means({input});
      REQUIRE(means.Run(&forward, {}));
      RemovedHeads removed(forward);
      for (const HeadIndex head : off.heads) {
        removed.Remove(
            head,
            off.replacement == Replacement::kTextMean ? means.MeanOf(head) : std::vector<float>());
      }
      CheckSameMaps(made, FromTheStart(&forward, input, &removed, off));
      for (const auto& layer : made) {
        CHECK(IsChangedBy({layer->part(), layer->layer()}, off));
      }
      const auto losses = text.Losses(**words, {});
      if ((*words)->is_masked()) {
        REQUIRE_FALSE(losses.has_value());
        CHECK(losses.error().code == ErrorCode::kUnsupported);
        continue;
      }
      REQUIRE(losses.has_value());
      PredictionQuestion question;
      for (std::int64_t row = 0; row < std::ssize(losses->rows); ++row) {
        question.rows.push_back(row);
      }
      const auto expected = Predict(&forward, **words, input, question, &removed, {});
      REQUIRE(expected.has_value());
      CHECK(*losses->loss == Near(*expected->loss, 1e-5 * (1.0 + *expected->loss)));
      // Without maps it is the same, with nothing kept, too; and what ran before stays.
      TextWithout anew(&forward, input);
      for (TextWithout* const one : {&text, &anew}) {
        const auto alone = one->LossesWithout(off, **words, {});
        REQUIRE(alone.has_value());
        CHECK(*alone->loss == Near(*expected->loss, 1e-5 * (1.0 + *expected->loss)));
      }
      CHECK(*text.Losses(**words, {})->loss == *losses->loss);
      for (std::size_t row = 0; row < losses->rows.size(); ++row) {
        CHECK(losses->rows[row].likeliest.id == expected->rows[row].top.front().id);
        CHECK(losses->rows[row].next.has_value() == expected->rows[row].next.has_value());
      }
      // The same heads as changes to any other run.
      const auto changes = text.Changes(off, {});
      REQUIRE(changes.has_value());
      const auto same = Predict(&forward, **words, input, question, changes->get(), {});
      CHECK(*same->loss == Near(*expected->loss, 1e-5 * (1.0 + *expected->loss)));
    }
  }
  CHECK(families > 20);
}

TEST_CASE("earlier layers are not run again, and the whole model's losses stay", "[causes]") {
  const auto model = WordModel(test::Gpt2Config(4, 2)).Open();
  const auto backend = MakeReferenceBackend();
  Forward forward(model, backend.get());
  const auto words = WordLayer::Make(&forward);
  const ForwardInput input = test::WordInput(model->description(), 6);
  TextWithout text(&forward, input);
  Layers made;
  REQUIRE(text.Run({{{2, 1}}, Replacement::kZero}, Into(&made), {}));
  CHECK(text.layers_run() == 4);  // nothing was kept yet
  REQUIRE(made.size() == 1);
  CHECK(made[0]->layer() == 3);
  REQUIRE(text.Run({{{2, 0}}, Replacement::kZero}, Into(&made), {}));
  CHECK(text.layers_run() == 2);
  REQUIRE(text.Run({{{1, 0}, {3, 1}}, Replacement::kZero}, Into(&made), {}));
  CHECK(text.layers_run() == 3);
  const auto whole = text.WholeLosses(**words, {});
  REQUIRE(whole.has_value());
  PredictionQuestion question{.rows = {0, 1, 2, 3, 4, 5}};
  const auto expected = Predict(&forward, **words, input, question, nullptr, {});
  CHECK(*whole->loss == Near(*expected->loss, 1e-5 * (1.0 + *expected->loss)));
  CHECK_FALSE(whole->rows.back().next.has_value());
  const auto without = text.Losses(**words, {});
  CHECK(*without->loss != Near(*whole->loss, 1e-4));
  // Nobody less is the whole model.
  made.clear();
  REQUIRE(text.Run({}, Into(&made), {}));
  CHECK(made.empty());
  CHECK(*text.Losses(**words, {})->loss == *whole->loss);
}

TEST_CASE(
    "the attention before the first head that is off is not computed again, and no bit changes",
    "[causes]") {
  for (const Family* family : AllFamilies()) {
    INFO(family->id);
    const auto model = WordModel(family->example).Open();
    auto made_backend = MakeOnednnBackend(Precision::kF32, {.threads = 2});
    REQUIRE(made_backend.has_value());
    CountingBackend backend(std::move(*made_backend));
    Forward forward(model, &backend);
    if (!WordLayer::Make(&forward)) {
      continue;
    }
    const ForwardInput input = test::WordInput(model->description(), 5);
    TextWithout text(&forward, input);
    TextWithout keeps_nothing(&forward, input, 0);
    const HeadIndex first = AllHeadsOf(model->description()).front();
    const HeadsOff one{{first}};
    const HeadsOff both{{first, AllHeadsOf(model->description()).back()}, Replacement::kTextMean};
    const HeadsOff cut{.edges = {{first, 2, 3}}};  // within every window
    int attentions = 0;
    for (const HeadsOff* off : {&one, &one, &both, &cut, &one}) {
      Layers kept;
      Layers anew;
      const auto ran = keeps_nothing.Run(*off, Into(&anew), {});
      INFO((ran ? "" : ran.error().message));
      REQUIRE(ran.has_value());
      backend.attended = 0;
      REQUIRE(text.Run(*off, Into(&kept), {}));
      attentions = attentions == 0 ? backend.attended : attentions;
      CheckEqualMaps(kept, anew);
    }
    CHECK(backend.attended == attentions - 1);  // all but the first layer's own
    Layers edge;
    backend.attended = 0;
    REQUIRE(text.Run(cut, Into(&edge), {}));
    CHECK(backend.attended == attentions);
  }
}

TEST_CASE("what one head costs a text is measured once", "[causes]") {
  const auto model = WordModel(test::Gpt2Config(3, 2)).Open();
  auto made_backend = MakeOnednnBackend();
  REQUIRE(made_backend.has_value());
  CountingBackend backend(std::move(*made_backend));
  Forward forward(model, &backend);
  const auto words = WordLayer::Make(&forward);
  TextWithout text(&forward, test::WordInput(model->description(), 6));
  for (const HeadIndex head : {HeadIndex{1, 0}, HeadIndex{2, 1}}) {
    const auto measured = text.LossWithout(head, **words, {});
    REQUIRE(measured.has_value());
    REQUIRE(measured->has_value());
    const auto expected = text.LossesWithout({.heads = {head}}, **words, {});
    CHECK(**measured == *expected->loss);
    backend.attended = 0;
    CHECK(*text.LossWithout(head, **words, {}) == *measured);
    CHECK(backend.attended == 0);
  }
  const auto none = text.LossWithout({3, 0}, **words, {});
  REQUIRE_FALSE(none.has_value());
  CHECK(none.error().message == "the model has no head L3H0");
}

TEST_CASE("a text that is too large to be kept begins anew, and says the same", "[causes]") {
  const auto model = WordModel(test::Gpt2Config(3, 2)).Open();
  const auto backend = MakeReferenceBackend();
  Forward forward(model, backend.get());
  const ForwardInput input = test::WordInput(model->description(), 6);
  TextWithout text(&forward, input);
  TextWithout keeps_nothing(&forward, input, 0);
  const HeadsOff off{{{1, 1}}, Replacement::kTextMean};
  for (int again = 0; again < 2; ++again) {
    Layers made;
    Layers anew;
    REQUIRE(text.Run(off, Into(&made), {}));
    REQUIRE(keeps_nothing.Run(off, Into(&anew), {}));
    CHECK(keeps_nothing.layers_run() == 3);
    CheckSameMaps(made, anew);
  }
}

TEST_CASE("no head is taken away that is not there, and a stopped run says so", "[causes]") {
  const auto model = WordModel(test::Gpt2Config(2, 2)).Open();
  const auto backend = MakeReferenceBackend();
  Forward forward(model, backend.get());
  TextWithout text(&forward, test::WordInput(model->description(), 4));
  Layers made;
  for (const HeadIndex head :
       {HeadIndex{2, 0}, HeadIndex{0, 2}, HeadIndex{0, 0, ModelPart::kCross}}) {
    const Status status = text.Run({{head}, Replacement::kZero}, Into(&made), {});
    REQUIRE_FALSE(status.has_value());
    CHECK(status.error().message == "the model has no head " + HeadName(head));
  }
  CHECK_FALSE(text.Run({{{0, 0}}, Replacement::kProbeMean}, Into(&made), {}).has_value());
  std::stop_source stop;
  stop.request_stop();
  const Status stopped = text.Run({{{0, 0}}, Replacement::kZero}, Into(&made), stop.get_token());
  REQUIRE_FALSE(stopped.has_value());
  CHECK(stopped.error().code == ErrorCode::kCancelled);
  CHECK(made.empty());
}

}  // namespace headscope
