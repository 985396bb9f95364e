// What the worker says. An event of a request that is no longer the current one of its kind is
// dropped.
#include <algorithm>
#include <iterator>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "app/state/counts/head_tree.h"
#include "app/state/reducer_class.h"

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

const Error* FailureOf(const Event& event) {
  const auto* failed = std::get_if<Failed>(&event.what);
  return failed != nullptr ? &failed->error : nullptr;
}

bool SameLength(const std::shared_ptr<const Encoding>& a,
                const std::shared_ptr<const Encoding>& b) {
  return a == b || (a != nullptr && b != nullptr && a->tokens.size() == b->tokens.size());
}

std::int64_t BytesOf(const HeadMap& map) {
  return static_cast<std::int64_t>(map.weights.size() * sizeof(float));
}

}  // namespace

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

void Reducer::On(const Submitted& action) {
  if (action.id == state_.pending.request) {
    state_.pending.started_s = action.now_s;
  }
}

void Reducer::On(const WorkerEvent& action) {
  const Event& event = action.event;
  if (event.request == 0) {
    return;
  }
  if (event.request == state_.pending.request) {
    AttendEvent(event);
  } else if (event.request == state_.maps.request) {
    MapEvent(event);
  } else if (event.request == state_.counts.request) {
    CountsEvent(event);
  } else if (event.request == state_.tree.request) {
    LineageEvent(event);
  } else if (event.request == state_.walk.request) {
    WalkEvent(event);
  } else if (event.request == state_.why.request) {
    SourcesEvent(event);
  } else if (event.request == state_.scan.request) {
    ScanEvent(event);
  } else if (event.request == state_.scan.reading) {
    KeptScanEvent(event);
  } else if (event.request == state_.probe_scan.request) {
    ProbeScanEvent(event);
  } else if (event.request == state_.measures.request) {
    MeasuresEvent(event);
  } else if (event.request == state_.text_scores.request) {
    TextScoresEvent(event);
  } else if (event.request == state_.examples.request) {
    ExamplesEvent(event);
  } else if (event.request == state_.alike.request) {
    AlikeEvent(event);
  } else if (event.request == state_.partners.request) {
    PartnersEvent(event);
  } else if (event.request == state_.ablation.request) {
    AblationEvent(event);
  } else if (event.request == state_.series.finding) {
    SeriesFoundEvent(event);
  } else if (event.request == state_.series.request) {
    SeriesEvent(event);
  } else if (event.request == state_.compare.request) {
    CompareEvent(event);
  } else if (event.request == state_.compare.maps_request) {
    PairMapsEvent(event);
  } else if (event.request == state_.dialogs.exporting.request) {
    ExportEvent(event);
  } else if (event.request == state_.opening) {
    if (const auto* needed = std::get_if<HeadCountNeeded>(&event.what)) {
      AskForHeadCount(*needed);
      return;
    }
    if (const Error* error = FailureOf(event)) {
      state_.opening = 0;
      state_.opening_folder.clear();
      state_.restoring_model = false;
      state_.arriving_head.reset();
      if (error->code != ErrorCode::kCancelled) {
        Notify(ErrorPlace::kModel, error->message);
      }
    }
  }
}

void Reducer::AttendEvent(const Event& event) {
  Attendance& pending = state_.pending;
  if (const auto* tokenized = std::get_if<Tokenized>(&event.what)) {
    pending.encoding = tokenized->encoding;
    pending.target = tokenized->target;
    pending.generated = tokenized->generated;
    pending.keys = tokenized->keys;
  } else if (const auto* ready = std::get_if<LayerReady>(&event.what)) {
    const auto slot = SlotOf(*pending.model, {ready->layer->part(), ready->layer->layer()});
    if (slot) {
      pending.layers[*slot] = ready->layer;
      if (const auto head = std::exchange(state_.arriving_head, std::nullopt)) {
        state_.selection.head = *head;
        state_.selection.head_locked = true;
      }
      ClampSelection();
    }
  } else if (const auto* progress = std::get_if<Progress>(&event.what)) {
    pending.progress = *progress;
  } else if (const auto* could = std::get_if<CouldRead>(&event.what)) {
    pending.could_read = could->tokens;
  } else if (const auto* finished = std::get_if<Finished>(&event.what)) {
    pending.milliseconds = finished->milliseconds;
    pending.backend = finished->backend;
    const bool same_length = SameLength(state_.shown.encoding, pending.encoding) &&
                             SameLength(state_.shown.target, pending.target);
    state_.shown = std::exchange(pending, Attendance{});
    ClearNotice(ErrorPlace::kText);
    ClearNotice(ErrorPlace::kModel);
    ClearNotice(ErrorPlace::kMap);
    if (!same_length) {
      state_.selection.zoom = MapZoom{};
    }
    ForgetMaps();
    const std::optional<Sample> sample = std::exchange(state_.arriving_sample, std::nullopt);
    if (sample && sample->head && sample->model == state_.shown.model->name &&
        !state_.selection.head_locked) {
      state_.selection.head = *sample->head;
      state_.selection.row = sample->query;
    }
    ClampSelection();
  } else if (const Error* error = FailureOf(event)) {
    AttendFailed(*error);
  }
}

