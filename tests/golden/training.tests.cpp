// Gradients and steps of Adam against PyTorch's, from the same weights and batches.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/parse_number.h"
#include "core/io/json.h"
#include "core/train/folder.h"
#include "core/train/run.h"
#include "core/train/tasks.h"
#include "tests/golden/golden_file.h"
#include "tests/support/catch.h"
#include "tests/support/folders.h"

namespace headscope {
namespace {

using test::Must;
using test::Tensor;
using test::Values;

const std::filesystem::path kTraining = test::SourceFolder() / "tests" / "golden" / "training";

TrainShape ReadGoldenShape(const std::filesystem::path& folder) {
  const JsonDocument document = Must(JsonDocument::Read(folder / "config.json", 100'000));
  const JsonObject config = Must(JsonObject::Root(document));
  const auto size = [&](const char* key) { return Must(config.Integer(key, 1, 1000)); };
  TrainShape shape{.layers = size("n_layer"),
                   .heads = size("n_head"),
                   .model_dim = size("n_embd"),
                   .vocabulary = size("vocab_size"),
                   .context = size("n_positions"),
                   .tied = Must(config.Boolean("tie_word_embeddings"))};
  shape.head_dim = shape.model_dim / shape.heads;
  shape.inner = size("n_inner") > 1 ? size("n_inner") : 0;
  return shape;
}

struct GoldenTraining {
  TrainSettings settings;
  std::vector<std::vector<std::int32_t>> rows;
  std::vector<float> first;
  WeightStore expected;
  std::vector<double> losses;
};

GoldenTraining ReadGoldenTraining(const std::filesystem::path& folder) {
  GoldenTraining golden;
  golden.expected = Must(WeightStore::OpenSafetensors(folder / "expected.safetensors"));
  const auto number = [&](const char* key) {
    return ParseAs<double>(golden.expected.metadata().at(key)).value();
  };
  golden.settings.shape = ReadGoldenShape(folder);
  golden.settings.batch = std::llround(number("batch"));
  golden.settings.steps = std::llround(number("steps"));
  golden.settings.warm_up = std::llround(number("warm_up"));
  golden.settings.rate = number("rate");
  golden.settings.draws = false;
  golden.rows = Must(ReadTrainRows(folder / "rows.ids", golden.settings.shape));
  golden.first = Must(ReadFirstWeights(folder, MakeTrainLayout(golden.settings.shape)));
  const JsonDocument losses =
      Must(JsonDocument::Parse(golden.expected.metadata().at("losses"), "losses"));
  const JsonArray list = losses.root().Array().value();
  for (const JsonValue loss : list) {
    golden.losses.push_back(loss.Number().value());
  }
  return golden;
}

std::string GoldenName(const std::string& kind, const TrainParameter& parameter) {
  return kind + (parameter.name == "lm_head.weight" ? "" : "transformer.") + parameter.name;
}

double FarthestOf(std::span<const float> own, const std::vector<float>& wanted) {
  REQUIRE(own.size() == wanted.size());
  double farthest = 0.0;
  for (std::size_t i = 0; i < own.size(); ++i) {
    farthest =
        std::max(farthest, std::abs(static_cast<double>(own[i]) - static_cast<double>(wanted[i])));
  }
  return farthest;
}

template <typename Check>
void ForEachParameter(const TrainRun& run, std::span<const float> numbers, const Check& check) {
  for (const TrainParameter& one : run.layout().all) {
    INFO(one.name);
    check(
        one,
        numbers.subspan(static_cast<std::size_t>(one.begin), static_cast<std::size_t>(one.count)));
  }
}

TEST_CASE("gradients and ten steps of Adam are PyTorch's", "[golden][train]") {
  std::size_t cases = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kTraining)) {
    ++cases;
    INFO(entry.path().filename().string());
    const GoldenTraining golden = ReadGoldenTraining(entry.path());
    TrainRun run = Must(TrainRun::Make(golden.settings, golden.first, golden.rows));
    REQUIRE(std::ssize(golden.losses) == golden.settings.steps);
    for (std::size_t step = 0; step < golden.losses.size(); ++step) {
      CHECK(Must(run.Step({})) == Approx(golden.losses[step]).epsilon(1e-5));
      if (step == 0) {
        ForEachParameter(run, run.gradient(), [&](const auto& one, std::span<const float> own) {
          const std::vector<float> wanted =
              Values(Tensor(golden.expected, GoldenName("gradient.", one)));
          float largest = 0.0F;
          for (const float number : wanted) {
            largest = std::max(largest, std::abs(number));
          }
          CHECK(FarthestOf(own, wanted) <= 1e-5 * static_cast<double>(largest));
        });
      }
    }
    ForEachParameter(run, run.state().weights, [&](const auto& one, std::span<const float> own) {
      CHECK(FarthestOf(own, Values(Tensor(golden.expected, GoldenName("after.", one)))) <= 1e-5);
    });
  }
  CHECK(cases >= 3);
}

}  // namespace
}  // namespace headscope
