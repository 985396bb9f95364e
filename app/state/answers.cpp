#include "app/state/answers.h"

#include <algorithm>

#include <fmt/format.h>

#include "app/state/counts/tree_words.h"
#include "app/state/heads/across.h"
#include "app/state/heads/own_probe.h"
#include "app/state/heads/scores.h"
#include "app/state/heads/series_words.h"
#include "app/state/queries.h"
#include "core/base/counted.h"
#include "core/base/digits.h"
#include "core/base/grouped.h"
#include "core/headcount/split.h"
#include "core/headcount/walk.h"
#include "core/heads/scan/roles.h"
#include "core/model/head_widths.h"

namespace headscope {
namespace {

// What is known of the layer in view; null where it is another model's, layer's or text's. What was
// measured is the newest of its kind.
struct Known {
  const StackDescription* stack = nullptr;
  const SplitResult* trained = nullptr;  // the model's weights on its text, columns contiguous
  const SplitResult* columns = nullptr;  // the same, other columns
  const SplitResult* equal = nullptr;    // every weight 1
  const SplitResult* begun = nullptr;    // step 0, or random weights
  const LayerWalk* walk = nullptr;
  bool has_step_zero = false;
};

// "Layer 5 as it was trained, its columns contiguous, on this text".
std::string OfTrained(const SplitResult& split) {
  return fmt::format("Layer {} as it was trained, its columns contiguous, on this text",
                     split.layer);
}

constexpr std::string_view kMeasure = " The button measures it on the open model.";

std::string Count(const SplitCount& count) {
  return fmt::format("h = {}", count.heads);
}

std::string Projected(const Known& known) {
  if (known.walk == nullptr) {
    return "Projected. Each head multiplies the whole embedding by matrices of its own, W_Q, W_K "
           "and W_V, and gets a few columns; what is laid side by side are those columns, not "
           "pieces of the embedding." +
           std::string(kMeasure);
  }
  const LayerWalk& walk = *known.walk;
  return fmt::format(
      "Projected. In L{}H{} the whole embedding of {} numbers is multiplied by a matrix of its "
      "own, [{}, {}], for queries, and by two more for keys and values; what is laid side by side "
      "are the {} columns that come out, not pieces of the embedding.",
      walk.layer.layer,
      walk.head,
      walk.model_dim,
      walk.query.own.rows,
      walk.query.own.cols,
      walk.query.own.cols);
}

std::string SeesAll(const Known& known) {
  if (known.walk == nullptr) {
    return "Yes: its matrices have a row for every input." + std::string(kMeasure);
  }
  const LayerWalk& walk = *known.walk;
  const std::vector<float>& use = walk.query.use;
  const auto used = std::ranges::count_if(use, [](float length) { return length > 0.0F; });
  const auto [least, most] = std::ranges::minmax(use);
  return fmt::format(
      "Yes. W_Q of L{}H{} has a row for each of the {} inputs; {} of them are not zero (lengths "
      "{:.3g} to {:.3g}). How much each is used stands beside the walk.",
      walk.layer.layer,
      walk.head,
      use.size(),
      used,
      least,
      most);
}

std::string WhatChanges(const Known& known) {
  if (known.trained == nullptr || known.trained->counts.size() < 2) {
    return "Not the parameters and not the multiplications: the stacked matrices stay as they "
           "are. It changes the result, since each head has a softmax of its own." +
           std::string(kMeasure);
  }
  const SplitCount& first = known.trained->counts.front();
  const SplitCount& last = known.trained->counts.back();
  std::string words = fmt::format(
      "{}: {} parameters in its attention from {} to {}. Multiplications: {} and {}. Softmax cells "
      "grow from {} to {}.",
      OfTrained(*known.trained),
      Grouped(first.parameters),
      Count(first),
      Count(last),
      Grouped(first.multiplies),
      Grouped(last.multiplies),
      Grouped(first.softmax_cells),
      Grouped(last.softmax_cells));
  const auto moved = std::ranges::max_element(
      known.trained->counts, {}, [](const SplitCount& count) { return count.output_difference; });
  if (moved->is_measured && moved->output_difference > 0.0) {
    words += fmt::format(
        " The result changes: at {} the layer's output differs by {} from that of the trained "
        "{} heads.",
        Count(*moved),
        PercentOf(moved->output_difference),
        known.trained->trained_heads);
  }
  if (first.is_measured && last.is_measured && first.IsTimeKnown() && last.IsTimeKnown()) {
    words += fmt::format(" One run takes {:.2f} ms at {} and {:.2f} ms at {} on this machine.",
                         first.milliseconds,
                         Count(first),
                         last.milliseconds,
                         Count(last));
  }
  return words;
}

std::string LoopOrProduct(const Known& known) {
  if (known.walk == nullptr) {
    return "One product: all heads' matrices stand side by side in one, and a reshape gives each "
           "head its columns. A loop over heads gives the same numbers but for rounding." +
           std::string(kMeasure);
  }
  return fmt::format(
      "One product: [{} × {}] by [{} × {}], then a reshape. Layer {} was computed both ways, "
      "stacked and head by head: the largest difference of any number is {:.1e}, which is "
      "rounding.",
      known.walk->shape.queries,
      known.walk->model_dim,
      known.walk->query.weight.rows,
      known.walk->query.weight.cols,
      known.walk->layer.layer,
      known.walk->difference);
}

std::string OtherColumns(const Known& known) {
  const SplitCount* const count =
      known.columns != nullptr ? CountOf(*known.columns, known.columns->trained_heads) : nullptr;
  if (count == nullptr || !count->is_measured) {
    return "Cut anew after training, other columns mix what the heads had kept apart: how far the "
           "output moves and how many heads that differ are left, Counts measures, of trained "
           "weights and of those that training began with." +
           std::string(kMeasure);
  }
  return fmt::format("Layer {} as it was trained, on this text, with {}. {}",
                     known.columns->layer,
                     fmt::join(ChangesOf(known.columns->request), "; "),
                     MovedWords(*known.columns, *count));
}

std::string EqualWeights(const Known& known) {
  if (known.equal == nullptr || known.equal->scales.empty()) {
    return "All heads of a layer are one head then: the same queries, keys and values. What h "
           "still changes is the scale of the scores, and whether that shows depends on the input: "
           "scores of ordinary numbers are so large that each row takes one token whatever h is; a "
           "smaller input leaves rows between one token and all, and there h counts." +
           std::string(kMeasure);
  }
  return fmt::format("Layer {}. {} Rows between one token and all are where h counts.",
                     known.equal->layer,
                     EqualWords(*known.equal));
}

std::string BeforeTraining(const Known& known) {
  const SplitCount* const count =
      known.begun != nullptr ? CountOf(*known.begun, known.begun->trained_heads) : nullptr;
  if (count == nullptr || !count->is_measured) {
    return (known.has_step_zero
                ? std::string("This model has its own step 0 beside it: its first weights, reading "
                              "the same text.")
                : std::string(
                      "This model has no step 0 beside it: random weights of variance 1/d "
                      "can stand in this layer alone, which is not how a training begins.")) +
           std::string(kMeasure);
  }
  std::string words = fmt::format("Layer {}, on this text: {}. {}",
                                  known.begun->layer,
                                  fmt::join(ChangesOf(known.begun->request), "; "),
                                  ApartWords(*count));
  const SplitCount* const trained =
      known.trained != nullptr ? CountOf(*known.trained, known.trained->trained_heads) : nullptr;
  if (trained != nullptr && trained->is_measured) {
    words += " As it was trained: " + ApartWords(*trained);
  }
  return words;
}

std::string MustDivide(const Known& known) {
  std::string words =
      "No. d / h is a habit that keeps the cost the same: a head may have any width, and W_O takes "
      "what all heads give together.";
  if (known.stack != nullptr && !HasWidthsOfLayers(*known.stack)) {
    words += fmt::format(" Here d is {}, and {} heads have {} columns each: {} together.",
                         known.stack->model_dim,
                         known.stack->heads,
                         known.stack->head_dim,
                         known.stack->heads * known.stack->head_dim);
  }
  return words + " In Counts \"Also try h\" takes counts that do not divide.";
}

std::string TwoOfAnything(const AppState& state) {
  std::string words =
      "Compare sets what is open beside another model, sentence or checkpoint, matches the heads "
      "that look alike, and lists those that differ most.";
  if (state.compare.result == nullptr) {
    return words;
  }
  const Comparison& comparison = state.compare.result->comparison;
  words += fmt::format(" Made last: {} beside {}.", comparison.a, comparison.b);
  if (const auto furthest = LargestOf(comparison)) {
    words += fmt::format(" {} and its match {} lie furthest apart, {} nats of 0.693.",
                         HeadName({furthest->layer, furthest->pair.a, comparison.part_a}),
                         HeadName({furthest->layer, furthest->pair.b, comparison.part_b}),
                         WithDigits(*furthest->pair.divergence));
  }
  return words;
}

// "0.12 ± 0.01 at step 0, 0.31 ± 0.01 at the end of training" of those steps that are measured: the
// first, the last, and some between.
std::string TellSteps(const std::vector<SeriesModel>& steps,
                      const std::vector<AcrossRow>& rows,
                      AcrossQuantity of) {
  constexpr std::size_t kMostTold = 7;
  const auto& columns = AllAcrossColumns();
  const AcrossColumn& column = *std::ranges::find(columns, of, &AcrossColumn::of);
  std::vector<std::string> measured;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (const auto& number = rows[i].Of(of)) {
      measured.push_back(fmt::format(
          "{} at {}", AcrossText(column, number), PlaceWords(SeriesKind::kCheckpoints, steps[i])));
    }
  }
  const std::size_t count = std::min(measured.size(), kMostTold);
  std::string told;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t place = i == 0 ? 0 : i * (measured.size() - 1) / (count - 1);
    told += (i > 0 ? ", " : "") + measured[place];
  }
  return told;
}

