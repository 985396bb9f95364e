// What a person does with a layer's head counts, and with the walk through it. Part of
// app/state/actions.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "app/state/counts/state.h"
#include "app/state/walk/state.h"

namespace headscope {

struct SelectLayer {
  std::int64_t layer = 0;
};
struct SelectCount {
  std::int64_t heads = 0;
  std::int64_t head = 0;
};
struct CutAs {  // other columns, weights or input
  SplitRequest how;
  bool is_all = false;  // what was typed beside the switches goes: counts, columns a head, scale
};
struct EditCut {
  CutField field = CutField::kCounts;
  std::string text;
};
struct PinCount {  // none: the parent again
  std::optional<CountHead> head;
};
struct SetTreeLook {
  bool largest_first = false;
  bool is_in_full = false;
  bool is_unfolded = false;
};

// --- from one head to h heads
struct ShowWalk {  // in place of the head counts
  bool open = true;
};
struct ShowStage {
  WalkStage stage = WalkStage::kWidth;
};

}  // namespace headscope
