// A model's logits in double, by its description alone: last states, final norm, projection, product,
// bias, cap.
//
// Shapes   [tokens, vocabulary], of the text or, in an encoder-decoder, of the target.
// Cost     a product with the whole vocabulary for each token, on one thread.
#pragma once

#include <memory>
#include <vector>

#include "core/model/forward.h"

namespace headscope::reference {

// Returns nothing if the file holds no output layer, or nothing norms the last states.
[[nodiscard]] std::vector<double> Logits(const std::shared_ptr<const Model>& model,
                                         const ForwardInput& input);

}  // namespace headscope::reference
