// Products of many outputs with rows of the input that lie in panels, those of one column side by side:
// each weight, as it lies, meets whole registers of them. Compiled for several instruction sets; at
// run time the widest usable one (instruction_set.h) is chosen.
//
// Shapes   panel [width, rows], weights [outputs, width], a stride apart (dot_tiles.h):
//          sums[output][row] += sum over k of panel[k][row] * weights[output][k].
// Errors   none.
// Threads  pure; a sum is the same however rows and outputs are cut.
// Cost     near the processor's peak while the weights stay in the second cache.
// Source   K. Goto, R. van de Geijn, "Anatomy of high-performance matrix multiplication", 2008.
#pragma once

#include <cstdint>
#include <span>

#include "core/compute/tile_block.h"

namespace headscope {

constexpr std::int64_t kMostPanelRegisters = 3;

struct PanelBlock {
  const float* panel = nullptr;
  std::int64_t registers = 0;  // of a column: rows / PanelForm::lanes, at most kMostPanelRegisters
  std::int64_t width = 0;
  const float* weights = nullptr;
  std::int64_t weight_stride = 0;
  std::int64_t outputs = 0;
  float* sums = nullptr;
  std::int64_t sums_stride = 0;
  NextRead next;
};

struct PanelForm {
  std::int64_t lanes = 0;  // rows of a register
  void (*add)(const PanelBlock& block) = nullptr;
};

// Returns all usable forms, the plainest first; the last is the fastest.
[[nodiscard]] std::span<const PanelForm> PanelForms();

}  // namespace headscope
