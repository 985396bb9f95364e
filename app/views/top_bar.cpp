// Model, sentence, samples, theme.
#include <algorithm>
#include <string>

#include <fmt/format.h>
#include <imgui.h>

#include "app/state/queries.h"
#include "app/views/kit/pen.h"
#include "app/views/panels.h"
#include "core/base/counted.h"
#include "core/model/head_widths.h"

namespace headscope {
namespace {

void DrawLogo(const Ui& ui, float x, float y) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const std::uint32_t ink = ToImGui(ui.colors().accent);
  list->AddCircle({x, y}, 8.0F * ui.scale, ink, 24, 2.0F * ui.scale);
  list->AddCircleFilled({x, y}, 4.0F * ui.scale, ink, 16);
}

std::string ShapeWords(const ModelInfo& model) {
  const ModelDescription& about = model.description;
  // An encoder-decoder's are the encoder's, then the decoder's.
  const StackDescription& last = about.decoder ? *about.decoder : about;
  std::int64_t layers = about.layers;
  std::string shape = fmt::format("{}", about.layers);
  if (about.decoder) {
    layers += last.layers;
    shape += about.heads == last.heads ? fmt::format(" + {}", last.layers)
                                       : fmt::format(" × {} + {}", about.heads, last.layers);
  }
  const std::string counts =
      fmt::format("{} layer{} × {}", shape, layers == 1 ? "" : "s", Counted(last.heads, "head"));
  return model.file != nullptr
             ? counts + " · attention from a file"
             : fmt::format("{} · d {} · dₖ {}", counts, about.model_dim, HeadDimText(about));
}

void DrawModelChip(Ui* ui, const Rect& rect, bool with_shape) {
  const AppState& state = ui->state;
  const ThemeColors& colors = ui->colors();
  const ModelInfo* model = state.model.get();
  const Pressed area = Area(ui,
                            "model",
                            rect,
                            model != nullptr ? model->folder.string() + "\nchoose another model (M)"
                                             : "choose a model (M)");
  FillRect(
      *ui, rect, area.hovered ? Blend(colors.raised, colors.text, 0.06F) : colors.raised, 7.0F);
  FrameRect(*ui, rect, colors.line, 7.0F);
  Rect inner = Inset(rect, ui->Px(12.0F), 0.0F);
  const float mark = ui->Px(18.0F);
  const std::string name = model != nullptr ? model->name : "Open a model";
  inner.x +=
      DrawTextIn(*ui, inner, name, Type::kBold, colors.text, inner.width - mark) + ui->Px(8.0F);
  if (model != nullptr && with_shape) {
    DrawTextIn(*ui,
               inner,
               ShapeWords(*model),
               Type::kBody,
               colors.muted,
               rect.x + rect.width - mark - ui->Px(8.0F) - inner.x);
  }
  const float cx = rect.x + rect.width - ui->Px(16.0F);
  const float cy = rect.y + rect.height / 2.0F;
  ImGui::GetWindowDrawList()->AddTriangleFilled({cx - ui->Px(4.0F), cy - ui->Px(2.0F)},
                                                {cx + ui->Px(4.0F), cy - ui->Px(2.0F)},
                                                {cx, cy + ui->Px(3.0F)},
                                                ToImGui(colors.muted));
  if (area.clicked) {
    ui->memory->popup_anchor = rect;
    ui->Do(OpenPopup{Popup::kModels});
  }
}

void DrawThemeIcon(const Ui& ui, const Rect& rect) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImVec2 center{rect.x + rect.width / 2.0F, rect.y + rect.height / 2.0F};
  const float radius = 6.5F * ui.scale;
  const std::uint32_t ink = ToImGui(ui.colors().text);
  list->AddCircle(center, radius, ink, 24, 1.4F * ui.scale);
  list->PathArcTo(center, radius, 1.5708F, 4.7124F, 16);
  list->PathFillConvex(ink);
}

}  // namespace

void DrawTopBar(Ui* ui) {
  Rect bar = ui->layout.top;
  bar.height = std::min(bar.height, ui->Px(56.0F));
  const AppState& state = ui->state;
  const float height = ui->Px(36.0F);
  const float y = bar.y + (bar.height - height) / 2.0F;
  if (ui->layout.rail.width > 0.0F) {
    DrawLogo(*ui, bar.x + ui->layout.rail.width / 2.0F, bar.y + bar.height / 2.0F);
  }

  Row row(ui, {bar.x, y, bar.width - ui->Px(16.0F), height});
  row.Left(ui->layout.rail.width + ui->Px(12.0F));
  const bool roomy = bar.width > ui->Px(1000.0F);
  float chip = ui->Px(150.0F);
  if (const ModelInfo* model = state.model.get()) {
    chip = TextWidth(*ui, model->name, Type::kBold) + ui->Px(12.0F + 30.0F);
    if (roomy) {
      chip += ui->Px(8.0F) + TextWidth(*ui, ShapeWords(*model), Type::kBody);
    }
    chip = std::min(chip, bar.width * (roomy ? 0.42F : 0.24F));
  }
  DrawModelChip(ui, row.Left(chip), roomy);
  row.Skip(12.0F);

  const Rect theme = row.Right(height);
  if (Button(ui, "theme", theme, {.text = "", .tooltip = "Dark or light (T)"})) {
    ui->Do(ChooseTheme{state.theme == Theme::kDark ? Theme::kLight : Theme::kDark});
  }
  DrawThemeIcon(*ui, theme);
  const ButtonLook questions{.text = "?",
                             .tooltip = "Questions about heads, answered of the open model"};
  row.SkipRight(10.0F);
  PopupButton(ui, "questions", row.Right(height), questions, Popup::kQuestions);
  const ButtonLook samples{.text = "Samples ▾", .tooltip = "Sentences that show something (S)"};
  row.SkipRight(10.0F);
  PopupButton(ui, "samples", row.Right(ButtonWidth(*ui, samples)), samples, Popup::kSamples);
  row.SkipRight(12.0F);
  Rect box = row.rest();
  box.width = std::max(ui->Px(80.0F), box.width);
  if (!HasTarget(state)) {
    DrawSentence(ui, box);
    return;
  }
  const auto arrow = [&](float at, float top) {
    DrawTextIn(*ui, {at, top, ui->Px(20.0F), height}, "→", Type::kBody, ui->colors().muted);
  };
  if (ui->layout.target_below) {
    DrawSentence(ui, box);
    const float left = ui->layout.rail.width + ui->Px(36.0F);
    const float below = y + height + ui->Px(8.0F);
    arrow(left - ui->Px(24.0F), below);
    DrawTarget(ui, {left, below, bar.width - left - ui->Px(16.0F), height});
    return;
  }
  box.width = (box.width - ui->Px(28.0F)) / 2.0F;
  DrawSentence(ui, box);
  arrow(box.x + box.width + ui->Px(7.0F), y);
  box.x += box.width + ui->Px(28.0F);
  DrawTarget(ui, box);
}

}  // namespace headscope
