// A layer with its states, as needed for head counts and for the walk through a layer.
//
// Errors   as for CaptureAttention.
// Threads  the worker's.
// Cost     a forward up to the layer, unless the last requested layer is the same.
#pragma once

#include "core/base/model_part.h"
#include "core/worker/job.h"

namespace headscope {

// Captures the layer for the current input, run by any model with that vocabulary.
[[nodiscard]] Result<std::shared_ptr<const LayerAttention>> CaptureLayerStates(LayerId id,
                                                                               Forward* forward,
                                                                               const Job& job);
// Leaves the layer in job->opened->split_layer; there must be an input. States are large, so layers
// are kept without them, and the requested layer is run again with them.
[[nodiscard]] Status CaptureStates(LayerId id, Job* job);

// Rejects cases in which no layer has states: attention from a file, no text, no such layer.
// `about` names what is then impossible: "cut again".
[[nodiscard]] Status CheckStates(LayerId id, const char* about, const Job& job);

}  // namespace headscope
