#include "core/worker/compute_worker.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include "core/heads/measure/head_name.h"
#include "tests/support/float_error.h"
#include "tests/support/folders.h"
#include "tests/support/near.h"
#include "tests/support/not_run.h"
#include "tests/support/npy_bytes.h"
#include "tests/support/temp_folder.h"
#include "tests/support/tiny_model.h"
#include "tests/unit/worker/worker_harness.h"

namespace headscope {
namespace {

using test::Harness;
using test::Ids;
using test::kBart;
using test::kProbe;
using test::Only;

TEST_CASE("a text comes back as tokens, then layers in order, then the end", "[worker][worker]") {
  Harness harness;
  const auto opened = Only<ModelOpened>(harness.Wait(harness.Submit(OpenModelRequest{kProbe})));
  REQUIRE(opened.size() == 1);
  const std::int64_t layers = opened[0].model->description().layers;
  const auto events = harness.Wait(harness.Submit(Ids({5, 6, 7, 5})));
  REQUIRE(Only<Tokenized>(events).size() == 1);
  CHECK(std::holds_alternative<Tokenized>(events.front().what));
  CHECK(Only<Tokenized>(events)[0].encoding->Ids() == std::vector<std::int32_t>{5, 6, 7, 5});
  const auto ready = Only<LayerReady>(events);
  REQUIRE(static_cast<std::int64_t>(ready.size()) == layers);
  for (std::int64_t layer = 0; layer < layers; ++layer) {
    CHECK(ready[static_cast<std::size_t>(layer)].layer->layer() == layer);
    CHECK(ready[static_cast<std::size_t>(layer)].layer->shape().queries == 4);
  }
  CHECK(Only<Progress>(events).back().done == layers);
  CHECK(std::holds_alternative<Finished>(events.back().what));
  CHECK(harness.wakes() >= static_cast<int>(events.size()));
}

// "E0 D0 X0": the layers in the order in which they came.
std::string LayersIn(const std::vector<Event>& events) {
  std::string names;
  for (const LayerReady& ready : Only<LayerReady>(events)) {
    names += HeadName({ready.layer->layer(), 0, ready.layer->part()});
    names.resize(names.size() - 2);
    names += ' ';
  }
  return names;
}

TEST_CASE("what is asked about a model that has been let go is refused", "[worker][worker]") {
  Harness harness;
  const auto open = [&harness](const std::filesystem::path& folder) {
    const auto opened = Only<ModelOpened>(harness.Wait(harness.Submit(OpenModelRequest{folder})));
    REQUIRE(opened.size() == 1);
    return opened[0].opening();
  };
  const auto ask = [&harness](const Opening& opening) {
    AttendRequest request = Ids({5, 6, 7, 5});
    request.opening = opening;
    return harness.Wait(harness.Submit(request));
  };
  const auto is_gone = [](const std::vector<Event>& events) {
    return events.size() == 1 && Only<Failed>(events).size() == 1 &&
           Only<Failed>(events)[0].error.code == ErrorCode::kGone;
  };
  const Opening first = open(kProbe);
  CHECK(Only<Finished>(ask(first)).size() == 1);
  const Opening second = open(kProbe);  // the same folder, opened once more
  CHECK(is_gone(ask(first)));
  CHECK(Only<Finished>(ask(second)).size() == 1);
  CHECK(Only<Finished>(ask({})).size() == 1);
  SplitJob job;
  job.opening = first;
  CHECK(is_gone(harness.Wait(harness.Submit(job))));
  job.opening = second;
  CHECK_FALSE(Only<SplitReady>(harness.Wait(harness.Submit(job))).empty());
  open(kBart);
  CHECK(is_gone(ask(second)));
}

TEST_CASE("an encoder is there before a target is generated", "[worker][worker]") {
  Harness harness;
  harness.Wait(harness.Submit(OpenModelRequest{kBart}));
  const auto events = harness.Wait(harness.Submit(Ids({5, 6, 7, 5})));
  const auto tokenized = Only<Tokenized>(events);
  REQUIRE(tokenized.size() == 2);
  CHECK(tokenized[0].target == nullptr);
  REQUIRE(tokenized[1].target != nullptr);
  CHECK(tokenized[1].encoding == tokenized[0].encoding);
  CHECK_FALSE(tokenized[1].generated.empty());
  const auto second = std::find_if(events.rbegin(), events.rend(), [](const Event& event) {
                        return std::holds_alternative<Tokenized>(event.what);
                      }).base();
  CHECK(LayersIn({events.begin(), second}) == "E0 E1 ");
  CHECK(LayersIn({second, events.end()}) == "D0 X0 D1 X1 ");
  const auto ready = Only<LayerReady>(events);
  const std::int64_t target = std::ssize(tokenized[1].target->tokens);
  CHECK(ready[2].layer->shape().queries == target);
  CHECK(ready[2].layer->shape().keys == target);
  CHECK(ready[3].layer->shape().queries == target);
  CHECK(ready[3].layer->shape().keys == 4);
  CHECK(Only<Progress>(events).back().done == 6);
  CHECK(Only<Progress>(events).back().total == 6);

  SplitJob job;
  job.split.head_counts = {1, 2};
  job.part = ModelPart::kCross;
  const auto split = Only<SplitReady>(harness.Wait(harness.Submit(job)));
  REQUIRE(split.size() == 4);  // the maps of two counts, then what is measured of them
  const AttentionShape& shape = split[0].split->counts[0].attention->shape();
  CHECK(shape.queries == target);
  CHECK(shape.keys == 4);
}

TEST_CASE("a target that is given is read and none is generated", "[worker][worker]") {
  Harness harness;
  harness.Wait(harness.Submit(OpenModelRequest{kBart}));
  AttendRequest request = Ids({5, 6, 7, 5});
  request.input.target_ids = {2, 4, 3};
  const auto events = harness.Wait(harness.Submit(request));
  const auto tokenized = Only<Tokenized>(events);
  REQUIRE(tokenized.size() == 1);
  CHECK(tokenized[0].target->Ids() == request.input.target_ids);
  CHECK(tokenized[0].generated.empty());
  CHECK(LayersIn(events) == "E0 E1 D0 X0 D1 X1 ");

  request.input.target_ids = {1'000'000};
  const auto refused = Only<Failed>(harness.Wait(harness.Submit(request)));
  REQUIRE(refused.size() == 1);
  CHECK(refused[0].error.code == ErrorCode::kInput);
  SplitJob job;  // of the text before
  job.split.head_counts = {1};
  job.part = ModelPart::kDecoder;
  CHECK(Only<SplitReady>(harness.Wait(harness.Submit(job))).size() == 2);
}

TEST_CASE("without an output layer and a target the encoder is all", "[worker][worker]") {
  const auto family = std::ranges::find(AllFamilies(), std::string_view("bart"), &Family::id);
  const std::string untied =
      R"({"tie_word_embeddings": false, )" + std::string((*family)->example.substr(1));
  const test::TempFolder folder;
  test::TinyModel(untied).Write(folder.path());
  Harness harness;
  harness.Wait(harness.Submit(OpenModelRequest{folder.path()}));
  const auto events = harness.Wait(harness.Submit(Ids({1, 2, 3})));
  CHECK(std::holds_alternative<Finished>(events.back().what));
  CHECK(LayersIn(events).starts_with("E0 "));
  CHECK(LayersIn(events).find('D') == std::string::npos);
  AttendRequest request = Ids({1, 2, 3});
  request.input.target_ids = {0, 1};
  CHECK(LayersIn(harness.Wait(harness.Submit(request))).find("X0") != std::string::npos);
}

TEST_CASE("the whole map of a head has masked cells marked and rows that sum to one",
          "[worker][worker]") {
  Harness harness;
  harness.Wait(harness.Submit(OpenModelRequest{kProbe}));
  const auto ready = Only<LayerReady>(harness.Wait(harness.Submit(Ids({5, 6, 7, 5, 6}))));
  const auto maps = Only<MapReady>(harness.Wait(harness.Submit(MapRequest{{ready[0].layer, 0}})));
  REQUIRE(maps.size() == 1);
  const HeadMap& map = *maps[0].map;
  for (std::int64_t query = 0; query < map.of.queries(); ++query) {
    double sum = 0.0;
    for (std::int64_t key = 0; key < map.of.keys(); ++key) {
      const float weight = map.weights[static_cast<std::size_t>(query * map.of.keys() + key)];
      CHECK((key > query) == (weight == kMasked));
      sum += key > query ? 0.0 : static_cast<double>(weight);
    }
    CHECK(sum == test::Near(1.0, 1.001 * test::kUnit));  // made in double, rounded once
  }
  const auto refused =
      Only<Failed>(harness.Wait(harness.Submit(MapRequest{{ready[0].layer, 999}})));
  REQUIRE(refused.size() == 1);
  CHECK(refused[0].error.code == ErrorCode::kInput);
}

std::vector<float> MapsIn(const std::vector<Event>& events) {
  std::vector<float> maps;
  for (const LayerReady& ready : Only<LayerReady>(events)) {
    const AttentionShape& shape = ready.layer->shape();
    const auto cells = static_cast<std::size_t>(shape.queries * shape.keys);
    for (std::int64_t head = 0; head < shape.heads; ++head) {
      maps.resize(maps.size() + cells);
      ready.layer->Map(head, std::span(maps).last(cells));
    }
  }
  return maps;
}

TEST_CASE("a text in a precision that the processor lacks says so, the next one is computed",
          "[worker][worker]") {
  Harness harness;
  harness.Wait(harness.Submit(OpenModelRequest{kProbe}));
  AttendRequest rounded = Ids({5, 6, 7});
  rounded.precision = Precision::kBf16;
  const auto events = harness.Wait(harness.Submit(rounded));
  const bool is_possible = CheckPrecision(Precision::kBf16).has_value();
  CHECK(Only<LayerReady>(events).size() == (is_possible ? 2U : 0U));
  if (!is_possible) {
    REQUIRE(Only<Failed>(events).size() == 1);
    CHECK(Only<Failed>(events)[0].error.code == ErrorCode::kUnsupported);
  }
  const auto plain = harness.Wait(harness.Submit(Ids({5, 6, 7})));
  CHECK(Only<Finished>(plain).at(0).backend.find("float32") != std::string::npos);
  CHECK(Only<LayerReady>(plain).size() == 2);
}

TEST_CASE("bfloat16 is switched on and off between texts, and takes nothing over",
          "[worker][worker][bfloat16]") {
  if (test::HasNoBfloat16()) {
    return;
  }
  Harness harness;
  harness.Wait(harness.Submit(OpenModelRequest{kProbe}));
  const AttendRequest plain = Ids({5, 6, 7, 5, 6});
  AttendRequest rounded = plain;
  rounded.precision = Precision::kBf16;
  const auto first = harness.Wait(harness.Submit(plain));
  const auto short_one = harness.Wait(harness.Submit(rounded));
  CHECK(Only<Finished>(short_one).at(0).backend.find("bfloat16") != std::string::npos);
  const auto again = harness.Wait(harness.Submit(plain));
  CHECK(MapsIn(again) == MapsIn(first));
  CHECK(MapsIn(short_one) != MapsIn(first));
  // A text that begins as one in the other precision did is computed whole.
  AttendRequest longer = rounded;
  longer.input.ids.push_back(7);
  const auto typed = MapsIn(harness.Wait(harness.Submit(longer)));
  Harness fresh;
  fresh.Wait(fresh.Submit(OpenModelRequest{kProbe}));
  CHECK(typed == MapsIn(fresh.Wait(fresh.Submit(longer))));
  // What is split is of the precision of its text.
  SplitJob job;
  job.split.head_counts = {1, 4};
  const auto split = Only<SplitReady>(harness.Wait(harness.Submit(job)));
  REQUIRE(split.size() == 4);
  CHECK(split.back().split->counts.back().is_measured);
  CHECK(split.back().split->counts.back().output_difference < test::kBfloat16Unit);
}

TEST_CASE("typing takes up the layers of the text before", "[worker][worker]") {
  Harness harness;
  const auto opened = Only<ModelOpened>(harness.Wait(harness.Submit(OpenModelRequest{kProbe})));
  harness.Wait(harness.Submit(Ids({5, 6, 7, 5, 6})));
  const auto typed = Only<LayerReady>(harness.Wait(harness.Submit(Ids({5, 6, 7, 5, 8, 9}))));
  const auto same = Only<LayerReady>(harness.Wait(harness.Submit(Ids({5, 6, 7, 5, 8, 9}))));
  harness.Wait(harness.Submit(OpenModelRequest{kProbe}));
  const auto fresh = Only<LayerReady>(harness.Wait(harness.Submit(Ids({5, 6, 7, 5, 8, 9}))));
  REQUIRE(typed.size() == fresh.size());
  // Rows that were there and rows that came later were added in another order.
  const ForwardInput input{.ids = {5, 6, 7, 5, 8, 9}, .embeddings = {}};
  const auto bounds = test::FloatErrors(opened.at(0).model, input);
  for (std::size_t layer = 0; layer < fresh.size(); ++layer) {
    CHECK(same[layer].layer == typed[layer].layer);
    CHECK(fresh[layer].layer != typed[layer].layer);
    for (std::int64_t head = 0; head < fresh[layer].layer->shape().heads; ++head) {
      std::vector<float> a(36);
      std::vector<float> b(36);
      typed[layer].layer->Map(head, a);
      fresh[layer].layer->Map(head, b);
      CHECK(test::LargestDifference(a, b) <= 2.0 * bounds[layer].maps);
    }
  }
}

TEST_CASE("a model that does not open leaves the previous one open", "[worker][worker]") {
  Harness harness;
  harness.Wait(harness.Submit(OpenModelRequest{kProbe}));
  const auto failed =
      Only<Failed>(harness.Wait(harness.Submit(OpenModelRequest{"/nowhere/at/all"})));
  REQUIRE(failed.size() == 1);
  CHECK(failed[0].error.message.find("/nowhere/at/all") != std::string::npos);
  CHECK_FALSE(Only<LayerReady>(harness.Wait(harness.Submit(Ids({1, 2, 3})))).empty());
}

TEST_CASE("without a model every request says so", "[worker][worker]") {
  Harness harness;
  CHECK(Only<Failed>(harness.Wait(harness.Submit(Ids({1})))).size() == 1);
  CHECK(Only<Failed>(harness.Wait(harness.Submit(SplitJob{}))).size() == 1);
}

TEST_CASE("maps of a layer that is known are cut from it, and equal those of the model",
          "[worker][worker]") {
  Harness harness;
  harness.Wait(harness.Submit(OpenModelRequest{kProbe}));
  const auto layers = Only<LayerReady>(harness.Wait(harness.Submit(Ids({5, 6, 7, 5, 6}))));
  const std::shared_ptr<const LayerAttention> layer = layers.back().layer;
  SplitJob job;
  job.layer = layer->layer();
  job.split.head_counts = {1, layer->shape().heads};
  job.known = layer;
  const auto known = Only<SplitReady>(harness.Wait(harness.Submit(job)));
  REQUIRE(known.size() == 4);
  CHECK(&known[0].split->counts[0].attention->source() == layer.get());
  const LayerAttention& trained = *known.back().split->counts.back().attention;
  std::vector<float> own(25);
  std::vector<float> cut(25);
  for (std::int64_t head = 0; head < layer->shape().heads; ++head) {
    layer->Map(head, own);
    trained.Map(head, cut);
    CHECK(own == cut);
  }
  job.known = nullptr;
  const auto fresh = Only<SplitReady>(harness.Wait(harness.Submit(job)));
  for (std::size_t at = 0; at < 2; ++at) {
    CHECK(known.back().split->counts[at].output_difference ==
          fresh.back().split->counts[at].output_difference);
  }
}

TEST_CASE("heads of a cut are compared with their parents, and their sums checked",
          "[worker][worker]") {
  Harness harness;
  harness.Wait(harness.Submit(OpenModelRequest{kProbe}));
  harness.Wait(harness.Submit(Ids({5, 6, 7, 5, 6})));
  SplitJob split;
  split.split.head_counts = {1, 2};
  const auto cuts = Only<SplitReady>(harness.Wait(harness.Submit(split)));
  LineageJob job;
  job.parents = cuts.back().split->counts[0].attention;
  job.children = cuts.back().split->counts[1].attention;
  job.parent_of = {0, 0};
  job.adds_up = true;
  const auto ready = Only<LineageReady>(harness.Wait(harness.Submit(job)));
  REQUIRE(ready.size() == 1);
  REQUIRE(ready[0].children.size() == 2);
  CHECK(ready[0].children[0].divergence.value() > 0.0);
  REQUIRE(ready[0].sums.size() == 1);
  CHECK(ready[0].sums[0].value().relative <= 1e-6);
}

TEST_CASE("a split without a text is refused, with one it gives every count", "[worker][worker]") {
  Harness harness;
  harness.Wait(harness.Submit(OpenModelRequest{kProbe}));
  CHECK(Only<Failed>(harness.Wait(harness.Submit(SplitJob{}))).size() == 1);
  harness.Wait(harness.Submit(Ids({5, 6, 7, 5, 6})));
  SplitJob job;
  job.split.head_counts = {1, 2};
  const auto ready = Only<SplitReady>(harness.Wait(harness.Submit(job)));
  REQUIRE(ready.size() == 4);
  CHECK(ready[0].split->counts.size() == 1);
  CHECK(ready[1].split->counts.size() == 2);
  CHECK_FALSE(ready[1].split->counts[0].is_measured);
  CHECK(ready[3].split->counts[1].is_measured);
  CHECK(ready[3].split->Cuts() == ready[1].split->Cuts());
  job.layer = 1000;
  CHECK(Only<Failed>(harness.Wait(harness.Submit(job))).size() == 1);
}

TEST_CASE("attention from a file opens in place of a model, and cannot be cut",
          "[worker][worker]") {
  const test::TempFolder folder;
  const std::array<float, 8> maps = {1.0F, 0.0F, 0.5F, 0.5F, 1.0F, 0.0F, 0.25F, 0.75F};
  const auto path = folder.Write(
      "maps.npy",
      test::NpyBytes("<f4", "1, 2, 2, 2", test::RawBytes(std::span<const float>(maps))));
  Harness harness;
  harness.Wait(harness.Submit(OpenModelRequest{kProbe}));
  const auto opened = Only<ModelOpened>(harness.Wait(harness.Submit(OpenModelRequest{path})));
  REQUIRE(opened.size() == 1);
  CHECK(opened[0].model == nullptr);
  REQUIRE(opened[0].attention != nullptr);
  const std::vector<Event> events = harness.Wait(harness.Submit(AttendRequest{}));
  CHECK(std::holds_alternative<Finished>(events.back().what));
  REQUIRE(Only<Tokenized>(events).size() == 1);
  CHECK(Only<Tokenized>(events)[0].encoding->tokens.size() == 2);
  const auto layers = Only<LayerReady>(events);
  REQUIRE(layers.size() == 1);
  CHECK(layers[0].layer->rule().causal);
  const auto map = Only<MapReady>(harness.Wait(harness.Submit(MapRequest{{layers[0].layer, 1}})));
  REQUIRE(map.size() == 1);
  CHECK(map[0].map->weights == std::vector<float>{1.0F, kMasked, 0.25F, 0.75F});
  const auto refused =
      Only<Failed>(harness.Wait(harness.Submit(SplitJob{.layer = 0, .split = {}})));
  REQUIRE(refused.size() == 1);
  CHECK_THAT(refused[0].error.message, test::Says("no queries, keys and values"));
  // What cannot be opened leaves it open.
  harness.Wait(harness.Submit(OpenModelRequest{folder / "missing"}));
  CHECK(Only<LayerReady>(harness.Wait(harness.Submit(AttendRequest{}))).size() == 1);
  harness.Wait(harness.Submit(OpenModelRequest{kProbe}));
  CHECK(Only<LayerReady>(harness.Wait(harness.Submit(Ids({1, 2})))).size() == 2);
}

TEST_CASE("a module that does not say its heads asks for them", "[worker][worker]") {
  const std::filesystem::path folder =
      test::SourceFolder() / "tests/golden/modules/fused_other_keys";
  const auto path = folder / "module.safetensors";
  Harness harness;
  const auto needed = Only<HeadCountNeeded>(harness.Wait(harness.Submit(OpenModelRequest{path})));
  REQUIRE(needed.size() == 1);
  CHECK(needed[0].model_dim == 24);
  OpenModelRequest request{path};
  request.options.heads = 3;
  CHECK(Only<ModelOpened>(harness.Wait(harness.Submit(request))).size() == 1);
  const test::TempFolder files;
  AttendRequest attend;
  attend.input.embeddings =
      files.Write("q.npy", test::NpyBytes("<f4", "2, 24", std::string(2 * 24 * 4, '\0')));
  attend.input.key_embeddings =
      files.Write("k.npy", test::NpyBytes("<f4", "5, 24", std::string(5 * 24 * 4, '\0')));
  const std::vector<Event> events = harness.Wait(harness.Submit(attend));
  REQUIRE(Only<Tokenized>(events).size() == 1);
  CHECK(Only<Tokenized>(events)[0].keys->tokens.size() == 5);
  REQUIRE(Only<LayerReady>(events).size() == 1);
  CHECK(Only<LayerReady>(events)[0].layer->shape().keys == 5);
  const auto failed = Only<Failed>(harness.Wait(harness.Submit(Ids({1}))));
  REQUIRE(failed.size() == 1);
  CHECK_THAT(failed[0].error.message, test::Says("--embeddings"));
}

}  // namespace
}  // namespace headscope
