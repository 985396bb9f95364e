// Roles that the scores speak for, head by head, and how flags stand to them.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "app/state/heads/own_probe.h"
#include "app/state/queries.h"
#include "core/heads/flags/role.h"
#include "core/heads/scan/roles.h"

namespace headscope {

HeadSuggestions SuggestionsInView(const AppState& state) {
  if (state.flag_files.is_blind) {
    return {};
  }
  HeadSuggestions suggestions(RolesInView(state), FlagsInView(state));
  suggestions.AddOtherModels(FlagsInView(state));
  return suggestions;
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
