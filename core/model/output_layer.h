// The layer that turns a model's last states into logits, for what asks how a head moves them.
//
// Errors   kInput, where there is none: the message says why, and what to do.
// Threads  any.
#pragma once

#include "core/base/error.h"
#include "core/model/model.h"

namespace headscope {

// Of a model that predicts the next token; points into its description.
[[nodiscard]] Result<const OutputLayer*> OutputLayerOf(const Model& model);

}  // namespace headscope
