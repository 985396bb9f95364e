// Flags to and from files, labelling blind, how far two people agree, and the scan as a table.
#include "app/state/flags/files.h"

#include <optional>
#include <string>

#include <fmt/format.h>
#include <imgui.h>

#include "app/state/heads/own_probe.h"
#include "app/state/queries.h"
#include "app/views/files/dialog_parts.h"
#include "app/views/kit/popups.h"
#include "app/views/kit/widgets.h"
#include "app/views/panels.h"
#include "core/base/counted.h"

namespace headscope {
namespace {

// Another model's flags, each with the way to be rid of them.
void DrawOtherModels(Ui* ui) {
  for (const SharedFlags& shared : FlagsInView(ui->state).shared) {
    if (shared.by != SharedBy::kOtherModel) {
      continue;
    }
    const std::string name = fmt::format("Remove the suggestions from {}", shared.model_name);
    const std::string about = fmt::format("{} of {}, another model",
                                          Counted(shared.flags.size(), "flag"),
                                          FromWords(shared.author, shared.file, shared.date));
    if (MenuRow(ui, shared.id.c_str(), name, about)) {
      ui->Do(ForgetOtherModel{shared.id});
    }
  }
}

// What is typed first replaces the path.
bool DrawSavePath(Ui* ui, const char* name, std::string* path, FileWanted place, const char* hint) {
  const TakesKeys takes_keys = WhenOpened(*ui, TakesKeys::kNowSelected);
  return PathField(ui, name, path, place, {.hint = hint, .takes_keys = takes_keys});
}

std::optional<bool> DrawSaveButtons(Ui* ui, const SaveDraft& draft, const std::string& problem) {
  ImGui::Dummy({1.0F, ui->Px(2.0F)});
  if (!problem.empty()) {
    SmallParagraph(ui, problem, ui->colors().text);
  }
  return SaveButtons(
      ui, draft, problem.empty() && !draft.is_writing && !draft.path.empty() && draft.done.empty());
}

std::string EndingProblem(const std::string& path) {
  const bool is_known = path.ends_with(".json") || path.ends_with(".csv");
  return is_known ? "" : "Give the file a name that ends in .json or .csv.";
}

void DrawSideInFlagFiles(Ui* ui, FlagFileUse use, const char* heading, const char* hint) {
  const std::size_t which = use == FlagFileUse::kFirst ? 0 : 1;
  const AgreementSide& side = ui->state.flag_files.agreement.at(which);
  Heading(ui, heading);
  std::string path = side.path;
  if (PathField(ui,
                which == 0 ? "first flags" : "second flags",
                &path,
                which == 0 ? FileWanted::kFirstFlags : FileWanted::kSecondFlags,
                {.hint = hint})) {
    ui->Do(EditAgreement{use, path});
  }
  if (side.file != nullptr) {
    const FlagFile& file = *side.file;
    SmallParagraph(ui,
                   fmt::format("{}{}; {}{}",
                               file.author.empty() ? "author not told" : file.author,
                               file.date.empty() ? "" : ", " + file.date,
                               Counted(OnlyFlags(file.flags).size(), "flag"),
                               file.is_blind ? ", set blind" : ", not set blind"),
                   ui->colors().muted);
  }
}

}  // namespace

void DrawFlagFilesMenu(Ui* ui) {
  const bool is_blind = ui->state.flag_files.is_blind;
  const auto count = OnlyFlags(FlagsInView(ui->state).flags).size();
  if (MenuRow(ui,
              "export flags",
              "Export flags …",
              fmt::format("{}, as JSON or CSV: author, date, scan, and the numbers each was set "
                          "with",
                          Counted(count, "flag")))) {
    OpenForTyping(ui, Popup::kFlagExport);
  }
  if (MenuRow(ui,
              "import flags",
              "Import flags …",
              "Another person's flags into yours: you see what changes and decide where both "
              "differ. Another model's arrive as suggestions.")) {
    ui->Do(ChooseFile{FileWanted::kFlags});
  }
  DrawOtherModels(ui);
  if (MenuRow(ui,
              "label blind",
              is_blind ? "Stop labelling blind" : "Label blind",
              is_blind ? "Scores and suggestions show again at once"
                       : "For a class: scores and suggestions are hidden until the flags are "
                         "saved to a file")) {
    ui->Do(LabelBlind{!is_blind});
    ui->Do(ClosePopup);
  }
  if (MenuRow(ui,
              "agreement",
              "How far do two people agree? …",
              "Cohen's kappa between two files of flags, and with the suggestions")) {
    ui->Do(OpenPopup{Popup::kAgreement});
  }
  if (MenuRow(ui,
              "save scan",
              "Save the scan …",
              "Its tables as CSV, with a methods paragraph, seeds and the command that makes each "
              "table again")) {
    OpenForTyping(ui, Popup::kScanSave);
  }
}

void DrawFlagExport(Ui* ui) {
  const FlagFilesState& state = ui->state.flag_files;
  Heading(ui, "Export flags");
  Heading(ui, "author");
  std::string author = state.author;
  if (DialogField(ui, "author", &author, {.hint = "your name, as others shall read it"})) {
    ui->Do(SetAuthor{author});
  }
  Heading(ui, "file: .json holds all there is, .csv is a table");
  std::string path = state.exporting.path;
  if (DrawSavePath(ui, "flag file", &path, FileWanted::kFlagsPlace, "/path/to/flags.json")) {
    ui->Do(EditFlagExport{path});
  }
  const std::string problem = EndingProblem(state.exporting.path);
  if (const auto overwrite = DrawSaveButtons(ui, state.exporting, problem)) {
    ui->Do(StartFlagExport{.overwrite = *overwrite});
  }
}

void DrawScanSave(Ui* ui) {
  const SaveDraft& draft = ui->state.flag_files.saving_scan;
  const std::shared_ptr<const HeadScanReport> report = ShownScan(ui->state);
  Heading(ui,
          fmt::format("Save the scan of {}: a text, and its tables beside it",
                      NameOfProbe(report != nullptr ? report->probe : ChosenProbe{})));
  std::string path = draft.path;
  if (DrawSavePath(ui, "scan file", &path, FileWanted::kScanPlace, "/path/to/scan.txt")) {
    ui->Do(EditScanSave{path});
  }
  std::string problem;
  if (ui->state.flag_files.is_blind) {
    problem = "Scores are hidden until your flags are saved.";
  } else if (report == nullptr || !report->is_whole()) {
    problem = "There is no whole scan yet.";
  } else if (!draft.path.ends_with(".txt")) {
    problem = "Give the file a name that ends in .txt.";
  }
  if (const auto overwrite = DrawSaveButtons(ui, draft, problem)) {
    ui->Do(SaveScan{.overwrite = *overwrite});
  }
}

void DrawAgreement(Ui* ui) {
  Heading(ui, "How far do two people agree? Cohen's kappa over all heads; no flag counts, too");
  DrawSideInFlagFiles(
      ui, FlagFileUse::kFirst, "one", "a file of flags; nothing: the flags on screen");
  DrawSideInFlagFiles(ui, FlagFileUse::kSecond, "other", "a file of flags");
  ImGui::Dummy({1.0F, ui->Px(4.0F)});
  const std::vector<AgreementLine> lines = AgreementLines(ui->state);
  for (const AgreementLine& line : lines) {
    SmallParagraph(ui, line.who, ui->colors().text);
    SmallParagraph(ui,
                   line.fault.empty() ? KappaWords(line.kappa) : line.fault,
                   line.fault.empty() ? ui->colors().text : ui->colors().muted);
    if (const std::string unlike = UnlikeWords(line); !unlike.empty() && line.fault.empty()) {
      SmallParagraph(ui, unlike, ui->colors().muted);
    }
    ImGui::Dummy({1.0F, ui->Px(4.0F)});
  }
  if (lines.empty()) {
    SmallParagraph(ui,
                   ui->state.flag_files.is_blind
                       ? "Choose a file; suggestions are hidden until your flags are saved."
                       : "Choose a file, or scan the heads (3) to compare with the suggestions.",
                   ui->colors().muted);
  } else {
    SmallParagraph(ui,
                   "1: alike on every head; 0: as two who flag by chance, each with their own "
                   "shares of roles. ±: the standard error. Of suggestions a head's first counts.",
                   ui->colors().dim);
  }
  if (DialogButton(ui, "Close", false)) {
    ui->Do(ClosePopup);
  }
}

}  // namespace headscope
