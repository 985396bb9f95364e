// What a head answers where words of a text are annotated, case by case: the word that it looks at
// most, beside the one that would be right. The cases are those that a scan counts
// (core/heads/measure/word_cases.h).
//
// Errors   none; a text without annotation has no case.
// Cost     the head's map once for each text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/attention/layer_attention.h"
#include "core/heads/probe/probe.h"

namespace headscope {

struct WordAnswer {
  std::int64_t query = 0;  // words of the annotation
  std::int64_t looked_at = 0;
  std::int64_t expected = 0;  // the nearest of the right ones
  bool is_right = false;
};

// `id`: "dep:obj:dependent-to-head" or "coreference".
[[nodiscard]] bool HasWordCases(std::string_view id);
[[nodiscard]] std::vector<WordAnswer> AnswersOf(const ProbeSequence& text,
                                                const LayerAttention& layer,
                                                std::int64_t head,
                                                std::string_view id);

struct FailingCase {
  std::string text;  // the whole sentence
  std::string query;
  std::string looked_at;
  std::string expected;
  friend bool operator==(const FailingCase&, const FailingCase&) = default;
};

// Counts the cases of several texts and the wrong ones, and keeps some of those, one a text.
class FailingCases {
 public:
  void Add(const ProbeSequence& text, const std::vector<WordAnswer>& answers);

  [[nodiscard]] std::int64_t cases() const { return cases_; }
  [[nodiscard]] std::int64_t wrong() const { return wrong_; }
  [[nodiscard]] const std::vector<FailingCase>& shown() const { return shown_; }

 private:
  std::int64_t cases_ = 0;
  std::int64_t wrong_ = 0;
  std::vector<FailingCase> shown_;
};

}  // namespace headscope
