// Below the row: how well the model said each token of the text, a bar for each.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <imgui.h>

#include "app/state/inspect/heads_off.h"
#include "app/state/inspect/loss_words.h"
#include "app/state/queries.h"
#include "app/views/inspect/panels.h"
#include "app/views/kit/widgets.h"
#include "core/figure/figure_kind.h"

namespace headscope {
namespace {

constexpr float kStripLine = 20.0F;  // unscaled, as what follows
constexpr float kStripBars = 44.0F;
constexpr int kToldLines = 3;

// The whole model's bars are filled; without heads that are off, a line stands at the other height.
void DrawLossBars(Ui* ui, const Rect& area, const LossBars& bars) {
  const ThemeColors& colors = ui->colors();
  const auto count = static_cast<float>(bars.bars.size());
  const float pitch = area.width / std::max(1.0F, count);
  const float gap = std::floor(std::min(ui->Px(2.0F), pitch / 4.0F));
  // Whole pixels: of bars that are narrower each is there, and the highest of a pixel shows.
  const auto edge = [&](std::size_t i) {
    return std::floor(area.x + static_cast<float>(i) * pitch);
  };
  const float bottom = area.y + area.height;
  const auto height = [&](double loss) {
    return std::max(ui->Px(1.0F),
                    static_cast<float>(std::min(1.0, loss / bars.most)) * area.height);
  };
  const ImVec2 mouse = ImGui::GetMousePos();
  const auto at = static_cast<std::int64_t>(std::floor((mouse.x - area.x) / pitch));
  const bool is_in = at >= 0 && at < std::ssize(bars.bars);
  const bool is_over = is_in && Contains(area, mouse.x, mouse.y);
  const Pressed pressed =
      Area(ui,
           "losses",
           area,
           is_over ? WordsOfLoss(ui->state, static_cast<std::size_t>(at)) : std::string());
  FillRect(*ui, {area.x, bottom, area.width, ui->Px(1.0F)}, colors.line, 0.0F);
  for (std::size_t i = 0; i < bars.bars.size(); ++i) {
    const LossBar& bar = bars.bars[i];
    const Rect place{edge(i), area.y, std::max(1.0F, edge(i + 1) - edge(i) - gap), area.height};
    const bool is_pointed = pressed.hovered && is_in && static_cast<std::int64_t>(i) == at;
    if (is_pointed) {
      FillRect(*ui, place, colors.raised, 0.0F);
    }
    if (bar.whole) {
      const float tall = height(*bar.whole);
      const bool is_held = bar.row == bars.held;
      FillRect(*ui,
               {place.x, bottom - tall, place.width, tall},
               is_held || is_pointed ? colors.text : colors.accent,
               0.0F);
    }
    if (bar.without) {
      const float tall = height(*bar.without);
      FillRect(*ui, {place.x, bottom - tall, place.width, ui->Px(2.0F)}, kOffInk, 0.0F);
    }
  }
  if (pressed.clicked && is_in && bars.bars[static_cast<std::size_t>(at)].row >= 0) {
    ui->Do(ClickCell{MapPoint{.query = bars.bars[static_cast<std::size_t>(at)].row}});
  }
}

bool HasLossStrip(const AppState& state) {
  return WhyNoHeadsOff(state).empty() && !LooksAtTokens(state);
}

}  // namespace

float LossStripHeight(const Ui& ui) {
  if (!HasLossStrip(ui.state)) {
    return 0.0F;
  }
  return ui.Px(ui.state.head_look.shows_losses ? kStripLine + kStripBars + 18.0F
                                               : kStripLine + 10.0F);
}

void DrawLossStrip(Pen* whole) {
  Ui* const ui = whole->ui;
  if (!HasLossStrip(ui->state)) {
    return;
  }
  const ThemeColors& colors = ui->colors();
  Pen pen = *whole;
  whole->y += LossStripHeight(*ui);
  pen.Skip(8.0F);
  const bool is_open = ui->state.head_look.shows_losses;
  Row title = pen.Line(kStripLine);
  if (title.Button("loss strip",
                   {.text = is_open ? "Loss of each token ▾" : "Loss of each token ▸",
                    .tooltip = "How well the model said each token: -log of the probability that "
                               "it gave the token that came, in nats. Low: foreseen",
                    .type = Type::kSmall,
                    .bare = true})) {
    HeadLook look = ui->state.head_look;
    look.shows_losses = !is_open;
    ui->Do(SetHeadLook{std::move(look)});
  }
  if (!is_open) {
    return;
  }
  const LossBars bars = LossBarsOf(ui->state);
  if (!bars.bars.empty() &&
      title.ButtonRight("export losses",
                        {.text = "Export",
                         .tooltip = "The loss of each token, as a picture or as numbers",
                         .type = Type::kSmall,
                         .bare = true})) {
    ui->Do(ExportKind{FindFigureKind(FigureOf::kLosses)});
  }
  if (bars.bars.empty()) {
    pen.Paragraph(bars.told, Type::kSmall, colors.muted, kToldLines);  // why there are none
    return;
  }
  title.Skip(8.0F);
  title.Text(bars.told, Type::kSmall, colors.muted);
  pen.Skip(4.0F);
  DrawLossBars(ui, pen.Take(ui->Px(kStripBars)), bars);
}

}  // namespace headscope
