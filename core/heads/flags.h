// The flags that a person gives heads, with undo and redo.
//
// Threads  plain values.
// Cost     undo keeps the last 200 changes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/model_part.h"
#include "core/heads/head_name.h"

namespace headscope {

struct HeadFlag {
  std::int64_t layer = 0;
  std::int64_t head = 0;
  std::string role;    // "positional", "syntactic", ... (core/heads/role.h) or a person's own word
  std::string colour;  // "#56B4E9", or empty
  std::string note;
  ModelPart part = ModelPart::kWhole;
  std::string unknown_json = {};  // as SessionFile's
  friend bool operator==(const HeadFlag&, const HeadFlag&) = default;
};

// A change of one head's flag; none: the head has no flag.
struct FlagChange {
  HeadIndex head;
  std::optional<HeadFlag> before;
  std::optional<HeadFlag> after;
};

struct FlagSheet {
  std::vector<HeadFlag> flags;  // sorted by part, layer, head; all of heads that the model has
  std::vector<FlagChange> undo;
  std::vector<FlagChange> redo;
};

[[nodiscard]] HeadIndex HeadOf(const HeadFlag& flag);
[[nodiscard]] const HeadFlag* FindFlag(const FlagSheet& sheet, HeadIndex head);
// Sets, changes or (with an empty role) removes the flag of a head; one step of undo. Returns
// whether anything changed.
bool SetFlag(FlagSheet* sheet, const HeadFlag& flag);
bool RemoveFlag(FlagSheet* sheet, HeadIndex head);
bool Undo(FlagSheet* sheet);
bool Redo(FlagSheet* sheet);

// "L1H2", "L1H2 and L3H0"; of more than seven the first six, "and 7 more".
[[nodiscard]] std::string NamesOf(const std::vector<HeadIndex>& heads);

}  // namespace headscope
