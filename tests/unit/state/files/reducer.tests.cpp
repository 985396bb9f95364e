// Attention made elsewhere and attention modules, as the window opens them.
#include <array>

#include "app/state/inspect/grid_order.h"
#include "app/state/work_under_way.h"
#include "core/io/safetensors.h"
#include "tests/support/catch.h"
#include "tests/support/npy_bytes.h"
#include "tests/support/screens.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/state/state_driver.h"

namespace headscope {
namespace {

using test::Says;
using test::StateDriver;

// One layer of two maps; a row of the second does not sum to 1.
std::shared_ptr<const ModelInfo> FromFile(const test::TempFolder& folder) {
  const std::array<float, 8> maps = {1.0F, 0.0F, 0.5F, 0.5F, 1.0F, 0.0F, 0.25F, 0.5F};
  const auto path = folder.Write(
      "maps.npy",
      test::NpyBytes("<f4", "1, 2, 2, 2", test::RawBytes(std::span<const float>(maps))));
  const auto file = AttentionFile::Open(path, "", {});
  REQUIRE(file);
  const Action action = ToAction({1, ModelOpened{nullptr, *file}});
  return action.As<ModelReady>()->model;
}

TEST_CASE("heads of a file are those of the layers that it holds", "[state][files]") {
  const test::TempFolder folder;
  const std::array<float, 8> maps = {1.0F, 0.0F, 0.5F, 0.5F, 1.0F, 0.0F, 0.5F, 0.5F};
  const TensorView view{.name = "attention",
                        .type = DataType::kF32,
                        .shape = {2, 1, 2, 2},
                        .bytes = std::as_bytes(std::span(maps))};
  REQUIRE(WriteSafetensors(folder / "maps.safetensors", {&view, 1}, {{"layers", "4-5"}}));
  const auto file = AttentionFile::Open(folder / "maps.safetensors", "", {});
  REQUIRE(file);
  const Action action = ToAction({1, ModelOpened{nullptr, *file}});
  const ModelInfo& model = *action.As<ModelReady>()->model;
  CHECK(PartsOf(model)[0].layers == std::vector<std::int64_t>{4, 5});
  CHECK(TotalHeads(model) == 2);
}

TEST_CASE("keys and the jump box know the layers that a file holds, and no others",
          "[state][files]") {
  const test::TempFolder folder;
  const std::array<float, 8> maps = {1.0F, 0.0F, 0.5F, 0.5F, 1.0F, 0.0F, 0.5F, 0.5F};
  std::vector<TensorView> views;
  for (const char* name : {"layer_2", "layer_9"}) {
    views.push_back({.name = name,
                     .type = DataType::kF32,
                     .shape = {2, 2, 2},
                     .bytes = std::as_bytes(std::span(maps))});
  }
  REQUIRE(WriteSafetensors(folder / "maps.safetensors", views, {}));
  const auto file = AttentionFile::Open(folder / "maps.safetensors", "", {});
  REQUIRE(file);
  const Action opened = ToAction({1, ModelOpened{nullptr, *file}});
  StateDriver driver;
  const auto model = opened.As<ModelReady>()->model;
  driver.Do(OpenFolder{model->folder});
  driver.Do(ModelReady{driver.state.opening.request, model});
  const RequestId id = driver.state.pending.request;
  driver.Event(id, Tokenized{model->file->encoding(), driver.state.pending.input});
  for (std::size_t layer = 0; layer < 2; ++layer) {
    driver.Event(id, LayerReady{*model->file->Layer(0, layer, kThumbnailSize, {})});
  }
  driver.Event(id, Finished{1.0, ""});
  CHECK(model->description.layers == 2);  // so many are named beside the model's name
  CHECK(driver.state.selection.head.layer == 2);
  driver.Do(StepHead{.layers = 1, .heads = 0});
  CHECK(driver.state.selection.head.layer == 9);
  driver.Do(StepHead{.layers = 1, .heads = 0});
  CHECK(driver.state.selection.head.layer == 9);
  driver.Do(StepHead{.layers = -1, .heads = 0});
  CHECK(driver.state.selection.head.layer == 2);
  CHECK(GridHeads(driver.state) == std::vector<HeadIndex>{{2, 0}, {2, 1}, {9, 0}, {9, 1}});
  driver.state.dialogs.jump_text = "L9H1";
  driver.Do(Jump);
  CHECK(driver.state.selection.head == HeadIndex{9, 1});
  driver.state.dialogs.jump_text = "L5H0";
  driver.Do(Jump);
  CHECK(driver.state.dialogs.jump_error == "There is no L5H0: layers are 2, 9, heads 0 to 1.");
}

TEST_CASE("attention from a file is shown with what is wrong with it", "[state][files]") {
  const test::TempFolder folder;
  const auto model = FromFile(folder);
  CHECK(model->description.layers == 1);
  CHECK(model->description.heads == 2);
  CHECK(PartsOf(*model).size() == 1);
  StateDriver driver;
  driver.Do(OpenFolder{model->folder});
  driver.Do(ModelReady{driver.state.opening.request, model});
  CHECK(driver.CountRequests<AttendRequest>() == 1);
  const Notice* notice = NoticeAt(driver.state, ErrorPlace::kFile);
  REQUIRE(notice != nullptr);
  CHECK_THAT(notice->sentence, Says("1 of 4 rows does not sum to 1") && Says("they are numbered"));
  const RequestId id = driver.state.pending.request;
  driver.Event(id, Tokenized{model->file->encoding(), driver.state.pending.input});
  driver.Event(id, LayerReady{*model->file->Layer(0, 0, kThumbnailSize, {})});
  driver.Event(id, Finished{1.0, ""});
  CHECK(SelectedLayer(driver.state).layer != nullptr);

  driver.effects.clear();
  driver.Do(EditText{"another text"});
  CHECK(driver.CountRequests<AttendRequest>() == 0);
  CHECK_THAT(NoticeAt(driver.state, ErrorPlace::kText)->sentence, Says("its own tokens"));
  driver.Do(SetScreen{&test::kCountsScreen});
  CHECK(driver.CountRequests<SplitJob>() == 0);
  // The next model has nothing wrong with it.
  driver.Open("plain", 2, 4);
  CHECK(NoticeAt(driver.state, ErrorPlace::kFile) == nullptr);
}

TEST_CASE("what to know of a model is said once, when it opens", "[state][files]") {
  StateDriver driver;
  ModelInfo info = *StateDriver::Model("own", 2, 4);
  info.description.note = "config.json names code of the model's own, which is not run";
  driver.Do(OpenFolder{info.folder});
  driver.Do(ModelReady{driver.state.opening.request, std::make_shared<const ModelInfo>(info)});
  const Notice* notice = NoticeAt(driver.state, ErrorPlace::kModelNote);
  REQUIRE(notice != nullptr);
  CHECK(notice->sentence == info.description.note);
  driver.Do(DismissNotice{ErrorPlace::kModelNote});
  driver.Do(EditText{"another text"});
  CHECK(NoticeAt(driver.state, ErrorPlace::kModelNote) == nullptr);
  driver.Do(OpenFolder{info.folder});
  driver.Do(ModelReady{driver.state.opening.request, std::make_shared<const ModelInfo>(info)});
  CHECK(NoticeAt(driver.state, ErrorPlace::kModelNote) != nullptr);
  driver.Open("plain", 2, 4);
  CHECK(NoticeAt(driver.state, ErrorPlace::kModelNote) == nullptr);
}

TEST_CASE("a module asks for its heads, then for its embeddings", "[state][files]") {
  StateDriver driver;
  driver.Open("before", 2, 4);
  driver.Answer(3);
  driver.Do(OpenFolder{"/models/module.safetensors"});
  driver.Event(driver.state.opening.request, HeadCountNeeded{"/models/module.safetensors", 12});
  driver.Event(driver.state.opening.request, Finished{1.0, ""});
  CHECK(driver.state.dialogs.popup == Popup::kHeadCount);
  CHECK(driver.state.dialogs.head_count.model_dim == 12);
  CHECK(driver.state.shown.request != 0);  // the picture before stays
  CHECK_FALSE(Busy(driver.state));

  driver.effects.clear();
  driver.Do(OpenFolder{"/models/module.safetensors", {.heads = 3}});
  CHECK(driver.state.dialogs.popup == Popup::kNone);
  const auto* submit = driver.Last<Submit>();
  REQUIRE(submit != nullptr);
  CHECK(std::get<OpenModelRequest>(submit->request).options.heads == 3);
  ModelInfo info = *StateDriver::Model("module", 1, 3);
  info.description.token_embedding.name.clear();
  driver.Do(ModelReady{driver.state.opening.request, std::make_shared<const ModelInfo>(info)});
  CHECK(driver.CountRequests<AttendRequest>() == 0);
  CHECK(AwaitsChoice(driver.state));
  CHECK_FALSE(Busy(driver.state));

  driver.Do(EditEmbeddings{{.queries = "q.npy", .keys = "k.npy", .values = ""}});
  driver.Do(UseEmbeddings);
  CHECK(driver.CountRequests<AttendRequest>() == 1);
  CHECK(driver.state.pending.input.embeddings == "q.npy");
  CHECK(driver.state.pending.input.key_embeddings == "k.npy");
  CHECK_FALSE(AwaitsChoice(driver.state));

  // A file that cannot be read is no fault of the module: it stays, and waits for another.
  driver.Event(driver.state.pending.request, Failed{{ErrorCode::kIo, "q.npy: no such file"}});
  CHECK(driver.state.model->name == "module");
  CHECK_FALSE(driver.state.restoring_model);
  REQUIRE(driver.state.notices.size() == 1);
  CHECK(driver.state.notices.front().place == ErrorPlace::kText);
}

}  // namespace
}  // namespace headscope
