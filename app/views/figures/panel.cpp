// Kept figures, and what of what is open can be kept.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <imgui.h>

#include "app/state/figures/kept.h"
#include "app/state/files/export_draft.h"
#include "app/state/queries.h"
#include "app/views/figures/panels.h"
#include "app/views/kit/detail_header.h"
#include "app/views/kit/flow.h"
#include "core/figure/preview.h"

namespace headscope {
namespace {

constexpr float kCardWidth = 280.0F;  // unscaled, at least; as what follows
constexpr float kCardWords = 46.0F;
constexpr float kCardGap = 16.0F;
constexpr float kCardPad = 10.0F;

constexpr std::array<SegmentChoice, 3> kGrounds = {{
    {"light", "Light background"},
    {"dark", "Dark background"},
    {"print", "Black on white, also without colours"},
}};

// Of no text field, and of no other picture.
std::uint64_t KeyOf(const KeptFigure& figure) {
  return (std::uint64_t{0x6B657074} << 32) + static_cast<std::uint64_t>(figure.number);
}

void Toggle(Flow* flow, const char* id, const char* text, bool* value) {
  if (flow->Button(id, {.text = text, .tooltip = "Of all figures here", .active = *value})) {
    *value = !*value;
  }
}

// What is open, a button for each figure of it. Returns the height.
float DrawAdd(Ui* ui, const Rect& area) {
  Flow flow(ui, area, 38.0F);
  for (const FigureKind* kind : AllFigureKinds()) {
    if (ShownLayers(ui->state) == 0 && kind->of != FigureOf::kTraining) {
      continue;
    }
    const std::string name = ChoiceName(ui->state, *kind);
    if (IsThere(ui->state, *kind) &&
        flow.Button(fmt::format("add {}", name).c_str(),
                    {.text = "+ " + name, .tooltip = "Keep it as it would be exported now"})) {
      ui->Do(KeepKind{kind});
    }
  }
  return flow.height();
}

// The picture in the middle of a card, or why there is none. `look`: that is asked for now.
void DrawCardPicture(Ui* ui, const KeptFigure& figure, const std::string& look, const Rect& room) {
  if (figure.preview == nullptr) {
    const std::string words = figure.fault.empty() ? "drawing …" : figure.fault;
    DrawParagraph(*ui, room.x, room.y, room.width, words, Type::kSmall, ui->colors().muted, 6);
    return;
  }
  const TextPicture& picture = figure.preview->picture;
  Rect place = FittedInto(picture, room);
  place.x = std::round(room.x + (room.width - place.width) / 2.0F);
  place.y = std::round(room.y + (room.height - place.height) / 2.0F);
  DrawPicture(ui, KeyOf(figure), figure.revision, picture, place, figure.drawn_as != look);
}

void DrawFigureCard(Ui* ui, std::size_t place, const std::string& look, const Rect& rect) {
  const KeptFigure& figure = ui->state.figures.kept[place];
  const ThemeColors& colors = ui->colors();
  const bool is_chosen = place == ui->state.figures.chosen;
  const std::string title = KeptTitle(ui->state, place);
  const Pressed card =
      Area(ui, fmt::format("figure {}", figure.number).c_str(), rect, figure.about);
  FillRect(*ui, rect, card.hovered || is_chosen ? colors.raised : colors.panel, 8.0F);
  FrameRect(*ui, rect, is_chosen ? colors.accent : colors.line, 8.0F, is_chosen ? 2.0F : 1.0F);
  const float pad = ui->Px(kCardPad);
  const float words = ui->Px(kCardWords);
  DrawCardPicture(
      ui,
      figure,
      look,
      {rect.x + pad, rect.y + pad, rect.width - 2.0F * pad, rect.height - 2.0F * pad - words});
  Pen pen{ui, rect.x + pad, rect.y + rect.height - words, rect.width - 2.0F * pad};
  DrawBeginning(*ui, pen.Take(ui->Px(20.0F)), title, Type::kBody, colors.text, pen.width);
  DrawBeginning(*ui, pen.Take(ui->Px(18.0F)), figure.about, Type::kSmall, colors.muted, pen.width);
  if (card.clicked) {
    ui->Do(ChooseKept{static_cast<std::int64_t>(place)});
    if (ui->layout.narrow) {
      ui->Do(ShowSheet{true});
    }
  }
}

// Returns the height.
float DrawCards(Ui* ui, const Rect& area, const Rect& seen) {
  const float gap = ui->Px(kCardGap);
  const float columns = std::max(1.0F, std::floor((area.width + gap) / (ui->Px(kCardWidth) + gap)));
  const float width = (area.width - gap * (columns - 1.0F)) / columns;
  const float height = width * 0.72F + ui->Px(kCardWords);
  const auto across = static_cast<std::size_t>(columns);
  ui->memory->figure_columns = static_cast<std::int64_t>(across);
  const std::size_t count = ui->state.figures.kept.size();
  const std::string look = LookKey(ui->state.dialogs.exporting);
  for (std::size_t place = 0; place < count; ++place) {
    const Rect rect{area.x + static_cast<float>(place % across) * (width + gap),
                    area.y + static_cast<float>(place / across) * (height + gap),
                    width,
                    height};
    if (rect.y + rect.height >= seen.y && rect.y <= seen.y + seen.height) {
      DrawFigureCard(ui, place, look, rect);
    }
  }
  return static_cast<float>((count + across - 1) / across) * (height + gap);
}

}  // namespace

float DrawFiguresToolbar(Ui* ui, const Rect& area) {
  const ExportDraft& now = ui->state.dialogs.exporting;
  const std::size_t count = ui->state.figures.kept.size();
  const std::size_t waiting = WaitingFigures(ui->state);
  Flow flow(ui, area);
  flow.PopupButton("export figures",
                   {.text = count < 2 ? "Export" : fmt::format("Export {} figures", count),
                    .tooltip = "Each in a file of its own, numbered in this order (Ctrl E)",
                    .enabled = count > 0,
                    .primary = count > waiting},
                   Popup::kExport);
  if (waiting > 0 &&
      flow.Button("make again",
                  {.text = fmt::format("Make {} again", waiting),
                   .tooltip = "The window goes to where each was kept, takes it, and comes back",
                   .primary = true})) {
    ui->Do(MakeAgain{});
  }
  ExportDraft draft = now;
  std::vector<SegmentChoice> presets;
  for (const FigurePreset& each : kFigurePresets) {
    presets.push_back({each.name, "Size of all figures here, and of their letters"});
  }
  const FigurePreset* const preset = PresetOf(now);
  const int chosen = preset != nullptr ? static_cast<int>(preset - kFigurePresets.data()) : -1;
  if (const int pressed = flow.Segments("figure size", presets, chosen); pressed >= 0) {
    UsePreset(kFigurePresets.at(static_cast<std::size_t>(pressed)), &draft);
  }
  const auto ground = std::ranges::find(kFigureThemes, now.theme) - kFigureThemes.begin();
  if (const int pressed = flow.Segments("figure ground", kGrounds, static_cast<int>(ground));
      pressed >= 0) {
    draft.theme = kFigureThemes.at(static_cast<std::size_t>(pressed));
  }
  Toggle(&flow, "figure labels", "labels", &draft.has_labels);
  Toggle(&flow, "figure bar", "colour bar", &draft.has_bar);
  Toggle(&flow, "figure caption", "caption", &draft.has_caption);
  if (LookKey(draft) != LookKey(now)) {
    ui->Do(EditExport{draft});
  }
  return flow.height();
}

void DrawFigures(Ui* ui, const Rect& area) {
  const float pad = ui->Px(18.0F);
  BeginScroll("figures", area);
  const bool is_empty = ui->state.figures.kept.empty();
  Pen pen{ui, area.x + pad, area.y + pad - ImGui::GetScrollY(), area.width - 2.0F * pad};
  if (is_empty) {
    pen.Text("No figures yet", Type::kTitle, ui->colors().text, 32.0F);
    pen.Paragraph(
        "Keep pictures here while you look around, then export them together in one look: same size, "
        "same background, numbered. On any screen Ctrl Shift E keeps what it shows; “Keep in Figures” "
        "in Export keeps any of its choices. A kept figure stays as it was, whatever you open later. A "
        "session (Ctrl S) holds how each was made, and makes it again.",
        Type::kBody,
        ui->colors().muted);
    pen.Skip(12.0F);
  } else {
    pen.y += DrawCards(ui, {pen.x, pen.y, pen.width, 0.0F}, area);
  }
  if (ShownLayers(ui->state) > 0) {
    pen.Text("Of what is open", Type::kBold, ui->colors().text, 24.0F);
    pen.y += DrawAdd(ui, {pen.x - ui->Px(8.0F), pen.y, pen.width, 0.0F});
  }
  ImGui::SetCursorScreenPos({area.x, pen.y + pad});
  ImGui::Dummy({1.0F, 1.0F});
  EndScroll();
}

void DrawFigureDetail(Ui* ui) {
  const KeptFigure* const figure = ChosenFigure(ui->state);
  Pen pen = BeginDetail(ui, figure != nullptr ? fmt::format("{}", figure->number) : "");
  const ThemeColors& colors = ui->colors();
  Row row = pen.Line(30.0F);
  DrawCloseSheet(&row);
  if (figure == nullptr) {
    pen.Small("The chosen figure stands here, large.", colors.muted);
    EndDetail(ui, pen.y);
    return;
  }
  const std::size_t place = ui->state.figures.chosen;
  if (row.ButtonRight(
          "remove figure",
          {.text = "Remove", .key = "Del", .tooltip = "It is gone then", .bare = true})) {
    ui->Do(RemoveKept);
  }
  if (row.ButtonRight("figure later",
                      {.text = "›",
                       .tooltip = "One place later (Shift →)",
                       .enabled = place + 1 < ui->state.figures.kept.size(),
                       .bare = true})) {
    ui->Do(MoveKept{1});
  }
  if (row.ButtonRight("figure earlier",
                      {.text = "‹",
                       .tooltip = "One place earlier (Shift ←)",
                       .enabled = place > 0,
                       .bare = true})) {
    ui->Do(MoveKept{-1});
  }
  row.Text(fmt::format("Figure {}", place + 1), Type::kTitle, colors.text);
  pen.Skip(6.0F);
  pen.Paragraph(figure->title, Type::kBody, colors.text);
  pen.Paragraph(figure->about, Type::kSmall, colors.muted, 4);
  pen.Skip(8.0F);
  if (figure->waits) {
    pen.Paragraph(figure->fault, Type::kBody, colors.text);
    pen.Skip(6.0F);
    Row line = pen.Line(34.0F);
    if (line.Button("make this again", {.text = "Make again", .primary = true})) {
      ui->Do(MakeAgain{figure->number});
    }
  } else if (figure->preview == nullptr) {
    pen.Small(figure->fault.empty() ? "drawing …" : figure->fault, colors.text);
  } else {
    const bool is_old = figure->drawn_as != LookKey(ui->state.dialogs.exporting);
    const FigurePreview& preview = *figure->preview;
    const Rect shown =
        FittedInto(preview.picture, {pen.x, pen.y, pen.width, ui->layout.window.height});
    DrawPicture(ui, KeyOf(*figure), figure->revision, preview.picture, shown, is_old);
    pen.y += shown.height + ui->Px(8.0F);
    pen.Small(fmt::format(
                  "{} x {} pixels, shown at {:.0f} %{}",
                  preview.whole.width,
                  preview.whole.height,
                  100.0 * preview.scale * static_cast<double>(shown.width) / preview.picture.width,
                  is_old ? ", being drawn again" : ""),
              colors.muted);
  }
  if (figure->needs_caption) {
    pen.Small("Heads were off: it is exported with its caption only.", colors.text);
  }
  EndDetail(ui, pen.y);
}

bool TakeFigureKey(Ui* ui, const KeyPress& press) {
  const std::int64_t columns = std::max<std::int64_t>(1, ui->memory->figure_columns);
  std::int64_t by = 0;
  switch (press.key) {
    case Key::kDelete:
      ui->Do(RemoveKept);
      return true;
    case Key::kLeft:
      by = -1;
      break;
    case Key::kRight:
      by = 1;
      break;
    case Key::kUp:
      by = -columns;
      break;
    case Key::kDown:
      by = columns;
      break;
    default:
      return false;
  }
  if (press.shift) {
    ui->Do(MoveKept{by});
  } else {
    ui->Do(ChooseKept{static_cast<std::int64_t>(ui->state.figures.chosen) + by});
  }
  return true;
}

}  // namespace headscope
