// A layer with its states: what head counts and the walk through a layer are made of.
//
// Errors   as CaptureAttention.
// Threads  the worker's.
// Cost     a forward up to the layer, unless the last one asked for is the same.
#pragma once

#include "core/base/model_part.h"
#include "core/worker/job.h"

namespace headscope {

// The layer of the input in use, run by any model of that vocabulary.
[[nodiscard]] Result<std::shared_ptr<const LayerAttention>> CaptureLayerStates(LayerId id,
                                                                               Forward* forward,
                                                                               const Job& job);
// Leaves it in job->opened->split_layer; there is an input. States are large, so layers are kept
// without them: the one that is asked for is run again with them.
[[nodiscard]] Status CaptureStates(LayerId id, Job* job);

// Refuses what no layer's states can be of: attention from a file, no text, no such layer. `about`:
// what is not possible then, "cut again".
[[nodiscard]] Status CheckStates(LayerId id, const char* about, const Job& job);

}  // namespace headscope
