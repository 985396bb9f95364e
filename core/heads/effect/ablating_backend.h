// A backend in which one head's output is removed or held constant: it is changed between the
// attention and the output projection, in any model.
//   zero     the output is 0
//   mean     the output is its average over the runs begun with BeginClean
//   pattern  the output is 0, but heads of later layers keep the maps of a clean run, so that
//            only what they read through these maps changes
//
// Shapes   one stack of layers, run from its first layer to its last, without a past.
// Errors   the inner backend's.
// Threads  the inner backend's.
// Cost     a copy of a layer's head outputs; kPattern needs all maps of a run.
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
  // Both arguments outlive it.
  AblatingBackend(Backend* inner, const Model& model);

  using Maps = std::vector<std::vector<std::vector<float>>>;  // [layer][text] of [heads, n, n]

  // The next run is the unchanged model's: it stores its maps in `maps` or, without `maps`, adds to
  // the means.
  void BeginClean(Maps* maps = nullptr);
  // The next run is without the head. `maps`: from a clean run of the same texts; only kPattern
  // needs them.
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

  std::int64_t heads_;
  std::int64_t layer_ = 0;  // that is running
  std::optional<Ablated> ablated_;
  Maps* kept_ = nullptr;                   // filled by the clean run
  const Maps* replayed_ = nullptr;         // used by the run without a head
  std::vector<std::vector<double>> sums_;  // [layer][heads value_dim], over rows
  std::vector<double> rows_;               // [layer]
};

}  // namespace headscope
