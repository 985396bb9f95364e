#include "app/views/exports.h"

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/state/queries.h"
#include "core/session/figure_builders.h"

namespace headscope {

Result<Figure> FigureFor(const AppState& state, const ExportDraft& draft) {
  const ModelInfo* model = state.shown.model.get();
  if (model == nullptr || state.shown.encoding == nullptr || !state.pending.layers.empty()) {
    return Fail(ErrorCode::kInput,
                "The picture is not computed yet; wait until the status line says so.");
  }
  FigureContext context;
  context.model = ModelLine(
      model->name, model->family, model->layers, model->heads, model->model_dim, model->head_dim);
  context.tokens = AxisTokens(*state.shown.encoding);
  context.text = state.shown.input.ids.empty() ? state.shown.input.text
                                               : fmt::format("{}", fmt::join(context.tokens, " "));
  context.scale = ScaleForValues(state.settings, 1.0F);
  context.flags = state.flags.flags;
  context.theme = draft.theme;
  context.size_px = draft.size_px;
  switch (draft.what) {
    case ExportWhat::kHead:
      return HeadFigure(state.shown.layers, state.selection.head, context, {});
    case ExportWhat::kGrid:
      return GridFigure(state.shown.layers, context);
    case ExportWhat::kCounts:
      if (state.counts.result == nullptr || state.counts.source == nullptr) {
        return Fail(ErrorCode::kInput, "No head counts are computed yet; open Counts (2) first.");
      }
      return CountsFigure(*state.counts.result, *state.counts.source, context, {});
  }
  return Fail(ErrorCode::kInput, "There is no such figure.");
}

}  // namespace headscope
