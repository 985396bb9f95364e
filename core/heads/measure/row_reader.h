// Reads the rows of attention of a batch as they are made, and adds up what the metrics ask of them.
// No map is kept.
//
// Shapes   a batch: sequences of one length, a control after the sequence that it is of.
// Threads  the backend's; OnLanes: OpenMP's threads, of eight heads each.
// Cost     for each row where it is largest, how even it is, and the few keys of it that metrics ask
//          for, of eight heads at once: metric by metric, over lists of cells that are made once for a
//          text.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/attention/head_lanes.h"
#include "core/heads/measure/metric.h"
#include "core/heads/measure/row_sums.h"
#include "core/heads/measure/sequence_means.h"
#include "core/heads/probe/target.h"
#include "core/model/forward.h"

namespace headscope {

class RowReader : public LayerObserver, public AttentionObserver, public LaneReader {
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
  void OnProjections(const AttentionProjections& projections) override;
  void OnBlock(const AttentionBlock& block) override;
  void OnLanes(const HeadLanes& lanes) override;

  // After the run.
  [[nodiscard]] const ScanSums& sums() const { return sums_; }
  // Returns the sequences that are kept; their places are in the batch.
  [[nodiscard]] std::vector<SequenceMeans> TakeSequences();

 private:
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
  struct Facts {                        // of one sequence: the same for every head
    std::vector<LaneCell> cells;        // of its map: of each metric by row
    std::vector<Asked> asked;           // [metric]; of a control what the one before it asks
    std::vector<std::size_t> metrics;   // that have rows or a control of it
    std::vector<std::int64_t> counted;  // rows that row metrics are of
  };
  struct Tally {  // of one metric and head in one sequence
    double score = 0.0;
    double control = 0.0;
    double hits = 0.0;
  };
  struct Room {  // of a group of heads, kept from rows to rows
    std::vector<LanePeaks> peaks;
    std::vector<LaneRow> counted;  // rows that row metrics are of
    std::vector<LanePeaks> counted_peaks;
  };

  [[nodiscard]] bool is_cross() const { return !sources_.empty(); }
  [[nodiscard]] std::int64_t KeysOf(std::size_t sequence) const {
    return (is_cross() ? sources_ : batch_)[sequence]->tokens();
  }
  // Metrics of cross-attention go by the token of the source that the row has read.
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
  [[nodiscard]] Range Within(const Range& range, const HeadLanes& lanes) const;
  void TakeCounted(const HeadLanes& lanes, Room* room) const;
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
  std::vector<Tally> tallies_;  // [metric][head], of a sequence and its control
  std::vector<Room> rooms_;     // [group of heads]
  std::vector<HeadLanes> lanes_;
  ScanSums sums_;
  std::vector<bool> keeps_;          // [sequence], or empty
  std::vector<SequenceMeans> kept_;  // [sequence], or empty
};

}  // namespace headscope
