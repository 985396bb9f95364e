// What single sequences of a scan had, of the metrics that roles rest on: a draw of the sequences is
// decided on anew from it (core/heads/decide/stability.h).
//
// A corpus with more sequences than kMostKeptMeans / heads keeps every second, third ... of them, by
// its place, so that every share of a scan keeps the same.
//
// Shapes   [head] of all layers one after another.
// Cost     a sequence: four bytes for each head and metric that has a row, eight where heads differ in
//          their controls. At most some 60 MB a part of the model, and twice that in a part's file.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/heads/probe/choice.h"

namespace headscope {

struct SequenceMeans {
  struct Metric {
    std::size_t metric = 0;  // as AllMetrics()
    std::int64_t rows = 0;
    std::vector<float> score;       // [head]: the mean over the rows
    std::vector<float> control;     // likewise; one number where it is the same for all heads
    std::int64_t control_rows = 0;  // 0: it has none, the control is chance
    std::vector<float> chance;      // as control
    [[nodiscard]] float ChanceOf(std::size_t head) const {
      return chance.size() == 1 ? chance.front() : chance[head];
    }
    [[nodiscard]] float ControlOf(std::size_t head) const {
      return control_rows == 0 ? ChanceOf(head)
                               : (control.size() == 1 ? control.front() : control[head]);
    }
    friend bool operator==(const Metric&, const Metric&) = default;
  };
  std::size_t place = 0;  // in the corpus
  std::size_t group = 0;
  std::vector<Metric> metrics;
  friend bool operator==(const SequenceMeans&, const SequenceMeans&) = default;
};

// Many sums share them.
using KeptSequences = std::vector<std::shared_ptr<const SequenceMeans>>;

inline constexpr std::size_t kMostKeptMeans = std::size_t{1} << 19U;  // sequences times heads

// Whether a sequence is kept; a control goes with the sequence that it is of.
[[nodiscard]] inline bool KeepsSequence(const ProbeCorpus& corpus,
                                        std::size_t place,
                                        std::size_t heads) {
  return IsAmongSome(corpus, place, std::max<std::size_t>(kMostKeptMeans / heads, 1));
}

}  // namespace headscope
