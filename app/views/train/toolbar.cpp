// Knobs for the next training run.
#include <algorithm>
#include <array>
#include <string>

#include <fmt/format.h>

#include "app/views/kit/flow.h"
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

// A choice of one of several numbers.
template <std::size_t kCount>
struct NumberKnob {
  const char* id;
  const char* tooltip;
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
constexpr NumberKnob<4> kHeadDimKnob = {
    "train head dim",
    "",
    {0, 4, 16, 64},
    {{{"d/h", "Columns of a head: the model's width shared by all"},
      {"4", "Four columns, whatever h is"},
      {"16", "16 columns, whatever h is"},
      {"64", "64 columns, whatever h is"}}}};
constexpr NumberKnob<3> kRateKnob = {
    "train rate",
    "",
    {1e-3, 3e-3, 1e-2},
    {{{"rate .001", "Slow"}, {".003", "The usual one"}, {".01", "Fast; it may not hold"}}}};
constexpr NumberKnob<3> kSpreadKnob = {"train spread",
                                       "",
                                       {0.02, 0.1, 0.3},
                                       {{{"spread .02", "First weights near 0"},
                                         {".1", "The usual one"},
                                         {".3", "Large first weights"}}}};
constexpr NumberKnob<3> kDisagreementKnob = {
    "train disagreement",
    "",
    {0.0, 0.03, 0.1},
    {{{"apart 0", "Nothing is held against heads whose maps are alike"},
      {".03", "A little is: heads that learn the same stay apart"},
      {".1", "Much is: heads part before they learn"}}}};
constexpr NumberKnob<4> kNoiseKnob = {"train noise",
                                      "",
                                      {0.0, 1e-4, 1e-3, 1e-2},
                                      {{{"noise 0", "Alike for ever"},
                                        {".0001", "A thousandth of the first weights"},
                                        {".001", "A hundredth of them"},
                                        {".01", "A tenth of them"}}}};

// Returns the value that is chosen now, if one is.
template <std::size_t kCount>
std::optional<double> DrawNumberKnob(Flow* flow, const NumberKnob<kCount>& knob, double now) {
  const auto found = std::ranges::find(knob.values, now);
  const auto place = static_cast<int>(found - knob.values.begin());
  const int pressed = flow->Segments(knob.id, knob.choices, place);
  return pressed >= 0 ? std::optional(knob.values[static_cast<std::size_t>(pressed)])
                      : std::nullopt;
}

struct TrainSwitch {
  const char* id;
  const char* text;
  const char* tooltip;
  bool TrainKnobs::*value;
};
constexpr std::array<TrainSwitch, 7> kTrainSwitches = {{
    {"train alike",
     "Alike",
     "All heads of a layer begin with the same weights",
     &TrainKnobs::alike},
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

}  // namespace

float DrawTrainToolbar(Ui* ui, const Rect& area) {
  Flow flow(ui, area);
  const TrainKnobs& now = ui->state.train.knobs;
  TrainKnobs knobs = now;
  if (const int task = flow.Segments("train task", kTasks, static_cast<int>(now.task)); task >= 0) {
    knobs.task = static_cast<TrainTask>(task);
  }
  if (const auto heads = DrawNumberKnob(&flow, kHeadsKnob, static_cast<double>(now.heads))) {
    knobs.heads = static_cast<std::int64_t>(*heads);
  }
  if (const auto width = DrawNumberKnob(&flow, kHeadDimKnob, static_cast<double>(now.head_dim))) {
    knobs.head_dim = static_cast<std::int64_t>(*width);
  }
  if (const int layers =
          flow.Segments("train layers", kLayerChoices, static_cast<int>(now.layers) - 1);
      layers >= 0) {
    knobs.layers = layers + 1;
  }
  knobs.rate = DrawNumberKnob(&flow, kRateKnob, now.rate).value_or(now.rate);
  knobs.spread = DrawNumberKnob(&flow, kSpreadKnob, now.spread).value_or(now.spread);
  knobs.disagreement =
      DrawNumberKnob(&flow, kDisagreementKnob, now.disagreement).value_or(now.disagreement);
  if (flow.Button("train seed",
                  {.text = fmt::format("seed {}", now.seed),
                   .tooltip = "Another draw of first weights and batches"})) {
    knobs.seed = now.seed % 9 + 1;
  }
  for (const TrainSwitch& one : kTrainSwitches) {
    const bool clashes = (one.value == &TrainKnobs::alike && now.own_segments) ||
                         (one.value == &TrainKnobs::own_segments && now.alike);
    if (flow.Button(
            one.id,
            {.text = one.text,
             .tooltip = clashes ? "Heads that read segments of their own cannot begin alike: "
                                  "switch the other off first"
                                : one.tooltip,
             .active = now.*one.value,
             .enabled = !clashes})) {
      knobs.*one.value = !(now.*one.value);
    }
  }
  if (now.alike) {
    knobs.noise = DrawNumberKnob(&flow, kNoiseKnob, now.noise).value_or(now.noise);
  }
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
  return flow.height();
}

}  // namespace headscope
