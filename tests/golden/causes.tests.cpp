// What models say and what heads do to it, against transformers in float64 (make_causes_golden.py).
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <numeric>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/causes/asked_heads.h"
#include "core/causes/patching.h"
#include "core/causes/prediction.h"
#include "tests/golden/golden_file.h"
#include "tests/support/backends.h"
#include "tests/support/folders.h"

namespace headscope {
namespace {

using test::Must;

struct Golden {
  Golden()
      : document(Must(JsonDocument::Read(test::SourceFolder() / "tests" / "golden" / "causes.json",
                                         4'000'000))) {}
  JsonDocument document;

  [[nodiscard]] JsonArray Cases(std::string_view kind) const {
    return document.root().Find(kind).value_or(JsonValue()).Array().value_or(JsonArray());
  }
};

std::string TextIn(JsonValue one, std::string_view key) {
  return std::string(one.Find(key)->Text().value());
}

std::int64_t IntegerIn(JsonValue one, std::string_view key) {
  return one.Find(key)->Integer().value();
}

std::vector<double> NumbersOf(JsonValue list) {
  std::vector<double> numbers;
  for (const JsonValue value : list.Array().value_or(JsonArray())) {
    numbers.push_back(value.Number().value());
  }
  return numbers;
}

std::vector<double> NumbersIn(JsonValue one, std::string_view key) {
  return NumbersOf(one.Find(key).value_or(JsonValue()));
}

std::vector<std::int32_t> IdsIn(JsonValue one, std::string_view key) {
  const std::vector<double> numbers = NumbersIn(one, key);
  return {numbers.begin(), numbers.end()};
}

std::shared_ptr<const Model> OpenCase(JsonValue one) {
  return Must(Model::Open(test::SourceFolder() / "tests" / "golden" / TextIn(one, "folder")));
}

double Largest(const std::vector<double>& values) {
  double largest = 0.0;
  for (const double value : values) {
    largest = std::max(largest, std::abs(value));
  }
  return largest;
}

ForwardInput InputIn(JsonValue one) {
  ForwardInput input;
  input.ids = IdsIn(one, "ids");
  input.target_ids = IdsIn(one, "target_ids");
  return input;
}

// Compares each row's tokens, from the likeliest on, with the logits of that row.
void CheckWords(const Prediction& made, const std::vector<double>& logits, std::size_t vocabulary) {
  const double bound = 1e-5 * Largest(logits);
  double worst = 0.0;
  for (std::size_t row = 0; row < made.rows.size(); ++row) {
    const auto expected = logits.begin() + static_cast<std::ptrdiff_t>(row * vocabulary);
    double sum = 0.0;
    const double most =
        *std::max_element(expected, expected + static_cast<std::ptrdiff_t>(vocabulary));
    for (std::size_t id = 0; id < vocabulary; ++id) {
      sum += std::exp(expected[static_cast<std::ptrdiff_t>(id)] - most);
    }
    REQUIRE(made.rows[row].top.size() == vocabulary);
    for (const LikelyWord& word : made.rows[row].top) {
      const double logit = expected[word.id];
      worst = std::max(worst, std::abs(word.logit - logit));
      CHECK(std::abs(word.probability - std::exp(logit - most) / sum) <= 1e-5);
    }
  }
  INFO("worst logit " << worst << " of " << Largest(logits));
  CHECK(worst <= bound);
}

void CheckShareParts(const LogitShares& shares, JsonValue expected, double logit) {
  const JsonFields fields = expected.Object().value();
  CHECK(std::abs(shares.sum - shares.logit) <= 1e-5 * (1.0 + std::abs(shares.logit)));
  std::size_t seen = 0;
  for (const JsonField& field : fields) {
    const auto found = std::ranges::find(shares.parts, field.key, &SharePart::Name);
    INFO(field.key);
    const double share = field.value.Number().value();
    if (found == shares.parts.end()) {
      CHECK(share == 0.0);
      continue;
    }
    ++seen;
    CHECK(std::abs(found->share - share) <= 1e-5 * (1.0 + std::abs(logit)));
  }
  // A part that transformers has none of adds nothing.
  for (const SharePart& part : shares.parts) {
    const bool is_told = std::ranges::any_of(
        fields, [&](const JsonField& field) { return field.key == part.Name(); });
    INFO(part.Name());
    CHECK((is_told || part.share == 0.0));
  }
  CHECK(seen >= 5);
}

}  // namespace

TEST_CASE("the next word, its loss and its shares are those of transformers", "[golden][causes]") {
  const Golden golden;
  REQUIRE(golden.Cases("predicted").size() >= 10);
  for (const JsonValue one : golden.Cases("predicted")) {
    const auto model = OpenCase(one);
    const ForwardInput input = InputIn(one);
    const auto& read = input.target_ids.empty() ? input.ids : input.target_ids;
    for (const auto& backend : test::AllBackends()) {
      INFO(TextIn(one, "name") << " on " << backend->Description());
      Forward forward(model, backend.get());
      PredictionQuestion question;
      question.rows.resize(read.size());
      std::iota(question.rows.begin(), question.rows.end(), 0);
      const std::vector<double> logits = NumbersIn(one, "logits");
      const std::size_t vocabulary = logits.size() / read.size();
      question.top = static_cast<std::int64_t>(vocabulary);
      question.row = IntegerIn(one, "row");
      question.id = static_cast<std::int32_t>(IntegerIn(one, "id"));
      question.has_shares = true;
      question.has_lens = true;
      const Prediction made = Must(Predict(&forward, input, question, nullptr, {}));
      CheckWords(made, logits, vocabulary);
      const std::vector<double> losses = NumbersIn(one, "losses");
      for (std::size_t row = 0; row < losses.size(); ++row) {
        CHECK(std::abs(made.rows[row].next->loss - losses[row]) <= 1e-5);
      }
      CHECK(made.is_masked == losses.empty());
      const double logit = logits[static_cast<std::size_t>(question.row) * vocabulary +
                                  static_cast<std::size_t>(*question.id)];
      CheckShareParts(*made.shares, *one.Find("shares"), logit);
      // The last layer's stream says what the model says.
      REQUIRE(!made.lens.empty());
      const PredictedRow& row = made.rows[static_cast<std::size_t>(question.row)];
      CHECK(made.lens.back().top.front().id == row.top.front().id);
      CHECK(std::abs(made.lens.back().top.front().logit - row.top.front().logit) <=
            1e-5 * (1.0 + std::abs(row.top.front().logit)));
      question.against = static_cast<std::int32_t>(IntegerIn(one, "against"));
      const Prediction lead = Must(Predict(&forward, input, question, nullptr, {}));
      CheckShareParts(*lead.shares, *one.Find("leads"), logit);
    }
  }
}

TEST_CASE("masked models say the words that transformers says", "[golden][causes]") {
  const Golden golden;
  REQUIRE(golden.Cases("masked").size() >= 9);
  for (const JsonValue one : golden.Cases("masked")) {
    INFO(TextIn(one, "name"));
    const auto model = OpenCase(one);
    for (const auto& backend : test::AllBackends()) {
      Forward forward(model, backend.get());
      const std::vector<double> logits = NumbersIn(one, "logits");
      PredictionQuestion question{.rows = {0, 1, 2, 3}};
      question.top = std::ssize(logits) / 4;
      const Prediction made = Must(Predict(&forward, InputIn(one), question, nullptr, {}));
      CHECK(made.is_masked);
      CHECK(!made.loss);
      CheckWords(made, logits, logits.size() / 4);
    }
  }
}

namespace {

void CheckScores(const Patching& patching,
                 const std::vector<double>& metrics,
                 const std::vector<double>& expected,
                 double* worst) {
  REQUIRE(metrics.size() == expected.size());
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    INFO("place " << i);
    const double score = patching.ScoreOf(metrics[i]);
    *worst = std::max(*worst, std::abs(score - expected[i]));
    CHECK(std::abs(score - expected[i]) <= 1e-4 * (1.0 + std::abs(expected[i])));
  }
}

}  // namespace

