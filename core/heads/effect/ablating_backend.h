// A backend in which one head gives nothing, or always the same: what it gives is changed between
// the attention and the output projection, whatever the model.
//   zero     nothing
//   mean     what it gave on average in the runs begun with BeginClean
//   pattern  nothing, but heads of later layers look where they looked in a clean run, so that
//            only what they read there changes
//
// Shapes   one stack of layers, run from its first layer to its last, no past.
// Errors   the inner backend's.
// Threads  the inner backend's.
// Cost     a copy of what a layer's heads give; kPattern asks for all maps of a run.
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

  using Maps = std::vector<std::vector<std::vector<float>>>;  // [layer][text] of [heads, n, n]

  // The next run is the model's own: its maps are kept in `maps`, or, without, its means added.
  void BeginClean(Maps* maps = nullptr);
  // The next run is without the head. `maps`: of a clean run of the same texts; only kPattern asks.
  void Begin(std::int64_t layer, std::int64_t head, AblationKind kind, const Maps* maps = nullptr);

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
  Maps* kept_ = nullptr;                   // of the clean run
  const Maps* replayed_ = nullptr;         // of the run without a head
  std::vector<std::vector<double>> sums_;  // [layer][heads value_dim], over rows
  std::vector<double> rows_;               // [layer]
};

}  // namespace headscope
