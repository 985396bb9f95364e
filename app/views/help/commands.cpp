#include "app/views/help/commands.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "app/state/answers.h"
#include "app/state/compare/patching.h"
#include "app/state/files/export_kind.h"
#include "app/state/inspect/cut_edges.h"
#include "app/state/inspect/heads_off.h"
#include "app/state/queries.h"
#include "app/views/help/tour.h"
#include "app/views/screens.h"

namespace headscope {
namespace {

constexpr const char* kNoMaps = "there are no maps yet";

std::string NeedsMaps(const AppState& state) {
  return ShownLayers(state) > 0 ? "" : kNoMaps;
}

std::string NeedsPicture(const AppState& state) {
  return CanExportSomething(state) ? "" : kNoMaps;
}

void AddScreens(const AppState& state, std::vector<Command>* commands) {
  for (const Screen* screen : AllScreens()) {
    commands->push_back({.name = fmt::format("Go to {}", screen->kind.name),
                         .keys = KeysOf(screen->kind),
                         .actions = {SetScreen{&screen->kind}},
                         .why_not = state.screen == &screen->kind ? "it is open" : ""});
  }
}

void AddPopups(const AppState& state, std::vector<Command>* commands) {
  const std::string no_maps = NeedsMaps(state);
  commands->push_back(
      {.name = "Open a model …", .keys = "M", .popup = Popup::kModels, .types = true});
  commands->push_back({.name = "Choose a sample …", .keys = "S", .popup = Popup::kSamples});
  commands->push_back({.name = "Ask a question about heads …", .popup = Popup::kQuestions});
  commands->push_back({.name = "Go to a head …",
                       .keys = "Ctrl K",
                       .popup = Popup::kJump,
                       .types = true,
                       .why_not = no_maps});
  commands->push_back({.name = "Export a picture, a page or numbers …",
                       .keys = "Ctrl E",
                       .popup = Popup::kExport,
                       .types = true,
                       .why_not = NeedsPicture(state)});
  commands->push_back(
      {.name = "Keep this picture in Figures",
       .keys = "Ctrl Shift E",
       .actions = {Action(KeepShown)},
       .why_not = state.screen->shows_figures ? "kept ones are shown" : NeedsPicture(state)});
  commands->push_back(
      {.name = "Flag this head …", .keys = "F", .popup = Popup::kFlag, .why_not = no_maps});
  commands->push_back({.name = "Files of flags: save, read, compare two people …",
                       .popup = Popup::kFlagFiles,
                       .why_not = no_maps});
  commands->push_back({.name = "Sessions: save this one, open another as it was …",
                       .keys = "Ctrl S",
                       .popup = Popup::kSessions,
                       .types = true});
  commands->push_back({.name = "Compare with another model, text or step …",
                       .actions = {SetScreen{&ScreenNamed("compare").kind}},
                       .popup = Popup::kCompare,
                       .types = true,
                       .why_not = no_maps});
  PatchLook direct = state.compare.patch_look;
  direct.is_shown = true;
  direct.paths.is_shown = true;
  direct.direction = PatchDirection::kNoise;
  commands->push_back({.name = "Patching: direct effects of heads, along paths",
                       .actions = {SetScreen{&ScreenNamed("compare").kind}, SetPatchLook{direct}},
                       .why_not = no_maps});
  commands->push_back(
      {.name = "Patching: the mean over a file of pairs …",
       .actions = {SetScreen{&ScreenNamed("compare").kind}, ChooseFile{FileWanted::kPairs}},
       .why_not = no_maps.empty() ? WhyNotPatched(state) : no_maps});
  commands->push_back({.name = "Score heads on texts of my own …",
                       .actions = {SetScreen{&ScreenNamed("heads").kind}},
                       .popup = Popup::kProbe,
                       .types = true,
                       .why_not = no_maps});
  commands->push_back({.name = "Tokens: merge pieces, hide some …",
                       .popup = Popup::kTokens,
                       .why_not = state.screen->looks_at_tokens
                                      ? no_maps
                                      : std::string("this screen shows all tokens")});
}

void AddTour(const AppState& state, std::vector<Command>* commands) {
  commands->push_back({.name = "Show me around, in under a minute (tour)",
                       .actions = ActionsOfTour(state, 0),
                       .why_not = NeedsMaps(state)});
}

void AddWork(const AppState& state, std::vector<Command>* commands) {
  const ViewHistory& history = state.view_history;
  commands->push_back({.name = "Find the roles of all heads",
                       .actions = {Action(FindRoles)},
                       .why_not = NeedsMaps(state)});
  commands->push_back(
      {.name = "What is being computed: see it, stop a part of it …", .popup = Popup::kWork});
  commands->push_back(
      {.name = "Stop what is being computed", .keys = "Ctrl .", .actions = {Action(CancelWork)}});
  commands->push_back({.name = "Back to the view before",
                       .keys = "Alt ←",
                       .actions = {StepView{true}},
                       .why_not = history.past.empty() ? "there is none" : ""});
  commands->push_back({.name = "Forward to the view after",
                       .keys = "Alt →",
                       .actions = {StepView{false}},
                       .why_not = history.future.empty() ? "there is none" : ""});
  commands->push_back({.name = "Undo the last flag",
                       .keys = "Ctrl Z",
                       .actions = {Action(UndoFlag)},
                       .why_not = NeedsMaps(state)});
  commands->push_back({.name = "Redo the flag",
                       .keys = "Ctrl Y",
                       .actions = {Action(RedoFlag)},
                       .why_not = NeedsMaps(state)});
  commands->push_back({.name = "Copy the head's name",
                       .keys = "Ctrl C",
                       .actions = {Action(CopyName)},
                       .why_not = NeedsMaps(state)});
  commands->push_back({.name = "Copy the picture, for a slide or a letter",
                       .actions = {OpenPopup{Popup::kExport}, Action(CopyPicture)},
                       .why_not = NeedsPicture(state)});
  commands->push_back({.name = "Copy the values as a table",
                       .actions = {OpenPopup{Popup::kExport}, Action(CopyValues)},
                       .why_not = NeedsPicture(state)});
  commands->push_back(
      {.name = "Fit the whole map", .keys = "0", .actions = {Action(headscope::ResetZoom)}});
}

void AddHeadsOff(const AppState& state, std::vector<Command>* commands) {
  const Action inspect = SetScreen{&ScreenNamed("inspect").kind};
  const std::string no_maps = NeedsMaps(state);
  const bool has_none = state.heads_off.chosen.IsEmpty();
  commands->push_back({.name = IsHeadOff(state, state.selection.head)
                                   ? "Put this head back"
                                   : "Take this head away: what changes without it",
                       .keys = HasParts(state) ? "Del" : "X",
                       .actions = {inspect, SwitchHead{state.selection.head}},
                       .why_not = no_maps.empty() ? WhyNoHeadsOff(state) : no_maps});
  for (const CutRows rows : {CutRows::kOne, CutRows::kAll}) {
    const std::optional<CutEdge> edge = EdgeInView(state, rows);
    const bool is_cut = edge && IsCut(state, *edge);
    commands->push_back(
        {.name = rows == CutRows::kOne
                     ? (is_cut ? "Join this edge again" : "Cut this edge of attention")
                     : (is_cut ? "Join this key in all rows again" : "Cut this key in all rows"),
         .keys = rows == CutRows::kOne ? "K" : "Shift K",
         .actions = {inspect, SwitchEdge{edge.value_or(CutEdge{})}},
         .why_not = edge ? "" : "click a cell of the large map in Inspect first"});
  }
  commands->push_back({.name = "Put all heads and edges back",
                       .actions = {Action(PutHeadsBack)},
                       .why_not = has_none ? "none is off" : ""});
  commands->push_back({.name = state.heads_off.shows_whole
                                   ? "Show maps without the heads that are off"
                                   : "Show the whole model for a look",
                       .keys = "B",
                       .actions = {ShowWhole{!state.heads_off.shows_whole}},
                       .why_not = has_none ? "nothing is off" : ""});
}

void AddLooks(const AppState& state, std::vector<Command>* commands) {
  const auto add = [commands](std::string name, std::string keys, Action action) {
    commands->push_back(
        {.name = std::move(name), .keys = std::move(keys), .actions = {std::move(action)}});
  };
  constexpr std::array<std::pair<HeadView, std::string_view>, 6> kViews = {
      {{HeadView::kMap, "a map"},
       {HeadView::kLines, "lines"},
       {HeadView::kArcs, "arcs"},
       {HeadView::kText, "shaded text"},
       {HeadView::kPair, "query and key"},
       {HeadView::kSteps, "steps of its training"}}};
  for (const auto& [view, name] : kViews) {
    HeadLook look = state.head_look;
    look.view = view;
    commands->push_back(
        {.name = fmt::format("Show the head as {}", name),
         .keys = view == HeadView::kSteps ? "" : "O",
         .actions = {SetScreen{&ScreenNamed("inspect").kind}, SetHeadLook{std::move(look)}}});
  }
  for (const bool lines : {false, true}) {
    HeadLook look = state.head_look;
    look.lines_in_grid = lines;
    add(fmt::format("Thumbnails as {}", lines ? "lines" : "maps"), "", SetHeadLook{look});
  }
  constexpr std::array<std::string_view, 3> kCurves = {"linear", "square root", "logarithm"};
  for (std::size_t i = 0; i < kCurves.size(); ++i) {
    add(fmt::format("Colour by the {} of the weight", i == 0 ? "size" : kCurves.at(i)),
        "C",
        SetCurve{static_cast<Curve>(i)});
  }
  constexpr std::array<std::string_view, 5> kRanges = {
      "0 to 1", "per row", "per head", "per layer", "all heads"};
  for (std::size_t i = 0; i < kRanges.size(); ++i) {
    add(fmt::format("Range of colours: {}", kRanges.at(i)),
        "R",
        SetRange{static_cast<RangeMode>(i)});
  }
  constexpr std::array<std::string_view, 4> kMaps = {"viridis", "cividis", "blues", "greys"};
  for (std::size_t i = 0; i < kMaps.size(); ++i) {
    add(fmt::format("Colour map {}", kMaps.at(i)), "V", SetColormap{static_cast<Colormap>(i)});
  }
}

void AddWindow(const AppState& state, std::vector<Command>* commands) {
  const bool presents = state.presenting.has_value();
  commands->push_back({.name = presents ? "Stop presenting" : "Present: maps and text alone",
                       .keys = "F5",
                       .actions = {Present{!presents}}});
  commands->push_back({.name = "Dark window", .keys = "T", .actions = {ChooseTheme{Theme::kDark}}});
  commands->push_back(
      {.name = "Light window", .keys = "T", .actions = {ChooseTheme{Theme::kLight}}});
  commands->push_back(
      {.name = "Dark or light as the desktop",
       .actions = {ChooseTheme{}},
       .why_not = state.desktop_theme ? "" : "the desktop does not say which it prefers"});
  commands->push_back({.name = "Larger text", .keys = "Ctrl +", .actions = {ZoomText{1}}});
  commands->push_back({.name = "Smaller text", .keys = "Ctrl -", .actions = {ZoomText{-1}}});
  commands->push_back({.name = "Text as at first", .keys = "Ctrl 0", .actions = {SetZoom{1.0}}});
  commands->push_back(
      {.name = "Leave Headscope", .keys = "Ctrl Q", .actions = {Action(CloseWindow)}});
}

void AddNamed(const AppState& state, std::vector<Command>* commands) {
  for (const Answer& answer : AnswersOf(state)) {
    Command command{.name = std::string(answer.question),
                    .actions = {SetScreen{&ScreenNamed(answer.screen).kind}}};
    std::ranges::copy(answer.actions, std::back_inserter(command.actions));
    commands->push_back(std::move(command));
  }
  for (const ModelChoice& model : state.bundled_models) {
    commands->push_back(
        {.name = fmt::format("Open model {}", model.name), .actions = {OpenFolder{model.folder}}});
  }
  for (std::size_t i = 0; i < state.samples.size(); ++i) {
    commands->push_back(
        {.name = fmt::format("Sample: {}", state.samples[i].title), .actions = {ChooseSample{i}}});
  }
}

std::string Lowered(std::string_view text) {
  std::string low(text);
  std::ranges::transform(low, low.begin(), [](unsigned char letter) {
    return static_cast<char>(std::tolower(letter));
  });
  return low;
}

// Each word of `typed` in the name; 0: not all of them, 2: the first begins a word, 1: all are there.
int Match(std::string_view name, std::string_view typed) {
  const std::string low = Lowered(name);
  int match = 2;
  for (std::size_t from = 0; from < typed.size();) {
    const std::size_t end = std::min(typed.find(' ', from), typed.size());
    const std::string_view word = typed.substr(from, end - from);
    from = end + 1;
    if (word.empty()) {
      continue;
    }
    const std::size_t at = low.find(word);
    if (at == std::string::npos) {
      return 0;
    }
    if (at != 0 && low[at - 1] != ' ') {
      match = 1;
    }
  }
  return match;
}

}  // namespace

std::vector<Command> CommandsOf(const AppState& state) {
  std::vector<Command> commands;
  AddPopups(state, &commands);
  AddScreens(state, &commands);
  AddTour(state, &commands);
  AddWork(state, &commands);
  AddHeadsOff(state, &commands);
  AddLooks(state, &commands);
  AddWindow(state, &commands);
  AddNamed(state, &commands);
  return commands;
}

std::vector<Command> FindCommands(std::vector<Command> commands, std::string_view typed) {
  const std::string low = Lowered(typed);
  std::erase_if(commands, [&low](const Command& command) { return Match(command.name, low) == 0; });
  std::ranges::stable_partition(
      commands, [&low](const Command& command) { return Match(command.name, low) == 2; });
  return commands;
}

}  // namespace headscope
