// The texts that a scan runs a model over: sequences of ids, and what is known about their tokens.
//
// Shapes   per sequence one entry per token in `special`, `separator`, `word`, `count`.
// Errors   kInput (a model that reads embeddings, a vocabulary too small for repeats, a file with
//          nothing usable), and the readers' errors.
// Source   docs/reference.md, "score".
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/model/model.h"

namespace headscope {

struct AnnotatedSentence;

// What an answer's row repeats (core/heads/probe/retrieval.h). All three are before the last token.
struct HiddenToken {
  std::int32_t query = 0;  // the row
  std::int32_t key = 0;    // where the next token already stands
  std::int32_t other = 0;  // where it would be in the other sentence
};

struct ProbeSequence {
  std::vector<std::int32_t> ids;
  std::vector<std::int32_t> segment_ids = {};  // or empty
  // 1: not text (BOS, [SEP]), or text that the vocabulary cannot express: nobody knows which
  // unknown tokens are equal.
  std::vector<std::uint8_t> special = {};
  std::vector<std::uint8_t> separator = {};  // 1: special, or only punctuation
  std::vector<std::int32_t> word = {};       // index of the word in the text; -1: special
  std::vector<std::int64_t> count = {};  // how often the corpus has the token; empty: random ids
  std::size_t group = 0;                 // index in ProbeCorpus::groups
  // The second block has other tokens: rows of the previous sequence are measured on it, too.
  bool is_control = false;
  bool has_unknown_words = false;  // unknown to the model
  std::string text = {};
  std::shared_ptr<const AnnotatedSentence> annotation = {};  // or null
  std::vector<HiddenToken> hidden = {};                      // by row; empty: no question is asked
  std::vector<std::int32_t> annotated_word = {};  // of each token, in `annotation`; -1: none

  [[nodiscard]] std::int64_t tokens() const { return static_cast<std::int64_t>(ids.size()); }
};

// Part of a note about texts with such words; they are kept, or left out (KeepKnown).
inline constexpr std::string_view kUnknownWords = "with words that the model does not know";
inline constexpr std::string_view kOutOfScores =
    " unknown to the model; what stands for them counts in no score";  // ends a note on kept ones
// Returns "5 of 90 words are unknown to the model"; empty: every word of the kept texts is known.
[[nodiscard]] std::string UnknownWordsOf(std::span<const std::string> notes);
[[nodiscard]] bool LeavesOutUnknown(std::span<const std::string> notes);

struct ProbeCorpus {
  std::string probe;      // "repeats", or the file's name
  std::string draw = {};  // for repeats: "text" or "uniform"
  std::vector<std::string>
      groups;  // "10", "20", "40"; a single nameless one if there are no groups
  std::vector<ProbeSequence> sequences;
  std::vector<std::string> notes = {};  // what could not be used, one sentence each
  std::uint64_t seed = 1;               // for draws, and for scrambled twins

  [[nodiscard]] bool is_repeats() const { return !draw.empty(); }
};

// What probes need to know about a model's ids.
struct VocabularyFacts {
  std::vector<std::uint8_t> special;    // [vocabulary]
  std::vector<std::uint8_t> separator;  // [vocabulary]
  std::vector<std::uint8_t> byte;       // [vocabulary]; a token for a single byte
  std::vector<std::int32_t> begin;      // what the model puts before a text: BOS, or nothing
};
[[nodiscard]] VocabularyFacts ReadVocabulary(const Model& model);

inline constexpr std::int64_t kRepeatPeriods[] = {10, 20, 40};
inline constexpr std::int64_t kLeastPeriod = 4;

struct RepeatSettings {
  std::int64_t sequences = 10;              // for each period
  bool from_texts = true;                   // otherwise any id that is not special
  std::span<const std::string> texts = {};  // ids that occur in these are drawn
  std::uint64_t seed = 1;
  bool controls = true;  // each sequence gets a control
};

// Each is BOS, if the model has one, and a block of P distinct tokens, twice.
[[nodiscard]] Result<ProbeCorpus> MakeRepeats(const Model& model,
                                              const VocabularyFacts& vocabulary,
                                              const RepeatSettings& settings);

// Returns the texts of the probes in a folder, one after another: lines of .txt, "# text = " of
// .conllu.
[[nodiscard]] std::vector<std::string> ReadProbeTexts(const std::filesystem::path& folder);

// Collects what is known about a text's tokens.
[[nodiscard]] ProbeSequence SequenceOf(const Encoding& encoding);

// Returns the annotated word of each token: the one that shares most bytes with it, the first of
// equals; -1: none does.
[[nodiscard]] std::vector<std::int32_t> AnnotatedWords(const Encoding& encoding,
                                                       const AnnotatedSentence& sentence);

// Reads a file; the extension gives the format: .txt (one text per line; WinoBias lines if the
// first has two mentions in [brackets]), .ids (ids on a line, separated by commas); others are
// annotated (core/io/annotated_text.h).
[[nodiscard]] Result<ProbeCorpus> ReadProbe(const Model& model,
                                            const VocabularyFacts& vocabulary,
                                            const std::filesystem::path& path,
                                            const std::stop_token& stop);

}  // namespace headscope
