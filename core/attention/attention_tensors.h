// Finds which arrays of a file are attention, and the part and layer of each.
//
// Shapes   each part: layers of [H, n, m], all of one shape, as views into the file. In the file:
//          one array [L, H, n, m] (or [L, 1, H, n, m], or [H, n, m] for a single layer, or a square
//          [n, n] for a single head), or one [H, n, m] or [1, H, n, m] per layer, with names that
//          differ only in a number.
// Errors   kFormat, kShape, kUnsupported; each names the file and the array.
// Cost     no number is read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/part_heads.h"
#include "core/io/array_file.h"

namespace headscope {

inline constexpr std::int64_t kMostGivenMaps = 65'536;  // in all heads of a part together

struct GivenPart : PartHeads {
  std::string name = {};                 // for messages: "attention"
  std::vector<TensorView> tensors = {};  // one per layer, [H, n, m]
  std::optional<TensorView> sinks = {};  // [L, H, n], what each row lacks of 1; none: nothing
  std::int64_t queries = 0;
  std::int64_t keys = 0;
  bool causal = false;  // cells after the query are masked; false until checked
  // For each layer, how many keys a query sees; 0: no window.
  std::vector<std::int64_t> windows = {};
};

// `chosen` is the array to show if there are several; empty: the one called "attention", or the
// ones called "encoder", "decoder" and "cross", or the only one. `name` is the file, for messages.
// `layers` of each part gets the numbers in the names of arrays, if any.
[[nodiscard]] Result<std::vector<GivenPart>> FindAttention(const ArrayFile& file,
                                                           const std::string& chosen,
                                                           const std::string& name);

}  // namespace headscope
