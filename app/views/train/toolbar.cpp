// Knobs for the next training run: those that one turns often in the toolbar, the rest in a menu.
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <imgui.h>

#include "app/views/kit/flow.h"
#include "app/views/kit/popups.h"
#include "app/views/panels.h"
#include "app/views/train/panels.h"

namespace headscope {
namespace {

constexpr std::array<SegmentChoice, 2> kTasks = {{
    {"Copy", "Repeated blocks of random symbols: what induction heads are for"},
    {"Mixture", "Four things to learn in one row: heads must differ"},
}};
constexpr std::array<SegmentChoice, 2> kLayerChoices = {{
    {"1 layer", "One layer never gets an induction head"},
    {"2 layers", "The first finds the token before, the second what followed it"},
}};

constexpr std::array<SegmentChoice, 2> kShown = {{
    {"Runs", "Each run in a column of its own, with the maps of its heads"},
    {"Curves", "All runs by their number of heads, the mean over seeds with its error"},
}};

// A choice of one of several numbers.
template <std::size_t kCount>
struct NumberKnob {
  const char* id;
  const char* heading;  // in the menu
  std::array<double, kCount> values;
  std::array<SegmentChoice, kCount> choices;
};

constexpr NumberKnob<5> kHeadsKnob = {"train heads",
                                      "",
                                      {1, 2, 4, 8, 16},
                                      {{{"h 1", "One head as wide as the model"},
                                        {"2", "Heads of 32 columns"},
                                        {"4", "Heads of 16 columns"},
                                        {"8", "Heads of 8 columns"},
                                        {"16", "Heads of 4 columns"}}}};
constexpr NumberKnob<3> kRateKnob = {
    "train rate",
    "",
    {1e-3, 3e-3, 1e-2},
    {{{"rate .001", "Slow"}, {".003", "The usual one"}, {".01", "Fast; it may not hold"}}}};
constexpr NumberKnob<4> kNoiseKnob = {"train noise",
                                      "",
                                      {0.0, 1e-4, 1e-3, 1e-2},
                                      {{{"noise 0", "Alike for ever"},
                                        {".0001", "A thousandth of the first weights"},
                                        {".001", "A hundredth of them"},
                                        {".01", "A tenth of them"}}}};
constexpr NumberKnob<4> kHeadDimKnob = {
    "train head dim",
    "Columns of a head",
    {0, 4, 16, 64},
    {{{"64 shared by all heads", ""}, {"4 each", ""}, {"16 each", ""}, {"64 each", ""}}}};
constexpr NumberKnob<3> kSpreadKnob = {
    "train spread",
    "Spread of the first weights",
    {0.02, 0.1, 0.3},
    {{{".02, near 0", ""}, {".1, as usual", ""}, {".3, large", ""}}}};
constexpr NumberKnob<3> kDisagreementKnob = {
    "train disagreement",
    "Push heads apart: what is held against maps that are alike",
    {0.0, 0.03, 0.1},
    {{{"nothing", ""}, {".03, a little", ""}, {".1, much", ""}}}};

// Returns the value that is chosen now, if one is.
template <std::size_t kCount>
std::optional<double> DrawNumberKnob(Flow* flow, const NumberKnob<kCount>& knob, double now) {
  const auto found = std::ranges::find(knob.values, now);
  const auto place = static_cast<int>(found - knob.values.begin());
  const int pressed = flow->Segments(knob.id, knob.choices, place);
  return pressed >= 0 ? std::optional(knob.values[static_cast<std::size_t>(pressed)])
                      : std::nullopt;
}

// The same in the menu, below its heading.
template <std::size_t kCount>
double DrawMenuKnob(Ui* ui, const NumberKnob<kCount>& knob, double now) {
  Heading(ui, knob.heading);
  std::vector<std::string> names;
  for (const SegmentChoice& choice : knob.choices) {
    names.emplace_back(choice.text);
  }
  const auto found = std::ranges::find(knob.values, now);
  const int pressed =
      DialogChoices(ui, knob.id, names, static_cast<int>(found - knob.values.begin()));
  return pressed >= 0 ? knob.values[static_cast<std::size_t>(pressed)] : now;
}

struct TrainSwitch {
  const char* id;
  const char* text;
  const char* tooltip;
  bool TrainKnobs::*value;
};
constexpr TrainSwitch kAlikeSwitch = {
    "train alike", "Alike", "All heads of a layer begin with the same weights", &TrainKnobs::alike};
constexpr std::array<TrainSwitch, 6> kTrainSwitches = {{
    {"train ones",
     "All ones",
     "Every weight of the blocks' matrices begins as 1",
     &TrainKnobs::ones},
    {"train segments",
     "Own segments",
     "A head reads its own d / h columns of the layer's input; else all of them",
     &TrainKnobs::own_segments},
    {"train mlp", "MLP", "An MLP in each block: another way to learn", &TrainKnobs::mlp},
    {"train tied", "Tied", "The output matrix is the embedding", &TrainKnobs::tied},
    {"train sinusoids", "Sinusoids", "Positions are waves that stay", &TrainKnobs::sinusoids},
    {"train period",
     "One period",
     "Blocks of one length: solved by position, without an induction head",
     &TrainKnobs::fixed_period},
}};

constexpr const char* kSegmentsClash =
    "Heads that read segments of their own cannot begin alike: switch the other off first";

// How many knobs of the menu stand elsewhere than at first.
std::int64_t KnobsTurned(const TrainKnobs& now) {
  const TrainKnobs usual;
  std::int64_t turned = static_cast<std::int64_t>(now.head_dim != usual.head_dim) +
                        static_cast<std::int64_t>(now.spread != usual.spread) +
                        static_cast<std::int64_t>(now.disagreement != usual.disagreement);
  for (const TrainSwitch& one : kTrainSwitches) {
    turned += static_cast<std::int64_t>(now.*one.value);
  }
  return turned;
}

}  // namespace

void DrawTrainMenu(Ui* ui) {
  const TrainKnobs now = ui->state.train.knobs;
  TrainKnobs knobs = now;
  const double width = DrawMenuKnob(ui, kHeadDimKnob, static_cast<double>(now.head_dim));
  knobs.head_dim = static_cast<std::int64_t>(width);
  knobs.spread = DrawMenuKnob(ui, kSpreadKnob, now.spread);
  knobs.disagreement = DrawMenuKnob(ui, kDisagreementKnob, now.disagreement);
  Heading(ui, "On or off");
  for (const TrainSwitch& one : kTrainSwitches) {
    const bool clashes = one.value == &TrainKnobs::own_segments && now.alike;
    if (MenuRow(ui, one.id, one.text, clashes ? kSegmentsClash : one.tooltip, now.*one.value) &&
        !clashes) {
      knobs.*one.value = !(now.*one.value);
    }
  }
  if (knobs != now) {
    ui->Do(SetTrainKnobs{knobs});
  }
  ImGui::Dummy({1.0F, ui->Px(2.0F)});
  if (DialogButton(ui, "Close", false)) {
    ui->Do(ClosePopup);
  }
}

float DrawTrainToolbar(Ui* ui, const Rect& area) {
  Flow flow(ui, area);
  const TrainScreenState& train = ui->state.train;
  const TrainKnobs& now = train.knobs;
  TrainKnobs knobs = now;
  if (const int task = flow.Segments("train task", kTasks, static_cast<int>(now.task)); task >= 0) {
    knobs.task = static_cast<TrainTask>(task);
  }
  if (const auto heads = DrawNumberKnob(&flow, kHeadsKnob, static_cast<double>(now.heads))) {
    knobs.heads = static_cast<std::int64_t>(*heads);
  }
  if (const int layers =
          flow.Segments("train layers", kLayerChoices, static_cast<int>(now.layers) - 1);
      layers >= 0) {
    knobs.layers = layers + 1;
  }
  knobs.rate = DrawNumberKnob(&flow, kRateKnob, now.rate).value_or(now.rate);
  if (flow.Button("train seed",
                  {.text = fmt::format("seed {}", now.seed),
                   .tooltip = "Another draw of first weights and batches"})) {
    knobs.seed = now.seed % 9 + 1;
  }
  if (flow.Button(kAlikeSwitch.id,
                  {.text = kAlikeSwitch.text,
                   .tooltip = now.own_segments ? kSegmentsClash : kAlikeSwitch.tooltip,
                   .active = now.alike,
                   .enabled = !now.own_segments})) {
    knobs.alike = !now.alike;
  }
  if (now.alike) {
    knobs.noise = DrawNumberKnob(&flow, kNoiseKnob, now.noise).value_or(now.noise);
  }
  const std::int64_t turned = KnobsTurned(now);
  flow.PopupButton(
      "train more",
      {.text = turned > 0 ? fmt::format("More knobs ({} turned) ▾", turned) : "More knobs ▾",
       .tooltip = "Columns of a head, spread of the first weights, pushing heads apart, all ones, "
                  "own segments, MLP, tied, sinusoids, one period",
       .active = turned > 0},
      Popup::kTrainMore);
  if (knobs != now) {
    ui->Do(SetTrainKnobs{knobs});
  }
  if (flow.Button("train start",
                  {.text = "Train",
                   .tooltip = "Begins a run with these knobs; up to four stand side by side",
                   .primary = true})) {
    ui->Do(BeginTraining{});
  }
  if (flow.Button("train four",
                  {.text = "h = 1, 4, 8, 16",
                   .tooltip = "Four runs side by side that differ in the number of heads alone"})) {
    ui->Do(BeginTraining{{1, 4, 8, 16}});
  }
  const std::string kept = fmt::format("Kept {}", train.kept.runs.size());
  std::vector<SegmentChoice> choices(kShown.begin(), kShown.end());
  if (!train.kept.runs.empty() || train.kept.is_shown) {
    choices.push_back({kept.c_str(), "Runs on disk: stopped, closed or ended, to go on with"});
  }
  const int shown = flow.Segments("train shown",
                                  choices,
                                  train.kept.is_shown     ? 2
                                  : train.curves.is_shown ? 1
                                                          : 0);
  if (shown == 2) {
    ui->Do(ShowKeptRuns{});
  } else if (shown >= 0) {
    ui->Do(ShowTrainCurves{shown == 1});
  }
  return flow.height();
}

}  // namespace headscope
