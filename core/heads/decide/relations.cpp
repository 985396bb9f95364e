#include "core/heads/decide/relations.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <span>

#include <fmt/format.h>

#include "core/heads/decide/stability.h"
#include "core/heads/decide/statistics.h"
#include "core/heads/measure/relation_words.h"

namespace headscope {
namespace {

constexpr std::array<std::string_view, 4> kControlNames = {
    "the word it likes anyway", "best distance", "rarest word", "word of most pieces"};
constexpr std::array<std::string_view, 4> kMentionControlNames = {
    "the mention it likes anyway", "best distance", "rarest mention", "nearest mention"};

bool IsOfMentions(const RelationCases& relation) {
  return relation.direction == PairDirection::kToEarlierMention;
}

bool IsInHalf(const PairCase& pair, int half) {
  return pair.sentence % 2 == half;
}

// The distance that is right most often; of a half, or of all (-1).
std::int64_t BestOffset(const RelationCases& relation, int half) {
  std::map<std::int64_t, std::int64_t> right;
  for (const PairCase* pair : relation.cases) {
    if (half < 0 || IsInHalf(*pair, half)) {
      ++right[pair->offset];
    }
  }
  const auto best =
      std::ranges::max_element(right, {}, [](const auto& entry) { return entry.second; });
  return best == right.end() ? 0 : best->first;
}

// The head that is right most often in a half, the first of equals.
std::size_t BestHead(const RelationCases& relation, std::size_t heads, int half) {
  std::vector<std::int64_t> right(heads, 0);
  for (const PairCase* pair : relation.cases) {
    for (std::size_t head = 0; head < heads && IsInHalf(*pair, half); ++head) {
      right[head] += BitOf(pair->right, head) ? 1 : 0;
    }
  }
  return static_cast<std::size_t>(std::ranges::max_element(right) - right.begin());
}

double ChanceOf(const PairCase& pair) {
  return static_cast<double>(pair.targets) / static_cast<double>(pair.candidates);
}

// What a head is held against: the controls, in the order of their names, and chance.
constexpr std::size_t kChance = kControlNames.size();
using Bars = std::array<double, kChance + 1>;

Bars BarsOf(const PairCase& pair, std::size_t head, std::int64_t offset) {
  const auto right = [](bool is_right) { return is_right ? 1.0 : 0.0; };
  return {right(BitOf(pair.popular, head)),
          right(pair.offset == offset),
          right(pair.rarest),
          right(pair.pieces_or_nearest),
          ChanceOf(pair)};
}

// What the halves found, each counted on the other.
struct CrossFit {
  std::array<std::size_t, 2> head = {};  // chosen on half i
  double right = 0.0;                    // of all cases
  Bars bars = {};
  double error = 0.0;  // standard error of right, over sentences
  double z = 0.0;      // the least over the bars
  std::size_t closest = 0;
  std::int64_t sentences = 0;  // with a case
  std::int64_t differing = 0;  // in which the head and the closest bar differ
};

CrossFit Fit(const RelationCases& relation, std::size_t heads) {
  CrossFit fit;
  std::array<std::int64_t, 2> offset = {};
  for (const int half : {0, 1}) {
    fit.head[static_cast<std::size_t>(half)] = BestHead(relation, heads, half);
    offset[static_cast<std::size_t>(half)] = BestOffset(relation, half);
  }
  struct Sentence {
    double cases = 0.0;
    double right = 0.0;
    Bars difference = {};
  };
  std::map<std::int64_t, Sentence> sentences;
  for (const PairCase* pair : relation.cases) {
    const auto other = static_cast<std::size_t>(IsInHalf(*pair, 0) ? 1 : 0);
    const double right = BitOf(pair->right, fit.head[other]) ? 1.0 : 0.0;
    Sentence& sentence = sentences[pair->sentence];
    sentence.cases += 1.0;
    sentence.right += right;
    fit.right += right;
    const Bars bars = BarsOf(*pair, fit.head[other], offset[other]);
    for (std::size_t i = 0; i < bars.size(); ++i) {
      fit.bars[i] += bars[i];
      sentence.difference[i] += right - bars[i];
    }
  }
  const auto count = static_cast<double>(relation.cases.size());
  fit.right /= count;
  for (double& bar : fit.bars) {
    bar /= count;
  }
  fit.sentences = std::ssize(sentences);
  double spread = 0.0;
  for (const auto& [place, sentence] : sentences) {
    const double off = sentence.right - fit.right * sentence.cases;
    spread += off * off;
  }
  fit.error = std::sqrt(spread) / count;
  for (std::size_t i = 0; i < fit.bars.size(); ++i) {
    double sum = 0.0;
    double square = 0.0;
    std::int64_t differing = 0;
    for (const auto& [place, sentence] : sentences) {
      sum += sentence.difference[i];
      square += sentence.difference[i] * sentence.difference[i];
      differing += sentence.difference[i] != 0.0 ? 1 : 0;
    }
    const double z = square > 0.0 ? sum / std::sqrt(square) : 0.0;
    if (i == 0 || z < fit.z) {
      fit.z = z;
      fit.closest = i;
      fit.differing = differing;
    }
  }
  return fit;
}

// A relation's cases, with what is the same for every head.
class RelationFacts {
 public:
  explicit RelationFacts(const RelationCases& relation) : relation_(relation) {
    const std::int64_t offset = BestOffset(relation, -1);
    std::map<std::int64_t, std::size_t> places;
    for (const PairCase* pair : relation.cases) {
      places[pair->sentence] = 0;
      chance_ += ChanceOf(*pair);
      offset_ += pair->offset == offset ? 1.0 : 0.0;
      rarest_ += pair->rarest ? 1.0 : 0.0;
      pieces_or_nearest_ += pair->pieces_or_nearest ? 1.0 : 0.0;
    }
    for (auto& [sentence, place] : places) {
      place = cases_in_.size();
      cases_in_.push_back(0.0);
    }
    for (const PairCase* pair : relation.cases) {
      sentence_of_.push_back(places[pair->sentence]);
      cases_in_[sentence_of_.back()] += 1.0;
    }
  }

