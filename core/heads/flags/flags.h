// The flags that a person gives heads, with undo and redo.
//
// Cost     undo keeps the last 200 steps.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/base/model_part.h"
#include "core/heads/measure/head_name.h"

namespace headscope {

// A role that was suggested for a head and that a person does not see in it.
struct RejectedRole {
  std::string role;
  std::string reason;
  friend bool operator==(const RejectedRole&, const RejectedRole&) = default;
};

// What a person says of a head: a role, or that it has not a role that was suggested, or both.
struct HeadFlag {
  std::int64_t layer = 0;
  std::int64_t head = 0;
  // "positional", "syntactic", ... (core/heads/flags/role.h) or a person's own word; empty if the head is
  // not flagged.
  std::string role = {};
  std::string colour = {};  // "#56B4E9", or empty
  std::string note = {};
  ModelPart part = ModelPart::kWhole;
  std::string unknown_json = {};  // as SessionFile's
  std::string evidence = {};      // the numbers that it was set with, in a sentence
  std::vector<RejectedRole> rejected = {};
  std::string author = {};  // who said so last
  std::string date = {};    // and on which day: "2026-11-23"
  friend bool operator==(const HeadFlag&, const HeadFlag&) = default;
};

// Flags that went into a file, or came from one.
enum class SharedBy { kExport, kImport, kOtherModel };
struct SharedFlags {
  std::string id;  // of the file (core/heads/flags/file.h)
  SharedBy by = SharedBy::kExport;
  std::string file = {};  // its name, for people
  std::string author;
  std::string date;
  std::string model_name;  // whose heads they are of
  std::vector<HeadFlag> flags;
  friend bool operator==(const SharedFlags&, const SharedFlags&) = default;
};

// A change of one head's flag; none: the head has no flag.
struct FlagChange {
  HeadIndex head;
  std::optional<HeadFlag> before;
  std::optional<HeadFlag> after;
};

// What one undo takes back: a change, or all that an import did.
struct FlagStep {
  std::vector<FlagChange> changes;
  std::optional<SharedFlags> shared = {};  // that came with it
};

struct FlagSheet {
  std::vector<HeadFlag> flags;      // sorted by part, layer, head; all of heads that the model has
  std::vector<SharedFlags> shared;  // the oldest first
  std::vector<FlagStep> undo;
  std::vector<FlagStep> redo;
};

[[nodiscard]] HeadIndex HeadOf(const HeadFlag& flag);
// Flags are sorted by this.
[[nodiscard]] inline auto FlagOrder(const HeadFlag& flag) {
  return std::tuple(flag.part, flag.layer, flag.head);
}
// All that is said of a head; null: nothing.
[[nodiscard]] const HeadFlag* FindEntry(const FlagSheet& sheet, HeadIndex head);
// The same where the head is flagged; else null.
[[nodiscard]] const HeadFlag* FindFlag(const FlagSheet& sheet, HeadIndex head);
// Keeps the entries that give a role.
[[nodiscard]] std::vector<HeadFlag> OnlyFlags(const std::vector<HeadFlag>& entries);
// Sets or changes what is said of a head, or (where that is nothing) removes its flag; one step of
// undo. Returns whether anything changed.
bool SetFlag(FlagSheet* sheet, const HeadFlag& flag);
// What was rejected stays.
bool RemoveFlag(FlagSheet* sheet, HeadIndex head);
// A role that was suggested is not the head's, or is not rejected any more; one step of undo.
bool RejectRole(FlagSheet* sheet, HeadIndex head, const RejectedRole& rejected);
bool TakeBackRejection(FlagSheet* sheet, HeadIndex head, const std::string& role);
[[nodiscard]] const RejectedRole* FindRejection(const FlagSheet& sheet,
                                                HeadIndex head,
                                                std::string_view role);
// What an import changes, and what it came from; one step of undo.
void TakeImport(FlagSheet* sheet,
                const std::vector<FlagChange>& changes,
                const std::optional<SharedFlags>& shared);
// Another model's flags are suggestions no more; no step of undo. Whether there were such.
bool ForgetShared(FlagSheet* sheet, std::string_view id);
bool Undo(FlagSheet* sheet);
bool Redo(FlagSheet* sheet);

// "L1H2", "L1H2 and L3H0"; of more than seven the first six, "and 7 more".
[[nodiscard]] std::string NamesOf(const std::vector<HeadIndex>& heads);

}  // namespace headscope
