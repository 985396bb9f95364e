// Thousands of actions in any order: whatever a person and the worker do, no index in the state
// points past what is shown.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/catch.h"
#include "tests/support/screens.h"
#include "tests/unit/state/state_driver.h"

namespace headscope::test {
namespace {

bool IsIn(std::int64_t index, std::int64_t count) {
  return index >= 0 && index < count;
}

bool Exists(const ModelInfo& model, HeadIndex head) {
  const std::vector<PartHeads> parts = PartsOf(model);
  const auto shape = std::ranges::find(parts, head.part, &PartHeads::part);
  return shape != parts.end() && IsIn(head.layer, shape->end_layer()) &&
         IsIn(head.head, shape->heads);
}

void CheckSelection(const AppState& state) {
  const Selection& selection = state.selection;
  const ModelInfo* const model = ShownModel(state);
  if (model == nullptr) {
    CHECK(selection.head == HeadIndex{});
    CHECK_FALSE(selection.point);
    return;
  }
  CHECK(Exists(*model, selection.head));
  CHECK((selection.point || !selection.point_locked));
  const LayerView view = SelectedLayer(state);
  if (view.layer == nullptr) {
    return;
  }
  const AttentionShape& shape = view.layer->shape();
  REQUIRE(QueryTokens(view) != nullptr);
  REQUIRE(KeyTokens(view) != nullptr);
  CHECK(std::ssize(QueryTokens(view)->tokens) == shape.queries);
  CHECK(std::ssize(KeyTokens(view)->tokens) == shape.keys);
  CHECK(selection.head.head < shape.heads);
  REQUIRE(selection.row);
  CHECK(IsIn(*selection.row, shape.queries));
  if (selection.other_row) {
    const auto& other = HasTargetQueries(view.layer->part()) ? view.source : view.target;
    REQUIRE(other != nullptr);
    CHECK(IsIn(*selection.other_row, std::ssize(other->tokens)));
  }
  CHECK(selection.point == Within(selection.point, shape.queries, shape.keys));
  CHECK(selection.zoom == ClampZoom(selection.zoom, 1e9));
}

void CheckFlags(const AppState& state) {
  std::vector<const ModelInfo*> models;
  for (const ModelWork& work : state.works) {
    CHECK(std::ranges::count(models, work.model.get()) == 0);
    models.push_back(work.model.get());
    for (const HeadFlag& flag : work.flags.flags) {
      CHECK(Exists(*work.model, HeadOf(flag)));
    }
    for (const HeadFlag& flag : work.session.elsewhere) {
      CHECK_FALSE(Exists(*work.model, HeadOf(flag)));
    }
  }
  CHECK(models.size() <= 4);
  CHECK((state.model == nullptr || std::ranges::count(models, state.model.get()) == 1));
  CHECK((ShownModel(state) == nullptr || std::ranges::count(models, ShownModel(state)) == 1));
}

void CheckMaps(const AppState& state) {
  for (const auto& map : state.maps.cache) {
    CHECK(IsIn(map->of.head, map->of.layer->shape().heads));
  }
  if (state.maps.wanted.layer != nullptr) {
    CHECK(IsIn(state.maps.wanted.head, state.maps.wanted.layer->shape().heads));
  }
  const Counts& counts = state.counts;
  CHECK((counts.result == nullptr) == (counts.source == nullptr));
  if (counts.chosen) {
    REQUIRE(counts.result != nullptr);
    CHECK(std::ranges::count(counts.result->counts, counts.chosen->heads, &SplitCount::heads) == 1);
    CHECK(IsIn(counts.chosen->head, counts.chosen->heads));
  }
}

// A person and a worker that do anything at any time.
class Walk {
 public:
  explicit Walk(std::uint64_t seed) : random_(seed) {
    driver_.stores_at_once = false;
    LibraryFound library;
    library.sessions_folder = "/sessions";
    library.exports_folder = "/exports";
    library.samples = {{"row", "red cat", "", "model0", HeadIndex{1, 2}, 3},
                       {"far", "red", "", "model1", HeadIndex{9, 9}, 90}};
    driver_.Do(library);
  }

  void Step() {
    const std::size_t sent = driver_.effects.size();
    Number(3) == 0 ? Answer() : Act();
    for (std::size_t i = sent; i < driver_.effects.size(); ++i) {
      Remember(driver_.effects[i]);
    }
    driver_.effects.clear();
    CheckSelection(driver_.state);
    CheckMaps(driver_.state);
    CheckFlags(driver_.state);
  }

