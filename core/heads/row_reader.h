// Reads the rows of attention of a batch as they are made, and adds up what the metrics ask of them.
// No map is kept.
//
// Shapes   a batch: sequences of one length, a control after the sequence that it is of.
// Threads  the backend's; the heads of a block go to OpenMP's threads.
// Cost     for each row and head what its metrics read of it: mostly a few keys.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/heads/metric.h"
#include "core/heads/row_sums.h"
#include "core/model/forward.h"

namespace headscope {

class RowReader : public LayerObserver, public AttentionObserver {
 public:
  // `heads`: of each of the `layers` that are run, which are of one part. `sources`: of
  // cross-attention, whose rows are of the batch: for each sequence what its keys are of. Both
  // outlive this.
  RowReader(std::span<const ProbeSequence* const> batch,
            std::size_t groups,
            std::int64_t layers,
            std::int64_t heads,
            std::span<const ProbeSequence* const> sources = {});

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

 private:
  struct One {  // a share that asks for one key of a row, and has no control
    std::int32_t metric = 0;
    std::int32_t key = 0;
  };
  struct Item {  // what another metric asks of a row
    std::size_t metric = 0;
    std::span<const std::int32_t> keys = {};
    std::span<const std::int32_t> control = {};
    bool qualifies = false;
    bool is_rate = false;
    bool is_value = false;
  };
  struct RowItems {
    std::vector<One> ones;
    std::vector<Item> items;
  };
  struct Facts {                             // of one sequence: the same for every head
    std::vector<TargetRows> targets;         // [metric]; of a control the ones before it
    std::vector<RowItems> items;             // [query]
    std::vector<std::int64_t> rows;          // [metric]
    std::vector<std::int64_t> control_rows;  // [metric]
    std::vector<double> chance;              // [metric], of the layer
  };
  struct Tally {  // of one metric and head in one sequence
    double score = 0.0;
    double control = 0.0;
    double hits = 0.0;
  };

  [[nodiscard]] bool is_cross() const { return !sources_.empty(); }
  [[nodiscard]] std::int64_t KeysOf(std::size_t sequence) const {
    return (is_cross() ? sources_ : batch_)[sequence]->tokens();
  }
  [[nodiscard]] TargetRows TargetsOf(const HeadMetric& metric,
                                     std::size_t sequence,
                                     const AttentionRule& rule) const;
  void CollectTargets(std::size_t sequence, bool causal);
  void MeasureChance(std::size_t sequence, const AttentionRule& rule);
  void ReadRow(const WeightRow& row, const RowItems& items, std::span<Tally> tallies) const;
  void FinishSequence();

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
  ScanSums sums_;
};

}  // namespace headscope
