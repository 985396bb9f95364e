#include "core/heads/scan/roles.h"

#include <algorithm>
#include <iterator>

#include "core/heads/decide/numbers.h"

namespace headscope {
namespace {

bool HasScore(const std::optional<ProbeScores>& probe, std::string_view id) {
  const NamedScores* const found = probe ? FindScores(probe->report.scores, id) : nullptr;
  return found != nullptr &&
         std::ranges::any_of(found->heads, [](const HeadScore& one) { return !!one.score; });
}

// The probe of a suggestion's metric; a role that copies is one of the repeats, too.
bool IsFrom(const HeadScanReport& report, const Suggestion& one, const ProbeScores& probe) {
  return ProbeOf(report, one.metric) == &probe;
}

}  // namespace

const ProbeScores* ProbeOf(const HeadScanReport& report, std::string_view metric) {
  // A measure is of whichever has it: too few sentences may be of one length.
  const HeadNumber* const number = FindNumber(metric);
  if (number != nullptr && number->group == NumberGroup::kMeasure &&
      !HasScore(report.sentences, metric) && HasScore(report.repeats, metric)) {
    return &*report.repeats;
  }
  const bool needs_repeats = number != nullptr && number->is_of_repeats;
  const auto& first = needs_repeats ? report.repeats : report.sentences;
  const auto& second = needs_repeats ? report.sentences : report.repeats;
  const bool is_waiting = needs_repeats ? report.why_no_repeats.empty() && !first
                                        : report.why_no_sentences.empty() && !first;
  return first ? &*first : (second && !is_waiting ? &*second : nullptr);
}

std::vector<const Suggestion*> AllSuggestions(const HeadScanReport& report) {
  std::vector<const Suggestion*> all;
  for (const HeadScanReport& part : report.more) {
    std::ranges::copy(AllSuggestions(part), std::back_inserter(all));
  }
  for (const ProbeScores* const probe : report.Probes()) {
    for (const Suggestion& one : probe->report.suggested) {
      if (IsFrom(report, one, *probe)) {
        all.push_back(&one);
      }
    }
  }
  std::ranges::stable_sort(
      all, [](const Suggestion* a, const Suggestion* b) { return a->verdict > b->verdict; });
  return all;
}

}  // namespace headscope
