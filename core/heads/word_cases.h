// What heads do between words: for each annotated pair of words whether a head's largest weight, word
// by word, is on the other one, and whether each control would have been right there, too.
//
// A word's row is the mean over its tokens' rows, its column the sum over their columns; special
// tokens, what belongs to no word, and the word itself are left out. A head is right where the
// largest weight of the query word's row is on the target word.
//   popular    the word that the head likes whatever the query: the largest mean over the other
//              queries (causal: later ones, each times the words that it sees)
//   offset     the word at a fixed distance; which one, decisions choose
//   rarest     the rarest word among those seen, by the corpus's own counts
//   pieces     the word of most tokens among those seen, the nearest of equals
//
// Shapes   right and popular: one bit a head, heads of all layers one after another.
// Threads  plain values; WordReader: the backend's, heads go to OpenMP's threads.
// Cost     words squared a head.
// Source   Clark 2019, 4; Voita 2019, 5.2; docs/reference.md, "Roles".
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/heads/probe.h"
#include "core/model/forward.h"

namespace headscope {

enum class PairDirection { kDependentToHead, kHeadToDependent, kLaterToEarlier };
[[nodiscard]] std::string_view DirectionName(PairDirection direction);  // "dependent-to-head"

using HeadBits = std::vector<std::uint64_t>;
[[nodiscard]] inline bool BitOf(const HeadBits& bits, std::size_t head) {
  return (bits[head / 64] >> (head % 64) & 1U) != 0;
}
inline void SetBit(std::size_t head, HeadBits* bits) {
  (*bits)[head / 64] |= std::uint64_t{1} << (head % 64);
}

struct PairCase {
  std::int64_t sentence = 0;  // its place in the corpus
  std::string relation;       // "nsubj"
  PairDirection direction = PairDirection::kDependentToHead;
  std::int64_t offset = 0;      // of the target, in words
  std::int64_t candidates = 0;  // words that the query sees
  bool rarest = false;          // whether the control is right
  bool pieces = false;
  HeadBits right;
  HeadBits popular;
  friend bool operator==(const PairCase&, const PairCase&) = default;
};

// How often each word occurs in a corpus, by its form in lower case.
using WordCounts = std::map<std::string, std::int64_t, std::less<>>;
[[nodiscard]] WordCounts CountWords(const ProbeCorpus& corpus);

class WordReader : public LayerObserver, public AttentionObserver {
 public:
  // `places`: of the batch's sequences in the corpus. All outlive this.
  WordReader(const ProbeCorpus& corpus,
             std::span<const std::size_t> places,
             const WordCounts& counts,
             std::int64_t layers,
             std::int64_t heads);

  AttentionObserver* BeginLayer(LayerId layer) override;
  bool WantsStates(LayerId /*layer*/) override { return false; }
  void OnStates(LayerId /*layer*/,
                std::span<const float> /*projection_input*/,
                std::span<const float> /*attention_output*/) override {}
  Status EndLayer(LayerId layer) override;
  void OnProjections(const AttentionShape& shape,
                     const AttentionRule& rule,
                     std::span<const float> queries,
                     std::span<const float> keys,
                     std::span<const float> values) override;
  void OnBlock(const AttentionBlock& block) override;

  [[nodiscard]] std::vector<PairCase> TakeCases();  // after the run

 private:
  struct Sentence {
    std::vector<std::int32_t> word;    // of each token; -1: none
    std::vector<std::int64_t> pieces;  // of each word; 0: it has no token
    std::vector<PairCase> cases;
    std::vector<std::pair<std::size_t, std::size_t>> words;  // query and target of each case
  };
  void Collect(std::size_t index, bool causal);
  void Judge(std::size_t head, Sentence* judged, std::span<const float> map) const;
  void FinishSentence();

  const ProbeCorpus& corpus_;
  std::span<const std::size_t> places_;
  const WordCounts& counts_;
  std::size_t layers_;
  std::size_t heads_;
  std::size_t layer_ = 0;
  std::size_t begun_ = 0;
  bool is_first_layer_ = true;
  AttentionRule rule_;
  std::vector<Sentence> sentences_;
  std::vector<float> maps_;  // [head][word][word] of the sentence that runs
};

}  // namespace headscope