// Of the open model's kept steps: how far its heads lie apart at each, and how many of them count; how
// to find out, where they are not measured; empty: it has none.
std::string OverItsSteps(const AppState& state) {
  const std::vector<SeriesModel>& steps = ModelsOf(state.series.there, SeriesKind::kCheckpoints);
  if (steps.size() < 2) {
    return "";
  }
  std::vector<AcrossRow> rows;
  for (const SeriesModel& step : steps) {
    rows.push_back(RowOfStep(state, step));
  }
  const std::string apart = TellSteps(steps, rows, AcrossQuantity::kDivergence);
  std::string words;
  if (!apart.empty()) {
    words = fmt::format(
        " Over this model's own training its heads lie apart, the mean divergence from the others of "
        "their layer, by {}; 0.693 nats is the most.",
        apart);
    const std::string effective = TellSteps(steps, rows, AcrossQuantity::kEffective);
    if (!effective.empty()) {
      words +=
          fmt::format(" A layer's {} heads are worth so many different ones (effective heads): {}.",
                      state.model->description.heads,
                      effective);
    }
  }
  if (state.series.request != 0) {
    const auto done = std::ranges::count_if(steps, [&](const SeriesModel& step) {
      return Answers(FindScanned(state.series, step), true);
    });
    return words + fmt::format(" Its {} are being measured, {} of them so far.",
                               Counted(std::ssize(steps), "kept step"),
                               done);
  }
  return !words.empty() ? words
                        : fmt::format(
                              " This model has {} of its own training: in Heads, Series of “how "
                              "different from its layer” measures how far they lie apart at each.",
                              Counted(std::ssize(steps), "kept step"));
}

