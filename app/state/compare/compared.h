// Questions that the views and the reducer ask of two things side by side.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/state/queries.h"

namespace headscope {

// What can be compared now; none: no side B is chosen, or no picture is whole.
[[nodiscard]] std::optional<CompareState::Question> QuestionNow(const AppState& state);
// Whether the result is of what is open, typed and chosen now.
[[nodiscard]] bool IsCompared(const AppState& state);

// A head of side A with the one of side B that it goes with.
struct ComparedHeads {
  const LayerComparison* layer = nullptr;  // null: the two do not share this layer
  HeadIndex head;
  std::optional<std::int64_t> other;  // none: it has no partner
  bool by_hand = false;
  std::optional<double> divergence;  // nats; none: no partner, or no row counts
};
[[nodiscard]] ComparedHeads ComparedAt(const AppState& state, HeadIndex head);
[[nodiscard]] ComparedHeads SelectedPair(const AppState& state);
// All pairs, those that differ most first; what was paired by hand, too.
[[nodiscard]] std::vector<ComparedHeads> FurthestPairs(const AppState& state);

// The result with what was paired by hand in place of the matching, and a note of it; there is a result.
[[nodiscard]] Comparison ComparisonAsShown(const AppState& state);

// "gpt-h8", and its text where the two sides read different ones: "gpt-h8 “the old ...”".
[[nodiscard]] std::string NameOfA(const AppState& state);
[[nodiscard]] std::string NameOfB(const AppState& state);

// The part of the selected pair's maps that the zoom shows, and the one to be made for it. None: the
// whole is as fine.
[[nodiscard]] std::optional<PairPart> PartNeeded(const AppState& state);
// What is drawn of the selected pair: the part, where it is there; else the whole, or null.
[[nodiscard]] std::shared_ptr<const PairMaps> MapsInView(const AppState& state);

// The comparisons that are offered where none is chosen.
struct ComparisonOffer {
  std::string title;
  std::string about;
  ComparedSide other;
};
[[nodiscard]] std::vector<ComparisonOffer> OffersOf(const AppState& state);

// The bundled model that is open, or of which a checkpoint is; null: neither.
[[nodiscard]] const ModelChoice* BundledOf(const AppState& state);

}  // namespace headscope
