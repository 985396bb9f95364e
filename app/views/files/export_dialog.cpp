// Export: what, where, how large, on which ground.
#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <imgui.h>

#include "app/state/files/export_draft.h"
#include "app/state/queries.h"
#include "app/views/files/dialog_parts.h"
#include "app/views/kit/pen.h"
#include "app/views/kit/popups.h"
#include "app/views/panels.h"
#include "app/views/screens.h"

namespace headscope {
namespace {

// Radio buttons side by side, in as many lines as they need; returns the one chosen.
std::size_t Choose(const char* id, const std::vector<std::string>& names, std::size_t chosen) {
  ImGui::PushID(id);
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(2.0F, 2.0F));
  const ImGuiStyle& style = ImGui::GetStyle();
  const float right = ImGui::GetCursorScreenPos().x + ImGui::GetContentRegionAvail().x;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const float width = ImGui::GetFrameHeight() + style.ItemInnerSpacing.x +
                        ImGui::CalcTextSize(names[i].c_str()).x;
    if (i > 0 && ImGui::GetItemRectMax().x + style.ItemSpacing.x + width <= right) {
      ImGui::SameLine();
    }
    if (ImGui::RadioButton(names[i].c_str(), chosen == i)) {
      chosen = i;
    }
  }
  ImGui::PopStyleVar();
  ImGui::PopID();
  return chosen;
}

void DrawKinds(Ui* ui, ExportDraft* draft) {
  std::vector<const FigureKind*> kinds;
  std::ranges::copy_if(AllFigureKinds(), std::back_inserter(kinds), [&](const FigureKind* kind) {
    return kind == draft->kind || IsThere(ui->state, *kind);
  });
  std::vector<std::string> names;
  names.reserve(kinds.size());
  for (const FigureKind* kind : kinds) {
    names.push_back(ChoiceName(ui->state, *kind));
  }
  const auto now = static_cast<std::size_t>(std::ranges::find(kinds, draft->kind) - kinds.begin());
  draft->kind = kinds[Choose("kind", names, now)];
  if (const std::string waits = WaitsFor(ui->state); !waits.empty()) {
    SmallParagraph(ui, waits, ui->colors().text);
  }
}

// The format is what the file's name ends in: whichever of the two is changed, the other follows.
void DrawFormats(ExportDraft* draft) {
  std::vector<std::string> names;
  std::vector<std::string_view> endings;
  for (const FigureFormat& format : AllFigureFormats()) {
    names.push_back(fmt::format(
        "{}, {}", format.name, format.is_page ? "a page with text and shapes" : "pixels"));
    endings.push_back(format.ending);
  }
  for (const NumbersFormat& format : draft->kind->numbers) {
    names.push_back(
        fmt::format("{}, {}", format.name, format.is_page ? "for a browser" : "numbers"));
    endings.push_back(format.ending);
  }
  const FigureFormat* const format = FormatOf(*draft);
  const NumbersFormat* const numbers = NumbersFormatOf(*draft->kind, draft->path);
  const std::string_view ending = format != nullptr    ? format->ending
                                  : numbers != nullptr ? numbers->ending
                                                       : std::string_view();
  const auto now = static_cast<std::size_t>(std::ranges::find(endings, ending) - endings.begin());
  const std::size_t chosen = Choose("format", names, now);
  if (chosen != now) {
    draft->path = PathAs(*draft, endings[chosen]);
  }
}

void DrawPlace(Ui* ui, ExportDraft* draft) {
  PathField(
      ui,
      "export file",
      &draft->path,
      FileWanted::kExportPlace,
      {.hint = "/path/to/picture.pdf", .takes_keys = WhenOpened(*ui, TakesKeys::kNowSelected)});
  if (const std::string problem = PathProblem(*draft); !problem.empty()) {
    SmallParagraph(ui, problem, ui->colors().text);
  }
}

// A field at the left, and what is said of it beside.
void DrawShortField(Ui* ui,
                    const char* id,
                    std::string* text,
                    const char* hint,
                    const std::string& words,
                    bool is_wrong) {
  const float width = ui->Px(140.0F);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float whole = ImGui::GetContentRegionAvail().x;
  DialogField(ui, id, text, {.hint = hint, .beside = std::max(0.0F, whole - width)});
  Pen pen{ui, at.x + width + ui->Px(12.0F), at.y, whole - width - ui->Px(12.0F)};
  pen.Small(words, is_wrong ? ui->colors().text : ui->colors().muted);
}