 private:
  std::int64_t Number(std::int64_t below) {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(below));
  }
  std::int64_t Any() { return Number(16) - 3; }
  ModelPart AnyPart() {
    return std::vector{ModelPart::kWhole,
                       ModelPart::kEncoder,
                       ModelPart::kDecoder,
                       ModelPart::kCross}[static_cast<std::size_t>(Number(4))];
  }
  HeadIndex AnyHead() { return {Any(), Any(), AnyPart()}; }
  MapPoint AnyPoint() { return Number(3) == 0 ? MapPoint{Any()} : MapPoint{Any(), Any()}; }

  void Remember(const Effect& effect) {
    if (const auto* load = std::get_if<LoadSessionFile>(&effect)) {
      loads_.push_back(load->path);
    } else if (const auto* store = std::get_if<StoreSession>(&effect)) {
      stores_.push_back(*store);
    }
  }

  std::shared_ptr<const ModelInfo> AnyModel() {
    constexpr std::pair<std::int64_t, std::int64_t> kShapes[] = {{3, 4}, {1, 1}, {2, 8}, {5, 2}};
    const auto which = Number(5);
    const std::string name = "model" + std::to_string(which);
    return which == 4 ? StateDriver::EncoderDecoder(name)
                      : StateDriver::Model(name,
                                           kShapes[static_cast<std::size_t>(which)].first,
                                           kShapes[static_cast<std::size_t>(which)].second);
  }

  void Act() {
    StateDriver& app = driver_;
    switch (Number(31)) {
      case 0:
        return app.Do(HoverHead{AnyHead()});
      case 1:
        return app.Do(ClickHead{AnyHead()});
      case 2:
        return app.Do(Escape);
      case 3:
        return app.Do(StepHead{.layers = Any(), .heads = Any()});
      case 4:
        return app.Do(ShowPart{AnyPart()});
      case 5:
      case 6:
        return app.Do(PointCell{AnyPoint()});
      case 7:
      case 8:
        return app.Do(ClickCell{AnyPoint()});
      case 9:
        return app.Do(PointNowhere);
      case 10:
        return app.Do(ZoomMap{Number(2) == 0 ? 3.0 : 0.4, 0.9, 0.1});
      case 11:
        return app.Do(PanMap{0.7, -0.3});
      case 12:
        return app.Do(SetScreen{Number(2) == 0 ? &kHeadsScreen : &kCountsScreen});
      case 13:
        return app.Do(SelectLayer{Any()});
      case 14:
      case 15:
        return app.Do(SelectCount{Any(), Any()});
      case 16:
        return app.Do(OpenPopup{Popup::kFlag});
      case 17: {
        FlagDraft draft = app.state.dialogs.flag;
        draft.role = "broad";
        app.Do(EditFlag{std::move(draft)});
        return app.Do(SaveFlag);
      }
      case 18:
        return app.Do(ClearFlag{AnyHead()});
      case 19:
        return app.Do(UndoFlag);
      case 20:
        return app.Do(RedoFlag);
      case 21:
        return app.Do(EditJump{HeadName({Number(6), Number(6), AnyPart()})});
      case 22:
        return app.Do(Jump);
      case 23:
        return app.Do(ChooseSample{static_cast<std::size_t>(Number(3))});
      case 24:
        return app.Do(SetRange{RangeMode::kGlobal});
      case 25:
        return app.Do(CancelWork);
      case 26:
        return app.Do(OpenFolder{"/models/" + std::to_string(Number(5))});
      case 27:
        return app.Do(EditTarget{Number(2) == 0 ? "ziel" : ""});
      case 28:
        return OpenSomeSession();
      case 29: {
        FlagDraft draft = app.state.dialogs.flag;
        draft.head = AnyHead();
        draft.role = "rare";
        return app.Do(EditFlag{draft});
      }
      default:
        return app.Do(EditText{std::string(static_cast<std::size_t>(1 + Number(9)), 'a')});
    }
  }

  void OpenSomeSession() { driver_.Do(OpenSession{"/my/" + std::to_string(Number(2)) + ".json"}); }

  void Answer() {
    const AppState& state = driver_.state;
    switch (Number(4)) {
      case 0:
        return AnswerOpening();
      case 1:
        return state.pending.request != 0 ? AnswerText() : AnswerOpening();
      case 2:
        return state.counts.request != 0 ? AnswerCounts() : AnswerText();
      default:
        return AnswerSession();
    }
  }

  void AnswerOpening() {
    const RequestId id = driver_.state.opening.request;
    if (id == 0) {
      return AnswerText();
    }
    Number(4) == 0 ? driver_.Event(id, Failed{{ErrorCode::kIo, "no such folder"}})
                   : driver_.Do(ModelReady{id, AnyModel()});
  }

