#include "core/model/output_layer.h"

#include <fmt/format.h>

#include "core/base/quote.h"

namespace headscope {

Result<const OutputLayer*> OutputLayerOf(const Model& model) {
  const ModelDescription& description = model.description();
  const auto& layer = description.output_layer;
  if (layer && layer->is_stored) {
    return &*layer;
  }
  const std::string file = model.weights().path().string();
  if (layer) {
    return Fail(ErrorCode::kInput,
                fmt::format("{}: the file holds no output layer, expected {}; save the model with "
                            "it (AutoModelForCausalLM)",
                            file,
                            Quoted(layer->weight.name)));
  }
  if (description.decoder) {
    return Fail(ErrorCode::kInput,
                fmt::format("{}: {} models have an encoder and a decoder; what a head does to the "
                            "logits is measured in models of one part only",
                            file,
                            description.family));
  }
  return Fail(ErrorCode::kInput,
              fmt::format("{}: a {} model predicts no next token, so that its heads raise or lower "
                          "no logits",
                          file,
                          description.family));
}

}  // namespace headscope
