#include "app/views/exports.h"

#include <memory>
#include <vector>

#include "app/state/export_draft.h"
#include "app/state/queries.h"
#include "core/session/figure_builders.h"

namespace headscope {
namespace {

FigureContext ContextOf(const AppState& state, const ExportDraft& draft, const PictureSubject& of) {
  FigureContext context;
  const ModelInfo& model = *of.model;
  context.model = ModelLine(
      model.name, model.family, model.layers, model.heads, model.model_dim, model.head_dim);
  if (of.encoding != nullptr) {
    DescribeInput(of.input, *of.encoding, &context);
  }
  if (of.keys != nullptr) {
    context.key_tokens = AxisTokens(*of.keys);
  }
  if (of.target != nullptr) {
    DescribeTarget(of.input, *of.target, of.generated, &context);
  }
  context.scale = {.curve = state.settings.curve,
                   .range = state.settings.range,
                   .low = 0.0F,
                   .high = 1.0F,
                   .colormap = state.settings.colormap};
  if (const ModelWork* const work = WorkOf(state, &model)) {
    context.flags = work->flags.flags;
  }
  if (const std::string note = PrecisionNote(of.precision); !note.empty()) {
    context.notes.push_back(note);
  }
  context.pool = state.settings.pooling == Pooling::kMax ? Pool::kLargest : Pool::kMean;
  context.theme = draft.theme;
  context.size_px = SizeOf(draft);
  if (model.file != nullptr) {
    DescribeGiven(*model.file, &context);
  }
  return context;
}

}  // namespace

// A figure is of one picture: while layers of a new one come over those of the one before, those of
// the selected layer's picture are drawn and no others.
Result<Figure> FigureFor(const AppState& state, const ExportDraft& draft) {
  if (draft.what == ExportWhat::kCounts) {
    const Counts& counts = state.counts;
    if (counts.result == nullptr || counts.source == nullptr) {
      return Fail(ErrorCode::kInput, "No head counts are computed yet; open Counts (2) first.");
    }
    return CountsFigure(*counts.result, ContextOf(state, draft, counts.source_of));
  }
  const LayerView selected = SelectedLayer(state);
  const Attendance* const picture = selected.from != nullptr ? selected.from : PictureInView(state);
  if (picture == nullptr) {
    return Fail(ErrorCode::kInput, "There is no picture to save yet; open a model first.");
  }
  const FigureContext context = ContextOf(state, draft, *picture);
  std::vector<std::shared_ptr<const LayerAttention>> layers;
  for (std::int64_t layer = 0; layer < ShownLayers(state); ++layer) {
    const auto slot = SlotOf(*picture->model, {PartInView(state), layer});
    if (slot && picture->layers[*slot] != nullptr) {
      layers.push_back(picture->layers[*slot]);
    } else if (draft.what == ExportWhat::kGrid && picture->model->file == nullptr) {
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
  return HeadFigure(layers, state.selection.head, context);
}

}  // namespace headscope
