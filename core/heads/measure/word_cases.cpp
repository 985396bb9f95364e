#include "core/heads/measure/word_cases.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <unordered_map>

#include "core/attention/worth_threads.h"
#include "core/base/check.h"
#include "core/io/annotated_text.h"

namespace headscope {
namespace {

std::string LowerCase(std::string_view form) {
  std::string lower(form);
  for (char& character : lower) {
    character = static_cast<char>(std::tolower(static_cast<unsigned char>(character)));
  }
  return lower;
}

// The first of equals; there is one at least.
template <typename Better>
std::size_t BestOf(std::span<const std::size_t> words, const Better& is_better) {
  std::size_t best = words.front();
  for (const std::size_t word : words) {
    if (is_better(word, best)) {
      best = word;
    }
  }
  return best;
}

std::size_t DistanceOf(std::size_t left, std::size_t right) {
  return left < right ? right - left : left - right;
}

// A question about the words of `among` from `first` on, with what the controls answer.
void Ask(std::size_t query, std::size_t first, bool nearest, WordSentence* to) {
  const std::vector<std::int64_t>& count = to->count;
  const std::vector<std::int64_t>& pieces = to->pieces;
  const auto is_nearer = [&](std::size_t a, std::size_t b) {
    return DistanceOf(a, query) < DistanceOf(b, query);
  };
  const auto is_rarer = [&](std::size_t a, std::size_t b) {
    return count[a] < count[b] || (count[a] == count[b] && is_nearer(a, b));
  };
  const auto is_longer = [&](std::size_t a, std::size_t b) {
    return pieces[a] > pieces[b] || (pieces[a] == pieces[b] && is_nearer(a, b));
  };
  const auto among = std::span(to->among).subspan(first);
  to->questions.push_back({query,
                           {first, to->among.size()},
                           BestOf(among, is_rarer),
                           nearest ? BestOf(among, is_nearer) : BestOf(among, is_longer)});
}

void AddCase(PairCase pair,
             std::size_t question,
             std::span<const std::size_t> right,
             WordSentence* to) {
  const WordQuestion& asked = to->questions[question];
  const auto is_nearer = [&](std::size_t a, std::size_t b) {
    return DistanceOf(a, asked.query) < DistanceOf(b, asked.query);
  };
  const auto is_right = [&](std::size_t word) { return std::ranges::binary_search(right, word); };
  const std::size_t target = BestOf(right, is_nearer);
  pair.offset = static_cast<std::int64_t>(target) - static_cast<std::int64_t>(asked.query);
  pair.candidates = static_cast<std::int64_t>(asked.among.end - asked.among.begin);
  pair.targets = std::ssize(right);
  pair.rarest = is_right(asked.rarest);
  pair.pieces_or_nearest = is_right(asked.longest_or_nearest);
  to->cases.push_back(std::move(pair));
  to->question.push_back(question);
  to->right.push_back({to->right_words.size(), to->right_words.size() + right.size()});
  to->right_words.insert(to->right_words.end(), right.begin(), right.end());
}

void CollectRelations(std::span<const AnnotatedWord> words, bool causal, WordSentence* to) {
  constexpr std::size_t kCasesOfWord = 3;
  to->cases.reserve(kCasesOfWord * words.size());
  to->question.reserve(kCasesOfWord * words.size());
  to->right.reserve(kCasesOfWord * words.size());
  to->right_words.reserve(kCasesOfWord * words.size());
  to->questions.reserve(words.size());
  to->among.reserve(words.size() * words.size() / (causal ? 2 : 1));
  std::vector<std::size_t> question_of(words.size(), words.size());  // that many: not asked yet
  const auto add = [&](const std::string& relation,
                       PairDirection direction,
                       std::size_t query,
                       std::size_t target) {
    if (to->pieces[query] == 0 || to->pieces[target] == 0 || (causal && target > query)) {
      return;
    }
    if (question_of[query] == words.size()) {
      question_of[query] = to->questions.size();
      const std::size_t first = to->among.size();
      for (std::size_t word = 0; word < (causal ? query : words.size()); ++word) {
        if (word != query && to->pieces[word] > 0) {
          to->among.push_back(word);
        }
      }
      Ask(query, first, false, to);
    }
    PairCase pair;
    pair.relation = relation;
    pair.direction = direction;
    AddCase(std::move(pair), question_of[query], {&target, 1}, to);
  };
  for (std::size_t word = 0; word < words.size(); ++word) {
    const AnnotatedWord& dependent = words[word];
    if (dependent.head < 0 || dependent.relation.empty() || dependent.relation == "punct") {
      continue;
    }
    const auto head = static_cast<std::size_t>(dependent.head);
    add(dependent.relation, PairDirection::kDependentToHead, word, head);
    add(dependent.relation, PairDirection::kHeadToDependent, head, word);
    add(dependent.relation,
        PairDirection::kLaterToEarlier,
        std::max(word, head),
        std::min(word, head));
  }
}

void CollectMentions(const AnnotatedSentence& annotation, WordSentence* to) {
  // The entities of each word that is the head of a mention.
  std::map<std::size_t, std::set<std::string>> entities;
  for (const Mention& mention : annotation.mentions) {
    const auto head = static_cast<std::size_t>(mention.head);
    if (to->pieces[head] > 0) {
      entities[head].insert(mention.entity);
    }
  }
  std::vector<std::size_t> before;
  for (const auto& [query, own] : entities) {
    if (before.size() >= 2) {
      const std::size_t first = to->among.size();
      to->among.insert(to->among.end(), before.begin(), before.end());
      Ask(query, first, true, to);
    }
    for (const std::string& entity : own) {
      std::vector<std::size_t> right;
      std::ranges::copy_if(before, std::back_inserter(right), [&](std::size_t word) {
        return entities.at(word).contains(entity);
      });
      if (before.size() >= 2 && !right.empty()) {
        PairCase pair;
        pair.direction = PairDirection::kToEarlierMention;
        AddCase(std::move(pair), to->questions.size() - 1, right, to);
      }
    }
    before.push_back(query);
  }
}

}  // namespace

std::string_view DirectionName(PairDirection direction) {
  switch (direction) {
    case PairDirection::kDependentToHead:
      return "dependent-to-head";
    case PairDirection::kHeadToDependent:
      return "head-to-dependent";
    case PairDirection::kToEarlierMention:
      return "to-earlier-mention";
    case PairDirection::kLaterToEarlier:
      break;
  }
  return "later-to-earlier";
}

WordCounts CountWords(const ProbeCorpus& corpus) {
  std::unordered_map<std::string, std::int64_t> of_form;
  std::vector<std::vector<const std::int64_t*>> places;  // they stay where they are
  for (const ProbeSequence& sequence : corpus.sequences) {
    places.emplace_back();
    if (sequence.annotation != nullptr) {
      for (const AnnotatedWord& word : sequence.annotation->words) {
        std::int64_t& count = of_form[LowerCase(word.form)];
        ++count;
        places.back().push_back(&count);
      }
    }
  }
  WordCounts counts;
  for (std::size_t sequence = 0; !of_form.empty() && sequence < places.size(); ++sequence) {
    counts.emplace_back();
    for (const std::int64_t* const count : places[sequence]) {
      counts.back().push_back(*count);
    }
  }
  return counts;
}

WordSentence AskAboutWords(const ProbeSequence& sequence,
                           const std::vector<std::int64_t>& count,
                           bool causal,
                           std::size_t heads) {
  WordSentence sentence;
  if (sequence.annotation == nullptr) {
    return sentence;
  }
  const std::vector<AnnotatedWord>& words = sequence.annotation->words;
  sentence.word = sequence.annotated_word;
  sentence.pieces.assign(words.size(), 0);
  sentence.tokens.reserve(words.size());
  sentence.part_of.reserve(words.size());
  for (std::size_t token = 0; token < sentence.word.size(); ++token) {
    if (sentence.word[token] < 0) {
      continue;
    }
    const auto word = static_cast<std::size_t>(sentence.word[token]);
    const auto place = static_cast<std::int64_t>(token);
    ++sentence.pieces[word];
    std::vector<WordTokens>& tokens = sentence.tokens;
    if (!tokens.empty() && tokens.back().word == word && tokens.back().end == place) {
      ++tokens.back().end;
    } else {
      tokens.push_back({place, place + 1, word});
    }
  }
  const std::int64_t with_tokens =
      std::ranges::count_if(sentence.pieces, [](std::int64_t pieces) { return pieces > 0; });
  std::int64_t later = with_tokens;
  for (const std::int64_t pieces : sentence.pieces) {
    later -= pieces > 0 ? 1 : 0;
    const std::int64_t queries = causal ? later : with_tokens - (pieces > 0 ? 1 : 0);
    sentence.part_of.push_back(queries > 1 ? 1.0 / static_cast<double>(queries - 1) : 0.0);
  }
  sentence.count = count;
  CollectRelations(words, causal, &sentence);
  CollectMentions(*sequence.annotation, &sentence);
  for (PairCase& pair : sentence.cases) {
    pair.right.assign((heads + 63) / 64, 0);
    pair.popular = pair.right;
  }
  sentence.tree = GoldTreeOf(*sequence.annotation, sentence.pieces);
  return sentence;
}

WordReader::WordReader(const ProbeCorpus& corpus,
                       std::span<const std::size_t> places,
                       const WordCounts& counts,
                       std::int64_t layers,
                       std::int64_t heads)
    : corpus_(corpus),
      places_(places),
      counts_(counts),
      layers_(static_cast<std::size_t>(layers)),
      heads_(static_cast<std::size_t>(heads)),
      sentences_(places.size()),
      groups_((heads_ + kLanesOfGroup - 1) / kLanesOfGroup),
      trees_(layers_ * heads_) {}

AttentionObserver* WordReader::BeginLayer(LayerId layer) {
  layer_ = static_cast<std::size_t>(layer.layer);
  begun_ = 0;
  return this;
}

void WordReader::OnProjections(const AttentionProjections& projections) {
  HEADSCOPE_CHECK(
      begun_ < places_.size() && static_cast<std::size_t>(projections.shape.heads) == heads_,
      "the batch is what is run");
  if (begun_ > 0) {
    FinishSentence();
  }
  if (is_first_layer_) {
    const std::size_t place = places_[begun_];
    sentences_[begun_] = AskAboutWords(
        corpus_.sequences[place], counts_[place], projections.rule.causal, layers_ * heads_);
    for (PairCase& pair : sentences_[begun_].cases) {
      pair.sentence = static_cast<std::int64_t>(place);
    }
  }
  rule_ = projections.rule;
  if (sentences_[begun_].is_asked()) {
    const std::size_t words = sentences_[begun_].pieces.size();
    for (Group& group : groups_) {
      group.map.assign(words * words * kLanesOfGroup, 0.0F);
    }
  }
  ++begun_;
}

void WordReader::OnBlock(const AttentionBlock& block) {
  if (sentences_[begun_ - 1].is_asked()) {
    LaneReader* const self = this;
    ReadInLanes(block, rule_, {&self, 1}, &lanes_);
  }
}

// A word's row is the sum of its tokens' rows, cell by cell.
void WordReader::OnLanes(const HeadLanes& lanes) {
  const WordSentence& sentence = sentences_[begun_ - 1];
  if (!sentence.is_asked()) {
    return;
  }
  Group& group = groups_[static_cast<std::size_t>(lanes.group() / kLanesOfGroup)];
  for (const WordTokens& queries : sentence.tokens) {
    const std::int64_t begin = std::max(queries.begin, lanes.query_begin());
    const std::int64_t end = std::min(queries.end, lanes.query_end());
    if (begin >= end) {
      continue;
    }
    const float* row = lanes.Cells(begin);
    const std::int64_t count = lanes.Count(end - 1);
    if (end - begin > 1) {
      group.row.assign(static_cast<std::size_t>(count * kLanesOfGroup), 0.0F);
      for (std::int64_t query = begin; query < end; ++query) {
        AddLaneRow(lanes.Cells(query), lanes.Count(query), group.row.data());
      }
      row = group.row.data();
    }
    const auto pieces = static_cast<float>(sentence.pieces[queries.word]);
    float* const to = group.map.data() + queries.word * sentence.pieces.size() * kLanesOfGroup;
    AddToWords(row, count, sentence.tokens, 1.0F / pieces, to);
  }
}

// What heads look at most in each question, what they like anyway, and the trees of the first `heads`.
void WordReader::Judge(const WordSentence& sentence, std::size_t heads, Group* group) const {
  const std::size_t words = sentence.pieces.size();
  const WordMap map{group->map.data(), sentence.pieces, rule_.causal};
  group->liked.resize(words * kLanesOfGroup);
  group->answers.resize(sentence.questions.size());
  if (!sentence.questions.empty()) {
    SumLiked(map, group->liked.data());
  }
  for (std::size_t i = 0; i < sentence.questions.size(); ++i) {
    const WordQuestion& asked = sentence.questions[i];
    AnswerQuestion(map,
                   asked.query,
                   sentence.Among(asked),
                   group->liked.data(),
                   sentence.part_of,
                   &group->answers[i]);
  }
  if (!sentence.tree.words.empty()) {
    CountEdgesFound(sentence.tree,
                    std::span(group->map).first(words * words * kLanesOfGroup),
                    words,
                    &group->edge_room,
                    std::span(group->edges).first(heads));
  }
}

// Handles the heads from `first` on, counted over all layers.
void WordReader::AddAnswers(std::size_t first,
                            std::size_t heads,
                            const Group& group,
                            WordSentence* sentence) {
  // Bits of eight heads, which may lie in two numbers.
  const auto set = [&](std::uint64_t bits, HeadBits* to) {
    bits &= (std::uint64_t{1} << heads) - 1;
    const std::size_t shift = first % 64;
    (*to)[first / 64] |= bits << shift;
    if (shift + heads > 64) {
      (*to)[first / 64 + 1] |= bits >> (64 - shift);
    }
  };
  for (std::size_t i = 0; i < sentence->cases.size(); ++i) {
    const WordAnswers& answers = group.answers[sentence->question[i]];
    std::uint64_t right = 0;
    std::uint64_t popular = 0;
    for (const std::size_t word : sentence->RightOf(i)) {
      right |= HeadsWith(answers.best, static_cast<std::int32_t>(word));
      popular |= HeadsWith(answers.popular, static_cast<std::int32_t>(word));
    }
    set(right, &sentence->cases[i].right);
    set(popular, &sentence->cases[i].popular);
  }
}

void WordReader::FinishSentence() {
  WordSentence& sentence = sentences_[begun_ - 1];
  if (!sentence.is_asked()) {
    return;
  }
  const std::size_t words = sentence.pieces.size();
  const auto heads_of = [&](std::size_t group) {
    return std::min<std::size_t>(heads_ - group * kLanesOfGroup, kLanesOfGroup);
  };
  const bool is_worth_threads =
      groups_.size() > 1 && IsWorthThreads(static_cast<std::int64_t>(heads_ * words * words));
#pragma omp parallel for schedule(static) if (is_worth_threads)
  for (std::size_t group = 0; group < groups_.size(); ++group) {
    Judge(sentence, heads_of(group), &groups_[group]);
  }
  for (std::size_t group = 0; group < groups_.size(); ++group) {
    AddAnswers(layer_ * heads_ + group * kLanesOfGroup, heads_of(group), groups_[group], &sentence);
  }
  const auto edges = static_cast<double>(sentence.tree.edges());
  const double chance = edges * 2.0 / static_cast<double>(sentence.tree.words.size());
  const auto control = static_cast<double>(sentence.tree.edges_of_neighbours());
  for (std::size_t head = 0; edges > 0.0 && head < heads_; ++head) {
    const Group& group = groups_[head / kLanesOfGroup];
    trees_[layer_ * heads_ + head].AddText(
        static_cast<double>(group.edges[head % kLanesOfGroup]), chance, control, edges);
  }
}

Status WordReader::EndLayer(LayerId /*layer*/) {
  FinishSentence();
  is_first_layer_ = false;
  return {};
}

bool WordReader::has_trees() const {
  return std::ranges::any_of(trees_, [](const HeadMean& head) { return head.rows > 0.0; });
}

void WordReader::AddTreesTo(HeadMeans* means) const {
  AddHeads(trees_, means);
}

std::vector<PairCase> WordReader::TakeCases() {
  std::vector<PairCase> all;
  for (WordSentence& sentence : sentences_) {
    std::ranges::move(sentence.cases, std::back_inserter(all));
    sentence.cases.clear();
  }
  return all;
}

}  // namespace headscope
