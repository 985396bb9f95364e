#include "core/heads/measure/failing_cases.h"

#include <algorithm>

#include "core/heads/measure/relation_words.h"
#include "core/io/annotated_text.h"

namespace headscope {
namespace {

constexpr std::size_t kMostShown = 5;

// [words]: a word's row, the mean over its tokens' rows, of the sums over words' columns.
std::vector<double> RowOf(const ProbeSequence& text,
                          const LayerAttention& layer,
                          std::int64_t head,
                          std::int64_t query) {
  std::vector<double> row(text.annotation->words.size(), 0.0);
  std::vector<float> weights(static_cast<std::size_t>(text.tokens()));
  for (std::int64_t token = 0; token < text.tokens(); ++token) {
    if (text.annotated_word[static_cast<std::size_t>(token)] != query) {
      continue;
    }
    layer.Row(head, token, weights);
    for (std::size_t key = 0; key < weights.size(); ++key) {
      if (const std::int32_t word = text.annotated_word[key]; word >= 0) {
        row[static_cast<std::size_t>(word)] += static_cast<double>(weights[key]);
      }
    }
  }
  return row;
}

}  // namespace

bool HasWordCases(std::string_view id) {
  return id == kMentionsId || id.starts_with(kRelationPrefix);
}

std::vector<WordAnswer> AnswersOf(const ProbeSequence& text,
                                  const LayerAttention& layer,
                                  std::int64_t head,
                                  std::string_view id) {
  if (text.annotation == nullptr) {
    return {};
  }
  const std::vector<std::int64_t> no_counts(text.annotation->words.size(), 0);
  const WordSentence sentence = AskAboutWords(text, no_counts, layer.rule().causal, 0);
  const RelationOfId wanted =
      id == kMentionsId
          ? RelationOfId{.relation = {}, .direction = PairDirection::kToEarlierMention}
          : ReadRelationId(id);
  std::vector<WordAnswer> answers;
  for (std::size_t i = 0; i < sentence.cases.size(); ++i) {
    const PairCase& asked = sentence.cases[i];
    if (asked.direction != wanted.direction || asked.relation != wanted.relation) {
      continue;
    }
    const WordQuestion& question = sentence.questions[sentence.question[i]];
    const std::vector<double> row =
        RowOf(text, layer, head, static_cast<std::int64_t>(question.query));
    const auto looked_at = *std::ranges::max_element(
        sentence.Among(question), {}, [&](std::size_t word) { return row[word]; });
    const auto query = static_cast<std::int64_t>(question.query);
    answers.push_back({.query = query,
                       .looked_at = static_cast<std::int64_t>(looked_at),
                       .expected = query + asked.offset,
                       .is_right = std::ranges::binary_search(sentence.RightOf(i), looked_at)});
  }
  return answers;
}

void FailingCases::Add(const ProbeSequence& text, const std::vector<WordAnswer>& answers) {
  cases_ += std::ssize(answers);
  wrong_ += std::ranges::count(answers, false, &WordAnswer::is_right);
  const auto first = std::ranges::find(answers, false, &WordAnswer::is_right);
  if (first == answers.end() || shown_.size() == kMostShown) {
    return;
  }
  const auto form = [&](std::int64_t word) {
    return text.annotation->words[static_cast<std::size_t>(word)].form;
  };
  shown_.push_back({.text = text.text,
                    .query = form(first->query),
                    .looked_at = form(first->looked_at),
                    .expected = form(first->expected)});
}

}  // namespace headscope
