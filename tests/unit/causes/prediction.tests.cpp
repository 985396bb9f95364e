#include "core/causes/prediction.h"

#include <cmath>
#include <numeric>

#include "core/causes/asked_heads.h"
#include "core/causes/probe_means.h"
#include "core/causes/run_record.h"
#include "core/causes/word_layer.h"
#include "tests/support/backends.h"
#include "tests/support/catch.h"
#include "tests/support/near.h"
#include "tests/unit/causes/word_models.h"

namespace headscope {
namespace {

using test::Near;
using test::WordModel;

Prediction Predicted(const std::shared_ptr<const Model>& model,
                     Backend* backend,
                     const ForwardInput& input,
                     const PredictionQuestion& question,
                     RemovedHeads* removed = nullptr) {
  Forward forward(model, backend);
  auto made = Predict(&forward, input, question, removed, {});
  INFO((made ? "" : made.error().message));
  REQUIRE(made.has_value());
  return std::move(*made);
}

double KeySum(const LogitShares& shares, HeadIndex head) {
  const std::vector<double>& keys = shares.keys.at(head);
  return std::accumulate(keys.begin(), keys.end(), 0.0);
}

}  // namespace

TEST_CASE("Shares add up to the logit, and a head's to its keys, in every family", "[causes]") {
  int families = 0;
  for (const Family* family : AllFamilies()) {
    INFO(family->id);
    const auto model = WordModel(family->example).Open();
    const ModelDescription& shape = model->description();
    const auto backend = MakeReferenceBackend();
    Forward forward(model, backend.get());
    if (!WordLayer::Make(&forward) || !CheckShares(shape)) {
      continue;
    }
    ++families;
    const ForwardInput input = test::WordInput(shape, 5);
    const ModelPart part = shape.decoder ? ModelPart::kDecoder : ModelPart::kWhole;
    const std::int64_t last = StackOf(shape, part).layers - 1;
    PredictionQuestion question{.rows = {2, 3}, .top = 3};
    question.row = 3;
    question.has_shares = true;
    question.by_key = {{0, 1, part}, {last, 0, part}};
    if (shape.decoder) {
      question.by_key.push_back({last, 1, ModelPart::kCross});
    }
    const Prediction made = Predicted(model, backend.get(), input, question);
    REQUIRE(made.shares.has_value());
    const LogitShares& shares = *made.shares;
    CHECK(shares.sum == Near(shares.logit, 1e-5 * (1.0 + std::abs(shares.logit))));
    // Scaled and capped it is what the model says.
    double logit = shares.logit * made.scale;
    logit = made.softcap > 0.0 ? made.softcap * std::tanh(logit / made.softcap) : logit;
    CHECK(logit == Near(made.rows[1].top.front().logit, 1e-5 * (1.0 + std::abs(logit))));
    for (const HeadIndex head : question.by_key) {
      INFO(HeadName(head));
      REQUIRE(shares.Find(head) != nullptr);
      CHECK(KeySum(shares, head) == Near(shares.Find(head)->share, 1e-5));
    }
    // A lead over the token itself is nothing, part by part.
    question.id = shares.question.id;
    question.against = question.id;
    const Prediction none = Predicted(model, backend.get(), input, question);
    for (const SharePart& one : none.shares->parts) {
      CHECK(one.share == 0.0);
    }
  }
  CHECK(families >= 40);
}

TEST_CASE("A text that was run splits one token after another, as a run for each does",
          "[causes]") {
  const auto model = WordModel(test::Gpt2Config(2, 3)).Open();
  const auto backend = MakeReferenceBackend();
  const ForwardInput input = test::WordInput(model->description(), 5);
  PredictionQuestion question{.rows = {1}};
  question.row = 3;
  question.has_shares = true;
  question.by_key = {{1, 2}};
  Forward forward(model, backend.get());
  const auto words = MakeWordLayer(&forward).value();
  const auto text = PredictedText::Run(&forward, *words, input, question, nullptr, {}).value();
  CHECK(text.said().rows.size() == 1);
  CHECK_FALSE(text.said().shares.has_value());
  CHECK(text.Split({}, {}).value().question.id == text.likeliest());
  for (const auto& [id, against] : {std::pair<std::int32_t, std::optional<std::int32_t>>{7, {}},
                                    {0, 11},
                                    {text.likeliest(), {}}}) {
    question.id = id;
    question.against = against;
    const LogitShares once = *Predicted(model, backend.get(), input, question).shares;
    const LogitShares again = text.Split(id, against).value();
    CHECK(again.logit == once.logit);
    CHECK(again.sum == once.sum);
    CHECK(again.keys == once.keys);
    REQUIRE(again.parts.size() == once.parts.size());
    for (std::size_t i = 0; i < once.parts.size(); ++i) {
      CHECK(again.parts[i].share == once.parts[i].share);
    }
  }
  CHECK(text.Split(-1, {}).error().code == ErrorCode::kInput);
  CHECK(text.Split(3, 1'000'000).error().code == ErrorCode::kInput);
}

TEST_CASE("A causal head's share of keys behind the row is 0", "[causes]") {
  const auto model = WordModel(test::Gpt2Config(2, 3)).Open();
  const auto backend = MakeReferenceBackend();
  PredictionQuestion question{.rows = {2}};
  question.row = 2;
  question.has_shares = true;
  question.by_key = {{0, 1}};
  const auto made =
      Predicted(model, backend.get(), test::WordInput(model->description(), 6), question);
  const std::vector<double>& keys = made.shares->keys.at({0, 1});
  REQUIRE(keys.size() == 6);
  CHECK(keys[3] == 0.0);
  CHECK(keys[5] == 0.0);
  CHECK(keys[0] != 0.0);
}

TEST_CASE("Shares above the mean add up to 0 over the vocabulary", "[causes]") {
  const auto model = WordModel(test::Gpt2Config(2, 2)).Open();
  const auto backend = MakeReferenceBackend();
  const ForwardInput input = test::WordInput(model->description(), 4);
  double sum = 0.0;
  for (std::int32_t id = 0; id < 40; ++id) {
    PredictionQuestion question{.rows = {3}};
    question.row = 3;
    question.id = id;
    question.has_shares = true;
    sum += Predicted(model, backend.get(), input, question).shares->Find({1, 1})->above_mean;
  }
  CHECK(sum == Near(0.0, 1e-8));
}

TEST_CASE("A head that is taken away has no share; all others of its layer keep theirs",
          "[causes]") {
  const auto model = WordModel(test::Gpt2Config(2, 3)).Open();
  const auto backend = MakeReferenceBackend();
  const ForwardInput input = test::WordInput(model->description(), 6);
  PredictionQuestion question{.rows = {5}};
  question.row = 5;
  question.id = 7;
  question.has_shares = true;
  Forward forward(model, backend.get());
  RemovedHeads removed(forward);
  removed.Remove({0, 1});
  const auto whole = Predict(&forward, input, question, nullptr, {});
  const auto without = Predict(&forward, input, question, &removed, {});
  REQUIRE((whole && without));
  CHECK(without->shares->Find({0, 1})->share == 0.0);
  CHECK(whole->shares->Find({0, 1})->share != 0.0);
  CHECK(without->shares->sum == Near(without->shares->logit, 1e-5));
  CHECK(without->shares->logit != Near(whole->shares->logit, 1e-3));
}

TEST_CASE("A head whose output is replaced by its own mean over one row changes nothing",
          "[causes]") {
  const auto model = WordModel(test::kGroupedConfig).Open();
  for (const auto& backend : test::AllBackends()) {
    Forward forward(model, backend.get());
    const ForwardInput input = test::WordInput(model->description(), 1);
    const std::vector<HeadIndex> heads = {{0, 1}, {2, 3}};
    ProbeMeans means({input});
    REQUIRE(means.Run(&forward, {}));
    RemovedHeads removed(forward);
    for (const HeadIndex head : heads) {
      removed.Remove(head, means.MeanOf(head));
    }
    const PredictionQuestion question{.rows = {0}, .top = 40};
    const auto whole = Predict(&forward, input, question, nullptr, {});
    const auto without = Predict(&forward, input, question, &removed, {});
    REQUIRE((whole && without));
    for (std::size_t i = 0; i < 40; ++i) {
      CHECK(without->rows[0].top[i].logit == Near(whole->rows[0].top[i].logit, 1e-5));
    }
  }
}

TEST_CASE("With every head at 0 no row knows of the tokens before it", "[causes]") {
  const auto model = WordModel(test::Gpt2Config(3, 2)).Open();
  const auto backend = MakeReferenceBackend();
  Forward forward(model, backend.get());
  RemovedHeads removed(forward);
  for (const HeadIndex head : AllHeadsOf(model->description())) {
    removed.Remove(head);
  }
  const PredictionQuestion question{.rows = {3}, .top = 40};
  ForwardInput one{.ids = {1, 2, 3, 9}, .embeddings = {}};
  ForwardInput other{.ids = {8, 30, 4, 9}, .embeddings = {}};
  const auto first = Predict(&forward, one, question, &removed, {});
  const auto second = Predict(&forward, other, question, &removed, {});
  REQUIRE((first && second));
  CHECK(first->rows[0].top == second->rows[0].top);
}

TEST_CASE("The loss is the mean over the rows whose next word is known", "[causes]") {
  const auto model = WordModel(test::Gpt2Config(1, 2)).Open();
  const auto backend = MakeReferenceBackend();
  const ForwardInput input = test::WordInput(model->description(), 4);
  const auto made = Predicted(model, backend.get(), input, {.rows = {0, 2, 3}});
  CHECK(made.rows[0].next->id == input.ids[1]);
  CHECK(made.rows[1].next->id == input.ids[3]);
  CHECK(!made.rows[2].next);
  CHECK(*made.loss == Near((made.rows[0].next->loss + made.rows[1].next->loss) / 2.0, 1e-12));
  CHECK(!Predicted(model, backend.get(), input, {.rows = {3}}).loss);
}

TEST_CASE("Rows, tokens and heads that are not there are refused", "[causes]") {
  const auto model = WordModel(test::Gpt2Config(1, 2)).Open();
  const auto backend = MakeReferenceBackend();
  Forward forward(model, backend.get());
  const ForwardInput input = test::WordInput(model->description(), 4);
  const auto refused = [&](const PredictionQuestion& question) {
    const auto made = Predict(&forward, input, question, nullptr, {});
    REQUIRE(!made);
    CHECK(made.error().code == ErrorCode::kInput);
    return made.error().message;
  };
  CHECK(refused({.rows = {4}}).find("rows 0 to 3") != std::string::npos);
  PredictionQuestion question{.rows = {3}};
  question.row = 3;
  question.has_shares = true;
  question.id = 40;
  CHECK(refused(question).find("ids 0 to 39") != std::string::npos);
  question.id = 1;
  question.by_key = {{1, 0}};
  CHECK(refused(question).find("L1H0") != std::string::npos);
}

// A layer norm, the tied matrix and the softmax, all in double.
TEST_CASE("the words after each layer are those of the normed stream", "[causes]") {
  const test::TinyModel tiny = WordModel(test::Gpt2Config(3, 2));
  const auto model = tiny.Open();
  const auto backend = MakeReferenceBackend();
  Forward forward(model, backend.get());
  const ForwardInput input = test::WordInput(model->description(), 5);
  RunRecord record(*backend);
  REQUIRE(forward.RunChanged(input, {}, &record, nullptr, {}));
  PredictionQuestion question{.rows = {3}, .top = 40};
  question.row = 3;
  question.has_lens = true;
  const Prediction made = Predicted(model, backend.get(), input, question);
  REQUIRE(made.lens.size() == 3);
  const NormNeed& norm = *model->description().final_norm;
  const std::vector<float>& weight = tiny.tensors.at(norm.weight.name).values;
  const std::vector<float>& bias = tiny.tensors.at(norm.bias->name).values;
  const std::vector<float>& words =
      tiny.tensors.at(model->description().token_embedding.name).values;
  const std::size_t width = weight.size();
  for (std::int64_t layer = 0; layer < 2; ++layer) {
    // After a layer is before the next one.
    const auto all = record.Rows(RecordedRows::kStream, {ModelPart::kWhole, layer + 1});
    const auto stream = all.subspan(3 * width, width);
    double mean = 0.0;
    double square = 0.0;
    for (const float value : stream) {
      mean += static_cast<double>(value) / static_cast<double>(width);
    }
    for (const float value : stream) {
      square += std::pow(static_cast<double>(value) - mean, 2.0) / static_cast<double>(width);
    }
    std::vector<double> logits(words.size() / width, 0.0);
    double largest = -1e300;
    for (std::size_t id = 0; id < logits.size(); ++id) {
      for (std::size_t i = 0; i < width; ++i) {
        const double normed = (static_cast<double>(stream[i]) - mean) /
                                  std::sqrt(square + norm.epsilon) *
                                  static_cast<double>(weight[i]) +
                              static_cast<double>(bias[i]);
        logits[id] += normed * static_cast<double>(words[id * width + i]);
      }
      largest = std::max(largest, logits[id]);
    }
    double sum = 0.0;
    for (const double logit : logits) {
      sum += std::exp(logit - largest);
    }
    const LensLayer& lens = made.lens[static_cast<std::size_t>(layer)];
    CHECK(lens.layer == layer);
    REQUIRE(lens.top.size() == 40);
    for (const LikelyWord& word : lens.top) {
      const double logit = logits[static_cast<std::size_t>(word.id)];
      CHECK(word.logit == Near(logit, 1e-5 * (1.0 + std::abs(logit))));
      CHECK(word.probability == Near(std::exp(logit - largest) / sum, 1e-5));
    }
  }
}

}  // namespace headscope
