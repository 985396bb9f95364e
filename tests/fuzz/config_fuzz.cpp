#include "core/model/config.h"
#include "tests/fuzz/input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace headscope;
  const Result<ModelDescription> model = ParseConfig(fuzz::Text(data, size), "fuzz.json");
  if (!model) {
    fuzz::CheckMessage(model.error(), "fuzz.json: ");
    return 0;
  }
  HEADSCOPE_CHECK(model->layers >= 1 && model->layers <= kMaxLayers, "layers are bounded");
  HEADSCOPE_CHECK(model->heads >= 1 && model->heads <= kMaxHeads, "heads are bounded");
  HEADSCOPE_CHECK(model->kv_heads >= 1 && model->heads % model->kv_heads == 0,
                  "heads share keys evenly");
  HEADSCOPE_CHECK(model->head_dim >= 1 && model->value_dim >= 1, "heads have a width");
  HEADSCOPE_CHECK(model->positions >= 1 && model->vocabulary >= 1, "a model reads something");
  HEADSCOPE_CHECK(model->layer.size() == static_cast<std::size_t>(model->layers),
                  "every layer is described");
  for (const LayerDescription& layer : model->layer) {
    for (const LinearNeed::Matrix& matrix : layer.query_key_value.matrices) {
      HEADSCOPE_CHECK(CheckedByteCount(matrix.weight.shape, DataType::kF64).has_value(),
                      "a weight has a size");
    }
  }
  return 0;
}
