// Lists what opens: each "model_type" of a config.json, its layout, and what of the program does not
// work on it.
//
// Threads  pure.
// Cost     each family's example is described once: about a millisecond in all.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headscope {

struct OpenedType {
  std::string_view type;           // "gemma3_text"
  std::string_view layout;         // the family's id, as `info` says it: "gemma2"
  std::vector<std::string> parts;  // "decoder"; "encoder", "decoder", "cross"
  // What does not work on it and why: {"ablate", "it predicts no next token"}.
  std::vector<std::pair<std::string, std::string>> why_not;
};

// Sorted by type.
[[nodiscard]] std::vector<OpenedType> ListTypes();

}  // namespace headscope