TEST_CASE("every family says the words that transformers says", "[golden][causes]") {
  int folders = 0;
  const auto backend = MakeOnednnBackend();
  REQUIRE(backend.has_value());
  const auto families = test::SourceFolder() / "tests" / "golden" / "families";
  for (const auto& folder : std::filesystem::directory_iterator(families)) {
    if (!std::filesystem::exists(folder.path() / "logits.safetensors")) {
      continue;
    }
    INFO(folder.path().filename().string());
    const WeightStore golden =
        Must(WeightStore::OpenSafetensors(folder.path() / "logits.safetensors"));
    const WeightStore attention =
        Must(WeightStore::OpenSafetensors(folder.path() / "attention.safetensors"));
    ForwardInput input;
    input.ids = test::ReadIds(attention, "token_ids");
    input.target_ids = test::ReadIds(attention, "target_ids");
    Forward forward(Must(Model::Open(folder.path())), backend->get());
    const std::vector<float> values = test::Values(test::Tensor(golden, "logits"));
    const std::size_t rows = (input.target_ids.empty() ? input.ids : input.target_ids).size();
    PredictionQuestion question;
    question.rows.resize(rows);
    std::iota(question.rows.begin(), question.rows.end(), 0);
    question.top = std::ssize(values) / static_cast<std::int64_t>(rows);
    const Prediction made = Must(Predict(&forward, input, question, nullptr, {}));
    ++folders;
    const double own = std::stod(golden.metadata().find("own_error")->second);
    double largest = 0.0;
    double worst = 0.0;
    for (std::size_t row = 0; row < rows; ++row) {
      for (const LikelyWord& word : made.rows[row].top) {
        const auto place =
            row * static_cast<std::size_t>(question.top) + static_cast<std::size_t>(word.id);
        largest = std::max(largest, std::abs(static_cast<double>(values[place])));
        worst = std::max(worst, std::abs(word.logit - static_cast<double>(values[place])));
      }
    }
    CHECK(worst <= std::max(1e-4 * largest, 10.0 * own));
  }
  CHECK(folders >= 60);
}

