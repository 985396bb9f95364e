// What the worker says. An event of a request that is no longer the current one of its kind is
// dropped.
#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "app/state/work.h"

namespace headscope {
namespace {

ModelInfo InfoOf(const Model& model) {
  return {.folder = model.folder(),
          .name = model.name(),
          .fingerprint = model.fingerprint(),
          .description = model.description(),
          .takes_text = model.tokenizer() != nullptr,
          .tokenizer_fault = model.tokenizer_fault()};
}

ModelInfo InfoOf(std::shared_ptr<const AttentionFile> file) {
  const GivenPart& part = file->parts().front();
  ModelInfo info;
  info.folder = file->path();
  info.name = file->name();
  info.fingerprint = file->fingerprint();
  info.description.family = file->family();
  info.description.layers = std::ssize(part.layers);
  info.description.heads = part.heads;
  info.takes_text = false;
  info.file = std::move(file);
  return info;
}

bool SameLength(const std::shared_ptr<const Encoding>& a,
                const std::shared_ptr<const Encoding>& b) {
  return a == b || (a != nullptr && b != nullptr && a->tokens.size() == b->tokens.size());
}

void OpenAgain(const ModelWork* work, Reducer* reducer) {
  AppState& state = reducer->state();
  if (work != nullptr && state.opening_folder.empty()) {
    state.restoring_model = true;
    state.opening_folder = work->model->folder;
    state.opening_with = work->opened_with;
    state.opening.Begin(reducer->Send(state.opening_with));
  }
}

}  // namespace

const Error* FailureOf(const Event& event) {
  const auto* failed = std::get_if<Failed>(&event.what);
  return failed != nullptr ? &failed->error : nullptr;
}

Action ToAction(const Event& event) {
  if (const auto* opened = std::get_if<ModelOpened>(&event.what)) {
    ModelInfo info =
        opened->attention != nullptr ? InfoOf(opened->attention) : InfoOf(*opened->model);
    info.opening = opened->opening();
    info.step_zero = opened->step_zero;
    return ModelReady{event.request, std::make_shared<const ModelInfo>(std::move(info))};
  }
  return WorkerEvent{event};
}

void Submitted::Do(Reducer* reducer) const {
  if (id == reducer->state().pending.request) {
    reducer->state().pending.started_s = now_s;
  }
}

void WorkerEvent::Do(Reducer* reducer) const {
  AppState& state = reducer->state();
  const auto work = std::ranges::find_if(Works(), [&](const Work& one) {
    return event.request != 0 && one.of(state).request == event.request;
  });
  if (work == Works().end()) {
    return;
  }
  Asking& asked = work->in(&state);
  const Error* const error = FailureOf(event);
  if (const auto* progress = std::get_if<Progress>(&event.what)) {
    asked.progress = *progress;
    return;
  }
  if (error != nullptr || std::holds_alternative<Finished>(event.what)) {
    asked.request = 0;
  }
  if (work->hear != nullptr) {
    work->hear(reducer, event);
  }
  if (error != nullptr && error->code == ErrorCode::kGone) {
    OpenAgain(reducer->WorkOf(state.model.get()), reducer);
  }
}

// Maps of layers that nothing shows any more.
void Reducer::ForgetMaps() {
  std::vector<std::shared_ptr<const LayerAttention>> layers = state_.shown.layers;
  if (state_.counts.result != nullptr) {
    std::ranges::move(state_.counts.result->Cuts(), std::back_inserter(layers));
  }
  if (state_.seen.answer != nullptr) {
    std::ranges::copy(state_.seen.answer->layers, std::back_inserter(layers));
  }
  std::erase_if(state_.maps.cache, [&layers](const auto& map) {
    return std::ranges::find(layers, map->of.layer) == layers.end();
  });
  state_.maps.tiles.KeepOnly(layers);
}

namespace {

void HearOpening(Reducer* reducer, const Event& event) {
  AppState& state = reducer->state();
  if (const auto* needed = std::get_if<HeadCountNeeded>(&event.what)) {
    state.opening.request = 0;
    state.opening_folder.clear();
    state.dialogs.head_count = *needed;
    state.dialogs.popup = Popup::kHeadCount;
  } else if (const Error* error = FailureOf(event)) {
    state.opening_folder.clear();
    state.restoring_model = false;
    state.arriving_head.reset();
    state.arriving_view.reset();
    if (error->code != ErrorCode::kCancelled) {
      reducer->Notify(ErrorPlace::kModel, error->message);
    }
  }
}

Progress OpeningProgress(const AppState& state) {
  return {0, 0, "opening " + state.opening_folder.filename().string()};
}

void TakeLayer(const std::shared_ptr<const LayerAttention>& layer, Reducer* reducer) {
  AppState& state = reducer->state();
  const auto slot = SlotOf(*state.pending.model, {layer->part(), layer->layer()});
  if (!slot) {
    return;
  }
  state.pending.layers[*slot] = layer;
  if (const auto head = std::exchange(state.arriving_head, std::nullopt)) {
    state.selection.head = *head;
    state.selection.head_locked = true;
  }
  reducer->ClampSelection();
}

void ShowPicture(const Event& event, const Finished& finished, Reducer* reducer) {
  AppState& state = reducer->state();
  Attendance& pending = state.pending;
  pending.request = event.request;  // which tells pictures apart
  pending.milliseconds = finished.milliseconds;
  pending.backend = finished.backend;
  const bool same_length = SameLength(state.shown.encoding, pending.encoding) &&
                           SameLength(state.shown.target, pending.target);
  state.shown = std::exchange(pending, Attendance{});
  reducer->ClearNotice(ErrorPlace::kText);
  reducer->ClearNotice(ErrorPlace::kModel);
  reducer->ClearNotice(ErrorPlace::kMap);
  if (!same_length) {
    state.selection.zoom = MapZoom{};
  }
  reducer->ForgetMaps();
  if (const auto view = std::exchange(state.arriving_view, std::nullopt)) {
    reducer->TakeView(*view);
  }
  const std::optional<Sample> sample = std::exchange(state.arriving_sample, std::nullopt);
  if (sample && sample->head && sample->model == state.shown.model->name &&
      !state.selection.head_locked) {
    state.selection.head = *sample->head;
    state.selection.row = sample->query;
  }
  if (std::exchange(state.writing.follows_end, false)) {
    const auto& text = state.shown.encoding;
    state.selection.row = std::ssize(text->tokens) - 1;
    state.selection.point = MapPoint{.query = *state.selection.row};
    state.selection.point_locked = true;
  }
  reducer->ClampSelection();
}

// The last good picture stays. A new model that cannot be computed gives way to the one before it;
// a text that it cannot take does not.
void AttendFailed(const Error& error, Reducer* reducer) {
  AppState& state = reducer->state();
  const std::int64_t could_read = state.pending.could_read;
  state.writing = {};
  state.pending = Attendance{};
  reducer->ClampSelection();
  if (error.code == ErrorCode::kCancelled || error.code == ErrorCode::kGone) {
    return;
  }
  const bool is_of_file = error.code == ErrorCode::kIo || error.code == ErrorCode::kFormat ||
                          error.code == ErrorCode::kUnsupported;
  const bool is_of_embeddings = is_of_file && !state.input.embeddings.empty();
  if (error.code == ErrorCode::kInput || is_of_embeddings) {
    reducer->Notify(ErrorPlace::kText, error.message);
    state.notices.back().first_tokens = could_read;
    return;
  }
  reducer->Notify(ErrorPlace::kModel, error.message);
  if (state.shown.model != state.model) {
    OpenAgain(reducer->WorkOf(state.shown.model.get()), reducer);
  }
}

void HearText(Reducer* reducer, const Event& event) {
  Attendance& pending = reducer->state().pending;
  if (const auto* tokenized = std::get_if<Tokenized>(&event.what)) {
    pending.encoding = tokenized->encoding;
    pending.target = tokenized->target;
    pending.generated = tokenized->generated;
    pending.keys = tokenized->keys;
  } else if (const auto* ready = std::get_if<LayerReady>(&event.what)) {
    TakeLayer(ready->layer, reducer);
  } else if (const auto* could = std::get_if<CouldRead>(&event.what)) {
    pending.could_read = could->tokens;
  } else if (const auto* finished = std::get_if<Finished>(&event.what)) {
    ShowPicture(event, *finished, reducer);
  } else if (const Error* error = FailureOf(event)) {
    AttendFailed(*error, reducer);
  }
}

Progress TextProgress(const AppState& state) {
  Progress progress = state.pending.progress;
  progress.what = progress.what.empty() ? "computing" : "computing " + progress.what;
  return progress;
}

}  // namespace

template <>
std::vector<Work> WorksOf<OpenModelRequest>() {
  return {
      At<&AppState::opening>({.progress = OpeningProgress, .is_long = true, .hear = HearOpening})};
}

template <>
std::vector<Work> WorksOf<AttendRequest>() {
  return {At<&AppState::pending>({.progress = TextProgress, .is_long = true, .hear = HearText})};
}

}  // namespace headscope
