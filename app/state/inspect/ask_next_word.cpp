// What the model says at a held row.
#include <algorithm>
#include <utility>

#include "app/state/inspect/next_words.h"
#include "app/state/queries.h"
#include "app/state/work.h"

namespace headscope {
namespace {

// A head that writes into the row.
std::optional<HeadIndex> HeadToSplit(const AppState& state, const WordPlace& place) {
  const HeadIndex head = state.selection.head;
  const bool writes = HasTargetQueries(head.part) == state.model->has_decoder();
  const bool is_off = std::ranges::find(place.off.heads, head) != place.off.heads.end();
  return writes && !is_off && HasHead(*state.model, head) ? std::optional(head) : std::nullopt;
}

std::optional<RowQuestion> WantedNextWord(const AppState& state) {
  const std::optional<WordPlace> place = HeldRow(state);
  return place && IsSettled(state) && SelectedLayer(state).from->model == state.model
             ? std::optional(RowQuestion{*place, state.split_tokens, HeadToSplit(state, *place)})
             : std::nullopt;
}

// The text, if the row is its end and a token may follow.
std::optional<std::string> EndOfText(const AppState& state, const WordPlace& place) {
  const InputText& input = state.shown.input;
  const ModelDescription& model = state.model->description;
  const std::int64_t tokens = std::ssize(place.text->tokens);
  const bool can_follow = model.causal && !model.decoder && !input.pair &&
                          input.first_tokens == 0 && input.embeddings.empty() &&
                          place.row + 1 == tokens &&
                          (model.positions == 0 || tokens < model.positions);
  return can_follow ? std::optional(input.ids.empty() ? input.text : "") : std::nullopt;
}

Request RequestOfNextWord(const AppState& state, const RowQuestion& question) {
  const WordPlace& place = question.place;
  return NextWordJob{.row = place.row,
                     .opening = state.model->opening,
                     .off = place.off,
                     .tokens = question.tokens,
                     .by_key = question.by_key,
                     .probes = state.probes_folder,
                     .continues = EndOfText(state, place)};
}

// Ends where a person looks elsewhere, or nothing can follow.
void WriteOnIfAsked(Reducer* reducer) {
  AppState& state = reducer->state();
  if (state.writing.tokens == 0 || !IsSettled(state) || state.writing.follows_end) {
    return;
  }
  const std::optional<WordPlace> place = HeldRow(state);
  const bool waits =
      place && place->row + 1 == std::ssize(place->text->tokens) && !IsSaidOf(state, *place);
  if (!CanContinue(state)) {
    state.writing.tokens = waits ? state.writing.tokens : 0;
    return;
  }
  --state.writing.tokens;
  ContinueText{0}.Do(reducer);
}

}  // namespace

template <>
std::vector<Work> WorksOf<NextWordJob>() {
  Work work =
      Answered<&AppState::next_word, &NextWordSaid::word, WantedNextWord, RequestOfNextWord>(
          {.words = "finding the next word"});
  work.ensure = [](Reducer* reducer) {
    if (!HeldRow(reducer->state())) {
      reducer->state().next_word = {};  // it goes with the row
    }
    AskFor<&AppState::next_word, WantedNextWord, RequestOfNextWord>(reducer);
    WriteOnIfAsked(reducer);
  };
  return {work};
}

bool IsSaidOf(const AppState& state, const WordPlace& place) {
  return state.next_word.of && state.next_word.of->place == place;
}

std::shared_ptr<const NextWord> WordInView(const AppState& state) {
  const std::optional<WordPlace> place = HeldRow(state);
  return place && IsSaidOf(state, *place) ? state.next_word.answer : nullptr;
}

bool CanContinue(const AppState& state) {
  const std::shared_ptr<const NextWord> said = WordInView(state);
  return said != nullptr && !said->continued.empty() && !IsOutdated(state) &&
         state.pending.request == 0;
}

void ContinueText::Do(Reducer* reducer) const {
  AppState& state = reducer->state();
  if (!CanContinue(state) || place >= state.next_word.answer->continued.size()) {
    return;
  }
  const NextWord& said = *state.next_word.answer;
  InputText input{.text = said.continued[place], .pair = {}, .ids = {}};
  if (input.text.empty()) {
    input.ids = state.next_word.of->place.text->Ids();
    input.ids.push_back(said.prediction.rows.front().top[place].id);
  }
  const std::int64_t more = state.writing.tokens;
  SetInput{std::move(input)}.Do(reducer);
  state.writing.tokens = more;
  state.writing.follows_end = true;
}

// The last row, if none is held: what comes after the text.
void ShowShares::Do(Reducer* reducer) const {
  ShowHead{head}.Do(reducer);
  const AppState& state = reducer->state();
  const LayerView view = SelectedLayer(state);
  if (!state.selection.point_locked && view.layer != nullptr) {
    ClickCell{MapPoint{.query = view.layer->shape().queries - 1}}.Do(reducer);
  }
}

void WriteOn::Do(Reducer* reducer) const {
  reducer->state().writing.tokens = tokens;
}

}  // namespace headscope
