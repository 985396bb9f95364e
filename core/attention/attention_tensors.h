// Which arrays of a file are attention, and of what part and layer each is.
//
// Shapes   each part: layers of [H, n, m], all alike, as views into the file. In the file: one
//          array [L, H, n, m] (or [L, 1, H, n, m], or [H, n, m] for a single layer, or a square
//          [n, n] for a single head), or one [H, n, m] or [1, H, n, m] for each layer, with names
//          that differ in a number only.
// Errors   kFormat, kShape, kUnsupported; each names the file and the array.
// Threads  any.
// Cost     no number is read.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/part_heads.h"
#include "core/io/array_file.h"

namespace headscope {

inline constexpr std::int64_t kMostGivenMaps = 65'536;  // of all heads of a part together

struct GivenPart : PartHeads {
  std::string name = {};                 // as messages say it: "attention"
  std::vector<TensorView> tensors = {};  // of each layer, [H, n, m]
  std::int64_t queries = 0;
  std::int64_t keys = 0;
  bool causal = false;  // cells after the query are masked; as long as nobody has looked, none are
  // Of each layer, how many keys a query sees; 0: no window.
  std::vector<std::int64_t> windows = {};
};

// `chosen`: the array to show where there are several; empty: the one called "attention", or those
// called "encoder", "decoder" and "cross", or the only one there is. `name`: the file, in messages.
// Of each part `layers` has the numbers that names of arrays say, or none.
[[nodiscard]] Result<std::vector<GivenPart>> FindAttention(const ArrayFile& file,
                                                           const std::string& chosen,
                                                           const std::string& name);

}  // namespace headscope
