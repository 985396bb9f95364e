#include "core/train/folder.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "core/base/random.h"
#include "core/heads/effect/token_losses.h"
#include "core/io/safetensors.h"
#include "core/model/forward.h"
#include "core/model/model.h"
#include "core/model/model_series.h"
#include "core/train/kept_state.h"
#include "core/train/network.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace headscope {
namespace {

TrainSettings FolderSettings() {
  TrainSettings settings;
  settings.shape = {
      .layers = 2, .heads = 2, .head_dim = 4, .model_dim = 8, .vocabulary = 12, .context = 10};
  settings.periods = {3, 7};
  return settings;
}

std::vector<float> FolderWeights(const TrainShape& shape) {
  const TrainLayout layout = MakeTrainLayout(shape);
  std::vector<float> weights = DrawWeights(layout, {.spread = 0.4}, 1);
  RandomStream random(9);
  for (float& weight : weights) {
    weight += static_cast<float>(0.1 * random.Normal());
  }
  HoldSegments<float>(layout, weights);
  return weights;
}

const std::vector<std::int32_t>& FolderText() {
  static const std::vector<std::int32_t> kIds = {0, 3, 7, 1, 3, 7, 11, 2, 2, 5};
  return kIds;
}

// The mean loss of the text's tokens by the program's own forward.
double LossOfModel(const std::filesystem::path& folder) {
  const auto model = Model::Open(folder);
  INFO((model ? "" : model.error().message));
  REQUIRE(model);
  const std::unique_ptr<Backend> backend = MakeReferenceBackend();
  Forward forward(*model, backend.get());
  const auto losses = TokenLosses::Make(&forward, {});
  REQUIRE(losses);
  const ProbeSequence text{.ids = FolderText()};
  std::vector<std::int64_t> predicted(text.ids.size() - 1);
  std::iota(predicted.begin(), predicted.end(), 1);
  const ProbeSequence* const texts[] = {&text};
  const std::vector<std::int64_t> places[] = {predicted};
  const auto sums = (*losses)->Run(texts, places, {});
  REQUIRE(sums);
  return sums->front() / static_cast<double>(predicted.size());
}

TEST_CASE("a written folder is the network that was trained, whatever its sizes", "[train]") {
  const auto holds = [](auto change) {
    TrainSettings settings = FolderSettings();
    change(&settings.shape);
    const test::TempFolder folder;
    const std::vector<float> weights = FolderWeights(settings.shape);
    REQUIRE(WriteTrainFolder(folder.path(), settings, weights));
    TrainBatch batch;
    AddTrainRow(FolderText(), &batch);
    TrainNetwork<double> network(settings.shape);
    const std::vector<double> exact(weights.begin(), weights.end());
    CHECK(LossOfModel(folder.path()) ==
          Approx(network.Forward(exact, batch, {}).value()).epsilon(2e-6));
  };
  holds([](TrainShape*) {});
  holds([](TrainShape* shape) { shape->inner = 5; });
  holds([](TrainShape* shape) { shape->tied = true; });
  holds([](TrainShape* shape) { shape->fixed_positions = true; });
  holds([](TrainShape* shape) { shape->head_dim = 2; });  // narrower
  holds([](TrainShape* shape) { shape->head_dim = 7; });  // wider
  holds([](TrainShape* shape) { shape->heads = 3; });     // that do not divide the model
  holds([](TrainShape* shape) { shape->own_segments = true; });
  holds([](TrainShape* shape) {
    shape->head_dim = 7;
    shape->inner = 5;
    shape->tied = true;
  });
}

TEST_CASE("weights come back from a folder as they were", "[train]") {
  for (const std::int64_t inner : {0, 6}) {
    for (const bool tied : {false, true}) {
      TrainSettings settings = FolderSettings();
      settings.shape.inner = inner;
      settings.shape.tied = tied;
      const std::vector<float> weights = FolderWeights(settings.shape);
      const test::TempFolder folder;
      REQUIRE(WriteTrainFolder(folder.path(), settings, weights));
      const auto read = ReadFirstWeights(folder.path(), MakeTrainLayout(settings.shape));
      INFO((read ? "" : read.error().message));
      REQUIRE(read);
      CHECK(*read == weights);
    }
  }
}

TEST_CASE("a folder of another layout or of other sizes is refused", "[train]") {
  TrainSettings settings = FolderSettings();
  settings.shape.inner = 6;
  const test::TempFolder folder;
  REQUIRE(WriteTrainFolder(folder.path(), settings, FolderWeights(settings.shape)));
  const auto refused = [&](auto change) {
    TrainShape shape = settings.shape;
    change(&shape);
    const auto read = ReadFirstWeights(folder.path(), MakeTrainLayout(shape));
    return read ? std::string() : read.error().message;
  };
  const auto names = [](const std::string& message, const char* word) {
    INFO(message);
    return message.find(word) != std::string::npos;
  };
  CHECK(refused([](TrainShape*) {}).empty());
  CHECK(names(refused([](TrainShape* shape) { shape->layers = 1; }), "n_layer"));
  CHECK(names(refused([](TrainShape* shape) {
                shape->heads = 4;
                shape->head_dim = 2;
              }),
              "n_head"));
  CHECK(names(refused([](TrainShape* shape) { shape->head_dim = 3; }), "--head-dim"));
  CHECK(names(refused([](TrainShape* shape) { shape->vocabulary = 13; }), "vocab_size"));
  CHECK(names(refused([](TrainShape* shape) { shape->context = 9; }), "n_positions"));
  CHECK(names(refused([](TrainShape* shape) { shape->inner = 7; }), "n_inner"));
  CHECK(names(refused([](TrainShape* shape) { shape->tied = true; }), "--tied"));
  CHECK(names(refused([](TrainShape* shape) { shape->inner = 0; }), "--mlp"));
  CHECK(names(refused([](TrainShape* shape) { shape->own_segments = true; }), "--own-segments"));
  CHECK(names(ReadFirstWeights(folder / "none", MakeTrainLayout(settings.shape)).error().message,
              "config.json"));
}

TEST_CASE("kept steps are a series, and the tokenizer names symbols and marks", "[train]") {
  const TrainSettings settings = FolderSettings();
  const test::TempFolder folder;
  const std::filesystem::path out = folder / "tiny-h2";
  const std::vector<float> weights = FolderWeights(settings.shape);
  REQUIRE(PrepareTrainFolder(out));
  for (const std::int64_t step : {0, 50}) {
    const TrainState state{.step = step,
                           .weights = weights,
                           .first = std::vector<float>(weights.size()),
                           .second = std::vector<float>(weights.size())};
    REQUIRE(WriteKeptStep(out, settings, state));
  }
  REQUIRE(WriteTrainFolder(out, settings, weights));
  CHECK(CheckpointSteps(out) == std::vector<std::int64_t>{0, 50});
  const ModelSeries series = FindSeries(out);
  REQUIRE(series.checkpoints.size() == 3);
  CHECK(series.checkpoints.back().is_trained);
  const auto model = Model::Open(out);
  REQUIRE(model);
  REQUIRE((*model)->tokenizer() != nullptr);
  const auto encoding = (*model)->tokenizer()->Encode("a0 a7 b2", {.pair = {}, .stop = {}});
  REQUIRE(encoding);
  std::vector<std::int32_t> ids;
  for (const Token& token : encoding->tokens) {
    ids.push_back(token.id);
  }
  CHECK(ids == std::vector<std::int32_t>{0, 1, 8, 11});
  const Status again = PrepareTrainFolder(out);
  REQUIRE(!again);
  CHECK(again.error().message.find("holds files already") != std::string::npos);
}

TEST_CASE("steps are kept more often where more happens", "[train]") {
  std::vector<std::int64_t> kept;
  for (std::int64_t step = 0; step <= 10'000; ++step) {
    if (IsKeptStep(step)) {
      kept.push_back(step);
    }
  }
  CHECK(kept == std::vector<std::int64_t>{0,    50,   100,  150,  200,  250,  300,   400,
                                          500,  600,  700,  800,  900,  1000, 1500,  2000,
                                          2500, 3000, 3500, 4000, 4500, 5000, 10'000});
}

}  // namespace
}  // namespace headscope