// Sizes by name; what is typed below follows, and stays free.
void DrawPresets(ExportDraft* draft) {
  std::vector<std::string> names;
  std::size_t now = kFigurePresets.size();
  for (std::size_t i = 0; i < kFigurePresets.size(); ++i) {
    const FigurePreset& preset = kFigurePresets.at(i);
    names.emplace_back(preset.name);
    if (draft->size == SizeText(preset) && draft->points == PointsText(preset)) {
      now = i;
    }
  }
  const std::size_t chosen = Choose("preset", names, now);
  if (chosen != now) {
    draft->size = SizeText(kFigurePresets.at(chosen));
    draft->points = PointsText(kFigurePresets.at(chosen));
  }
}

void DrawSize(Ui* ui, ExportDraft* draft) {
  DrawPresets(draft);
  const std::string problem = SizeProblem(*draft);
  DrawShortField(ui,
                 "export size",
                 &draft->size,
                 "1600",
                 problem.empty() ? SizeHint(*draft) : problem,
                 !problem.empty());
  const std::string wrong = PointsProblem(*draft);
  DrawShortField(ui,
                 "export points",
                 &draft->points,
                 "by the size",
                 wrong.empty() ? "points of labels and caption" : wrong,
                 !wrong.empty());
}

void DrawParts(ExportDraft* draft) {
  ImGui::Checkbox("labels", &draft->has_labels);
  ImGui::SameLine();
  ImGui::Checkbox("colour bar", &draft->has_bar);
  ImGui::SameLine();
  ImGui::Checkbox("caption", &draft->has_caption);
}

}  // namespace

void DrawExportDialog(Ui* ui) {
  const ExportDraft& now = ui->state.dialogs.exporting;
  ExportDraft draft = now;
  Heading(ui, "Export");
  DrawKinds(ui, &draft);
  Heading(ui, "as");
  DrawFormats(&draft);
  Heading(ui, "file");
  DrawPlace(ui, &draft);
  if (!IsOfNumbers(now)) {
    Heading(ui, "size: pixels of the longer side, or a width in cm or px");
    DrawSize(ui, &draft);
    Heading(ui, "with");
    DrawParts(&draft);
  }
  if (HasGround(now)) {
    Heading(ui, "background");
    const std::size_t ground =
        Choose("theme", {"light, for paper", "dark"}, draft.theme == Theme::kLight ? 0 : 1);
    draft.theme = ground == 0 ? Theme::kLight : Theme::kDark;
  }
  if (draft.kind != now.kind || draft.path != now.path || draft.size != now.size ||
      draft.points != now.points || draft.has_labels != now.has_labels ||
      draft.has_bar != now.has_bar || draft.has_caption != now.has_caption ||
      draft.theme != now.theme) {
    ui->Do(EditExport{draft});
  }
  ImGui::Dummy({1.0F, ui->Px(2.0F)});
  const Notice* const notice = NoticeAt(ui->state, ErrorPlace::kExport);
  const SaveDraft saving{.path = now.path,
                         .ask_overwrite = now.ask_overwrite,
                         .is_writing = now.request != 0,
                         .done = now.done,
                         .fault = notice != nullptr ? notice->sentence : ""};
  if (const auto overwrite =
          SaveButtons(ui, saving, CanExport(now) && WaitsFor(ui->state).empty())) {
    ui->Do(StartExport{.overwrite = *overwrite});
  }
  if (!IsOfNumbers(now)) {
    if (DialogButton(ui, "Copy picture", false, SizeOf(now) != 0 && now.request == 0)) {
      ui->Do(CopyPicture);
    }
    ImGui::SameLine();
  }
  if (now.kind->table != nullptr && DialogButton(ui, "Copy values", false)) {
    ui->Do(CopyValues);
  }
  if (now.copied) {
    SmallParagraph(
        ui, "The picture is on the clipboard, as long as Headscope runs.", ui->colors().text);
  }
}

}  // namespace headscope