TEST_CASE("patching gives what hooks give in transformers", "[golden][causes]") {
  const Golden golden;
  REQUIRE(golden.Cases("patched").size() >= 4);
  for (const JsonValue one : golden.Cases("patched")) {
    const auto model = OpenCase(one);
    const auto layers = static_cast<std::size_t>(model->description().layers);
    PatchPair pair;
    pair.clean.ids = IdsIn(one, "clean");
    pair.corrupted.ids = IdsIn(one, "corrupted");
    pair.right = static_cast<std::int32_t>(IntegerIn(one, "right"));
    pair.wrong = static_cast<std::int32_t>(IntegerIn(one, "wrong"));
    pair.row = IntegerIn(one, "row");
    for (const auto& backend : test::AllBackends()) {
      INFO(TextIn(one, "name") << " on " << backend->Description());
      Forward forward(model, backend.get());
      double worst = 0.0;
      for (const PatchDirection direction : {PatchDirection::kDenoise, PatchDirection::kNoise}) {
        const auto patching = Must(Patching::Make(&forward, pair, direction, {}));
        CHECK(std::abs(patching->clean_metric() - one.Find("clean_metric")->Number().value()) <=
              1e-5 * (1.0 + std::abs(patching->clean_metric())));
        const JsonValue expected = *one.Find(PatchName(direction));
        for (int kind = 0; kind < 8; ++kind) {
          const auto what = static_cast<PatchWhat>(kind);
          INFO(PatchName(direction) << " " << PatchName(what));
          const PatchedPair made =
              Must(PatchPairOf(&forward, pair, {.what = what, .direction = direction}, {}));
          CheckScores(*patching, made.metrics, NumbersIn(expected, PatchName(what)), &worst);
        }
      }
      const auto denoising = Must(Patching::Make(&forward, pair, PatchDirection::kDenoise, {}));
      for (int kind = 0; kind < 5; ++kind) {
        const auto what = static_cast<PatchWhat>(kind);
        INFO("one row of " << PatchName(what));
        const PatchedPair made =
            Must(PatchPairOf(&forward, pair, {.what = what, .at = IntegerIn(one, "at")}, {}));
        CheckScores(
            *denoising, made.metrics, NumbersIn(*one.Find("one_row"), PatchName(what)), &worst);
      }
      const auto noising = Must(Patching::Make(&forward, pair, PatchDirection::kNoise, {}));
      const JsonValue paths = *one.Find("path");
      const std::int64_t last = static_cast<std::int64_t>(layers) - 1;
      for (const bool is_frozen : {false, true}) {
        for (const auto& [name, input] : {std::pair("queries", HeadInput::kQueries),
                                          std::pair("keys", HeadInput::kKeys),
                                          std::pair("values", HeadInput::kValues)}) {
          INFO("path to " << name << (is_frozen ? ", MLPs frozen" : ""));
          PatchPaths path{.from = {}, .to = {{{last, 1}, input}}, .freezes_mlps = is_frozen};
          std::vector<std::vector<HeadIndex>> senders;
          for (std::int64_t head = 0; head < model->description().heads; ++head) {
            senders.push_back({{0, head}});
          }
          const auto metrics = Must(noising->RunPaths(senders, path, {}));
          CheckScores(*noising,
                      metrics,
                      NumbersIn(paths, std::string(name) + (is_frozen ? "_frozen" : "")),
                      &worst);
        }
      }
      INFO("worst score is off by " << worst);
      CHECK(worst < 1e-4);
    }
  }
}