  // The next thing of the text under way: its tokens, a layer, its end, or a refusal.
  void AnswerText() {
    const Attendance& pending = driver_.state.pending;
    const RequestId id = pending.request;
    if (id == 0) {
      return;
    }
    const std::int64_t chance = Number(12);
    if (chance < 2) {
      constexpr ErrorCode kCodes[] = {
          ErrorCode::kInput, ErrorCode::kNumeric, ErrorCode::kCancelled};
      return driver_.Event(id, Failed{{kCodes[Number(3)], "refused"}});
    }
    if (pending.encoding == nullptr) {
      const std::int64_t tokens = 1 + Number(10);
      const bool has_target = pending.model->has_decoder();
      return driver_.Event(id,
                           Tokenized{NumberedWords(tokens),
                                     pending.input,
                                     has_target ? NumberedWords(1 + Number(10), "t") : nullptr});
    }
    const auto next = std::ranges::find(pending.layers, nullptr);
    if (next == pending.layers.end()) {
      return driver_.Event(id, Finished{1.0, "stub"});
    }
    driver_.Event(id, LayerReady{Layer(next - pending.layers.begin())});
  }

  std::shared_ptr<const LayerAttention> Layer(std::int64_t slot) {
    const Attendance& pending = driver_.state.pending;
    for (const PartHeads& part : PartsOf(*pending.model)) {
      if (slot >= part.end_layer()) {
        slot -= part.end_layer();
        continue;
      }
      const auto& queries = HasTargetQueries(part.part) ? pending.target : pending.encoding;
      const auto& keys = HasTargetKeys(part.part) ? pending.target : pending.encoding;
      return MakeEven({.id = {part.part, slot},
                       .heads = part.heads,
                       .queries = std::ssize(queries->tokens),
                       .keys = std::ssize(keys->tokens),
                       .causal = part.part == ModelPart::kDecoder});
    }
    return nullptr;
  }

  void AnswerCounts() {
    const Counts& counts = driver_.state.counts;
    const RequestId id = counts.request;
    if (counts.wanted == nullptr || Number(4) == 0) {
      return driver_.Event(id, Failed{{ErrorCode::kUnsupported, "cannot be cut"}});
    }
    auto split = std::make_shared<SplitResult>();
    split->trained_heads = counts.wanted->shape().heads;
    split->layer = counts.wanted->layer();
    for (const std::int64_t heads : CountsFor(*counts.wanted)) {
      SplitCount& count = split->counts.emplace_back();
      count.heads = heads;
      count.attention = EvenLayer(0, heads, 3, true);
    }
    driver_.Event(id, SplitReady{split});
    driver_.Event(id, Finished{});
  }

  // As the disk does, with what another window may have changed meanwhile.
  void AnswerStore() {
    const StoreSession store = stores_.front();
    stores_.erase(stores_.begin());
    if (Number(6) == 0) {
      return driver_.Do(SessionStored{store.path, store.session, Fail(ErrorCode::kIo, "full")});
    }
    SessionFile written = store.session;
    if (Number(2) == 0 && !written.flags.empty()) {
      written.flags.pop_back();
    } else if (Number(2) == 0) {
      written.flags.push_back({Number(12), Number(12), "rare", "", "", AnyPart()});
    }
    driver_.Do(SessionStored{store.path, store.session, written});
  }

  void AnswerSession() {
    if (!stores_.empty()) {
      return AnswerStore();
    }
    if (loads_.empty()) {
      return AnswerText();
    }
    const std::filesystem::path path = loads_.front();
    loads_.erase(loads_.begin());
    if (Number(3) == 0) {
      return driver_.Do(SessionLoaded{path, Fail(ErrorCode::kFormat, "not a session")});
    }
    if (Number(3) == 0) {
      return driver_.Do(SessionLoaded{path, std::optional<SessionFile>()});
    }
    SessionFile session;
    session.model_path = "/models/1";
    session.selected_layer = Number(12);
    session.selected_head = Number(12);
    session.selected_part = AnyPart();
    session.flags = {{Number(12), Number(12), "rare", "", "", AnyPart()}};
    driver_.Do(SessionLoaded{path, std::optional(session)});
  }

  std::mt19937_64 random_;
  StateDriver driver_;
  std::vector<std::filesystem::path> loads_;
  std::vector<StoreSession> stores_;
};

}  // namespace

TEST_CASE("no action in any order leaves an index past what is shown", "[state][walk]") {
  constexpr std::uint64_t kWalks = 60;
  constexpr int kSteps = 400;
  for (std::uint64_t seed = 1; seed <= kWalks; ++seed) {
    Walk walk(seed);
    for (int step = 0; step < kSteps; ++step) {
      CAPTURE(seed, step);
      walk.Step();
    }
  }
}

}  // namespace headscope::test
