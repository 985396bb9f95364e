// The selected head over the steps of its training: a strip of its maps on the open text.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <imgui.h>

#include "app/state/inspect/film.h"
#include "app/views/inspect/head_views.h"
#include "app/views/kit/detail_header.h"
#include "app/views/kit/widgets.h"
#include "app/views/maps/big_map.h"
#include "app/views/maps/map_textures.h"
#include "app/views/panels.h"
#include "core/figure/film_figure.h"

namespace headscope {
namespace {

constexpr float kFrameGap = 12.0F;  // unscaled

void DrawFrame(Ui* ui,
               const FilmFrame& frame,
               const std::string& score,
               const Rect& cell,
               int which,
               const ColorScale& scale) {
  const ThemeColors& colors = ui->colors();
  const float line = LineHeight(*ui, Type::kMonoSmall);
  const AppState& state = ui->state;
  const bool is_open = state.model != nullptr && frame.folder == state.model->folder;
  Row(ui, {cell.x, cell.y, cell.width, line})
      .Text(StepName(frame), Type::kMonoSmall, is_open ? colors.accent : colors.text);
  const float side = std::min(cell.width, cell.height - 3.0F * line);
  const Rect place{cell.x, std::round(cell.y + line), std::round(side), std::round(side)};
  const Pressed pressed =
      Area(ui,
           "film frame",
           which,
           {cell.x, cell.y, cell.width, cell.height},
           frame.map.layer == nullptr && !frame.why_not.empty()
               ? frame.why_not
               : fmt::format("{}: {}{}{}; a click opens this step",
                             StepName(frame),
                             frame.map.layer == nullptr ? "not run yet" : score + " " + frame.score,
                             frame.role.empty() ? "" : "; role: ",
                             frame.role));
  SceneRegion& region = ui->region(Panel::kDetail);
  const MapHandle handle =
      frame.map.layer != nullptr ? ui->maps->Thumbnail(frame.map, state.settings.pooling) : 0;
  if (handle == 0) {
    region.fills.push_back({place, colors.raised});
  } else {
    region.maps.push_back({.map = handle, .target = place, .source = {}, .scale = scale});
  }
  if (is_open || pressed.hovered) {
    FrameRect(*ui,
              Inset(place, -ui->Px(2.0F), -ui->Px(2.0F)),
              is_open ? colors.accent : colors.text,
              4.0F,
              is_open ? 2.0F : 1.0F);
  }
  const float below = place.y + place.height + ui->Px(2.0F);
  Row(ui, {cell.x, below, cell.width, line}).Text(frame.score, Type::kMonoSmall, colors.muted);
  Row(ui, {cell.x, below + line, cell.width, line})
      .Text(frame.why_not.empty() ? frame.role : "not run", Type::kMonoSmall, colors.dim);
  if (pressed.clicked && !is_open) {
    HeadLook look = state.head_look;
    look.view = HeadView::kMap;
    ui->Do(SetHeadLook{std::move(look)});
    ui->Do(OpenSeriesHead{frame.folder, state.selection.head});
  }
}

void DrawStepTools(Pen* pen, const FilmStrip& strip) {
  Ui* const ui = pen->ui;
  const std::size_t all = strip.all;
  Row row = pen->Line(28.0F);
  const bool is_all = ui->state.head_look.all_steps;
  if (all > kFilmFrames || is_all) {
    if (row.Button("all steps",
                   {.text = "all steps",
                    .tooltip = "Every kept step, not a choice of them at equal ratios",
                    .active = is_all})) {
      HeadLook next = ui->state.head_look;
      next.all_steps = !is_all;
      ui->Do(SetHeadLook{std::move(next)});
    }
    row.Skip(10.0F);
  }
  const FilmState& film = ui->state.film;
  if (film.request != 0) {
    if (row.Button("stop film", {.text = "Stop", .tooltip = "What is there stays"})) {
      ui->Do(StopFilm);
    }
    row.Skip(8.0F);
  } else if (film.is_stopped) {
    if (row.Button("go on film", {.text = "Run the steps", .tooltip = "From the first one"})) {
      ui->Do(GoOnWithFilm);
    }
    row.Skip(8.0F);
  }
  row.Text(fmt::format("{} of {} steps{}; numbers: {}",
                       strip.frames.size(),
                       all,
                       film.request != 0 ? fmt::format(", {} done", film.done) : "",
                       ScoreName(strip)),
           Type::kSmall,
           ui->colors().muted);
  pen->Skip(8.0F);
}

}  // namespace

void DrawStepsView(Pen* pen, const HeadPanel& panel) {
  Ui* const ui = pen->ui;
  const AppState& state = ui->state;
  if (const std::string why = WhyNoFilm(state); !why.empty()) {
    pen->Paragraph(why, Type::kBody, ui->colors().muted);
    return;
  }
  const FilmStrip* const film = FilmInView(state);
  if (film == nullptr) {
    pen->Paragraph("Looking for the kept steps of this model.", Type::kBody, ui->colors().muted);
    return;
  }
  DrawStepTools(pen, *film);
  const ColorScale scale = ScaleOfFilm(ScaleOf(state.settings), *film);
  const std::string score = ScoreName(*film);
  const Rect& detail = ui->layout.detail;
  const float height = std::max(ui->Px(260.0F), detail.y + detail.height - pen->y - panel.below);
  const float gap = ui->Px(kFrameGap);
  const float words = 3.0F * LineHeight(*ui, Type::kMonoSmall) + ui->Px(4.0F);
  const int columns = FitFilm(film->frames.size(), {pen->width, height}, gap, words).columns;
  const int rows = (static_cast<int>(film->frames.size()) + columns - 1) / columns;
  const float wide = std::floor((pen->width + gap) / static_cast<float>(columns) - gap);
  const float tall = std::floor((height + gap) / static_cast<float>(rows) - gap);
  for (std::size_t i = 0; i < film->frames.size(); ++i) {
    const int at = static_cast<int>(i);
    DrawFrame(ui,
              film->frames[i],
              score,
              {std::round(pen->x + static_cast<float>(at % columns) * (wide + gap)),
               std::round(pen->y + static_cast<float>(at / columns) * (tall + gap)),
               wide,
               tall},
              at,
              scale);
  }
  pen->y += height;
  pen->Skip(8.0F);
  pen->Small(
      state.film.fault.empty()
          ? FilmRangeWords(scale) +
                " Numbers are scores on this text alone. Roles are what a whole scan of that step "
                "suggests: Series in Heads scans all of them. The open step is framed."
          : state.film.fault,
      ui->colors().muted);
  pen->Skip(4.0F);
  DrawColourBar(pen, scale, false);
}

}  // namespace headscope
