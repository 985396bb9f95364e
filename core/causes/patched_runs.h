// Runs of one text side by side, in each of which other things are taken over from elsewhere.
//
// Shapes   rows that are taken over: those of a whole text, [n, ...], as core/causes/run_record.h
//          keeps them.
// Threads  the backend's.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <stop_token>
#include <utility>
#include <vector>

#include "core/causes/run_record.h"
#include "core/model/block_description.h"

namespace headscope {

struct TakenRows {
  std::int64_t run = 0;  // the text among those side by side
  RecordedRows kind = RecordedRows::kContext;
  LayerId layer;
  std::int64_t head = -1;     // -1: all columns
  std::int64_t row = -1;      // -1: all rows
  std::int64_t weights = -1;  // the only row of weights that queries and keys make; -1: all
  std::span<const float> rows;
};

class PatchedRuns : public LayerChanges {
 public:
  // Model and backend outlive this.
  PatchedRuns(const ModelDescription& model,
              Backend* backend,
              std::int64_t runs,
              std::vector<TakenRows> taken)
      : model_(model), backend_(backend), runs_(runs), taken_(std::move(taken)) {}

  // Lets every head of these runs have the output that `frozen` has, and its MLPs where told so,
  // before anything is taken over; and keeps what heads of these layers read.
  void Freeze(const RunRecord* frozen, bool freezes_mlps, std::vector<LayerId> kept) {
    frozen_ = frozen;
    freezes_mlps_ = freezes_mlps;
    kept_layers_ = std::move(kept);
  }
  [[nodiscard]] std::span<const float> Kept(RecordedRows kind,
                                            LayerId layer,
                                            std::int64_t run) const;

  // The states at the end of the stack that says the words, [runs n, d].
  [[nodiscard]] const std::vector<float>& end() const { return end_; }

  Status ChangeStream(LayerId layer, Activations* hidden) override;
  Status Attend(LayerId layer,
                const AttentionInput& input,
                Backend* backend,
                AttentionObserver* observer,
                Activations* context,
                const std::stop_token& stop) override;
  Status ChangeContext(LayerId layer, Activations* context) override;
  Status ChangeAttention(LayerId layer, Activations* output) override;
  Status ChangeMlp(LayerId layer, Activations* output) override;
  Status OnEnd(ModelPart stack, const Activations& states) override;

 private:
  [[nodiscard]] Result<std::vector<float>> AttendAlone(LayerId layer,
                                                       const AttentionInput& input,
                                                       Backend* backend,
                                                       AttentionObserver* observer,
                                                       bool takes_weights,
                                                       const std::stop_token& stop) const;
  [[nodiscard]] bool Takes(RecordedRows kind, LayerId layer) const;
  void Take(RecordedRows kind, LayerId layer, Activations* rows) const;
  void Freeze(RecordedRows kind, LayerId layer, Activations* rows) const;

  const ModelDescription& model_;
  Backend* backend_;
  std::int64_t runs_;
  std::vector<TakenRows> taken_;
  const RunRecord* frozen_ = nullptr;
  bool freezes_mlps_ = false;
  std::vector<LayerId> kept_layers_;
  std::map<std::pair<RecordedRows, std::pair<ModelPart, std::int64_t>>, std::vector<float>> kept_;
  std::vector<float> end_;
};

}  // namespace headscope
