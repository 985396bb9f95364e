// A backend in which one head gives nothing, or always the same: what it gives is changed between
// the attention and the output projection, whatever the model.
//   zero     nothing
//   mean     what it gave on average in the runs begun with BeginClean
//   pattern  nothing, but heads of later layers look where they looked in the run before, so that
//            only what they read there changes
//
// Shapes   one stack of layers, run from its first layer to its last, no past.
// Errors   the inner backend's.
// Threads  the inner backend's.
// Cost     a copy of what a layer's heads give; kPattern holds all maps of a run.
// Source   Olsson 2022, "In-context Learning and Induction Heads" (pattern-preserving ablation).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/compute/forwarding_backend.h"
#include "core/model/model.h"

namespace headscope {

enum class AblationKind { kZero, kMean, kPattern };
inline constexpr std::array<AblationKind, 3> kAblationKinds = {
    AblationKind::kZero, AblationKind::kMean, AblationKind::kPattern};

class AblatingBackend : public ForwardingBackend {
 public:
  // Both outlive this.
  AblatingBackend(Backend* inner, const Model& model);

  // The next run is the model's own; its maps are kept for the runs after it, or its means added.
  enum class Keep { kMaps, kMeans };
  void BeginClean(Keep keep);
  // The next run is without the head; of kPattern it has the shape and texts of the clean run.
  void Begin(std::int64_t layer, std::int64_t head, AblationKind kind);

  Status Attend(const AttentionInput& input,
                AttentionObserver* observer,
                Activations* context,
                std::stop_token stop) override;

 private:
  struct Ablated {
    std::int64_t layer = 0;
    std::int64_t head = 0;
    AblationKind kind = AblationKind::kZero;
  };

  void AddMeans(const Activations& context);
  void Remove(Activations* context);
  void Replay(const AttentionInput& input, Activations* context);

  std::int64_t value_dim_;
  std::int64_t layer_ = 0;  // that runs
  std::optional<Ablated> ablated_;
  Keep keep_ = Keep::kMeans;
  std::vector<std::vector<std::vector<float>>> maps_;  // [layer][text] of [heads, n, n]
  std::vector<std::vector<double>> sums_;              // [layer][heads value_dim], over rows
  std::vector<double> rows_;                           // [layer]
};

}  // namespace headscope
