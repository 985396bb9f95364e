// Splits the logit of one token at one row over everything that was written into the row's residual
// stream: embeddings, each head, each MLP, biases (direct logit attribution). Norms are held at what
// they are for the row, so that the shares add up to the logit.
//
// Units    logits before the model's cap and scale; with another token, the lead over it.
// Errors   kInput (no such row, token or head), kUnsupported (a model that joins tokens beside its
//          attention), the errors of the word layer and of the forward.
// Threads  the backend's.
// Cost     a forward, and H dv d multiplications a layer; for each head by key n dv d more, and for
//          shares above the mean a pass over the output matrix.
// Source   Elhage 2021; Wang 2022. An activation between the states and the vocabulary (masked
//          models) is held, too: as the factor that it is for the row.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/causes/removed_heads.h"
#include "core/heads/measure/head_name.h"
#include "core/model/forward.h"
#include "core/model/layer_changes.h"

namespace headscope {

class WordLayer;

// Ordered as the model computes them.
struct SharePart {
  enum class Kind { kEmbedding, kPosition, kHead, kBias, kMlp, kFinalBias };
  Kind kind = Kind::kEmbedding;
  LayerId layer = {};
  std::int64_t head = -1;
  double share = 0.0;
  // The share minus what the part adds to the mean logit of the vocabulary: adding the same to all
  // logits says nothing. Of a lead it is the share itself.
  double above_mean = 0.0;

  [[nodiscard]] std::string Name() const;  // "embedding", "L0H3", "L0 bias", "L0 MLP"
};

struct ShareQuestion {
  std::int64_t row = 0;
  std::int32_t id = 0;
  std::optional<std::int32_t> against = {};
  std::vector<HeadIndex> by_key = {};  // heads to split over the keys
};

struct LogitShares {
  ShareQuestion question;
  double logit = 0.0;  // as the last states have it
  double sum = 0.0;    // of the shares
  std::vector<SharePart> parts;
  std::map<HeadIndex, std::vector<double>> keys;  // [keys], of the heads in question

  [[nodiscard]] const SharePart* Find(HeadIndex head) const;  // null: none
};

// Watches one run of a text; it is the run's observer and its changes.
class ShareRun : public LayerObserver, public AttentionObserver, public LayerChanges {
 public:
  // All outlive it; `removed` may be null. The question's ids are not needed yet.
  ShareRun(const Forward& forward, ShareQuestion question, RemovedHeads* removed);
  ~ShareRun() override;

  // After the run: splits the logit. Of several questions about one row only the ids may differ.
  [[nodiscard]] Result<LogitShares> Split(const WordLayer& words,
                                          std::int32_t id,
                                          std::optional<std::int32_t> against) const;

  // After the run: the row's last state [d], and what it would be without what this head wrote into
  // the row itself.
  [[nodiscard]] std::span<const float> Last() const;
  [[nodiscard]] std::vector<float> LastWithout(HeadIndex head) const;

  AttentionObserver* BeginLayer(LayerId layer) override;
  bool WantsWrites() override { return true; }
  bool WantsEnd() override { return true; }
  void OnEmbedding(ModelPart stack, EmbeddingPart part, const Activations& rows) override;
  void OnContext(LayerId layer, const Activations& context) override;
  void OnMlp(LayerId layer, const Activations& output) override;
  void OnNorm(const NormNeed& norm, const Activations& input) override;
  void OnProjections(const AttentionProjections& projections) override;
  void OnBlock(const AttentionBlock& block) override;
  Status ChangeStream(LayerId layer, Activations* hidden) override;
  Status Attend(LayerId layer,
                const AttentionInput& input,
                Backend* backend,
                AttentionObserver* observer,
                Activations* context,
                const std::stop_token& stop) override;
  Status ChangeContext(LayerId layer, Activations* context) override;
  Status OnEnd(ModelPart stack, const Activations& states) override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Refuses a row that a text of so many does not have.
[[nodiscard]] Status CheckRow(std::int64_t row, std::int64_t rows);
// Refuses a model that cannot be split.
[[nodiscard]] Status CheckShares(const ModelDescription& model);

}  // namespace headscope
