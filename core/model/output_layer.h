// The layer that turns a model's last states into logits, for measuring how a head changes them.
//
// Errors   kInput if there is none: the message says why, and what to do.
#pragma once

#include "core/base/error.h"
#include "core/model/model.h"

namespace headscope {

// Returns the output layer of a model that predicts the next token; points into its description.
[[nodiscard]] Result<const OutputLayer*> OutputLayerOf(const Model& model);

}  // namespace headscope
