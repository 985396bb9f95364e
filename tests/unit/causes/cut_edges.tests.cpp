#include "core/causes/cut_edges.h"

#include <cmath>
#include <numeric>

#include "core/causes/asked_heads.h"
#include "core/causes/prediction.h"
#include "core/causes/probe_means.h"
#include "core/causes/text_without.h"
#include "core/causes/word_layer.h"
#include "tests/reference/cut_attention_reference.h"
#include "tests/support/backends.h"
#include "tests/support/catch.h"
#include "tests/support/near.h"
#include "tests/unit/causes/changed_maps.h"
#include "tests/unit/causes/word_models.h"

namespace headscope {
namespace {

using test::CheckSameMaps;
using test::CutAttentionReference;
using test::FromTheStart;
using test::Into;
using test::Layers;
using test::Near;
using test::WordModel;

std::vector<double> CutOf(std::vector<CutEdge> edges,
                          bool renormalises,
                          std::int64_t row,
                          bool has_sink,
                          std::vector<double> weights) {
  CutEdges(std::move(edges), renormalises).CutRow({0, 1}, row, has_sink, weights);
  return weights;
}

// Edges of the first and of the last head: one, and a key for all rows.
HeadsOff SomeEdges(const std::vector<HeadIndex>& all, bool renormalises) {
  HeadsOff off{.heads = {}, .edges = {}, .renormalises = renormalises};
  off.edges = {{all.front(), 1, 2}, {all.back(), 0, {}}, {all.back(), 1, {}}};
  std::ranges::sort(off.edges);
  return off;
}

Status KeepEnd(Forward* forward,
               const ForwardInput& input,
               LayerChanges* changes,
               std::vector<float>* end) {
  struct Ends : LayerChanges {
    LayerChanges* other = nullptr;
    const Backend* backend = nullptr;
    std::vector<float>* end = nullptr;
    Status Attend(LayerId layer,
                  const AttentionInput& attention,
                  Backend* own,
                  AttentionObserver* observer,
                  Activations* context,
                  const std::stop_token& stop) override {
      return other->Attend(layer, attention, own, observer, context, stop);
    }
    Status OnEnd(ModelPart /*stack*/, const Activations& states) override {
      end->resize(static_cast<std::size_t>(states.rows() * states.cols()));
      backend->Read(states, *end);
      return {};
    }
  };
  Ends ends;
  ends.other = changes;
  ends.backend = &forward->backend();
  ends.end = end;
  return forward->RunChanged(
      input, {.stack = PartsOf(forward->model().description()).front()}, &ends, nullptr, {});
}

}  // namespace

TEST_CASE("a weight that is cut is 0, and the rest stays or adds up to 1", "[causes][edges]") {
  const std::vector<double> even = {.25, .25, .25, .25};
  using Row = std::vector<double>;
  CHECK(CutOf({{{0, 1}, 1, 3}}, false, 3, false, even) == Row{.25, 0.0, .25, .25});
  const Row third = CutOf({{{0, 1}, 1, 3}}, true, 3, false, even);
  CHECK(third[1] == 0.0);
  CHECK(third[0] == Near(1.0 / 3.0, 1e-15));
  CHECK(third[3] == Near(1.0 / 3.0, 1e-15));
  // Another row, another head: nothing.
  CHECK(CutOf({{{0, 1}, 1, 2}, {{0, 0}, 0, {}}}, true, 3, false, even) == even);
  // A key of all rows, twice: once.
  CHECK(CutOf({{{0, 1}, 0, {}}, {{0, 1}, 0, 3}}, false, 3, false, even) == Row{0.0, .25, .25, .25});
  // A sink has the .4 that the row lacks, and is half of what is left of it.
  const Row with_sink = CutOf({{{0, 1}, 0, {}}}, true, 2, true, {.2, .2, .2});
  CHECK(with_sink[0] == 0.0);
  CHECK(with_sink[1] == Near(.25, 1e-15));
  CHECK(with_sink[2] == Near(.25, 1e-15));
  // Nothing is left.
  CHECK(CutOf({{{0, 1}, 0, {}}}, true, 0, false, {1.0}) == Row{0.0});
}

TEST_CASE("cut edges are those of attention in double with them left out, in every family",
          "[causes][edges]") {
  int families = 0;
  for (const Family* family : AllFamilies()) {
    INFO(family->id);
    const auto model = WordModel(family->example).Open();
    if (model->description().reads_embeddings()) {
      continue;
    }
    for (const auto& backend : test::AllBackends()) {
      Forward forward(model, backend.get());
      const ForwardInput input = test::WordInput(model->description(), 5);
      const std::vector<HeadIndex> all = AllHeadsOf(model->description());
      for (const bool renormalises : {false, true}) {
        INFO(renormalises);
        const HeadsOff off = SomeEdges(all, renormalises);
        CutAttentionReference slow(off);
        RemovedHeads removed(forward);
        removed.Cut({off.edges, off.renormalises});
        RemovedHeads none(forward);
        std::vector<float> expected;
        std::vector<float> made;
        std::vector<float> whole;
        REQUIRE(KeepEnd(&forward, input, &slow, &expected));
        REQUIRE(KeepEnd(&forward, input, &removed, &made));
        REQUIRE(KeepEnd(&forward, input, &none, &whole));
        REQUIRE(made.size() == expected.size());
        for (std::size_t i = 0; i < made.size(); ++i) {
          const double size = 1.0 + std::abs(static_cast<double>(expected[i]));
          CHECK(made[i] == Near(expected[i], 2e-5 * size));
        }
        CHECK(made != whole);
        // From the first layer with an edge less on.
        TextWithout text(&forward, input);
        Layers maps;
        REQUIRE(text.Run(off, Into(&maps), {}));
        CheckSameMaps(maps, FromTheStart(&forward, input, &slow, off));
        maps.clear();
        REQUIRE(text.Run(off, Into(&maps), {}));
        CheckSameMaps(maps, FromTheStart(&forward, input, &slow, off));
      }
    }
    ++families;
  }
  CHECK(families >= 40);
}

TEST_CASE("an edge that is masked as it is is refused with the reason", "[causes][edges]") {
  const auto why_not = [](std::string_view config, const CutEdge& edge) -> std::string {
    const auto model = WordModel(config).Open();
    const auto backend = MakeReferenceBackend();
    Forward forward(model, backend.get());
    RemovedHeads removed(forward);
    removed.Cut({{edge}, false});
    std::vector<float> end;
    const Status ran = KeepEnd(&forward, test::WordInput(model->description(), 6), &removed, &end);
    return ran ? "" : ran.error().message;
  };
  const std::string gpt2 = test::Gpt2Config(2, 2);
  const std::string later = why_not(gpt2, {{1, 0}, 5, 2});
  INFO(later);
  CHECK(later.find("L1H0:2:5: L1H0 does not see key 5 from query 2") != std::string::npos);
  CHECK(later.find("later key") != std::string::npos);
  CHECK(why_not(gpt2, {{1, 0}, 2, 2}).empty());
  CHECK(why_not(gpt2, {{1, 0}, 5, {}}).empty());  // its own row sees it
  const std::string mistral =
      R"({"model_type": "mistral", "num_hidden_layers": 2, "num_attention_heads": 2,
          "num_key_value_heads": 2, "hidden_size": 8, "intermediate_size": 10,
          "max_position_embeddings": 32, "vocab_size": 40, "sliding_window": 3})";
  CHECK(why_not(mistral, {{0, 1}, 2, 4}).empty());
  const std::string far = why_not(mistral, {{0, 1}, 1, 4});
  CHECK(far.find("L0H1 does not see key 1 from query 4") != std::string::npos);
  CHECK(far.find("less than 3 tokens away") != std::string::npos);
  CHECK(why_not(test::kBartConfig, {{0, 1, ModelPart::kEncoder}, 4, 1}).empty());
}

