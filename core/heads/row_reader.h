// Reads the rows of attention of a batch as they are made, and adds up what the metrics ask of them.
// No map is kept.
//
// Shapes   a batch: sequences of one length, a control after the sequence that it is of.
// Threads  the backend's; the heads of a block go to OpenMP's threads.
// Cost     for each row and head where it is largest, how even it is, and the few keys of it that
//          metrics ask for: metric by metric, over lists of cells that are made once for a text.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/heads/metric.h"
#include "core/heads/probe_target.h"
#include "core/heads/row_sums.h"
#include "core/heads/sequence_means.h"
#include "core/model/forward.h"

namespace headscope {

class RowReader : public LayerObserver, public AttentionObserver {
 public:
  // `heads`: of each of the `layers` that are run, which are of one part. `sources`: of
  // cross-attention, whose rows are of the batch: for each sequence what its keys are of. Both
  // outlive this. `keeps`: whether each of the batch is kept by itself; empty: none is.
  RowReader(std::span<const ProbeSequence* const> batch,
            std::size_t groups,
            std::int64_t layers,
            std::int64_t heads,
            std::span<const ProbeSequence* const> sources = {},
            std::vector<bool> keeps = {});

  AttentionObserver* BeginLayer(LayerId layer) override;
  Status EndLayer(LayerId layer) override;
  void OnProjections(const AttentionShape& shape,
                     const AttentionRule& rule,
                     std::span<const float> queries,
                     std::span<const float> keys,
                     std::span<const float> values) override;
  void OnBlock(const AttentionBlock& block) override;

  // After the run.
  [[nodiscard]] const ScanSums& sums() const { return sums_; }
  // Of those that are kept; their places are in the batch.
  [[nodiscard]] std::vector<SequenceMeans> TakeSequences();

 private:
  // Cells of a sequence's map, by row.
  struct Cells {
    std::vector<std::int32_t> query;
    std::vector<std::int64_t> place;  // query x keys + key
  };
  struct Range {  // of cells
    std::size_t begin = 0;
    std::size_t end = 0;
  };
  struct Asked {  // by a metric of a sequence
    Range keys;
    Range control;
    std::int64_t rows = 0;
    std::int64_t control_rows = 0;
    double chance = 0.0;  // of the layer
  };
  struct Facts {  // of one sequence: the same for every head
    Cells cells;
    std::vector<Asked> asked;           // [metric]; of a control what the one before it asks
    std::vector<std::int64_t> counted;  // rows that row metrics are of
  };
  struct Read {  // of a block: a metric with rows, and those of its cells that lie in it
    std::size_t metric = 0;
    Range keys;
    Range control;
  };
  struct Tally {  // of one metric and head in one sequence
    double score = 0.0;
    double control = 0.0;
    double hits = 0.0;
  };
  struct Found {  // on some cells of a head
    double sum = 0.0;
    std::int64_t peaks = 0;  // of rows that are on one of them
  };

  [[nodiscard]] bool is_cross() const { return !sources_.empty(); }
  [[nodiscard]] std::int64_t KeysOf(std::size_t sequence) const {
    return (is_cross() ? sources_ : batch_)[sequence]->tokens();
  }
  // Of cross-attention the token of the source that a row has read: that which its metrics go by.
  [[nodiscard]] std::int64_t PlaceOf(std::int64_t query) const {
    return is_cross() ? PlaceInSource(query) : query;
  }
  [[nodiscard]] bool HasTargets(const HeadMetric& metric) const {
    return is_cross() ? metric.cross_targets != nullptr : metric.targets != nullptr;
  }
  [[nodiscard]] TargetRows TargetsOf(const HeadMetric& metric,
                                     std::size_t sequence,
                                     const AttentionRule& rule) const;
  void CollectTargets(std::size_t sequence, bool causal);
  void MeasureChance(std::size_t sequence, const AttentionRule& rule, std::int64_t keys);
  void PlaceRows(const AttentionBlock& block);
  void ReadHead(const AttentionBlock& block, std::int64_t head);
  [[nodiscard]] Found Find(const Range& range,
                           const AttentionBlock& block,
                           std::span<const float> weights,
                           std::span<const Peak> peaks) const;
  [[nodiscard]] double Rate(const Range& range,
                            const AttentionBlock& block,
                            std::span<const float> weights,
                            std::span<const Peak> peaks) const;
  void FinishSequence();
  void Keep(std::size_t sequence, std::size_t metric, std::int64_t control_rows);

  std::span<const ProbeSequence* const> batch_;
  std::span<const ProbeSequence* const> sources_;  // empty: keys are of the batch
  std::size_t layers_;
  std::size_t heads_;
  std::size_t layer_ = 0;
  bool is_first_layer_ = true;
  bool had_window_ = false;  // the layer before
  std::size_t begun_ = 0;    // sequences of this layer
  AttentionRule rule_;
  std::vector<Facts> facts_;    // [sequence]
  std::vector<Tally> tallies_;  // [head][metric], of a sequence and its control
  // Of the block that is read: its rows, those of row metrics, and what each metric asks of it.
  std::vector<RowPlace> places_;
  std::vector<std::size_t> counted_;  // into places_
  std::vector<RowPlace> counted_places_;
  std::vector<Read> reads_;
  std::vector<Peak> peaks_;          // [head][row] of the block
  std::vector<Peak> counted_peaks_;  // likewise
  ScanSums sums_;
  std::vector<bool> keeps_;          // [sequence], or empty
  std::vector<SequenceMeans> kept_;  // [sequence], or empty
};

}  // namespace headscope
