// Patching between two texts: its choices, the sentence that says what the numbers are, layers x
// heads coloured by share around 0, and the largest shares.
#include "app/state/compare/patching.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <imgui.h>

#include "app/state/compare/weights.h"
#include "app/state/queries.h"
#include "app/views/compare/panels.h"
#include "app/views/heads/grid.h"
#include "app/views/kit/flow.h"
#include "app/views/kit/reveal.h"
#include "app/views/kit/text_box.h"
#include "app/views/kit/widgets.h"
#include "core/base/grouped.h"
#include "core/base/hundredths.h"
#include "core/base/sentence.h"

namespace headscope {
namespace {

constexpr std::size_t kMostPatchLines = 10;
constexpr float kLeastTokenBox = 72.0F;  // of the two tokens, unscaled
constexpr float kMostTokenBox = 120.0F;
constexpr float kPatchStripPad = 8.0F;
constexpr float kLowPatchStrip = 420.0F;  // below which its sentence has two lines at most

constexpr std::array<SegmentChoice, 5> kPatchedHeadThings = {{
    {"Output", "What a head adds, before its output matrix, is taken over from the other text"},
    {"Pattern", "Its attention weights are taken over; the values that it reads stay"},
    {"Queries", "Its queries are taken over: what it looks for"},
    {"Keys", "Its keys are taken over: what it finds"},
    {"Values", "Its values are taken over: what it carries along"},
}};
constexpr std::array<SegmentChoice, 2> kPatchDirections = {{
    {"A into B", "Denoising: B is run with one thing of A. How much of A's answer comes back?"},
    {"B into A", "Noising: A is run with one thing of B. How much of A's answer is lost?"},
}};

void EditPatch(Ui* ui, PatchLook look) {
  ui->Do(SetPatchLook{std::move(look)});
}

std::string LikelyWords(const std::vector<PatchToken>& likely) {
  std::string words;
  for (std::size_t i = 0; i < likely.size() && i < 5; ++i) {
    words += (i > 0 ? ", " : "") + likely[i].name;
  }
  return words;
}

// The token whose logit counts for A, and the one for B.
void DrawPatchTokens(Ui* ui, Flow* flow) {
  const PatchLook& look = ui->state.compare.patch_look;
  if (!look.file.path.empty()) {
    const std::string words =
        fmt::format("right, wrong: from {}", look.file.path.filename().string());
    const Rect place =
        flow->Next(std::min(TextWidth(*ui, words, Type::kBody), ui->Px(320.0F)), ui->Px(32.0F));
    Row(ui, place).Text(words, Type::kBody, ui->colors().dim);
    Area(
        ui,
        "pairs' tokens",
        place,
        "Each line of the file names the tokens of its pair; × beside the file's name goes back to "
        "those of the two texts");
    return;
  }
  auto now = PatchedHeads(ui->state).patched;
  now = now == nullptr ? PatchedLayers(ui->state).patched : now;
  const auto name_of = [ui](const std::string& label) {
    return TextWidth(*ui, label, Type::kBody) + ui->Px(8.0F);
  };
  // The two stand beside each other; before they begin a line of their own they become narrower.
  const float names = name_of("right") + name_of("wrong") + ui->Px(10.0F);
  const float left =
      ui->layout.middle_visible.width - flow->used() - ui->Px(14.0F) - names;  // of the line
  const float box = left / 2.0F >= ui->Px(kLeastTokenBox)
                        ? std::min(ui->Px(kMostTokenBox), std::floor(left / 2.0F))
                        : ui->Px(kMostTokenBox);
  Row row(ui, flow->Next(names + 2.0F * box, ui->Px(32.0F)));
  const auto draw = [&](bool is_right) {
    const std::string label = is_right ? "right" : "wrong";
    const float name = name_of(label);
    row.Cell(name, label, Type::kBody, ui->colors().muted);
    const std::string side = is_right ? "A" : "B";
    std::string tooltip = fmt::format(
        "The {} token: its logit counts {}. Empty: the likeliest in {}. One token, or its number: #5",
        label,
        is_right ? "for" : "against",
        side);
    if (now != nullptr) {
      tooltip += fmt::format("\nlikeliest in {}: {}",
                             side,
                             LikelyWords(is_right ? now->likely_clean : now->likely_corrupted));
    }
    const std::string hint = now == nullptr ? "…" : is_right ? now->right.name : now->wrong.name;
    DrawTextBox(ui,
                row.Left(box),
                {.name = label + " token",
                 .text = is_right ? look.right : look.wrong,
                 .hint = hint,
                 .hint_color = ui->colors().text,
                 .tooltip = tooltip,
                 .note = "",
                 .clear_tooltip = {},
                 .edit = [look, is_right](const std::string& text) -> Action {
                   PatchLook edited = look;
                   (is_right ? edited.right : edited.wrong) = text;
                   return SetPatchLook{std::move(edited)};
                 }});
  };
  draw(true);
  row.Skip(10.0F);
  draw(false);
}

}  // namespace

void DrawPatchToolbar(Ui* ui, Flow* flow) {
  const std::string why_not = WhyNotPatched(ui->state);
  const std::string about =
      why_not.empty()
          ? "How much of the difference between the two texts' answers each head carries"
          : why_not;
  const std::string no_weights = WhyNoWeights(ui->state);
  const std::string_view about_weights =
      no_weights.empty() ? std::string_view("How much each head's weights changed from A to B")
                         : no_weights;
  const std::array<SegmentChoice, 3> subjects = {{
      {"Attention", "How far each head's maps on the two sides lie apart"},
      {"Patching", about, why_not.empty()},
      {"Weights", about_weights, no_weights.empty()},
  }};
  PatchLook look = ui->state.compare.patch_look;
  const int subject = flow->Segments("compare subject",
                                     subjects,
                                     ShowsWeights(ui->state) ? 2
                                     : IsPatching(ui->state) ? 1
                                                             : 0);
  if (subject >= 0) {
    ui->Do(ShowWeights{subject == 2});
    look.is_shown = subject == 1;
    EditPatch(ui, look);
  }
  if (!IsPatching(ui->state) || !why_not.empty()) {
    return;
  }
  const int direction =
      flow->Segments("patch direction", kPatchDirections, static_cast<int>(look.direction));
  if (direction >= 0) {
    look.direction = static_cast<PatchDirection>(direction);
    EditPatch(ui, look);
  }
  const bool follows = FollowsPaths(ui->state);
  const int what = flow->Segments(
      "patched thing", kPatchedHeadThings, follows ? -1 : static_cast<int>(look.of_heads));
  if (what >= 0) {
    look.paths.is_shown = false;
    look.of_heads = static_cast<PatchWhat>(what);
    EditPatch(ui, look);
  }
  if (flow->Button("direct effect",
                   {.text = "Direct",
                    .tooltip = "Direct effect: only what of a head's output reaches the logits, or "
                               "the heads that you choose, along paths through no other head",
                    .active = follows}) &&
      !follows) {
    look.paths.is_shown = true;
    look.direction = PatchDirection::kNoise;  // as direct effects are mostly told
    EditPatch(ui, look);
  }
  DrawPatchRows(ui, flow);
  DrawPatchTokens(ui, flow);
}

double LargestPatch(const PatchedTexts& patched) {
  double largest = 0.0;
  for (const double metric : patched.metrics) {
    largest = std::max(largest, std::abs(patched.ScoreOf(metric)));
  }
  return std::max(largest, 1e-9);
}

Rgb ColorOfPatch(const Ui& ui, double share, double largest, bool is_old) {
  const double at = 0.5 + 0.5 * std::clamp(share / largest, -1.0, 1.0);
  const auto table = ColormapTable(Colormap::kDiverging, ui.state.theme);
  const Rgb color = table[static_cast<std::size_t>(std::lround(at * (kColormapSize - 1)))];
  return is_old ? Blend(ui.colors().background, color, 0.35F) : color;
}

bool DrawPatchNow(Pen* pen, const std::optional<PatchingState::Question>& question) {
  Ui* const ui = pen->ui;
  if (!question || !WaitsToPatch(ui->state, *question)) {
    return false;
  }
  const bool is_of_file = !question->pair.file.path.empty();
  const PatchInView view = PatchedHeads(ui->state);
  const bool goes_on = is_of_file && view.patched != nullptr && !view.is_old;
  const std::string words = goes_on ? fmt::format("Go on: {} of {} pairs are done",
                                                  view.patched->pairs,
                                                  view.patched->pairs_in_all)
                                    : fmt::format("Patch: {} runs of the model{}",
                                                  Grouped(PatchRuns(ui->state, *question)),
                                                  is_of_file ? " for each pair" : "");
  const ButtonLook look{.text = words,
                        .tooltip = is_of_file
                                       ? "Pairs that are done are kept, also when the window is "
                                         "closed: the same file goes on with them. Cancel in the "
                                         "status line stops it"
                                       : "It may take long; Cancel in the status line stops it",
                        .primary = true};
  if (pen->Line(32.0F).Button(IsOfHeads(question->what) ? "patch heads" : "patch layers", look)) {
    ui->Do(PatchNow);
  }
  return true;
}

namespace {

// Which words are compared, and by how much; and whether over a file of pairs.
void DrawPatchLead(Pen* pen) {
  Ui* const ui = pen->ui;
  const AppState& state = ui->state;
  const ThemeColors& colors = ui->colors();
  PatchInView view = PatchedHeads(state);
  view = view.patched == nullptr ? PatchedLayers(state) : view;
  Row row = pen->Line(24.0F);
  const std::filesystem::path& file = state.compare.patch_look.file.path;
  if (!file.empty() &&
      row.ButtonRight("two texts",
                      {.text = "×", .tooltip = "The two texts again, without the file of pairs"})) {
    ui->Do(PatchPairsOf{});
  }
  row.SkipRight(file.empty() ? 0.0F : 4.0F);
  const std::string name = file.empty() ? "Pairs …" : file.filename().string();
  if (row.ButtonRight(
          "pairs",
          {.text = name,
           .tooltip = "The mean over a file of pairs, with errors: .tsv, a line for each: "
                      "clean, corrupted, right, wrong. For example "
                      "assets/probes/names.tsv",
           .active = !file.empty()})) {
    ui->Do(ChooseFile{FileWanted::kPairs});
  }
  row.SkipRight(10.0F);
  if (view.patched == nullptr) {
    row.Text(
        "Patching: one thing after another is taken from one text's run over into the other's, and "
        "the next word is asked for.",
        Type::kBody,
        colors.muted);
    return;
  }
  const PatchedTexts& patched = *view.patched;
  const Rgb ink = view.is_old ? colors.dim : colors.text;
  const std::string lead = fmt::format("Lead of {}, in logits:", PatchMetricName(patched));
  const std::string numbers = PatchMetricWords(patched);
  Area(ui, "patch lead", row.rest(), "The logit of the first word minus that of the second");
  row.Text(lead, Type::kBold, ink);
  row.Skip(12.0F);
  if (TextWidth(*ui, numbers, Type::kMono) > row.rest().width) {
    row = pen->Line(20.0F);
  }
  row.Text(numbers, Type::kMono, ink);
}

// Where no head of the part in view sends: those that do.
std::string SendersElsewhere(const AppState& state, const PatchPaths& paths) {
  const ModelPart part = PartInView(state);
  const bool is_in_view =
      std::ranges::any_of(paths.from, [part](HeadIndex head) { return head.part == part; });
  return is_in_view || paths.from.empty()
             ? ""
             : fmt::format("The heads that send are others, from {} to {}: P shows them.",
                           HeadName(paths.from.front()),
                           HeadName(paths.from.back()));
}

}  // namespace

float DrawPatchStrip(Ui* ui, const Rect& area) {
  const AppState& state = ui->state;
  const ThemeColors& colors = ui->colors();
  const PatchLook& look = state.compare.patch_look;
  const float pad = ui->Px(14.0F);
  Pen pen{ui, area.x + pad, area.y + ui->Px(kPatchStripPad), area.width - 2.0F * pad};
  const auto in_height = [&] { return pen.y - area.y + ui->Px(4.0F); };
  if (const std::string why_not = WhyNotPatched(state); !why_not.empty()) {
    pen.Paragraph(Ended(why_not), Type::kBody, colors.muted);
    return in_height();
  }
  const PatchingState& patching = state.compare.patching;
  if (patching.fault_of && patching.fault_of == PatchPairNow(state)) {
    pen.Paragraph("No patching: " + Ended(patching.fault), Type::kBody, colors.text);
    return in_height();
  }
  DrawPatchLead(&pen);
  if (!patching.file_fault.empty()) {
    pen.Paragraph("No pairs: " + Ended(patching.file_fault), Type::kBody, colors.text);
  }
  const auto question = HeadsToPatch(state);
  const int most_lines = area.height < ui->Px(kLowPatchStrip) ? 2 : 0;
  if (!FollowsPaths(state)) {
    pen.Paragraph(PatchMeaning(look.of_heads, look.direction, PatchedRow(state)),
                  Type::kSmall,
                  colors.muted,
                  most_lines);
  } else {
    DrawPathControls(&pen);
    if (const std::string missing = WhyNoSenders(state); !missing.empty()) {
      pen.Paragraph(Ended(missing), Type::kBody, colors.text);
    } else if (question) {
      std::string words = PathMeaning(*question->paths, look.direction);
      const PatchInView view = PatchedHeads(state);
      if (view.patched != nullptr && !view.is_old && view.patched->together) {
        words += fmt::format(" All {} at once: {}.",
                             question->paths->from.size(),
                             PatchShareText(view.patched->ScoreOf(*view.patched->together)));
      }
      pen.Paragraph(words, Type::kSmall, colors.muted, most_lines);
      if (const std::string elsewhere = SendersElsewhere(state, *question->paths);
          !elsewhere.empty()) {
        pen.Paragraph(elsewhere, Type::kBody, colors.text, most_lines);
      }
    }
  }
  const PatchInView view = PatchedHeads(state);
  if (view.patched != nullptr && !view.is_old && !view.patched->is_whole()) {
    DrawPatchNow(&pen, question);  // it was stopped halfway
  }
  return in_height();
}

void DrawPatchedHeads(Ui* ui, const Rect& area) {
  const AppState& state = ui->state;
  const ThemeColors& colors = ui->colors();
  const auto question = HeadsToPatch(state);
  const PatchInView view = PatchedHeads(state);
  const bool waits = question && WaitsToPatch(state, *question);
  if (view.patched == nullptr && (waits || !FollowsPaths(state))) {
    Pen pen = DrawWordsInstead(ui, area, "");
    if (!DrawPatchNow(&pen, question) && state.compare.patching.request != 0) {
      pen.Paragraph("The shares of the heads are on their way.", Type::kBody, colors.muted);
    }
    return;
  }
  const PatchedTexts nothing;  // receivers are chosen first
  const PatchedTexts& patched = view.patched != nullptr ? *view.patched : nothing;
  HeadsGridLook look{.id = "patched heads"};
  const HeadsGrid grid = LayOutHeadsOfA(*ui, area, &look);
  const double largest = LargestPatch(patched);
  look.cell = [&](HeadIndex head) {
    if (const auto receiver = PathCell(*ui, head)) {
      return *receiver;
    }
    const auto place = PlaceOfHead(patched, head);
    if (!place) {
      return HeadsGridCell{.fill = colors.panel, .frame = colors.line};
    }
    const double share = patched.ScoreOf(patched.metrics[*place]);
    const Rgb fill = ColorOfPatch(*ui, share, largest, view.is_old);
    return HeadsGridCell{.fill = fill, .words = SignedShareAmong(share, largest), .words_on = fill};
  };
  if (const auto pointed = DrawHeadsGrid(ui, grid, look)) {
    const HeadIndex head = pointed->head;
    const auto place = PlaceOfHead(patched, head);
    const std::string paths = PathCellWords(state, head);
    const std::string unknown = FollowsPaths(state) && question ? ": nothing of it arrives"
                                : patched.is_whole()            ? ": it has no such row"
                                                                : ": not yet";
    std::string words =
        place ? PatchShareWords(patched, *place) + "\nclick: this head on both texts, side by side"
              : HeadName(head) + unknown;
    if (!paths.empty()) {
      words = place ? words + "\n" + paths : paths;
    }
    PreviewHead(ui, head, pointed->clicked && !TakeReceiver(ui, head));
    TooltipForItem(
        ui, static_cast<std::uint32_t>(7000000 + head.layer * 4096 + head.head), true, words);
  }
  if (patched.metrics.empty()) {
    return;
  }
  const Rect bar = DrawHeadsGridBar(ui,
                                    grid,
                                    {.colormap = Colormap::kDiverging,
                                     .low = SignedShareAmong(-largest, largest),
                                     .high = SignedShareAmong(largest, largest),
                                     .mark = 0.5F});
  if (bar.width > 0.0F) {
    DrawText(*ui,
             bar.x,
             BelowHeadsGridBar(*ui, bar),
             "share of the difference; line: 0",
             Type::kSmall,
             colors.dim,
             area.width - grid.left - ui->Px(12.0F));
  }
}

void DrawLargestPatches(Ui* ui, const Rect& area) {
  const AppState& state = ui->state;
  const ThemeColors& colors = ui->colors();
  const PatchInView view = PatchedHeads(state);
  const float line = ui->Px(24.0F);
  const Rect rows{area.x + ui->Px(14.0F),
                  area.y + ui->Px(32.0F),
                  area.width - 2.0F * ui->Px(14.0F),
                  area.height - ui->Px(36.0F)};
  if (rows.width < ui->Px(60.0F) || area.height < 2.0F * line || view.patched == nullptr) {
    return;
  }
  const PatchedTexts& patched = *view.patched;
  const auto places =
      LargestPatches(patched, state.compare.result->comparison.part_a, kMostPatchLines);
  const double largest = LargestPatch(patched);
  DrawText(
      *ui, rows.x, area.y + ui->Px(8.0F), "Largest shares", Type::kBold, colors.text, rows.width);
  BeginScroll("largest shares", rows);
  const float bar = ui->Px(2.0F) + ImGui::GetStyle().ScrollbarSize;
  const float swatch = ui->Px(10.0F);
  Pen pen{ui, rows.x, rows.y - ImGui::GetScrollY(), rows.width - bar};
  ImGui::Dummy({1.0F, line * static_cast<float>(places.size())});
  for (std::size_t i = 0; i < places.size(); ++i) {
    const HeadIndex head = patched.heads[places[i]];
    const double share = patched.ScoreOf(patched.metrics[places[i]]);
    Row row = pen.Line(24.0F);
    const Rect& whole = row.whole();
    const Pressed pressed =
        Area(ui, "share", static_cast<int>(i), whole, PatchShareWords(patched, places[i]));
    const bool is_selected = head == state.selection.head;
    if (pressed.hovered || is_selected) {
      FillRect(*ui, whole, colors.raised, 4.0F);
    }
    FillRect(*ui,
             {whole.x + ui->Px(4.0F), whole.y + (line - swatch) / 2.0F, swatch, swatch},
             ColorOfPatch(*ui, share, largest, view.is_old),
             2.0F);
    row.Skip(20.0F);
    row.SkipRight(4.0F);
    row.TextRight(PatchShareText(patched, places[i]), Type::kMono, colors.text);
    row.SkipRight(6.0F);
    row.Text(HeadName(head), Type::kMono, is_selected ? colors.text : colors.muted);
    if (pressed.clicked && !(is_selected && state.selection.head_locked)) {
      ui->Do(ClickHead{head});
    }
  }
  EndScroll();
}

}  // namespace headscope
