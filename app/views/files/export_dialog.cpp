// Export: what, where, how large, on which ground.
#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <imgui.h>

#include "app/state/figures/kept.h"
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

// Of kept figures: the chosen one, or a file for each.
void DrawKept(Ui* ui, ExportDraft* draft) {
  const FiguresState& figures = ui->state.figures;
  if (figures.kept.empty()) {
    return;
  }
  const std::size_t now = draft->of == ExportOf::kAllKept ? 1 : 0;
  const std::size_t chosen = Choose(
      "kept",
      {KeptTitle(ui->state, figures.chosen), fmt::format("all {} figures", figures.kept.size())},
      now);
  draft->of = chosen == 1 ? ExportOf::kAllKept : ExportOf::kChosenKept;
  if (draft->of != ExportOf::kAllKept || FormatOf(*draft) == nullptr) {
    return;
  }
  const auto files = FilesOfKept(ui->state, *draft);
  SmallParagraph(ui,
                 fmt::format("A file for each, {} to {}.",
                             files.front().filename().string(),
                             files.back().filename().string()),
                 ui->colors().muted);
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
  if (draft->of != ExportOf::kAllKept) {
    for (const NumbersFormat& format : draft->kind->numbers) {
      names.push_back(
          fmt::format("{}, {}", format.name, format.is_page ? "for a browser" : "numbers"));
      endings.push_back(format.ending);
    }
  }
  const FigureFormat* const format = FormatOf(*draft);
  const NumbersFormat* const numbers = NumbersOf(*draft);
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
  for (const FigurePreset& preset : kFigurePresets) {
    names.emplace_back(preset.name);
  }
  const FigurePreset* const preset = PresetOf(*draft);
  const std::size_t now = preset != nullptr
                              ? static_cast<std::size_t>(preset - kFigurePresets.data())
                              : kFigurePresets.size();
  const std::size_t chosen = Choose("preset", names, now);
  if (chosen != now) {
    UsePreset(kFigurePresets.at(chosen), draft);
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

// One file, or one for each of several heads.
void DrawEach(Ui* ui, ExportDraft* draft) {
  if (draft->of != ExportOf::kShown || draft->kind->of != FigureOf::kHead || IsOfNumbers(*draft)) {
    return;
  }
  Heading(ui, "heads");
  if (const std::string why = WhyNotEach(ui->state, *draft); !why.empty()) {
    SmallParagraph(ui, "This head. " + why, ui->colors().muted);
    return;
  }
  draft->each = static_cast<EachHead>(
      Choose("each",
             {"this head", "this layer’s heads", "flagged heads", "all heads"},
             static_cast<std::size_t>(draft->each)));
  if (draft->each == EachHead::kThis) {
    return;
  }
  const std::vector<HeadFile> files = FilesOfHeads(ui->state, *draft);
  SmallParagraph(
      ui,
      files.empty()
          ? "No head is flagged."
          : fmt::format("{}: {} to {}",
                        files.size() == 1 ? "1 file" : fmt::format("{} files", files.size()),
                        files.front().path.filename().string(),
                        files.back().path.filename().string()),
      ui->colors().muted);
}

// The figure as it will be written; how much smaller it is shown stands below it.
void DrawPreview(Ui* ui) {
  const ExportDraft& draft = ui->state.dialogs.exporting;
  const float room = ImGui::GetContentRegionAvail().x;
  if (IsOfNumbers(draft)) {
    SmallParagraph(ui, "This file is drawn by whoever opens it: no preview.", ui->colors().muted);
    return;
  }
  const ExportPreview& preview = draft.preview;
  const bool is_old = preview.of != preview.wanted && preview.wanted.has_value();
  if (!preview.fault.empty() && !is_old) {
    SmallParagraph(ui, preview.fault, ui->colors().text);
    return;
  }
  if (preview.answer == nullptr) {
    SmallParagraph(ui, "drawing …", ui->colors().muted);
    return;
  }
  const FigurePreview& figure = *preview.answer;
  constexpr std::uint64_t kKey = 0x65787072U;  // of no text field
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const Rect place =
      FittedInto(figure.picture,
                 {at.x, at.y, room, std::max(ui->Px(160.0F), ui->layout.window.height * 0.55F)});
  DrawPicture(ui, kKey, draft.preview_revision, figure.picture, place, is_old);
  const double part = static_cast<double>(place.width) / figure.picture.width;
  ImGui::Dummy({room, place.height + ui->Px(4.0F)});
  SmallParagraph(ui,
                 fmt::format("{} x {} pixels, shown at {:.0f} %{}",
                             figure.whole.width,
                             figure.whole.height,
                             100.0 * figure.scale * part,
                             is_old ? ", being drawn again" : ""),
                 ui->colors().muted);
}

void DrawParts(ExportDraft* draft) {
  ImGui::Checkbox("labels", &draft->has_labels);
  ImGui::SameLine();
  ImGui::Checkbox("colour bar", &draft->has_bar);
  ImGui::SameLine();
  ImGui::Checkbox("caption", &draft->has_caption);
}

// What is written, and where.
void DrawWhat(Ui* ui, ExportDraft* draft) {
  Heading(ui, "Export");
  draft->of == ExportOf::kShown ? DrawKinds(ui, draft) : DrawKept(ui, draft);
  Heading(ui, "as");
  DrawFormats(draft);
  Heading(ui, "file");
  DrawPlace(ui, draft);
  DrawEach(ui, draft);
  if (!IsOfNumbers(*draft)) {
    Heading(ui, "size: pixels of the longer side, or a width in cm or px");
    DrawSize(ui, draft);
  }
}

void DrawLook(Ui* ui, ExportDraft* draft) {
  if (!IsOfNumbers(*draft)) {
    Heading(ui, "with");
    DrawParts(draft);
  }
  if (HasGround(*draft)) {
    Heading(ui, "background");
    const auto ground = std::ranges::find(kFigureThemes, draft->theme) - kFigureThemes.begin();
    draft->theme =
        kFigureThemes.at(Choose("theme",
                                {"light", "dark", "print: black on white, also without colours"},
                                static_cast<std::size_t>(ground)));
  }
}

bool IsEdited(const ExportDraft& draft, const ExportDraft& now) {
  return draft.of != now.of || draft.kind != now.kind || draft.path != now.path ||
         draft.size != now.size || draft.points != now.points ||
         draft.has_labels != now.has_labels || draft.has_bar != now.has_bar ||
         draft.has_caption != now.has_caption || draft.theme != now.theme || draft.each != now.each;
}

void DrawExportButtons(Ui* ui) {
  const ExportDraft& now = ui->state.dialogs.exporting;
  ImGui::Dummy({1.0F, ui->Px(2.0F)});
  const Notice* const notice = NoticeAt(ui->state, ErrorPlace::kExport);
  const SaveDraft saving{.path = now.path,
                         .ask_overwrite = now.ask_overwrite,
                         .is_writing = now.request != 0,
                         .done = now.done,
                         .fault = notice != nullptr ? notice->sentence : "",
                         .taken = now.taken,
                         .progress = now.progress.total > 1 ? now.progress.what + " …" : ""};
  if (const auto overwrite =
          SaveButtons(ui, saving, CanExport(now) && WaitsFor(ui->state).empty())) {
    ui->Do(StartExport{.overwrite = *overwrite});
  }
  if (now.request != 0 && now.progress.total > 1 && DialogButton(ui, "Stop", false)) {
    ui->Do(StopExport);
  }
  if (!IsOfNumbers(now)) {
    const bool can_copy = SizeOf(now) != 0 && now.request == 0 && now.of != ExportOf::kAllKept;
    if (DialogButton(ui, "Copy picture", false, can_copy)) {
      ui->Do(CopyPicture);
    }
    ImGui::SameLine();
  }
  if (now.of != ExportOf::kAllKept && now.kind->table != nullptr) {
    if (DialogButton(ui, "Copy values", false)) {
      ui->Do(CopyValues);
    }
    ImGui::SameLine();
  }
  if (now.of == ExportOf::kShown &&
      DialogButton(ui, "Keep in Figures", false, WaitsFor(ui->state).empty())) {
    ui->Do(KeepExported);
  }
  ImGui::NewLine();
  if (const Notice* const refused = NoticeAt(ui->state, ErrorPlace::kFigures)) {
    SmallParagraph(ui, refused->sentence, ui->colors().text);
  }
  if (now.is_kept) {
    SmallParagraph(
        ui,
        fmt::format("Figure {} in {}.", ui->state.figures.kept.size(), NameAndKeys("figures")),
        ui->colors().text);
  }
  if (now.copied) {
    SmallParagraph(
        ui, "The picture is on the clipboard, as long as Headscope runs.", ui->colors().text);
  }
}

}  // namespace

// What is written at the left; how it looks, and what comes of it, at the right, where there is room.
void DrawExportDialog(Ui* ui) {
  const ExportDraft& now = ui->state.dialogs.exporting;
  ExportDraft draft = now;
  const float fields = ui->Px(424.0F);
  const bool has_preview = ImGui::GetContentRegionAvail().x >= fields + ui->Px(200.0F);
  const bool is_split = has_preview && ImGui::BeginTable("export columns", 2);
  if (is_split) {
    ImGui::TableSetupColumn("fields", ImGuiTableColumnFlags_WidthFixed, fields);
    ImGui::TableSetupColumn("preview", ImGuiTableColumnFlags_WidthStretch);
    ImGui::TableNextColumn();
  }
  DrawWhat(ui, &draft);
  if (is_split) {
    ImGui::TableNextColumn();
    DrawPreview(ui);
  }
  DrawLook(ui, &draft);
  if (IsEdited(draft, now)) {
    ui->Do(EditExport{draft});
  }
  DrawExportButtons(ui);
  if (is_split) {
    ImGui::EndTable();
  }
}

}  // namespace headscope
