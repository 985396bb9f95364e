#include "core/heads/flags/flags.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

namespace headscope {
namespace {

constexpr std::size_t kUndoSteps = 200;

void Put(FlagSheet* sheet, HeadIndex head, const std::optional<HeadFlag>& flag) {
  std::erase_if(sheet->flags, [head](const HeadFlag& other) { return HeadOf(other) == head; });
  if (flag) {
    const auto after = std::ranges::upper_bound(sheet->flags, FlagOrder(*flag), {}, FlagOrder);
    sheet->flags.insert(after, *flag);
  }
}

void Remember(FlagSheet* sheet, FlagStep step) {
  sheet->undo.push_back(std::move(step));
  if (sheet->undo.size() > kUndoSteps) {
    sheet->undo.erase(sheet->undo.begin());
  }
  sheet->redo.clear();
}

bool Change(FlagSheet* sheet, HeadIndex head, std::optional<HeadFlag> flag) {
  const HeadFlag* now = FindEntry(*sheet, head);
  std::optional<HeadFlag> before = now != nullptr ? std::optional(*now) : std::nullopt;
  if (before == flag) {
    return false;
  }
  Put(sheet, head, flag);
  FlagStep step;
  step.changes.push_back({.head = head, .before = std::move(before), .after = std::move(flag)});
  Remember(sheet, std::move(step));
  return true;
}

using SideOfChange = std::optional<HeadFlag> FlagChange::*;
// Takes the last step from one list to the other, and one side of its changes into the sheet.
bool GoOver(std::vector<FlagStep>* from,
            std::vector<FlagStep>* to,
            SideOfChange side,
            FlagSheet* sheet) {
  if (from->empty()) {
    return false;
  }
  to->push_back(std::move(from->back()));
  from->pop_back();
  for (const FlagChange& change : to->back().changes) {
    Put(sheet, change.head, change.*side);
  }
  return true;
}

}  // namespace

HeadIndex HeadOf(const HeadFlag& flag) {
  return {flag.layer, flag.head, flag.part};
}

const HeadFlag* FindEntry(const FlagSheet& sheet, HeadIndex head) {
  const auto found = std::ranges::find(sheet.flags, head, HeadOf);
  return found != sheet.flags.end() ? &*found : nullptr;
}

const HeadFlag* FindFlag(const FlagSheet& sheet, HeadIndex head) {
  const HeadFlag* const entry = FindEntry(sheet, head);
  return entry != nullptr && !entry->role.empty() ? entry : nullptr;
}

std::vector<HeadFlag> OnlyFlags(const std::vector<HeadFlag>& entries) {
  std::vector<HeadFlag> flags = entries;
  std::erase_if(flags, [](const HeadFlag& entry) { return entry.role.empty(); });
  return flags;
}

bool SetFlag(FlagSheet* sheet, const HeadFlag& flag) {
  const bool says_nothing = flag.role.empty() && flag.rejected.empty();
  return says_nothing ? RemoveFlag(sheet, HeadOf(flag)) : Change(sheet, HeadOf(flag), flag);
}

bool RemoveFlag(FlagSheet* sheet, HeadIndex head) {
  const HeadFlag* const entry = FindEntry(*sheet, head);
  if (entry == nullptr || entry->rejected.empty()) {
    return Change(sheet, head, std::nullopt);
  }
  HeadFlag rest{.layer = head.layer, .head = head.head, .part = head.part};
  rest.rejected = entry->rejected;
  return Change(sheet, head, std::move(rest));
}

bool RejectRole(FlagSheet* sheet, HeadIndex head, const RejectedRole& rejected) {
  const HeadFlag* const before = FindEntry(*sheet, head);
  HeadFlag entry = before != nullptr
                       ? *before
                       : HeadFlag{.layer = head.layer, .head = head.head, .part = head.part};
  std::erase_if(entry.rejected,
                [&](const RejectedRole& other) { return other.role == rejected.role; });
  entry.rejected.push_back(rejected);
  return Change(sheet, head, std::move(entry));
}

bool TakeBackRejection(FlagSheet* sheet, HeadIndex head, const std::string& role) {
  const HeadFlag* const before = FindEntry(*sheet, head);
  if (before == nullptr) {
    return false;
  }
  HeadFlag entry = *before;
  std::erase_if(entry.rejected, [&](const RejectedRole& other) { return other.role == role; });
  if (entry.rejected.empty() && entry.role.empty()) {
    return Change(sheet, head, std::nullopt);
  }
  return Change(sheet, head, std::move(entry));
}

const RejectedRole* FindRejection(const FlagSheet& sheet, HeadIndex head, std::string_view role) {
  const HeadFlag* const entry = FindEntry(sheet, head);
  if (entry == nullptr) {
    return nullptr;
  }
  const auto found = std::ranges::find(entry->rejected, role, &RejectedRole::role);
  return found != entry->rejected.end() ? &*found : nullptr;
}

void TakeImport(FlagSheet* sheet,
                const std::vector<FlagChange>& changes,
                const std::optional<SharedFlags>& shared) {
  for (const FlagChange& change : changes) {
    Put(sheet, change.head, change.after);
  }
  if (shared) {
    sheet->shared.push_back(*shared);
  }
  Remember(sheet, {.changes = changes, .shared = shared});
}

bool ForgetShared(FlagSheet* sheet, std::string_view id) {
  return std::erase_if(sheet->shared, [id](const SharedFlags& one) { return one.id == id; }) > 0;
}

bool Undo(FlagSheet* sheet) {
  if (!GoOver(&sheet->undo, &sheet->redo, &FlagChange::before, sheet)) {
    return false;
  }
  if (const auto& shared = sheet->redo.back().shared) {
    // The last of them: a file may have come twice.
    const auto last = std::ranges::find(sheet->shared.rbegin(), sheet->shared.rend(), *shared);
    if (last != sheet->shared.rend()) {
      sheet->shared.erase(std::next(last).base());
    }
  }
  return true;
}

bool Redo(FlagSheet* sheet) {
  if (!GoOver(&sheet->redo, &sheet->undo, &FlagChange::after, sheet)) {
    return false;
  }
  if (const auto& shared = sheet->undo.back().shared) {
    sheet->shared.push_back(*shared);
  }
  return true;
}

std::string NamesOf(const std::vector<HeadIndex>& heads) {
  constexpr std::size_t kMost = 6;
  std::string names;
  for (std::size_t i = 0; i < heads.size(); ++i) {
    if (i == kMost && heads.size() > kMost + 1) {
      return names + fmt::format(" and {} more", heads.size() - kMost);
    }
    const bool is_last = i + 1 == heads.size();
    names += (i == 0 ? "" : is_last ? " and " : ", ") + HeadName(heads[i]);
  }
  return names;
}

}  // namespace headscope
