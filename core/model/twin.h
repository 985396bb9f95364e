// A twin of a model whose heads have learnt nothing about where to look: the entries of every query
// and key matrix are permuted within that matrix. Scores of a twin's heads are chance, which the
// model's heads have to exceed.
//
// Errors   kCancelled, kOutOfMemory.
// Threads  any but the drawing one; the twin is immutable and keeps its model.
// Cost     float32 copies of every layer's query, key and value matrices.
// Source   docs/reference.md, "Roles".
#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>

#include "core/base/error.h"
#include "core/model/model.h"

namespace headscope {

// Depends only on the model and the seed, not on the machine. In an encoder-decoder both stacks and
// the cross-attention are permuted.
[[nodiscard]] Result<std::shared_ptr<const Model>> MakeTwin(
    const std::shared_ptr<const Model>& model, std::uint64_t seed, const std::stop_token& stop);

}  // namespace headscope
