#include "core/causes/run_record.h"

#include "core/base/check.h"
#include "core/compute/rows.h"

namespace headscope {

std::span<const float> RunRecord::Rows(RecordedRows kind, LayerId layer) const {
  const auto found = rows_.find({kind, {layer.part, layer.layer}});
  HEADSCOPE_CHECK(found != rows_.end(), "the run went through the layer");
  return found->second;
}

std::span<const float> RunRecord::End(ModelPart stack) const {
  const auto found = ends_.find(stack);
  return found == ends_.end() ? std::span<const float>() : found->second;
}

Status RunRecord::Keep(RecordedRows kind, LayerId layer, const Activations& rows) {
  rows_[{kind, {layer.part, layer.layer}}] = ReadRows(backend_, rows);
  return {};
}

Status RunRecord::ChangeStream(LayerId layer, Activations* hidden) {
  return Keep(RecordedRows::kStream, layer, *hidden);
}

Status RunRecord::Attend(LayerId layer,
                         const AttentionInput& input,
                         Backend* backend,
                         AttentionObserver* observer,
                         Activations* context,
                         const std::stop_token& stop) {
  HEADSCOPE_TRY(Keep(RecordedRows::kQueries, layer, *input.queries));
  HEADSCOPE_TRY(Keep(RecordedRows::kKeys, layer, *input.keys));
  HEADSCOPE_TRY(Keep(RecordedRows::kValues, layer, *input.values));
  return LayerChanges::Attend(layer, input, backend, observer, context, stop);
}

Status RunRecord::ChangeContext(LayerId layer, Activations* context) {
  return Keep(RecordedRows::kContext, layer, *context);
}

Status RunRecord::ChangeAttention(LayerId layer, Activations* output) {
  return Keep(RecordedRows::kAttention, layer, *output);
}

Status RunRecord::ChangeMlp(LayerId layer, Activations* output) {
  return Keep(RecordedRows::kMlp, layer, *output);
}

Status RunRecord::OnEnd(ModelPart stack, const Activations& states) {
  ends_[stack] = ReadRows(backend_, states);
  return {};
}

}  // namespace headscope