  [[nodiscard]] HeadScore ScoreOf(std::size_t head) const {
    const auto count = static_cast<double>(relation_.cases.size());
    double right = 0.0;
    double popular = 0.0;
    std::vector<double> right_in(cases_in_.size(), 0.0);
    for (std::size_t i = 0; i < relation_.cases.size(); ++i) {
      const double is_right = BitOf(relation_.cases[i]->right, head) ? 1.0 : 0.0;
      right += is_right;
      right_in[sentence_of_[i]] += is_right;
      popular += BitOf(relation_.cases[i]->popular, head) ? 1.0 : 0.0;
    }
    HeadScore score;
    score.rows = std::ssize(relation_.cases);
    score.sequences = std::ssize(cases_in_);
    score.score = right / count;
    score.chance = chance_ / count;
    score.control = std::max({popular, offset_, rarest_, pieces_or_nearest_}) / count;
    double spread = 0.0;
    for (std::size_t i = 0; i < cases_in_.size(); ++i) {
      const double off = right_in[i] - *score.score * cases_in_[i];
      spread += off * off;
    }
    if (cases_in_.size() > 1) {
      score.error = std::sqrt(spread) / count;
    }
    return score;
  }

 private:
  const RelationCases& relation_;
  double chance_ = 0.0;
  double offset_ = 0.0;  // cases in which each control is right
  double rarest_ = 0.0;
  double pieces_or_nearest_ = 0.0;
  std::vector<std::size_t> sentence_of_;  // [case]: into cases_in_
  std::vector<double> cases_in_;          // [sentence]
};

std::string Percent(double share) {
  return fmt::format("{:.0f} %", 100.0 * share);
}

// "looks from a determiner to its noun in 86 % of 120 pairs of det"
std::string WhatItDoes(const RelationCases& relation, double right) {
  const PairWords words = WordsOfRelation(relation.relation);
  const auto article = [](std::string_view word) {
    return std::string_view("aeiou").find(word.front()) == std::string_view::npos ? "a" : "an";
  };
  const auto look = [&](std::string_view from, std::string_view to) {
    return fmt::format("looks from {} {} to its {}", article(from), from, to);
  };
  std::string does = "looks from the later word to the earlier";
  if (IsOfMentions(relation)) {
    does = "looks from a mention to an earlier one of the same";
  } else if (relation.direction == PairDirection::kDependentToHead) {
    does = look(words.dependent, words.governor);
  } else if (relation.direction == PairDirection::kHeadToDependent) {
    does = look(words.governor, words.dependent);
  }
  return fmt::format("{} in {} of {} {}",
                     does,
                     Percent(right),
                     relation.cases.size(),
                     IsOfMentions(relation) ? "mentions" : "pairs of " + relation.relation);
}

Suggestion Suggest(const RelationCases& relation,
                   const CrossFit& fit,
                   const HeadsOfScan& heads,
                   std::size_t half,
                   double p,
                   double stability) {
  Suggestion found;
  found.head = heads.At(fit.head[half]);
  const bool is_of_mentions = IsOfMentions(relation);
  const std::span<const std::string_view> names = ControlNames(is_of_mentions);
  found.role = is_of_mentions ? "coreference" : "syntactic";
  found.metric = RelationId(relation);
  found.relation = relation.relation;
  found.direction = is_of_mentions ? "" : DirectionName(relation.direction);
  found.verdict = Verdict::kStrong;
  found.score = fit.right;
  found.error = fit.error;
  found.chance = fit.bars[kChance];
  const auto controls = std::span(fit.bars).first<kChance>();
  const auto best = static_cast<std::size_t>(std::ranges::max_element(controls) - controls.begin());
  found.control = controls[best];
  found.control_kind = names[best];
  found.cases = std::ssize(relation.cases);
  found.sequences = fit.sentences;
  found.p_corrected = p;
  found.stability = stability;
  found.why = fmt::format("{} {}", HeadName(found.head), WhatItDoes(relation, fit.right));
  found.why += fmt::format("; chance {}", Percent(*found.chance));
  for (std::size_t i = 0; i < names.size(); ++i) {
    found.why += fmt::format("{}{} {}", i == 0 ? ", " : ", the ", names[i], Percent(controls[i]));
  }
  found.why += fmt::format(" ({} sentences, each half judged by the other)", fit.sentences);
  found.why +=
      fmt::format("; of all heads it is right most often in {} of {} draws of the sentences",
                  Percent(stability),
                  kBootstraps);
  if (fit.head[0] != fit.head[1]) {
    found.why += fmt::format("; shared with {}", HeadName(heads.At(fit.head[1 - half])));
  }
  return found;
}

// Pairs of a direction that are later-to-earlier ones, too.
std::int64_t LookBack(const RelationCases& relation) {
  return std::ranges::count_if(relation.cases,
                               [](const PairCase* pair) { return pair->offset < 0; });
}

// Where two directions have nearly the same pairs, only one of them is the finding.
void DropRepeated(std::span<const RelationCases> relations, std::vector<Suggestion>* found) {
  const std::string_view either = DirectionName(PairDirection::kLaterToEarlier);
  const std::vector<Suggestion> all = *found;
  const auto cases_of = [&](const Suggestion& one) -> const RelationCases& {
    return *std::ranges::find(relations, one.metric, RelationId);
  };
  std::erase_if(*found, [&](const Suggestion& one) {
    return one.direction == either && std::ranges::any_of(all, [&](const Suggestion& other) {
             return other.head == one.head && other.relation == one.relation &&
                    other.direction != either &&
                    one.cases - LookBack(cases_of(other)) < kFewestPairs;
           });
  });
}

}  // namespace

std::span<const std::string_view> ControlNames(bool of_mentions) {
  return of_mentions ? kMentionControlNames : kControlNames;
}

std::vector<RelationCases> GroupCases(std::span<const PairCase> cases) {
  std::map<std::pair<std::string, PairDirection>, RelationCases> groups;
  for (const PairCase& pair : cases) {
    RelationCases& group = groups[{pair.relation, pair.direction}];
    group.relation = pair.relation;
    group.direction = pair.direction;
    group.cases.push_back(&pair);
  }
  std::vector<RelationCases> relations;
  relations.reserve(groups.size());
  for (auto& [key, group] : groups) {
    relations.push_back(std::move(group));
  }
  return relations;
}

std::string RelationId(const RelationCases& relation) {
  return IsOfMentions(relation) ? std::string(kMentionsId)
                                : fmt::format("{}{}:{}",
                                              kRelationPrefix,
                                              relation.relation,
                                              DirectionName(relation.direction));
}

std::vector<HeadScore> RelationScores(const RelationCases& relation, std::size_t heads) {
  const RelationFacts facts(relation);
  std::vector<HeadScore> scores;
  for (std::size_t head = 0; head < heads; ++head) {
    scores.push_back(facts.ScoreOf(head));
  }
  return scores;
}

std::int64_t QuestionsOf(std::span<const RelationCases> relations) {
  return std::ranges::count_if(relations, [](const RelationCases& relation) {
    return std::ssize(relation.cases) >= kFewestPairs;
  });
}

std::vector<Suggestion> DecideRelations(std::span<const RelationCases> relations,
                                        const HeadsOfScan& heads,
                                        std::int64_t others) {
  struct Tested {
    const RelationCases* relation = nullptr;
    CrossFit fit;
    double p = 1.0;
  };
  std::vector<Tested> tested;
  for (const RelationCases& relation : relations) {
    if (std::ssize(relation.cases) >= kFewestPairs) {
      const CrossFit fit = Fit(relation, heads.count());
      tested.push_back({&relation, fit, NormalTail(fit.z)});
    }
  }
  std::ranges::stable_sort(tested, {}, &Tested::p);
  std::vector<Suggestion> found;
  double corrected = 0.0;
  for (std::size_t i = 0; i < tested.size(); ++i) {
    const CrossFit& fit = tested[i].fit;
    const auto left =
        static_cast<double>(std::ssize(tested) - static_cast<std::ptrdiff_t>(i) + others);
    corrected = std::min(1.0, std::max(corrected, left * tested[i].p));
    const double lift = fit.right - *std::ranges::max_element(fit.bars);
    if (corrected > kRoleLevel || lift < kLeastLift || fit.differing < kFewestSentences) {
      continue;
    }
    const std::vector<double> shares = BootstrapShares(*tested[i].relation, heads.count());
    for (const std::size_t half : {std::size_t{0}, std::size_t{1}}) {
      if (half == 0 || fit.head[1] != fit.head[0]) {
        found.push_back(
            Suggest(*tested[i].relation, fit, heads, half, corrected, shares[fit.head[half]]));
      }
    }
  }
  DropRepeated(relations, &found);
  return found;
}

}  // namespace headscope
