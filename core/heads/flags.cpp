#include "core/heads/flags.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/format.h>

namespace headscope {
namespace {

constexpr std::size_t kUndoSteps = 200;

void Put(FlagSheet* sheet, HeadIndex head, const std::optional<HeadFlag>& flag) {
  std::erase_if(sheet->flags, [head](const HeadFlag& other) { return HeadOf(other) == head; });
  if (flag) {
    const auto order = [](const HeadFlag& each) {
      return std::tuple(each.part, each.layer, each.head);
    };
    const auto after = std::ranges::upper_bound(sheet->flags, order(*flag), {}, order);
    sheet->flags.insert(after, *flag);
  }
}

bool Change(FlagSheet* sheet, HeadIndex head, std::optional<HeadFlag> flag) {
  const HeadFlag* now = FindEntry(*sheet, head);
  std::optional<HeadFlag> before = now != nullptr ? std::optional(*now) : std::nullopt;
  if (before == flag) {
    return false;
  }
  Put(sheet, head, flag);
  sheet->undo.push_back({.head = head, .before = std::move(before), .after = std::move(flag)});
  if (sheet->undo.size() > kUndoSteps) {
    sheet->undo.erase(sheet->undo.begin());
  }
  sheet->redo.clear();
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
  return flag.role.empty() ? RemoveFlag(sheet, HeadOf(flag)) : Change(sheet, HeadOf(flag), flag);
}

bool RemoveFlag(FlagSheet* sheet, HeadIndex head) {
  const HeadFlag* const entry = FindEntry(*sheet, head);
  if (entry == nullptr || entry->rejected.empty()) {
    return Change(sheet, head, std::nullopt);
  }
  HeadFlag rest{.layer = head.layer, .head = head.head, .role = {}, .colour = {}, .note = {}};
  rest.part = head.part;
  rest.rejected = entry->rejected;
  return Change(sheet, head, std::move(rest));
}

bool RejectRole(FlagSheet* sheet, HeadIndex head, const RejectedRole& rejected) {
  const HeadFlag* const before = FindEntry(*sheet, head);
  HeadFlag entry =
      before != nullptr
          ? *before
          : HeadFlag{.layer = head.layer, .head = head.head, .role = {}, .colour = {}, .note = {}};
  entry.part = head.part;
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

bool Undo(FlagSheet* sheet) {
  if (sheet->undo.empty()) {
    return false;
  }
  FlagChange change = std::move(sheet->undo.back());
  sheet->undo.pop_back();
  Put(sheet, change.head, change.before);
  sheet->redo.push_back(std::move(change));
  return true;
}

bool Redo(FlagSheet* sheet) {
  if (sheet->redo.empty()) {
    return false;
  }
  FlagChange change = std::move(sheet->redo.back());
  sheet->redo.pop_back();
  Put(sheet, change.head, change.after);
  sheet->undo.push_back(std::move(change));
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
