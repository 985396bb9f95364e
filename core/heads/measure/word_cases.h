// What heads do between words: for each annotated pair of words whether a head's largest weight, word
// by word, is on the other one, and whether each control would have been right there, too; and how
// much of the sentence's tree its map draws (core/heads/measure/gold_tree.h).
//
// A word's row is the mean over its tokens' rows, its column the sum over their columns; special
// tokens, what belongs to no word, and the word itself are left out. A head is right where the
// largest weight of the query word's row, among all words that it sees, is on the target word.
// Coreference asks the main word of a mention, among the main words of the mentions before it, for
// one of the same entity; where there are two such words at least.
//   popular    the word that the head likes whatever the query: the largest mean over the other
//              queries (causal: later ones, each times the words that it sees)
//   offset     the word at a fixed distance; which one, decisions choose
//   rarest     the rarest word among those asked for, by the corpus's own counts
//   pieces     the word of most tokens among them, the nearest of equals
//   nearest    of coreference in place of pieces: the mention before
//
// Shapes   right and popular: one bit a head, heads of all layers one after another.
// Threads  plain values; WordReader: the backend's; eight heads each go to OpenMP's threads.
// Cost     words squared a head.
// Source   Clark 2019, 4 (coreference: 4.3, whose candidates it does not tell); Voita 2019, 5.2;
//          docs/reference.md, "Roles".
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/attention/head_lanes.h"
#include "core/heads/measure/gold_tree.h"
#include "core/heads/measure/head_means.h"
#include "core/heads/measure/word_lanes.h"
#include "core/heads/probe/probe.h"
#include "core/model/forward.h"

namespace headscope {

// Ids of scores: of relations, "dep:obj:dependent-to-head", begin so; and that of mentions.
inline constexpr std::string_view kRelationPrefix = "dep:";
inline constexpr std::string_view kMentionsId = "coreference";

// The last one is of mentions, not of a relation.
enum class PairDirection { kDependentToHead, kHeadToDependent, kLaterToEarlier, kToEarlierMention };
[[nodiscard]] std::string_view DirectionName(PairDirection direction);  // "dependent-to-head"

using HeadBits = std::vector<std::uint64_t>;
[[nodiscard]] inline bool BitOf(const HeadBits& bits, std::size_t head) {
  return (bits[head / 64] >> (head % 64) & 1U) != 0;
}

struct PairCase {
  std::int64_t sentence = 0;  // its place in the corpus
  std::string relation;       // "nsubj"
  PairDirection direction = PairDirection::kDependentToHead;
  std::int64_t offset = 0;      // of the target, in words; of several the nearest
  std::int64_t candidates = 0;  // words that are asked for
  std::int64_t targets = 1;     // of these, that are right
  bool rarest = false;          // whether the control is right
  bool pieces_or_nearest = false;
  HeadBits right;
  HeadBits popular;
  friend bool operator==(const PairCase&, const PairCase&) = default;
};

// How often the corpus has each word of each sequence [sequence][word], by its form in lower case; no
// sequences: none is annotated.
using WordCounts = std::vector<std::vector<std::int64_t>>;
[[nodiscard]] WordCounts CountWords(const ProbeCorpus& corpus);

struct WordRange {
  std::size_t begin = 0;
  std::size_t end = 0;
};
// A word that asks among others: the same for all cases that it has.
struct WordQuestion {
  std::size_t query = 0;
  WordRange among;  // into WordSentence::among
  std::size_t rarest = 0;
  std::size_t longest_or_nearest = 0;
};
// An annotated sentence with all that is asked of its words, and the answers of those controls that no
// head has a part in.
struct WordSentence {
  std::vector<std::int32_t> word;    // of each token; -1: none
  std::vector<WordTokens> tokens;    // of words
  std::vector<std::int64_t> pieces;  // of each word; 0: it has no token
  std::vector<std::int64_t> count;   // of each word in the corpus
  std::vector<double> part_of;       // of each word: 1 / (by how many it is asked, less one), or 0
  std::vector<std::size_t> among;    // words of each question, ascending
  std::vector<WordQuestion> questions;
  std::vector<PairCase> cases;
  std::vector<std::size_t> question;  // of each case
  std::vector<WordRange> right;       // of each case, into right_words: ascending
  std::vector<std::size_t> right_words;
  GoldTree tree;
  [[nodiscard]] std::span<const std::size_t> Among(const WordQuestion& asked) const {
    return std::span(among).subspan(asked.among.begin, asked.among.end - asked.among.begin);
  }
  [[nodiscard]] std::span<const std::size_t> RightOf(std::size_t one) const {
    return std::span(right_words).subspan(right[one].begin, right[one].end - right[one].begin);
  }
  [[nodiscard]] bool is_asked() const { return !cases.empty() || !tree.words.empty(); }
};
// Asks for all relations and mentions. `count`: how often the corpus has each word; `heads`: of all
// layers.
[[nodiscard]] WordSentence AskAboutWords(const ProbeSequence& sequence,
                                         const std::vector<std::int64_t>& count,
                                         bool causal,
                                         std::size_t heads);

class WordReader : public LayerObserver, public AttentionObserver, public LaneReader {
 public:
  // `places`: of the batch's sequences in the corpus. All outlive this.
  WordReader(const ProbeCorpus& corpus,
             std::span<const std::size_t> places,
             const WordCounts& counts,
             std::int64_t layers,
             std::int64_t heads);

  AttentionObserver* BeginLayer(LayerId layer) override;
  Status EndLayer(LayerId layer) override;
  void OnProjections(const AttentionProjections& projections) override;
  void OnBlock(const AttentionBlock& block) override;
  void OnLanes(const HeadLanes& lanes) override;

  [[nodiscard]] std::vector<PairCase> TakeCases();  // after the run
  [[nodiscard]] bool has_trees() const;
  void AddTreesTo(HeadMeans* means) const;

 private:
  struct Group {                             // of eight heads, in the sentence that runs
    std::vector<float> map;                  // [word][word][head]
    std::vector<float> row;                  // [token][head]: of one word
    std::vector<double> liked;               // [word][head]
    std::vector<WordAnswers> answers;        // [question]
    std::int64_t edges[kLanesOfGroup] = {};  // of the tree
    EdgeRoom edge_room;
  };
  void Judge(const WordSentence& sentence, std::size_t heads, Group* group) const;
  static void AddAnswers(std::size_t first,
                         std::size_t heads,
                         const Group& group,
                         WordSentence* sentence);
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
  std::vector<WordSentence> sentences_;
  std::vector<Group> groups_;
  std::vector<HeadLanes> lanes_;
  HeadMeans trees_;
};

}  // namespace headscope
