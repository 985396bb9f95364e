// Roles that the scores speak for, head by head, and how flags stand to them.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "app/state/heads/own_probe.h"
#include "app/state/queries.h"
#include "core/heads/flags/role.h"

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

HeadSuggestions SuggestionsInView(const AppState& state) {
  if (state.flag_files.is_blind) {
    return {};
  }
  HeadSuggestions suggestions(RolesInView(state), FlagsInView(state));
  suggestions.AddOtherModels(FlagsInView(state));
  return suggestions;
}

const std::vector<const Suggestion*>& HeadSuggestions::Of(HeadIndex head) const& {
  const auto found = by_head_.find(head);
  return found != by_head_.end() ? found->second : none_;
}

Agreement AgreementOf(const FlagSheet& flags, const HeadSuggestions& suggestions, HeadIndex head) {
  const HeadFlag* const flag = FindFlag(flags, head);
  const auto& found = suggestions.Of(head);
  if (flag == nullptr) {
    return found.empty() ? Agreement::kNothing : Agreement::kOnlySuggested;
  }
  if (found.empty()) {
    return Agreement::kOnlyMine;
  }
  const bool is_among =
      std::ranges::any_of(found, [flag](const Suggestion* one) { return one->role == flag->role; });
  return is_among ? Agreement::kAgree : Agreement::kConflict;
}

std::string_view AgreementWords(Agreement agreement) {
  constexpr std::array<std::string_view, 5> kWords = {
      "neither", "agree", "only mine", "only suggested", "conflict"};  // in the order of Agreement
  return kWords.at(static_cast<std::size_t>(agreement));
}

std::string RoleColour(std::string_view role) {
  return fmt::format("#{:06X}", ColourOfRole(role));
}

std::string EvidenceFor(const HeadScanReport& report, HeadIndex head, std::string_view role) {
  for (const Suggestion* one : AllSuggestions(report)) {
    if (one->head == head && one->role == role) {
      return fmt::format(
          "{} ({}). Scan: {}", one->why, VerdictName(one->verdict), ProbeWords(report));
    }
  }
  return fmt::format("not suggested by the scan: {}", ProbeWords(report));
}

}  // namespace headscope
