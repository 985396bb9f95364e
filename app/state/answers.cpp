#include "app/state/answers.h"

#include <algorithm>

#include <fmt/format.h>

#include "app/state/queries.h"
#include "core/base/grouped.h"
#include "core/headcount/split.h"
#include "core/headcount/walk.h"

namespace headscope {
namespace {

// What is known of the layer in view; null where it is another model's or text's.
struct Known {
  const StackDescription* stack = nullptr;
  const SplitResult* counts = nullptr;
  const LayerWalk* walk = nullptr;
};

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
      "Yes. W_Q of L{}H{} has a row for each of the {} inputs; {} of them are not nought (lengths "
      "{:.3g} to {:.3g}). How much each is used stands beside the walk.",
      walk.layer.layer,
      walk.head,
      use.size(),
      used,
      least,
      most);
}

std::string WhatChanges(const Known& known) {
  if (known.counts == nullptr || known.counts->counts.size() < 2) {
    return "Not the parameters and not the multiplications: the stacked matrices stay as they "
           "are. It changes the result, since each head has a softmax of its own." +
           std::string(kMeasure);
  }
  const SplitCount& first = known.counts->counts.front();
  const SplitCount& last = known.counts->counts.back();
  std::string words = fmt::format(
      "Layer {} has {} parameters in its attention from {} to {}. Multiplications: {} and {}. "
      "Softmax cells grow from {} to {}.",
      known.counts->layer,
      Grouped(first.parameters),
      Count(first),
      Count(last),
      Grouped(first.multiplies),
      Grouped(last.multiplies),
      Grouped(first.softmax_cells),
      Grouped(last.softmax_cells));
  const auto moved = std::ranges::max_element(
      known.counts->counts, {}, [](const SplitCount& count) { return count.output_difference; });
  if (moved->is_measured && moved->output_difference > 0.0) {
    words += fmt::format(
        " The result changes: at {} the layer's output moves by {:.3f} of its length from that of "
        "the trained {} heads.",
        Count(*moved),
        moved->output_difference,
        known.counts->trained_heads);
  }
  if (first.is_measured && last.is_measured) {
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
  std::string words =
      "Before training no choice is better: the columns of a matrix have no order of their own, "
      "and training fills whichever a head is given. Cut anew after training, other columns mix "
      "what the heads had kept apart.";
  if (known.counts == nullptr || known.counts->request.segments == SegmentKind::kContiguous) {
    return words + std::string(kMeasure);
  }
  for (const SplitCount& count : known.counts->counts) {
    if (count.heads == known.counts->trained_heads && count.is_measured) {
      words += fmt::format(
          " In layer {}, {} heads of {} columns move the output by {:.3f} of its length.",
          known.counts->layer,
          count.heads,
          Name(known.counts->request.segments),
          count.output_difference);
    }
  }
  return words;
}

std::string MustDivide(const Known& known) {
  std::string words =
      "No. d / h is a habit that keeps the cost the same: a head may have any width, and W_O takes "
      "what all heads give together.";
  if (known.stack != nullptr) {
    words += fmt::format(" Here d is {}, and {} heads have {} columns each: {} together.",
                         known.stack->model_dim,
                         known.stack->heads,
                         known.stack->head_dim,
                         known.stack->heads * known.stack->head_dim);
  }
  return words + " In Counts the field \"h too\" takes counts that do not divide.";
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
    words += fmt::format(" {} and its match {} lie furthest apart, {:.3f} nats of 0.693.",
                         HeadName({furthest->layer, furthest->pair.a, comparison.part_a}),
                         HeadName({furthest->layer, furthest->pair.b, comparison.part_b}),
                         *furthest->pair.divergence);
  }
  return words;
}

SplitRequest Cut(SegmentKind segments) {
  SplitRequest how;
  how.segments = segments;
  return how;
}

}  // namespace

std::vector<Answer> AnswersOf(const AppState& state) {
  Known known;
  const ModelInfo* model = ShownModel(state);
  if (model != nullptr && model->file == nullptr) {
    known.stack = &StackOf(model->description, PartInView(state));
    if (state.counts.source_of.model.get() == model) {
      known.counts = state.counts.result.get();
    }
    const Attendance* picture = PictureInView(state);
    const auto& of = state.walk.of;
    if (picture != nullptr && of &&
        std::ranges::find(picture->layers, of->layer) != picture->layers.end()) {
      known.walk = state.walk.walk.get();
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
       {ShowWalk{false}, CutAs{Cut(SegmentKind::kContiguous)}}},
      {"Are the heads one loop or one product?",
       LoopOrProduct(known),
       "See both ways",
       "counts",
       {ShowWalk{true}, ShowStage{WalkStage::kConcatenate}}},
      {"Would strided, random or overlapping columns do better?",
       OtherColumns(known),
       "Cut it strided",
       "counts",
       {ShowWalk{false}, CutAs{Cut(SegmentKind::kStrided)}}},
      {"Must h divide d?",
       MustDivide(known),
       "Cut it into 3 and 5 too",
       "counts",
       {ShowWalk{false}, EditCut{CutField::kCounts, "3, 5"}}},
      {"What do two models, sentences or checkpoints do differently?",
       TwoOfAnything(state),
       "Set two side by side",
       "compare",
       {}},
  };
}

}  // namespace headscope
