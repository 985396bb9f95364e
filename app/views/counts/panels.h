// The parts of the panel at the right of Counts, and what they share with the toolbar.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "app/state/counts/tree_words.h"
#include "app/views/kit/pen.h"

namespace headscope {

// "h = 4, head 1".
[[nodiscard]] std::string CutName(const SplitCount& count, std::int64_t head);
// "h = 4, head 1: columns 96–191".
[[nodiscard]] std::string HeadOfWords(const SplitResult& split,
                                      std::size_t count,
                                      std::int64_t head);

// The selected head, and what it stands beside: its parent, or the one that is pinned.
struct PairBeside {
  TreeHead own;
  TreeHead beside;
  bool is_pinned = false;
};
[[nodiscard]] std::string NameOf(const AppState& state, TreeHead head);  // "h = 4, head 1"
[[nodiscard]] PairBeside PairOf(const AppState& state, TreeHead beside);

// "beside its parent" or "in full", and what the selected head is compared with.
void DrawBesideSwitch(Pen* pen);
// The selected map, the one beside it, their difference, what one sees, and the sum to check.
void DrawBeside(Pen* pen, TreeHead beside, bool dimmed);
// Where the two differ most, by how much after the softmax, and the sum to check.
void DrawSeen(Pen* pen, const PairBeside& pair);
// The dot products of a parent's children at the pointed cell, or where the selected head differs
// most.
void DrawSum(Pen* pen, const HeadFamily& family, const ParentDistance* distance);
// Which head the split separated: every child with its divergence from its parent.
void DrawSeparated(Pen* pen, const HeadFamily& family);

// A number that a person types, in a field of its own.
struct CutNumberField {
  CutField field = CutField::kCounts;
  const char* name = "";
  const std::string& text;
  std::string_view hint = {};
  const char* tooltip = "";
  std::size_t most_bytes = 120;
};
void DrawCutNumberField(Ui* ui, const Rect& place, const CutNumberField& field);

// What h changes at several scales of the input, where every weight is 1: a click chooses a scale.
// Nothing for other weights; with the room below it.
void DrawScales(Pen* pen, const SplitResult& result);

// A slider of the input's scale, and how far h moves the output there, over many draws. Nothing for
// other weights; with the room below it.
void DrawEqualCurve(Pen* pen, const SplitResult& result);

// The rank of the selected head's scores, and of each count's. With the room below it.
void DrawRank(Pen* pen, const SplitResult& result, const ChosenCount& chosen);

// Which heads of the selected count are kept, and what its output loses. With the room below it.
void DrawKept(Pen* pen, const SplitResult& result, const ChosenCount& chosen);

// The layer with other d_k and d_v: two fields, and what they change.
void DrawOtherWidths(Pen* pen);

// Makes the difference of two maps, own - beside, if it is not there yet.
void MakeDifference(TreeMemory* memory, const MapView& own, const MapView& beside);

}  // namespace headscope
