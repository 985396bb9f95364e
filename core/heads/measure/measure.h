// What can be measured of a head by other means than its rows of attention one by one
// (core/heads/measure/metric.h): by its weights, by what it adds, by how its rows compare with others'. One
// file each in core/heads/measure/measures; numbers to look at, none of them decides a role.
//
// A new one is a file there: NAME.cpp defines `std::vector<HeadMeasure> NameMeasures()`. Those
// that need the attention of whole runs bring a reader; others are added by who has what they need,
// under their id.
//
// Threads  immutable; any thread reads. Readers: the forward's.
// Source   docs/reference.md, "score"; each one's own.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/heads/measure/head_means.h"
#include "core/heads/measure/heads_of_scan.h"
#include "core/heads/measure/metric.h"
#include "core/model/forward.h"

namespace headscope {

// The ids of measures whose numbers are computed elsewhere.
inline constexpr const char* kNearestHead = "nearest_head";  // core/heads/measure/head_pairs.h
inline constexpr const char* kEigenvalueCopying =
    "copying";  // core/heads/effect/eigenvalue_copying.h
inline constexpr const char* kKeyComposition =
    "k_composition";  // core/heads/effect/key_composition.h
// Tables of words, "token_map:NAME" (core/heads/effect/token_maps.h).
inline constexpr std::array<std::string_view, 4> kTokenMaps = {
    "plural", "successor", "capital", "past"};
[[nodiscard]] std::string TokenMapId(std::string_view map);

// Texts of one length that are run side by side.
struct RunOfTexts {
  std::span<const ProbeSequence* const> texts;
  std::int64_t layers = 0;
  std::int64_t heads = 0;
  std::int64_t keys = 0;  // of each row, where they are not of the texts; 0: they are
  [[nodiscard]] std::int64_t KeyCount() const { return keys > 0 ? keys : texts.front()->tokens(); }
};

class RunReader : public LayerObserver, public AttentionObserver {
 public:
  // After the run.
  virtual void AddTo(HeadMeans* means) const = 0;
};

struct HeadMeasure : HeadNumber {
  HeadMeasure() { group = NumberGroup::kMeasure; }

  bool has_rows = true;             // else a number of the head as it is, and no text has a part
  bool is_over_layer_mean = false;  // the score is the head's mean over that of its layer's heads
  // Made of maps, which every part has; others are not measured of a decoder and cross-attention.
  bool is_of_maps = false;
  std::string_view why_not_cross = {};  // of heads of cross-attention, where it is of maps
  std::string_view partner_key = {};    // in files, where it is of a head and another one
  // Null: nothing of this run counts.
  std::function<std::unique_ptr<RunReader>(const RunOfTexts& run)> reader = {};
};

// In the order of their places.
[[nodiscard]] std::span<const HeadMeasure> AllMeasures();
// Null: there is none.
[[nodiscard]] const HeadMeasure* FindMeasure(std::string_view id);

// Returns one score per head; empty scores where nothing was measured.
[[nodiscard]] std::vector<HeadScore> MeasureScores(const HeadMeasure& measure,
                                                   const MeanTotals& means,
                                                   const HeadsOfScan& heads);

}  // namespace headscope
