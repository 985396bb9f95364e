// Models in a row: which they are, what was found of each, and what that says in plain words.
//
// Threads  UI thread; reports are shared and immutable.
// Cost     a look at every head of one metric of every model.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/state/heads/scores.h"
#include "app/state/heads/state.h"

namespace headscope {

struct AppState;

[[nodiscard]] const std::vector<SeriesModel>& ModelsOf(const ModelSeries& series, SeriesKind kind);
// The chosen one; where that does not exist, the first that does. Across head counts, those.
[[nodiscard]] SeriesKind SeriesKindInView(const AppState& state);
// Why there is neither and what to open, in a sentence; empty: there is one, or nobody looked yet.
[[nodiscard]] std::string WhyNoSeries(const AppState& state);

// What is to be scanned for what is shown; none: nothing, or not known yet.
[[nodiscard]] std::optional<SeriesState::Question> SeriesQuestion(const AppState& state);
// What was found of a model; null: nothing yet.
[[nodiscard]] const ModelScanned* FindScanned(const SeriesState& series, const SeriesModel& model);
// Whether that is all that is asked for; that it has no scan is an answer, too.
[[nodiscard]] bool Answers(const ModelScanned* scanned, bool with_measures);

// One model of the series in view, and the chosen metric of it.
struct SeriesScore {
  const SeriesModel* model = nullptr;
  const ModelScanned* scanned = nullptr;        // null: not scanned yet
  std::optional<ScoredMetric> metric = {};      // none: no head of it has a score
  [[nodiscard]] const HeadScore* best() const;  // null: likewise
};
[[nodiscard]] std::vector<SeriesScore> ScoresInSeries(const AppState& state,
                                                      std::string_view metric);

// "step 300", "the end of training", "4 heads"
[[nodiscard]] std::string PlaceWords(SeriesKind kind, const SeriesModel& model);
// "300", "trained", "4"
[[nodiscard]] std::string PlaceLabel(SeriesKind kind, const SeriesModel& model);
// "steps of training", "heads in a layer"
[[nodiscard]] std::string AcrossWords(SeriesKind kind);
// "induction, best head of each: 0.02 at step 0, 0.95 at the end of training. It rises most between
// step 300 (0.11) and step 400 (0.71)."
[[nodiscard]] std::string SeriesWords(SeriesKind kind, std::span<const SeriesScore> scores);
// "copy-h8/step-400: not scanned yet."
[[nodiscard]] std::string GapWords(const SeriesScore& score);
// The models that have no scan, and why; empty: there are none.
[[nodiscard]] std::string FaultWords(std::span<const SeriesScore> scores);

// How far the scan of a series is: the part that is done, "3 of 8 models done, 12 s left",
// and "scanning copy-h8/step-400, " with that.
[[nodiscard]] double SeriesPartDone(const AppState& state);
[[nodiscard]] std::string SeriesDoneWords(const AppState& state);
[[nodiscard]] std::string ScanningSeriesWords(const AppState& state);

}  // namespace headscope
