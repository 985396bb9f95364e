// The Heads screen: toolbar, what stands there before there are scores, and its parts.
#include <algorithm>
#include <array>
#include <string>

#include <fmt/format.h>
#include <imgui.h>

#include "app/state/queries.h"
#include "app/views/heads/panels.h"
#include "app/views/kit/detail_header.h"
#include "app/views/kit/flow.h"
#include "app/views/kit/popups.h"
#include "app/views/kit/reveal.h"
#include "app/views/kit/widgets.h"
#include "app/views/panels.h"
#include "core/base/counted.h"
#include "core/base/sentence.h"
#include "core/heads/flags/role.h"
#include "core/heads/probe/probe.h"

namespace headscope {
namespace {

constexpr std::array<SegmentChoice, 8> kViews = {{
    {"Roles", "Heads by what they do, each with its evidence and examples from the open text"},
    {"Map", "Layers and heads, coloured by a score, with the scatter below"},
    {"Scatter", "Two scores against each other: every dot is a head"},
    {"List", "Heads in the order of a score, with chance, control and error"},
    {"Series", "One score over the checkpoints of a training, or over models of other head counts"},
    {"Across h",
     "Models that differ in the number of heads alone, side by side: loss, roles, how far heads "
     "differ"},
    {"Relations", "The best head of each grammatical relation, with its control"},
    {"Alike", "Heads in a plane, near each other where they look alike on the open text"},
}};
constexpr std::int64_t kTwins = 3;

// What stands in place of scores; empty: there are some, or they are on their way.
std::string WhyNoScores(const AppState& state) {
  const ModelInfo* const shown = ShownModel(state);
  if (shown != nullptr && shown->file != nullptr) {
    return "This attention comes from a file that holds its weights only. A scan runs the model "
           "over texts of its own: open the model.";
  }
  if (shown != nullptr && shown->reads_embeddings()) {
    return "An attention module reads embeddings, no text: there is nothing to scan it with. Open "
           "a model.";
  }
  if (!state.scan.fault.empty() && state.scan.wanted_of == state.model &&
      OwnScanInView(state) == nullptr) {
    return "No scores: " + Ended(state.scan.fault);
  }
  return "";
}

// In place of scores while a person labels blind.
void DrawBlind(Ui* ui, const Rect& area) {
  const auto count = OnlyFlags(FlagsInView(ui->state).flags).size();
  Pen pen = DrawWordsInstead(
      ui,
      area,
      fmt::format("Labelling blind: scores and suggestions are hidden, here and in Inspect, until "
                  "you save your flags to a file. {} flagged so far; in Inspect (1), F says what a "
                  "head does.",
                  Counted(count, "head")));
  pen.Skip(14.0F);
  Row row = pen.Line(32.0F);
  const ButtonLook save{.text = "Save flags, then show scores",
                        .tooltip = "The file says that these flags were set blind",
                        .primary = true};
  const Rect left = row.Left(ButtonWidth(*ui, save));
  if (Button(ui, "save blind", left, save)) {
    ui->memory->popup_anchor = left;
    OpenForTyping(ui, Popup::kFlagExport);
  }
  row.Skip(8.0F);
  if (row.Button(
          "stop blind",
          {.text = "Stop labelling blind",
           .tooltip = "Scores show at once; your flags stay, and a file of them will not say that "
                      "they were set blind",
           .bare = true})) {
    ui->Do(LabelBlind{false});
  }
}

std::string_view ShortWords(Agreement agreement) {
  switch (agreement) {
    case Agreement::kOnlyMine:
      return "mine";
    case Agreement::kOnlySuggested:
      return "suggested";
    default:
      return AgreementWords(agreement);
  }
}

// Flags against suggestions, with how many heads stand so.
void DrawFilter(Ui* ui, Flow* flow, float room, const HeadScanReport& report) {
  constexpr std::array kKinds = {
      Agreement::kAgree, Agreement::kOnlyMine, Agreement::kOnlySuggested, Agreement::kConflict};
  const FlagSheet& flags = FlagsInView(ui->state);
  const HeadSuggestions suggestions = SuggestionsInView(ui->state);
  const std::optional<HeadsOfScan> heads = ScannedHeads(report);
  std::array<std::int64_t, kKinds.size()> counts{};
  for (std::size_t place = 0; heads && place < heads->count(); ++place) {
    const Agreement stands = AgreementOf(flags, suggestions, heads->At(place));
    const auto kind = std::ranges::find(kKinds, stands);
    if (kind != kKinds.end()) {
      ++counts[static_cast<std::size_t>(kind - kKinds.begin())];
    }
  }
  const auto& only = ui->state.heads_look.only;
  int chosen = 0;
  std::array<std::string, kKinds.size() + 1> names;
  std::vector<SegmentChoice> choices;
  // Where they find no room they are told without their numbers.
  for (const bool has_counts : {true, false}) {
    names = {"all"};
    choices = {{names[0], "All heads"}};
    for (std::size_t i = 0; i < kKinds.size(); ++i) {
      names[i + 1] = has_counts ? fmt::format("{} {}", AgreementWords(kKinds[i]), counts[i])
                                : std::string(ShortWords(kKinds[i]));
      choices.push_back(
          {names[i + 1],
           "Shows these alone: how your flags and the suggestions stand to each other"});
      chosen = only == kKinds[i] ? static_cast<int>(i) + 1 : chosen;
    }
    if (SegmentsWidth(*ui, choices) < room) {
      break;
    }
  }
  const int pressed = flow->Segments("agreement", choices, chosen);
  if (pressed == 0) {
    ui->Do(ShowOnly{});
  } else if (pressed > 0) {
    ui->Do(ShowOnly{kKinds[static_cast<std::size_t>(pressed - 1)]});
  }
}

std::string ProbeNotes(const HeadScanReport& report) {
  std::string notes =
      "What the scores are of: blocks of tokens that are repeated, and annotated sentences that "
      "come with the program. Positions, words and relations are measured on sentences, copies on "
      "repeats.";
  for (const std::string& why : {report.why_no_sentences, report.why_no_repeats}) {
    notes += why.empty() ? "" : "\nLeft out: " + Ended(why);
  }
  if (report.sentences && LeavesOutUnknown(report.sentences->report.about.notes)) {
    notes += fmt::format("\nLeft out: sentences {}.", kUnknownWords);
  }
  return notes;
}

// In one line, or where that finds no room in two in its place.
void DrawProbeWords(Ui* ui, Flow* flow, float room, const HeadScanReport& report) {
  const std::string words = ProbeWords(report);
  const Rgb color = ui->colors().muted;
  const float width = TextWidth(*ui, words, Type::kSmall);
  const Rect told = flow->Next(std::min(width, room), 2.0F * LineHeight(*ui, Type::kSmall));
  if (width <= room) {
    DrawTextIn(*ui, told, words, Type::kSmall, color);
  } else {
    DrawParagraph(*ui, told.x, told.y, told.width, words, Type::kSmall, color, 2);
  }
  Area(ui, "probes", told, words + ".\n" + ProbeNotes(report));
}

}  // namespace

Rgb ColorOfRole(std::string_view role) {
  return RgbOf(ColourOfRole(role));
}

bool IsShown(const Ui& ui, HeadIndex head, const HeadSuggestions& suggestions) {
  const auto& only = ui.state.heads_look.only;
  return !only || AgreementOf(FlagsInView(ui.state), suggestions, head) == *only;
}

HeadsDrawn DrawnHeads(const Ui& ui, const HeadsFrame& frame) {
  return {
      .report = frame.report,
      .heads = frame.heads,
      .suggestions = frame.suggestions,
      .flags = FlagsInView(ui.state),
      .selected = ui.state.selection.head,
      .is_shown = [&ui, &frame](HeadIndex head) { return IsShown(ui, head, frame.suggestions); }};
}

void DrawRoleDot(
    const Ui& ui, float x, float y, HeadIndex head, const HeadSuggestions& suggestions) {
  ImDrawList* const list = ImGui::GetWindowDrawList();
  const float radius = ui.Px(4.0F);
  const std::uint32_t edge = ToImGui(ui.colors().background);
  if (const HeadFlag* flag = FindFlag(FlagsInView(ui.state), head)) {
    list->AddCircleFilled({x, y}, radius + ui.Px(1.0F), edge);
    list->AddCircleFilled({x, y}, radius, ToImGui(ColorFromHex(flag->colour)));
  } else if (const auto& found = suggestions.Of(head); !found.empty()) {
    list->AddCircleFilled({x, y}, radius + ui.Px(1.0F), edge);
    list->AddCircle(
        {x, y}, radius - ui.Px(1.0F), ToImGui(ColorOfRole(found.front()->role)), 0, ui.Px(2.0F));
  }
}

std::string RoleLines(const Ui& ui, HeadIndex head, const HeadSuggestions& found) {
  std::string lines;
  if (const HeadFlag* flag = FindFlag(FlagsInView(ui.state), head)) {
    lines += "\nflagged: " + flag->role;
    lines += flag->note.empty() ? "" : ", " + Beginning(flag->note, 240);
  }
  for (const Suggestion* one : found.Of(head)) {
    lines += fmt::format("\n{} ({}): {}",
                         one->role,
                         one->from.empty() ? VerdictName(one->verdict) : "from " + one->from,
                         one->why);
  }
  return lines;
}

void PointAtHead(Ui* ui, const HeadsFrame& frame, HeadIndex head, bool clicked) {
  head.part = frame.heads.part;
  PreviewHead(ui, head, clicked);
  const auto place = PlaceOf(frame.heads, head);
  std::string words = HeadName(head);
  if (frame.report.probe.kind != ProbeKind::kBundled) {
    words += " on " + NameOfProbe(frame.report.probe);
  }
  for (const ScoredMetric* metric : {frame.metric, frame.second}) {
    if (metric != nullptr && place && (metric != frame.second || frame.second != frame.metric)) {
      words += "\n" + ScoreWords(*metric, metric->scores->heads[*place]);
    }
  }
  words += RoleLines(*ui, head, frame.suggestions);
  const auto item = static_cast<std::uint32_t>(3000000 + head.layer * 4096 + head.head);
  TooltipForItem(ui, item, true, words);
}

float DrawHeadsToolbar(Ui* ui, const Rect& area) {
  Flow flow(ui, area);
  const AppState& state = ui->state;
  flow.Choose<SetHeadsView>("heads view", kViews, state.heads_look.view);
  DrawPartSwitch(ui, &flow);
  const HeadScanState& scan = state.scan;
  const HeadScanReport* const report = PartScanInView(state);
  HeadScanSettings settings = scan.settings;
  if ((scan.is_stopped &&
       (report == nullptr || !report->is_whole() || report->settings != settings)) ||
      state.measures.is_stopped) {
    if (flow.Button("go on",
                    {.text = "Go on scanning",
                     .tooltip = "Scores so far stay; the scan goes on from there"})) {
      ui->Do(ScanHeads{settings});
    }
  }
  if (!state.flag_files.is_blind) {
    const std::string words = ProbeButtonWords(state);
    flow.PopupButton("probe",
                     {.text = words,
                      .tooltip = "What the heads are scored on: the built-in texts, hidden "
                                 "sentences, or a file of your own"},
                     Popup::kProbe);
  }
  flow.PopupButton("files",
                   {.text = "Files ▾",
                    .tooltip = "Flags to and from files, labelling blind, how far two people "
                               "agree, and the scan as a table",
                    .bare = true},
                   Popup::kFlagFiles);
  if (report == nullptr) {
    return flow.height();
  }
  // Flags are of one model; before the first there is nothing to agree with.
  const bool has_flags = !FlagsInView(state).flags.empty() || state.heads_look.only.has_value();
  if (!IsOfSeries(state.heads_look.view) && has_flags) {
    DrawFilter(ui, &flow, area.width - ui->Px(32.0F), *report);
  }
  if (OwnScanInView(state) != nullptr) {
    return flow.height();  // what follows is of the bundled probe
  }
  DrawProbeWords(ui, &flow, std::max(ui->Px(80.0F), area.width - ui->Px(32.0F)), *report);
  if (scan.settings.twins == 0) {
    settings.twins = kTwins;
    ButtonLook twins{.text = "Compare with shuffled copies",
                     .tooltip =
                         "Three copies of this model with the entries of each query and key "
                         "matrix shuffled: what their heads score by chance, a strong head "
                         "must exceed",
                     .enabled = scan.request == 0,
                     .bare = true};
    if (flow.used() + ButtonWidth(*ui, twins) > area.width - ui->Px(14.0F)) {
      twins.text = "Shuffled copies";
    }
    if (flow.Button("twins", twins)) {
      ui->Do(ScanHeads{settings});
    }
  }
  return flow.height();
}

void DrawHeads(Ui* ui, const Rect& area) {
  const AppState& state = ui->state;
  Rect view = area;
  view.width = std::min(area.width, ui->layout.middle_visible.width);
  if (view.width < 2.0F || view.height < 2.0F) {
    return;
  }
  if (const std::string why = WhyNoScores(state); !why.empty()) {
    DrawWordsInstead(ui, view, why);
    return;
  }
  if (state.flag_files.is_blind) {
    DrawBlind(ui, view);
    return;
  }
  const float band = DrawProbeBand(ui, view);
  view.y += band;
  view.height = std::max(0.0F, view.height - band);
  const std::shared_ptr<const HeadScanReport> own =
      IsOfSeries(state.heads_look.view) ? nullptr : OwnScanInView(state);
  const HeadScanReport* const report =
      own != nullptr ? &own->Of(PartInView(state)) : PartScanInView(state);
  const auto heads = report != nullptr ? ScannedHeads(*report) : std::nullopt;
  if (!heads) {
    DrawWordsInstead(ui,
                     view,
                     state.scan.is_stopped
                         ? "The scan was stopped before it had a score."
                         : "Scanning all heads: the first scores come in a moment.");
    return;
  }
  HeadsFrame frame{.report = *report,
                   .heads = *heads,
                   .metrics = ScoredMetrics(*report),
                   .suggestions = SuggestionsInView(state)};
  frame.metric = FindScored(frame.metrics, MetricInView(state));
  frame.second = FindScored(frame.metrics, SecondMetricInView(state));
  if (frame.metric == nullptr && !frame.metrics.empty()) {
    frame.metric = &frame.metrics.front();
  }
  if (state.heads_look.view == HeadsView::kRoles) {
    DrawHeadsRoles(ui, view, frame);
    return;
  }
  if (state.heads_look.view == HeadsView::kAcross) {
    DrawHeadsAcross(ui, view);
    return;
  }
  if (state.heads_look.view == HeadsView::kAlike) {
    DrawHeadsAlike(ui, view, frame);
    return;
  }
  const HeadsLayout layout = LayOutHeads(view, state.heads_look.view, heads->layers, ui->scale);
  if (layout.relations.height > 0.0F) {
    DrawHeadsRelations(ui, layout.relations, frame);
    return;
  }
  DrawMetricList(ui, layout.metrics, frame);
  if (frame.metric == nullptr) {
    return;
  }
  if (layout.map.height > 0.0F) {
    DrawHeadsMap(ui, layout.map, frame);
  }
  if (layout.scatter.height > 0.0F) {
    DrawHeadsScatter(ui, layout.scatter, frame);
  }
  if (layout.list.height > 0.0F) {
    DrawHeadsList(ui, layout.list, frame);
  }
  if (layout.series.height > 0.0F) {
    DrawHeadsSeries(ui, layout.series, frame);
  }
}

}  // namespace headscope
