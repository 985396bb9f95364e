// Scores of all heads on the text of the picture.
#include "app/state/heads/scores.h"
#include "app/state/work.h"

namespace headscope {
namespace {

std::optional<RequestId> WantedTextScores(const AppState& state) {
  const Attendance& shown = state.shown;
  return WantsScores(state) && IsSettled(state) && shown.request != 0 &&
                 shown.model == state.model && shown.encoding != nullptr
             ? std::optional(shown.request)
             : std::nullopt;
}

Request RequestOfTextScores(const AppState& state, RequestId /*picture*/) {
  return TextScoresJob{
      .text = state.shown.encoding, .target = state.shown.target, .opening = state.model->opening};
}

}  // namespace

template <>
std::vector<Work> WorksOf<TextScoresJob>() {
  return {
      Answered<&AppState::text_scores, &TextScored::scores, WantedTextScores, RequestOfTextScores>(
          {.words = "scoring heads on this text"})};
}

}  // namespace headscope
