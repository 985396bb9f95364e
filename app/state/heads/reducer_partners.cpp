// Heads that the selected one reads by its weights, and those that read it.
#include "app/state/heads/scores.h"
#include "app/state/reducer_class.h"

namespace headscope {

// Once the scan is whole: it says which of them look at the previous token.
void Reducer::EnsurePartners() {
  PartnersState& partners = state_.partners;
  const HeadScanReport* const scan = ScanInView(state_);
  const auto heads = scan != nullptr ? ScannedHeads(*scan) : std::nullopt;
  const HeadIndex head = state_.selection.head;
  if (!heads || !scan->is_whole() || !PlaceOf(*heads, head) || state_.scan.request != 0 ||
      state_.scan.of != state_.model || !state_.opening_folder.empty() ||
      state_.pending.request != 0) {
    return;
  }
  const PartnersState::Question question{state_.model->fingerprint, head};
  if (partners.of == question || partners.wanted == question) {
    return;
  }
  partners.wanted = question;
  partners.request = Send(PartnersJob{.head = head, .opening = state_.model->opening});
}

void Reducer::PartnersEvent(const Event& event) {
  PartnersState& partners = state_.partners;
  if (const auto* found = std::get_if<PartnersFound>(&event.what)) {
    partners.partners = found->partners;
    partners.fault.clear();
    partners.of = partners.wanted;
  } else if (const auto* failed = std::get_if<Failed>(&event.what)) {
    partners.request = 0;
    if (failed->error.code == ErrorCode::kGone) {
      OpenAgain(WorkOf(state_.model.get()));  // wanted stays: the scan goes with its model
    } else if (failed->error.code == ErrorCode::kCancelled) {
      partners.wanted.reset();
    } else {
      partners.partners = nullptr;
      partners.fault = failed->error.message;
      partners.of = partners.wanted;
    }
  } else if (std::holds_alternative<Finished>(event.what)) {
    partners.request = 0;
  }
}

}  // namespace headscope
