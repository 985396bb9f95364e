#include "app/views/cause_links.h"

#include <string>

#include <fmt/format.h>

#include "app/state/compare/patching.h"
#include "app/state/queries.h"
#include "app/views/kit/widgets.h"
#include "app/views/screens.h"
#include "core/causes/head_writes.h"

namespace headscope {
namespace {

void GoTo(Ui* ui, std::string_view screen) {
  ui->Do(SetScreen{&ScreenNamed(screen).kind});
}

// Whether the map of MLPs in Patching has that layer.
bool IsPatchedMlp(const AppState& state, LayerId layer) {
  return state.model != nullptr && layer.part == PartsOf(state.model->description).front();
}

}  // namespace

void DrawPathLink(Row* row, HeadIndex sender, const HeadReading& to, std::string_view words) {
  Ui* const ui = row->ui();
  if (!CanReceivePaths(ui->state, to)) {
    return;
  }
  const std::string tooltip = fmt::format(
      "Patch this path: in Compare, how much of the difference between two texts {} brings "
      "to the {} of {}, beside every other earlier head",
      HeadName(sender),
      InputName(to.input),
      HeadName(to.head));
  if (row->ButtonRight("patch path",
                       {.text = words, .tooltip = tooltip, .type = Type::kSmall, .bare = true})) {
    GoTo(ui, "compare");
    ui->Do(PatchPath{sender, to});
  }
  row->SkipRight(6.0F);
}

void DrawMlpLink(Ui* ui, const Rect& rect, LayerId layer, std::string_view name) {
  Rgb color = ui->colors().text;
  if (IsPatchedMlp(ui->state, layer)) {
    const Pressed area =
        Area(ui,
             "mlp",
             rect,
             "Patch MLPs: in Compare, how much of the difference between two texts "
             "each layer's MLP carries at each token");
    color = area.hovered ? ui->colors().text : ui->colors().accent;
    if (area.clicked) {
      GoTo(ui, "compare");
      ui->Do(PatchMlps);
    }
  }
  DrawTextIn(*ui, rect, name, Type::kMonoSmall, color, rect.width - ui->Px(6.0F));
}

void DrawCauseLinks(Pen* pen) {
  Ui* const ui = pen->ui;
  const AppState& state = ui->state;
  const HeadIndex head = state.selection.head;
  if (state.model == nullptr || ShownModel(state) != state.model.get() ||
      !state.model->reads_tokens()) {
    return;
  }
  const ModelDescription& model = state.model->description;
  Row row = pen->Line(26.0F);
  row.Text("What it does to words:", Type::kSmall, ui->colors().muted);
  row.Skip(8.0F);
  if (WritesWords(model, head) &&
      row.Button(
          "shares",
          {.text = "Share in the next word",
           .tooltip = "In Inspect, at the held row or the last one: how much of the likeliest "
                      "token's logit each head writes itself",
           .type = Type::kSmall})) {
    GoTo(ui, "inspect");
    ui->Do(ShowShares{head});
  }
  row.Skip(6.0F);
  if (row.Button("patch head",
                 {.text = "Patching",
                  .tooltip = "In Compare: how much of the difference between two texts the head "
                             "carries, beside every other head",
                  .type = Type::kSmall})) {
    GoTo(ui, "compare");
    ui->Do(PatchHead{head});
  }
  pen->Skip(8.0F);
}

}  // namespace headscope
