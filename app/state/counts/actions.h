// What a person does with a layer's head counts, and with the walk through it. Part of
// app/state/actions.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/state/action.h"

namespace headscope {

struct SelectLayer {
  std::int64_t layer = 0;
  void Do(Reducer* reducer) const;
};
struct SelectCount {
  std::int64_t heads = 0;
  std::int64_t head = 0;
  void Do(Reducer* reducer) const;
};
struct CutAs {  // other columns, weights or input
  SplitRequest how;
  bool is_all = false;  // what was typed beside the switches goes: counts, columns a head, scale
  void Do(Reducer* reducer) const;
};
struct EditCut {
  CutField field = CutField::kCounts;
  std::string text;
  void Do(Reducer* reducer) const;
};
using PinCount = Set<&AppState::tree, &HeadTreeState::pinned>;  // none: the parent again
using SortSeparated = Set<&AppState::tree, &HeadTreeState::largest_first>;
// Heads of that count that write 0, ascending; another count keeps all of its own.
struct ZeroHeads {
  std::int64_t count = 0;
  std::vector<std::int64_t> heads;
  void Do(Reducer* reducer) const;
};
using ShowCurveAt = Set<&AppState::tree, &HeadTreeState::curve_scale>;
using ShowInFull = Set<&AppState::tree, &HeadTreeState::is_in_full>;

// --- from one head to h heads
using ShowWalk = Set<&AppState::walk, &WalkState::is_open>;  // in place of the head counts
using ShowStage = Set<&AppState::walk, &WalkState::stage>;

}  // namespace headscope
