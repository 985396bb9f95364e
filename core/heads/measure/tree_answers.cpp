#include "core/heads/measure/tree_answers.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/check.h"
#include "core/base/counted.h"

namespace headscope {
namespace {

constexpr std::string_view kPunctuation = "punct";

bool IsEdge(const AnnotatedWord& word) {
  return word.head >= 0 && !word.relation.empty();
}

// [words][words]: rows are queries.
std::vector<double> WordMapOf(const TextTree& tree,
                              const MapView& map,
                              const std::vector<std::int64_t>& pieces) {
  const std::size_t words = pieces.size();
  std::vector<double> cells(words * words, 0.0);
  std::vector<float> row(static_cast<std::size_t>(map.keys()));
  for (std::size_t token = 0; token < tree.word.size(); ++token) {
    if (tree.word[token] < 0) {
      continue;
    }
    const auto query = static_cast<std::size_t>(tree.word[token]);
    map.layer->Row(map.head, static_cast<std::int64_t>(token), row);
    for (std::size_t key = 0; key < row.size(); ++key) {
      if (tree.word[key] >= 0) {
        cells[query * words + static_cast<std::size_t>(tree.word[key])] +=
            static_cast<double>(row[key]) / static_cast<double>(pieces[query]);
      }
    }
  }
  return cells;
}

// The fixed distance that is right most often; of equals the nearest, then the one before.
void FindBestOffset(const std::map<std::int64_t, std::int64_t>& right_at, TreeAnswers* answers) {
  const auto before = right_at.find(-1);
  answers->right_before = before != right_at.end() ? before->second : 0;
  answers->best_offset = -1;
  answers->right_at_best = answers->right_before;
  for (const auto& [offset, right] : right_at) {
    const bool is_nearer = std::abs(offset) < std::abs(answers->best_offset);
    if (right > answers->right_at_best || (right == answers->right_at_best && is_nearer)) {
      answers->best_offset = offset;
      answers->right_at_best = right;
    }
  }
}

std::string OffsetWords(std::int64_t offset) {
  return fmt::format("{} {}", Counted(std::abs(offset), "word"), offset < 0 ? "before" : "after");
}

}  // namespace

TreeAnswers AnswerTree(const TextTree& tree, const MapView& map, PairDirection direction) {
  HEADSCOPE_CHECK(tree.sentence != nullptr && std::ssize(tree.word) == map.queries() &&
                      map.queries() == map.keys(),
                  "the tree is of the map's tokens");
  const std::vector<AnnotatedWord>& words = tree.sentence->words;
  const bool causal = map.layer->rule().causal;
  TreeAnswers answers{.direction = direction};
  std::vector<std::int64_t> pieces(words.size(), 0);
  for (const std::int32_t word : tree.word) {
    if (word >= 0) {
      ++pieces[static_cast<std::size_t>(word)];
    }
  }
  const std::vector<double> cells = WordMapOf(tree, map, pieces);
  std::vector<std::int64_t> largest(words.size(), -1);
  for (std::size_t query = 0; query < words.size(); ++query) {
    for (std::size_t key = 0; pieces[query] > 0 && key < (causal ? query : words.size()); ++key) {
      std::int64_t& best = largest[query];
      const double* const row = cells.data() + query * words.size();
      if (key != query && pieces[key] > 0 &&
          (best < 0 || row[key] > row[static_cast<std::size_t>(best)])) {
        best = static_cast<std::int64_t>(key);
      }
    }
  }
  std::vector<EdgeMatch> of_query(words.size(), EdgeMatch::kNotAsked);
  std::map<std::int64_t, std::int64_t> right_at;  // by offset
  for (std::size_t word = 0; word < words.size(); ++word) {
    if (!IsEdge(words[word])) {
      continue;
    }
    const auto governor = static_cast<std::size_t>(words[word].head);
    const bool is_up = direction == PairDirection::kDependentToHead;
    const std::size_t query = is_up ? word : governor;
    const std::size_t key = is_up ? governor : word;
    TreeEdge edge{static_cast<std::int64_t>(word), words[word].head, words[word].relation};
    if (edge.relation == kPunctuation) {
      ++answers.punctuation;
    } else if (pieces[query] == 0 || pieces[key] == 0) {
      ++answers.without_token;
    } else if (causal && key > query) {
      ++answers.unseen;
    } else {
      const bool is_right = largest[query] == static_cast<std::int64_t>(key);
      edge.match = is_right ? EdgeMatch::kAgrees : EdgeMatch::kDiffers;
      ++answers.asked;
      answers.right += is_right ? 1 : 0;
      answers.queries += of_query[query] == EdgeMatch::kNotAsked ? 1 : 0;
      if (of_query[query] != EdgeMatch::kAgrees) {
        of_query[query] = edge.match;
      }
      ++right_at[static_cast<std::int64_t>(key) - static_cast<std::int64_t>(query)];
    }
    answers.edges.push_back(std::move(edge));
  }
  for (std::size_t query = 0; query < words.size(); ++query) {
    if (largest[query] >= 0) {
      const auto key = static_cast<std::size_t>(largest[query]);
      answers.head.push_back({static_cast<std::int64_t>(query),
                              largest[query],
                              cells[query * words.size() + key],
                              of_query[query]});
    }
  }
  FindBestOffset(right_at, &answers);
  return answers;
}

std::string AnswerWords(const TreeAnswers& answers, const std::string& head) {
  const bool is_up = answers.direction == PairDirection::kDependentToHead;
  std::string words;
  if (answers.asked == 0) {
    words = fmt::format("No edge of this tree can be asked of {}.", head);
  } else {
    words = is_up ? fmt::format("{}’s largest weight is the governor at {} of {}",
                                head,
                                answers.right,
                                Counted(answers.asked, "word"))
                  : fmt::format("{}’s largest weight is the dependent on {} of {}",
                                head,
                                answers.right,
                                Counted(answers.asked, "edge"));
    if (!is_up && answers.queries < answers.asked) {
      words += fmt::format(" (each word has one largest weight, so {} at most)", answers.queries);
    }
    words += fmt::format("; chance: the word before would be right at {}", answers.right_before);
    if (answers.right_at_best > answers.right_before) {
      words += fmt::format(", the best fixed distance, {}, at {}",
                           OffsetWords(answers.best_offset),
                           answers.right_at_best);
    }
    words += ".";
  }
  std::vector<std::string> left_out;
  if (answers.punctuation > 0) {
    left_out.push_back(Counted(answers.punctuation, "punctuation mark"));
  }
  if (answers.unseen > 0) {
    left_out.push_back(fmt::format("{} whose {} comes later, which a causal head cannot see",
                                   Counted(answers.unseen, "edge"),
                                   is_up ? "governor" : "dependent"));
  }
  if (answers.without_token > 0) {
    left_out.push_back(Counted(answers.without_token, "edge") + " of a word without a token");
  }
  if (!left_out.empty()) {
    words += fmt::format(" Not asked: {}.", fmt::join(left_out, ", "));
  }
  return words;
}

}  // namespace headscope
