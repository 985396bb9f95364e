// What one run of a text left between its steps, for taking parts of it over into another run.
//
// Shapes   rows [n, ...] of the one text.
// Threads  the backend's.
// Cost     about ten copies of the stream for each layer.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "core/base/model_part.h"
#include "core/compute/backend.h"
#include "core/model/layer_changes.h"

namespace headscope {

// What there is of a layer, as the attention reads it: after norms and rotation.
enum class RecordedRows { kStream, kQueries, kKeys, kValues, kContext, kAttention, kMlp };

class RunRecord : public LayerChanges {
 public:
  // The backend outlives this.
  explicit RunRecord(const Backend& backend) : backend_(backend) {}

  [[nodiscard]] std::span<const float> Rows(RecordedRows kind, LayerId layer) const;
  [[nodiscard]] std::span<const float> End(ModelPart stack) const;

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
  Status Keep(RecordedRows kind, LayerId layer, const Activations& rows);

  const Backend& backend_;
  std::map<std::pair<RecordedRows, std::pair<ModelPart, std::int64_t>>, std::vector<float>> rows_;
  std::map<ModelPart, std::vector<float>> ends_;
};

}  // namespace headscope
