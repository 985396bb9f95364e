// The tree of the open text, and the head beside it.
#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "app/state/heads/scores.h"
#include "app/state/inspect/text_tree.h"
#include "app/state/queries.h"
#include "app/state/work.h"
#include "core/heads/measure/text_tree.h"

namespace headscope {
namespace {

// Why no tree can be of what is drawn, whatever files there are; empty: one can.
std::string WhyNeverATree(const AppState& state) {
  const Attendance& shown = state.shown;
  if (shown.encoding == nullptr || shown.model == nullptr) {
    return "There is no text yet.";
  }
  if (!shown.model->reads_tokens() || !shown.input.ids.empty() || shown.input.text.empty()) {
    return "A tree is of a text, not of numbers.";
  }
  if (shown.input.pair) {
    return "A tree is of one sentence, and two are open.";
  }
  if (LooksAtTokens(state)) {
    return "Tokens are merged or hidden (Tokens, above the maps); a tree joins the pieces of words "
           "itself and needs all of them.";
  }
  const FullMap full = MapInFull(state);
  if (full.map.layer != nullptr &&
      (full.query_tokens != full.key_tokens || full.query_tokens != shown.encoding)) {
    return "These maps are not of the text alone.";
  }
  return "";
}

TreeQuestion TreeQuestionOf(const AppState& state) {
  TreeQuestion question{.tokens = state.shown.encoding,
                        .text = state.shown.input.text,
                        .open = state.treebank,
                        .files = {}};
  const ChosenProbe& probe = state.probe_scan.probe;
  if (probe.kind == ProbeKind::kFile && probe.file.extension() == ".conllu" &&
      (state.treebank == nullptr || state.treebank->path != probe.file)) {
    question.files.push_back(probe.file);
  }
  if (!state.probes_folder.empty()) {
    question.files.push_back(state.probes_folder);
  }
  return question;
}

std::optional<TreeQuestion> WantedTree(const AppState& state) {
  return WantsTree(state) && WhyNeverATree(state).empty() ? std::optional(TreeQuestionOf(state))
                                                          : std::nullopt;
}

Request RequestOfTree(const AppState& /*state*/, const TreeQuestion& question) {
  return FindTreeJob{.tokens = question.tokens,
                     .text = question.text,
                     .open = question.open,
                     .files = question.files};
}

std::optional<TreeAnswersQuestion> AnswersQuestion(const AppState& state) {
  if (!ShowsTree(state)) {
    return std::nullopt;
  }
  return TreeAnswersQuestion{
      MapInFull(state).map, TreeInView(state), state.head_look.tree_direction};
}

std::optional<TreeAnswersQuestion> WantedAnswers(const AppState& state) {
  return MapInFull(state).stale ? std::nullopt : AnswersQuestion(state);
}

Request RequestOfAnswers(const AppState& /*state*/, const TreeAnswersQuestion& question) {
  return AnswerTreeJob{.map = question.map, .tree = question.tree, .direction = question.direction};
}

// A sentence becomes the text.
void UseSentence(std::size_t sentence, Reducer* reducer) {
  const std::shared_ptr<const Treebank> treebank = reducer->state().treebank;
  InputText input;
  input.text = treebank->text.sentences[sentence].text;
  SetInput{std::move(input)}.Do(reducer);
}

}  // namespace

bool WantsTree(const AppState& state) {
  return state.screen->looks_at_tokens && state.head_look.view == HeadView::kArcs;
}

std::shared_ptr<const TextTree> TreeInView(const AppState& state) {
  const TreeOfText& asked = state.text_tree;
  const bool is_it = asked.of && asked.of->tokens == state.shown.encoding &&
                     asked.answer != nullptr && WhyNeverATree(state).empty();
  return is_it ? asked.answer->tree : nullptr;
}

std::string WhyNoTree(const AppState& state) {
  if (std::string never = WhyNeverATree(state); !never.empty()) {
    return never;
  }
  if (TreeInView(state) != nullptr) {
    return "";
  }
  const TreeOfText& asked = state.text_tree;
  if (!asked.fault.empty()) {
    return asked.fault;
  }
  const bool is_known =
      asked.of && asked.of->tokens == state.shown.encoding && asked.answer != nullptr;
  return is_known ? asked.answer->why_not : "Looking for the tree of this text.";
}

bool ShowsTree(const AppState& state) {
  return WantsTree(state) && state.head_look.beside_tree && MapInFull(state).map.layer != nullptr &&
         TreeInView(state) != nullptr;
}

const TreeAnswers* TreeAnswersInView(const AppState& state) {
  const auto wanted = AnswersQuestion(state);
  return wanted && state.tree_answers.of == wanted ? state.tree_answers.answer.get() : nullptr;
}

std::optional<std::size_t> SentenceInView(const AppState& state) {
  return state.treebank != nullptr ? FindSentence(state.treebank->text, state.input.text)
                                   : std::nullopt;
}

void OpenTreebank::Do(Reducer* reducer) const {
  AppState& state = reducer->state();
  const auto& sentences = treebank->text.sentences;
  const auto first = std::ranges::find_if(sentences, HasTree);
  const bool reads_text =
      state.model != nullptr && state.model->reads_tokens() && state.model->takes_text;
  if (state.screen->wants_scores || !reads_text || first == sentences.end()) {
    DropProbe{treebank->path, heads}.Do(reducer);
    return;
  }
  state.treebank = treebank;
  if (!state.screen->looks_at_tokens) {
    SetScreen{inspect}.Do(reducer);
  }
  state.head_look.view = HeadView::kArcs;
  state.head_look.beside_tree = true;
  const auto place = static_cast<std::size_t>(first - sentences.begin());
  UseSentence(place, reducer);
  if (CanScore(state)) {
    reducer->Notify(
        ErrorPlace::kOffer,
        fmt::format(
            "{}: sentence {} of {} is the text now, with its tree beside the head. Heads can "
            "be scored on all of them.",
            treebank->path.filename().string(),
            place + 1,
            sentences.size()));
    state.notices.back().probe = treebank->path;
  }
}

void StepSentence::Do(Reducer* reducer) const {
  const AppState& state = reducer->state();
  const auto now = SentenceInView(state);
  if (!now) {
    return;
  }
  const auto& sentences = state.treebank->text.sentences;
  for (auto at = static_cast<std::int64_t>(*now) + by; at >= 0 && at < std::ssize(sentences);
       at += by) {
    if (HasTree(sentences[static_cast<std::size_t>(at)])) {
      UseSentence(static_cast<std::size_t>(at), reducer);
      return;
    }
  }
}

template <>
std::vector<Work> WorksOf<FindTreeJob>() {
  return {Answered<&AppState::text_tree, &TreeFound::found, WantedTree, RequestOfTree>(
      {.words = "looking for the text's tree"})};
}

template <>
std::vector<Work> WorksOf<AnswerTreeJob>() {
  return {
      Answered<&AppState::tree_answers, &TreeAnswered::answers, WantedAnswers, RequestOfAnswers>(
          {.words = "asking the head about the tree"})};
}

}  // namespace headscope
