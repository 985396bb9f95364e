// What stands as side B of a comparison.
//
// Threads  a value; any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "core/worker/model_input.h"

namespace headscope {

// What the picture is compared with: another model, another text, or both; or one of its own
// layers, cut into another number of heads.
struct ComparedSide {
  std::filesystem::path model;          // or a file of attention; empty: the open one
  std::optional<InputText> input = {};  // none: the picture's
  std::int64_t cut_heads = 0;           // 0: no cut; otherwise model and text are unchanged
  std::int64_t cut_layer = 0;
  friend bool operator==(const ComparedSide&, const ComparedSide&) = default;
};

}  // namespace headscope
