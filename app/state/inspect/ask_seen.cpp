// Maps with tokens merged or hidden.
#include <algorithm>

#include "app/state/inspect/heads_off.h"
#include "app/state/queries.h"
#include "app/state/work.h"

namespace headscope {
namespace {

std::optional<SeenQuestion> WantedSeen(const AppState& state) {
  const bool awaits = HeadsOffInView(state) != nullptr && !IsHeadsOffDone(state);
  return LooksAtTokens(state) && state.shown.request != 0 && state.pending.layers.empty() && !awaits
             ? std::optional(SeenAskedNow(state))
             : std::nullopt;
}

Request RequestOfSeen(const AppState& state, const SeenQuestion& question) {
  return LookJob{.subject = {.layers = LayersShown(state),
                             .source = state.shown.encoding,
                             .target = state.shown.target,
                             .keys = state.shown.keys},
                 .look = question.look};
}

}  // namespace

SeenQuestion SeenAskedNow(const AppState& state) {
  const HeadsOff* const off = HeadsOffInView(state);
  return {state.shown.request, state.token_look, off != nullptr ? *off : HeadsOff{}};
}

// Another text has other tokens: what was hidden by hand shows again.
void SetTokenLook::Do(Reducer* reducer) const {
  reducer->state().token_look = look;
}

void HideToken::Do(Reducer* reducer) const {
  AppState& state = reducer->state();
  const SeenPicture* const seen = SeenInView(state);
  std::vector<std::int64_t> tokens = {shown};
  if (seen != nullptr && shown >= 0 && shown < std::ssize(seen->source_groups)) {
    tokens = seen->source_groups[static_cast<std::size_t>(shown)];
  }
  std::vector<std::int64_t>& hidden = state.token_look.hidden;
  hidden.insert(hidden.end(), tokens.begin(), tokens.end());
  std::ranges::sort(hidden);
  hidden.erase(std::unique(hidden.begin(), hidden.end()), hidden.end());
}

template <>
std::vector<Work> WorksOf<LookJob>() {
  return {Answered<&AppState::seen, &PictureSeen::picture, WantedSeen, RequestOfSeen>(
      {.words = "merging and hiding tokens"})};
}

}  // namespace headscope
