#include "app/views/exports.h"

#include <memory>
#include <vector>

#include "app/state/queries.h"
#include "core/session/figure_builders.h"

namespace headscope {
namespace {

FigureContext ContextOf(const AppState& state, const ExportDraft& draft) {
  const LayerView selected = SelectedLayer(state);
  const bool is_pending = selected.source != nullptr && selected.source == state.pending.encoding;
  const Attendance& from = is_pending ? state.pending : state.shown;
  FigureContext context;
  const ModelInfo& model = *ShownModel(state);
  context.model = ModelLine(
      model.name, model.family, model.layers, model.heads, model.model_dim, model.head_dim);
  context.text = from.input.text;
  if (selected.source != nullptr) {
    context.tokens = AxisTokens(*selected.source);
  }
  if (selected.keys != nullptr) {
    context.key_tokens = AxisTokens(*selected.keys);
  }
  if (selected.target != nullptr) {
    DescribeTarget(from.input, *selected.target, from.generated, &context);
  }
  context.scale = {.curve = state.settings.curve,
                   .range = state.settings.range,
                   .low = 0.0F,
                   .high = 1.0F,
                   .colormap = state.settings.colormap};
  context.flags = state.flags.flags;
  if (const std::string note = PrecisionNote(from.precision); !note.empty()) {
    context.notes.push_back(note);
  }
  context.pool = state.settings.pooling == Pooling::kMax ? Pool::kLargest : Pool::kMean;
  context.theme = draft.theme;
  context.size_px = draft.size_px;
  return context;
}

}  // namespace

Result<Figure> FigureFor(const AppState& state, const ExportDraft& draft) {
  if (ShownModel(state) == nullptr) {
    return Fail(ErrorCode::kInput, "There is no picture to save yet; open a model first.");
  }
  FigureContext context = ContextOf(state, draft);
  const LayerView selected = SelectedLayer(state);
  const bool is_file = ShownModel(state)->file != nullptr;
  if (is_file) {
    DescribeGiven(*ShownModel(state)->file, &context);
  }
  if (draft.what == ExportWhat::kCounts) {
    const Counts& counts = state.counts;
    if (counts.result == nullptr || counts.source == nullptr) {
      return Fail(ErrorCode::kInput, "No head counts are computed yet; open Counts (2) first.");
    }
    return CountsFigure(*counts.result, *counts.source, context, {});
  }
  std::vector<std::shared_ptr<const LayerAttention>> layers;
  for (std::int64_t layer = 0; layer < ShownLayers(state); ++layer) {
    const LayerView view = LayerAt(state, layer);
    if (view.layer != nullptr) {
      layers.push_back(view.layer);
    } else if (draft.what == ExportWhat::kGrid && !is_file) {
      return Fail(ErrorCode::kInput,
                  "Not every layer is computed yet; wait until the status line says so.");
    }
  }
  if (draft.what == ExportWhat::kGrid) {
    return GridFigure(layers, context);
  }
  if (selected.layer == nullptr) {
    return Fail(ErrorCode::kInput, "This head is not computed yet; wait for its picture.");
  }
  const HeadIndex head = state.selection.head;
  context.ready = MapAt(state, selected.layer, head.head);
  return HeadFigure(layers, head, context, {});
}

}  // namespace headscope
