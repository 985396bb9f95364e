// What a scan runs a model over: sequences of ids, and what is known about their tokens.
//
// Shapes   per sequence one entry a token in `special`, `separator`, `word`, `count`.
// Errors   kInput (a model that reads embeddings, a vocabulary too small for repeats, a file with
//          nothing that can be used), and those of the readers.
// Threads  plain values.
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

// What the row of an answer repeats (core/heads/probe/retrieval.h). All three are before the last token.
struct HiddenToken {
  std::int32_t query = 0;  // the row
  std::int32_t key = 0;    // where the token stands that comes next
  std::int32_t other = 0;  // where it would, in the sentence that is not asked for
};

struct ProbeSequence {
  std::vector<std::int32_t> ids;
  std::vector<std::int32_t> segment_ids = {};  // or empty
  // 1: marks no text (BOS, [SEP]), or stands for text that the vocabulary cannot say: of unknown
  // tokens nobody knows which are equal.
  std::vector<std::uint8_t> special = {};
  std::vector<std::uint8_t> separator = {};  // 1: special, or nothing but punctuation
  std::vector<std::int32_t> word = {};       // index of the word in the text; -1: special
  std::vector<std::int64_t> count = {};  // how often the corpus has the token; empty: drawn ones
  std::size_t group = 0;                 // of ProbeCorpus::groups
  // The second block is other tokens: rows of the sequence before this one are measured on it, too.
  bool is_control = false;
  bool has_unknown_words = false;  // to the model
  std::string text = {};
  std::shared_ptr<const AnnotatedSentence> annotation = {};  // or null
  std::vector<HiddenToken> hidden = {};                      // by row; empty: nothing is asked
  std::vector<std::int32_t> annotated_word = {};  // of each token, of `annotation`; -1: none

  [[nodiscard]] std::int64_t tokens() const { return static_cast<std::int64_t>(ids.size()); }
};

// What a note says of texts with such words; they are kept, or left out (KeepKnown).
inline constexpr std::string_view kUnknownWords = "with words that the model does not know";
inline constexpr std::string_view kOutOfScores =
    " unknown to the model; what stands for them counts in no score";  // ends a note of kept ones
// "5 of 90 words are unknown to the model"; empty: of all texts that are kept every word is known.
[[nodiscard]] std::string UnknownWordsOf(std::span<const std::string> notes);
[[nodiscard]] bool LeavesOutUnknown(std::span<const std::string> notes);

struct ProbeCorpus {
  std::string probe;                // "repeats", or the file's name
  std::string draw = {};            // of repeats: "text" or "uniform"
  std::vector<std::string> groups;  // "10", "20", "40"; one nameless one where there are none
  std::vector<ProbeSequence> sequences;
  std::vector<std::string> notes = {};  // what could not be used, a sentence each
  std::uint64_t seed = 1;               // of draws, and of scrambled twins

  [[nodiscard]] bool is_repeats() const { return !draw.empty(); }
};

// Of a model's ids, what probes ask.
struct VocabularyFacts {
  std::vector<std::uint8_t> special;    // [vocabulary]
  std::vector<std::uint8_t> separator;  // [vocabulary]
  std::vector<std::uint8_t> byte;       // [vocabulary]; stands for one byte
  std::vector<std::int32_t> begin;      // what the model has before a text: BOS, or nothing
};
[[nodiscard]] VocabularyFacts ReadVocabulary(const Model& model);

inline constexpr std::int64_t kRepeatPeriods[] = {10, 20, 40};
inline constexpr std::int64_t kLeastPeriod = 4;

struct RepeatSettings {
  std::int64_t sequences = 10;              // of each period
  bool from_texts = true;                   // else any id that is not special
  std::span<const std::string> texts = {};  // ids that occur in these are drawn
  std::uint64_t seed = 1;
  bool controls = true;  // each with its control
};

// BOS where the model has one, then a block of P distinct tokens, twice.
[[nodiscard]] Result<ProbeCorpus> MakeRepeats(const Model& model,
                                              const VocabularyFacts& vocabulary,
                                              const RepeatSettings& settings);

// The texts of the probes in a folder, one after another: lines of .txt, "# text = " of .conllu.
[[nodiscard]] std::vector<std::string> ReadProbeTexts(const std::filesystem::path& folder);

// What is known of a text's tokens.
[[nodiscard]] ProbeSequence SequenceOf(const Encoding& encoding);

// The texts as the model's tokenizer makes them; those that are too long are left out, said.
[[nodiscard]] Result<ProbeCorpus> MakeTexts(const Model& model,
                                            std::span<const std::string> texts,
                                            const std::stop_token& stop);

// What a file holds, by its ending: .txt (a text a line; WinoBias' lines where the first has two
// mentions in [brackets]), .ids (ids a line, separated by commas); others are annotated
// (core/io/annotated_text.h).
[[nodiscard]] Result<ProbeCorpus> ReadProbe(const Model& model,
                                            const VocabularyFacts& vocabulary,
                                            const std::filesystem::path& path,
                                            const std::stop_token& stop);

}  // namespace headscope
