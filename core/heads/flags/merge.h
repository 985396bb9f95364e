// Another person's flags into one's own, three ways: what only one of the two changed since they
// last were the same is taken, what both changed to the same is one, and what both changed
// differently is a conflict that a person decides. Nothing is changed here.
//
// The flag of a head (role, note, colour) and each of its rejected roles are compared on their own.
//
// Source   docs/reference.md, "Files of flags".
#pragma once

#include <optional>
#include <vector>

#include "core/heads/flags/file.h"
#include "core/heads/flags/flags.h"

namespace headscope {

struct FlagConflict {
  HeadIndex head;
  HeadFlag mine;    // without a role: the flag was taken away
  HeadFlag theirs;  // likewise
};

// How a head's entry stands to that of the file.
struct FlagMerge {
  std::vector<HeadIndex> added;    // only they say something
  std::vector<HeadIndex> changed;  // only they changed it
  std::vector<HeadIndex> removed;  // only they took it away
  std::vector<HeadIndex> kept;     // only this side has it, or changed it
  std::vector<HeadIndex> same;     // both say the same
  std::vector<FlagConflict> conflicts;
  std::vector<FlagChange> changes;  // what is taken; heads in conflict stay as they are
};

// `base`: what both had; empty where nobody knows, so that whatever differs is a conflict.
[[nodiscard]] FlagMerge MergeFlags(const std::vector<HeadFlag>& base,
                                   const std::vector<HeadFlag>& mine,
                                   const std::vector<HeadFlag>& theirs);

// The flags that a file was made from, as far as these remember: an export of one's own that comes
// back, else the latest of those that went into it. Empty: none.
[[nodiscard]] std::vector<HeadFlag> BaseOf(const FlagFile& file,
                                           const std::vector<SharedFlags>& shared);

// All that an import then changes: what is taken, and their side of these conflicts.
[[nodiscard]] std::vector<FlagChange> ChangesOf(const FlagMerge& merge,
                                                const std::vector<HeadIndex>& theirs);

}  // namespace headscope