TEST_CASE("a head all of whose keys are cut is a head that is off", "[causes][edges]") {
  const auto model = WordModel(test::kGroupedConfig).Open();
  const auto backend = MakeOnednnBackend();  // float32, as what is kept: to the last bit
  REQUIRE(backend.has_value());
  Forward forward(model, backend->get());
  const ForwardInput input = test::WordInput(model->description(), 5);
  const auto words = WordLayer::Make(&forward);
  REQUIRE(words.has_value());
  TextWithout text(&forward, input);
  for (const HeadIndex head : {HeadIndex{0, 1}, HeadIndex{1, 3}, HeadIndex{2, 0}}) {
    HeadsOff cut;
    for (std::int64_t key = 0; key < 5; ++key) {
      cut.edges.push_back({head, key, {}});
    }
    const auto off = text.LossesWithout({.heads = {head}}, **words, {});
    const auto whole = text.WholeLosses(**words, {});
    for (const bool renormalises : {false, true}) {
      cut.renormalises = renormalises;
      const auto edges = text.LossesWithout(cut, **words, {});
      REQUIRE((off && edges && whole));
      CHECK(*edges->loss == *off->loss);
      CHECK(*edges->loss != *whole->loss);
    }
  }
}

TEST_CASE("heads at this text's mean keep the whole model's mean beside cut edges",
          "[causes][edges]") {
  const auto model = WordModel(test::Gpt2Config(2, 3)).Open();
  const auto backend = MakeReferenceBackend();
  Forward forward(model, backend.get());
  const ForwardInput input = test::WordInput(model->description(), 6);
  const auto words = WordLayer::Make(&forward);
  // Another head's edge in the same layer, asked first: its rows are not the whole model's.
  const HeadsOff off{{{0, 1}}, Replacement::kTextMean, {{{0, 1}, 0, {}}, {{0, 2}, 0, {}}}};
  TextWithout text(&forward, input);
  const auto made = text.LossesWithout(off, **words, {});
  ProbeMeans means({input});
  REQUIRE(means.Run(&forward, {}));
  RemovedHeads removed(forward);
  removed.Remove({0, 1}, means.MeanOf({0, 1}));
  removed.Cut({off.edges, false});
  PredictionQuestion question{.rows = {0, 1, 2, 3, 4, 5}};
  const auto expected = Predict(&forward, **words, input, question, &removed, {});
  REQUIRE((made && expected));
  CHECK(*made->loss == Near(*expected->loss, 1e-6));
  const auto changes = text.Changes(off, {});
  const auto same = Predict(&forward, **words, input, question, changes->get(), {});
  CHECK(*same->loss == Near(*expected->loss, 1e-6));
}

