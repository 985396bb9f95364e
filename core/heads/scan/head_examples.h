// Texts on which a head does most, about as much as usual, and least of something.
//
// Shapes   as LayerAttention: the one layer of the head, for each text.
// Errors   kInput (no text asks for it), kCancelled, what the forward returns.
// Threads  the backend's; examples are immutable.
// Cost     a forward up to the head's layer over a few dozen short texts.
#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/attention/layer_attention.h"
#include "core/base/error.h"
#include "core/heads/measure/failing_cases.h"
#include "core/heads/measure/head_name.h"
#include "core/heads/measure/metric.h"
#include "core/heads/measure/word_cases.h"
#include "core/heads/probe/probe.h"
#include "core/model/forward.h"

namespace headscope {

struct HeadExample {
  std::string text;  // empty: tokens without one
  std::shared_ptr<const LayerAttention> layer;
  double score = 0.0;     // of the metric, on this text alone
  std::int64_t rows = 0;  // that qualify
};

// Two tokens, and how much the one looks at the other.
struct TokenPair {
  std::string query;  // as the vocabulary has it, shown
  std::string key;
  double weight = 0.0;     // the mean over the rows where they meet
  std::int64_t count = 0;  // of these
  friend bool operator==(const TokenPair&, const TokenPair&) = default;
};

struct HeadExamples {
  std::vector<HeadExample> texts;
  std::vector<TokenPair> pairs;  // those with most weight in all, of any metric
  FailingCases failing = {};     // of a relation or of coreference, over all texts looked at
};

// What a row is asked for: a metric's (core/heads/measure/metric.h), the words of a relation, or an earlier
// mention of the same.
class ExampleMeasure {
 public:
  // "previous_token", "dep:obj:dependent-to-head", "coreference"; false: neither, or nothing that single texts have.
  [[nodiscard]] static bool Has(std::string_view id);
  explicit ExampleMeasure(std::string_view id);

  // The mean over the rows that qualify; of a relation the share of attention on the right word.
  // `source`: of cross-attention what its keys are of; null: keys are of the text.
  struct OnText {
    double score = 0.0;
    std::int64_t rows = 0;
  };
  [[nodiscard]] OnText Of(const ProbeSequence& text,
                          const LayerAttention& layer,
                          std::int64_t head,
                          const ProbeSequence* source = nullptr) const;

 private:
  [[nodiscard]] TargetRows TargetsOf(const ProbeSequence& text,
                                     const AttentionRule& rule,
                                     const ProbeSequence* source) const;
  [[nodiscard]] TargetRows RelationRows(const ProbeSequence& text, const AttentionRule& rule) const;
  [[nodiscard]] static TargetRows MentionRows(const ProbeSequence& text, const AttentionRule& rule);

  const HeadMetric* metric_ = nullptr;  // null: a relation, or of mentions
  std::string relation_;                // empty: mentions
  PairDirection direction_ = PairDirection::kDependentToHead;
};

// The strongest text, the one in the middle, and the weakest, in that order; fewer where fewer texts
// ask for it. Pairs are of tokens that meet twice or more, rows of special tokens left out.
// `targets`: of an encoder-decoder, as in ScanTools.
[[nodiscard]] Result<HeadExamples> FindExamples(Forward* forward,
                                                const ProbeCorpus& corpus,
                                                const ProbeCorpus* targets,
                                                HeadIndex head,
                                                std::string_view metric,
                                                const std::stop_token& stop);

}  // namespace headscope
