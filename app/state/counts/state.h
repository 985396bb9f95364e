// What the state holds of the tree of head counts: how layers are cut, what is selected beside the
// selected head, and what was measured between parents and children. What follows from it:
// app/state/counts/head_tree.h.
//
// Threads  UI thread; results are shared and immutable.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/state/asked.h"

namespace headscope {

// Head `head` of those that a layer is cut into.
struct CountHead {
  std::int64_t heads = 1;
  std::int64_t head = 0;
  friend bool operator==(const CountHead&, const CountHead&) = default;
};

// What is asked about heads of one count and those of another.
struct LineageQuestion {
  std::shared_ptr<const LayerAttention> parents;
  std::shared_ptr<const LayerAttention> children;
  std::vector<std::int64_t> parent_of;
  bool adds_up = false;
  friend bool operator==(const LineageQuestion&, const LineageQuestion&) = default;
};
struct LineageAnswer {
  LineageQuestion question;
  LineageReady found;
  std::string fault;  // why nothing is, in a sentence
};

// The numbers beside the switches, as they stand in their fields.
enum class CutField { kCounts, kHeadDim, kScale, kOtherHeadDim, kOtherValueDim };
struct CutTexts {
  std::string counts;    // head counts beside 1, 2, 4, ...: "3, 6"
  std::string head_dim;  // columns a head; empty: the usual ones
  std::string scale;     // of the input; empty: 1
  std::string fault;     // of what was typed last, in a sentence
  // Widths of the layer as it is counted and not made; empty: as they are.
  std::string other_head_dim;
  std::string other_value_dim;
};

// What is asked of the worker is about its heads.
struct HeadTreeState : Asking {
  SplitRequest how;  // asked for; head_counts: those beside the usual ones
  CutTexts texts;
  SplitRequest wanted_how;                // of Counts::wanted
  SplitRequest how_made;                  // of Counts::result
  std::shared_ptr<const SplitTree> tree;  // of the counts that are there; null: none
  std::optional<LineageQuestion> wanted;
  // What was measured of the same layer and text so far, each way to cut it once, the newest last:
  // numbers without maps.
  std::vector<std::shared_ptr<const SplitResult>> measured;
  std::vector<LineageAnswer> answers;  // of the counts that are there; the newest last
  std::optional<CountHead> pinned;     // compared with in place of the parent
  bool largest_first = false;          // heads by their divergence, else in their order
  double curve_scale = 0.01;         // of the input, where the curve of equal weights is looked at
  std::int64_t zeroed_of = 0;        // the count whose heads these are
  std::vector<std::int64_t> zeroed;  // heads that write 0, ascending
  bool is_in_full = false;           // the selected map alone, with its tokens
};

}  // namespace headscope
