#include "core/causes/patching.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>

#include "tests/support/backends.h"
#include "tests/support/catch.h"
#include "tests/support/near.h"
#include "tests/unit/causes/word_models.h"

namespace headscope {
namespace {

using test::Near;
using test::WordModel;
using Thing = Patching::Thing;

PatchPair PairFor(const ModelDescription& model, std::int64_t tokens) {
  PatchPair pair;
  pair.clean = test::WordInput(model, tokens);
  pair.corrupted = pair.clean;
  const auto other = static_cast<std::int32_t>((pair.clean.ids[1] + 5) % 11);
  pair.corrupted.ids[1] = other;
  pair.corrupted.ids[2] = pair.clean.ids[1];
  pair.right = 1;
  pair.wrong = 2;
  pair.row = tokens - (model.decoder ? 2 : 1);
  return pair;
}

std::unique_ptr<Patching> Made(Forward* forward,
                               const PatchPair& pair,
                               PatchDirection direction = PatchDirection::kDenoise) {
  auto made = Patching::Make(forward, pair, direction, {});
  INFO((made ? "" : made.error().message));
  REQUIRE(made.has_value());
  return std::move(*made);
}

std::vector<double> Scores(Patching* patching, const std::vector<std::vector<Thing>>& runs) {
  auto metrics = patching->Run(runs, {});
  REQUIRE(metrics.has_value());
  std::ranges::transform(
      *metrics, metrics->begin(), [&](double metric) { return patching->ScoreOf(metric); });
  return std::move(*metrics);
}

std::vector<double> HeadScores(Forward* forward, const PatchPair& pair, PatchWhat what) {
  const auto patching = Made(forward, pair);
  const auto patched = PatchPairOf(forward, pair, {.what = what}, {});
  REQUIRE(patched.has_value());
  std::vector<double> scores;
  for (const double metric : patched->metrics) {
    scores.push_back(patching->ScoreOf(metric));
  }
  return scores;
}

// The same model with the heads of every layer in another order.
test::TinyModel Reordered(test::TinyModel model, const std::vector<std::size_t>& order) {
  const auto heads = static_cast<std::size_t>(model.description.heads);
  const auto width = static_cast<std::size_t>(model.description.head_dim);
  const std::size_t dim = heads * width;
  for (std::int64_t layer = 0; layer < model.description.layers; ++layer) {
    const std::string attention = "h." + std::to_string(layer) + ".attn.";
    const auto weight = model.tensors.at(attention + "c_attn.weight").values;
    const auto bias = model.tensors.at(attention + "c_attn.bias").values;
    const auto output = model.tensors.at(attention + "c_proj.weight").values;
    auto& new_weight = model.tensors.at(attention + "c_attn.weight").values;
    auto& new_bias = model.tensors.at(attention + "c_attn.bias").values;
    auto& new_output = model.tensors.at(attention + "c_proj.weight").values;
    for (std::size_t head = 0; head < heads; ++head) {
      for (std::size_t i = 0; i < width; ++i) {
        const std::size_t to = head * width + i;
        const std::size_t from = order[head] * width + i;
        for (std::size_t part = 0; part < 3; ++part) {
          new_bias[part * dim + to] = bias[part * dim + from];
          for (std::size_t row = 0; row < dim; ++row) {
            new_weight[row * 3 * dim + part * dim + to] = weight[row * 3 * dim + part * dim + from];
          }
        }
        for (std::size_t col = 0; col < dim; ++col) {
          new_output[to * dim + col] = output[from * dim + col];
        }
      }
    }
  }
  return model;
}

}  // namespace

TEST_CASE("Everything taken over restores 1 and nothing restores 0, in every family", "[causes]") {
  int families = 0;
  for (const Family* family : AllFamilies()) {
    INFO(family->id);
    const auto model = WordModel(family->example).Open();
    const ModelDescription& shape = model->description();
    const auto backend = MakeReferenceBackend();
    Forward forward(model, backend.get());
    const PatchPair pair = PairFor(shape, 6);
    const auto made = Patching::Make(&forward, pair, PatchDirection::kNoise, {});
    if (!made || std::abs((*made)->clean_metric() - (*made)->corrupted_metric()) < 1e-6) {
      continue;
    }
    if (shape.token_inputs) {  // the stream is not all that layers read of the text
      CHECK_THAT(shape.note, test::Says("beside the stream"));
      const std::vector<double> shares =
          Scores(made->get(), {{}, {{PatchWhat::kStream, {PartsOf(shape).front(), 0}, -1, -1}}});
      CHECK(shares[0] == 0.0);
      CHECK(std::abs(shares[1] - 1.0) > 1e-3);
      continue;
    }
    ++families;
    const ModelPart first = PartsOf(shape).front();
    const auto scores = Scores(made->get(),
                               {{{PatchWhat::kStream, {first, 0}, -1, -1}},
                                {},
                                {{PatchWhat::kStream, {first, 0}, -1, 0}},
                                {{PatchWhat::kOutput, {first, shape.layers - 1}, 0, 0},
                                 {PatchWhat::kStream, {first, 0}, -1, -1}}});
    CHECK(scores[0] == Near(1.0, 1e-5));
    CHECK(scores[1] == 0.0);
    if (first == ModelPart::kWhole && shape.causal) {
      CHECK(scores[2] == Near(0.0, 1e-5));  // the first token is the same in both
    }
    CHECK(scores[3] == Near(1.0, 1e-5));
  }
  CHECK(families >= 40);
}

TEST_CASE("Noising is denoising with the texts exchanged", "[causes]") {
  const auto model = WordModel(test::Gpt2Config(3, 3)).Open();
  const auto backend = MakeReferenceBackend();
  Forward forward(model, backend.get());
  const PatchPair pair = PairFor(model->description(), 7);
  PatchPair exchanged = pair;
  std::swap(exchanged.clean, exchanged.corrupted);
  for (const PatchWhat what : {PatchWhat::kOutput, PatchWhat::kKeys, PatchWhat::kMlp}) {
    const auto one =
        PatchPairOf(&forward, pair, {.what = what, .direction = PatchDirection::kNoise}, {});
    const auto other = PatchPairOf(&forward, exchanged, {.what = what}, {});
    REQUIRE((one && other));
    CHECK(one->metrics == other->metrics);
    CHECK(one->clean == other->corrupted);
  }
}

TEST_CASE("With the heads in another order the map follows", "[causes]") {
  const std::vector<std::size_t> order = {2, 0, 3, 1};
  const auto plain = WordModel(test::Gpt2Config(2, 4));
  const auto model = plain.Open();
  const auto reordered = Reordered(plain, order).Open();
  for (const auto& backend : test::AllBackends()) {
    Forward forward(model, backend.get());
    Forward other(reordered, backend.get());
    const PatchPair pair = PairFor(model->description(), 7);
    for (const PatchWhat what :
         {PatchWhat::kOutput, PatchWhat::kPattern, PatchWhat::kQueries, PatchWhat::kValues}) {
      const auto scores = HeadScores(&forward, pair, what);
      const auto moved = HeadScores(&other, pair, what);
      REQUIRE(scores.size() == 8);
      for (std::size_t place = 0; place < scores.size(); ++place) {
        CHECK(moved[place] == Near(scores[place / 4 * 4 + order[place % 4]], 1e-4));
      }
    }
  }
}

TEST_CASE("Of grouped keys and values only what one head reads is changed", "[causes]") {
  const auto model = WordModel(test::kGroupedConfig).Open();
  const auto backend = MakeReferenceBackend();
  Forward forward(model, backend.get());
  const PatchPair pair = PairFor(model->description(), 7);
  const auto patching = Made(&forward, pair);
  const LayerId last{ModelPart::kWhole, 2};
  for (const PatchWhat what : {PatchWhat::kKeys, PatchWhat::kValues}) {
    // Heads 0 and 1 share keys and values; the last layer's heads add up, with nothing behind them
    // but an MLP, so that one of the pair alone is not both.
    const auto scores = Scores(
        patching.get(), {{{what, last, 0}}, {{what, last, 1}}, {{what, last, 0}, {what, last, 1}}});
    CHECK(scores[0] != Near(scores[1], 1e-6));
    CHECK(scores[0] != Near(scores[2], 1e-6));
  }
  // Queries, keys and values of a head together are its output.
  const auto scores = Scores(patching.get(),
                             {{{PatchWhat::kPattern, last, 3}, {PatchWhat::kValues, last, 3}},
                              {{PatchWhat::kOutput, last, 3}}});
  CHECK(scores[0] == Near(scores[1], 1e-6));
}

TEST_CASE("One row of the last layer's head is what the row says", "[causes]") {
  const auto model = WordModel(test::Gpt2Config(2, 2)).Open();
  const auto backend = MakeReferenceBackend();
  Forward forward(model, backend.get());
  const PatchPair pair = PairFor(model->description(), 6);
  const auto patching = Made(&forward, pair);
  const LayerId last{ModelPart::kWhole, 1};
  for (const PatchWhat what : {PatchWhat::kOutput, PatchWhat::kPattern, PatchWhat::kQueries}) {
    INFO(PatchName(what));
    const auto scores = Scores(
        patching.get(),
        {{{what, last, 1, -1}}, {{what, last, 1, pair.row}}, {{what, last, 1, pair.row - 1}}});
    CHECK(scores[0] == Near(scores[1], 1e-6));
    CHECK(scores[2] == Near(0.0, 1e-6));
  }
}

TEST_CASE("One row of weights is the other text's, and every other row stays", "[causes]") {
  const auto model = WordModel(test::kGroupedConfig).Open();
  for (const auto& backend : test::AllBackends()) {
    Forward forward(model, backend.get());
    const PatchPair pair = PairFor(model->description(), 6);
    const auto patching = Made(&forward, pair);
    const LayerId first{ModelPart::kWhole, 0};
    std::vector<Thing> all;
    for (std::int64_t row = 0; row < 6; ++row) {
      all.push_back({PatchWhat::kPattern, first, 2, row});
    }
    const auto scores = Scores(
        patching.get(), {all, {{PatchWhat::kPattern, first, 2}}, {{PatchWhat::kOutput, first, 2}}});
    CHECK(scores[0] == Near(scores[1], 1e-5));  // every row by itself is all of them
    all.push_back({PatchWhat::kValues, first, 2});
    const auto whole = Scores(patching.get(), {all});
    CHECK(whole[0] == Near(scores[2], 1e-5));
    // A row before the texts differ has the same weights in both.
    const auto none = Scores(patching.get(), {{{PatchWhat::kPattern, first, 2, 0}}});
    CHECK(none[0] == Near(0.0, 1e-6));
  }
}

TEST_CASE("One row is taken of the heads that have it", "[causes]") {
  const auto plain = WordModel(test::Gpt2Config(2, 2)).Open();
  const PatchQuestion fifth{.at = 5};
  CHECK(HeadsTaken(plain->description(), fifth, {6, 0}).size() == 4);
  CHECK(CheckRowTaken(plain->description(), fifth, {6, 0}).has_value());
  const Status beyond = CheckRowTaken(plain->description(), fifth, {5, 0});
  REQUIRE(!beyond);
  CHECK(beyond.error().message.find("rows 0 to 4") != std::string::npos);
  CHECK(!CheckRowTaken(plain->description(), {.at = -1}, {5, 0}));
  const auto two = WordModel(test::kBartConfig).Open();
  const auto parts_of = [&](const PatchQuestion& question, PatchLengths lengths) {
    std::vector<ModelPart> parts;
    for (const HeadIndex head : HeadsTaken(two->description(), question, lengths)) {
      if (parts.empty() || parts.back() != head.part) {
        parts.push_back(head.part);
      }
    }
    return parts;
  };
  using Parts = std::vector<ModelPart>;
  CHECK(parts_of({}, {6, 1}) == Parts{ModelPart::kEncoder, ModelPart::kDecoder, ModelPart::kCross});
  CHECK(parts_of({.at = 3}, {6, 1}) == Parts{ModelPart::kEncoder});
  // Keys of cross-attention are the text's.
  CHECK(parts_of({.what = PatchWhat::kKeys, .at = 3}, {6, 1}) ==
        Parts{ModelPart::kEncoder, ModelPart::kCross});
  CHECK(parts_of({.at = 3}, {2, 5}) == Parts{ModelPart::kDecoder, ModelPart::kCross});
}

TEST_CASE("Runs side by side are the runs one by one", "[causes]") {
  const auto model = WordModel(test::Gpt2Config(3, 4)).Open();
  for (const auto& backend : test::AllBackends()) {
    Forward forward(model, backend.get());
    const PatchPair pair = PairFor(model->description(), 8);
    const auto patching = Made(&forward, pair);
    std::vector<std::vector<Thing>> runs;
    for (std::int64_t head = 0; head < 4; ++head) {
      runs.push_back({{PatchWhat::kKeys, {ModelPart::kWhole, 1}, head}});
    }
    const auto together = Scores(patching.get(), runs);
    for (std::size_t head = 0; head < runs.size(); ++head) {
      CHECK(Scores(patching.get(), {runs[head]}).front() == Near(together[head], 1e-4));
    }
  }
}

TEST_CASE("Each sender of paths is followed alone; without any nothing arrives", "[causes]") {
  const auto model = WordModel(test::Gpt2Config(2, 2)).Open();
  const auto backend = MakeReferenceBackend();
  Forward forward(model, backend.get());
  const PatchPair pair = PairFor(model->description(), 6);
  const auto patching = Made(&forward, pair, PatchDirection::kNoise);
  const PatchPaths paths{
      .from = {{0, 0}, {0, 1}}, .to = {{{1, 0}, HeadInput::kValues}}, .freezes_mlps = true};
  const auto alone = patching->RunPaths({{{0, 0}}, {{0, 1}}, {}}, paths, {});
  REQUIRE(alone.has_value());
  CHECK((*alone)[0] != Near((*alone)[1], 1e-6));
  CHECK(patching->ScoreOf((*alone)[2]) == Near(0.0, 1e-6));
  const PatchedPair made =
      *PatchPairOf(&forward, pair, {.direction = PatchDirection::kNoise, .paths = paths}, {});
  REQUIRE(made.metrics.size() == 3);  // and both together
  CHECK(made.metrics[0] == (*alone)[0]);
  CHECK(made.metrics[1] == (*alone)[1]);
}

TEST_CASE("Paths to the logits leave every other head out", "[causes]") {
  auto plain = WordModel(test::Gpt2Config(2, 2));
  const auto model = plain.Open();
  for (float& weight : plain.tensors.at("h.1.attn.c_proj.weight").values) {
    weight = 0.0F;
  }
  const auto silent = plain.Open();  // its last heads say nothing
  for (const auto& backend : test::AllBackends()) {
    Forward forward(model, backend.get());
    Forward other(silent, backend.get());
    const PatchPair pair = PairFor(model->description(), 6);
    const auto made = [&](Forward* of, const PatchPaths& paths) {
      const auto patched =
          PatchPairOf(of, pair, {.direction = PatchDirection::kNoise, .paths = paths}, {});
      REQUIRE(patched.has_value());
      return patched->metrics;
    };
    const auto noised = [&](Forward* of) {
      return PatchPairOf(of, pair, {.direction = PatchDirection::kNoise}, {})->metrics;
    };
    const PatchPaths all{.from = SendersTo(model->description(), {}), .to = {}};
    REQUIRE(all.from.size() == 4);
    const auto direct = made(&forward, all);
    const auto whole = noised(&forward);
    REQUIRE(direct.size() == 5);
    // Behind the last layer's heads there is no other; behind the first's there is.
    CHECK(direct[2] == Near(whole[2], 1e-5));
    CHECK(direct[3] == Near(whole[3], 1e-5));
    CHECK(direct[0] != Near(whole[0], 1e-3));
    const auto alone = made(&other, all);
    const auto through = noised(&other);
    for (const std::size_t head : {0U, 1U}) {
      CHECK(alone[head] == Near(through[head], 1e-5));
    }
    PatchPaths frozen = all;
    frozen.freezes_mlps = true;
    CHECK(made(&forward, frozen)[0] != Near(direct[0], 1e-3));
  }
}

TEST_CASE("Senders are all heads before the first receiver", "[causes]") {
  const auto model = WordModel(test::Gpt2Config(4, 2)).Open();
  const std::vector<HeadReading> to = {{{3, 1}, HeadInput::kQueries}, {{2, 0}, HeadInput::kKeys}};
  CHECK(SendersTo(model->description(), to) ==
        std::vector<HeadIndex>{{0, 0}, {0, 1}, {1, 0}, {1, 1}});
  CHECK(SendersTo(model->description(), {}).size() == 8);
  CHECK(SendersTo(model->description(), std::vector<HeadReading>{{{0, 1}, HeadInput::kKeys}})
            .empty());
}

TEST_CASE("In an encoder-decoder direct paths lead through one stack, or into cross-attention",
          "[causes]") {
  const auto model = WordModel(test::kBartConfig).Open();
  const ModelDescription& shape = model->description();
  const auto senders = [&](std::string_view to) {
    std::string names;
    for (const HeadIndex head : SendersTo(shape, *ReadHeadInputs(to, shape))) {
      names += HeadName(head) + " ";
    }
    return names;
  };
  CHECK(senders("X0H1:k") == "E0H0 E0H1 E1H0 E1H1 ");
  CHECK(senders("X1H0:v") == senders("X0H1:k"));
  CHECK(senders("X0H0:q") == "D0H0 D0H1 ");
  CHECK(senders("D1H0:q") == "D0H0 D0H1 X0H0 X0H1 ");
  CHECK(senders("E1H1:v") == "E0H0 E0H1 ");
  CHECK(senders("D0H0:k").empty());
  CHECK(senders("X0H0:k,D1H0:q").empty());
  CHECK(WhyNoSender(*ReadHeadInputs("X0H0:k,D1H0:q", shape)).find("ask for them apart") !=
        std::string::npos);
  CHECK(WhyNoSender(*ReadHeadInputs("D0H0:k", shape)) == "no head is before D0H0");
  CHECK(SendersTo(shape, {}).size() == 8);  // the encoder's words are read by other heads alone
}

TEST_CASE("Nothing of an encoder's head arrives where no direct path leads", "[causes]") {
  const auto model = WordModel(test::kBartConfig).Open();
  for (const auto& backend : test::AllBackends()) {
    Forward forward(model, backend.get());
    const PatchPair pair = PairFor(model->description(), 6);
    const auto patching = Made(&forward, pair, PatchDirection::kNoise);
    const HeadIndex sender{0, 1, ModelPart::kEncoder};
    const auto score = [&](const PatchPaths& paths) {
      const auto metrics = patching->RunPaths({{sender}}, paths, {});
      REQUIRE(metrics.has_value());
      return patching->ScoreOf(metrics->front());
    };
    CHECK(score({.from = {sender}, .to = {}}) == Near(0.0, 1e-5));
    const HeadIndex self{1, 0, ModelPart::kDecoder};
    CHECK(score({.from = {sender}, .to = {{self, HeadInput::kValues}}}) == Near(0.0, 1e-5));
    const HeadIndex cross{0, 1, ModelPart::kCross};
    CHECK(std::abs(score({.from = {sender}, .to = {{cross, HeadInput::kValues}}})) > 1e-4);
  }
}

TEST_CASE("What is there of paths is told before each run", "[causes]") {
  const auto model = WordModel(test::Gpt2Config(3, 2)).Open();
  const auto backend = MakeReferenceBackend();
  Forward forward(model, backend.get());
  const PatchPair pair = PairFor(model->description(), 6);
  PatchPaths paths{.from = {}, .to = {{{2, 0}, HeadInput::kQueries}}};
  paths.from = SendersTo(model->description(), paths.to);
  std::vector<std::size_t> told;
  const auto patched =
      PatchPairOf(&forward,
                  pair,
                  {.direction = PatchDirection::kNoise, .paths = paths},
                  {},
                  [&](std::span<const double> metrics) { told.push_back(metrics.size()); });
  REQUIRE(patched.has_value());
  CHECK(told == std::vector<std::size_t>{0, 2, 4});  // a layer at once, and all of them together
  CHECK(patched->metrics.size() == 5);
}

TEST_CASE("Texts of unequal numbers of tokens are refused with both", "[causes]") {
  const auto model = WordModel(test::Gpt2Config(1, 2)).Open();
  const auto backend = MakeReferenceBackend();
  Forward forward(model, backend.get());
  PatchPair pair = PairFor(model->description(), 6);
  pair.corrupted.ids.push_back(3);
  const auto made = Patching::Make(&forward, pair, PatchDirection::kDenoise, {});
  REQUIRE(!made);
  CHECK(made.error().message.find("6 tokens") != std::string::npos);
  CHECK(made.error().message.find("7") != std::string::npos);
}

TEST_CASE("Scores over pairs are a ratio of means, with its error", "[causes]") {
  const std::vector<PatchedPair> pairs = {{.clean = 3.0, .corrupted = -1.0, .metrics = {1.0, -1.0}},
                                          {.clean = 2.0, .corrupted = 0.5, .metrics = {1.0, 2.0}}};
  const auto scores = ScoresOfPairs(pairs, PatchDirection::kDenoise);
  REQUIRE(scores.has_value());
  CHECK((*scores)[0].score == Near((2.0 + 0.5) / (4.0 + 1.5), 1e-12));
  CHECK((*scores)[1].score == Near(1.5 / 5.5, 1e-12));
  // Rests 2 - 4 r and .5 - 1.5 r; their mean's error over the mean difference 2.75.
  const double ratio = 2.5 / 5.5;
  const double rest = std::pow(2.0 - 4.0 * ratio, 2) + std::pow(0.5 - 1.5 * ratio, 2);
  CHECK(*(*scores)[0].error == Near(std::sqrt(rest / 2.0) / 2.75, 1e-12));
  CHECK((*scores)[0].restored == 1);
  CHECK((*scores)[1].restored == 0);
  // Where no pair has other signs, none could come back; nor of one pair.
  std::vector<PatchedPair> alike = pairs;
  for (PatchedPair& pair : alike) {
    pair.corrupted = 0.25;
  }
  CHECK_FALSE((*ScoresOfPairs(alike, PatchDirection::kDenoise))[0].restored.has_value());
  CHECK_FALSE((*ScoresOfPairs(std::span(pairs).first(1), PatchDirection::kDenoise))[0]
                  .restored.has_value());
  const auto single = ScoresOfPairs(std::span(pairs).first(1), PatchDirection::kNoise);
  REQUIRE(single.has_value());
  CHECK((*single)[0].score == Near((1.0 - 3.0) / (-1.0 - 3.0), 1e-12));
  CHECK(!(*single)[0].error);
}

TEST_CASE("A model that gives no numbers is to blame, not its texts", "[causes]") {
  for (const char* const name : {"wte.weight", "ln_f.weight"}) {
    auto damaged = WordModel(test::Gpt2Config(1, 2));
    damaged.tensors.at(name).values.back() = std::numeric_limits<float>::quiet_NaN();
    if (std::string_view(name) == "wte.weight") {
      damaged.tensors.at(name).values[4] = std::numeric_limits<float>::infinity();
    }
    const auto model = damaged.Open();
    for (const auto& backend : test::AllBackends()) {
      INFO(name << " on " << backend->Description());
      Forward forward(model, backend.get());
      PatchPair pair = PairFor(model->description(), 6);
      pair.right = 0;
      const auto made = Patching::Make(&forward, pair, PatchDirection::kDenoise, {});
      REQUIRE(!made);
      CHECK(made.error().code == ErrorCode::kNumeric);
    }
  }
}

TEST_CASE("Texts that the metric does not tell apart are refused", "[causes]") {
  const std::vector<PatchedPair> pairs = {{.clean = 3.0, .corrupted = 3.0005, .metrics = {1.0}}};
  const auto scores = ScoresOfPairs(pairs, PatchDirection::kDenoise);
  REQUIRE(!scores);
  CHECK(scores.error().code == ErrorCode::kInput);
  // Of several it is the mean that has to differ, and that is said.
  const std::vector<PatchedPair> both = {{.clean = 3.0, .corrupted = 1.0, .metrics = {1.0}},
                                         {.clean = 1.0, .corrupted = 3.0, .metrics = {1.0}}};
  const auto opposed = ScoresOfPairs(both, PatchDirection::kDenoise);
  REQUIRE(!opposed);
  CHECK(
      opposed.error().message.starts_with("the mean lead over 2 pairs of the right token is "
                                          "2.0000 in the clean texts and 2.0000 in"));
}

}  // namespace headscope
