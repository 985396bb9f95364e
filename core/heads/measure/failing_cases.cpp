#include "core/heads/measure/failing_cases.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <utility>

#include "core/heads/measure/relation_words.h"
#include "core/io/annotated_text.h"

namespace headscope {
namespace {

constexpr std::size_t kMostShown = 5;

struct Question {
  std::int64_t query = 0;
  std::vector<std::int64_t> among;
  std::vector<std::int64_t> right;
};

std::vector<std::int64_t> PiecesOf(const ProbeSequence& text) {
  std::vector<std::int64_t> pieces(text.annotation->words.size(), 0);
  for (const std::int32_t word : text.annotated_word) {
    if (word >= 0) {
      ++pieces[static_cast<std::size_t>(word)];
    }
  }
  return pieces;
}

std::vector<Question> RelationQuestions(const ProbeSequence& text,
                                        const std::vector<std::int64_t>& pieces,
                                        bool causal,
                                        std::string_view id) {
  const RelationOfId asked = ReadRelationId(id);
  const std::vector<AnnotatedWord>& words = text.annotation->words;
  const auto has = [&](std::int64_t word) { return pieces[static_cast<std::size_t>(word)] > 0; };
  std::vector<Question> questions;
  for (std::int64_t word = 0; word < std::ssize(words); ++word) {
    const AnnotatedWord& dependent = words[static_cast<std::size_t>(word)];
    if (dependent.head < 0 || dependent.relation != asked.relation) {
      continue;
    }
    const auto [query, target] = WordsThatLook(asked.direction, word, dependent.head);
    if (!has(query) || !has(target) || (causal && target > query)) {
      continue;
    }
    Question question{.query = query, .among = {}, .right = {target}};
    for (std::int64_t other = 0; other < (causal ? query : std::ssize(words)); ++other) {
      if (other != query && has(other)) {
        question.among.push_back(other);
      }
    }
    questions.push_back(std::move(question));
  }
  return questions;
}

std::vector<Question> MentionQuestions(const ProbeSequence& text,
                                       const std::vector<std::int64_t>& pieces) {
  std::map<std::int64_t, std::set<std::string>> entities;  // of each word that heads a mention
  for (const Mention& mention : text.annotation->mentions) {
    if (pieces[static_cast<std::size_t>(mention.head)] > 0) {
      entities[mention.head].insert(mention.entity);
    }
  }
  std::vector<Question> questions;
  std::vector<std::int64_t> before;
  for (const auto& [query, own] : entities) {
    for (const std::string& entity : own) {
      Question question{.query = query, .among = before, .right = {}};
      for (const std::int64_t word : before) {
        if (entities.at(word).contains(entity)) {
          question.right.push_back(word);
        }
      }
      if (question.among.size() >= 2 && !question.right.empty()) {
        questions.push_back(std::move(question));
      }
    }
    before.push_back(query);
  }
  return questions;
}

// [words]: a word's row, the mean over its tokens' rows, of the sums over words' columns.
std::vector<double> RowOf(const ProbeSequence& text,
                          const LayerAttention& layer,
                          std::int64_t head,
                          std::int64_t query,
                          const std::vector<std::int64_t>& pieces) {
  std::vector<double> row(pieces.size(), 0.0);
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
  const std::vector<std::int64_t> pieces = PiecesOf(text);
  const std::vector<Question> questions =
      id == kMentionsId ? MentionQuestions(text, pieces)
                        : RelationQuestions(text, pieces, layer.rule().causal, id);
  std::vector<WordAnswer> answers;
  for (const Question& question : questions) {
    const std::vector<double> row = RowOf(text, layer, head, question.query, pieces);
    const auto weight = [&](std::int64_t word) { return row[static_cast<std::size_t>(word)]; };
    const auto distance = [&](std::int64_t word) { return std::abs(word - question.query); };
    WordAnswer answer{.query = question.query};
    answer.looked_at = *std::ranges::max_element(question.among, {}, weight);
    answer.expected = *std::ranges::min_element(question.right, {}, distance);
    answer.is_right = std::ranges::find(question.right, answer.looked_at) != question.right.end();
    answers.push_back(answer);
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
