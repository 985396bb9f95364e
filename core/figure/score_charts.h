// The charts of scores of heads, for the Heads screen and for figures.
//
// Threads  plain values; what is given is read during the call.
// Cost     a look at every head of the scores shown.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/attention/relative_position.h"
#include "core/compare/head_places.h"
#include "core/figure/chart.h"
#include "core/heads/flags/head_suggestions.h"
#include "core/heads/scan/ablated_heads.h"
#include "core/heads/scan/scored_metric.h"

namespace headscope {

// Whose scores are drawn, and what is said of these heads.
struct HeadsDrawn {
  const HeadScanReport& report;
  HeadsOfScan heads;
  const HeadSuggestions& suggestions;
  const FlagSheet& flags;
  std::optional<HeadIndex> selected = {};
  std::function<bool(HeadIndex)> is_shown = {};  // none: every head is

  [[nodiscard]] bool Shows(HeadIndex head) const { return !is_shown || is_shown(head); }
};

// One score against another: a dot for each head, whose key is its place, and a grey cloud of the
// heads of twins. Both have a best head.
[[nodiscard]] Chart ScatterChart(const HeadsDrawn& drawn,
                                 const ScoredMetric& across,
                                 const ScoredMetric& up,
                                 const ThemeColors& colors);

// Heads placed by how alike they look on one text: a dot for each, whose key is its place among them, as
// long a unit along both axes. `is_shown`, none: every head is.
[[nodiscard]] Chart AlikeChart(const HeadPlaces& places,
                               const HeadSuggestions& suggestions,
                               const FlagSheet& flags,
                               std::optional<HeadIndex> selected,
                               const std::function<bool(HeadIndex)>& is_shown,
                               const ThemeColors& colors);
// What the places are, how much of the distances they show, and over how many rows they were taken.
[[nodiscard]] std::string AlikeWords(const HeadPlaces& places);

// A model of a series, in its order.
struct SeriesPoint {
  std::string label;
  std::optional<ScoredMetric> metric = {};  // none: no head of it has a score
  bool is_open = false;                     // marked as the one that is open
};
// A head of one of the models.
struct SeriesDot {
  std::size_t model = 0;
  HeadIndex head;
  std::size_t place = 0;
};
struct SeriesChart {
  Chart chart;
  std::vector<SeriesDot> dots;  // what the keys of its dots stand for
};
// `across`: what the models are told apart by. `is_training`: heads are the same from model to model, so
// that the selected one is followed. None: no model has a score.
[[nodiscard]] std::optional<SeriesChart> MakeSeriesChart(std::span<const SeriesPoint> models,
                                                         std::string across,
                                                         bool is_training,
                                                         std::optional<HeadIndex> selected,
                                                         const ThemeColors& colors);

// A bar for each distance; keys after the row have no place where no row sees one.
[[nodiscard]] Chart DistanceChart(const RelativeAttention& shares, const ThemeColors& colors);
[[nodiscard]] std::size_t PlacesOfDistances(const RelativeAttention& shares);

// Each way to take a head away as a place: the head as a dot with its error, others of its layer as
// rings.
[[nodiscard]] Chart AblationChart(const AblationReport& report, const ThemeColors& colors);

}  // namespace headscope