// The last good picture stays. A new model that cannot be computed gives way to the one before it;
// a text that it cannot take does not.
void Reducer::AttendFailed(const Error& error) {
  const std::int64_t could_read = state_.pending.could_read;
  state_.pending = Attendance{};
  ClampSelection();
  if (error.code == ErrorCode::kCancelled) {
    return;
  }
  if (error.code == ErrorCode::kGone) {
    OpenAgain(WorkOf(state_.model.get()));
    return;
  }
  const bool is_of_file = error.code == ErrorCode::kIo || error.code == ErrorCode::kFormat ||
                          error.code == ErrorCode::kUnsupported;
  const bool is_of_embeddings = is_of_file && !state_.input.embeddings.empty();
  if (error.code == ErrorCode::kInput || is_of_embeddings) {
    Notify(ErrorPlace::kText, error.message);
    state_.notices.back().first_tokens = could_read;
    return;
  }
  Notify(ErrorPlace::kModel, error.message);
  const ModelWork* const before = WorkOf(state_.shown.model.get());
  if (state_.shown.model != state_.model) {
    OpenAgain(before);
  }
}

void Reducer::OpenAgain(const ModelWork* work) {
  if (work != nullptr && state_.opening_folder.empty()) {
    state_.restoring_model = true;
    state_.opening_folder = work->model->folder;
    state_.opening_with = work->opened_with;
    state_.opening = Send(state_.opening_with);
  }
}

void Reducer::MapEvent(const Event& event) {
  MapsInFull& maps = state_.maps;
  if (const auto* ready = std::get_if<MapReady>(&event.what)) {
    std::int64_t bytes = BytesOf(*ready->map);
    for (const auto& map : maps.cache) {
      bytes += BytesOf(*map);
    }
    while (bytes > maps.byte_budget && !maps.cache.empty()) {
      bytes -= BytesOf(*maps.cache.front());
      maps.cache.erase(maps.cache.begin());
    }
    maps.cache.push_back(ready->map);
    maps.tiles.ShrinkTo(maps.byte_budget - bytes);
  } else if (const auto* tile = std::get_if<TileReady>(&event.what)) {
    maps.cache.clear();
    maps.tiles.ShrinkTo(maps.byte_budget - tile->tile->byte_size());
    maps.tiles.Add(maps.wanted.layer, tile->tile);
  } else if (const Error* error = FailureOf(event)) {
    maps.request = 0;
    if (error->code == ErrorCode::kCancelled) {
      maps.wanted = {};
    } else {
      Notify(ErrorPlace::kMap, error->message);  // wanted stays: asked for once only
    }
  } else if (std::holds_alternative<Finished>(event.what)) {
    maps.request = 0;
    maps.wanted = {};
  }
}

// Maps of layers that nothing shows any more.
void Reducer::ForgetMaps() {
  std::vector<std::shared_ptr<const LayerAttention>> layers = state_.shown.layers;
  if (state_.counts.result != nullptr) {
    std::ranges::move(state_.counts.result->Cuts(), std::back_inserter(layers));
  }
  std::erase_if(state_.maps.cache, [&layers](const auto& map) {
    return std::ranges::find(layers, map->of.layer) == layers.end();
  });
  state_.maps.tiles.KeepOnly(layers);
}

void Reducer::CountsEvent(const Event& event) {
  Counts& counts = state_.counts;
  if (const auto* ready = std::get_if<SplitReady>(&event.what)) {
    // It grows count by count: what is chosen and measured goes with the first of another cut.
    HeadTreeState& tree = state_.tree;
    if (counts.source != counts.wanted) {
      counts.chosen.reset();
      tree.pinned.reset();
    }
    if (counts.source != counts.wanted || tree.how_made != tree.wanted_how) {
      tree.answers.clear();
    }
    if (counts.source != counts.wanted) {
      tree.measured.clear();
    }
    counts.result = ready->split;
    counts.source = counts.wanted;
    counts.source_of = counts.wanted_of;
    tree.how_made = tree.wanted_how;
    tree.tree = std::make_shared<const SplitTree>(MakeSplitTree(*counts.result));
    ForgetMaps();
  } else if (const Error* error = FailureOf(event)) {
    counts.request = 0;
    if (error->code == ErrorCode::kCancelled) {
      counts.wanted.reset();
      if (!IsWhole(counts)) {
        state_.tree.how_made = {};  // asked for again
      }
    } else if (error->code == ErrorCode::kGone) {
      OpenAgain(WorkOf(state_.model.get()));  // wanted stays: asked for again once it is open
    } else {
      Notify(ErrorPlace::kCounts, error->message);
    }
  } else if (std::holds_alternative<Finished>(event.what)) {
    counts.request = 0;
    counts.wanted.reset();
    if (counts.result != nullptr) {
      RememberCut(*counts.result);
    }
  }
}

void Reducer::SourcesEvent(const Event& event) {
  Why& why = state_.why;
  if (const auto* ready = std::get_if<SourcesReady>(&event.what)) {
    why.sources = ready->sources;
    why.fault.clear();
    why.of = why.wanted;
  } else if (const Error* error = FailureOf(event)) {
    why.request = 0;
    if (error->code == ErrorCode::kCancelled) {
      why.wanted.reset();
    } else if (error->code == ErrorCode::kGone) {
      OpenAgain(WorkOf(state_.model.get()));  // wanted stays: the cell goes with its picture
    } else {
      why.sources = nullptr;
      why.fault = error->message;
      why.of = std::exchange(why.wanted, std::nullopt);
    }
  } else if (std::holds_alternative<Finished>(event.what)) {
    why.request = 0;
    why.wanted.reset();
  }
}

void Reducer::ExportEvent(const Event& event) {
  ExportDraft& draft = state_.dialogs.exporting;
  if (const auto* written = std::get_if<FigureWritten>(&event.what)) {
    draft.done = written->path.string();
    ClearNotice(ErrorPlace::kExport);
  } else if (const Error* error = FailureOf(event)) {
    draft.request = 0;
    if (error->code != ErrorCode::kCancelled) {
      Notify(ErrorPlace::kExport, error->message);
    }
  } else if (std::holds_alternative<Finished>(event.what)) {
    draft.request = 0;
  }
}

}  // namespace headscope
