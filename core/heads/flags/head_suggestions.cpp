#include "core/heads/flags/head_suggestions.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/heads/flags/role.h"
#include "core/heads/scan/roles.h"
#include "core/heads/scan/scored_metric.h"

namespace headscope {

bool IsScanned(const HeadScanReport& report, HeadIndex head) {
  const auto heads = ScannedHeads(report);
  return (heads && PlaceOf(*heads, head)) ||
         std::ranges::any_of(report.more,
                             [&](const HeadScanReport& part) { return IsScanned(part, head); });
}

std::size_t CountScanned(const HeadScanReport& report) {
  const auto heads = ScannedHeads(report);
  std::size_t count = heads ? heads->count() : 0;
  for (const HeadScanReport& part : report.more) {
    count += CountScanned(part);
  }
  return count;
}

HeadSuggestions::HeadSuggestions(const HeadScanReport* report, const FlagSheet& flags) {
  if (report == nullptr) {
    return;
  }
  for (const Suggestion* one : AllSuggestions(*report)) {
    if (IsScanned(*report, one->head) && FindRejection(flags, one->head, one->role) == nullptr) {
      by_head_[one->head].push_back(one);
    }
  }
  Sort();
}

// The surest first, and a sink after roles that say what a head does: views have room for one.
void HeadSuggestions::Sort() {
  for (auto& [head, found] : by_head_) {
    std::ranges::stable_sort(found, [](const Suggestion* a, const Suggestion* b) {
      const auto rank = [](const Suggestion& one) {
        const Role* const role = FindRole(one.role);
        return std::pair(one.verdict != Verdict::kStrong, role != nullptr && role->is_rest);
      };
      return rank(*a) < rank(*b);
    });
  }
}

void HeadSuggestions::AddOtherModels(const FlagSheet& flags) {
  std::vector<Suggestion> others;
  for (const SharedFlags& shared : flags.shared) {
    if (shared.by != SharedBy::kOtherModel) {
      continue;
    }
    for (const HeadFlag& flag : shared.flags) {
      if (FindRejection(flags, HeadOf(flag), flag.role) != nullptr) {
        continue;
      }
      Suggestion one;
      one.head = HeadOf(flag);
      one.role = flag.role;
      one.from = fmt::format("{}, another model", shared.model_name);
      one.why = fmt::format("{} flagged this head so in {}{}",
                            shared.author.empty() ? shared.file : shared.author,
                            shared.model_name,
                            flag.note.empty() ? "" : ": " + flag.note);
      others.push_back(std::move(one));
    }
  }
  others_ = std::make_shared<const std::vector<Suggestion>>(std::move(others));
  for (const Suggestion& one : *others_) {
    by_head_[one.head].push_back(&one);
  }
}

const std::vector<const Suggestion*>& HeadSuggestions::Of(HeadIndex head) const& {
  const auto found = by_head_.find(head);
  return found != by_head_.end() ? found->second : none_;
}

}  // namespace headscope
