#include "core/heads/word_cases.h"

#include <algorithm>
#include <cctype>
#include <cstddef>

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

// Among words [0, end) but the query those that have tokens.
struct Seen {
  std::size_t end = 0;
  std::size_t query = 0;
};

template <typename Better>
std::size_t BestOf(const Seen& seen,
                   const std::vector<std::int64_t>& pieces,
                   const Better& is_better) {
  std::size_t best = seen.query;
  for (std::size_t word = 0; word < seen.end; ++word) {
    if (word != seen.query && pieces[word] > 0 && (best == seen.query || is_better(word, best))) {
      best = word;
    }
  }
  return best;
}

}  // namespace

std::string_view DirectionName(PairDirection direction) {
  switch (direction) {
    case PairDirection::kDependentToHead:
      return "dependent-to-head";
    case PairDirection::kHeadToDependent:
      return "head-to-dependent";
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
      sentences_(places.size()) {}

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
  std::vector<std::int64_t> count;
  for (const AnnotatedWord& word : words) {
    count.push_back(counts_.find(LowerCase(word.form))->second);
  }
  const auto add = [&](const std::string& relation,
                       PairDirection direction,
                       std::size_t query,
                       std::size_t target) {
    if (sentence.pieces[query] == 0 || sentence.pieces[target] == 0 || (causal && target > query)) {
      return;
    }
    const Seen seen{causal ? query : words.size(), query};
    PairCase pair;
    pair.sentence = static_cast<std::int64_t>(places_[index]);
    pair.relation = relation;
    pair.direction = direction;
    pair.offset = static_cast<std::int64_t>(target) - static_cast<std::int64_t>(query);
    for (std::size_t word = 0; word < seen.end; ++word) {
      pair.candidates += word != query && sentence.pieces[word] > 0 ? 1 : 0;
    }
    const auto distance = [&](std::size_t word) {
      return word < query ? query - word : word - query;
    };
    pair.rarest =
        target == BestOf(seen, sentence.pieces, [&](std::size_t a, std::size_t b) {
          return count[a] < count[b] || (count[a] == count[b] && distance(a) < distance(b));
        });
    pair.pieces = target == BestOf(seen, sentence.pieces, [&](std::size_t a, std::size_t b) {
                    return sentence.pieces[a] > sentence.pieces[b] ||
                           (sentence.pieces[a] == sentence.pieces[b] && distance(a) < distance(b));
                  });
    pair.right.assign((layers_ * heads_ + 63) / 64, 0);
    pair.popular = pair.right;
    sentence.cases.push_back(std::move(pair));
    sentence.words.emplace_back(query, target);
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
  const std::size_t words = sentences_[begun_].pieces.size();
  maps_.assign(heads_ * words * words, 0.0F);
  ++begun_;
}

void WordReader::OnBlock(const AttentionBlock& block) {
  const Sentence& sentence = sentences_[begun_ - 1];
  const std::size_t words = sentence.pieces.size();
  if (words == 0) {
    return;
  }
  const std::int64_t rows = block.query_end - block.query_begin;
#pragma omp parallel for schedule(static)
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
      for (std::int64_t key = 0; key < block.keys; ++key) {
        const std::int32_t to = sentence.word[static_cast<std::size_t>(key)];
        if (to >= 0) {
          map[word * words + static_cast<std::size_t>(to)] += part * weights[key];
        }
      }
    }
  }
}

// Whether a head and what it likes anyway are right in each case.
void WordReader::Judge(std::size_t head, Sentence* judged, std::span<const float> map) const {
  Sentence& sentence = *judged;
  const std::size_t words = sentence.pieces.size();
  // Of each key over all queries: their sum, each times the words that the query sees.
  const auto weight = [&](std::size_t query) {
    return rule_.causal ? static_cast<double>(query + 1) : 1.0;
  };
  std::vector<double> liked(words, 0.0);
  std::vector<std::int64_t> queries(words, 0);
  for (std::size_t query = 0; query < words; ++query) {
    for (std::size_t key = 0; key < (rule_.causal ? query : words); ++key) {
      if (key != query && sentence.pieces[query] > 0) {
        liked[key] += weight(query) * static_cast<double>(map[query * words + key]);
        ++queries[key];
      }
    }
  }
  for (std::size_t i = 0; i < sentence.cases.size(); ++i) {
    const auto [query, target] = sentence.words[i];
    const Seen seen{rule_.causal ? query : words, query};
    const float* row = map.data() + query * words;
    const auto mean = [&, query = query](std::size_t key) {
      const double own = weight(query) * static_cast<double>(row[key]);
      return queries[key] > 1 ? (liked[key] - own) / static_cast<double>(queries[key] - 1) : 0.0;
    };
    const std::size_t best = BestOf(
        seen, sentence.pieces, [&](std::size_t a, std::size_t b) { return row[a] > row[b]; });
    const std::size_t popular = BestOf(
        seen, sentence.pieces, [&](std::size_t a, std::size_t b) { return mean(a) > mean(b); });
    PairCase& pair = sentence.cases[i];
    if (best == target) {
      SetBit(head, &pair.right);
    }
    if (popular == target) {
      SetBit(head, &pair.popular);
    }
  }
}

void WordReader::FinishSentence() {
  Sentence& sentence = sentences_[begun_ - 1];
  const std::size_t cells = sentence.pieces.size() * sentence.pieces.size();
  for (std::size_t head = 0; head < heads_ && !sentence.cases.empty(); ++head) {
    Judge(layer_ * heads_ + head, &sentence, std::span(maps_).subspan(head * cells, cells));
  }
}

Status WordReader::EndLayer(LayerId /*layer*/) {
  FinishSentence();
  is_first_layer_ = false;
  return {};
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
