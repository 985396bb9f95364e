// A model whose heads have learnt nothing about where to look: the same, with the entries of every
// query and key matrix permuted within that matrix. What heads of a twin score by chance, heads of
// the model have to exceed.
//
// Errors   kCancelled, kOutOfMemory.
// Threads  any that may compute; the twin is immutable and keeps its model.
// Cost     float32 copies of query, key and value matrices of every layer.
// Source   docs/reference.md, "Roles".
#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>

#include "core/base/error.h"
#include "core/model/model.h"

namespace headscope {

// The same for every seed and machine. Of an encoder-decoder both stacks and what lies between
// them.
[[nodiscard]] Result<std::shared_ptr<const Model>> MakeTwin(std::shared_ptr<const Model> model,
                                                            std::uint64_t seed,
                                                            const std::stop_token& stop);

}  // namespace headscope
