#include "core/heads/word_cases.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <iterator>
#include <set>

#include "core/base/check.h"
#include "core/heads/worth_threads.h"
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
  WordCounts counts;
  for (const ProbeSequence& sequence : corpus.sequences) {
    if (sequence.annotation != nullptr) {
      for (const AnnotatedWord& word : sequence.annotation->words) {
        ++counts[LowerCase(word.form)];
      }
    }
  }
  return counts;
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
      trees_(layers_ * heads_) {}

AttentionObserver* WordReader::BeginLayer(LayerId layer) {
  layer_ = static_cast<std::size_t>(layer.layer);
  begun_ = 0;
  return this;
}

// The pairs of a sentence, with what the controls say that no head has a part in.
void WordReader::Collect(std::size_t index, bool causal) {
  const ProbeSequence& sequence = corpus_.sequences[places_[index]];
  Sentence& sentence = sentences_[index];
  if (sequence.annotation == nullptr) {
    return;
  }
  const std::vector<AnnotatedWord>& words = sequence.annotation->words;
  sentence.word = sequence.annotated_word;
  sentence.pieces.assign(words.size(), 0);
  for (const std::int32_t word : sentence.word) {
    if (word >= 0) {
      ++sentence.pieces[static_cast<std::size_t>(word)];
    }
  }
  for (const AnnotatedWord& word : words) {
    sentence.count.push_back(counts_.find(LowerCase(word.form))->second);
  }
  CollectRelations(words, causal, &sentence);
  CollectMentions(*sequence.annotation, &sentence);
  for (PairCase& pair : sentence.cases) {
    pair.sentence = static_cast<std::int64_t>(places_[index]);
  }
  sentence.tree = GoldTreeOf(*sequence.annotation, sentence.pieces);
}

void WordReader::AddCase(PairCase pair, Asked asked, Sentence* to) const {
  const std::vector<std::int64_t>& count = to->count;
  const std::vector<std::int64_t>& pieces = to->pieces;
  const auto is_nearer = [&](std::size_t a, std::size_t b) {
    return DistanceOf(a, asked.query) < DistanceOf(b, asked.query);
  };
  const auto is_rarer = [&](std::size_t a, std::size_t b) {
    return count[a] < count[b] || (count[a] == count[b] && is_nearer(a, b));
  };
  const auto is_longer = [&](std::size_t a, std::size_t b) {
    return pieces[a] > pieces[b] || (pieces[a] == pieces[b] && is_nearer(a, b));
  };
  const auto is_right = [&](std::size_t word) {
    return std::ranges::binary_search(asked.right, word);
  };
  const std::size_t target = BestOf(asked.right, is_nearer);
  pair.offset = static_cast<std::int64_t>(target) - static_cast<std::int64_t>(asked.query);
  pair.candidates = std::ssize(asked.among);
  pair.targets = std::ssize(asked.right);
  pair.rarest = is_right(BestOf(asked.among, is_rarer));
  pair.pieces_or_nearest =
      is_right(pair.direction == PairDirection::kToEarlierMention ? BestOf(asked.among, is_nearer)
                                                                  : BestOf(asked.among, is_longer));
  pair.right.assign((layers_ * heads_ + 63) / 64, 0);
  pair.popular = pair.right;
  to->cases.push_back(std::move(pair));
  to->asked.push_back(std::move(asked));
}

