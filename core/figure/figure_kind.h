// The kinds of figures, one file each in core/figure/kinds. The window and the command line find
// them only through this header.
//
// A new kind is one new file NAME.cpp in that folder: it defines `const FigureKind kNameFigure` and
// a function that makes its Figure, either one of its own or a shared one (token_map.h, map_rows.h,
// chart_figure.h).
//
// Errors   kInput (a head or layer that does not exist), and those of core/figure/figure.h.
// Threads  any that may compute.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/attention/layer_attention.h"
#include "core/base/error.h"
#include "core/compare/compared_pair.h"
#include "core/figure/effect_map.h"
#include "core/figure/figure.h"
#include "core/figure/figure_context.h"
#include "core/figure/shown_scores.h"
#include "core/figure/token_lines.h"
#include "core/figure/training_curves.h"
#include "core/headcount/split.h"
#include "core/heads/effect/weighed_head.h"
#include "core/heads/measure/head_name.h"
#include "core/heads/measure/tree_answers.h"
#include "core/io/table.h"

namespace headscope {

struct FilmStrip;      // core/figure/film_strip.h
struct NextWord;       // core/causes/next_word.h
struct ShownLosses;    // core/figure/loss_chart.h
struct WeightChanges;  // core/compare/weight_changes.h

// What a figure shows: in the window what is on screen, on the command line what was asked for.
enum class FigureOf {
  kHead,        // render --head
  kLayer,       // render --layer
  kAll,         // render --all: all heads of one part of the model
  kCounts,      // split
  kComparison,  // compare
  kPair,        // two heads of a comparison: in the window only
  kScores,      // scores of all heads of a model
  kSeries,      // the same of several models
  kAblation,    // what a model loses without a head
  kEffects,     // patch: what heads do to a word
  kTraining,    // curves of trainings with several numbers of heads
  kWord,        // predict: what a model says at a row, and who raised it
  kLosses       // how well it said each token of the text
};

// Two heads of a comparison, both in the layer of that number.
struct HeadsBeside {
  std::shared_ptr<const ComparedPair> of;
  std::int64_t layer = 0;
  std::int64_t a = 0;
  std::int64_t b = 0;
  bool by_hand = false;  // chosen by the user instead of the matching
};

// What shades a text.
struct TextChoice {
  std::vector<std::int64_t> words = {};  // tokens, their sum; none: all of them, their mean
  bool by_key = false;                   // who looks at the words, not what they look at
};

// What was computed, and which part of it was chosen.
struct FigureSubject {
  // All of one part; ranges are measured over them.
  std::vector<std::shared_ptr<const LayerAttention>> layers;
  HeadIndex head;                             // or only its layer
  std::shared_ptr<const SplitResult> counts;  // only for kCounts
  FigureContext context;
  std::shared_ptr<const Comparison> comparison = {};    // only for kComparison and kPair
  std::shared_ptr<const WeightChanges> weights = {};    // only for the view of that name
  std::shared_ptr<const HeadsBeside> beside = {};       // only for kPair
  std::shared_ptr<const ShownScores> scores = {};       // only for kScores and kSeries
  std::shared_ptr<const AblationReport> ablation = {};  // only for kAblation
  std::shared_ptr<const EffectMap> effects = {};        // only for kEffects
  std::shared_ptr<const TrainingCurves> training = {};  // only for kTraining
  std::shared_ptr<const NextWord> word = {};            // only for kWord
  std::shared_ptr<const ShownLosses> losses = {};       // only for kLosses
  std::shared_ptr<const WeighedHead> weighed = {};      // only for kinds that weigh
  // Of the layer, for lines, arcs and text; none: `head` alone.
  std::vector<std::int64_t> heads = {};
  TextChoice text = {};                       // only for the view of that name
  std::shared_ptr<const TextTree> tree = {};  // arcs: the head beside this tree
  PairDirection tree_direction = PairDirection::kDependentToHead;
  std::shared_ptr<const FilmStrip> film = {};        // only for the view of that name
  std::map<std::string, std::string> metadata = {};  // stored in files of numbers that can hold it
};

// A data format in which a figure's numbers are written instead of a picture; or a page that draws them.
struct NumbersFormat {
  std::string_view ending;  // ".json"
  std::string_view name;    // "JSON"
  std::string_view start;   // what every such file holds from `start_at` on
  std::size_t start_at = 0;
  Status (*write)(const std::filesystem::path& path, const FigureSubject& subject) = nullptr;
  bool is_page = false;  // has a background
};

inline constexpr std::string_view kPlainView = "heatmap";
inline constexpr std::string_view kWeightsView = "weights";  // of kComparison, without a text

// Whether figures are of scores or losses, which the Heads screen shows.
[[nodiscard]] inline bool IsOfScores(FigureOf of) {
  return of == FigureOf::kScores || of == FigureOf::kSeries || of == FigureOf::kAblation;
}

struct FigureKind {
  FigureOf of = FigureOf::kHead;
  std::string_view view = kPlainView;  // --view: how it is shown
  Result<std::unique_ptr<Figure>> (*make)(const FigureSubject& subject) = nullptr;
  std::span<const NumbersFormat> numbers = {};
  // What it shows as a table; null: it shows none, or one that is too large to be copied.
  Result<Table> (*table)(const FigureSubject& subject) = nullptr;
  bool needs_layers_below = false;          // all of them, besides the subject's own
  std::optional<WeighedBy> weighs_by = {};  // of the subject's weighed head
};

// True if it shows two things side by side.
[[nodiscard]] inline bool IsOfTwo(const FigureKind& kind) {
  return kind.of == FigureOf::kComparison || kind.of == FigureOf::kPair;
}

// In the order of FigureOf; the plain view comes first in each.
[[nodiscard]] std::span<const FigureKind* const> AllFigureKinds();
// Returns null if there is none.
[[nodiscard]] const FigureKind* FindFigureKind(FigureOf of, std::string_view view = kPlainView);
// The available views: "heatmap" and any others.
[[nodiscard]] std::vector<std::string_view> ViewsOf(FigureOf of);

// Finds the format by the extension; null: the kind cannot be written as such numbers.
[[nodiscard]] const NumbersFormat* NumbersFormatOf(const FigureKind& kind,
                                                   const std::filesystem::path& path);
// Returns ".png, .pdf or .svg", with the extensions of the kind's numbers.
[[nodiscard]] std::string EndingsOf(const FigureKind& kind);

// Makes, draws and writes a figure as in core/figure/figure.h, or writes its numbers; the path's
// extension decides.
[[nodiscard]] Status WriteFigure(const std::filesystem::path& path,
                                 const FigureKind& kind,
                                 const FigureSubject& subject,
                                 const std::stop_token& stop = {});

// Returns the subject's scores. kInput: there are none.
[[nodiscard]] Result<std::shared_ptr<const ShownScores>> ScoresOf(const FigureSubject& subject);
// Returns the subject's layer of the chosen number.
[[nodiscard]] Result<std::shared_ptr<const LayerAttention>> LayerOf(const FigureSubject& subject);

// The subject's head with the tokens of its rows and columns. kInput: it does not exist.
struct NamedHead {
  MapView map;
  std::vector<std::string> query_tokens;
  std::vector<std::string> key_tokens;
};
[[nodiscard]] Result<NamedHead> SubjectHead(const FigureSubject& subject);
// The tokens' names, or their numbers where there are no names for all of them.
[[nodiscard]] std::vector<std::string> NamesOrNumbers(std::vector<std::string> names,
                                                      std::int64_t count);

// The heads of lines, arcs and text. kInput: one does not exist.
struct DrawnHeads {
  std::vector<MapView> maps;
  std::vector<LineInk> inks;  // of each: one has the accent's colour, several have their own
  std::string title;
};
[[nodiscard]] Result<DrawnHeads> SubjectHeads(const FigureSubject& subject);
// The names of several in their colours; none of a single one.
[[nodiscard]] std::vector<NamedInk> LegendOf(const DrawnHeads& heads);

}  // namespace headscope