std::string BecomeDifferent(const AppState& state, const Known& known) {
  std::string words =
      "They begin different: their weights are drawn at random. Heads with equal weights would get "
      "equal gradients and stay equal for ever. Training then moves each towards what the others do "
      "not do yet; nothing forces them apart, so some end alike." +
      OverItsSteps(state);
  const SplitCount* const trained =
      known.trained != nullptr ? CountOf(*known.trained, known.trained->trained_heads) : nullptr;
  return trained != nullptr && trained->is_measured
             ? words + fmt::format(" Layer {} on this text: ", known.trained->layer) +
                   ApartWords(*trained)
             : words;
}

std::string TrainingChanges(const AppState& state) {
  std::string words =
      "What each head looks at, and when it begins to: some roles rise slowly, induction at once, "
      "after a head for the token before. Series scans the checkpoints that lie beside the model, one after "
      "another.";
  const std::string why = WhyNoSeries(state);
  return why.empty() ? words : words + " " + why;
}

std::string WhatIsASink(const AppState& state) {
  std::string words =
      "The token that a head rests on when a row asks for nothing it does: the softmax has to put "
      "its 1 somewhere. Mostly it is the first token, [CLS] or [SEP]; it says little about the "
      "text. Some models have a score of their own for it, which is no token's.";
  const HeadScanReport* const report = RolesInView(state);
  if (report == nullptr) {
    return words;
  }
  std::int64_t resting = 0;
  for (const Suggestion* const one : AllSuggestions(*report)) {
    resting += one->role == "separator" ? 1 : 0;
  }
  return words + fmt::format(" Of this model's {}, the scan suggests {} that mostly rest so.",
                             Counted(static_cast<std::int64_t>(CountScanned(*report)), "head"),
                             resting);
}

