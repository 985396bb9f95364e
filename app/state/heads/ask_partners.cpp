// Heads that the selected one reads by its weights, and those that read it.
#include "app/state/heads/scores.h"
#include "app/state/work.h"

namespace headscope {
namespace {

// Once the scan is whole: it says which of them look at the previous token.
std::optional<PartnersQuestion> WantedPartners(const AppState& state) {
  const HeadScanReport* const scan = ScanInView(state);
  if (!WantsScores(state) || scan == nullptr || !scan->is_whole() || state.scan.request != 0 ||
      state.scan.of != state.model || !IsSettled(state)) {
    return std::nullopt;
  }
  const auto heads = ScannedHeads(*scan);
  const HeadIndex head = state.selection.head;
  return heads && PlaceOf(*heads, head)
             ? std::optional(PartnersQuestion{state.model->fingerprint, head})
             : std::nullopt;
}

Request RequestOfPartners(const AppState& state, const PartnersQuestion& question) {
  return PartnersJob{.head = question.head, .opening = state.model->opening};
}

}  // namespace

template <>
std::vector<Work> WorksOf<PartnersJob>() {
  return {
      Answered<&AppState::partners, &PartnersFound::partners, WantedPartners, RequestOfPartners>(
          {.words = "finding heads that read each other"})};
}

}  // namespace headscope
