// What heads are scored on: the bundled probe, hidden sentences, or a file of one's own; and the line
// above the scores that says which texts they are of.
#include <algorithm>
#include <array>
#include <string>

#include <fmt/format.h>
#include <imgui.h>

#include "app/state/heads/own_probe.h"
#include "app/state/queries.h"
#include "app/views/heads/panels.h"
#include "app/views/kit/keys.h"
#include "app/views/kit/popups.h"
#include "app/views/kit/text_field.h"
#include "app/views/kit/widgets.h"
#include "app/views/panels.h"

namespace headscope {
namespace {

constexpr float kBandHeight = 40.0F;  // unscaled
constexpr std::array<SegmentChoice, 2> kRoleSources = {{
    {"Roles: built-in texts",
     "Suggested roles (rings, dashed bars, What the scores say) come from the built-in texts, whose "
     "sentences were made for them"},
    {"Roles: these texts", "Suggested roles come from these texts, once all of them are scanned"},
}};

std::string Chosen(bool is_chosen, const char* name) {
  return is_chosen ? fmt::format("● {}", name) : std::string(name);
}

void ChooseTyped(Ui* ui, const std::string& path) {
  ui->Do(ChooseProbe{{ProbeKind::kFile, path}});
}

void DrawFileOfOwn(Ui* ui) {
  Heading(ui, "A file of your own");
  std::string path = ui->state.dialogs.probe_path;
  const TakesKeys takes_keys = WhenOpened(*ui, TakesKeys::kNowSelected);
  if (DialogField(ui,
                  "probe path",
                  &path,
                  {.hint = "/path/to/texts.txt, ~/treebank.conllu, ~/gap.tsv",
                   .takes_keys = takes_keys,
                   .beside = ui->Px(76.0F)})) {
    ui->Do(EditProbePath{path});
  }
  const bool entered = IsPressed(*ui, Key::kEnter);
  ImGui::SameLine();
  if ((DialogButton(ui, "Scan", true, !path.empty()) || entered) && !path.empty()) {
    ChooseTyped(ui, path);
  }
  if (DialogButton(ui, "Choose …", false)) {
    ui->Do(ChooseFile{FileWanted::kProbe});
  }
  SmallParagraph(
      ui,
      "Texts, one a line (.txt); token ids, a sequence a line (.ids); annotated "
      "sentences (.conllu); coreference: GAP's table (.tsv), WinoBias' lines with "
      "[mentions] (.txt, .dev). Or drop the file on the window: a .txt becomes the sentence "
      "first, and a notice offers to score heads on it.",
      ui->colors().dim);
}

void DrawNotesOf(Ui* ui, const HeadScanReport& report) {
  const std::vector<std::string> notes = OwnProbeNotes(report);
  if (notes.empty()) {
    return;
  }
  ImGui::Dummy({1.0F, ui->Px(4.0F)});
  Heading(ui, fmt::format("Notes on {}", NameOfProbe(report.probe)).c_str());
  for (const std::string& note : notes) {
    SmallParagraph(ui, note, ui->colors().muted);
  }
}

// The words of the band, and those of its tooltip.
std::pair<std::string, std::string> BandWords(const AppState& state, const HeadScanReport* own) {
  if (IsOfSeries(state.heads_look.view)) {
    return {"A series is scanned on the built-in test texts.", ""};
  }
  std::string told;
  for (const std::string& note :
       own != nullptr ? OwnProbeNotes(*own) : std::vector<std::string>()) {
    told += (told.empty() ? "" : "\n") + note;
  }
  const bool is_under_way = state.probe_scan.request != 0;
  const bool is_of_it = own != nullptr && state.probe_scan.found == state.probe_scan.wanted;
  if (is_under_way && !is_of_it) {
    const ChosenProbe shown = own != nullptr ? own->probe : ChosenProbe{};
    return {fmt::format("{} · still showing {}", ProbeScanWords(state), NameOfProbe(shown)), told};
  }
  std::string words = own != nullptr ? "Scores on " + OwnProbeWords(*own) : "";
  if (is_under_way) {
    words += ProbeTimeLeft(state);
  }
  return {words, told};
}

}  // namespace

std::string ProbeButtonWords(const AppState& state) {
  const ChosenProbe& probe = state.probe_scan.probe;
  return fmt::format("Test texts: {} ▾",
                     probe.kind == ProbeKind::kBundled ? std::string("built in")
                                                       : Beginning(NameOfProbe(probe), 28));
}

float DrawProbeBand(Ui* ui, const Rect& area) {
  const AppState& state = ui->state;
  const ProbeScanState& scan = state.probe_scan;
  const auto own = OwnScanInView(state);
  if (scan.probe.kind == ProbeKind::kBundled || (own == nullptr && scan.request == 0)) {
    return 0.0F;
  }
  const ThemeColors& colors = ui->colors();
  const Rect band{area.x, area.y, area.width, ui->Px(kBandHeight)};
  const float pad = ui->Px(16.0F);
  ui->region(Panel::kMiddle).fills.push_back({band, colors.raised});
  Row row(ui, Inset(band, pad, (band.height - ui->Px(28.0F)) / 2.0F));
  if (row.ButtonRight("bundled",
                      {.text = "Built-in texts",
                       .tooltip = "Back to the scores on the built-in test texts",
                       .bare = true})) {
    ui->Do(ChooseProbe{});
  }
  row.SkipRight(8.0F);
  const float sources = SegmentsWidth(*ui, kRoleSources);
  if (scan.request != 0) {
    if (row.ButtonRight("stop probe",
                        {.text = "Stop", .tooltip = "What was scored before stays"})) {
      ui->Do(StopProbe);
    }
    row.SkipRight(8.0F);
  } else if (CanGoOn(state)) {
    if (row.ButtonRight("go on with probe",
                        {.text = "Go on", .tooltip = "Scores so far stay; the rest is scanned"})) {
      ui->Do(GoOnWithProbe);
    }
    row.SkipRight(8.0F);
  } else if (!IsOfSeries(state.heads_look.view) &&
             row.rest().width + pad > sources + ui->Px(200.0F)) {
    Choose<TakeRolesFrom>(ui, "roles from", row.Right(sources), kRoleSources, scan.gives_roles);
    row.SkipRight(8.0F);
  }
  ui->notices_from = std::max(ui->notices_from, band.y + band.height);
  const auto [words, told] = BandWords(state, own.get());
  const Rect text{row.rest().x, band.y, std::max(ui->Px(20.0F), row.rest().width), band.height};
  Area(ui, "probe band", text, told.empty() ? words : words + "\n" + told);
  DrawTextIn(*ui, text, words, Type::kBody, colors.text, text.width);
  return band.height;
}

void DrawProbeMenu(Ui* ui) {
  const AppState& state = ui->state;
  const ProbeKind kind = state.probe_scan.probe.kind;
  Heading(ui, "What are the heads scored on?");
  if (MenuRow(ui,
              "bundled probe",
              Chosen(kind == ProbeKind::kBundled, "The built-in texts"),
              "Repeats of tokens, and annotated sentences that come with the program. Roles are "
              "suggested from it.")) {
    ui->Do(ChooseProbe{});
  }
  if (MenuRow(ui,
              "hidden sentences",
              Chosen(kind == ProbeKind::kRetrieval, "Hidden sentences (retrieval)"),
              "Ten long texts, in each of which two sentences are hidden; the end asks for one of "
              "them. Which heads look at it, and does the model prefer the right word at all?")) {
    ui->Do(ChooseProbe{{ProbeKind::kRetrieval, {}}});
  }
  DrawFileOfOwn(ui);
  if (const auto own = OwnScanInView(state)) {
    ImGui::Dummy({1.0F, ui->Px(4.0F)});
    Heading(ui, "Roles are suggested from");
    if (DialogButton(ui, "the built-in texts", !state.probe_scan.gives_roles)) {
      ui->Do(TakeRolesFrom{false});
    }
    ImGui::SameLine();
    if (DialogButton(ui, NameOfProbe(own->probe).c_str(), state.probe_scan.gives_roles)) {
      ui->Do(TakeRolesFrom{true});
    }
    DrawNotesOf(ui, *own);
  }
}

}  // namespace headscope
