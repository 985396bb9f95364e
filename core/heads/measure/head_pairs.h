// How far the heads of a layer lie apart over a corpus, pair by pair: the Jensen-Shannon divergence
// of their rows, and the products of their maps; of at most sixteen rows a text, spread evenly.
//
// Shapes   [layers][pairs], of a layer the lower triangle with its diagonal: head `one` and an
//          earlier or the same head `two` at one (one + 1) / 2 + two.
// Units    divergence in nats, 0 to ln 2, added over rows.
// Threads  sums: plain values. PairReader: the backend's; heads go to OpenMP's threads, and the sums
//          do not depend on their number.
// Cost     heads^2 / 2 divergences a row; holds these rows of one text and layer, no map.
// Source   Clark 2019, 6 (divided by the rows); core/attention/row_divergence.h.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/heads/measure/head_means.h"
#include "core/heads/measure/heads_of_scan.h"
#include "core/heads/probe/probe.h"
#include "core/model/forward.h"

namespace headscope {

struct HeadPairs {
  double rows = 0.0;           // of each layer
  std::vector<double> apart;   // divergences, [layers][pairs]
  std::vector<double> shared;  // products, likewise
  friend bool operator==(const HeadPairs&, const HeadPairs&) = default;
};

inline constexpr std::int64_t kMostPairedHeads = 128;  // of a layer; of more pairs are not measured

// Returns how many pairs a layer has, each head with itself included.
[[nodiscard]] constexpr std::int64_t PairCount(std::int64_t heads) {
  return heads * (heads + 1) / 2;
}
[[nodiscard]] std::size_t PairPlace(const HeadsOfScan& heads, std::size_t one, std::size_t two);

void AddHeadPairs(const HeadPairs& from, HeadPairs* to);

// The nearest other head of a head's layer: its place, and how far away it is.
struct NearestHead {
  std::size_t head = 0;
  double divergence = 0.0;
};
// [head], or none: nothing was measured.
[[nodiscard]] std::vector<NearestHead> NearestHeads(const HeadPairs& pairs,
                                                    const HeadsOfScan& heads);

// exp of the entropy of the eigenvalues, divided by their number, of the cosines between the maps of
// a layer's heads: 1 where all are alike, `heads` where no two share a cell. [layer], or none.
[[nodiscard]] std::vector<double> EffectiveHeads(const HeadPairs& pairs, const HeadsOfScan& heads);

// Adds what follows from the pairs under the ids of core/heads/measure/measures/head_pairs.cpp.
void AddPairMeans(const HeadPairs& pairs, const HeadsOfScan& heads, MeanTotals* means);

class PairReader : public LayerObserver, public AttentionObserver {
 public:
  static constexpr std::int64_t kRowsOfText = 8;

  // `texts`: of one length, side by side; controls and rows of special tokens do not count. They
  // outlive this. `keys`: of each row, where they are not of the texts; 0: they are.
  PairReader(std::span<const ProbeSequence* const> texts,
             std::int64_t layers,
             std::int64_t heads,
             std::int64_t keys = 0);

  // After the run.
  [[nodiscard]] const HeadPairs& sums() const { return sums_; }
  // Each head's mean divergence from the others of its layer.
  [[nodiscard]] const HeadMeans& means() const { return means_; }

  AttentionObserver* BeginLayer(LayerId layer) override;
  Status EndLayer(LayerId layer) override;
  void OnProjections(const AttentionProjections& projections) override;
  void OnBlock(const AttentionBlock& block) override;

 private:
  void FinishText();

  std::span<const ProbeSequence* const> texts_;
  HeadsOfScan heads_;
  std::int64_t keys_;
  std::vector<std::vector<std::int64_t>> rows_;  // [text]: those that are read, ascending
  std::size_t layer_ = 0;
  std::size_t begun_ = 0;  // texts of this layer
  AttentionRule rule_;
  // The visible cells of the current text's rows one after another, for each head, then zeros.
  std::vector<float> kept_;            // [head, stride_]
  std::vector<std::int64_t> offsets_;  // of each row
  std::int64_t stride_ = 0;
  std::vector<double> apart_;  // [pairs] of it
  std::vector<double> logs_;   // [head]: of its kept rows, sum x ln x
  HeadPairs sums_;
  HeadMeans means_;
};

}  // namespace headscope