// What a button asks: of the model as it is trained, on its text, but for what it is about.
Action AskCut(SegmentKind segments, SplitWeights weights = SplitWeights::kTrained) {
  SplitRequest how;
  how.segments = segments;
  how.weights = weights;
  return CutAs{how, true};
}

void Take(const SplitResult& split, Known* known) {
  const SplitRequest& request = split.request;
  const bool is_contiguous = request.segments == SegmentKind::kContiguous;
  if (request.UsesLayer()) {
    (is_contiguous ? known->trained : known->columns) = &split;
  } else if (request.weights == SplitWeights::kOnes) {
    known->equal = &split;
  } else if (request.weights != SplitWeights::kTrained) {
    known->begun = &split;
  }
}

}  // namespace

std::vector<Answer> AnswersOf(const AppState& state) {
  Known known;
  const ModelInfo* model = ShownModel(state);
  if (model != nullptr && model->file == nullptr) {
    known.stack = &StackOf(model->description, PartInView(state));
    known.has_step_zero = !model->step_zero.empty();
    const LayerView now = SelectedLayer(state);
    const bool is_of_this = state.counts.source_of.model.get() == model && now.layer != nullptr &&
                            now.layer == state.counts.source && !now.outdated;
    if (is_of_this) {
      for (const auto& measured : state.tree.measured) {
        Take(*measured, &known);
      }
      Take(*state.counts.result, &known);
    }
    const Attendance* picture = PictureInView(state);
    const auto& of = state.walk.of;
    if (picture != nullptr && of &&
        std::ranges::find(picture->layers, of->layer) != picture->layers.end()) {
      known.walk = state.walk.answer.get();
    }
  }
  return {
      {"Is the embedding cut in pieces, or projected?",
       Projected(known),
       "See the projection",
       "counts",
       {ShowWalk{true}, ShowStage{WalkStage::kProject}}},
      {"Does every head see all of it?",
       SeesAll(known),
       "See how much it uses",
       "counts",
       {ShowWalk{true}, ShowStage{WalkStage::kWidth}}},
      {"Does h change the parameters, the cost, the result?",
       WhatChanges(known),
       "See the tree and its cost",
       "counts",
       {ShowWalk{false}, AskCut(SegmentKind::kContiguous)}},
      {"Are the heads one loop or one product?",
       LoopOrProduct(known),
       "See both ways",
       "counts",
       {ShowWalk{true}, ShowStage{WalkStage::kConcatenate}}},
      {"Would strided, random or overlapping columns do better?",
       OtherColumns(known),
       "Cut it strided",
       "counts",
       {ShowWalk{false}, AskCut(SegmentKind::kStrided)}},
      {"Must h divide d?",
       MustDivide(known),
       "Cut it into 3 and 5 too",
       "counts",
       {ShowWalk{false}, AskCut(SegmentKind::kContiguous), EditCut{CutField::kCounts, "3, 5"}}},
      {"With every weight set to 1 the result does not change with h: what do heads do?",
       EqualWeights(known),
       "Set every weight to 1",
       "counts",
       {ShowWalk{false}, AskCut(SegmentKind::kContiguous, SplitWeights::kOnes)}},
      {"What are the heads before training?",
       BeforeTraining(known),
       known.has_step_zero ? "Go to step 0" : "Draw random weights",
       "counts",
       {ShowWalk{false},
        AskCut(SegmentKind::kContiguous,
               known.has_step_zero ? SplitWeights::kStepZero : SplitWeights::kRandom)}},
      {"How are heads made different, and do they stay so?",
       BecomeDifferent(state, known),
       "Train heads, and watch",
       "train",
       state.train.runs.empty()
           ? std::vector<Action>{ShowTrainCurves{false}, SetTrainKnobs{}, BeginTraining{}}
           : std::vector<Action>{ShowTrainCurves{false}}},
      {"What does training change?",
       TrainingChanges(state),
       "See its checkpoints",
       "heads",
       {SetHeadsView{HeadsView::kSeries}}},
      {"What is a sink?",
       WhatIsASink(state),
       "See the heads that rest",
       "inspect",
       {SetGridLook{
           GridLook{.order = GridOrder::kName, .role = "separator", .flags = {}, .least = {}}}}},
      {"What do two models, sentences or checkpoints do differently?",
       TwoOfAnything(state),
       "Set two side by side",
       "compare",
       {}},
  };
}

}  // namespace headscope