void WordReader::CollectRelations(std::span<const AnnotatedWord> words,
                                  bool causal,
                                  Sentence* to) const {
  const auto add = [&](const std::string& relation,
                       PairDirection direction,
                       std::size_t query,
                       std::size_t target) {
    if (to->pieces[query] == 0 || to->pieces[target] == 0 || (causal && target > query)) {
      return;
    }
    Asked asked{.query = query, .among = {}, .right = {target}};
    for (std::size_t word = 0; word < (causal ? query : words.size()); ++word) {
      if (word != query && to->pieces[word] > 0) {
        asked.among.push_back(word);
      }
    }
    PairCase pair;
    pair.relation = relation;
    pair.direction = direction;
    AddCase(std::move(pair), std::move(asked), to);
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

void WordReader::CollectMentions(const AnnotatedSentence& annotation, Sentence* to) const {
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
    for (const std::string& entity : own) {
      Asked asked{.query = query, .among = before, .right = {}};
      std::ranges::copy_if(before, std::back_inserter(asked.right), [&](std::size_t word) {
        return entities.at(word).contains(entity);
      });
      if (asked.among.size() >= 2 && !asked.right.empty()) {
        PairCase pair;
        pair.direction = PairDirection::kToEarlierMention;
        AddCase(std::move(pair), std::move(asked), to);
      }
    }
    before.push_back(query);
  }
}

void WordReader::OnProjections(const AttentionShape& shape,
                               const AttentionRule& rule,
                               std::span<const float> /*queries*/,
                               std::span<const float> /*keys*/,
                               std::span<const float> /*values*/) {
  HEADSCOPE_CHECK(begun_ < places_.size() && static_cast<std::size_t>(shape.heads) == heads_,
                  "the batch is what is run");
  if (begun_ > 0) {
    FinishSentence();
  }
  if (is_first_layer_) {
    Collect(begun_, rule.causal);
  }
  rule_ = rule;
  if (sentences_[begun_].is_asked()) {
    const std::size_t words = sentences_[begun_].pieces.size();
    maps_.assign(heads_ * words * words, 0.0F);
  }
  ++begun_;
}

void WordReader::OnBlock(const AttentionBlock& block) {
  const Sentence& sentence = sentences_[begun_ - 1];
  const std::size_t words = sentence.pieces.size();
  if (!sentence.is_asked()) {
    return;
  }
  const std::int64_t rows = block.query_end - block.query_begin;
  const bool is_worth_threads = IsWorthThreads(std::ssize(block.weights));
#pragma omp parallel for schedule(static) if (is_worth_threads)
  for (std::int64_t head = block.head_begin; head < block.head_end; ++head) {
    float* map = maps_.data() + static_cast<std::size_t>(head) * words * words;
    for (std::int64_t query = block.query_begin; query < block.query_end; ++query) {
      const std::int32_t own = sentence.word[static_cast<std::size_t>(query)];
      if (own < 0) {
        continue;
      }
      const auto word = static_cast<std::size_t>(own);
      const float part = 1.0F / static_cast<float>(sentence.pieces[word]);
      const float* weights =
          block.weights.data() +
          ((head - block.head_begin) * rows + query - block.query_begin) * block.keys;
      float* row = map + word * words;
      const std::int64_t last = rule_.LastVisible(query, block.keys);
      for (std::int64_t key = rule_.FirstVisible(query); key < last; ++key) {
        const std::int32_t to = sentence.word[static_cast<std::size_t>(key)];
        if (to >= 0) {
          row[to] += part * weights[key];
        }
      }
    }
  }
}

// Whether a head and what it likes anyway are right in each case.
WordReader::Answers WordReader::Judge(const Sentence& sentence, std::span<const float> map) const {
  const std::size_t words = sentence.pieces.size();
  // Of each key over all queries: their sum, each times the words that the query sees.
  const auto weight = [&](std::size_t query) {
    return rule_.causal ? static_cast<double>(query + 1) : 1.0;
  };
  std::vector<double> liked(words, 0.0);
  std::vector<std::int64_t> queries(words, 0);
  for (std::size_t query = 0; query < words; ++query) {
    const std::size_t last = rule_.causal ? query : words;
    const float* row = map.data() + query * words;
    for (std::size_t key = 0; key < last && sentence.pieces[query] > 0; ++key) {
      if (key != query) {
        liked[key] += weight(query) * static_cast<double>(row[key]);
        ++queries[key];
      }
    }
  }
  Answers answers;
  for (const Asked& asked : sentence.asked) {
    const float* row = map.data() + asked.query * words;
    const auto mean = [&](std::size_t key) {
      const double own = weight(asked.query) * static_cast<double>(row[key]);
      return queries[key] > 1 ? (liked[key] - own) / static_cast<double>(queries[key] - 1) : 0.0;
    };
    std::size_t best = asked.among.front();
    std::size_t popular = best;
    double most = mean(popular);
    for (const std::size_t word : asked.among) {
      best = row[word] > row[best] ? word : best;
      if (const double own = mean(word); own > most) {
        popular = word;
        most = own;
      }
    }
    answers.right.push_back(std::ranges::binary_search(asked.right, best) ? 1 : 0);
    answers.popular.push_back(std::ranges::binary_search(asked.right, popular) ? 1 : 0);
  }
  if (!sentence.tree.words.empty()) {
    answers.edges = EdgesFound(sentence.tree, map, words);
  }
  return answers;
}

void WordReader::FinishSentence() {
  Sentence& sentence = sentences_[begun_ - 1];
  if (!sentence.is_asked()) {
    return;
  }
  const std::size_t cells = sentence.pieces.size() * sentence.pieces.size();
  std::vector<Answers> answers(heads_);
  const bool is_worth_threads = IsWorthThreads(static_cast<std::int64_t>(heads_ * cells));
#pragma omp parallel for schedule(static) if (is_worth_threads)
  for (std::size_t head = 0; head < heads_; ++head) {
    answers[head] = Judge(sentence, std::span(maps_).subspan(head * cells, cells));
  }
  const auto edges = static_cast<double>(sentence.tree.edges());
  const double chance = edges * 2.0 / static_cast<double>(sentence.tree.words.size());
  const auto control = static_cast<double>(sentence.tree.edges_of_neighbours());
  for (std::size_t head = 0; head < heads_; ++head) {
    const std::size_t place = layer_ * heads_ + head;
    for (std::size_t i = 0; i < sentence.cases.size(); ++i) {
      if (answers[head].right[i] != 0) {
        SetBit(place, &sentence.cases[i].right);
      }
      if (answers[head].popular[i] != 0) {
        SetBit(place, &sentence.cases[i].popular);
      }
    }
    if (edges > 0.0) {
      trees_[place].AddText(static_cast<double>(answers[head].edges), chance, control, edges);
    }
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
  means->resize(trees_.size());
  for (std::size_t head = 0; head < trees_.size(); ++head) {
    (*means)[head].Add(trees_[head]);
  }
}

std::vector<PairCase> WordReader::TakeCases() {
  std::vector<PairCase> all;
  for (Sentence& sentence : sentences_) {
    std::ranges::move(sentence.cases, std::back_inserter(all));
    sentence.cases.clear();
  }
  return all;
}

}  // namespace headscope