TEST_CASE("shares add up with edges cut, and a cut key has none, in every family",
          "[causes][edges]") {
  for (const Family* family : AllFamilies()) {
    INFO(family->id);
    const auto model = WordModel(family->example).Open();
    const ModelDescription& shape = model->description();
    const auto backend = MakeReferenceBackend();
    Forward forward(model, backend.get());
    if (!WordLayer::Make(&forward) || !CheckShares(shape)) {
      continue;
    }
    const ModelPart part = shape.decoder ? ModelPart::kDecoder : ModelPart::kWhole;
    const HeadIndex head{StackOf(shape, part).layers - 1, 1, part};
    for (const bool renormalises : {false, true}) {
      RemovedHeads removed(forward);
      removed.Cut({{{head, 2, 3}}, renormalises});
      PredictionQuestion question{.rows = {3}};
      question.row = 3;
      question.has_shares = true;
      question.by_key = {head};
      const auto made = Predict(&forward, test::WordInput(shape, 5), question, &removed, {});
      REQUIRE(made.has_value());
      const LogitShares& shares = *made->shares;
      CHECK(shares.sum == Near(shares.logit, 1e-5 * (1.0 + std::abs(shares.logit))));
      const std::vector<double>& keys = shares.keys.at(head);
      CHECK(keys[2] == 0.0);
      CHECK(std::accumulate(keys.begin(), keys.end(), 0.0) == Near(shares.Find(head)->share, 1e-5));
    }
  }
}

TEST_CASE("edges that are not there are refused", "[causes][edges]") {
  const auto model = WordModel(test::Gpt2Config(2, 2)).Open();
  const auto backend = MakeReferenceBackend();
  Forward forward(model, backend.get());
  TextWithout text(&forward, test::WordInput(model->description(), 4));
  const auto refusal = [&](CutEdge edge) {
    Layers made;
    const Status status = text.Run({.edges = {edge}}, Into(&made), {});
    REQUIRE_FALSE(status.has_value());
    CHECK(made.empty());
    return status.error().message;
  };
  CHECK_THAT(refusal({{0, 0}, 4, {}}),
             test::Says("L0H0:4: the text has the rows 0 to 3 and the keys 0 to 3"));
  CHECK_THAT(refusal({{1, 1}, 1, 7}), test::Says("L1H1:7:1"));
  CHECK(refusal({{0, 5}, 1, {}}) == "the model has no head L0H5");
  std::stop_source stop;
  stop.request_stop();
  Layers made;
  const Status stopped = text.Run({.edges = {{{0, 0}, 0, {}}}}, Into(&made), stop.get_token());
  REQUIRE_FALSE(stopped.has_value());
  CHECK(stopped.error().code == ErrorCode::kCancelled);
}

}  // namespace headscope