TEST_CASE("paths between an encoder and a decoder are those of hooks in transformers",
          "[golden][causes]") {
  const Golden golden;
  REQUIRE(golden.Cases("two_stacks").size() >= 2);
  for (const JsonValue one : golden.Cases("two_stacks")) {
    const auto model = OpenCase(one);
    const ModelDescription& shape = model->description();
    PatchPair pair;
    pair.clean.ids = IdsIn(one, "clean");
    pair.corrupted.ids = IdsIn(one, "corrupted");
    pair.clean.target_ids = pair.corrupted.target_ids = IdsIn(one, "target_ids");
    pair.right = static_cast<std::int32_t>(IntegerIn(one, "right"));
    pair.wrong = static_cast<std::int32_t>(IntegerIn(one, "wrong"));
    pair.row = IntegerIn(one, "row");
    for (const auto& backend : test::AllBackends()) {
      INFO(TextIn(one, "name") << " on " << backend->Description());
      Forward forward(model, backend.get());
      double worst = 0.0;
      const auto noising = Must(Patching::Make(&forward, pair, PatchDirection::kNoise, {}));
      const JsonArray paths = one.Find("paths")->Array().value();
      REQUIRE(paths.size() == 11);
      for (const JsonValue path : paths) {
        PatchPaths asked;
        const std::string to = TextIn(path, "to");
        if (to != "logits") {
          const std::string letter = TextIn(path, "what").substr(0, 1);
          asked.to = Must(ReadHeadInputs(fmt::format("{}H1:{}", to, letter), shape));
        }
        asked.from = SendersTo(shape, asked.to);
        std::vector<std::string> senders;
        std::ranges::transform(asked.from, std::back_inserter(senders), HeadName);
        std::vector<std::string> expected;
        std::vector<std::vector<HeadIndex>> alone;
        const JsonArray names = path.Find("senders")->Array().value();
        for (const JsonValue name : names) {
          expected.emplace_back(name.Text().value());
          alone.push_back({Must(ReadHeads(expected.back(), shape))});
        }
        INFO("to " << to);
        std::ranges::sort(senders);
        std::ranges::sort(expected);
        CHECK(senders == expected);
        for (const char* const key : {"scores", "frozen"}) {
          asked.freezes_mlps = key == std::string_view("frozen");
          const auto metrics = Must(noising->RunPaths(alone, asked, {}));
          CheckScores(*noising, metrics, NumbersIn(path, key), &worst);
        }
      }
      INFO("worst score is off by " << worst);
      CHECK(worst < 1e-4);
    }
  }
}

}  // namespace headscope
