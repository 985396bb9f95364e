#include "core/heads/flags/merge.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace headscope {
namespace {

using ByHead = std::map<HeadIndex, const HeadFlag*>;

ByHead Index(const std::vector<HeadFlag>& flags) {
  ByHead by_head;
  for (const HeadFlag& flag : flags) {
    by_head.emplace(HeadOf(flag), &flag);
  }
  return by_head;
}

HeadFlag FlagMergeAt(const ByHead& flags, HeadIndex head) {
  if (const auto found = flags.find(head); found != flags.end()) {
    return *found->second;
  }
  return {.layer = head.layer, .head = head.head, .part = head.part};
}

// What a person said; numbers, names and days go with it.
bool SayTheSame(const HeadFlag& a, const HeadFlag& b) {
  return a.role == b.role && (a.role.empty() || (a.note == b.note && a.colour == b.colour));
}

// The flag of `from`, what is rejected of `to`.
HeadFlag WithFlagOf(const HeadFlag& from, const HeadFlag& to) {
  HeadFlag flag = from;
  flag.rejected = to.rejected;
  return flag;
}

bool IsNothing(const HeadFlag& flag) {
  return flag.role.empty() && flag.rejected.empty();
}

using Reasons = std::map<std::string, std::string>;

Reasons ReasonsOf(const HeadFlag& flag) {
  Reasons reasons;
  for (const RejectedRole& one : flag.rejected) {
    reasons.emplace(one.role, one.reason);
  }
  return reasons;
}

// Merges reasons role by role; where they differ, both are kept.
std::vector<RejectedRole> MergeRejected(const HeadFlag& base,
                                        const HeadFlag& mine,
                                        const HeadFlag& theirs) {
  const Reasons was = ReasonsOf(base);
  const Reasons ours = ReasonsOf(mine);
  const Reasons other = ReasonsOf(theirs);
  const auto at = [](const Reasons& reasons, const std::string& role) {
    const auto found = reasons.find(role);
    return found != reasons.end() ? std::optional(found->second) : std::nullopt;
  };
  std::vector<RejectedRole> merged;
  const auto add = [&](const std::string& role) {
    const bool is_done = std::ranges::find(merged, role, &RejectedRole::role) != merged.end();
    std::optional<std::string> reason = at(ours, role);
    const std::optional<std::string> their_reason = at(other, role);
    if (reason == at(was, role)) {
      reason = their_reason;
    } else if (reason && their_reason && *reason != *their_reason &&
               their_reason != at(was, role)) {
      *reason += "; " + *their_reason;
    }
    if (reason && !is_done) {
      merged.push_back({role, *reason});
    }
  };
  for (const HeadFlag* const side : {&mine, &theirs}) {
    for (const RejectedRole& one : side->rejected) {
      add(one.role);
    }
  }
  return merged;
}

std::optional<HeadFlag> Entry(HeadFlag flag) {
  return IsNothing(flag) ? std::nullopt : std::optional(std::move(flag));
}

}  // namespace

FlagMerge MergeFlags(const std::vector<HeadFlag>& base,
                     const std::vector<HeadFlag>& mine,
                     const std::vector<HeadFlag>& theirs) {
  const ByHead was = Index(base);
  const ByHead ours = Index(mine);
  const ByHead other = Index(theirs);
  std::set<HeadIndex> heads;
  for (const ByHead* const side : {&was, &ours, &other}) {
    for (const auto& [head, flag] : *side) {
      heads.insert(head);
    }
  }
  FlagMerge merge;
  for (const HeadIndex head : heads) {
    const HeadFlag before = FlagMergeAt(was, head);
    const HeadFlag here = FlagMergeAt(ours, head);
    const HeadFlag there = FlagMergeAt(other, head);
    HeadFlag merged = here;
    bool is_conflict = false;
    if (!SayTheSame(here, there)) {
      if (SayTheSame(here, before)) {
        merged = WithFlagOf(there, here);
      } else if (!SayTheSame(there, before)) {
        is_conflict = true;
      }
    }
    merged.rejected = MergeRejected(before, here, there);
    if (merged != here) {
      merge.changes.push_back({.head = head, .before = Entry(here), .after = Entry(merged)});
    }
    if (is_conflict) {
      merge.conflicts.push_back({.head = head, .mine = here, .theirs = there});
    } else if (merged != here) {
      const bool is_gone = !here.role.empty() && merged.role.empty();
      auto& list = IsNothing(here) ? merge.added : is_gone ? merge.removed : merge.changed;
      list.push_back(head);
    } else if (!IsNothing(here)) {
      (SayTheSame(here, there) && here.rejected == there.rejected ? merge.same : merge.kept)
          .push_back(head);
    }
  }
  return merge;
}

std::vector<HeadFlag> BaseOf(const FlagFile& file, const std::vector<SharedFlags>& shared) {
  // The same file once more has changed nothing since: only what went out from here is a base.
  for (auto one = shared.rbegin(); one != shared.rend(); ++one) {
    if (one->id == file.id && one->by == SharedBy::kExport) {
      return one->flags;
    }
  }
  for (auto id = file.from.rbegin(); id != file.from.rend(); ++id) {
    for (auto one = shared.rbegin(); one != shared.rend(); ++one) {
      if (one->id == *id && one->by != SharedBy::kOtherModel) {
        return one->flags;
      }
    }
  }
  return {};
}

std::vector<FlagChange> ChangesOf(const FlagMerge& merge, const std::vector<HeadIndex>& theirs) {
  std::vector<FlagChange> changes = merge.changes;
  for (const FlagConflict& conflict : merge.conflicts) {
    if (std::ranges::find(theirs, conflict.head) == theirs.end()) {
      continue;
    }
    const auto found = std::ranges::find(changes, conflict.head, &FlagChange::head);
    FlagChange change{
        .head = conflict.head, .before = Entry(conflict.mine), .after = Entry(conflict.mine)};
    if (found != changes.end()) {
      change = *found;
      changes.erase(found);
    }
    change.after = Entry(WithFlagOf(conflict.theirs, change.after.value_or(conflict.mine)));
    changes.push_back(std::move(change));
  }
  return changes;
}

}  // namespace headscope
