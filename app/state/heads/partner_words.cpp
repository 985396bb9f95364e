#include "app/state/heads/partner_words.h"

#include <algorithm>

#include <fmt/format.h>

#include "app/state/app_state.h"
#include "app/state/queries.h"

namespace headscope {
namespace {

constexpr double kStandsOut = 3.0;  // standard deviations
constexpr std::string_view kStepBack = "previous_token";

bool LooksBack(const HeadSuggestions& suggestions, HeadIndex head) {
  return std::ranges::any_of(suggestions.Of(head), [](const Suggestion* one) {
    return one->metric == kStepBack && one->from.empty();
  });
}

}  // namespace

const PartnersState* PartnersInView(const AppState& state) {
  const PartnersState& partners = state.partners;
  const ModelInfo* const shown = ShownModel(state);
  const bool is_it = partners.of && shown != nullptr &&
                     partners.of->fingerprint == shown->fingerprint &&
                     partners.of->head == state.selection.head;
  return is_it ? &partners : nullptr;
}

std::vector<const CompositionPartner*> ShownPartners(const std::vector<CompositionPartner>& all,
                                                     const HeadSuggestions& suggestions,
                                                     std::size_t most) {
  std::vector<const CompositionPartner*> shown;
  const CompositionPartner* back = nullptr;
  for (const CompositionPartner& one : all) {
    if (one.sigmas() < kStandsOut) {
      break;
    }
    if (shown.size() < most) {
      shown.push_back(&one);
    }
    if (back == nullptr && one.way == CompositionWay::kKeys && LooksBack(suggestions, one.head)) {
      back = &one;
    }
  }
  if (back != nullptr && !shown.empty() && std::ranges::find(shown, back) == shown.end()) {
    shown.back() = back;
  }
  return shown;
}

std::string_view WayName(CompositionWay way) {
  switch (way) {
    case CompositionWay::kKeys:
      return "keys";
    case CompositionWay::kQueries:
      return "queries";
    case CompositionWay::kValues:
      break;
  }
  return "values";
}

std::string SigmaText(const CompositionPartner& partner) {
  return fmt::format("{:+.0f} σ", partner.sigmas());
}

std::string PartnerWords(const CompositionPartner& partner, HeadIndex of, bool reads_it) {
  const HeadIndex reader = reads_it ? partner.head : of;
  const HeadIndex writer = reads_it ? of : partner.head;
  return fmt::format(
      "The {} of {} read what {} writes: {:.3f}, random weights of this size {:.3f} ± {:.3f}; 1 is "
      "all of it. By the weights alone: what is attended to is not asked.",
      WayName(partner.way),
      HeadName(reader),
      HeadName(writer),
      partner.share,
      partner.random_mean,
      partner.random_spread);
}

}  // namespace headscope
